//! `facet add`: begin to trust a server.

use std::collections::BTreeMap;
use std::path::PathBuf;

use facets_lock::{Grants, Launch};
use facets_model::InlineServerName;
use facets_project::Project;

use crate::consent::{ApprovalPage, Consent};
use crate::inspect::{CaptureOptions, InspectTarget, Typed, look_all_around, prepare_with};
use crate::pin::{Candidate, Decision, pin, with_source};
use crate::{OpsError, ServerError};

/// What to add.
#[derive(Debug)]
pub struct AddRequest {
    /// Its name in this project.
    pub name: String,
    /// How it starts, or where it is.
    pub target: InspectTarget,
    /// Limits and era.
    pub options: CaptureOptions,
    /// Where its source lies.
    pub source: Option<PathBuf>,
    /// Values of variables that our own environment does not have.
    pub given: BTreeMap<String, String>,
}

/// Starts or calls a server, shows what it declares, and pins it if the answer is yes.
pub fn add(request: AddRequest, consent: &dyn Consent) -> Result<ApprovalPage, OpsError> {
    let AddRequest { name, target, options, source, given } = request;
    if let Err(source) = name.parse::<InlineServerName>() {
        return Err(ServerError::BadName { name, source }.into());
    }
    let project = Project::here()?;
    let state = project.read(&|_| false)?;
    let declared = state.manifest.as_ref().is_some_and(|m| m.servers.contains_key(&name));
    if declared || state.lock.servers().contains_key(&name) {
        return Err(ServerError::Exists { name }.into());
    }
    project.check_writable()?;
    let launch = launch_of(&target)?;
    let source = source.map(text_of).transpose()?;
    // Nobody will say yes in the end, so nothing begins.
    if !consent.is_there() {
        return Err(OpsError::NotApproved { asked: false });
    }
    let (mut surface, conduct) =
        look_all_around(&prepare_with(target, &given, &Typed(consent))?, options)?;
    with_source(&mut surface, project.place(), source.as_deref())?;
    let grants = Grants::ALL;
    let candidate = Candidate { name, launch, source, surface, conduct, changes: None, grants };
    pin(&project, candidate, &state, &Decision::Ask(consent))
}

fn text_of(path: PathBuf) -> Result<String, OpsError> {
    path.into_os_string().into_string().map_err(|_| ServerError::NotText.into())
}

/// How a target starts, as it is written down.
pub(crate) fn launch_of(target: &InspectTarget) -> Result<Launch, OpsError> {
    match target {
        InspectTarget::Command { words, variables, .. } => {
            let text = |word: &std::ffi::OsString| word.clone().into_string();
            let words: Result<Vec<String>, _> = words.iter().map(text).collect();
            let mut words = words.map_err(|_| ServerError::NotText)?.into_iter();
            let command = words.next().unwrap_or_default();
            Ok(Launch::command(command, words.collect(), variables.clone()))
        }
        InspectTarget::Url { url, headers } => {
            let headers: BTreeMap<String, String> = headers.iter().cloned().collect();
            Ok(Launch::Url { url: url.to_string(), headers })
        }
        InspectTarget::File(path) => Err(OpsError::NotRegular { path: path.clone() }),
    }
}
