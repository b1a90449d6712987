//! What the guard says to the client, in JSON-RPC and in plain words.

use facets_digest::json::quoted;

use crate::event::{Subject, Why};
use crate::guard::Rules;

/// The code of every refusal of the guard: one that no SDK takes for something else.
const REFUSED: i64 = -32010;
/// Enough of a name to recognise it.
const SHOWN: usize = 200;

fn shown(name: &str) -> String {
    let mut shown: String = name.chars().take(SHOWN).collect();
    if shown.len() < name.len() {
        shown.push('…');
    }
    format!("{shown:?}")
}

/// Subject and reason as one sentence. `lookalike` is the approved name that a new one
/// could be taken for.
pub(crate) fn sentence(subject: &Subject, why: &Why, lookalike: Option<&str>) -> String {
    let subject = match subject {
        Subject::Instructions => "the server's instructions".to_owned(),
        Subject::Message => "a message".to_owned(),
        Subject::Item(_, name) => format!("the {} {}", subject.word(), shown(name)),
    };
    let reason = match (why, lookalike) {
        (Why::New, Some(known)) => {
            format!("was never approved; it looks like the approved {}", shown(known))
        }
        (Why::New, None) => "was never approved".to_owned(),
        (Why::Changed(members), _) if members.is_empty() => "is not what was approved".to_owned(),
        (Why::Changed(members), _) => {
            format!("is not what was approved: other {}", members.join(", "))
        }
        (Why::Shadowed, _) => "is listed twice, as different things".to_owned(),
        (Why::Malformed, _) => "cannot be read reliably".to_owned(),
        (Why::NotListed, _) => "is approved, but this server does not list it".to_owned(),
        (Why::NotCovered, _) => {
            "is neither an approved resource nor covered by an approved template".to_owned()
        }
        (Why::Ambiguous, _) => "does not say clearly what it is about".to_owned(),
        (Why::Unverified, _) => {
            "cannot be compared with what was approved: the server does not list it".to_owned()
        }
        (Why::TooMany, _) => "has to wait: too many requests are unanswered".to_owned(),
        (Why::IdInUse, _) => "has the id of a request that is unanswered".to_owned(),
        (Why::TooLarge, _) => "is too large to be judged".to_owned(),
        (Why::Stray, _) => "answers what nobody asked".to_owned(),
        (Why::Noise, _) => "is no message of the protocol".to_owned(),
        (Why::NotGranted, _) => "asks for what is not granted to this server".to_owned(),
        (Why::ServerEnded, _) => "got no answer: the server ended".to_owned(),
    };
    format!("{subject} {reason}")
}

pub(crate) fn not_granted(method: &str) -> String {
    format!("{method} is not granted to this server")
}

/// What to type next.
pub(crate) fn next_step(rules: &Rules, why: &Why, method: &str) -> String {
    let server = &rules.server;
    let step = match why {
        Why::New | Why::Changed(_) | Why::Shadowed | Why::NotListed | Why::NotCovered => {
            format!("facet approve {server}")
        }
        Why::NotGranted if method.starts_with("sampling/") => {
            format!("facet grant {server} sampling=yes")
        }
        Why::NotGranted => format!("facet grant {server} elicitation=yes"),
        Why::Malformed | Why::Unverified => format!("facet check {server}"),
        _ => format!("facet logs {server}"),
    };
    match &rules.directory {
        Some(directory) => format!("{step} --directory {directory}"),
        None => step,
    }
}

/// An error as the answer to a request, with its line end.
pub(crate) fn refusal(id: &str, rules: &Rules, why: &Why, method: &str, sentence: &str) -> Vec<u8> {
    let next = next_step(rules, why, method);
    let message = quoted(&format!("facet: {sentence}. Next: {next}"));
    format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{{\"code\":{REFUSED},\"message\":{message},\
         \"data\":{{\"facet\":{{\"code\":\"{}\",\"server\":{},\"next\":{}}}}}}}}}\n",
        why.word(),
        quoted(&rules.server),
        quoted(&next),
    )
    .into_bytes()
}

/// A line for the client's log.
pub(crate) fn log_notification(text: &str) -> Vec<u8> {
    format!(
        "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{{\
         \"level\":\"warning\",\"logger\":\"facet\",\"data\":{}}}}}\n",
        quoted(text)
    )
    .into_bytes()
}
