//! Bodies of requests: with a deadline, a least rate and a limit.

use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use http::header::EXPECT;
use http::{HeaderMap, HeaderValue};
use http_body_util::BodyExt as _;
use tokio::time::{Instant, timeout_at};

use super::refusal::Refusal;
use crate::config::ConnectionSettings;

/// A body may always take this long.
const GRACE: Duration = Duration::from_secs(20);
/// What is still read of a request that is refused, so that its sender sees why.
const DRAINED: usize = 16 << 20;
const DRAIN_TIME: Duration = Duration::from_secs(3);

/// A body that is being read.
pub(crate) struct IncomingBody {
    body: Body,
    started: Instant,
    received: u64,
    settings: ConnectionSettings,
    wait: SenderWait,
}

/// Whether the sender of a body asks first whether it may send it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SenderWait {
    None,
    /// `Expect: 100-continue`: the first byte that is read tells it to go on.
    ForContinue,
}

impl IncomingBody {
    pub(crate) fn new(body: Body, settings: ConnectionSettings) -> Self {
        Self { body, started: Instant::now(), received: 0, settings, wait: SenderWait::None }
    }

    /// The same body, of a request with these headers.
    pub(crate) fn announced_by(self, headers: &HeaderMap) -> Self {
        let expected = headers.get(EXPECT).map(HeaderValue::as_bytes);
        let is_asked = expected.is_some_and(|text| text.eq_ignore_ascii_case(b"100-continue"));
        let wait = if is_asked { SenderWait::ForContinue } else { SenderWait::None };
        Self { wait, ..self }
    }

    /// Bytes that came so far.
    pub(crate) fn received(&self) -> u64 {
        self.received
    }

    /// The next bytes; none at the end.
    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>, Refusal> {
        loop {
            self.wait = SenderWait::None;
            let frame = timeout_at(self.deadline(), self.body.frame()).await;
            let frame = frame.map_err(|_| Refusal::timeout())?;
            let Some(frame) = frame else { return Ok(None) };
            let frame = frame.map_err(|error| interrupted(&error))?;
            // Trailers say nothing here.
            if let Ok(bytes) = frame.into_data() {
                self.received += bytes.len() as u64;
                return Ok(Some(bytes));
            }
        }
    }

    /// Until when more has to come: every byte that came earns time, up to a limit.
    fn deadline(&self) -> Instant {
        let earned = self.received / self.settings.body_rate.max(1);
        let allowed = GRACE + Duration::from_secs(earned);
        self.started + allowed.min(self.settings.body_timeout)
    }

    /// All of a small body.
    pub(crate) async fn read_all(mut self, most: usize) -> Result<Vec<u8>, Refusal> {
        let mut all = Vec::new();
        while let Some(bytes) = self.next().await? {
            if all.len() + bytes.len() > most {
                self.drain().await;
                return Err(Refusal::too_large(most));
            }
            all.extend_from_slice(&bytes);
        }
        Ok(all)
    }

    /// Reads what is left, up to a limit: an answer to a sender that is still sending is often lost.
    /// One who waits for the word to send has sent nothing, and sees the refusal in its place.
    pub(crate) async fn drain(mut self) {
        if self.wait == SenderWait::ForContinue {
            return;
        }
        let until = Instant::now() + DRAIN_TIME;
        let mut left = DRAINED;
        while left > 0 {
            match timeout_at(until, self.body.frame()).await {
                Ok(Some(Ok(frame))) => {
                    let bytes = frame.data_ref().map_or(0, Bytes::len);
                    left = left.saturating_sub(bytes);
                }
                _ => return,
            }
        }
    }
}

/// The connection broke, or the framing of the body is wrong.
fn interrupted(error: &axum::Error) -> Refusal {
    let fix = "send the whole body, in chunks or with its `Content-Length`";
    Refusal::bad_request(format!("the body did not come to its end: {error}"), fix).and_close()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(body_rate: u64, body_timeout: u64) -> ConnectionSettings {
        ConnectionSettings {
            most: 1,
            per_address: 1,
            header_timeout: Duration::from_secs(1),
            idle_timeout: Duration::from_secs(1),
            body_timeout: Duration::from_secs(body_timeout),
            body_rate,
        }
    }

    #[test]
    fn every_byte_earns_time_up_to_a_limit() {
        let allowed = |received, rate, most| {
            let mut body = IncomingBody::new(Body::empty(), settings(rate, most));
            body.received = received;
            body.deadline() - body.started
        };
        assert_eq!(allowed(0, 1000, 600), GRACE);
        assert_eq!(allowed(5000, 1000, 600), GRACE + Duration::from_secs(5));
        assert_eq!(allowed(u64::MAX, 1000, 600), Duration::from_mins(10));
        assert_eq!(allowed(0, 1000, 5), Duration::from_secs(5));
    }

    #[test]
    fn a_small_body_is_read_and_a_larger_one_refused() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let read = |text: &'static str, most| {
            let body = IncomingBody::new(Body::from(text), settings(1, 60));
            runtime.block_on(body.read_all(most)).map_err(|refusal| refusal.status())
        };
        assert_eq!(read("abc", 3), Ok(b"abc".to_vec()));
        assert_eq!(read("abcd", 3), Err(413));
        assert_eq!(read("", 0), Ok(Vec::new()));
    }
}
