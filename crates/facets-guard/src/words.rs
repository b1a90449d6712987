//! What the guard says to the client, in JSON-RPC and in plain words.

use facets_digest::json::quoted;
use facets_markers::is_hidden;

use facets_wire::{error_reply, notification};

use crate::event::{Reason, Subject};
use crate::rules::Rules;

/// The code of every refusal of the guard: one that no SDK takes for something else.
pub(crate) const REFUSED: i64 = -32010;
/// Enough of a name to recognise it.
const SHOWN: usize = 200;

/// A name that was never approved: no more of it than is no sentence.
fn shown_unapproved(name: &str) -> String {
    let is_end = |letter: char| letter.is_whitespace() || is_hidden(letter);
    match name.split_once(is_end) {
        Some((start, _)) => shown(&format!("{start}…")),
        None => shown(name),
    }
}

fn shown(name: &str) -> String {
    let mut shown: String = name.chars().take(SHOWN).collect();
    if shown.len() < name.len() {
        shown.push('…');
    }
    format!("{shown:?}")
}

/// Subject and reason as one sentence. `lookalike` is the approved name that a new one
/// could be taken for.
pub(crate) fn sentence(subject: &Subject, reason: &Reason, lookalike: Option<&str>) -> String {
    let subject = match subject {
        Subject::Instructions => "the server's instructions".to_owned(),
        Subject::ServerInfo => "the server's information about itself".to_owned(),
        Subject::Capabilities => "what the server announces as its capabilities".to_owned(),
        Subject::Message => "a message".to_owned(),
        Subject::Item(_, name) => {
            let is_approved = matches!(
                reason,
                Reason::Changed(_) | Reason::Arguments(_) | Reason::NotListed | Reason::Unverified
            );
            let name = if is_approved { shown(name) } else { shown_unapproved(name) };
            format!("the {} {name}", subject.word())
        }
    };
    let reason = match (reason, lookalike) {
        (Reason::New, Some(known)) => {
            format!("was never approved; it looks like the approved {}", shown(known))
        }
        (Reason::New, None) => "was never approved".to_owned(),
        (Reason::Changed(members), _) if members.is_empty() => {
            "is not what was approved".to_owned()
        }
        (Reason::Changed(members), _) => {
            format!("is not what was approved: other {}", members.join(", "))
        }
        (Reason::Shadowed, _) => "is listed twice, as different things".to_owned(),
        (Reason::Malformed, _) => "cannot be read reliably".to_owned(),
        (Reason::NotListed, _) => "is approved, but this server does not list it".to_owned(),
        (Reason::NotCovered, _) => {
            "is neither an approved resource nor covered by an approved template".to_owned()
        }
        (Reason::Ambiguous, _) => "does not say clearly what it is about".to_owned(),
        (Reason::Unverified, _) => {
            "cannot be compared with what was approved: the server does not list it".to_owned()
        }
        (Reason::TooMany, _) => "has to wait: too many requests are unanswered".to_owned(),
        (Reason::IdInUse, _) => "has the id of a request that is unanswered".to_owned(),
        (Reason::TooLarge, _) => "is too large to be judged".to_owned(),
        (Reason::Stray, _) => "answers what nobody asked".to_owned(),
        (Reason::Noise, _) => "is no message of the protocol".to_owned(),
        (Reason::NotGranted, _) => "asks for what is not granted to this server".to_owned(),
        (Reason::ServerEnded, _) => "got no answer: the server ended".to_owned(),
        (Reason::Imitates, _) => "imitates what facet itself says".to_owned(),
        (Reason::Arguments(why), _) => {
            format!("was called with arguments that its approved schema refuses: {why}")
        }
    };
    format!("{subject} {reason}")
}

pub(crate) fn not_granted(method: &str) -> String {
    format!("{method} is not granted to this server")
}

/// What to type next.
pub(crate) fn next_step(rules: &Rules, reason: &Reason, method: &str) -> String {
    let server = &rules.server;
    let step = match reason {
        Reason::New
        | Reason::Changed(_)
        | Reason::Shadowed
        | Reason::NotListed
        | Reason::NotCovered => {
            format!("facet approve {server}")
        }
        Reason::NotGranted if method.starts_with("sampling/") => {
            format!("facet grant {server} sampling=yes")
        }
        Reason::NotGranted => format!("facet grant {server} elicitation=yes"),
        Reason::Arguments(_) => format!("facet grant {server} arguments=any"),
        Reason::Malformed | Reason::Unverified => format!("facet check {server}"),
        _ => format!("facet logs {server}"),
    };
    match &rules.directory {
        Some(directory) => format!("{step} --directory {directory}"),
        None => step,
    }
}

/// An error as the reply to a request.
pub(crate) fn refusal(
    id: &str,
    rules: &Rules,
    reason: &Reason,
    method: &str,
    sentence: &str,
) -> String {
    let next = next_step(rules, reason, method);
    let data = format!(
        "{{\"facet\":{{\"code\":\"{}\",\"server\":{},\"next\":{}}}}}",
        reason.word(),
        quoted(&rules.server),
        quoted(&next),
    );
    error_reply(id, REFUSED, &format!("facet: {sentence}. Next: {next}"), &data)
}

/// A message for the client's log.
pub(crate) fn log_notification(text: &str) -> String {
    let params =
        format!("{{\"level\":\"warning\",\"logger\":\"facet\",\"data\":{}}}", quoted(text));
    notification("notifications/message", &params)
}
