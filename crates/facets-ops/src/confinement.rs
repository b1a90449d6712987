//! What was granted becomes a sandbox (spec 11.4).

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use facets_launch::{
    Environment, Filesystem, Launchable, Network, ProcessLaunch, Sandbox, Subprocess,
    available_confinement,
};
use facets_lock::{Extent, Grants, READ_ONLY};
use facets_project::{ProjectError, UserDirectory};

use crate::cache_directory::touches_cache;
use crate::error::{OpsError, ServerError};
use crate::grant_words::{grant_command, grants_words, remote_grants_words};
use crate::program_files::{OpenedFiles, OpenedPath, own_files};

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
    let opened = opened_files(grants, process)?;
    let subprocess = if grants.subprocess {
        Subprocess::Open
    } else {
        let writable = opened.as_ref().map_or(&[][..], |opened| &opened.write);
        Subprocess::Closed { execute: process.executed_files(writable) }
    };
    let filesystem = match opened {
        None => Filesystem::Open,
        Some(opened) => {
            Filesystem::Listed { read: opened.readable(), names: opened.names, write: opened.write }
        }
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
    let place = std::fs::canonicalize(&path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => {
            let (text, path) = (text.to_owned(), path.components().collect());
            ServerError::GrantedPathMissing { text, path }
        }
        _ => ServerError::GrantUnusable { path: path.clone(), reason: error.to_string() },
    })?;
    // Whoever can write beside a link decides where it leads.
    if !is_without_links(&path, &place) {
        let reason = "it is a link, or lies behind one; grant the place that it leads to";
        return Err(ProjectError::Untrusted { path, reason }.into());
    }
    Ok(place)
}

/// spec 8.5 and 11.4: a confined server does not write what was decided about it, nor the store
pub(crate) fn refuse_own_folder(place: &Path) -> Result<(), OpsError> {
    let reason = if UserDirectory::of_this_user()?.touches(place) {
        "what facet keeps for you lies there; grant folders beside it"
    } else if touches_cache(place) {
        "the store, from which servers are started, lies there; grant folders beside it"
    } else {
        return Ok(());
    };
    let (path, reason) = (place.to_owned(), reason.to_owned());
    Err(ServerError::GrantUnusable { path, reason }.into())
}

/// The files that grants open to a server; none for all.
fn opened_files(grants: &Grants, process: &ProcessLaunch) -> Result<Option<OpenedFiles>, OpsError> {
    let paths = match &grants.filesystem {
        Extent::All => return Ok(None),
        Extent::None => &[][..],
        Extent::Listed(paths) => paths,
    };
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
    let home = match &process.variables.environment {
        Environment::Private { home, .. } => {
            Some(std::fs::canonicalize(home).unwrap_or_else(|_| home.clone()))
        }
        Environment::Native | Environment::Scratch | Environment::Older => None,
    };
    write.extend(home.clone());
    let mut opened = own_files(process, &write);
    read.extend(process.variables.certificates(&write));
    opened.read.extend(read.into_iter().map(OpenedPath::whole));
    opened.write = write;
    opened.home = home;
    Ok(Some(opened.simplified()))
}

/// The same for whatever is started.
pub(crate) fn opened_by(server: &Launchable, grants: &Grants) -> Option<OpenedFiles> {
    match server {
        Launchable::Process(process) => opened_files(grants, process).ok().flatten(),
        Launchable::Remote(_) => None,
    }
}

/// What is really opened, in words: `none` opens the server's own package, too.
#[must_use]
pub fn describe_opened(opened: &OpenedFiles, grants: &Grants) -> String {
    const SYSTEM: &str = "system files (/usr, /etc, …)";
    let shown = |path: &PathBuf| path.display().to_string();
    let read: Vec<String> = opened.read.iter().map(ToString::to_string).collect();
    let is_none = grants.filesystem == Extent::None;
    let read = match (read.join(", "), is_none) {
        (paths, _) if paths.is_empty() => format!("it can read only {SYSTEM}"),
        (paths, true) => format!("it can read only its own package ({paths}) and {SYSTEM}"),
        (paths, false) => format!("it can read {paths} and {SYSTEM}"),
    };
    let granted = opened.write.iter().filter(|path| Some(*path) != opened.home.as_ref());
    let home = opened.home.is_some().then_some("a private home directory (see `facet data`)");
    let more = home.into_iter().chain(["a temporary directory"]).map(str::to_owned);
    let write: Vec<String> = granted.map(shown).chain(more).collect();
    let names: Vec<String> = opened.names.iter().map(shown).collect();
    let names = match names.join(", ") {
        names if names.is_empty() => names,
        names => format!("; it can list the names of files below {names}"),
    };
    let setting = if is_none { "filesystem=none: " } else { "" };
    format!("{setting}{read}; it can write {}{names}", write.join(", "))
}

/// What is granted and what is enforced, in words.
pub(crate) fn describe_confinement(server: &Launchable, grants: &Grants) -> Vec<String> {
    let Launchable::Process(process) = server else {
        return vec![format!(
            "grants: {}; it runs elsewhere, out of reach of the sandbox",
            remote_grants_words(grants)
        )];
    };
    let granted = format!("grants: {}", grants_words(grants));
    let sandbox = &process.sandbox;
    let is_open =
        grants.network == Extent::All && grants.filesystem == Extent::All && grants.subprocess;
    let enforced = match (is_open, sandbox.is_open(), &sandbox.network) {
        (true, _, _) => "it is not confined: facet grant restricts it",
        (false, true, _) => {
            "the sandbox is off: network, filesystem and subprocess are not enforced"
        }
        (false, false, Network::Hosts(_)) => {
            "enforced by Landlock, seccomp, and a network of its own with a proxy"
        }
        (false, false, _) => "enforced by Landlock and seccomp",
    };
    let mut lines = vec![format!("{granted}; {enforced}")];
    if !sandbox.is_open() {
        lines.extend(opened_by(server, grants).map(|opened| describe_opened(&opened, grants)));
        lines.extend(signals_open().map(str::to_owned));
    }
    lines
}

/// That signals leave the sandbox, on a kernel that cannot keep them in it.
fn signals_open() -> Option<&'static str> {
    const KEEPS_SIGNALS: i32 = 6;
    (available_confinement().landlock < KEEPS_SIGNALS).then_some(
        "this kernel cannot keep it from sending signals to your other processes; Linux 6.12 can",
    )
}

/// That the lock grants more than was decided last, if it does.
pub(crate) fn describe_cap(name: &str, locked: &Grants, holding: &Grants) -> Option<String> {
    let wider = locked.widened_since(holding);
    let command = grant_command(name, locked, holding).filter(|_| !wider.is_empty())?;
    Some(format!(
        "facets.lock allows more than you granted on this machine ({}); your grants are enforced. To \
         write them into facets.lock: {command}",
        wider.join(", ")
    ))
}

/// What facet does not defend from with such grants.
#[must_use]
pub fn undefended(grants: &Grants) -> Option<&'static str> {
    let is_open = grants.filesystem == Extent::All;
    is_open.then_some(
        "warning: with filesystem=all the server can also change facets.lock and your approvals",
    )
}
