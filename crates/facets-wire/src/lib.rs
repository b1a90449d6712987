#![doc = include_str!("../README.md")]

mod events;
mod header;
mod lines;
mod message;

pub use events::{Event, EventParser};
pub use header::Header;
pub use lines::{Line, LineFramer};
pub use message::{Incoming, MessageError, RpcError, parse_messages, request, respond};

/// A message is larger than allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a message of more than {limit} bytes")]
pub struct TooLong {
    /// What is allowed.
    pub limit: usize,
}
