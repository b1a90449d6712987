//! Messages as they are written. Every part is JSON already, but for methods and texts.

use facets_digest::json::quoted;

/// A request. `id` is JSON, and so is `params`, which may be empty for none.
#[must_use]
pub fn request(id: &str, method: &str, params: &str) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\"{}}}", with_params(params))
}

/// A notification. `params` is JSON, or empty for none.
#[must_use]
pub fn notification(method: &str, params: &str) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{method}\"{}}}", with_params(params))
}

fn with_params(params: &str) -> String {
    if params.is_empty() { String::new() } else { format!(",\"params\":{params}") }
}

/// A reply with a result. Both are JSON.
#[must_use]
pub fn result_reply(id: &str, result: &str) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}")
}

/// A reply with an error. `id` is JSON; so is `data`, which may be empty for none.
#[must_use]
pub fn error_reply(id: &str, code: i64, message: &str, data: &str) -> String {
    let data = if data.is_empty() { String::new() } else { format!(",\"data\":{data}") };
    let message = quoted(message);
    format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{{\"code\":{code},\"message\":{message}{data}}}}}"
    )
}
