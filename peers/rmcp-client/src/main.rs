#![doc = include_str!("../README.md")]
// The newer era deprecates what the older servers of these tests are about.
#![allow(deprecated)]

mod scenarios;
mod seen;

use std::error::Error;

use rmcp::model::ProtocolVersion;
use rmcp::service::{ClientLifecycleMode, ClientServiceExt as _};
use rmcp::transport::TokioChildProcess;
use serde_json::json;
use tokio::process::Command;

use crate::seen::Seen;

fn lifecycle(mode: &str) -> ClientLifecycleMode {
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    match mode {
        "legacy" => ClientLifecycleMode::Initialize,
        "auto" => ClientLifecycleMode::Auto { preferred_versions, legacy_version: None },
        _ => ClientLifecycleMode::Discover { preferred_versions },
    }
}

async fn play(arguments: &[String]) -> Result<serde_json::Value, Box<dyn Error>> {
    let [scenario, mode, command, rest @ ..] = arguments else {
        return Err("usage: rmcp-client SCENARIO MODE COMMAND ARGUMENT...".into());
    };
    let mut command = Command::new(command);
    command.args(rest);
    let seen = Seen::default();
    let transport = TokioChildProcess::new(command)?;
    let client = match seen.clone().serve_with_lifecycle(transport, lifecycle(mode)).await {
        Ok(client) => client,
        Err(error) => return Ok(json!({ "failed": [format!("{error}: {error:?}")] })),
    };
    let mut document = scenarios::play(scenario, &client, &seen).await?;
    document["opening"] = json!(client.peer_info().as_deref());
    document["seen"] = seen.document();
    client.cancel().await?;
    Ok(document)
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let document = runtime.block_on(play(&arguments))?;
    println!("{document}");
    Ok(())
}
