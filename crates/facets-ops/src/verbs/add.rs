//! `facet add`: begin to trust a server.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::PathBuf;

use facets_clients::{looks_like_secret, secret_arguments};
use facets_drift::Severity;
use facets_failure::shell_word;
use facets_model::{ArtifactSource, Ecosystem, Origin, PackageOrigin, RuntimeChoice};

use crate::consent::{Answer, ApprovalPage, Consent};
use crate::critical_findings::or_accept_with;
use crate::error::{OpsError, ServerError};
use crate::facet_values::FacetValues;
pub use crate::package_commands::PackageCommands;
use crate::package_lock_offer::LockOffer;
use crate::package_words::package_words;
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
    /// Packages that were published later are left out: a date.
    pub before: Option<String>,
    /// Whether a command that runs a package is locked as that.
    pub packages: PackageCommands,
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
pub fn add(mut request: AddRequest, consent: &dyn Consent) -> Result<ApprovalPage, OpsError> {
    refuse_secrets(&request, consent)?;
    let note = lock_package(&mut request, consent)?;
    match add_once(&request, consent) {
        // Some packages need what only Node.js has.
        Err(error) if can_try_node(&request, &error) => {
            if let Origin::Package(package) = &mut request.origin {
                package.runtime = Some(RuntimeChoice::Node);
            }
            let second = add_once(&request, consent);
            let used = "it does not start on bun, so it is started with Node.js".to_owned();
            second.map(|page| with_notes(page, note.into_iter().chain([used]))).map_err(|_| error)
        }
        other => other.map(|page| with_notes(page, note.into_iter())),
    }
}

fn with_notes(mut page: ApprovalPage, notes: impl Iterator<Item = String>) -> ApprovalPage {
    page.notes.extend(notes);
    page
}

/// A package of npm that did not start, and for which nothing says that it must be bun.
fn can_try_node(request: &AddRequest, error: &OpsError) -> bool {
    let is_open = |package: &PackageOrigin| {
        package.package.ecosystem == Ecosystem::Npm && package.runtime.is_none()
    };
    matches!(&request.origin, Origin::Package(package) if is_open(package))
        && matches!(error, OpsError::Start(_))
}

/// spec 10.8: a command that runs a package is locked as that package, if it can be and the answer is yes. What is to be
/// said if it stays a command.
fn lock_package(
    request: &mut AddRequest,
    consent: &dyn Consent,
) -> Result<Option<String>, OpsError> {
    match LockOffer::of_origin(&request.origin) {
        LockOffer::Other => Ok(None),
        LockOffer::NotLockable(reason) => {
            Ok(Some(format!("its packages are not locked: {reason}; this pins no bytes")))
        }
        LockOffer::Lockable { .. } if request.packages == PackageCommands::AsTyped => {
            Ok(Some("added as a command: this pins no bytes of its packages".to_owned()))
        }
        LockOffer::Lockable { package, note } => match consent.may_lock(&package, note) {
            Answer::Yes => {
                request.origin = package.into();
                Ok(note.map(str::to_owned))
            }
            Answer::No => {
                Ok(Some("added as a command: this pins no bytes of its packages".to_owned()))
            }
            Answer::NoTerminal => Err(OpsError::NotApproved { asked: false }),
        },
    }
}

fn add_once(request: &AddRequest, consent: &dyn Consent) -> Result<ApprovalPage, OpsError> {
    let again = typed_again(request);
    let AddRequest { name, origin, start_directory, timeout, source, mode, before, .. } = request;
    let (name, origin, timeout, mode) = (name.clone(), origin.clone(), *timeout, *mode);
    let (start_directory, source, before) =
        (start_directory.clone(), source.clone(), before.clone());
    let source = source.map(text_of).transpose()?;
    let directory = start_directory.map(text_of).transpose()?;
    let given = BTreeMap::new();
    let (published, name_use) = (None, NameUse::MustBeFree);
    let server = NewServer {
        name,
        origin,
        published,
        name_use,
        directory,
        timeout,
        source,
        given,
        values: FacetValues::default(),
        before,
    };
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
        Origin::Package(package) if !secret_arguments(&package.args).is_empty() => "an argument",
        Origin::Command(_) | Origin::Address(_) | Origin::SourceMode(_) | Origin::Package(_) => {
            return Ok(());
        }
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
        Origin::Package(package) => {
            package.env.iter().for_each(|name| option("--env", name.as_ref()));
            package_words(package)
                .fold(String::new(), |words, word| format!("{words} {}", shell_word(word.as_ref())))
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
