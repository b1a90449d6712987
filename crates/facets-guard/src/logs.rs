//! Lines for the client's log that give themselves out as facet's.

use facets_digest::json::{self, Member, Provenance, Value};
use facets_markers::is_hidden;
use facets_wire::{is_same_but_for_case, params_of};

use crate::errors::any_text;
use crate::event::Reason;
use crate::imitation::{names_facet, speaks_as_facet};
use crate::limits::BATCH;

/// Why a line for the client's log does not go on: it names facet as its logger, or it cannot be
/// read strictly, so that nothing says that it does not.
pub(crate) fn refused_log(text: &[u8]) -> Option<Reason> {
    let params = match params_of(text, BATCH) {
        Some(params) => params,
        // Without parameters it says nothing.
        None if json::split_object(text, BATCH).is_ok() => return None,
        None => return Some(Reason::Malformed),
    };
    let params = match json::parse(params.as_bytes(), Provenance::Captured, BATCH) {
        Ok(Value::Object(params)) => params,
        Ok(Value::Null) => return None,
        // What a client shows of anything else is unknown.
        Ok(_) | Err(_) => return Some(Reason::Malformed),
    };
    let members = params.members().iter();
    let mut loggers = members.filter(|member| is_same_but_for_case(&member.name, "logger"));
    let refused = loggers.find_map(|member| match &member.value {
        Value::Null => None,
        Value::String(name) if !names_facet(name) => None,
        Value::String(_) => Some(Reason::Imitates),
        _ => Some(Reason::Malformed),
    });
    // Where nothing says whose line it is, its texts do.
    let is_named = matches!(params.get("logger"), Some(Value::String(name)) if is_seen(name));
    let speaks = |member: &Member<'_>| {
        is_same_but_for_case(&member.name, "data") && any_text(&member.value, &speaks_as_facet)
    };
    let imitates = !is_named && params.members().iter().any(speaks);
    refused.or(imitates.then_some(Reason::Imitates))
}

/// Whether a name shows anything.
fn is_seen(name: &str) -> bool {
    name.chars().any(|letter| letter.is_alphanumeric() && !is_hidden(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loggers_that_are_not_facet_are_delivered() {
        let log = |params: &str| {
            refused_log(
                format!(r#"{{"method":"notifications/message","params":{params}}}"#).as_bytes(),
            )
        };
        for params in [
            r#"{"logger":"db","data":"facet: x"}"#,
            r#"{"logger":"facets","data":1}"#,
            r#"{"logger":"multifacet"}"#,
            r#"{"logger":null}"#,
            r#"{"data":{"logger":"facet"}}"#,
            r#"{"logger":"db","data":["facet: x"]}"#,
            "null",
        ] {
            assert_eq!(log(params), None, "{params}");
        }
        assert_eq!(refused_log(br#"{"method":"notifications/message"}"#), None);
        for logger in ["facet", "FACET", "f\u{430}cet", "facet/guard"] {
            let params = format!(r#"{{"logger":"{logger}","data":"x"}}"#);
            assert_eq!(log(&params), Some(Reason::Imitates), "{params}");
        }
        for params in [
            r#"{"logger":"x","data":"\ud800"}"#,
            r#"{"logger":"x","logger":"facet"}"#,
            r#"{"logger":["facet"]}"#,
            r#"{"data":{"a":1,"a":2}}"#,
            r#"[{"logger":"facet"}]"#,
            r#""facet: x""#,
        ] {
            assert_eq!(log(params), Some(Reason::Malformed), "{params}");
        }
        assert_eq!(log(r#"{"Logger":"facet"}"#), Some(Reason::Imitates));
        assert_eq!(log(r#"{"data":"facet: s: withheld"}"#), Some(Reason::Imitates));
        assert_eq!(log(r#"{"logger":null,"data":"facet: x"}"#), Some(Reason::Imitates));
        for params in [
            r#"{"logger":"","data":"facet: x"}"#,
            r#"{"logger":" \u200b","data":"facet: x"}"#,
            r#"{"DATA":"facet: x"}"#,
            r#"{"data":{"msg":["facet: x"]}}"#,
        ] {
            assert_eq!(log(params), Some(Reason::Imitates), "{params}");
        }
        let outer =
            br#"{"method":"notifications/message","x":"\ud800","params":{"logger":"facet"}}"#;
        assert_eq!(refused_log(outer), Some(Reason::Malformed));
    }
}
