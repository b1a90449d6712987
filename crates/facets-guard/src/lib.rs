#![doc = include_str!("../README.md")]

mod client;
mod delivery;
mod event;
mod guard;
mod limiter;
mod limits;
mod listing;
mod lists;
mod open_line;
mod outbox;
mod parked;
mod pins;
mod questions;
mod requests;
mod rules;
mod server;
mod statuses;
mod stray_replies;
mod uri;
mod words;

pub use event::{Decision, Event, Reason, Subject};
pub use guard::Guard;
pub use outbox::Outbox;
pub use pins::Pins;
pub use rules::{OnDrift, Rules};
