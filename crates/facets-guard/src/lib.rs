#![doc = include_str!("../README.md")]

mod address;
mod arguments;
mod client;
mod delivery;
mod errors;
mod event;
mod guard;
mod imitation;
mod limiter;
mod limits;
mod listing;
mod lists;
mod logs;
mod members;
mod message_kind;
mod methods;
mod open_line;
mod openings;
mod outbox;
mod parked;
mod pinned_openings;
mod pins;
mod questions;
mod requests;
mod rules;
mod server;
mod statuses;
mod stray_replies;
mod uri;
mod words;

pub use arguments::ArgumentCheck;
pub use event::{Decision, Event, Reason, Subject};
pub use guard::Guard;
pub use outbox::Outbox;
pub use pins::Pins;
pub use rules::{OnDrift, Rules};
