//! What the server told and asked, and what it was answered.

use std::error::Error;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::model::{
    ClientCapabilities, ClientConfig, CreateMessageRequestParams, CreateMessageResult,
    ElicitRequestParams, ElicitResult, Implementation, ListRootsResult,
    LoggingMessageNotificationParam, ProgressNotificationParam, ResourceUpdatedNotificationParam,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ClientHandler, ErrorData, RoleClient};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// The folder of the scenario.
pub fn folder() -> String {
    std::env::var("SCENARIO_FOLDER").unwrap_or_else(|_| "/nowhere".to_owned())
}

#[derive(Debug, Default)]
pub struct Heard {
    pub logs: Vec<Value>,
    pub updates: Vec<String>,
    pub changes: usize,
    pub progress: Vec<Value>,
    pub sampled: Vec<Value>,
    pub elicited: Vec<Value>,
    pub roots_asked: usize,
    /// The project only, or something else as well.
    pub has_second_root: bool,
}

/// Shared with the SDK, which calls it while the scenario goes on.
#[derive(Clone, Debug, Default)]
pub struct Seen(Arc<Mutex<Heard>>);

impl Seen {
    pub fn heard(&self) -> MutexGuard<'_, Heard> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub async fn until(&self, condition: impl Fn(&Heard) -> bool) -> Result<(), Box<dyn Error>> {
        for _ in 0..2000 {
            if condition(&self.heard()) {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        Err(format!("waited in vain: {:?}", self.heard()).into())
    }

    pub fn document(&self) -> Value {
        let heard = self.heard();
        json!({
            "logs": heard.logs,
            "updates": heard.updates,
            "changes": heard.changes,
            "sampled": heard.sampled,
            "elicited": heard.elicited,
            "roots asked": heard.roots_asked,
        })
    }
}

/// The SDK's type of something that is easier to read as JSON.
pub fn typed<T: DeserializeOwned>(value: Value) -> Result<T, ErrorData> {
    serde_json::from_value(value)
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

impl ClientHandler for Seen {
    fn get_info(&self) -> ClientConfig {
        let capabilities: ClientCapabilities = typed(json!({
            "sampling": {},
            "elicitation": { "form": {}, "url": {} },
            "roots": { "listChanged": true },
        }))
        .unwrap_or_default();
        ClientConfig::new(capabilities, Implementation::new("rmcp-client", "1"))
    }

    async fn create_message(
        &self,
        params: CreateMessageRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        self.heard().sampled.push(json!(params));
        typed(json!({
            "role": "assistant",
            "content": { "type": "text", "text": "because" },
            "model": "a model",
        }))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let asked = json!(request);
        let is_form = asked["mode"] != "url";
        self.heard().elicited.push(asked);
        let form = json!({ "name": "Ada", "check": true, "integer": 7, "number": 2.5 });
        typed(if is_form {
            json!({ "action": "accept", "content": form })
        } else {
            json!({ "action": "accept" })
        })
    }

    async fn list_roots(
        &self,
        _context: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        let mut roots = vec![json!({ "uri": format!("file://{}", folder()), "name": "project" })];
        let mut heard = self.heard();
        heard.roots_asked += 1;
        roots.extend(heard.has_second_root.then(|| json!({ "uri": "file:///elsewhere" })));
        typed(json!({ "roots": roots }))
    }

    async fn on_progress(
        &self,
        params: ProgressNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        self.heard().progress.push(json!(params));
    }

    async fn on_logging_message(
        &self,
        params: LoggingMessageNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        self.heard().logs.push(json!(params));
    }

    async fn on_resource_updated(
        &self,
        params: ResourceUpdatedNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        self.heard().updates.push(params.uri);
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.heard().changes += 1;
    }
}
