//! What comes out of the guard.

use crate::event::Event;

/// What came of it.
#[derive(Debug, Default)]
pub struct Outbox {
    /// To be written to the client.
    pub to_client: Vec<u8>,
    /// To be written to the server.
    pub to_server: Vec<u8>,
    /// To be recorded.
    pub events: Vec<Event>,
    /// The session is to end, for this reason.
    pub stop: Option<String>,
}
