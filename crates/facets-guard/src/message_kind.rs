//! What a message of the server is.

use facets_wire::MessageFacts;

/// What a message is, by the members that it has.
pub(crate) enum MessageKind<'f> {
    Request(&'f str, &'f str),
    Notification(&'f str),
    Reply(&'f str),
    /// Several of them at once, or half of one.
    Contradictory,
    /// Nothing of the protocol.
    None,
}

pub(crate) fn kind_of(facts: &MessageFacts) -> MessageKind<'_> {
    let has_answer = facts.has_result || facts.has_error || facts.has_null_error;
    match (&facts.method, &facts.id) {
        (Some(_), _) if has_answer => MessageKind::Contradictory,
        // A client may look into an id that is not a text or a number.
        (Some(_), Some(id)) if id.starts_with(['{', '[']) => MessageKind::Contradictory,
        (Some(method), Some(id)) => MessageKind::Request(method, id),
        (Some(method), None) => MessageKind::Notification(method),
        (None, Some(id)) if facts.has_result != facts.has_error => MessageKind::Reply(id),
        // A result that is nothing, beside an error, is none.
        (None, Some(id)) if facts.has_error && facts.has_null_result => MessageKind::Reply(id),
        (None, Some(_)) => MessageKind::Contradictory,
        (None, None) => MessageKind::None,
    }
}
