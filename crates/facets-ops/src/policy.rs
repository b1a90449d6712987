//! The policy of a project, applied to what was found (spec 7.8).

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use facets_drift::{Finding, Severity};
use facets_files::FileError;
use facets_lock::LockedServer;
pub use facets_policy::{Effect, Graded, Mark, PolicyError};
use facets_policy::{Facts, Judge, Policy, PolicyScope, UNHASHED, parse_policy};
use facets_project::{Project, ProjectError, State};

use crate::error::OpsError;
use crate::git;
use crate::input::read_regular;
use crate::judgement::{CheckOutcome, CheckedServer};
use crate::pinned::is_others;
pub use crate::policy_file::{AppliedPolicy, POLICY, PolicyNote};

/// Names that somebody may think are as good.
const OTHER_NAMES: [&str; 3] = ["facets.policy.yml", "facets.policy.json", "facet.policy.yaml"];

/// Enough for thousands of entries; each costs time in every run.
const MAX_BYTES: u64 = 256 << 10;

/// A policy that was read.
pub(crate) struct Loaded {
    file: PathBuf,
    bytes: Vec<u8>,
    policy: Policy,
}

/// Reads the policy that is given, else the one of the project. Before anything is started: a
/// policy that cannot be read must not look like none.
pub(crate) fn load(given: Option<&Path>) -> Result<Option<Loaded>, OpsError> {
    let file = match given {
        Some(file) => file.to_owned(),
        None if is_there(Path::new(POLICY))? => POLICY.into(),
        None => return Ok(None),
    };
    let bytes = read_regular(&file, MAX_BYTES)?;
    let outcome = parse_policy(&bytes);
    match outcome.manifest {
        Some(policy) => Ok(Some(Loaded { file, bytes, policy })),
        None => Err(PolicyError::Problems { path: file, problems: outcome.problems }.into()),
    }
}

fn is_there(path: &Path) -> Result<bool, OpsError> {
    match std::fs::symlink_metadata(path) {
        Ok(data) if data.is_file() => Ok(true),
        Ok(_) => {
            let reason = "it is a link, or not a regular file";
            Err(ProjectError::Untrusted { path: path.to_owned(), reason }.into())
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            // Whoever wrote it believes that it is applied.
            match OTHER_NAMES.iter().map(Path::new).find(|name| name.exists()) {
                Some(other) => Err(PolicyError::OtherName { path: other.to_owned() }.into()),
                None => Ok(false),
            }
        }
        Err(source) => Err(OpsError::File(FileError::Unreadable { path: path.to_owned(), source })),
    }
}

/// Whether some servers were asked for, or all.
pub(crate) struct Asked<'a> {
    pub(crate) names: &'a [String],
    pub(crate) state: &'a State,
}

/// Grades what was found about servers.
pub(crate) fn apply(
    loaded: Option<&Loaded>,
    servers: &mut [CheckedServer],
    asked: &Asked<'_>,
) -> Option<AppliedPolicy> {
    let loaded = loaded?;
    let mut judge = Judge::new(&loaded.policy);
    let mut judged = BTreeSet::new();
    for server in servers {
        if let CheckOutcome::Judged(findings) = &mut server.outcome {
            let plain = std::mem::take(findings).into_iter().map(|one| one.finding).collect();
            *findings = judge.grade(&server.name, &server.facts, plain);
            judged.insert(server.name.clone());
        }
    }
    let notes =
        if asked.names.is_empty() { unmatched(&judge, asked.state, judged) } else { Vec::new() };
    Some(AppliedPolicy { file: loaded.file.clone(), entries: loaded.policy.len(), notes })
}

/// Grades what is different between two things of which one may be a server.
pub(crate) fn apply_to(
    loaded: Option<&Loaded>,
    (server, facts): (&str, &Facts),
    findings: Vec<Finding>,
) -> (Vec<Graded>, Option<AppliedPolicy>) {
    let Some(loaded) = loaded else {
        return (findings.into_iter().map(Graded::from).collect(), None);
    };
    (Judge::new(&loaded.policy).grade(server, facts, findings), Some(applied(loaded)))
}

/// What a package counts as that states no hash, and what decided that.
pub(crate) fn grade_unhashed(loaded: Option<&Loaded>, package: &str) -> (Severity, Option<Mark>) {
    loaded.map_or((UNHASHED, None), |loaded| loaded.policy.grade_unhashed(package))
}

/// A policy that was applied, without notes.
pub(crate) fn applied(loaded: &Loaded) -> AppliedPolicy {
    let (file, entries) = (loaded.file.clone(), loaded.policy.len());
    AppliedPolicy { file, entries, notes: Vec::new() }
}

fn unmatched(judge: &Judge<'_>, state: &State, mut judged: BTreeSet<String>) -> Vec<PolicyNote> {
    let declared = state.manifest.iter().flat_map(|manifest| manifest.servers.keys());
    let known: BTreeSet<String> = state.lock.servers().keys().chain(declared).cloned().collect();
    // Nothing is ever found about somebody else's entry.
    judged.extend(known.iter().filter(|name| is_others(name, state)).cloned());
    let entries = judge.unmatched(&PolicyScope { known, judged }).into_iter();
    let note = |one: facets_policy::Unmatched| PolicyNote {
        position: Some(one.position),
        sentence: one.sentence,
    };
    entries.map(note).collect()
}

/// A policy that changed together with the lock decides about its own change: somebody should
/// read it first.
pub(crate) fn since(
    loaded: Option<&Loaded>,
    project: &Project,
    revision: &str,
) -> Result<Option<PolicyNote>, OpsError> {
    let own = loaded.filter(|loaded| loaded.file == Path::new(POLICY));
    if own.is_none() && loaded.is_some() {
        return Ok(None);
    }
    let old = git::file_at(project.place(), revision, POLICY)?;
    if old.as_deref() == own.map(|loaded| loaded.bytes.as_slice()) {
        return Ok(None);
    }
    let sentence = format!("changed since {revision}: git diff {revision} -- {POLICY}");
    Ok(Some(PolicyNote { position: None, sentence }))
}

/// What a policy asks about a server of the lock.
pub(crate) fn facts(server: &LockedServer, tools: Option<Vec<String>>) -> Facts {
    Facts { tools, signer: Some(server.signer.as_ref().map(ToString::to_string)) }
}
