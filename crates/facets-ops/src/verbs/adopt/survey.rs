//! What would become of every entry, before anything is started: the same for a dry run and a real one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use facets_clients::{ClientError, Entry, Guarded, guard};
use facets_failure::shell_word;
use facets_lock::LockedEntry;
use facets_model::Origin;
use facets_project::{Project, State, UserDirectory};

use crate::approval::is_approved;
use crate::client_entries::{
    EntryOutcome, EntryPlan, EntryReader, FoundEntry, PackageLocking, PinnedStart, PlannedEntry,
    shown_transport,
};
use crate::client_files::{ClientFileText, Scope, guarded, is_writable};
use crate::entry_reasons::Reasons;
use crate::error::OpsError;
use crate::guarding::weakness;
use crate::own_program::own_program;
use crate::package_commands::PackageCommands;
use crate::package_lock_offer::LockOffer;

/// An entry is known by its file and its place among the entries of that.
pub(super) type Key = (usize, usize);

/// An entry that is adopted.
pub(super) struct Adoption {
    /// Its place among what was found.
    pub(super) index: usize,
    pub(super) plan: EntryPlan,
    /// What its entry becomes.
    pub(super) guarded: Guarded,
    /// Whether it is pinned and approved already.
    pub(super) is_pinned: bool,
    /// What becomes of the packages that it runs.
    pub(super) packages: Option<PackageLocking>,
}

/// Every entry, and how those are adopted that can be.
#[derive(Default)]
pub(super) struct Survey {
    pub(super) found: Vec<FoundEntry>,
    pub(super) adoptions: BTreeMap<Key, Adoption>,
}

/// Where is looked, and where is pinned.
pub(super) struct Surveyor<'s> {
    pub(super) scope: Scope,
    pub(super) packages: PackageCommands,
    /// The directory of the lock.
    pub(super) directory: &'s Path,
    /// The project whose clients are looked at.
    pub(super) project: &'s Path,
    pub(super) state: State,
}

impl Surveyor<'_> {
    /// Looks at every entry.
    pub(super) fn survey(&self, reads: &[ClientFileText]) -> Result<Survey, OpsError> {
        let mut survey = Survey::default();
        let mut names: BTreeMap<String, (PinnedStart, String)> = BTreeMap::new();
        for (file, read) in reads.iter().enumerate() {
            for (at, entry) in read.entries.iter().enumerate() {
                let found = found_entry(read, entry);
                let judged = self.judge(read, entry, &mut names)?;
                let (outcome, adoption) = match judged {
                    Ok(adoption) => (EntryOutcome::Adopted, Some(adoption)),
                    Err(outcome) => (outcome, None),
                };
                let plan = adoption.as_ref().map(|adoption| self.planned(adoption));
                if let Some(adoption) = adoption {
                    let index = survey.found.len();
                    survey.adoptions.insert((file, at), Adoption { index, ..adoption });
                }
                survey.found.push(FoundEntry { plan, outcome, ..found });
            }
        }
        Ok(survey)
    }

    fn judge(
        &self,
        read: &ClientFileText,
        entry: &Entry,
        names: &mut BTreeMap<String, (PinnedStart, String)>,
    ) -> Result<Result<Adoption, EntryOutcome>, OpsError> {
        let reader = EntryReader::of(&read.file, self.project);
        let plan = match reader.plan(entry, &own_program()) {
            Ok(plan) => plan,
            Err(EntryOutcome::Guarded) => {
                // What is pinned for every project guards the entries of this one, too.
                let user = UserDirectory::of_person().map(|user| user.project_path()).ok();
                let mut places = vec![self.directory, self.project];
                places.extend(user.as_deref());
                let weakness = weakness(entry, &read.file, &places, self.project);
                return Ok(Err(weakness.map_or(EntryOutcome::Guarded, EntryOutcome::Weak)));
            }
            Err(outcome) => return Ok(Err(outcome)),
        };
        let (plan, packages) = self.locked_plan(&entry.name, plan);
        let is_pinned = match self.pinned(&entry.name, &plan)? {
            Ok(is_pinned) => is_pinned,
            Err(reason) => return Ok(Err(EntryOutcome::Skipped(reason))),
        };
        let shown = self.shown_start(read, &plan);
        if let Some((first, shown_first)) = names.get(&entry.name)
            && *first != plan.start()
        {
            let reason = format!(
                "{shown_first} and {shown} have different servers under the name `{}`: rename one of \
                 the two entries, then type `{}`",
                entry.name,
                self.again()
            );
            return Ok(Err(EntryOutcome::Skipped(reason)));
        }
        if !is_writable(&read.path) {
            let path = shown_path(&read.path, self.project);
            let reason = format!(
                "{path} cannot be written: correct the permissions of its folder, then type `{}`",
                self.again()
            );
            return Ok(Err(EntryOutcome::Skipped(reason)));
        }
        let headers = plan.headers.clone();
        let guarded = guarded(&read.file, &entry.name, self.directory, Some(entry), headers);
        if let Err(source) = guard(read.file.client, &read.text, &entry.place, &guarded) {
            return Ok(Err(refused(read, source)));
        }
        names.entry(entry.name.clone()).or_insert_with(|| (plan.start(), shown));
        Ok(Ok(Adoption { index: 0, plan, guarded, is_pinned, packages }))
    }

    /// spec 10.8: an entry that runs a package is locked as that package. What was pinned as a command stays one.
    fn locked_plan(&self, name: &str, plan: EntryPlan) -> (EntryPlan, Option<PackageLocking>) {
        let is_pinned = self.state.lock.server(name).is_some_and(|server| {
            server.origin == plan.origin && server.settings.directory == plan.directory
        });
        match LockOffer::of_origin(&plan.origin) {
            LockOffer::Other => (plan, None),
            _ if is_pinned => (plan, None),
            LockOffer::NotLockable(reason) => (plan, Some(PackageLocking::NotLockable(reason))),
            LockOffer::Lockable { .. } if self.packages == PackageCommands::AsTyped => {
                (plan, Some(PackageLocking::AsTyped))
            }
            LockOffer::Lockable { package, .. } => {
                let origin = package.into();
                (EntryPlan { origin, ..plan }, Some(PackageLocking::Locked))
            }
        }
    }

    /// Whether a name is pinned with this start and approved; or what stands in the way.
    fn pinned(&self, name: &str, plan: &EntryPlan) -> Result<Result<bool, String>, OpsError> {
        let again = self.again();
        let Some(server) = self.state.lock.server(name) else {
            let is_known = self.state.lock.servers().contains_key(name);
            let manifest = self.state.manifest.as_ref();
            let is_declared = manifest.is_some_and(|manifest| manifest.servers.contains_key(name));
            return Ok(match self.state.lock.servers().get(name) {
                Some(LockedEntry::Broken(_)) => Err(format!(
                    "the lock entry for `{name}` was modified: see what changed with `{}`, then type `{again}`",
                    self.command("verify", name)
                )),
                _ if is_known => Err(format!(
                    "facets.lock has something under the name `{name}` that this facet does not start: \
                     rename the entry, then type `{again}`"
                )),
                _ if is_declared => Err(format!(
                    "facets.json names `{name}` already, and it is not pinned: type `{}`, then `{again}`",
                    self.command("approve", name)
                )),
                _ => Ok(false),
            });
        };
        let is_same = server.origin == plan.origin && server.settings.directory == plan.directory;
        if !is_same {
            let pinned = shown_origin(&server.origin, server.settings.directory.as_deref());
            let wanted = shown_origin(&plan.origin, plan.directory.as_deref());
            return Ok(Err(format!(
                "facets.lock has `{name}` as {pinned}, and this entry starts {wanted}: rename the entry, \
                 or unpin the other with `{}`, then type `{again}`",
                self.command("remove", name)
            )));
        }
        if is_approved(name, server, &Project::here()?)? {
            return Ok(Ok(true));
        }
        Ok(Err(format!(
            "facets.lock has it already, and you have not approved it on this machine: type `{}`, then \
             `{again}`",
            self.command("approve", name)
        )))
    }

    /// A command about a server that is pinned where we are.
    fn command(&self, verb: &str, name: &str) -> String {
        match self.scope {
            Scope::Project => format!("facet {verb} {name}"),
            Scope::User => {
                format!("facet {verb} {name} --directory {}", shell_word(self.directory))
            }
        }
    }

    fn again(&self) -> &'static str {
        match self.scope {
            Scope::Project => "facet adopt",
            Scope::User => "facet adopt --user",
        }
    }

    fn planned(&self, adoption: &Adoption) -> PlannedEntry {
        let Adoption { plan, guarded, is_pinned, packages, .. } = adoption;
        let start = || match (&plan.directory, self.scope) {
            // Without the dot of `./tools`.
            (Some(directory), _) => Some(self.directory.join(directory).components().collect()),
            (None, Scope::User) => std::env::home_dir(),
            (None, Scope::Project) => Some(self.directory.to_owned()),
        };
        let is_remote = plan.origin.is_remote();
        let variables = plan.origin.variables().into_iter().map(str::to_owned).collect();
        let entry = std::iter::once(&guarded.program).chain(&guarded.args).cloned();
        PlannedEntry {
            launch: plan.origin.to_string(),
            directory: if is_remote { None } else { start() },
            variables: if is_remote { Vec::new() } else { variables },
            headers: plan.headers.iter().map(|(header, _)| header.clone()).collect(),
            entry: entry.collect(),
            is_pinned: *is_pinned,
            packages: packages.clone(),
        }
    }

    /// What a client has, as it is said where two have different things.
    fn shown_start(&self, read: &ClientFileText, plan: &EntryPlan) -> String {
        let path = shown_path(&read.path, self.project);
        let start = shown_origin(&plan.origin, plan.directory.as_deref());
        format!("{} ({path}: {start})", read.file.client.title())
    }
}

fn found_entry(read: &ClientFileText, entry: &Entry) -> FoundEntry {
    let variables = entry.env.iter().map(|(name, _)| name).chain(&entry.env_names);
    FoundEntry {
        client: read.file.client,
        path: read.path.clone(),
        name: entry.name.clone(),
        what: shown_transport(&entry.transport),
        variables: variables.cloned().collect(),
        plan: None,
        outcome: EntryOutcome::Guarded,
    }
}

/// An entry that cannot be rewritten is neither started nor pinned.
fn refused(read: &ClientFileText, source: ClientError) -> EntryOutcome {
    match &source {
        ClientError::SignsIn { member, .. } => {
            EntryOutcome::Skipped(Reasons { file: &read.file }.signs_in(member))
        }
        _ => EntryOutcome::Failed(Box::new(OpsError::Client { path: read.path.clone(), source })),
    }
}

fn shown_origin(origin: &Origin, directory: Option<&str>) -> String {
    let mut shown = format!("`{origin}`");
    let variables = origin.variables();
    if !variables.is_empty() {
        shown.push_str(" with ");
        shown.push_str(&variables.join(", "));
    }
    if let Some(directory) = directory {
        shown.push_str(" in ");
        shown.push_str(directory);
    }
    shown
}

/// A file from the project on, if it lies in it.
fn shown_path(path: &Path, project: &Path) -> String {
    let below: PathBuf = path.strip_prefix(project).unwrap_or(path).to_owned();
    below.display().to_string()
}
