//! What becomes of a message of the server.

/// What becomes of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Delivery {
    Pass,
    Drop,
    /// This instead, without a line end.
    Replace(Vec<u8>),
}
