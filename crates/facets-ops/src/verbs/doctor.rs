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

use crate::client_files::{ClientServers, Scope, UnguardedServer, servers_of_clients};
use crate::input::read_regular;
use facets_failure::{Describe as _, Failure, FileProblem};

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
    /// Whether nothing is broken.
    #[must_use]
    pub fn is_healthy(&self) -> bool {
        self.checks.iter().all(|check| check.health != Health::Bad)
    }
}

/// Looks at the machine and the project. Starts nothing, and leaves nothing behind.
#[must_use]
pub fn doctor(request: &DoctorRequest) -> DoctorReport {
    DoctorReport {
        checks: vec![
            platform(),
            hashing(),
            canonical_json(),
            temporary_directory(),
            sandbox(),
            clients(&request.directory),
            project(&request.directory),
        ],
    }
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

fn project(directory: &Path) -> Check {
    const NAME: &str = "project";
    // `.` in front of every place would only be noise.
    let path = directory.strip_prefix(".").unwrap_or(directory).join("facets.json");
    if fs::symlink_metadata(&path).is_err_and(|error| error.kind() == ErrorKind::NotFound) {
        let detail = format!("no facets.json in {}", directory.display());
        return check(NAME, Health::Absent, detail);
    }
    let bytes = match read_regular(&path, MANIFEST_LIMITS.bytes as u64) {
        Ok(bytes) => bytes,
        Err(error) => {
            let Failure { message, actual, next, .. } = error.describe();
            let detail = format!("{message}: {}", actual.unwrap_or_default());
            return Check { fix: Some(next), ..check(NAME, Health::Bad, detail) };
        }
    };
    let outcome = parse_project(&bytes);
    let with_file = |problem: Problem| problem.in_file(path.clone());
    let Some(manifest) = outcome.manifest else {
        let count = outcome.problems.len();
        let noun = if count == 1 { "problem" } else { "problems" };
        let detail = format!("{count} {noun} in {}", path.display());
        let problems = outcome.problems.into_iter().map(with_file).collect();
        return Check { problems, ..check(NAME, Health::Bad, detail) };
    };
    let (facets, servers) = (manifest.facets.len(), manifest.servers.len());
    let counted = |count: usize, noun: &str| match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    };
    let (facets, servers) = (counted(facets, "facet"), counted(servers, "server"));
    let detail = format!("{}: {facets}, {servers}", path.display());
    let problems = outcome.warnings.into_iter().map(with_file).collect();
    Check { problems, ..check(NAME, Health::Good, detail) }
}

/// Servers that clients start without facet, above all those that they once started through it:
/// what installs something may have taken the guard away.
fn clients(directory: &Path) -> Check {
    const NAME: &str = "clients";
    let ClientServers { guarded, unguarded, gone } = match servers_of_clients(directory) {
        Ok(servers) => servers,
        Err(error) => {
            let Failure { message, actual, next, .. } = error.describe();
            let detail = [Some(message), actual].into_iter().flatten().collect::<Vec<_>>();
            return Check { fix: Some(next), ..check(NAME, Health::Open, detail.join(": ")) };
        }
    };
    let was_guarded = unguarded.iter().any(|one| one.was_guarded);
    let weak = unguarded.iter().find_map(|one| Some((one, one.weakness.as_ref()?)));
    if let (false, Some((one, reason))) = (was_guarded, weak) {
        let client = one.client.title();
        let detail = format!("{} ({client}) starts facet, but is not guarded: {reason}", one.name);
        let fix = format!("edit {}", one.path.display());
        return Check { fix: Some(fix), ..check(NAME, Health::Bad, detail) };
    }
    if let (false, Some(one)) = (was_guarded, gone.first()) {
        let (name, client) = (&one.name, one.client);
        let detail = format!(
            "{name} ({}) starts facet, but no server {name} is pinned: it was removed or renamed",
            client.title()
        );
        let fix = format!("facet disconnect {} --server {name}", client.name());
        return Check { fix: Some(fix), ..check(NAME, Health::Bad, detail) };
    }
    let shown: Vec<&UnguardedServer> =
        unguarded.iter().filter(|one| one.was_guarded == was_guarded).collect();
    if let Some(first) = shown.first() {
        let (health, words) = if was_guarded {
            (Health::Bad, "no longer started through facet")
        } else {
            (Health::Open, "not started through facet")
        };
        let fix = match first.scope {
            Scope::Project => "facet adopt",
            Scope::User => "facet adopt --user",
        };
        let detail = format!("{words}: {}", names(&shown));
        return Check { fix: Some(fix.to_owned()), ..check(NAME, health, detail) };
    }
    match guarded {
        0 => check(NAME, Health::Absent, "no servers in the files of MCP clients".to_owned()),
        1 => check(NAME, Health::Good, "1 server starts through facet".to_owned()),
        many => check(NAME, Health::Good, format!("all {many} servers start through facet")),
    }
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
