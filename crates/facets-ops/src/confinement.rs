//! What was granted becomes a sandbox (spec 11.4).

use std::path::{Path, PathBuf};

use facets_launch::{
    Environment, Filesystem, Launchable, Network, ProcessLaunch, Sandbox, Subprocess, executables,
};
use facets_lock::{Extent, Grants, READ_ONLY};
use facets_project::{ProjectError, UserDirectory};

use crate::error::{OpsError, ServerError};
use crate::program_files::own_files;

/// Applies what the user has granted to whatever is started.
pub(crate) fn apply_grants(server: Launchable, grants: &Grants) -> Result<Launchable, OpsError> {
    match server {
        Launchable::Process(process) => {
            let sandbox = sandbox_of(grants, &process)?;
            Ok(Launchable::Process(ProcessLaunch { sandbox, ..process }))
        }
        // It runs elsewhere, out of reach.
        remote @ Launchable::Remote(_) => Ok(remote),
    }
}

fn sandbox_of(grants: &Grants, process: &ProcessLaunch) -> Result<Sandbox, OpsError> {
    let network = match &grants.network {
        Extent::All => Network::Open,
        Extent::None => Network::Closed,
        Extent::Listed(hosts) if hosts.is_empty() => Network::Closed,
        Extent::Listed(hosts) => Network::Hosts(hosts.clone()),
    };
    let filesystem = match &grants.filesystem {
        Extent::All => Filesystem::Open,
        Extent::None => listed(&[], process)?,
        Extent::Listed(paths) => listed(paths, process)?,
    };
    let subprocess = if grants.subprocess {
        Subprocess::Open
    } else {
        let execute =
            executables(&process.program, &process.directory, &process.variables.search_path());
        Subprocess::Closed { execute }
    };
    Ok(Sandbox { network, filesystem, subprocess })
}

/// Whether a path is where it seems to be.
fn is_without_links(path: &Path, real: &Path) -> bool {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir => drop(plain.pop()),
            other => plain.push(other),
        }
    }
    plain == real
}

/// Where a granted path leads.
pub(crate) fn granted_place(directory: &Path, text: &str) -> Result<PathBuf, OpsError> {
    let path = directory.join(text);
    // One that is not there would allow nothing, silently.
    let place = std::fs::canonicalize(&path).map_err(|error| {
        let reason = error.to_string();
        ServerError::GrantUnusable { path: path.clone(), reason }
    })?;
    // Whoever can write beside a link decides where it leads.
    if !is_without_links(&path, &place) {
        let reason = "it is a link, or lies behind one; grant the place that it leads to";
        return Err(ProjectError::Untrusted { path, reason }.into());
    }
    Ok(place)
}

/// spec 8.5: a confined server does not reach what was decided about it
pub(crate) fn refuse_own_folder(place: &Path) -> Result<(), OpsError> {
    if !UserDirectory::of_this_user()?.touches(place) {
        return Ok(());
    }
    let reason = "what facet keeps for you lies there; grant folders beside it".to_owned();
    Err(ServerError::GrantUnusable { path: place.to_owned(), reason }.into())
}

fn listed(paths: &[String], process: &ProcessLaunch) -> Result<Filesystem, OpsError> {
    let (mut read, mut write) = (Vec::new(), Vec::new());
    for text in paths {
        let (list, text) = match text.strip_prefix(READ_ONLY) {
            Some(text) => (&mut read, text),
            None => (&mut write, text.as_str()),
        };
        let place = granted_place(&process.directory, text)?;
        list.push(place);
    }
    // What an older facet pinned is as it was.
    if process.variables.environment != Environment::Older {
        write.iter().try_for_each(|place| refuse_own_folder(place))?;
    }
    read.extend(own_files(process, &write));
    read.extend(process.variables.certificates());
    if let Environment::Private { home, .. } = &process.variables.environment {
        write.push(home.clone());
    }
    Ok(Filesystem::Listed { read, write })
}

/// What is granted and what is enforced, in words.
pub(crate) fn describe_confinement(server: &Launchable, grants: &Grants) -> Vec<String> {
    let Launchable::Process(process) = server else {
        return vec![format!(
            "it runs elsewhere, out of reach of the sandbox; ask the model: {}; ask you: {}",
            yes_or_no(grants.sampling),
            yes_or_no(grants.elicitation)
        )];
    };
    let may = format!("it may use {}", grants_words(grants));
    let sandbox = &process.sandbox;
    let is_open =
        grants.network == Extent::All && grants.filesystem == Extent::All && grants.subprocess;
    let enforced = match (is_open, sandbox.is_open(), &sandbox.network) {
        (true, _, _) => "it is not confined: facet grant tightens that",
        (false, true, _) => "the sandbox is off: files, network and programs are not kept from it",
        (false, false, Network::Hosts(_)) => {
            "enforced by Landlock, seccomp, and a network of its own with a proxy"
        }
        (false, false, _) => "enforced by Landlock and seccomp",
    };
    let mut lines = vec![format!("{may}; {enforced}")];
    lines.extend(undefended(grants).map(str::to_owned));
    lines
}

/// That the lock grants more than was decided last, if it does.
pub(crate) fn describe_cap(name: &str, locked: &Grants, holding: &Grants) -> Option<String> {
    let wider = locked.widened_since(holding);
    (!wider.is_empty()).then(|| {
        format!(
            "facets.lock grants more than you decided last ({}); your decision holds: facet grant {name} changes it",
            wider.join(", ")
        )
    })
}

/// What facet does not defend from with such grants.
#[must_use]
pub fn undefended(grants: &Grants) -> Option<&'static str> {
    let is_open = grants.filesystem == Extent::All;
    is_open.then_some(
        "with all files it can also change the lock, and what facet keeps for you: facet does not \
         defend from that",
    )
}

/// Grants as one sentence.
#[must_use]
pub fn grants_words(grants: &Grants) -> String {
    format!(
        "network: {}; files: {}; other programs: {}; ask the model: {}; ask you: {}",
        extent_word(&grants.network, ", "),
        extent_word(&grants.filesystem, ", "),
        yes_or_no(grants.subprocess),
        yes_or_no(grants.sampling),
        yes_or_no(grants.elicitation)
    )
}

pub(crate) fn yes_or_no(is_granted: bool) -> &'static str {
    if is_granted { "yes" } else { "no" }
}

pub(crate) fn extent_word(extent: &Extent, separator: &str) -> String {
    match extent {
        Extent::All => "all".to_owned(),
        Extent::None => "none".to_owned(),
        Extent::Listed(items) => items.join(separator),
    }
}
