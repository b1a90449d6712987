//! A message is larger than allowed.

/// A message is larger than allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a message of more than {limit} bytes")]
pub struct TooLong {
    /// What is allowed.
    pub limit: usize,
}
