//! Requests that wait for a reply: the client's, and the guard's own.

use facets_surface::Kind;

/// What a request of the client was, while it waits for its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AwaitedReply {
    /// Something whose answer is the client's own business.
    Plain,
    /// A list, whose items are compared.
    List(Kind),
    /// The opening, which may bring instructions.
    Opening,
}

/// What one of the guard's own requests was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GuardRequest {
    /// A page of a list.
    List(Kind),
    /// Whether it is there.
    Ping,
    /// The client's opening, repeated to a server that was started again.
    Opening,
}
