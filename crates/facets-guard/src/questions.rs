//! Questions of the server to the model or the user, which have to be granted.

use facets_digest::json::{self, Limits, Value};
use facets_wire::{MessageFacts, id_key, is_same_but_for_case};
use memchr::memmem;

use crate::delivery::Delivery;
use crate::event::{Decision, Event, Reason, Subject};
use crate::guard::Guard;
use crate::limits::BATCH;
use crate::outbox::Outbox;
use crate::words;

impl Guard {
    /// Whether something that has to be granted is; none if it does not have to be.
    pub(crate) fn is_granted(&self, method: &str) -> Option<bool> {
        if is_same_but_for_case(method, "sampling/createmessage") {
            Some(self.rules.sampling)
        } else if is_same_but_for_case(method, "elicitation/create") {
            Some(self.rules.elicitation)
        } else {
            None
        }
    }

    /// An answer may bring questions to the model or the user along, which have to be granted.
    pub(crate) fn check_questions(
        &mut self,
        id: &str,
        facts: &MessageFacts,
        text: &[u8],
        out: &mut Outbox,
    ) -> Option<Delivery> {
        // A word that is written with escapes matters only where something is denied.
        let words: [&[u8]; 2] = [b"input_required", b"-32042"];
        let may_ask = words.iter().any(|word| memmem::find(text, word).is_some());
        if self.rules.sampling && self.rules.elicitation && !may_ask {
            return None;
        }
        let methods = if facts.has_error { url_elicitation(text) } else { input_requests(text) };
        let Some(methods) = methods else {
            return Some(self.replaced_by_error(id, &Reason::Malformed, "", out));
        };
        for method in methods {
            match self.is_granted(&method) {
                None => {}
                Some(true) => Self::record_question(&method, out),
                Some(false) => {
                    let reason = Reason::NotGranted;
                    self.report(Decision::Denied, Subject::Message, reason, &method, out);
                    let line = self.not_granted(id, &method);
                    return Some(Delivery::Replace(line.into_bytes()));
                }
            }
        }
        None
    }

    pub(crate) fn not_granted(&self, id: &str, method: &str) -> String {
        words::refusal(id, &self.rules, &Reason::NotGranted, method, &words::not_granted(method))
    }

    /// A question to the model or the user goes its way, and is always recorded.
    pub(crate) fn record_question(method: &str, out: &mut Outbox) {
        let sentence = format!("the server asks for {method}");
        let (decision, subject) = (Decision::Asked, Subject::Message);
        let method = method.to_owned();
        out.events.push(Event { decision, subject, reason: None, method, sentence });
    }
}

/// The methods that a result asks for, in the era in which servers ask with results. None if
/// that cannot be read.
fn input_requests(text: &[u8]) -> Option<Vec<String>> {
    let limits = Limits { depth: 200, ..BATCH };
    let members = json::split_object(text, limits).ok()??;
    let result = members.iter().find(|member| member.name == "result")?.value;
    let Ok(Some(members)) = json::split_object(result.as_bytes(), limits) else {
        return if result.starts_with('{') { None } else { Some(Vec::new()) };
    };
    let is_meant = |name: &str| is_same_but_for_case(name, "inputrequests");
    let mut meant = members.iter().filter(|member| is_meant(&member.name));
    let Some(requests) = meant.next() else { return Some(Vec::new()) };
    if requests.name != "inputRequests" || meant.next().is_some() {
        return None;
    }
    let value = json::parse(requests.value.as_bytes(), json::Provenance::Captured, limits).ok()?;
    // Some readers walk through a list as through an object.
    let Value::Object(requests) = value else { return None };
    let has_duplicate = |members: &[json::Member<'_>]| {
        let is_method = |name: &str| name != "method" && is_same_but_for_case(name, "method");
        members.iter().any(|member| is_method(&member.name))
    };
    // One that does not say clearly what it asks for is not read at all.
    let method = |value: &Value<'_>| match value {
        Value::Object(request) => match request.get("method") {
            Some(Value::String(method)) if !has_duplicate(request.members()) => {
                Some(method.to_string())
            }
            _ => None,
        },
        _ => None,
    };
    requests.members().iter().map(|member| method(&member.value)).collect()
}

/// An error that says that the user has to visit an address first is a question to the user.
fn url_elicitation(text: &[u8]) -> Option<Vec<String>> {
    const VISIT: &str = "-32042";
    let members = json::split_object(text, BATCH).ok()??;
    let error = members.iter().find(|member| member.name == "error")?.value;
    // What cannot be read may be a question.
    let members = json::split_object(error.as_bytes(), BATCH).ok()?.unwrap_or_default();
    let mut codes = members.iter().filter(|member| is_same_but_for_case(&member.name, "code"));
    let asks = codes.any(|code| id_key(code.value) == VISIT);
    Some(if asks { vec!["elicitation/create".to_owned()] } else { Vec::new() })
}
