//! What is played: each scenario tells what it saw.

use std::error::Error;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, ClientRequest, PingRequest, ServerNotification, SubscriptionFilter,
};
use rmcp::service::RunningService;
use rmcp::{RoleClient, ServiceError};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::seen::{Seen, folder, typed};

type Client = RunningService<RoleClient, Seen>;
type Played = Result<Value, Box<dyn Error>>;

const DOCUMENT: &str = "demo://resource/static/document/features.md";
const LONG: &str = "trigger-long-running-operation";

pub async fn play(scenario: &str, client: &Client, seen: &Seen) -> Played {
    match scenario {
        "everything" => everything(client, seen).await,
        "filesystem" => filesystem(client, seen).await,
        "time" => time(client).await,
        "modern" => modern(client, seen).await,
        "drift" => drift(client).await,
        other => Err(format!("no such scenario: {other}").into()),
    }
}

/// What a request came to; an error is part of what a client sees.
fn outcome<T: Serialize>(result: Result<T, ServiceError>) -> Value {
    match result {
        Ok(result) => json!(result),
        Err(ServiceError::McpError(error)) => json!({ "error": error }),
        Err(error) => json!({ "error": error.to_string() }),
    }
}

fn call_of(tool: &str, arguments: &Value) -> Result<CallToolRequestParams, Box<dyn Error>> {
    Ok(typed(json!({ "name": tool, "arguments": arguments }))?)
}

async fn call(client: &Client, tool: &str, arguments: Value) -> Played {
    Ok(outcome(client.call_tool(call_of(tool, &arguments)?).await))
}

async fn calls(client: &Client, steps: Vec<(&str, &str, Value)>) -> Played {
    let mut results = Map::new();
    for (name, tool, arguments) in steps {
        results.insert(name.to_owned(), call(client, tool, arguments).await?);
    }
    Ok(Value::Object(results))
}

fn sorted(items: impl Serialize) -> Value {
    let mut items = json!(items);
    if let Some(items) = items.as_array_mut() {
        items.sort_by_key(|item| {
            let key = |name: &str| item[name].as_str().map(str::to_owned);
            key("uri").or_else(|| key("uriTemplate")).or_else(|| key("name"))
        });
    }
    items
}

async fn lists(client: &Client) -> Played {
    let info = client.peer_info();
    let capabilities = info.as_deref().map(|info| &info.capabilities);
    let mut lists = json!({ "tools": sorted(client.list_all_tools().await?) });
    if capabilities.is_some_and(|capabilities| capabilities.prompts.is_some()) {
        lists["prompts"] = sorted(client.list_all_prompts().await?);
    }
    if capabilities.is_some_and(|capabilities| capabilities.resources.is_some()) {
        lists["resources"] = sorted(client.list_all_resources().await?);
        lists["templates"] = sorted(client.list_all_resource_templates().await?);
    }
    Ok(lists)
}

async fn prompts(client: &Client, steps: Vec<(&str, Value)>) -> Played {
    let mut results = Vec::new();
    for (name, arguments) in steps {
        let params = typed(json!({ "name": name, "arguments": arguments }))?;
        results.push(outcome(client.get_prompt(params).await));
    }
    Ok(json!(results))
}

async fn reads(client: &Client, uris: &[&str]) -> Played {
    let mut results = Map::new();
    for uri in uris {
        let read = client.read_resource(typed(json!({ "uri": uri }))?).await;
        results.insert((*uri).to_owned(), outcome(read));
    }
    Ok(Value::Object(results))
}

async fn completions(client: &Client, steps: Vec<Value>) -> Played {
    let mut results = Vec::new();
    for params in steps {
        results.push(outcome(client.complete(typed(params)?).await));
    }
    Ok(json!(results))
}

/// A call that reports how far it is.
async fn progress_of(client: &Client, seen: &Seen, call: CallToolRequestParams) -> Played {
    seen.heard().progress.clear();
    let result = outcome(client.call_tool(call).await);
    // The SDK hands reports over while it goes on with the answer.
    seen.until(|heard| heard.progress.len() == 3).await?;
    let mut reports = std::mem::take(&mut seen.heard().progress);
    for report in &mut reports {
        report.as_object_mut().map(|report| report.remove("progressToken"));
    }
    Ok(json!({ "reports": reports, "result": result }))
}

/// Something large, and many things at the same time.
async fn at_once(client: &Client, argument: &str) -> Played {
    // More than is held of a message before it goes on.
    let text = "größer ".repeat(300_000);
    let large = call(client, "echo", json!({ argument: text })).await?;
    let arrived = large["content"][0]["text"].as_str().is_some_and(|all| all.contains(&text));
    let one = |number: u32| call(client, "echo", json!({ argument: format!("call {number}") }));
    let many = futures::future::try_join_all((0..50).map(one)).await?;
    Ok(json!({ "large": arrived, "many": many }))
}

/// Gives a call up as soon as it has shown that it runs.
async fn cancel(client: &Client, seen: &Seen, call: CallToolRequestParams) -> Played {
    seen.heard().progress.clear();
    tokio::select! {
        result = client.call_tool(call) => Ok(outcome(result)),
        waited = seen.until(|heard| !heard.progress.is_empty()) => waited.map(|()| json!("given up")),
    }
}

async fn everything(client: &Client, seen: &Seen) -> Played {
    client.set_level(typed(json!({ "level": "info" }))?).await?;
    seen.until(|heard| heard.roots_asked == 1 && heard.logs.len() == 1).await?;
    let mut document = lists(client).await?;
    let steps = vec![
        ("echo", "echo", json!({ "message": "größer 🦀 \u{2028} \\ \"" })),
        ("sum", "get-sum", json!({ "a": 0.1, "b": 2e10 })),
        ("wrong", "get-sum", json!({ "a": "one" })),
        ("structured", "get-structured-content", json!({ "location": "Chicago" })),
        ("image", "get-tiny-image", json!({})),
        (
            "annotated",
            "get-annotated-message",
            json!({ "messageType": "error", "includeImage": true }),
        ),
        ("links", "get-resource-links", json!({ "count": 3 })),
        ("reference", "get-resource-reference", json!({ "resourceType": "Blob", "resourceId": 2 })),
    ];
    document["calls"] = calls(client, steps).await?;
    let steps = vec![
        ("simple-prompt", json!({})),
        ("args-prompt", json!({ "city": "Paris", "state": "Texas" })),
        ("args-prompt", json!({})),
        ("resource-prompt", json!({ "resourceType": "Text", "resourceId": "1" })),
    ];
    document["prompts got"] = prompts(client, steps).await?;
    let dynamic = ["text/1", "blob/1", "text/none"];
    let dynamic = dynamic.map(|rest| format!("demo://resource/dynamic/{rest}"));
    let uris: Vec<&str> =
        std::iter::once(DOCUMENT).chain(dynamic.iter().map(String::as_str)).collect();
    document["resources read"] = reads(client, &uris).await?;
    let team = json!({ "type": "ref/prompt", "name": "completable-prompt" });
    let template =
        json!({ "type": "ref/resource", "uri": "demo://resource/dynamic/text/{resourceId}" });
    let sales = json!({ "arguments": { "department": "Sales" } });
    let steps = vec![
        json!({ "ref": team, "argument": { "name": "department", "value": "S" } }),
        json!({ "ref": team, "argument": { "name": "name", "value": "" }, "context": sales }),
        json!({ "ref": template, "argument": { "name": "resourceId", "value": "12" } }),
    ];
    document["completions"] = completions(client, steps).await?;
    let long = call_of(LONG, &json!({ "duration": 0.3, "steps": 3 }))?;
    document["long"] = progress_of(client, seen, long).await?;
    let longer = call_of(LONG, &json!({ "duration": 1, "steps": 10 }))?;
    document["cancelled"] = cancel(client, seen, longer).await?;
    document["at once"] = at_once(client, "message").await?;
    let ping = ClientRequest::PingRequest(PingRequest::default());
    document["ping"] = outcome(client.send_request(ping).await);
    document["asked"] = asked_by_everything(client, seen).await?;
    Ok(document)
}

async fn asked_by_everything(client: &Client, seen: &Seen) -> Played {
    let link = json!({ "url": "https://example.org/x", "elicitationId": "one" });
    let mut link_first = link.clone();
    link_first["errorPath"] = json!(true);
    let steps = vec![
        ("sampling", "trigger-sampling-request", json!({ "prompt": "Why?", "maxTokens": 10 })),
        ("elicitation", "trigger-elicitation-request", json!({})),
        ("url", "trigger-url-elicitation", link),
        ("url first", "trigger-url-elicitation", link_first),
        ("roots", "get-roots-list", json!({})),
    ];
    let mut document = calls(client, steps).await?;
    seen.heard().has_second_root = true;
    client.notify_roots_list_changed().await?;
    seen.until(|heard| heard.roots_asked == 2 && heard.logs.len() == 2).await?;
    document["roots again"] = call(client, "get-roots-list", json!({})).await?;
    document["subscribed"] = outcome(client.subscribe(typed(json!({ "uri": DOCUMENT }))?).await);
    document["toggled"] = call(client, "toggle-subscriber-updates", json!({})).await?;
    seen.until(|heard| !heard.updates.is_empty() && heard.logs.len() == 3).await?;
    call(client, "toggle-subscriber-updates", json!({})).await?;
    // From now on the server has nothing to say that is important enough.
    client.set_level(typed(json!({ "level": "error" }))?).await?;
    document["unsubscribed"] =
        outcome(client.unsubscribe(typed(json!({ "uri": DOCUMENT }))?).await);
    Ok(document)
}

async fn filesystem(client: &Client, seen: &Seen) -> Played {
    seen.until(|heard| heard.roots_asked == 1).await?;
    let mut document = lists(client).await?;
    let folder = folder();
    // The server has taken the root over when it says so.
    while !document["allowed"].to_string().contains(&folder) {
        document["allowed"] = call(client, "list_allowed_directories", json!({})).await?;
    }
    let path = format!("{folder}/note.txt");
    let edits = json!([{ "oldText": "one", "newText": "1" }]);
    let several = json!([path, format!("{folder}/none.txt")]);
    let moved = format!("{folder}/moved.txt");
    let steps = vec![
        ("write", "write_file", json!({ "path": path, "content": "one\ntwo größer\n" })),
        ("read", "read_text_file", json!({ "path": path, "head": 1 })),
        ("edit", "edit_file", json!({ "path": path, "edits": edits })),
        ("several", "read_multiple_files", json!({ "paths": several })),
        ("list", "list_directory_with_sizes", json!({ "path": folder })),
        ("tree", "directory_tree", json!({ "path": folder })),
        ("search", "search_files", json!({ "path": folder, "pattern": "*.txt" })),
        ("info", "get_file_info", json!({ "path": path })),
        ("elsewhere", "read_text_file", json!({ "path": "/etc/passwd" })),
        ("move", "move_file", json!({ "source": path, "destination": moved })),
    ];
    document["calls"] = calls(client, steps).await?;
    Ok(document)
}

async fn time(client: &Client) -> Played {
    let mut document = lists(client).await?;
    let convert = |time: &str| {
        json!({
            "source_timezone": "Europe/Berlin",
            "time": time,
            "target_timezone": "Asia/Tokyo",
        })
    };
    let steps = vec![
        ("now", "get_current_time", json!({ "timezone": "Asia/Tokyo" })),
        ("convert", "convert_time", convert("12:30")),
        ("wrong", "convert_time", convert("25:00")),
    ];
    document["calls"] = calls(client, steps).await?;
    Ok(document)
}

async fn modern(client: &Client, seen: &Seen) -> Played {
    let mut document = lists(client).await?;
    let steps = vec![
        ("echo", "echo", json!({ "text": "größer 🦀" })),
        ("add", "add", json!({ "a": 2 })),
        ("wrong", "add", json!({ "a": "two" })),
        ("ask", "ask", json!({})),
    ];
    document["calls"] = calls(client, steps).await?;
    document["prompts got"] = prompts(client, vec![("greet", json!({ "name": "Ada" }))]).await?;
    document["resources read"] = reads(client, &["note://one", "note://by-name/%C3%A9"]).await?;
    let greet = json!({ "type": "ref/prompt", "name": "greet" });
    let complete = json!({ "ref": greet, "argument": { "name": "name", "value": "A" } });
    document["completions"] = completions(client, vec![complete]).await?;
    let mut count = call_of("count", &json!({}))?;
    // In this era a request says for itself what of the log it wants.
    count.meta = typed(json!({ "io.modelcontextprotocol/logLevel": "info" }))?;
    document["long"] = progress_of(client, seen, count).await?;
    document["listened"] = listen(client).await?;
    document["cancelled"] = cancel(client, seen, call_of("wait", &json!({}))?).await?;
    document["given up"] = call(client, "given_up_calls", json!({})).await?;
    document["at once"] = at_once(client, "text").await?;
    Ok(document)
}

/// What the server announces on the stream that was opened for it.
async fn listen(client: &Client) -> Played {
    let filter = SubscriptionFilter::builder();
    let filter = filter.tools_list_changed().resource_subscription("note://one").build();
    let mut subscription = client.listen(filter).await?;
    call(client, "touch", json!({})).await?;
    let mut heard = Vec::new();
    for _ in 0..2 {
        heard.push(match subscription.next().await? {
            Some(ServerNotification::ResourceUpdatedNotification(update)) => update.params.uri,
            Some(ServerNotification::ToolListChangedNotification(_)) => "tools".to_owned(),
            other => format!("{other:?}"),
        });
    }
    subscription.cancel().await?;
    Ok(json!({ "honored": subscription.acknowledged(), "heard": heard }))
}

/// A server that is not any more what was approved.
async fn drift(client: &Client) -> Played {
    let tools = sorted(client.list_all_tools().await?);
    let names: Vec<&Value> =
        tools.as_array().into_iter().flatten().map(|tool| &tool["name"]).collect();
    let steps = vec![
        ("echo", "echo", json!({ "text": "again" })),
        ("read_file", "read_file", json!({ "path": "/x" })),
        ("echo again", "echo", json!({ "text": "and again" })),
    ];
    let mut document = calls(client, steps).await?;
    document["tools"] = json!(names);
    // Nothing waits for the log, so it may come last.
    tokio::time::sleep(Duration::from_millis(200)).await;
    Ok(document)
}
