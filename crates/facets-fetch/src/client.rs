//! Requests of one ecosystem: redirects that are looked at, credentials that stay where they belong, and
//! patience with servers that are busy.

use std::io::{self, Read as _};
use std::time::{Duration, Instant, SystemTime};

use ureq::Body;
use ureq::http::Response;
use url::Url;

use crate::error::FetchError;
use crate::limits::FetchLimits;
use crate::pace::Pace;
use facets_http::Reach;
use facets_http::Route;
use facets_http::{Agents, RefusedAddress, agent_config};

/// How long it may take to look a name up and to connect.
const CONNECT: Duration = Duration::from_secs(20);

/// Where requests of one ecosystem go, and with what.
#[derive(Debug)]
pub struct HttpClient {
    agents: Agents,
    route: Route,
    reach: Reach,
    pub(crate) limits: FetchLimits,
}

/// A document of a registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegistryDocument {
    /// Where it was found in the end.
    pub url: Url,
    /// What it says it is.
    pub content_type: String,
    /// All of it.
    pub bytes: Vec<u8>,
}

/// An answer whose body has not been read yet.
pub(crate) struct Answer {
    pub(crate) url: Url,
    pub(crate) response: Response<Body>,
}

/// Why one attempt failed, and whether another may succeed.
pub(crate) enum Failed {
    Final(FetchError),
    /// So much later, if the server says when.
    Retryable(FetchError, Option<Duration>),
}

impl From<FetchError> for Failed {
    fn from(error: FetchError) -> Self {
        Self::Final(error)
    }
}

impl HttpClient {
    /// Nothing is sent yet.
    pub fn new(route: Route, reach: Reach, limits: FetchLimits) -> Result<Self, FetchError> {
        // For all requests alike: one with settings of its own would read all certificates again.
        let config = || {
            agent_config()
                .timeout_global(Some(limits.time))
                .timeout_resolve(Some(CONNECT))
                .timeout_connect(Some(CONNECT))
                .timeout_recv_response(Some(limits.read))
                .timeout_per_read(Some(limits.read))
                .max_idle_connections_per_host(limits.parallel)
                .input_buffer_size(256 << 10)
        };
        let agents = Agents::new(config, &route, &reach)?;
        Ok(Self { agents, route, reach, limits })
    }

    /// What the configuration of the ecosystem's client asks for and is not done.
    #[must_use]
    pub fn ignored(&self) -> &[String] {
        &self.route.ignored
    }

    /// Reads a document of a registry.
    pub fn document(&self, url: &Url, accept: &str) -> Result<RegistryDocument, FetchError> {
        let deadline = Instant::now() + self.limits.time;
        self.retrying(deadline, || self.document_once(url, accept, deadline))
    }

    fn document_once(
        &self,
        url: &Url,
        accept: &str,
        deadline: Instant,
    ) -> Result<RegistryDocument, Failed> {
        let Answer { url, response } = self.get(url, &[("Accept", accept)], deadline)?;
        let content_type = header(&response, "content-type").to_owned();
        let limit = self.limits.document;
        let pace = Pace::new(&self.limits, deadline);
        let mut body = response.into_body().into_with_config().limit(u64::MAX).reader();
        let (mut bytes, mut buffer) = (Vec::new(), vec![0_u8; 64 << 10]);
        loop {
            let count = body.read(&mut buffer).map_err(|error| self.broken(&url, &error))?;
            if count == 0 {
                return Ok(RegistryDocument { url, content_type, bytes });
            }
            bytes.extend_from_slice(&buffer[..count]);
            if bytes.len() as u64 > limit {
                return Err(FetchError::TooLarge { what: shown(&url), limit }.into());
            }
            if !pace.is_kept(bytes.len() as u64) {
                return Err(self.too_slow(&url).into());
            }
        }
    }

    /// Tries again what may work the next time, a little later each time.
    pub(crate) fn retrying<T>(
        &self,
        deadline: Instant,
        mut attempt: impl FnMut() -> Result<T, Failed>,
    ) -> Result<T, FetchError> {
        let mut backoff = self.limits.backoff;
        let mut left = self.limits.retries;
        loop {
            let (error, wanted) = match attempt() {
                Ok(done) => return Ok(done),
                Err(Failed::Final(error)) => return Err(error),
                Err(Failed::Retryable(error, wanted)) => (error, wanted),
            };
            let wait = wanted.unwrap_or(backoff);
            let is_worth_it = wait <= self.limits.patience && Instant::now() + wait < deadline;
            if left == 0 || !is_worth_it {
                return Err(error);
            }
            std::thread::sleep(wait);
            left -= 1;
            backoff *= 2;
        }
    }

    /// Asks for something, and follows redirects.
    pub(crate) fn get(
        &self,
        url: &Url,
        headers: &[(&str, &str)],
        deadline: Instant,
    ) -> Result<Answer, Failed> {
        // A part that nobody asked for must not pass for the whole.
        let takes_part = headers.iter().any(|(name, _)| *name == "Range");
        let mut url = url.clone();
        for _ in 0..=self.limits.redirects {
            let response = self.get_once(&url, headers, deadline)?;
            let status = response.status().as_u16();
            match status {
                200 | 206 if status == 200 || takes_part => {
                    require_identity(&url, &response)?;
                    return Ok(Answer { url, response });
                }
                301 | 302 | 303 | 307 | 308 => {
                    url = self.redirected(&url, header(&response, "location"))?;
                }
                _ => return Err(refused(&url, status, &response)),
            }
        }
        let location = shown(&url);
        Err(FetchError::Redirect { url: location.clone(), location, problem: "too many redirects" }
            .into())
    }

    fn get_once(
        &self,
        url: &Url,
        headers: &[(&str, &str)],
        deadline: Instant,
    ) -> Result<Response<Body>, Failed> {
        if let Some(problem) = self.reach.refusal(url) {
            return Err(FetchError::AddressRefused { url: shown(url), problem }.into());
        }
        if Instant::now() >= deadline {
            return Err(self.too_slow(url).into());
        }
        let mut request =
            self.agents.for_url(url).get(url.as_str()).header("Accept-Encoding", "identity");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        // Looked up for every hop: another host gets nothing that is not its own.
        if let Some(authorization) = self.route.credentials.for_url(url) {
            request = request.header("Authorization", authorization.header());
        }
        request.call().map_err(|error| self.failed(url, error))
    }

    /// Where a redirect leads, if it may be followed.
    fn redirected(&self, from: &Url, location: &str) -> Result<Url, FetchError> {
        let refuse = |to: &str, problem| {
            Err(FetchError::Redirect { url: shown(from), location: to.to_owned(), problem })
        };
        // Nothing at all would lead to the same place again.
        let Some(to) = from.join(location).ok().filter(|_| !location.is_empty()) else {
            return refuse("…", "it is no address");
        };
        if !to.username().is_empty() || to.password().is_some() {
            return refuse(&shown(&to), "it has credentials in it");
        }
        if from.scheme() == "https" && to.scheme() != "https" {
            return refuse(&shown(&to), "it leads from https to something else");
        }
        if self.reach.refusal(&to).is_some() {
            let is_web = to.scheme() == "http";
            let problem =
                if is_web { "only https is allowed" } else { "it does not lead to the web" };
            return refuse(&shown(&to), problem);
        }
        Ok(to)
    }

    pub(crate) fn too_slow(&self, url: &Url) -> FetchError {
        FetchError::TooSlow { what: shown(url), seconds: self.limits.time.as_secs() }
    }

    /// The host of an address, and the proxy on the way, which may be the one that refuses.
    pub(crate) fn host_and_proxy(&self, url: &Url) -> String {
        let host = host(url);
        match self.route.proxy.host_for(url).filter(|_| self.reach == Reach::AsUser) {
            Some(proxy) => format!("{host} through the proxy {proxy}"),
            None => host,
        }
    }

    /// Why a request got no answer.
    fn failed(&self, url: &Url, error: ureq::Error) -> Failed {
        let host = self.host_and_proxy(url);
        match error {
            ureq::Error::Io(error) => self.broken(url, &error),
            ureq::Error::Timeout(ureq::Timeout::Global) => self.too_slow(url).into(),
            ureq::Error::HostNotFound => {
                let reason = "its name cannot be resolved".to_owned();
                Failed::Retryable(FetchError::Unreachable { host, reason }, None)
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
            other => {
                let reason = other.to_string();
                Failed::Retryable(FetchError::Unreachable { host, reason }, None)
            }
        }
    }

    /// Why a connection broke, or never was.
    pub(crate) fn broken(&self, url: &Url, error: &io::Error) -> Failed {
        let inner = error.get_ref();
        if let Some(RefusedAddress(problem)) = inner.and_then(|inner| inner.downcast_ref()) {
            let (url, problem) = (shown(url), problem.clone());
            return FetchError::AddressRefused { url, problem }.into();
        }
        match inner.and_then(|inner| inner.downcast_ref::<ureq::Error>()) {
            Some(ureq::Error::Timeout(ureq::Timeout::Global)) => return self.too_slow(url).into(),
            Some(ureq::Error::Io(inner)) => return self.broken(url, inner),
            _ => {}
        }
        let (host, reason) = (self.host_and_proxy(url), error.to_string());
        // What the library for TLS says is in the text alone.
        if reason.contains("certificate") || reason.contains("UnknownIssuer") {
            return FetchError::Certificate { host, reason }.into();
        }
        Failed::Retryable(FetchError::Unreachable { host, reason }, None)
    }
}

/// spec 1.2: what comes encoded though nobody asked is an error, never decoded
fn require_identity(url: &Url, response: &Response<Body>) -> Result<(), FetchError> {
    match header(response, "content-encoding") {
        "" | "identity" => Ok(()),
        encoding => Err(FetchError::Encoded {
            url: shown(url),
            encoding: encoding.chars().take(40).collect(),
        }),
    }
}

/// What a status means that is no success.
fn refused(url: &Url, status: u16, response: &Response<Body>) -> Failed {
    let host = host(url);
    match status {
        401 | 403 => FetchError::Unauthorized { host, status }.into(),
        404 | 410 => FetchError::NotFound { what: shown(url), host }.into(),
        429 | 500 | 502..=504 => {
            let wanted = retry_after(header(response, "retry-after"), SystemTime::now());
            let reason = format!("it answers with HTTP status {status}");
            Failed::Retryable(FetchError::Unreachable { host, reason }, wanted)
        }
        _ => FetchError::Status { url: shown(url), status }.into(),
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

pub(crate) fn header<'r>(response: &'r Response<Body>, name: &str) -> &'r str {
    response.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

pub(crate) fn host(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

/// An address for people: without credentials, and without a query, which may be one.
pub(crate) fn shown(url: &Url) -> String {
    let query = if url.query().is_some() { "?…" } else { "" };
    format!("{}://{}{}{query}", url.scheme(), host(url), url.path())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

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

    #[test]
    fn an_address_is_shown_without_secrets() {
        let url: Url = "https://me:secret@a.example:8443/x?token=secret#y".parse().unwrap();
        assert_eq!(shown(&url), "https://a.example:8443/x?…");
    }
}
