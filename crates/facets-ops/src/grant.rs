//! `facet grant`: what a server may do, and how that is enforced (spec 11.4).

use std::path::{Path, PathBuf};

use facets_launch::{ServerCommand, executables};
pub use facets_lock::{Extent, Grants};
use facets_lock::{Launch, LockedServer};
use facets_probe::{Filesystem, Network, Sandbox, Subprocess, Target};
use facets_project::{Approval, Approvals, Change, LOCK, Project, ProjectError, State};

use crate::consent::Consent;
use crate::inspect::installation_of;
use crate::pinned::{Pinned, is_approved};
use crate::{OpsError, ServerError, shell_word};

/// What begins a path that may only be read.
const READ_ONLY: &str = "ro:";

/// One decision of a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Setting {
    /// Hosts.
    Network(Extent),
    /// Paths.
    Filesystem(Extent),
    /// Other programs.
    Subprocess(bool),
    /// Asking the model.
    Sampling(bool),
    /// Asking the user.
    Elicitation(bool),
}

impl std::str::FromStr for Setting {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = text.split_once('=').ok_or("it is written NAME=VALUE")?;
        let flag = || match value {
            "yes" | "all" => Ok(true),
            "no" | "none" => Ok(false),
            _ => Err(format!("{name} is yes or no")),
        };
        match name {
            "network" => extent(value, check_host).map(Self::Network),
            "filesystem" => extent(value, check_path).map(Self::Filesystem),
            "subprocess" => flag().map(Self::Subprocess),
            "sampling" => flag().map(Self::Sampling),
            "elicitation" => flag().map(Self::Elicitation),
            _ => Err("only network, filesystem, subprocess, sampling and elicitation are granted"
                .to_owned()),
        }
    }
}

/// As one types it.
impl std::fmt::Display for Setting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (name, value) = match self {
            Self::Network(extent) => ("network", extent_word(extent, ",")),
            Self::Filesystem(extent) => ("filesystem", extent_word(extent, ",")),
            Self::Subprocess(is_granted) => ("subprocess", yes_or_no(*is_granted).to_owned()),
            Self::Sampling(is_granted) => ("sampling", yes_or_no(*is_granted).to_owned()),
            Self::Elicitation(is_granted) => ("elicitation", yes_or_no(*is_granted).to_owned()),
        };
        write!(f, "{name}={value}")
    }
}

fn yes_or_no(is_granted: bool) -> &'static str {
    if is_granted { "yes" } else { "no" }
}

fn extent_word(extent: &Extent, separator: &str) -> String {
    match extent {
        Extent::All => "all".to_owned(),
        Extent::None => "none".to_owned(),
        Extent::Listed(items) => items.join(separator),
    }
}

fn extent(value: &str, check: fn(&str) -> Result<(), String>) -> Result<Extent, String> {
    match value {
        "none" => return Ok(Extent::None),
        "all" => return Ok(Extent::All),
        _ => {}
    }
    let mut items: Vec<String> = value.split(',').map(str::to_owned).collect();
    items.iter().try_for_each(|item| check(item))?;
    items.sort();
    items.dedup();
    Ok(Extent::Listed(items))
}

fn check_host(text: &str) -> Result<(), String> {
    let (host, port) = text
        .rsplit_once(':')
        .ok_or_else(|| format!("{text:?} has no port; write {text}:443, none or all"))?;
    let is_host = !host.is_empty()
        && host
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || ".-[]:".contains(c));
    let is_port = port.parse::<u16>().is_ok_and(|port| port > 0);
    if is_host && is_port { Ok(()) } else { Err(format!("{text:?} is no host:port")) }
}

fn check_path(text: &str) -> Result<(), String> {
    match text.strip_prefix(READ_ONLY).unwrap_or(text) {
        "" => Err("a path is empty; write none, all, PATH or ro:PATH".to_owned()),
        _ => Ok(()),
    }
}

/// What to grant.
#[derive(Debug)]
pub struct GrantRequest {
    /// The server.
    pub name: String,
    /// The decisions; none to see what holds.
    pub settings: Vec<Setting>,
}

/// What holds now.
#[derive(Debug)]
pub struct GrantReport {
    /// The server.
    pub name: String,
    /// What it may do.
    pub grants: Grants,
    /// Whether that was changed.
    pub is_changed: bool,
}

/// Decides what a server may do. More than before needs a yes.
pub fn grant(request: &GrantRequest, consent: &dyn Consent) -> Result<GrantReport, OpsError> {
    let name = &request.name;
    let project = Project::here()?;
    let state = project.read(&|other| other == name)?;
    let pinned = Pinned::whole(name, &state)?;
    let before = &pinned.server.grants;
    let grants = request.settings.iter().fold(before.clone(), applied);
    let is_near = |setting: &Setting| {
        matches!(setting, Setting::Network(_) | Setting::Filesystem(_) | Setting::Subprocess(_))
    };
    let is_far = matches!(pinned.server.launch, Launch::Url { .. });
    if is_far && request.settings.iter().any(is_near) {
        return Err(ServerError::GrantElsewhere { name: name.clone() }.into());
    }
    if grants == *before {
        return Ok(GrantReport { name: name.clone(), grants, is_changed: false });
    }
    if !is_approved(&pinned.server, &project)? {
        return Err(ServerError::NotApproved { name: name.clone(), asked: false }.into());
    }
    // A grant that cannot be given is better known now than when a client starts it.
    if let Extent::Listed(paths) = &grants.filesystem {
        for path in paths {
            place_of(project.place(), path.strip_prefix(READ_ONLY).unwrap_or(path))?;
        }
    }
    let wider = grants.widened_since(before);
    if !wider.is_empty() {
        let settings = request.settings.iter().map(|one| shell_word(one.to_string().as_ref()));
        let settings = settings.collect::<Vec<_>>().join(" ");
        let next = format!("facet grant {name} {settings} --yes");
        consent.may_grant(name, &wider, &grants).or_leave("nothing more was granted", next)?;
    }
    let server = LockedServer { grants: grants.clone(), ..pinned.server.clone() };
    // The approval first: without the lock it permits nothing.
    Approvals::of_this_user()?.add(&Approval::of(&server, project.place()))?;
    project.change(|now| change(now, &state, name, &server))?;
    // A lock that somebody sets back must not bring back what was taken away.
    let old = Approval::of(&pinned.server, project.place());
    let mut others = state.lock.servers().keys().filter(|other| *other != name);
    let is_shared = others.any(|other| {
        let server = state.lock.server(other);
        server.is_some_and(|server| Approval::of(server, project.place()) == old)
    });
    if !is_shared {
        Approvals::of_this_user()?.remove(&old)?;
    }
    Ok(GrantReport { name: name.clone(), grants, is_changed: true })
}

fn applied(grants: Grants, setting: &Setting) -> Grants {
    match setting.clone() {
        Setting::Network(network) => Grants { network, ..grants },
        Setting::Filesystem(filesystem) => Grants { filesystem, ..grants },
        Setting::Subprocess(subprocess) => Grants { subprocess, ..grants },
        Setting::Sampling(sampling) => Grants { sampling, ..grants },
        Setting::Elicitation(elicitation) => Grants { elicitation, ..grants },
    }
}

fn change(
    now: &State,
    before: &State,
    name: &str,
    server: &LockedServer,
) -> Result<Change, OpsError> {
    if now.lock.servers().get(name) != before.lock.servers().get(name) {
        return Err(ServerError::ChangedMeanwhile { name: name.to_owned() }.into());
    }
    let lock = now.lock.with_server(name, server);
    let lock = lock.map_err(|source| ProjectError::Lock { path: LOCK.into(), source })?;
    Ok(Change { lock: Some(lock), ..Change::default() })
}

/// Applies what the user has granted to whatever is started.
pub(crate) fn confined(target: Target, grants: &Grants) -> Result<Target, OpsError> {
    match target {
        Target::Command(command) => {
            let sandbox = sandbox_of(grants, &command)?;
            Ok(Target::Command(ServerCommand { sandbox, ..command }))
        }
        url @ Target::Url { .. } => Ok(url),
    }
}

fn sandbox_of(grants: &Grants, command: &ServerCommand) -> Result<Sandbox, OpsError> {
    let network = match &grants.network {
        Extent::All => Network::Open,
        Extent::None => Network::Closed,
        Extent::Listed(hosts) if hosts.is_empty() => Network::Closed,
        Extent::Listed(hosts) => Network::Hosts(hosts.clone()),
    };
    let filesystem = match &grants.filesystem {
        Extent::All => Filesystem::Open,
        Extent::None => Filesystem::Listed { read: own_files(command, &[]), write: Vec::new() },
        Extent::Listed(paths) => listed(paths, command)?,
    };
    let subprocess = if grants.subprocess {
        Subprocess::Open
    } else {
        let execute = executables(&command.program, &command.directory);
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
fn place_of(directory: &Path, text: &str) -> Result<PathBuf, OpsError> {
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

fn listed(paths: &[String], command: &ServerCommand) -> Result<Filesystem, OpsError> {
    let (mut read, mut write) = (Vec::new(), Vec::new());
    for text in paths {
        let (list, text) = match text.strip_prefix(READ_ONLY) {
            Some(text) => (&mut read, text),
            None => (&mut write, text.as_str()),
        };
        let place = place_of(&command.directory, text)?;
        list.push(place);
    }
    read.extend(own_files(command, &write));
    Ok(Filesystem::Listed { read, write })
}

/// What a server has to read to be itself: its program, and the packages that this and its
/// arguments name. What it can write itself may be a link by now, and is granted anyway if it is none.
fn own_files(command: &ServerCommand, writable: &[PathBuf]) -> Vec<PathBuf> {
    let mut files = installation_of(&command.program);
    // A program that a package brought along belongs to it.
    let program = Path::new(&command.program);
    let is_brought = program.components().any(|part| part.as_os_str() == "node_modules");
    let program = is_brought.then(|| command.directory.join(program));
    let named = command.args.iter().map(|arg| command.directory.join(arg)).chain(program);
    let is_own =
        |path: &PathBuf| path.is_file() && !writable.iter().any(|folder| path.starts_with(folder));
    files.extend(named.filter(is_own).flat_map(|path| package_of(&path)));
    files
}

/// The package that a file belongs to, and those that it may stand on.
fn package_of(file: &Path) -> Vec<PathBuf> {
    let real = std::fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let is_root = |folder: &&Path| {
        ["package.json", "pyproject.toml"].iter().any(|name| folder.join(name).is_file())
    };
    let mut parts = vec![real.clone()];
    parts.extend(real.ancestors().skip(1).find(is_root).map(Path::to_owned));
    let modules = real.ancestors().filter(|folder| folder.ends_with("node_modules"));
    parts.extend(modules.map(Path::to_owned));
    parts
}

/// What is granted and what is enforced, in words.
pub(crate) fn words(target: &Target, grants: &Grants) -> Vec<String> {
    let Target::Command(command) = target else {
        return vec![format!(
            "it runs elsewhere, out of reach of the sandbox; ask the model: {}; ask you: {}",
            yes_or_no(grants.sampling),
            yes_or_no(grants.elicitation)
        )];
    };
    let may = format!("it may use {}", grants_words(grants));
    let sandbox = &command.sandbox;
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
    vec![format!("{may}; {enforced}")]
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_strictly() {
        let read = |text: &str| text.parse::<Setting>();
        let hosts = Extent::Listed(vec!["a.example:443".to_owned(), "b:80".to_owned()]);
        assert_eq!(read("network=b:80,a.example:443"), Ok(Setting::Network(hosts)));
        assert_eq!(read("network=none"), Ok(Setting::Network(Extent::None)));
        let paths = Extent::Listed(vec!["/a".to_owned(), "ro:b".to_owned()]);
        assert_eq!(read("filesystem=ro:b,/a"), Ok(Setting::Filesystem(paths)));
        assert_eq!(read("subprocess=no"), Ok(Setting::Subprocess(false)));
        for text in ["network=a:1,b:2", "filesystem=/a,ro:b", "network=none", "sampling=yes"] {
            assert_eq!(read(text).map(|setting| setting.to_string()).as_deref(), Ok(text));
        }
        for wrong in [
            "network",
            "network=a.example",
            "network=A.example:1",
            "network=a:0",
            "network=",
            "network=a:b",
            "filesystem=",
            "filesystem=a,,b",
            "subprocess=maybe",
            "disk=all",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
