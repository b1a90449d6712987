#![doc = include_str!("../README.md")]

mod capture;
mod error;
mod http;
mod post;
mod session;
mod stdio;

pub use capture::{Capture, CaptureOptions, Conduct, EraChoice, capture};
pub use error::{CaptureError, TransportError};
pub use http::HttpTransport;
pub use post::{PostReply, Poster, RequestHeaders};
pub use stdio::StdioTransport;

use std::time::{Duration, Instant};

/// What a capture may cost (spec 5.7).
#[derive(Clone, Copy, Debug)]
pub struct CaptureLimits {
    /// How long one answer may take.
    pub answer: Duration,
    /// How long everything together may take.
    pub total: Duration,
    /// When everything has to be done, if that is sooner: several captures may share one deadline.
    pub until: Option<Instant>,
    /// Bytes of one message.
    pub message: usize,
    /// Bytes of all messages.
    pub bytes: usize,
    /// Pages of one list.
    pub pages: usize,
    /// Items of one list.
    pub items: usize,
}

impl Default for CaptureLimits {
    fn default() -> Self {
        Self {
            answer: Duration::from_secs(30),
            total: Duration::from_mins(2),
            until: None,
            message: 16 << 20,
            bytes: 64 << 20,
            pages: 1000,
            items: 10_000,
        }
    }
}

/// A way to a server: whole messages out, whole messages in.
pub trait Transport {
    /// Sends one message, before the deadline. `method` is that of a request, which HTTP
    /// names in a header.
    fn send(
        &mut self,
        message: &str,
        method: Option<&str>,
        deadline: Instant,
    ) -> Result<(), TransportError>;

    /// The next message, if it comes before the deadline.
    fn receive(&mut self, deadline: Instant) -> Result<Vec<u8>, TransportError>;

    /// Called once the revision of the protocol is known.
    fn agreed(&mut self, revision: &str);

    /// Lines that were no messages, as the server printed them.
    fn noise(&self) -> &[String];
}

/// What the codes of this crate mean.
pub const EXPLANATIONS: &str = include_str!("../codes.md");
