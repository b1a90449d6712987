//! How an address is spoken to.

/// What is spoken at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UrlKind {
    /// Streamable HTTP.
    Http,
    /// HTTP with server-sent events, the older transport.
    Sse,
}
