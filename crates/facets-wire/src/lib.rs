#![doc = include_str!("../README.md")]

mod envelope;
mod events;
mod header;
mod id;
mod lines;
mod members;
mod message;
mod too_long;
mod write;

pub use envelope::{
    Envelope, EnvelopeError, MessageFacts, MessageShape, PROTOTYPE, Questions, is_mistaken_for,
    is_same_but_for_case,
};
pub use events::{EventParser, ServerSentEvent};
pub use header::Header;
pub use id::id_key;
pub use lines::{
    Line, LineFramer, keep_on_one_line, push_line, trim_json_space, without_lone_surrogates,
};
pub use members::{member, member_at, object_of, params_of, with_member};
pub use message::{Incoming, MessageError, RpcError, parse_messages};
pub use too_long::TooLong;
pub use write::{error_reply, notification, request, result_reply};
