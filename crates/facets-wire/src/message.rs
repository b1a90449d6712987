use facets_digest::json::{self, JsonError, Limits, Provenance, RawMember, Value};

use crate::envelope::PROTOTYPE;

/// An envelope stands around definitions that may themselves be 128 deep.
const ENVELOPE: usize = 8;

/// Why bytes are not JSON-RPC.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MessageError {
    /// Not JSON at all, or JSON that we refuse.
    #[error("{0}")]
    Json(#[from] JsonError),
    /// JSON, but no message.
    #[error("not a JSON-RPC message: {reason}")]
    NotRpc {
        /// What is missing.
        reason: &'static str,
    },
}

/// The `error` member of a reply.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message} ({code})")]
pub struct RpcError {
    /// Its code; 0 where there is none.
    pub code: i64,
    /// Its message.
    pub message: String,
}

/// A message from a server. Contents are left as the text they came in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Incoming<'a> {
    /// An answer.
    Reply {
        /// The id, as written.
        id: &'a str,
        /// The result as written, or the error.
        result: Result<&'a str, RpcError>,
    },
    /// A question to the client.
    Request {
        /// The id, as written.
        id: &'a str,
        /// What is asked.
        method: String,
    },
    /// Something told, which wants no answer.
    Notification {
        /// What is told.
        method: String,
    },
}

/// Reads one message, or the messages of a batch.
pub fn parse_messages(bytes: &[u8], max_bytes: usize) -> Result<Vec<Incoming<'_>>, MessageError> {
    let limits = Limits {
        bytes: max_bytes,
        depth: Limits::DOCUMENT.depth + ENVELOPE,
        values: Limits::DOCUMENT.values,
    };
    if let Some(members) = json::split_object(bytes, limits)? {
        return parse_one(&members, limits).map(|message| vec![message]);
    }
    let Some(items) = json::split_array(bytes, limits)? else {
        return Err(MessageError::NotRpc { reason: "it is neither an object nor a list" });
    };
    let messages =
        items.into_iter().map(|item| match json::split_object(item.as_bytes(), limits)? {
            Some(members) => parse_one(&members, limits),
            None => Err(MessageError::NotRpc { reason: "an item of the batch is not an object" }),
        });
    messages.collect()
}

fn parse_one<'a>(members: &[RawMember<'a>], limits: Limits) -> Result<Incoming<'a>, MessageError> {
    let member = |name: &str| members.iter().find(|member| member.name == name).map(|m| m.value);
    refuse_prototypes(members, limits)?;
    let method = member("method").map(|raw| string(raw, limits)).transpose()?.flatten();
    let id = member("id").filter(|id| *id != "null");
    match (method, id) {
        (Some(method), Some(id)) => Ok(Incoming::Request { id, method }),
        (Some(method), None) => Ok(Incoming::Notification { method }),
        (None, id) => {
            // An error that could not be attributed has the id null.
            let id = id.unwrap_or("null");
            // An error that is nothing is none.
            match (member("error").filter(|error| *error != "null"), member("result")) {
                (Some(error), _) => {
                    Ok(Incoming::Reply { id, result: Err(rpc_error(error, limits)?) })
                }
                (None, Some(result)) => Ok(Incoming::Reply { id, result: Ok(result) }),
                (None, None) => {
                    Err(MessageError::NotRpc { reason: "it has neither method, result nor error" })
                }
            }
        }
    }
}

/// spec 11.3: what `run` does not deliver cannot be approved, either
fn refuse_prototypes(members: &[RawMember<'_>], limits: Limits) -> Result<(), MessageError> {
    let has_prototype = |members: &[RawMember<'_>]| members.iter().any(|one| one.name == PROTOTYPE);
    let mut is_refused = has_prototype(members);
    let parts = ["result", "error", "params"];
    for part in members.iter().filter(|member| parts.contains(&&*member.name)) {
        let inner = json::split_object(part.value.as_bytes(), limits)?;
        is_refused |= has_prototype(&inner.unwrap_or_default());
    }
    let reason = "it has a member `__proto__`, which parsers treat differently";
    if is_refused { Err(MessageError::NotRpc { reason }) } else { Ok(()) }
}

fn string(raw: &str, limits: Limits) -> Result<Option<String>, JsonError> {
    Ok(match json::parse(raw.as_bytes(), Provenance::Captured, limits)? {
        Value::String(text) => Some(text.into_owned()),
        _ => None,
    })
}

fn rpc_error(raw: &str, limits: Limits) -> Result<RpcError, JsonError> {
    let value = json::parse(raw.as_bytes(), Provenance::Captured, limits)?;
    let Value::Object(object) = value else {
        return Ok(RpcError { code: 0, message: raw.to_owned() });
    };
    let code = match object.get("code") {
        Some(Value::Number(json::Number::Integer(digits))) => digits.parse().unwrap_or_default(),
        _ => 0,
    };
    let message = match object.get("message") {
        Some(Value::String(text)) => text.to_string(),
        _ => String::new(),
    };
    Ok(RpcError { code, message })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Incoming<'_> {
        parse_messages(text.as_bytes(), 10_000).unwrap().remove(0)
    }

    #[test]
    fn recognises_messages_by_their_outermost_members() {
        let reply = one(r#"{"jsonrpc":"2.0","id":1,"result":{"method":"x", "a":[1.0]}}"#);
        assert_eq!(reply, Incoming::Reply { id: "1", result: Ok(r#"{"method":"x", "a":[1.0]}"#) });
        let error = one(r#"{"id":"a\"b","error":{"code":-32601,"message":"no"}}"#);
        let expected = RpcError { code: -32601, message: "no".to_owned() };
        assert_eq!(error, Incoming::Reply { id: r#""a\"b""#, result: Err(expected) });
        let request = one(r#"{"id":7.5,"method":"roots/list"}"#);
        assert_eq!(request, Incoming::Request { id: "7.5", method: "roots/list".to_owned() });
        let told = one(r#"{"method":"notifications/x","params":{}}"#);
        assert_eq!(told, Incoming::Notification { method: "notifications/x".to_owned() });
        let batch = parse_messages(br#"[{"method":"a"},{"id":1,"result":null}]"#, 100).unwrap();
        assert_eq!(batch.len(), 2);
    }

    #[test]
    fn a_prototype_is_no_message() {
        for text in [
            r#"{"id":1,"result":{},"__proto__":{"method":"x"}}"#,
            r#"{"id":1,"result":{"__proto__":{"instructions":"x"}}}"#,
            r#"{"id":1,"result":{"\u005f_proto__":{}}}"#,
            r#"{"method":"x","params":{"__proto__":{}}}"#,
            r#"{"id":1,"error":{"__proto__":{}}}"#,
        ] {
            let refused = parse_messages(text.as_bytes(), 1000);
            assert!(matches!(refused, Err(MessageError::NotRpc { .. })), "{text}");
        }
        one(r#"{"id":1,"result":{"structuredContent":{"__proto__":{}}}}"#);
    }

    #[test]
    fn an_error_beside_a_result_is_an_error() {
        let both = one(r#"{"id":1,"result":{},"error":{"code":1,"message":"m"}}"#);
        assert!(matches!(both, Incoming::Reply { result: Err(_), .. }));
    }

    #[test]
    fn refuses_what_is_no_message() {
        for text in [
            "{}",
            "[1]",
            "[[]]",
            "{\"id\":1}",
            "{\"id\":1,\"id\":1,\"result\":{}}",
            "{\"id\":1,",
            "{\"method\":7}",
        ] {
            assert!(parse_messages(text.as_bytes(), 100).is_err(), "{text}");
        }
    }

    #[test]
    fn a_definition_may_be_as_deep_as_it_may_be_alone() {
        let deep = format!("{}{}", "[".repeat(128), "]".repeat(128));
        let text = format!(r#"{{"id":1,"result":{{"tools":[{deep}]}}}}"#);
        assert!(parse_messages(text.as_bytes(), 10_000).is_ok());
    }
}
