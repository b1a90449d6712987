//! A stdio server on the Rust SDK: two pages of tools, one prompt, both eras.

use rmcp::model::{
    ListPromptsResult, ListToolsResult, PaginatedRequestParams, Prompt, ServerCapabilities,
    ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt as _};

struct Peer;

fn tool(name: &'static str) -> Tool {
    let schema = serde_json::json!({
        "type": "object",
        "properties": { "path": { "type": "string", "description": "Where to look" } },
        "required": ["path"]
    });
    let schema = schema.as_object().cloned().unwrap_or_default();
    Tool::new(name, "Reads something.", schema)
}

impl ServerHandler for Peer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_prompts().build();
        ServerConfig::new(capabilities).with_instructions("Ask before reading.")
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let second = request.and_then(|request| request.cursor).is_some();
        let mut page =
            ListToolsResult::with_all_items(vec![tool(if second { "two" } else { "one" })]);
        page.next_cursor = (!second).then(|| "second".to_owned());
        Ok(page)
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(vec![Prompt::new("greet", Some("Greets."), None)]))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let service = Peer.serve(rmcp::transport::stdio()).await?;
        service.waiting().await?;
        Ok(())
    })
}
