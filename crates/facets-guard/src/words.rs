//! What the guard says to the client, in JSON-RPC and in plain words.

use core::time::Duration;

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
    if let (Subject::Item(_, name), Reason::Unknown) = (subject, reason) {
        return no_approved(subject.word(), name, lookalike);
    }
    let subject = match subject {
        Subject::Instructions => "the server's instructions".to_owned(),
        Subject::ServerInfo => "the server's `serverInfo`".to_owned(),
        Subject::Capabilities => "the server's capabilities".to_owned(),
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
        (Reason::New | Reason::Unknown, _) => "was never approved".to_owned(),
        (Reason::Changed(members), _) if members.is_empty() => {
            "changed since it was approved".to_owned()
        }
        (Reason::Changed(members), _) => {
            format!("changed since it was approved: {}", members.join(", "))
        }
        (Reason::Shadowed, _) => "is listed twice with different definitions".to_owned(),
        (Reason::Malformed, _) => "cannot be parsed reliably".to_owned(),
        (Reason::NotListed, _) => "is approved, but this server does not list it".to_owned(),
        (Reason::NotCovered, _) => {
            "is neither an approved resource nor covered by an approved template".to_owned()
        }
        (Reason::Ambiguous, _) => "does not name its subject clearly".to_owned(),
        (Reason::Unverified, _) => {
            "cannot be compared with the approved one: the server did not list it".to_owned()
        }
        (Reason::TooMany, _) => "has to wait: too many requests are unanswered".to_owned(),
        (Reason::IdInUse, _) => "has the id of a request that is unanswered".to_owned(),
        (Reason::TooLarge, _) => "is too large to be checked".to_owned(),
        (Reason::Stray, _) => "is an unsolicited reply".to_owned(),
        (Reason::Noise, _) => "is not an MCP message".to_owned(),
        (Reason::NotGranted, _) => {
            "asks for something that is not granted to this server".to_owned()
        }
        (Reason::ServerEnded, _) => "got no answer: the server ended".to_owned(),
        (Reason::Imitates, _) => "imitates a message of facet".to_owned(),
        (Reason::Arguments(why), _) => {
            format!("was called with arguments that its approved schema rejects: {why}")
        }
    };
    format!("{subject} {reason}")
}

/// A name that was asked for, and that nothing approved has.
fn no_approved(kind: &str, name: &str, lookalike: Option<&str>) -> String {
    let name = shown_unapproved(name);
    let known = lookalike.map(|known| format!("; it looks like the approved {}", shown(known)));
    format!("the server has no approved {kind} {name}{}", known.unwrap_or_default())
}

pub(crate) fn not_granted(method: &str) -> String {
    format!("{method} is not granted to this server")
}

/// That a server has answered nothing since it was asked this. The client chose the name.
pub(crate) fn no_answer_yet(method: &str, waited: Duration) -> String {
    let method: String = method.chars().take(SHOWN).flat_map(char::escape_debug).collect();
    format!("the server has not answered {method} for {} s", waited.as_secs())
}

/// What a person types next. Never part of what a model reads (spec 11.2).
pub(crate) fn next_step(rules: &Rules, reason: &Reason, method: &str) -> String {
    let server = &rules.server;
    let step = match reason {
        Reason::New
        | Reason::Unknown
        | Reason::Changed(_)
        | Reason::Shadowed
        | Reason::NotListed
        | Reason::NotCovered => {
            format!("facet check {server}")
        }
        Reason::NotGranted if method.starts_with("sampling/") => {
            format!("facet grant {server} sampling=yes")
        }
        Reason::NotGranted => format!("facet grant {server} elicitation=yes"),
        // What the approved schema accepts. To accept more is no answer to a wrong call.
        Reason::Arguments(_) => format!("facet show {server}"),
        Reason::Malformed | Reason::Unverified => format!("facet check {server}"),
        _ => format!("facet logs {server}"),
    };
    in_directory(rules, step)
}

/// What a person types to look at the server, before deciding.
pub(crate) fn look_step(rules: &Rules) -> String {
    in_directory(rules, format!("facet check {}", rules.server))
}

/// The same command for a server that is pinned elsewhere than its clients begin.
fn in_directory(rules: &Rules, step: String) -> String {
    match &rules.directory {
        Some(directory) => format!("{step} --directory {directory}"),
        None => step,
    }
}

/// An error as the reply to a request. A model reads it, so it has no command that a model could run.
pub(crate) fn refusal(id: &str, rules: &Rules, reason: &Reason, sentence: &str) -> String {
    let data = format!(
        "{{\"facet\":{{\"code\":\"{}\",\"server\":{}}}}}",
        reason.word(),
        quoted(&rules.server),
    );
    let next = next_for_model(reason);
    error_reply(id, REFUSED, &format!("facet: {sentence}{next}"), &data)
}

/// What the model has to know: about a decision that it cannot make, or about what it can do itself.
const fn next_for_model(reason: &Reason) -> &'static str {
    match reason {
        Reason::New | Reason::Changed(_) | Reason::Shadowed => {
            ". It is withheld until a person decides"
        }
        Reason::NotListed | Reason::NotCovered | Reason::NotGranted | Reason::Unverified => {
            ". A person has to decide"
        }
        // The model made the call, and can make a better one.
        Reason::Arguments(_) => ". Correct the arguments and call it again",
        _ => "",
    }
}

/// A message for the client's log.
pub(crate) fn log_notification(text: &str) -> String {
    let params =
        format!("{{\"level\":\"warning\",\"logger\":\"facet\",\"data\":{}}}", quoted(text));
    notification("notifications/message", &params)
}
