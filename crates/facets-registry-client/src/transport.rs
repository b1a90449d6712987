//! Requests to one registry: its token stays with it, only bytes that are compared with a hash come from another
//! host, and a registry that is busy is asked again.

use std::io::Read as _;
use std::time::{Duration, Instant};

use facets_http::{Agents, Authorization, Credentials, ProxyChoice, Reach, Route, agent_config};
use ureq::http::Response;
use ureq::{Body, RequestBuilder, SendBody};
use url::Url;

use crate::address::{RegistryAddress, is_loopback, shown};
use crate::error::RegistryClientError;
use crate::failed_attempt::{FailedAttempt, refused_elsewhere};
use crate::limits::RegistryClientLimits;
use crate::redirects::{RedirectHop, RedirectScope};
use crate::token::RegistryToken;
use crate::upload::UploadReader;

/// More than any problem has.
const MOST_PROBLEM: u64 = 1 << 20;

/// What every answer but archives and surface files is.
pub(crate) const JSON: &str = "application/json, application/problem+json";

/// Requests to one registry.
#[derive(Debug)]
pub(crate) struct RegistryTransport {
    /// For reads. They have no limit on the whole of it: an archive that keeps coming may take long.
    readers: Agents,
    /// For changes, which a registry answers when it has decided.
    writers: Agents,
    /// For reads from hosts that the registry leads to.
    others: Agents,
    /// Whether the registry is on this machine.
    is_local: bool,
    credentials: Credentials,
    pub(crate) limits: RegistryClientLimits,
}

/// A success, whose body has not been read.
pub(crate) struct RegistryReply {
    pub(crate) url: Url,
    pub(crate) status: u16,
    pub(crate) response: Response<Body>,
    /// How long the next bytes of it are waited for.
    pub(crate) wait: Duration,
}

/// Whether a registry that is silent is asked again.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Silence {
    /// It was waited for long enough: a person is waiting, too.
    Final,
    /// It has something of ours.
    Retried,
}

impl RegistryTransport {
    /// Nothing is sent yet.
    pub(crate) fn new(
        address: &RegistryAddress,
        token: Option<&RegistryToken>,
        limits: RegistryClientLimits,
    ) -> Result<Self, RegistryClientError> {
        let config = |wait: Duration, whole: Option<Duration>| {
            agent_config()
                .timeout_global(whole)
                .timeout_resolve(Some(limits.connect))
                .timeout_connect(Some(limits.connect))
                .timeout_recv_response(Some(wait))
                .timeout_per_read(Some(wait))
                .timeout_per_write(Some(wait))
        };
        // A proxy would see what is sent to this machine in the clear.
        let proxy = if address.is_local() { ProxyChoice::Direct } else { ProxyChoice::Environment };
        let mut credentials = Credentials::default();
        if let Some(token) = token {
            let bearer = Authorization::Bearer(token.secret().to_owned());
            credentials.add(address.base(), bearer);
        }
        let route = Route { proxy, ..Route::default() };
        let readers = Agents::new(|| config(limits.read, None), &route, &Reach::AsUser)?;
        let writing = || config(limits.decision, Some(limits.time));
        let writers = Agents::new(writing, &route, &Reach::AsUser)?;
        let is_local = address.is_local();
        let reach = if is_local { Reach::AsUser } else { Reach::OtherMachines };
        let others = Agents::new(|| config(limits.read, None), &Route::default(), &reach)?;
        Ok(Self { readers, writers, others, is_local, credentials, limits })
    }

    /// What every request has: the token, if the address is below that of the registry.
    fn prepared<B>(&self, request: RequestBuilder<B>, url: &Url) -> RequestBuilder<B> {
        let request = request.header("Accept-Encoding", "identity");
        match self.credentials.for_url(url) {
            Some(authorization) => request.header("Authorization", authorization.header()),
            None => request,
        }
    }

    /// Reads a whole answer, asked for again if the registry is busy.
    pub(crate) fn document(&self, url: &Url, limit: u64) -> Result<Vec<u8>, RegistryClientError> {
        self.retrying(Silence::Final, || self.document_once(url, limit))
    }

    /// The same, asked for again also if the registry is silent.
    pub(crate) fn status(&self, url: &Url) -> Result<Vec<u8>, RegistryClientError> {
        self.retrying(Silence::Retried, || self.document_once(url, self.limits.document))
    }

    fn document_once(&self, url: &Url, limit: u64) -> Result<Vec<u8>, FailedAttempt> {
        self.body(self.get_once(url, JSON, RedirectScope::SameOrigin)?, limit)
    }

    /// An answer whose body is to be read and compared with a hash, asked for again if the registry is busy. The
    /// registry may lead to another host.
    pub(crate) fn open(&self, url: &Url) -> Result<RegistryReply, RegistryClientError> {
        let scope = RedirectScope::VerifiedBytes;
        self.retrying(Silence::Final, || self.get_once(url, "*/*", scope))
    }

    /// Sends a small document. That is done once.
    pub(crate) fn post(&self, url: &Url, body: &str) -> Result<RegistryReply, RegistryClientError> {
        let request = self.prepared(self.writers.for_url(url).post(url.as_str()), url);
        let request = request.header("Accept", JSON).content_type("application/json");
        let sent = request.send(body).map_err(|error| self.unchanged(url, error))?;
        Ok(self.accepted(url, sent)?)
    }

    /// Takes something back. That is done once.
    pub(crate) fn delete(&self, url: &Url) -> Result<RegistryReply, RegistryClientError> {
        let request = self.prepared(self.writers.for_url(url).delete(url.as_str()), url);
        let sent =
            request.header("Accept", JSON).call().map_err(|error| self.unchanged(url, error))?;
        Ok(self.accepted(url, sent)?)
    }

    /// Sends an archive. That is done once; a registry that is busy can say so before it is sent, and is asked
    /// again.
    pub(crate) fn upload(
        &self,
        url: &Url,
        size: u64,
        content: &mut UploadReader<'_>,
    ) -> Result<RegistryReply, RegistryClientError> {
        self.retrying(Silence::Final, || match self.upload_once(url, size, content) {
            Err(failed) if !content.is_untouched() => Err(FailedAttempt::Final(failed.into())),
            other => other,
        })
    }

    fn upload_once(
        &self,
        url: &Url,
        size: u64,
        content: &mut UploadReader<'_>,
    ) -> Result<RegistryReply, FailedAttempt> {
        let request = self.prepared(self.writers.for_url(url).post(url.as_str()), url);
        // The type that the reference sends, also for facets, which are not compressed.
        let request = request
            .header("Accept", JSON)
            .header("Content-Type", "application/gzip")
            .header("Content-Length", size.to_string())
            .header("Expect", "100-continue");
        let sent = request.send(SendBody::from_reader(content));
        match (sent, content.failure.take()) {
            (_, Some(source)) => Err(RegistryClientError::Upload { source }.into()),
            (Err(error), None) => Err(self.unchanged(url, error)),
            (Ok(response), None) => self.accepted(url, response),
        }
    }

    /// An answer to a request that changes something: no redirect is followed.
    fn accepted(
        &self,
        url: &Url,
        response: Response<Body>,
    ) -> Result<RegistryReply, FailedAttempt> {
        let status = response.status().as_u16();
        match status {
            200..=202 => {
                require_identity(url, &response)?;
                let (url, wait) = (url.clone(), self.limits.decision);
                Ok(RegistryReply { url, status, response, wait })
            }
            300..=399 => {
                let location = url.join(header(&response, "location"));
                let location = location.map_or_else(|_| "…".to_owned(), |to| shown(&to));
                let problem = "a redirect of a change is not followed";
                Err(RegistryClientError::Redirect { url: shown(url), location, problem }.into())
            }
            _ => Err(self.refused(url, status, response)),
        }
    }

    fn get_once(
        &self,
        url: &Url,
        accept: &str,
        scope: RedirectScope,
    ) -> Result<RegistryReply, FailedAttempt> {
        let mut hop = RedirectHop::first(url);
        for _ in 0..=self.limits.redirects {
            let response = self.get_hop(&hop, accept)?;
            let status = response.status().as_u16();
            match status {
                200 => {
                    require_identity(&hop.url, &response)?;
                    let (url, wait) = (hop.url, self.limits.read);
                    return Ok(RegistryReply { url, status, response, wait });
                }
                301 | 302 | 303 | 307 | 308 => {
                    hop = hop.next(header(&response, "location"), scope, self.is_local)?;
                }
                _ if hop.has_left => return Err(refused_elsewhere(url, &hop.url, status)),
                _ => return Err(self.refused(&hop.url, status, response)),
            }
        }
        let (url, location) = (shown(url), shown(&hop.url));
        let problem = "there are too many redirects";
        Err(RegistryClientError::Redirect { url, location, problem }.into())
    }

    fn get_hop(&self, hop: &RedirectHop, accept: &str) -> Result<Response<Body>, FailedAttempt> {
        let url = &hop.url;
        let request = if hop.has_left {
            let agents = if is_loopback(url) { &self.readers } else { &self.others };
            agents.for_url(url).get(url.as_str()).header("Accept-Encoding", "identity")
        } else {
            self.prepared(self.readers.for_url(url).get(url.as_str()), url)
        };
        let sent = request.header("Accept", accept).call();
        sent.map_err(|error| self.failed(url, error, self.limits.read))
    }

    /// Reads a body to its end. One that comes byte by byte is given up.
    pub(crate) fn body(&self, reply: RegistryReply, limit: u64) -> Result<Vec<u8>, FailedAttempt> {
        let RegistryReply { url, response, wait, .. } = reply;
        let mut reader = response.into_body().into_with_config().limit(u64::MAX).reader();
        let (mut bytes, mut buffer) = (Vec::new(), vec![0_u8; 64 << 10]);
        let begun = Instant::now();
        loop {
            let permitted = self.limits.permitted(bytes.len() as u64);
            if begun.elapsed() > permitted {
                let (url, limit) = (shown(&url), permitted);
                return Err(RegistryClientError::TooSlow { url, limit }.into());
            }
            let count =
                reader.read(&mut buffer).map_err(|error| self.broken(&url, &error, wait))?;
            if count == 0 {
                return Ok(bytes);
            }
            bytes.extend_from_slice(&buffer[..count]);
            if bytes.len() as u64 > limit {
                return Err(RegistryClientError::TooLarge { what: shown(&url), limit }.into());
            }
        }
    }

    /// The body of a refusal; nothing of one that cannot be read.
    pub(crate) fn problem_body(&self, url: &Url, response: Response<Body>) -> Vec<u8> {
        let (url, status, wait) = (url.clone(), response.status().as_u16(), self.limits.read);
        let reply = RegistryReply { url, status, response, wait };
        self.body(reply, MOST_PROBLEM).unwrap_or_default()
    }

    /// Asks again what may be answered the next time, a little later each time.
    fn retrying<T>(
        &self,
        silence: Silence,
        mut attempt: impl FnMut() -> Result<T, FailedAttempt>,
    ) -> Result<T, RegistryClientError> {
        let mut backoff = self.limits.backoff;
        let mut left = self.limits.retries;
        loop {
            let (error, wanted) = match attempt() {
                Ok(done) => return Ok(done),
                Err(FailedAttempt::Final(error)) => return Err(error),
                Err(FailedAttempt::Silent(error)) if silence == Silence::Final => {
                    return Err(error);
                }
                Err(FailedAttempt::Silent(error)) => (error, None),
                Err(FailedAttempt::Retryable(error, wanted)) => (error, wanted),
            };
            let wait = wanted.unwrap_or(backoff);
            if left == 0 || wait > self.limits.patience {
                return Err(error);
            }
            std::thread::sleep(wait);
            left -= 1;
            backoff *= 2;
        }
    }
}

/// An answer that is encoded though that was not accepted is never decoded.
fn require_identity(url: &Url, response: &Response<Body>) -> Result<(), RegistryClientError> {
    let encoded = |name: &str, plain: &str| {
        let mut values = response.headers().get_all(name).iter();
        values.any(|value| !value.as_bytes().eq_ignore_ascii_case(plain.as_bytes()))
    };
    if encoded("content-encoding", "identity") || encoded("transfer-encoding", "chunked") {
        let problem = "it is encoded, which was not accepted".to_owned();
        return Err(RegistryClientError::Answer { url: shown(url), problem });
    }
    Ok(())
}

pub(crate) fn header<'r>(response: &'r Response<Body>, name: &str) -> &'r str {
    response.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}
