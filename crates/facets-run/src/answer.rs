//! When nothing can be started: whoever asks is told why.

use std::time::{Duration, Instant};

use facets_wire::{Envelope, error_reply};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::pipe::ClientEnds;

/// How long a client is waited for that says nothing.
const PATIENCE: Duration = Duration::from_secs(2);
/// And how long in all: some ask again in another way, and give up in their own time.
const IN_ALL: Duration = Duration::from_secs(20);
/// First requests are small.
const MAX_BYTES: usize = 1 << 20;

/// Why nothing was started, in the words for each reader.
#[derive(Clone, Debug)]
pub struct StartRefusal {
    /// For the answer to `initialize` or `server/discover`, which clients show to people.
    pub to_opening: String,
    /// For all other answers, which a model may read.
    pub to_others: String,
}

impl StartRefusal {
    fn reply_to(&self, method: &str) -> &str {
        if matches!(method, "initialize" | "server/discover") {
            &self.to_opening
        } else {
            &self.to_others
        }
    }
}

/// Answers the client's requests with an error, until it leaves or says no more.
pub fn answer_with_error(client: &ClientEnds, refusal: &StartRefusal) {
    let begin = Instant::now();
    let mut heard: Vec<u8> = Vec::new();
    let mut buffer = [0; 16 << 10];
    while heard.len() < MAX_BYTES {
        let left = PATIENCE.min(IN_ALL.saturating_sub(begin.elapsed()));
        let Ok(timeout) = Timespec::try_from(left) else { return };
        let mut polled = [PollFd::new(&client.input, PollFlags::IN)];
        if !matches!(poll(&mut polled, Some(&timeout)), Ok(1..)) {
            return;
        }
        match rustix::io::read(&client.input, &mut buffer) {
            Ok(count @ 1..) => heard.extend_from_slice(&buffer[..count]),
            _ => return,
        }
        while let Some(end) = heard.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = heard.drain(..=end).collect();
            let facts = Envelope::read(line.trim_ascii()).ok();
            let request = facts.and_then(|facts| facts.method.zip(facts.id));
            if let Some((method, id)) = request {
                let line = error_line(&id, refusal.reply_to(&method));
                let _ = rustix::io::write(&client.output, line.as_bytes());
            }
        }
    }
}

fn error_line(id: &str, reason: &str) -> String {
    error_reply(id, -32010, &format!("facet: {reason}"), "") + "\n"
}
