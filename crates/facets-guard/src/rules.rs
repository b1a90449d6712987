//! What the guard goes by, beside the pins.

use core::time::Duration;

use crate::arguments::ArgumentCheck;

/// What happens when something is not what was approved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnDrift {
    /// It is withheld, and the rest goes on.
    #[default]
    Block,
    /// It is delivered, and said.
    Warn,
    /// The session ends.
    Stop,
}

/// What the guard goes by, beside the pins.
#[derive(Debug)]
pub struct Rules {
    /// The name of the server, for messages.
    pub server: String,
    /// Where it is pinned, for messages, if that is not where the client begins.
    pub directory: Option<String>,
    /// What happens when something is not what was approved.
    pub on_drift: OnDrift,
    /// Whether the server may ask the model.
    pub sampling: bool,
    /// Whether the server may ask the user.
    pub elicitation: bool,
    /// What begins the ids of the guard's own requests, so that they are nobody else's.
    pub nonce: String,
    /// What judges the arguments of calls; none if they may be any.
    pub arguments: Option<Box<dyn ArgumentCheck>>,
    /// Whether what goes its way is recorded, too.
    pub records_all: bool,
    /// How long a server may take for its first answer after it was started.
    pub first_answer: Duration,
}
