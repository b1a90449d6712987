//! Why a request failed, and whether another may succeed.

use std::io;
use std::time::{Duration, SystemTime};

use facets_http::RefusedAddress;
use ureq::Body;
use ureq::http::Response;
use url::Url;

use crate::address::{host, shown};
use crate::certificate_problem::certificate_problem;
use crate::error::RegistryClientError;
use crate::failed_attempt::{FailedAttempt, retryable};
use crate::problem::RegistryProblem;
use crate::transport::{RegistryTransport, header};

impl RegistryTransport {
    /// What a status means that is no success.
    pub(crate) fn refused(
        &self,
        url: &Url,
        status: u16,
        response: Response<Body>,
    ) -> FailedAttempt {
        let wanted = retry_after(header(&response, "retry-after"), SystemTime::now());
        let body = self.problem_body(url, response);
        let problem = RegistryProblem::parse(url, status, &body);
        let problem = RegistryProblem { retry_after: wanted, ..problem };
        let error = RegistryClientError::Refused(Box::new(problem));
        match status {
            429 | 500 | 502..=504 => FailedAttempt::Retryable(error, wanted),
            _ => FailedAttempt::Final(error),
        }
    }

    /// Why a change got no answer.
    pub(crate) fn unchanged(&self, url: &Url, error: ureq::Error) -> FailedAttempt {
        self.failed(url, error, self.limits.decision)
    }

    /// Why a request got no answer, whose next bytes were waited for so long.
    pub(crate) fn failed(&self, url: &Url, error: ureq::Error, wait: Duration) -> FailedAttempt {
        let host = host(url);
        match error {
            ureq::Error::Io(error) => self.broken(url, &error, wait),
            ureq::Error::Timeout(timeout) => self.timed_out(url, timeout, wait),
            ureq::Error::HostNotFound => {
                let reason = "its name cannot be resolved".to_owned();
                retryable(RegistryClientError::Unreachable { host, reason })
            }
            // Nothing was sent, and nothing can be the next time.
            ureq::Error::Http(_) | ureq::Error::BadUri(_) => {
                let problem = "the address or the token cannot be sent".to_owned();
                RegistryClientError::Config { place: host, problem }.into()
            }
            ureq::Error::Rustls(error) => {
                let reason = certificate_problem(&error.to_string());
                RegistryClientError::Certificate { host, reason }.into()
            }
            ureq::Error::Tls(reason) => {
                RegistryClientError::Certificate { host, reason: reason.to_owned() }.into()
            }
            ureq::Error::Protocol(error) => retryable(not_http(url, &error.to_string())),
            other @ ureq::Error::LargeResponseHeader(..) => {
                retryable(not_http(url, &other.to_string()))
            }
            other => {
                let reason = other.to_string();
                retryable(RegistryClientError::Unreachable { host, reason })
            }
        }
    }

    /// Which of the limits of a request is over.
    fn timed_out(&self, url: &Url, timeout: ureq::Timeout, wait: Duration) -> FailedAttempt {
        let (host, asked) = (host(url), shown(url));
        match timeout {
            ureq::Timeout::Global => {
                RegistryClientError::TooSlow { url: asked, limit: self.limits.time }.into()
            }
            ureq::Timeout::Resolve | ureq::Timeout::Connect => {
                let waited = self.limits.connect;
                FailedAttempt::Silent(RegistryClientError::NoConnection { host, asked, waited })
            }
            _ => FailedAttempt::Silent(RegistryClientError::Silent { host, asked, waited: wait }),
        }
    }

    /// Why a connection broke, or never was.
    pub(crate) fn broken(&self, url: &Url, error: &io::Error, wait: Duration) -> FailedAttempt {
        let (host, reason) = (host(url), error.to_string());
        let inner = error.get_ref();
        if inner.and_then(|inner| inner.downcast_ref::<RefusedAddress>()).is_some() {
            let (url, location) = (shown(url), reason);
            let problem = "a registry may not lead there";
            return RegistryClientError::Redirect { url, location, problem }.into();
        }
        match inner.and_then(|inner| inner.downcast_ref::<ureq::Error>()) {
            Some(ureq::Error::Timeout(timeout)) => return self.timed_out(url, *timeout, wait),
            Some(ureq::Error::Io(inner)) => return self.broken(url, inner, wait),
            Some(ureq::Error::Protocol(error)) => {
                return retryable(not_http(url, &error.to_string()));
            }
            _ => {}
        }
        // What the library for TLS says is in the text alone.
        if reason.contains("certificate") || reason.contains("UnknownIssuer") {
            let reason = certificate_problem(&reason);
            return RegistryClientError::Certificate { host, reason }.into();
        }
        retryable(match error.kind() {
            io::ErrorKind::UnexpectedEof
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::BrokenPipe => RegistryClientError::Broken { host, reason },
            _ => RegistryClientError::Unreachable { host, reason },
        })
    }
}

fn not_http(url: &Url, problem: &str) -> RegistryClientError {
    RegistryClientError::Answer { url: shown(url), problem: format!("it is not HTTP: {problem}") }
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
    fn a_registry_may_say_when_in_seconds_or_as_a_date() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        assert_eq!(retry_after("7", now), Some(Duration::from_secs(7)));
        let date = "Sun, 09 Sep 2001 01:46:50 GMT";
        assert_eq!(retry_after(date, now), Some(Duration::from_secs(10)));
        assert_eq!(retry_after("soon", now), None);
        assert_eq!(retry_after("-1", now), None);
    }
}
