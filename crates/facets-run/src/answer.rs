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

/// Answers the client's requests with an error, until it leaves or says no more.
pub fn answer_with_error(client: &ClientEnds, reason: &str) {
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
            let id = facts.filter(|facts| facts.method.is_some()).and_then(|facts| facts.id);
            if let Some(id) = id {
                let _ = rustix::io::write(&client.output, error_line(&id, reason).as_bytes());
            }
        }
    }
}

fn error_line(id: &str, reason: &str) -> String {
    error_reply(id, -32010, &format!("facet: {reason}"), "") + "\n"
}
