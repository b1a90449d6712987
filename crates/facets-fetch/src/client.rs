//! Requests of one ecosystem: redirects that are looked at, credentials that stay where they belong, and
//! patience with servers that are busy.

use std::io::Read as _;
use std::time::{Duration, Instant};

use ureq::Body;
use ureq::http::{HeaderValue, Response};
use url::Url;

use crate::clock::FetchClock;
use crate::encodings::require_identity;
use crate::error::{FetchError, Referral};
use crate::limits::FetchLimits;
use crate::pace::Pace;
use crate::server_problem::ServerProblem;
use facets_http::Reach;
use facets_http::Route;
use facets_http::{Agents, agent_config};

pub(crate) use crate::address::{host, shown};

/// How long it may take to look a name up and to connect.
pub(crate) const CONNECT: Duration = Duration::from_secs(20);

/// Why neither a redirect nor a link is followed.
const DOWNGRADE: &str = "it leads from https to something else";

/// Where requests of one ecosystem go, and with what.
#[derive(Debug)]
pub struct HttpClient {
    agents: Agents,
    route: Route,
    reach: Reach,
    pub(crate) clock: FetchClock,
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

impl Failed {
    /// Another attempt may succeed, whenever it is made.
    pub(crate) fn retryable(problem: ServerProblem) -> Self {
        Self::Retryable(problem.into(), None)
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
        Ok(Self { agents, route, reach, clock: FetchClock::default(), limits })
    }

    /// Shares the time for everything with others.
    #[must_use]
    pub(crate) fn with_clock(mut self, clock: FetchClock) -> Self {
        self.clock = clock;
        self
    }

    /// When something has to be here that is begun now.
    pub(crate) fn deadline(&self) -> Instant {
        (Instant::now() + self.limits.time).min(self.clock.end(&self.limits))
    }

    /// What the configuration of the ecosystem's client asks for and is not done.
    #[must_use]
    pub fn ignored(&self) -> &[String] {
        &self.route.ignored
    }

    /// Reads a document of a registry.
    pub fn document(&self, url: &Url, accept: &str) -> Result<RegistryDocument, FetchError> {
        let deadline = self.deadline();
        self.retrying(deadline, || self.document_once(url, accept, deadline))
    }

    fn document_once(
        &self,
        url: &Url,
        accept: &str,
        deadline: Instant,
    ) -> Result<RegistryDocument, Failed> {
        let Answer { url, response } = self.get(url, &[("Accept", accept)], deadline)?;
        let content_type = joined_header(&response, "content-type");
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
                return Err(self.too_slow(&url, &pace).into());
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
        // A partial answer to a whole request must not pass for the whole file.
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
                _ => return Err(self.refused(&url, status, &response)),
            }
        }
        let location = shown(&url);
        let (url, referral) = (location.clone(), Referral::Redirect);
        Err(FetchError::Redirect { url, referral, location, problem: "too many redirects" }.into())
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
            return Err(self.too_late(url).into());
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
            let (url, location) = (shown(from), to.to_owned());
            Err(FetchError::Redirect { url, referral: Referral::Redirect, location, problem })
        };
        // Nothing at all would lead to the same place again.
        let Some(to) = from.join(location).ok().filter(|_| !location.is_empty()) else {
            return refuse("…", "it is no address");
        };
        if !to.username().is_empty() || to.password().is_some() {
            return refuse(&shown(&to), "it has credentials in it");
        }
        if from.scheme() == "https" && to.scheme() != "https" {
            return refuse(&shown(&to), DOWNGRADE);
        }
        if self.reach.refusal(&to).is_some() {
            let is_web = to.scheme() == "http";
            let problem =
                if is_web { "only https is allowed" } else { "it does not lead to the web" };
            return refuse(&shown(&to), problem);
        }
        Ok(to)
    }

    /// The host of an address, and the proxy on the way, which may be the one that refuses.
    pub(crate) fn host_and_proxy(&self, url: &Url) -> String {
        let host = host(url);
        match self.route.proxy.host_for(url).filter(|_| self.reach == Reach::AsUser) {
            Some(proxy) => format!("{host} through the proxy {proxy}"),
            None => host,
        }
    }
}

/// Refuses a link to a file that leads from https to something else, as such a redirect is refused: anyone on
/// the way could replace the file.
pub(crate) fn require_link(document: &Url, link: &Url) -> Result<(), FetchError> {
    if document.scheme() != "https" || link.scheme() == "https" {
        return Ok(());
    }
    let (url, location) = (shown(document), shown(link));
    Err(FetchError::Redirect { url, referral: Referral::Link, location, problem: DOWNGRADE })
}

pub(crate) fn header<'r>(response: &'r Response<Body>, name: &str) -> &'r str {
    response.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// Every value of a header in one text, as pip reads it; empty if one of them is no text.
fn joined_header(response: &Response<Body>, name: &str) -> String {
    let values = response.headers().get_all(name).iter().map(HeaderValue::to_str);
    values.collect::<Result<Vec<&str>, _>>().map(|values| values.join(", ")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn a_link_stays_with_https() {
        let url = |text: &str| text.parse::<Url>().unwrap();
        let (secure, plain) = (url("https://a.example/pad"), url("http://a.example/x.tgz?secret"));
        let error = require_link(&secure, &plain).unwrap_err().to_string();
        let expected = "https://a.example/pad links to http://a.example/x.tgz?…: ".to_owned();
        assert_eq!(error, expected + DOWNGRADE);
        assert!(require_link(&secure, &url("https://b.example/x.tgz")).is_ok());
        assert!(require_link(&url("http://a.example/pad"), &plain).is_ok());
    }
}
