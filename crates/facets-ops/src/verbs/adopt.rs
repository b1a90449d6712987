//! `facet adopt`: pins the servers that clients start, and has the clients start them through facet
//! (spec 10.6).

mod survey;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use facets_clients::{ClientFile, guard};
use facets_drift::Severity;
use facets_failure::Describe as _;
use facets_project::Project;
use facets_surface::Surface;

pub use crate::client_entries::{EntryOutcome, FoundEntry, PackageLocking, PlannedEntry};
use crate::client_files::{
    Client, ClientFileText, FileEdit, Rewriting, Scope, command_line, enter, files, read, write,
};
use crate::confusable_names::like_new_others;
use crate::consent::{Answer, ApprovalPage, Consent, StartAgreed};
use crate::critical_findings::require_accepted;
use crate::error::OpsError;
use crate::facet_values::FacetValues;
use crate::outside_servers::refuse_inside_server;
use crate::own_program::own_program_or_refuse;
pub use crate::package_commands::PackageCommands;
use crate::pinning::{LookedAt, NameUse, NewServer, look_at_new};
use crate::start_attempt::longer_wait;
use survey::{Adoption, Key, Survey, Surveyor};

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
    /// What becomes of commands that run a package.
    pub packages: PackageCommands,
}

/// Everything that was found and done.
#[derive(Debug)]
pub struct AdoptReport {
    /// The entries.
    pub found: Vec<FoundEntry>,
    /// What was pinned.
    pub pinned: Vec<ApprovalPage>,
    /// What was looked at and not pinned, because nobody has said yes to what it declares.
    pub unaccepted: Vec<ApprovalPage>,
    /// What was rewritten.
    pub edits: Vec<FileEdit>,
    /// Where it was pinned.
    pub directory: PathBuf,
    /// Whose files were looked at.
    pub scope: Scope,
    /// Whether it was only looked at.
    pub is_dry: bool,
    /// Whether the entries were shown before the first question.
    pub was_shown: bool,
    /// Files that could not be read; the entries of the others were adopted.
    pub unreadable: Vec<UnreadableFile>,
}

/// A file of a client that could not be read.
#[derive(Debug)]
pub struct UnreadableFile {
    /// Whose.
    pub client: Client,
    /// Where it lies.
    pub path: PathBuf,
    /// Why.
    pub error: OpsError,
}

/// Finds what clients start, pins it, and has them start it through facet.
pub fn adopt(request: &AdoptRequest, consent: &dyn Consent) -> Result<AdoptReport, OpsError> {
    own_program_or_refuse()?;
    let (places, directory) = enter(request.scope)?;
    let (reads, unreadable) = read_all(&files(&request.clients, request.scope, &places))?;
    let state = Project::here()?.read(&|_| false)?;
    let surveyor = Surveyor {
        scope: request.scope,
        packages: request.packages,
        directory: &directory,
        project: &places.project,
        state,
    };
    let Survey { found, adoptions } = surveyor.survey(&reads)?;
    let mut adopting = Adopting { request, consent, found, adoptions, names: BTreeMap::new() };
    let (mut pinned, mut unaccepted, mut edits) = (Vec::new(), Vec::new(), Vec::new());
    let is_new = adopting.adoptions.values().any(|adoption| !adoption.is_pinned);
    if !request.is_dry && !adopting.adoptions.is_empty() {
        refuse_inside_server()?;
        // One question about everything that would be started; none if all of it is pinned.
        if is_new && adopting.may_look()? {
            let looked = adopting.look();
            adopting.decide(looked, &mut pinned, &mut unaccepted)?;
        }
        adopting.note_outcomes();
        edits = adopting.edits(&reads)?;
        adopting.rewrite(&mut edits)?;
    }
    let (is_dry, was_shown) = (request.is_dry, is_new && !request.is_dry);
    Ok(AdoptReport {
        found: adopting.found,
        pinned,
        unaccepted,
        edits,
        directory,
        scope: request.scope,
        is_dry,
        was_shown,
        unreadable,
    })
}

/// Reads what can be read: one broken file does not keep the others from being adopted. If there is no
/// other, that is an error.
fn read_all(files: &[ClientFile]) -> Result<(Vec<ClientFileText>, Vec<UnreadableFile>), OpsError> {
    let (mut reads, mut unreadable) = (Vec::new(), Vec::new());
    for file in files {
        match read(file) {
            Ok(text) => reads.extend(text),
            Err(error) => {
                let (client, path) = (file.client, file.path.clone());
                unreadable.push(UnreadableFile { client, path, error });
            }
        }
    }
    match unreadable.pop() {
        Some(only) if reads.is_empty() && unreadable.is_empty() => Err(only.error),
        last => {
            unreadable.extend(last);
            Ok((reads, unreadable))
        }
    }
}

/// What became of the server of a name.
enum NameOutcome {
    Declined,
    Unaccepted(String),
    /// The entries of that name; the error stands at the first.
    Failed(Option<Box<OpsError>>),
}

/// A run that is no dry one.
struct Adopting<'r> {
    request: &'r AdoptRequest,
    consent: &'r dyn Consent,
    found: Vec<FoundEntry>,
    adoptions: BTreeMap<Key, Adoption>,
    /// Names that are not adopted after all.
    names: BTreeMap<String, NameOutcome>,
}

impl Adopting<'_> {
    fn command_line(&self) -> String {
        command_line("adopt", &self.request.clients, self.request.scope)
    }

    /// Whether everything that is new may be started.
    fn may_look(&mut self) -> Result<bool, OpsError> {
        match self.consent.may_adopt(&self.found) {
            Answer::Yes => Ok(true),
            Answer::No => {
                for adoption in self.adoptions.values().filter(|adoption| !adoption.is_pinned) {
                    let name = self.found[adoption.index].name.clone();
                    self.names.insert(name, NameOutcome::Declined);
                }
                Ok(false)
            }
            Answer::NoTerminal => {
                let next = self.command_line();
                Answer::NoTerminal.or_refuse("nothing was adopted", next).map(|()| false)
            }
        }
    }

    /// Looks at every server that is new, each once. One that fails does not keep the others.
    fn look(&mut self) -> Vec<LookedAt> {
        let mut looked: Vec<LookedAt> = Vec::new();
        let mut seen = BTreeSet::new();
        let mut others: Vec<(String, Surface)> = Vec::new();
        let new = self.adoptions.values().filter(|adoption| !adoption.is_pinned);
        let names: BTreeSet<&str> =
            new.clone().map(|adoption| self.found[adoption.index].name.as_str()).collect();
        let count = names.len();
        for adoption in new {
            let name = self.found[adoption.index].name.clone();
            if !seen.insert(name.clone()) {
                continue;
            }
            self.consent.progress().on_server(seen.len(), count);
            let server = NewServer {
                name: name.clone(),
                origin: adoption.plan.origin.clone(),
                published: None,
                name_use: NameUse::MustBeFree,
                directory: adoption.plan.directory.clone(),
                timeout: self.request.timeout,
                source: None,
                given: adoption.plan.given.clone(),
                values: FacetValues::default(),
                before: None,
            };
            match look_at_new(server, &StartAgreed(self.consent)) {
                Ok(mut one) => {
                    one.add_names(like_new_others(&one.page().surface, &others));
                    others.push((name, one.page().surface.clone()));
                    looked.push(one);
                }
                Err(error) => {
                    let client = self.found[adoption.index].client;
                    let error = mended_by_adopting(error, &name, client, self.request.scope);
                    self.names.insert(name, NameOutcome::Failed(Some(Box::new(error))));
                }
            }
        }
        looked
    }

    /// One question for everything harmless, and one for each of the others.
    fn decide(
        &mut self,
        looked: Vec<LookedAt>,
        pinned: &mut Vec<ApprovalPage>,
        unaccepted: &mut Vec<ApprovalPage>,
    ) -> Result<(), OpsError> {
        let is_harmless = |one: &LookedAt| worst(one.page()) < Some(Severity::Critical);
        let (harmless, others): (Vec<_>, Vec<_>) = looked.into_iter().partition(is_harmless);
        let pages: Vec<&ApprovalPage> = harmless.iter().map(LookedAt::page).collect();
        let answer = match pages.as_slice() {
            [] => Answer::Yes,
            [page] => self.consent.may_pin(page),
            pages => self.consent.may_pin_all(pages),
        };
        for one in harmless {
            self.pin_or_decline(one, answer, pinned)?;
        }
        for one in others {
            if let Some(reason) = self.refusal(one.page()) {
                self.names.insert(one.page().name.clone(), NameOutcome::Unaccepted(reason));
                unaccepted.push(one.into_page());
                continue;
            }
            let answer = self.consent.may_pin(one.page());
            self.pin_or_decline(one, answer, pinned)?;
        }
        Ok(())
    }

    fn pin_or_decline(
        &mut self,
        one: LookedAt,
        answer: Answer,
        pinned: &mut Vec<ApprovalPage>,
    ) -> Result<(), OpsError> {
        let name = one.page().name.clone();
        match answer {
            Answer::Yes => match one.pin() {
                Ok(page) => pinned.push(page),
                Err(error) => {
                    self.names.insert(name, NameOutcome::Failed(Some(Box::new(error))));
                }
            },
            Answer::No => {
                self.names.insert(name, NameOutcome::Declined);
            }
            Answer::NoTerminal => {
                Answer::NoTerminal.or_refuse("nothing was adopted", self.command_line())?;
            }
        }
        Ok(())
    }

    /// spec 8.5: why a yes that was given beforehand is none to what a server declares
    fn refusal(&self, page: &ApprovalPage) -> Option<String> {
        if !self.consent.has_answered() || self.consent.accepts() == Severity::Critical {
            return None;
        }
        let found = match require_accepted(page, self.consent) {
            Err(error) => error.actual().unwrap_or_default(),
            Ok(()) => String::new(),
        };
        let typed = self.command_line();
        let (asked, accepted) = match typed.strip_suffix(" --yes") {
            Some(asked) => (asked, format!("{asked} --accept critical")),
            None => (typed.as_str(), typed.clone()),
        };
        let colon = if found.is_empty() { "" } else { ": " };
        Some(format!(
            "what it declares has critical findings, and `--yes` does not cover those{colon}{found}. Read \
             them and answer at a terminal: type `{asked}`; or, after reading: `{accepted}`"
        ))
    }

    /// Entries of a name share what became of its server.
    fn note_outcomes(&mut self) {
        let mut firsts: BTreeMap<String, String> = BTreeMap::new();
        for adoption in self.adoptions.values() {
            let one = &mut self.found[adoption.index];
            let Some(outcome) = self.names.get_mut(&one.name) else { continue };
            one.outcome = match outcome {
                NameOutcome::Declined => EntryOutcome::Declined(
                    "you said no: it is not pinned, and its entry stays as it is".to_owned(),
                ),
                NameOutcome::Unaccepted(reason) => EntryOutcome::Unaccepted(reason.clone()),
                NameOutcome::Failed(error) => match error.take() {
                    Some(error) => {
                        firsts.insert(one.name.clone(), one.client.title().to_owned());
                        EntryOutcome::Failed(error)
                    }
                    None => EntryOutcome::Skipped(format!(
                        "it is the same server as that of {}, which could not be pinned: see there",
                        firsts.get(&one.name).map_or("another client", String::as_str)
                    )),
                },
            };
        }
    }

    /// The files as they would be.
    fn edits(&mut self, reads: &[ClientFileText]) -> Result<Vec<FileEdit>, OpsError> {
        let mut edits = Vec::new();
        for (file, read) in reads.iter().enumerate() {
            let mut rewriting = Rewriting::of(&read.file, Some(read))?;
            for (at, entry) in read.entries.iter().enumerate() {
                let Some(adoption) = self.adoptions.get(&(file, at)) else { continue };
                let one = &mut self.found[adoption.index];
                if !matches!(one.outcome, EntryOutcome::Adopted) {
                    continue;
                }
                let client = read.file.client;
                let rewritten = rewriting.change(|text| {
                    guard(client, text.unwrap_or_default(), &entry.place, &adoption.guarded)
                });
                // It was tried before, alone; the others go on.
                if let Err(source) = rewritten {
                    let error = OpsError::Client { path: read.path.clone(), source };
                    one.outcome = EntryOutcome::Failed(Box::new(error));
                }
            }
            edits.extend(rewriting.edit());
        }
        Ok(edits)
    }

    /// Writes the files, after a yes.
    fn rewrite(&mut self, edits: &mut Vec<FileEdit>) -> Result<(), OpsError> {
        if edits.is_empty() {
            return Ok(());
        }
        match self.consent.may_rewrite(edits) {
            Answer::Yes => edits.iter().try_for_each(write),
            Answer::No => {
                edits.clear();
                let typed = self.command_line();
                let typed = typed.strip_suffix(" --yes").unwrap_or(&typed);
                for adoption in self.adoptions.values() {
                    let one = &mut self.found[adoption.index];
                    if matches!(one.outcome, EntryOutcome::Adopted) {
                        one.outcome = EntryOutcome::Declined(format!(
                            "it is pinned, and its entry stays as it is: type `{typed}` to rewrite it"
                        ));
                    }
                }
                Ok(())
            }
            Answer::NoTerminal => {
                let undone = "nothing was rewritten; what was pinned is pinned";
                Answer::NoTerminal.or_refuse(undone, self.command_line())
            }
        }
    }
}

/// What mends the start of a server that a client has: more time, or another entry. `facet add` would pin it
/// beside that.
fn mended_by_adopting(error: OpsError, name: &str, client: Client, scope: Scope) -> OpsError {
    let typed = command_line("adopt", &[client], scope);
    let typed = typed.strip_suffix(" --yes").unwrap_or(&typed);
    match error {
        OpsError::Start(mut failure) => {
            failure.mend = match longer_wait(&failure.source) {
                Some(seconds) => Some(format!("{typed} --timeout {seconds}")),
                None => {
                    failure.mend.take().map(|_| format!("edit the entry of {name}, then {typed}"))
                }
            };
            OpsError::Start(failure)
        }
        other => other,
    }
}

/// The worst that a page shows of a server that is new.
fn worst(page: &ApprovalPage) -> Option<Severity> {
    let varies = page.varies.iter().map(|finding| finding.severity).max();
    page.look.worst().max(varies)
}
