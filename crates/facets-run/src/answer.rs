//! When nothing can be started: whoever asks first is told why.

use std::time::{Duration, Instant};

use facets_digest::json::write_string;
use facets_guard::Envelope;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::pipe::ClientEnds;

/// How long a client is waited for that says nothing.
const PATIENCE: Duration = Duration::from_secs(2);
/// A first request is small.
const MOST_BYTES: usize = 1 << 20;

/// Answers the client's first request with an error, if one comes soon.
pub fn answer_with_error(client: &ClientEnds, reason: &str) {
    let begin = Instant::now();
    let mut heard = Vec::new();
    let mut buffer = [0; 16 << 10];
    while heard.len() < MOST_BYTES {
        let left = PATIENCE.saturating_sub(begin.elapsed());
        let Ok(timeout) = Timespec::try_from(left) else { return };
        let mut polled = [PollFd::new(&client.input, PollFlags::IN)];
        if !matches!(poll(&mut polled, Some(&timeout)), Ok(1..)) {
            return;
        }
        match rustix::io::read(&client.input, &mut buffer) {
            Ok(count @ 1..) => heard.extend_from_slice(&buffer[..count]),
            _ => return,
        }
        for line in heard.split_inclusive(|byte| *byte == b'\n') {
            let facts = Envelope::read(line.trim_ascii());
            let id = facts.ok().filter(|facts| facts.method.is_some()).and_then(|facts| facts.id);
            if let Some(id) = id {
                let _ = rustix::io::write(&client.output, error_line(&id, reason).as_bytes());
                return;
            }
        }
    }
}

fn error_line(id: &str, reason: &str) -> String {
    let mut text = Vec::new();
    write_string(&format!("facet: {reason}"), &mut text);
    let text = String::from_utf8_lossy(&text);
    format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{{\"code\":-32001,\"message\":{text}}}}}\n"
    )
}
