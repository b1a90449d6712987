//! Why a request failed, and whether another may succeed.

use std::io;
use std::time::{Duration, SystemTime};

use facets_http::RefusedAddress;
use ureq::Body;
use ureq::http::Response;
use url::Url;

use crate::address::{host, shown};
use crate::client::{CONNECT, Failed, HttpClient, header};
use crate::error::FetchError;
use crate::pace::Pace;
use crate::server_problem::{ServerProblem, TimeLimit};

impl HttpClient {
    /// The time is over, for this file or for everything.
    pub(crate) fn too_late(&self, url: &Url) -> FetchError {
        let limit = if self.clock.is_over(&self.limits) {
            TimeLimit::Everything(self.limits.total_time)
        } else {
            TimeLimit::File(self.limits.time)
        };
        FetchError::TooSlow { what: shown(url), limit }
    }

    /// The time is over, or too few bytes came.
    pub(crate) fn too_slow(&self, url: &Url, pace: &Pace) -> FetchError {
        if pace.is_over() {
            return self.too_late(url);
        }
        FetchError::TooSlow { what: shown(url), limit: TimeLimit::Rate(self.limits.rate) }
    }

    /// What a status means that is no success.
    pub(crate) fn refused(&self, url: &Url, status: u16, response: &Response<Body>) -> Failed {
        let host = host(url);
        match status {
            401 | 403 => FetchError::Unauthorized { host, status }.into(),
            404 | 410 => FetchError::NotFound { what: shown(url), host }.into(),
            429 | 500 | 502..=504 => {
                let wanted = retry_after(header(response, "retry-after"), SystemTime::now());
                let wait = wanted.filter(|wanted| *wanted > self.limits.patience);
                Failed::Retryable(ServerProblem::Busy { host, status, wait }.into(), wanted)
            }
            _ => FetchError::Status { url: shown(url), status }.into(),
        }
    }

    /// Why a request got no answer.
    pub(crate) fn failed(&self, url: &Url, error: ureq::Error) -> Failed {
        let host = self.host_and_proxy(url);
        match error {
            ureq::Error::Io(error) => self.broken(url, &error),
            ureq::Error::Timeout(timeout) => self.timed_out(url, timeout),
            ureq::Error::HostNotFound => {
                let reason = "its name cannot be resolved".to_owned();
                Failed::retryable(ServerProblem::NoConnection { host, reason })
            }
            // Nothing was sent, and nothing can be the next time.
            ureq::Error::Http(_) | ureq::Error::BadUri(_) => {
                let problem = "the address or the credentials cannot be sent".to_owned();
                FetchError::Config { place: host, problem }.into()
            }
            ureq::Error::Rustls(error) => {
                FetchError::Certificate { host, reason: error.to_string() }.into()
            }
            ureq::Error::Tls(reason) => {
                FetchError::Certificate { host, reason: reason.to_owned() }.into()
            }
            ureq::Error::Protocol(error) => {
                let reason = error.to_string();
                Failed::retryable(ServerProblem::InvalidAnswer { host, reason })
            }
            other @ ureq::Error::LargeResponseHeader(..) => {
                let reason = other.to_string();
                Failed::retryable(ServerProblem::InvalidAnswer { host, reason })
            }
            other => {
                let reason = other.to_string();
                Failed::retryable(ServerProblem::NoConnection { host, reason })
            }
        }
    }

    /// Which of the limits of a request is over.
    fn timed_out(&self, url: &Url, timeout: ureq::Timeout) -> Failed {
        let host = self.host_and_proxy(url);
        match timeout {
            ureq::Timeout::Global => self.too_late(url).into(),
            ureq::Timeout::Resolve | ureq::Timeout::Connect => {
                let reason = format!("no connection within {} s", CONNECT.as_secs());
                Failed::retryable(ServerProblem::NoConnection { host, reason })
            }
            _ => Failed::retryable(ServerProblem::Silent { host, waited: self.limits.read }),
        }
    }

    /// Why a connection broke, or never was.
    pub(crate) fn broken(&self, url: &Url, error: &io::Error) -> Failed {
        let inner = error.get_ref();
        if let Some(RefusedAddress(problem)) = inner.and_then(|inner| inner.downcast_ref()) {
            let (url, problem) = (shown(url), problem.clone());
            return FetchError::AddressRefused { url, problem }.into();
        }
        let (host, reason) = (self.host_and_proxy(url), error.to_string());
        match inner.and_then(|inner| inner.downcast_ref::<ureq::Error>()) {
            Some(ureq::Error::Timeout(timeout)) => return self.timed_out(url, *timeout),
            Some(ureq::Error::Io(inner)) => return self.broken(url, inner),
            Some(ureq::Error::Protocol(error)) => {
                let reason = error.to_string();
                return Failed::retryable(ServerProblem::InvalidAnswer { host, reason });
            }
            _ => {}
        }
        // What the library for TLS says is in the text alone.
        if reason.contains("certificate") || reason.contains("UnknownIssuer") {
            return FetchError::Certificate { host, reason }.into();
        }
        Failed::retryable(match error.kind() {
            io::ErrorKind::UnexpectedEof
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::BrokenPipe => ServerProblem::Broken { host, reason },
            _ => ServerProblem::NoConnection { host, reason },
        })
    }
}

/// Seconds, or a date.
fn retry_after(text: &str, now: SystemTime) -> Option<Duration> {
    if let Ok(seconds) = text.trim().parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let date = httpdate::parse_http_date(text.trim()).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_may_say_when_in_seconds_or_as_a_date() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        assert_eq!(retry_after("7", now), Some(Duration::from_secs(7)));
        let date = "Sun, 09 Sep 2001 01:46:50 GMT";
        assert_eq!(retry_after(date, now), Some(Duration::from_secs(10)));
        let past = "Sun, 09 Sep 2001 01:46:30 GMT";
        assert_eq!(retry_after(past, now), Some(Duration::ZERO));
        assert_eq!(retry_after("soon", now), None);
        assert_eq!(retry_after("-1", now), None);
    }
}
