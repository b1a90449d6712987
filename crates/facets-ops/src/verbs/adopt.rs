//! `facet adopt`: whoever has servers configured is protected in a minute (spec 10.6).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use facets_clients::guard;
use facets_project::Project;

use crate::approval::is_approved;
pub use crate::client_entries::{EntryOutcome, FoundEntry};
use crate::client_entries::{EntryPlan, PinnedStart, plan_entry, shown_transport};
use crate::client_files::{
    Client, ClientFileText, FileEdit, Rewriting, Scope, command_line, enter, files, guarded, read,
    write,
};
use crate::consent::{ApprovalPage, Consent};
use crate::error::OpsError;
use crate::guarding::weakness;
use crate::outside_servers::refuse_inside_server;
use crate::own_program::{own_program, own_program_or_refuse};
use crate::pinning::{NewServer, pin_new};

/// What to adopt.
#[derive(Debug)]
pub struct AdoptRequest {
    /// The clients; none are all.
    pub clients: Vec<Client>,
    /// Files of this project, or of this user.
    pub scope: Scope,
    /// Seconds to wait for an answer, now and later; none is as usual.
    pub timeout: Option<u64>,
    /// Only look.
    pub is_dry: bool,
}

/// Everything that was found and done.
#[derive(Debug)]
pub struct AdoptReport {
    /// The entries.
    pub found: Vec<FoundEntry>,
    /// What was pinned.
    pub pinned: Vec<ApprovalPage>,
    /// What was rewritten.
    pub edits: Vec<FileEdit>,
    /// Where it was pinned.
    pub directory: PathBuf,
}

/// Finds what clients start, pins it, and has them start it through facet.
pub fn adopt(request: &AdoptRequest, consent: &dyn Consent) -> Result<AdoptReport, OpsError> {
    own_program_or_refuse()?;
    let (places, directory) = enter(request.scope)?;
    let mut reads = Vec::new();
    for file in files(&request.clients, request.scope, &places) {
        reads.extend(read(&file)?);
    }
    let (mut found, plans) = survey(&reads, &directory, &places.project);
    let mut report =
        AdoptReport { found: Vec::new(), pinned: Vec::new(), edits: Vec::new(), directory };
    if request.is_dry || plans.is_empty() {
        return Ok(AdoptReport { found, ..report });
    }
    refuse_inside_server()?;
    let yes = command_line("adopt", &request.clients, request.scope);
    consent.may_adopt(&found).or_refuse("nothing was adopted", yes.clone())?;
    let origins = pin_all(&plans, &mut found, request.timeout, consent, &mut report.pinned);
    report.edits = edits(&reads, &plans, &mut found, &origins, &report.directory)?;
    report.found = found;
    if !report.edits.is_empty() {
        let answer = consent.may_rewrite(&report.edits);
        answer.or_refuse("nothing was rewritten; what was pinned is pinned", yes)?;
        report.edits.iter().try_for_each(write)?;
    }
    Ok(report)
}

/// An entry is known by its file and its place among the entries of that.
type Key = (usize, usize);

/// Looks at every entry; those that can be adopted have a plan.
fn survey(
    reads: &[ClientFileText],
    directory: &Path,
    project: &Path,
) -> (Vec<FoundEntry>, BTreeMap<Key, (usize, EntryPlan)>) {
    let (mut found, mut plans) = (Vec::new(), BTreeMap::new());
    let own = own_program();
    for (file, read) in reads.iter().enumerate() {
        for (at, entry) in read.entries.iter().enumerate() {
            let outcome = match plan_entry(entry, &own, read.file.scope) {
                Err(EntryOutcome::Guarded) => {
                    match weakness(entry, &read.file, &[directory, project], project) {
                        None => EntryOutcome::Guarded,
                        Some(reason) => EntryOutcome::Weak(reason),
                    }
                }
                Ok(plan) => {
                    plans.insert((file, at), (found.len(), plan));
                    EntryOutcome::Adopted
                }
                Err(outcome) => outcome,
            };
            let variables = entry.env.iter().map(|(name, _)| name).chain(&entry.env_names);
            found.push(FoundEntry {
                client: read.file.client,
                path: read.path.clone(),
                name: entry.name.clone(),
                what: shown_transport(&entry.transport),
                variables: variables.cloned().collect(),
                outcome,
            });
        }
    }
    (found, plans)
}

/// Pins what is not pinned yet; gives back where each name comes from.
fn pin_all(
    plans: &BTreeMap<Key, (usize, EntryPlan)>,
    found: &mut [FoundEntry],
    timeout: Option<u64>,
    consent: &dyn Consent,
    pinned: &mut Vec<ApprovalPage>,
) -> BTreeMap<String, PinnedStart> {
    let mut origins: BTreeMap<String, PinnedStart> = BTreeMap::new();
    for (index, plan) in plans.values() {
        let one = &mut found[*index];
        if let Some(known) = origins.get(&one.name) {
            if *known != plan.start() {
                let reason = "another client has something else under this name";
                one.outcome = EntryOutcome::Skipped(reason.to_owned());
            }
            continue;
        }
        match pin_one(&one.name, plan, timeout, consent) {
            Ok(page) => {
                pinned.extend(page);
                origins.insert(one.name.clone(), plan.start());
            }
            Err(Refusal::Taken) => {
                let reason = "facets.lock has something else under this name, or has not been \
                              approved here";
                one.outcome = EntryOutcome::Skipped(reason.to_owned());
            }
            Err(Refusal::Failed(error)) => one.outcome = EntryOutcome::Failed(Box::new(error)),
        }
    }
    origins
}

enum Refusal {
    Taken,
    Failed(OpsError),
}

fn pin_one(
    name: &str,
    plan: &EntryPlan,
    timeout: Option<u64>,
    consent: &dyn Consent,
) -> Result<Option<ApprovalPage>, Refusal> {
    let project = Project::here().map_err(|error| Refusal::Failed(error.into()))?;
    let state = project.read(&|_| false).map_err(|error| Refusal::Failed(error.into()))?;
    if let Some(server) = state.lock.server(name) {
        let is_same = server.origin == plan.origin
            && server.settings.directory == plan.directory
            && is_approved(name, server, &project).map_err(Refusal::Failed)?;
        return if is_same { Ok(None) } else { Err(Refusal::Taken) };
    }
    let server = NewServer {
        name: name.to_owned(),
        origin: plan.origin.clone(),
        directory: plan.directory.clone(),
        timeout,
        source: None,
        given: plan.given.clone(),
    };
    pin_new(server, consent).map(Some).map_err(Refusal::Failed)
}

/// The files as they would be.
fn edits(
    reads: &[ClientFileText],
    plans: &BTreeMap<Key, (usize, EntryPlan)>,
    found: &mut [FoundEntry],
    origins: &BTreeMap<String, PinnedStart>,
    directory: &Path,
) -> Result<Vec<FileEdit>, OpsError> {
    let mut edits = Vec::new();
    for (file, read) in reads.iter().enumerate() {
        let mut rewriting = Rewriting::of(&read.file, Some(read))?;
        for (at, entry) in read.entries.iter().enumerate() {
            let Some((index, plan)) = plans.get(&(file, at)) else { continue };
            let is_pinned = origins.contains_key(&entry.name);
            if !is_pinned || !matches!(found[*index].outcome, EntryOutcome::Adopted) {
                continue;
            }
            let wanted =
                guarded(&read.file, &entry.name, directory, Some(entry), plan.headers.clone());
            let client = read.file.client;
            let rewritten = rewriting
                .change(|text| guard(client, text.unwrap_or_default(), &entry.place, &wanted));
            // If not, it is pinned, and its entry stays as it is; the others go on.
            if let Err(source) = rewritten {
                let error = OpsError::Client { path: read.path.clone(), source };
                found[*index].outcome = EntryOutcome::Failed(Box::new(error));
            }
        }
        edits.extend(rewriting.edit());
    }
    Ok(edits)
}
