#![doc = include_str!("../README.md")]

mod client;
mod envelope;
mod event;
mod guard;
mod id;
mod limiter;
mod lines;
mod lists;
mod pins;
mod server;
mod standings;
mod suspects;
mod uri;
mod walk;
mod words;

pub use envelope::{Broken, Envelope, Facts, Shape};
pub use event::{Event, Happening, Subject, Why};
pub use guard::{Guard, OnDrift, Outbox, Rules};
pub use id::id_key;
pub use pins::Pins;
