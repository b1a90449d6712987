//! A publication: uploaded, and followed until the registry has decided.

use std::time::{Duration, Instant};

use facets_digest::json::Value;
use url::Url;

use crate::address::{RegistryAddress, host};
use crate::answer::{AnswerMembers, parse_json};
use crate::document::{AskedVersion, VersionDocument};
use crate::error::RegistryClientError;
use crate::problem::RegistryProblem;
use crate::progress::{ProbeWait, PublishProgress};
use crate::transport::{RegistryReply, RegistryTransport, header};
use crate::upload::{ArchiveUpload, UploadReader};
use crate::wanted::{WantedVersion, name_path};

/// The status of a problem that comes without one.
const UNPROCESSABLE: u16 = 422;
/// The longest identifier of a publication that is taken.
const LONGEST_ID: usize = 128;

/// What came of a publication.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Publication {
    /// The version, as the registry states it.
    pub document: VersionDocument,
    /// Whether it is new.
    pub outcome: PublicationOutcome,
}

/// Whether a version is new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PublicationOutcome {
    /// It was published now.
    New,
    /// The same content was published before, and stays as it is.
    Before,
}

/// How far a publication is that the registry has queued.
enum QueuedState {
    Waiting(ProbeWait),
    /// With its document, if the registry sends it along.
    Published(Option<Box<VersionDocument>>),
    Refused(Box<RegistryProblem>),
}

/// A publication, while it is made.
pub(crate) struct Publishing<'p> {
    pub(crate) address: &'p RegistryAddress,
    pub(crate) transport: &'p RegistryTransport,
    pub(crate) progress: &'p dyn PublishProgress,
}

impl Publishing<'_> {
    /// Uploads an archive, and waits until the registry has decided.
    pub(crate) fn publish(
        &self,
        upload: &mut ArchiveUpload<'_>,
    ) -> Result<Publication, RegistryClientError> {
        let (name, size) = (upload.name, upload.size);
        let url = self.address.join(&format!("{}/versions", name_path(upload.kind, name)))?;
        let wanted = WantedVersion::Exact(upload.version.clone());
        let asked = AskedVersion { kind: upload.kind, name, wanted: &wanted };
        self.progress.on_upload(size);
        let mut content = UploadReader::new(&mut *upload.content, size, self.progress);
        let reply = self.transport.upload(&url, size, &mut content);
        let published = reply.and_then(|reply| self.decided(reply, &asked));
        match published {
            Err(error) if !content.is_untouched() => Err(error.after_upload()),
            other => other,
        }
    }

    /// What the registry decides about an archive that it has.
    fn decided(
        &self,
        reply: RegistryReply,
        asked: &AskedVersion<'_>,
    ) -> Result<Publication, RegistryClientError> {
        let outcome = match reply.status {
            200 => PublicationOutcome::Before,
            _ => PublicationOutcome::New,
        };
        let document = if reply.status == 202 {
            self.follow(reply, asked)?
        } else {
            let (url, limit) = (reply.url.clone(), self.transport.limits.document);
            let body = self.transport.body(reply, limit)?;
            VersionDocument::parse(&url, &body, asked)?
        };
        Ok(Publication { document, outcome })
    }

    /// Asks again and again, with growing pauses, until the registry has decided.
    fn follow(
        &self,
        reply: RegistryReply,
        asked: &AskedVersion<'_>,
    ) -> Result<VersionDocument, RegistryClientError> {
        let url = self.status_url(reply)?;
        let limits = &self.transport.limits;
        let (begun, mut pause) = (Instant::now(), limits.first_poll);
        loop {
            std::thread::sleep(pause);
            let wait = match self.state(&url, asked)? {
                QueuedState::Published(Some(document)) => return Ok(*document),
                QueuedState::Published(None) => return self.published(asked),
                QueuedState::Refused(problem) => return Err(RegistryClientError::Refused(problem)),
                QueuedState::Waiting(wait) => wait,
            };
            self.progress.on_wait(wait);
            if begun.elapsed() + pause > limits.publication {
                return Err(too_long(&url, wait, limits.publication));
            }
            pause = (pause * 3 / 2).min(limits.longest_poll);
        }
    }

    /// The address of the status. It is built here: an address that a registry names is not asked.
    fn status_url(&self, reply: RegistryReply) -> Result<Url, RegistryClientError> {
        let url = reply.url.clone();
        let location = header(&reply.response, "location").to_owned();
        let body = self.transport.body(reply, self.transport.limits.document)?;
        let value = parse_json(&url, &body)?;
        let members = AnswerMembers::new(&url, &value);
        let stated = members.optional_text("status_url")?.unwrap_or(&location);
        if stated.is_empty() {
            // The reference lets people look at it first, and tells nothing more.
            let reason = members.optional_text("reason")?.filter(is_said);
            let reason = reason.unwrap_or("pending").to_owned();
            let fix = members.optional_text("fix")?.filter(is_said).map(str::to_owned);
            return Err(RegistryClientError::Pending { host: host(&url), reason, fix });
        }
        match publication_id(stated) {
            Some(id) => self.address.join(&format!("v0/publishes/{id}")),
            None => Err(members.wrong("the address of the status is invalid".to_owned())),
        }
    }

    fn state(
        &self,
        url: &Url,
        asked: &AskedVersion<'_>,
    ) -> Result<QueuedState, RegistryClientError> {
        let body = self.transport.status(url)?;
        let value = parse_json(url, &body)?;
        let members = AnswerMembers::new(url, &value);
        match members.text("status")? {
            "queued" => {
                let ahead = members.optional_integer("ahead")?;
                Ok(QueuedState::Waiting(ProbeWait::Queued { ahead }))
            }
            "running" => Ok(QueuedState::Waiting(ProbeWait::Running)),
            "published" => {
                let document = members.value_of("document");
                let document = document.map(|value| VersionDocument::read(url, value, asked));
                Ok(QueuedState::Published(document.transpose()?.map(Box::new)))
            }
            "refused" => Ok(QueuedState::Refused(Box::new(refusal(url, &members)))),
            other => {
                let other: String = other.chars().take(40).collect();
                Err(members.wrong(format!("the status {other:?} is unknown")))
            }
        }
    }

    fn published(&self, asked: &AskedVersion<'_>) -> Result<VersionDocument, RegistryClientError> {
        let path = format!("{}/{}", name_path(asked.kind, asked.name), asked.wanted.segment());
        let url = self.address.join(&path)?;
        let body = self.transport.document(&url, self.transport.limits.document)?;
        VersionDocument::parse(&url, &body, asked)
    }
}

/// Whether a text has words in it.
fn is_said(text: &&str) -> bool {
    !text.trim().is_empty()
}

/// Why a queued publication was refused.
fn refusal(url: &Url, members: &AnswerMembers<'_, '_>) -> RegistryProblem {
    let null = Value::Null;
    let problem = members.value_of("problem").unwrap_or(&null);
    let status = AnswerMembers::new(url, problem).optional_integer("status").ok().flatten();
    let status = status.and_then(|status| u16::try_from(status).ok()).unwrap_or(UNPROCESSABLE);
    RegistryProblem::of_value(url, &host(url), status, problem)
}

/// The identifier at the end of the address of a status.
fn publication_id(stated: &str) -> Option<&str> {
    let (_, id) = stated.rsplit_once("/v0/publishes/")?;
    let is_id = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let is_short = (1..=LONGEST_ID).contains(&id.len());
    (is_short && id.bytes().all(is_id)).then_some(id)
}

fn too_long(url: &Url, wait: ProbeWait, limit: Duration) -> RegistryClientError {
    let minutes = limit.as_secs().div_ceil(60);
    let reason = match wait {
        ProbeWait::Queued { ahead: Some(1) } => format!("1 other is before it after {minutes} min"),
        ProbeWait::Queued { ahead: Some(ahead @ 2..) } => {
            format!("{ahead} others are before it after {minutes} min")
        }
        ProbeWait::Queued { ahead: None | Some(0) } => format!("it is queued after {minutes} min"),
        ProbeWait::Running => format!("the server is being started after {minutes} min"),
    };
    let fix = Some("publish it again later: what is published by then stays as it is".to_owned());
    RegistryClientError::Pending { host: host(url), reason, fix }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_other_in_a_queue_is_not_others() {
        let url: Url = "https://r.example/v0/publishes/p".parse().unwrap();
        let said = |ahead| {
            let wait = ProbeWait::Queued { ahead };
            too_long(&url, wait, Duration::from_mins(2)).to_string()
        };
        assert!(said(Some(1)).ends_with("1 other is before it after 2 min"));
        assert!(said(Some(2)).ends_with("2 others are before it after 2 min"));
        assert_eq!(said(Some(0)), said(None));
    }

    #[test]
    fn only_an_identifier_is_taken_from_the_address_of_a_status() {
        for (stated, id) in [
            ("/v0/publishes/abc-1_Z", Some("abc-1_Z")),
            ("https://elsewhere.example/v0/publishes/abc", Some("abc")),
            ("/v0/publishes/", None),
            ("/v0/publishes/../facets", None),
            ("/v0/publishes/a?b=c", None),
            ("/v0/publishes/a%2f", None),
            ("/v0/other/abc", None),
        ] {
            assert_eq!(publication_id(stated), id, "{stated}");
        }
        let long = format!("/v0/publishes/{}", "a".repeat(LONGEST_ID + 1));
        assert_eq!(publication_id(&long), None);
    }
}
