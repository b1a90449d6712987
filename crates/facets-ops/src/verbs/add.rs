//! `facet add`: begin to trust a server.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::PathBuf;

use facets_clients::{looks_like_secret, secret_arguments};
use facets_drift::Severity;
use facets_failure::shell_word;
use facets_model::{ArtifactSource, Origin};

use crate::consent::{ApprovalPage, Consent};
use crate::critical_findings::or_accept_with;
use crate::error::{OpsError, ServerError};
use crate::pinning::{NameUse, NewServer, pin_new};
use crate::replacing::replace_pin;

/// What to add.
#[derive(Debug)]
pub struct AddRequest {
    /// Its name in this project.
    pub name: String,
    /// Where it comes from.
    pub origin: Origin,
    /// Where it starts; none is the project.
    pub start_directory: Option<PathBuf>,
    /// Seconds to wait for an answer, now and later; none is as usual.
    pub timeout: Option<u64>,
    /// Where its source lies.
    pub source: Option<PathBuf>,
    /// Whether the name is new.
    pub mode: AddMode,
}

/// Whether a name is new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddMode {
    /// It must not be taken.
    New,
    /// The server of this name is replaced: what the new one declares is compared with the old pin.
    Replace,
}

/// Starts or calls a server, shows what it declares, and pins it if the answer is yes.
pub fn add(request: AddRequest, consent: &dyn Consent) -> Result<ApprovalPage, OpsError> {
    refuse_secrets(&request, consent)?;
    let again = typed_again(&request);
    let AddRequest { name, origin, start_directory, timeout, source, mode } = request;
    let source = source.map(text_of).transpose()?;
    let directory = start_directory.map(text_of).transpose()?;
    let given = BTreeMap::new();
    let (published, name_use) = (None, NameUse::MustBeFree);
    let server = NewServer { name, origin, published, name_use, directory, timeout, source, given };
    let pinned = match mode {
        AddMode::New => pin_new(server, consent),
        AddMode::Replace => replace_pin(server, consent),
    };
    pinned.map_err(|error| or_accept_with(error, || again(None), |level| again(Some(level))))
}

/// Arguments and addresses stand in the lock, which is committed.
fn refuse_secrets(request: &AddRequest, consent: &dyn Consent) -> Result<(), OpsError> {
    let what = match &request.origin {
        Origin::Command(command) if !secret_arguments(&command.args).is_empty() => "an argument",
        Origin::Address(address) if looks_like_secret(&address.url.to_string()) => "the address",
        Origin::Command(_) | Origin::Address(_) | Origin::SourceMode(_) => return Ok(()),
    };
    if consent.accepts() == Severity::Critical {
        return Ok(());
    }
    Err(ServerError::SecretInLaunch { name: request.name.clone(), what }.into())
}

/// The same command, to be asked at a terminal, or to add what is as bad as a level.
fn typed_again(request: &AddRequest) -> impl Fn(Option<&str>) -> String + use<> {
    let mut options = Vec::new();
    if request.mode == AddMode::Replace {
        options.push("--replace".to_owned());
    }
    let mut option = |name: &str, value: &OsStr| {
        options.push(format!("{name} {}", shell_word(value.as_ref())));
    };
    if let Some(directory) = &request.start_directory {
        option("--cwd", directory.as_ref());
    }
    if let Some(source) = &request.source {
        option("--source", source.as_ref());
    }
    if let Some(seconds) = request.timeout {
        option("--timeout", seconds.to_string().as_ref());
    }
    let what = match &request.origin {
        Origin::Command(command) => {
            command.env.iter().for_each(|name| option("--env", name.as_ref()));
            command.words().fold(" --".to_owned(), |words, word| {
                format!("{words} {}", shell_word(word.as_ref()))
            })
        }
        Origin::Address(address) => {
            let headers = address.headers.iter();
            headers
                .for_each(|(name, value)| option("--header", format!("{name}={value}").as_ref()));
            format!(" {}", shell_word(address.url.to_string().as_ref()))
        }
        Origin::SourceMode(artifact) => {
            let source = match &artifact.source {
                ArtifactSource::Local { path } => path.to_string(),
                ArtifactSource::Registry { url } => url.to_string(),
            };
            format!(" {}", shell_word(source.as_ref()))
        }
    };
    let (name, options) = (request.name.clone(), options.join(" "));
    move |level| {
        let accept = level.map(|level| format!("--accept {level}"));
        let words = [Some(format!("facet add {name}")), accept, Some(options.clone())];
        let words: Vec<String> =
            words.into_iter().flatten().filter(|one| !one.is_empty()).collect();
        format!("{}{what}", words.join(" "))
    }
}

fn text_of(path: PathBuf) -> Result<String, OpsError> {
    path.into_os_string().into_string().map_err(|_| ServerError::NotText.into())
}
