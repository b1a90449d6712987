//! `facet diff`: what is different between two servers, or one at two times.

use std::path::{Path, PathBuf};

use facets_digest::json::{self, Provenance, Value};
use facets_drift::{
    Compat, Finding, FindingType, Severity, Side, SubjectKind, compare_contract_sets,
    compare_fusion_contracts,
};
use facets_policy::{Facts, Graded};
use facets_project::{Project, State};
use facets_surface::{Contract, Contracts, Surface, parse_surface_file};

use crate::contract_input::{LIMITS, MAX_INPUT, Mode, is_surface, mode_of, read_v1};
use crate::error::{OpsError, ServerError};
use crate::git;
use crate::input::Input;
use crate::judgement::Judgement;
use crate::pin_changes::compare_pins;
use crate::pinned::{Pinned, differences};
use crate::policy::{self, AppliedPolicy};
use crate::unknown_server::unknown_server;

/// What to compare: each is the name of a locked server, a name at a revision (`NAME@REV`), a
/// surface file, or a file with contracts.
#[derive(Debug)]
pub struct DiffRequest {
    /// The first.
    pub before: String,
    /// The second.
    pub after: String,
    /// What is bad enough to say no.
    pub fail_on: Severity,
    /// A policy instead of the project's own.
    pub policy: Option<PathBuf>,
}

/// What is different.
#[derive(Debug)]
pub struct DiffReport {
    /// The worst first.
    pub findings: Vec<Graded>,
    /// What is bad enough to say no.
    pub fail_on: Severity,
    /// The policy that was applied.
    pub policy: Option<AppliedPolicy>,
    /// The server that is compared; empty if only files are.
    pub server: String,
    /// The second thing, if it is a file.
    pub file: Option<String>,
}

impl DiffReport {
    /// A no is one, whatever else could not be decided.
    #[must_use]
    pub fn judgement(&self) -> Judgement {
        if self.findings.iter().any(|finding| finding.is_bad(self.fail_on)) {
            Judgement::No
        } else if self.findings.iter().any(Graded::is_undecided) {
            Judgement::Unknown
        } else {
            Judgement::Yes
        }
    }
}

/// One side.
enum DiffSubject {
    Pinned(Box<Pinned>),
    Surface(Box<Surface>),
    Contracts(Vec<Contract>),
    Fusion(Vec<u8>),
}

impl DiffSubject {
    fn name(&self) -> &'static str {
        match self {
            Self::Pinned(_) => "a pinned server",
            Self::Surface(_) => "a surface file",
            Self::Contracts(_) => "contracts",
            Self::Fusion(_) => "contracts of MCP Fusion",
        }
    }
}

/// Compares two things. Nothing is started.
pub fn diff(request: &DiffRequest) -> Result<DiffReport, OpsError> {
    let project = Project::here()?;
    let loaded = policy::load(request.policy.as_deref())?;
    let state = project.read(&|_| true)?;
    let before = load(&request.before, &project, &state)?;
    let after = load(&request.after, &project, &state)?;
    let findings = compare(&before, &after)?;
    let name = |what: &str| what.rsplit_once('@').map_or(what, |(name, _)| name).to_owned();
    let (server, facts) = match (&before, &after) {
        (_, DiffSubject::Pinned(new)) => {
            let tools = new.server.surface.tools.keys().cloned().collect();
            (name(&request.after), policy::facts(&new.server, Some(tools)))
        }
        (DiffSubject::Pinned(_), _) => (name(&request.before), Facts::default()),
        _ => (String::new(), Facts::default()),
    };
    let (findings, policy) = policy::apply_to(loaded.as_ref(), (&server, &facts), findings);
    let file = (!matches!(after, DiffSubject::Pinned(_))).then(|| request.after.clone());
    Ok(DiffReport { findings, fail_on: request.fail_on, policy, server, file })
}

fn load(what: &str, project: &Project, state: &State) -> Result<DiffSubject, OpsError> {
    if state.lock.server(what).is_some() {
        let pinned = Pinned::of(what, state).map_err(|problem| {
            OpsError::Server(ServerError::Edited { name: what.to_owned(), problem })
        })?;
        return Ok(DiffSubject::Pinned(Box::new(pinned)));
    }
    if Path::new(what).exists() {
        return load_file(what);
    }
    if let Some((name, revision)) = what.rsplit_once('@') {
        let lock = git::lock_at(project.place(), revision)?;
        let pinned = git::pinned_at(project.place(), revision, name, &lock)?;
        return Ok(DiffSubject::Pinned(Box::new(pinned)));
    }
    Err(unknown_server(what, state))
}

fn load_file(what: &str) -> Result<DiffSubject, OpsError> {
    let input = Input::File(what.into());
    let bytes = input.read(MAX_INPUT)?;
    if is_surface(&bytes) {
        let surface = parse_surface_file(&bytes)
            .map_err(|source| OpsError::SurfaceFile { path: what.into(), source })?;
        return Ok(DiffSubject::Surface(Box::new(surface)));
    }
    if mode_of(&bytes) == Mode::FusionV1 {
        return Ok(DiffSubject::Fusion(bytes));
    }
    Ok(DiffSubject::Contracts(match read_v1(&bytes, &input)? {
        Contracts::One(contract) => vec![contract],
        Contracts::Server(contracts) => contracts,
    }))
}

fn compare(before: &DiffSubject, after: &DiffSubject) -> Result<Vec<Finding>, OpsError> {
    Ok(match (before, after) {
        (DiffSubject::Pinned(old), DiffSubject::Pinned(new)) => {
            let mut findings = compare_pins(&old.server, &new.server);
            findings.extend(differences(old.side(), new.side()));
            findings
        }
        (DiffSubject::Pinned(old), DiffSubject::Surface(new)) => surfaces(&old.surface, new),
        (DiffSubject::Surface(old), DiffSubject::Pinned(new)) => surfaces(old, &new.surface),
        (DiffSubject::Surface(old), DiffSubject::Surface(new)) => surfaces(old, new),
        (DiffSubject::Contracts(old), DiffSubject::Contracts(new)) => contracts(old, new),
        (DiffSubject::Fusion(old), DiffSubject::Fusion(new)) => fusion(old, new)?,
        (DiffSubject::Pinned(old), DiffSubject::Contracts(new)) => {
            contracts(&old.surface.contracts().collect::<Vec<_>>(), new)
        }
        (DiffSubject::Surface(old), DiffSubject::Contracts(new)) => {
            contracts(&old.contracts().collect::<Vec<_>>(), new)
        }
        (DiffSubject::Contracts(old), DiffSubject::Pinned(new)) => {
            contracts(old, &new.surface.contracts().collect::<Vec<_>>())
        }
        (DiffSubject::Contracts(old), DiffSubject::Surface(new)) => {
            contracts(old, &new.contracts().collect::<Vec<_>>())
        }
        (left, right) => {
            let error = ServerError::Incomparable { left: left.name(), right: right.name() };
            return Err(error.into());
        }
    })
}

fn surfaces(old: &Surface, new: &Surface) -> Vec<Finding> {
    let hashes = (old.hashes(), new.hashes());
    differences(Side { surface: old, hashes: &hashes.0 }, Side { surface: new, hashes: &hashes.1 })
}

/// Two single contracts are of one tool, whatever it is called.
fn contracts(old: &[Contract], new: &[Contract]) -> Vec<Finding> {
    match (old, new) {
        ([old], [new]) => facets_drift::compare_contract_documents(old, new),
        (old, new) => compare_contract_sets(old, new),
    }
}

fn fusion(old: &[u8], new: &[u8]) -> Result<Vec<Finding>, OpsError> {
    let parse = |bytes| {
        json::parse(bytes, Provenance::Captured, LIMITS)
            .map_err(|source| OpsError::Json { path: "contract".into(), source })
    };
    let (old, new) = (parse(old)?, parse(new)?);
    let single = |document: &Value<'_>| match document {
        Value::Object(object) => object.get("surface").is_some(),
        _ => false,
    };
    if single(&old) && single(&new) {
        return Ok(compare_fusion_contracts(&old, &new));
    }
    Ok(fusion_sets(&old, &new))
}

/// Contracts by the names of their tools.
fn fusion_sets(old: &Value<'_>, new: &Value<'_>) -> Vec<Finding> {
    let (Value::Object(old), Value::Object(new)) = (old, new) else { return Vec::new() };
    let mut findings = Vec::new();
    for member in new.members() {
        match old.get(&member.name) {
            Some(was) => findings.extend(compare_fusion_contracts(was, &member.value)),
            None => findings.push(Finding::new(
                FindingType::ToolAdded,
                (SubjectKind::Tool, &member.name),
                (Severity::Critical, Compat::Safe),
                "added, not approved yet",
            )),
        }
    }
    for member in old.members().iter().filter(|member| new.get(&member.name).is_none()) {
        findings.push(Finding::new(
            FindingType::ToolRemoved,
            (SubjectKind::Tool, &member.name),
            (Severity::Info, Compat::Breaking),
            "removed",
        ));
    }
    findings
}
