//! The last steps of `add` and `approve`: the page, the answer, the change.

use std::path::{Path, PathBuf};

use facets_digest::{Digest, NoProgress};
use facets_drift::{Finding, first_look};
use facets_lock::{Grants, Launch, LockedServer};
use facets_mcp::Conduct;
use facets_project::{
    Approval, Approvals, Change, MANIFEST, Project, ProjectError, State, surface_path, with_server,
};
use facets_surface::{Source, Surface};

use crate::consent::{Answer, ApprovalPage, Consent};
use crate::inspect::surface_text;
use crate::scan::{ScanRequest, scan};
use crate::surface_warnings::warnings;
use crate::{OpsError, ServerError};

/// What is about to be pinned.
pub(crate) struct Candidate {
    pub(crate) name: String,
    pub(crate) launch: Launch,
    pub(crate) source: Option<String>,
    pub(crate) surface: Surface,
    pub(crate) conduct: Conduct,
    /// What changed since it was approved; none if it never was.
    pub(crate) changes: Option<Vec<Finding>>,
    pub(crate) grants: Grants,
}

/// Who says yes.
pub(crate) enum Decision<'c> {
    /// It was said beforehand.
    Made,
    /// Whoever is there.
    Ask(&'c dyn Consent),
}

/// Adds what the source of a server can reach.
pub(crate) fn with_source(
    surface: &mut Surface,
    root: &Path,
    source: Option<&str>,
) -> Result<(), OpsError> {
    let Some(source) = source else { return Ok(()) };
    let path = root.join(source);
    let scanned = scan(&ScanRequest { path }, &NoProgress)?;
    surface.source =
        Source { contract: scanned.contract, entitlements: Some(scanned.report.entitlements) };
    Ok(())
}

/// Shows the page, and pins if the answer is yes.
pub(crate) fn pin(
    project: &Project,
    candidate: Candidate,
    before: &State,
    decision: &Decision<'_>,
) -> Result<ApprovalPage, OpsError> {
    let Candidate { name, launch, source, surface, conduct, changes, grants } = candidate;
    let hashes = surface.hashes();
    let text = surface_text(&surface, &PathBuf::from(surface_path(&name)))?;
    let file = Digest::of(text.as_bytes());
    let server = LockedServer {
        source,
        grants: grants.clone(),
        ..LockedServer::new(&name, launch, surface.era, &hashes, file)
    };
    let look = first_look(&surface);
    let warnings = warnings(&surface, Some(&conduct));
    let source = server.source.clone();
    let page = ApprovalPage { name, surface, hashes, look, warnings, changes, source, grants };
    let answer = match decision {
        Decision::Made => Answer::Yes,
        Decision::Ask(consent) => consent.may_pin(&page),
    };
    match answer {
        Answer::Yes => {}
        other => {
            let asked = other == Answer::No;
            return Err(ServerError::NotPinned { name: page.name, asked }.into());
        }
    }
    // The approval first: without the lock it permits nothing.
    Approvals::of_this_user()?.add(&Approval::of(&server, project.place()))?;
    project.change(|now| change(now, before, &page.name, &server, text))?;
    Ok(page)
}

/// What pinning changes, if nobody else has changed it meanwhile.
fn change(
    now: &State,
    before: &State,
    name: &str,
    server: &LockedServer,
    surface: String,
) -> Result<Change, OpsError> {
    let named = |state: &State| {
        state.manifest.as_ref().and_then(|manifest| manifest.servers.get(name).cloned())
    };
    if now.lock.servers().get(name) != before.lock.servers().get(name)
        || named(now) != named(before)
    {
        return Err(ServerError::ChangedMeanwhile { name: name.to_owned() }.into());
    }
    let lock = now.lock.with_server(name, server).map_err(|source| {
        OpsError::Project(ProjectError::Lock { path: facets_project::LOCK.into(), source })
    })?;
    let declared =
        now.manifest.as_ref().and_then(|manifest| facets_project::declared_launch(manifest, name));
    let same = declared.as_ref().is_some_and(|declared| is_same_launch(declared, &server.launch));
    let manifest = if same {
        None
    } else {
        let edited = with_server(now.manifest_text.as_deref(), name, &server.launch);
        Some(edited.map_err(|source| {
            OpsError::Project(ProjectError::Edit { path: MANIFEST.into(), source })
        })?)
    };
    let surfaces = vec![(name.to_owned(), Some(surface))];
    Ok(Change { manifest, lock: Some(lock), surfaces })
}

/// The manifest does not name headers.
pub(crate) fn is_same_launch(declared: &Launch, locked: &Launch) -> bool {
    match (declared, locked) {
        (Launch::Url { url: declared, .. }, Launch::Url { url: locked, .. }) => declared == locked,
        (declared, locked) => declared == locked,
    }
}
