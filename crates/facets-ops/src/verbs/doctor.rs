//! `facet doctor`: does facet work on this machine, and is this project in order?

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Instant;

use facets_digest::json::{self, Limits, Provenance};
use facets_digest::{Digest, Hasher};
use facets_launch::{Confinement, available_confinement};
use facets_model::manifest::{Problem, parse_project};
use facets_model::tree::MANIFEST_LIMITS;
use facets_project::{LOCK, MANIFEST, Project, ProjectError, State, is_in_repository};

use crate::client_files::Scope;
use crate::client_servers::{ClientServers, UnguardedServer, servers_of_clients};
use crate::error::OpsError;
use crate::input::read_regular;
use crate::pinned::{Pinned, against_manifest, is_others};
use facets_failure::{Describe as _, Failure, FileProblem};

const CLIENTS: &str = "clients";
const PROJECT: &str = "project";

/// Where to look.
#[derive(Debug)]
pub struct DoctorRequest {
    /// The project.
    pub directory: PathBuf,
}

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Health {
    /// In order.
    Good,
    /// Nothing to check here.
    Absent,
    /// It works, and could be safer.
    Open,
    /// Broken.
    Bad,
}

/// One thing that was looked at.
#[derive(Debug)]
pub struct Check {
    /// What.
    pub name: &'static str,
    /// How it is.
    pub health: Health,
    /// What was seen.
    pub detail: String,
    /// The problems of a file, where that is what was looked at.
    pub problems: Vec<FileProblem>,
    /// What to type, where something is broken.
    pub fix: Option<String>,
}

/// Everything that was looked at.
#[derive(Debug)]
pub struct DoctorReport {
    /// In a fixed order.
    pub checks: Vec<Check>,
}

impl DoctorReport {
    /// How many checks warn.
    #[must_use]
    pub fn warnings(&self) -> usize {
        self.checks.iter().filter(|check| check.health == Health::Open).count()
    }

    /// Whether nothing is broken.
    #[must_use]
    pub fn is_healthy(&self) -> bool {
        self.checks.iter().all(|check| check.health != Health::Bad)
    }
}

/// Looks at the machine and the project. Starts nothing, and leaves nothing behind.
#[must_use]
pub fn doctor(request: &DoctorRequest) -> DoctorReport {
    let mut checks =
        vec![platform(), hashing(), canonical_json(), temporary_directory(), sandbox()];
    checks.extend(clients(&request.directory));
    checks.push(project(&request.directory));
    DoctorReport { checks }
}

fn check(name: &'static str, health: Health, detail: String) -> Check {
    Check { name, health, detail, problems: Vec::new(), fix: None }
}

fn platform() -> Check {
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let detail = format!("{} {} {}", std::env::consts::OS, kernel.trim(), std::env::consts::ARCH);
    check("platform", Health::Good, detail.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The hash of a known text, and how fast hashing goes here.
fn hashing() -> Check {
    const ABC: &str = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    const SAMPLE: usize = 16 << 20;
    let right = Digest::of(b"abc").to_string() == ABC;
    let sample = vec![0x5a; 1 << 20];
    let start = Instant::now();
    let mut hasher = Hasher::new();
    for _ in 0..SAMPLE / sample.len() {
        hasher.update(&sample);
    }
    std::hint::black_box(hasher.finish());
    let seconds = start.elapsed().as_secs_f64().max(f64::EPSILON);
    #[expect(clippy::cast_precision_loss, reason = "a rounded figure for people")]
    let speed = SAMPLE as f64 / seconds / 1e6;
    let (health, verdict) = if right { (Health::Good, "correct") } else { (Health::Bad, "WRONG") };
    check("hashing", health, format!("SHA-256 of a test text is {verdict}, {speed:.0} MB/s"))
}

/// A document that other tools get wrong: key order, numbers, large integers.
fn canonical_json() -> Check {
    let document = "{\"\u{ff5e}\":1E30,\"\u{1f4a1}\":4.50,\"a\":9007199254740993}";
    let expected = "{\"a\":9007199254740993,\"\u{1f4a1}\":4.5,\"\u{ff5e}\":1e+30}";
    let form = json::parse(document.as_bytes(), Provenance::Captured, Limits::DOCUMENT)
        .map(|value| value.to_canonical());
    let right = form.is_ok_and(|form| form == expected.as_bytes());
    let (health, verdict) = if right { (Health::Good, "correct") } else { (Health::Bad, "WRONG") };
    check("canonical json", health, format!("canonical form of a test document is {verdict}"))
}

fn temporary_directory() -> Check {
    let directory = std::env::temp_dir();
    let probe = directory.join(format!("facet-doctor-{}", std::process::id()));
    let written = fs::File::create_new(&probe).and_then(|_| fs::remove_file(&probe));
    match written {
        Ok(()) => check("temporary files", Health::Good, directory.display().to_string()),
        Err(error) => Check {
            fix: Some("TMPDIR=DIRECTORY facet doctor".to_owned()),
            ..check("temporary files", Health::Bad, format!("{}: {error}", directory.display()))
        },
    }
}

/// What servers can be kept from here. Without it facet still works, and says so.
fn sandbox() -> Check {
    let Confinement { landlock, seccomp } = available_confinement();
    let detail = format!(
        "Landlock {}, seccomp {}",
        if landlock > 0 { format!("version {landlock} or newer") } else { "missing".to_owned() },
        if seccomp { "available" } else { "missing" },
    );
    let enforceable = landlock >= 4 && seccomp;
    check("sandbox", if enforceable { Health::Good } else { Health::Absent }, detail)
}

/// The manifest, and whether lock and surface files belong to it.
fn project(directory: &Path) -> Check {
    let found = manifest(directory);
    if found.health == Health::Bad {
        return found;
    }
    match broken_lock() {
        None => found,
        Some((detail, fix)) => {
            let problems = found.problems;
            Check { problems, fix: Some(fix), ..check(PROJECT, Health::Bad, detail) }
        }
    }
}

fn manifest(directory: &Path) -> Check {
    // `.` in front of every place would only be noise.
    let path = directory.strip_prefix(".").unwrap_or(directory).join("facets.json");
    if fs::symlink_metadata(&path).is_err_and(|error| error.kind() == ErrorKind::NotFound) {
        let detail = format!("no facets.json in {}", directory.display());
        return check(PROJECT, Health::Absent, detail);
    }
    let bytes = match read_regular(&path, MANIFEST_LIMITS.bytes as u64) {
        Ok(bytes) => bytes,
        Err(error) => {
            let Failure { message, actual, next, .. } = error.describe();
            let detail = format!("{message}: {}", actual.unwrap_or_default());
            return Check { fix: Some(next), ..check(PROJECT, Health::Bad, detail) };
        }
    };
    let outcome = parse_project(&bytes);
    let with_file = |problem: Problem| problem.in_file(path.clone());
    let Some(manifest) = outcome.manifest else {
        let count = outcome.problems.len();
        let noun = if count == 1 { "problem" } else { "problems" };
        let detail = format!("{count} {noun} in {}", path.display());
        let problems = outcome.problems.into_iter().map(with_file).collect();
        return Check { problems, ..check(PROJECT, Health::Bad, detail) };
    };
    let (facets, servers) = (manifest.facets.len(), manifest.servers.len());
    let counted = |count: usize, noun: &str| match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    };
    let (facets, servers) = (counted(facets, "facet"), counted(servers, "server"));
    let detail = format!("{}: {facets}, {servers}", path.display());
    let problems = outcome.warnings.into_iter().map(with_file).collect();
    Check { problems, ..check(PROJECT, Health::Good, detail) }
}

/// What of the lock cannot be used, or is not what facets.json says, and what to type. Changes nothing.
fn broken_lock() -> Option<(String, String)> {
    let read = Project::here().and_then(|project| project.read_as_is(&|_| true));
    let state = match read {
        Ok(state) => state,
        // That was looked at before.
        Err(ProjectError::Manifest { .. }) => return None,
        Err(error) => {
            let is_committed = std::env::current_dir().is_ok_and(|here| is_in_repository(&here));
            let is_lock = matches!(error, ProjectError::Lock { .. });
            let Failure { message, actual, next, .. } = error.describe();
            let detail = [Some(message), actual].into_iter().flatten().collect::<Vec<_>>();
            let restore = format!("git checkout {LOCK}");
            return Some((detail.join(": "), if is_lock && is_committed { restore } else { next }));
        }
    };
    let names = state.lock.servers().keys().filter(|name| !is_others(name, &state));
    let mut broken = names.filter_map(|name| Some((name, broken_server(name, &state)?)));
    let (name, problem) = broken.next()?;
    let more = match broken.count() {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    Some((format!("{name}: {problem}{more}"), format!("facet verify {name}")))
}

/// Why a pinned server is not started as it is.
fn broken_server(name: &str, state: &State) -> Option<String> {
    let pinned = match Pinned::of(name, state) {
        Ok(pinned) => pinned,
        Err(problem) => return Some(problem.to_string()),
    };
    let finding = against_manifest(name, &pinned, state).into_iter().next()?;
    Some(format!("{MANIFEST} and {LOCK} differ: {}", finding.sentence))
}

/// The servers of clients, and the files that cannot be read: these hide nothing of the others.
fn clients(directory: &Path) -> Vec<Check> {
    match servers_of_clients(directory) {
        Ok(servers) => {
            let unreadable = servers.unreadable.iter().map(unreadable);
            std::iter::once(guarded(&servers)).chain(unreadable).collect()
        }
        Err(error) => vec![unreadable(&error)],
    }
}

fn unreadable(error: &OpsError) -> Check {
    let Failure { message, actual, next, .. } = error.describe();
    let detail = [Some(message), actual].into_iter().flatten().collect::<Vec<_>>();
    let fix = match error {
        OpsError::Client { path, .. } => format!("edit {}", path.display()),
        _ => next,
    };
    Check { fix: Some(fix), ..check(CLIENTS, Health::Open, detail.join(": ")) }
}

/// Servers that clients start without facet, above all those that they once started through it:
/// what installs something may have taken the guard away.
fn guarded(servers: &ClientServers) -> Check {
    let ClientServers { guarded, unguarded, gone, unreadable } = servers;
    let was_guarded = unguarded.iter().any(|one| one.was_guarded);
    let weak = unguarded.iter().find_map(|one| Some((one, one.weakness.as_ref()?)));
    if let (false, Some((one, reason))) = (was_guarded, weak) {
        let client = one.client.title();
        let detail = format!("{} ({client}) starts facet, but is not guarded: {reason}", one.name);
        let fix = format!("edit {}", one.path.display());
        return Check { fix: Some(fix), ..check(CLIENTS, Health::Bad, detail) };
    }
    if let (false, Some(one)) = (was_guarded, gone.first()) {
        let (name, client) = (&one.name, one.client);
        let detail = format!(
            "{name} ({}) starts facet, but no server {name} is pinned: it was removed or renamed",
            client.title()
        );
        let fix = format!("facet disconnect {} --server {name}", client.name());
        return Check { fix: Some(fix), ..check(CLIENTS, Health::Bad, detail) };
    }
    if let Some(check) = unguarded_check(unguarded, was_guarded) {
        return check;
    }
    match guarded {
        0 if !unreadable.is_empty() => {
            check(CLIENTS, Health::Absent, "no servers in client files that can be read".to_owned())
        }
        0 => check(CLIENTS, Health::Absent, "no servers in the files of MCP clients".to_owned()),
        1 => check(CLIENTS, Health::Good, "1 server is guarded by facet".to_owned()),
        many => check(CLIENTS, Health::Good, format!("all {many} servers are guarded by facet")),
    }
}

/// Servers that are not guarded: those that once were, or else all.
fn unguarded_check(unguarded: &[UnguardedServer], was_guarded: bool) -> Option<Check> {
    let shown: Vec<&UnguardedServer> =
        unguarded.iter().filter(|one| one.was_guarded == was_guarded).collect();
    let (health, words) = if was_guarded {
        (Health::Bad, "no longer guarded by facet")
    } else {
        (Health::Open, "not guarded by facet")
    };
    let adoptable = shown.iter().find(|one| one.is_adoptable);
    let first = adoptable.or(shown.first())?;
    let command = match first.scope {
        Scope::Project => "facet adopt",
        Scope::User => "facet adopt --user",
    };
    let (skipped, dry) = match adoptable {
        Some(_) => ("", ""),
        None => (", skipped by adopt", " --dry-run"),
    };
    let detail = format!("{words}{skipped}: {}", names(&shown));
    Some(Check { fix: Some(format!("{command}{dry}")), ..check(CLIENTS, health, detail) })
}

fn names(servers: &[&UnguardedServer]) -> String {
    const NAMED: usize = 5;
    let name = |one: &&UnguardedServer| format!("{} ({})", one.name, one.client.title());
    let named: Vec<String> = servers.iter().take(NAMED).map(name).collect();
    let more = match servers.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{more}", named.join(", "))
}
