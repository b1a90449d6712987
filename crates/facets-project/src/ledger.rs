//! What this user has decided on this machine, by project and name (spec 8.5).

use std::path::{Path, PathBuf};

use facets_digest::Digest;
use facets_lock::{Grants, Lock, LockedServer};
use facets_surface::Also;

use crate::busy::Busy;
use crate::error::ProjectError;
use crate::files::{self, io};
use crate::ledger_record::{Approval, LedgerRecord};
use crate::old_approvals::OldApprovals;
use crate::runs::seconds_now;
use crate::user_directory::{UserDirectory, check_private, make_private};

const FOLDER: &str = "ledger";

/// Approvals of one name that are kept; of more, the oldest go.
const MOST: usize = 1000;

/// What this user has decided about the servers of one project: a file for each name, changed as a
/// whole.
#[derive(Clone, Debug)]
pub struct Ledger {
    user: UserDirectory,
    /// Where the project lies.
    project: PathBuf,
    folder: PathBuf,
}

impl Ledger {
    /// What was decided about a project.
    pub fn of(project: &Path, user: &UserDirectory) -> Result<Self, ProjectError> {
        let root = user.checked(FOLDER)?;
        check_private(&root)?;
        let folder = root.join(project_key(project));
        Ok(Self { user: user.clone(), project: project.to_owned(), folder })
    }

    /// What was decided about a name; none if nothing ever was.
    pub fn record(&self, name: &str) -> Result<Option<LedgerRecord>, ProjectError> {
        read_record(&self.path(name))
    }

    /// The approval of an entry that gets these values of a facet, if this user gave it.
    pub fn approval(
        &self,
        name: &str,
        server: &LockedServer,
        values: Option<Digest>,
    ) -> Result<Option<Approval>, ProjectError> {
        Ok(self.record(name)?.and_then(|record| record.approval(server, values).cloned()))
    }

    /// Approvals that an older facet wrote count if they are about what the lock pins when this facet
    /// first sees the project. They are written anew, all at once, and never looked at again: they
    /// have no names, and what was taken away since must not come back under another.
    pub(crate) fn take_over_older(&self, lock: &Lock) -> Result<(), ProjectError> {
        let older = OldApprovals::of(&self.user)?;
        if self.folder.exists() || older.is_empty() {
            return Ok(());
        }
        let (mut records, mut taken) = (Vec::new(), Vec::new());
        for name in lock.servers().keys() {
            let Some(server) = lock.server(name) else { continue };
            if let Some(grants) = older.grants_of(server, &self.project)? {
                taken.push(server);
                let approved = vec![Approval::of(server, None, Also::default(), seconds_now())];
                records.push(LedgerRecord { approved, ..self.new_record(name, Some(grants)) });
            }
        }
        self.user.made(FOLDER)?;
        let staged = self.folder.with_extension(format!("new-{}", std::process::id()));
        make_private(&staged)?;
        for record in records {
            files::write(&staged.join(file_name(&record.name)), record.to_json().as_bytes())?;
        }
        match std::fs::rename(&staged, &self.folder) {
            Ok(()) => taken.into_iter().try_for_each(|server| older.end_address(server)),
            // Another facet was faster, and has done the same.
            Err(_) if self.folder.exists() => {
                std::fs::remove_dir_all(&staged).map_err(io("remove", &staged))
            }
            Err(error) => Err(io("write", &self.folder)(error)),
        }
    }

    fn new_record(&self, name: &str, grants: Option<Grants>) -> LedgerRecord {
        let project = self.project.to_string_lossy().into_owned();
        let folder = self.folder.clone();
        LedgerRecord { project, name: name.to_owned(), grants, approved: Vec::new(), folder }
    }

    /// The latest decision on what a name may do; none if there is none.
    pub fn grants(&self, name: &str) -> Result<Option<Grants>, ProjectError> {
        Ok(self.record(name)?.and_then(|record| record.grants))
    }

    /// Approves an entry with the values of a facet, and decides what its name may do; if the latest decision is still `seen`, what
    /// it was when this one was made. `variant` is what it declares otherwise on this machine.
    pub fn approve(
        &self,
        (name, server, values): (&str, &LockedServer, Option<Digest>),
        seen: Option<&Grants>,
        grants: &Grants,
        variant: Also,
    ) -> Result<bool, ProjectError> {
        let approval = Approval::of(server, values, variant, seconds_now());
        self.change_if(name, seen, |record| record.add(approval, grants.clone(), MOST))
    }

    /// Decides what a name may do; if the latest decision is still `seen`.
    pub fn decide(
        &self,
        name: &str,
        seen: Option<&Grants>,
        grants: &Grants,
    ) -> Result<bool, ProjectError> {
        self.change_if(name, seen, |record| record.grants = Some(grants.clone()))
    }

    /// No longer approves anything of a name. What it may do stays decided.
    pub fn revoke(&self, name: &str) -> Result<(), ProjectError> {
        if !self.path(name).exists() {
            return Ok(());
        }
        let _busy = self.exclusive()?;
        let Some(mut record) = self.record(name)? else { return Ok(()) };
        record.approved.clear();
        files::write(&self.path(name), record.to_json().as_bytes())
    }

    /// From now on no approval of an older facet counts for this project.
    pub fn ignore_older(&self) -> Result<(), ProjectError> {
        self.user.made(FOLDER)?;
        make_private(&self.folder)
    }

    /// From now on no approval of an older facet counts for any project.
    pub fn end_all_older(user: &UserDirectory) -> Result<(), ProjectError> {
        OldApprovals::of(user)?.end_all()
    }

    /// Ends everything that was decided about a name.
    pub fn end(&self, name: &str) -> Result<(), ProjectError> {
        let path = self.path(name);
        if !path.exists() {
            return Ok(());
        }
        let _busy = self.exclusive()?;
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(io("remove", &path)(error))
            }
            _ => Ok(()),
        }
    }

    /// Everything that was decided about this project. What cannot be read approves nothing, and is left
    /// out.
    #[must_use]
    pub fn records(&self) -> Vec<LedgerRecord> {
        records_in(&self.folder)
    }

    /// The ledger of the project that a record is about, wherever that lies.
    pub fn of_record(record: &LedgerRecord, user: &UserDirectory) -> Self {
        let project = PathBuf::from(&record.project);
        Self { user: user.clone(), project, folder: record.folder.clone() }
    }

    /// Everything that this user has decided about any project.
    pub fn all(user: &UserDirectory) -> Result<Vec<LedgerRecord>, ProjectError> {
        let entries = std::fs::read_dir(user.checked(FOLDER)?).into_iter().flatten().flatten();
        let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        folders.sort();
        // One that a facet was killed over is none yet.
        folders.retain(|folder| folder.extension().is_none());
        let mut all: Vec<LedgerRecord> = folders.iter().flat_map(|path| records_in(path)).collect();
        all.sort_by(|a, b| (&a.project, &a.name).cmp(&(&b.project, &b.name)));
        Ok(all)
    }

    /// Where else this user has approved just this under this name, the latest first: the project may
    /// have been moved, or cloned once more.
    pub fn elsewhere(
        &self,
        name: &str,
        server: &LockedServer,
        values: Option<Digest>,
    ) -> Result<Vec<LedgerRecord>, ProjectError> {
        let mut found = Self::all(&self.user)?;
        let here = self.project.to_string_lossy();
        let approval = |record: &LedgerRecord| record.approval(server, values).cloned();
        found.retain(|record| {
            record.name == name && record.project != here && approval(record).is_some()
        });
        found.sort_by_key(|record| {
            let approved = approval(record).map(|approval| approval.seconds);
            std::cmp::Reverse(approved)
        });
        Ok(found)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(file_name(name))
    }

    /// Changes a record if what it says of grants is still what was seen; else another facet has decided
    /// meanwhile, and nothing is changed.
    fn change_if(
        &self,
        name: &str,
        seen: Option<&Grants>,
        decide: impl FnOnce(&mut LedgerRecord),
    ) -> Result<bool, ProjectError> {
        self.user.made(FOLDER)?;
        make_private(&self.folder)?;
        let _busy = self.exclusive()?;
        let mut record = self.record(name)?.unwrap_or_else(|| self.new_record(name, None));
        if record.grants.as_ref() != seen {
            return Ok(false);
        }
        decide(&mut record);
        files::write(&self.path(name), record.to_json().as_bytes())?;
        Ok(true)
    }

    /// Two facets must not lose what the other wrote.
    fn exclusive(&self) -> Result<Busy, ProjectError> {
        Busy::exclusive(&self.folder.join("busy"), &self.project)
    }
}

fn file_name(name: &str) -> String {
    format!("{}.json", Digest::of(name.as_bytes()).hex())
}

/// What a project is called among the folders of a user.
pub(crate) fn project_key(project: &Path) -> String {
    Digest::of(project.as_os_str().as_encoded_bytes()).hex()
}

fn records_in(folder: &Path) -> Vec<LedgerRecord> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    let paths = paths.filter(|path| path.extension().is_some_and(|end| end == "json"));
    let mut records: Vec<LedgerRecord> =
        paths.filter_map(|path| read_record(&path).ok().flatten()).collect();
    records.sort_by(|a, b| a.name.cmp(&b.name));
    records
}

/// A record that cannot be read approves nothing, and must not be taken for none: it may have said what
/// a server must not do.
fn read_record(path: &Path) -> Result<Option<LedgerRecord>, ProjectError> {
    let Some(bytes) = files::read(path)? else { return Ok(None) };
    let unusable = || ProjectError::Ledger { path: path.to_owned() };
    let folder = path.parent().unwrap_or(path).to_owned();
    LedgerRecord::parse(&bytes, folder).map(Some).ok_or_else(unusable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn approvals_that_cannot_be_taken_over_are_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let user = UserDirectory::at(folder.path().join("home"));
        files::write(&user.made("approvals").unwrap().join("older"), b"{}").unwrap();
        let ledger = Ledger::of(Path::new("/project"), &user).unwrap();
        user.made(FOLDER).unwrap();
        // A link that leads nowhere is no folder that another facet has made.
        std::os::unix::fs::symlink("nowhere", &ledger.folder).unwrap();
        let failed = ledger.take_over_older(&Lock::empty()).unwrap_err();
        assert!(matches!(failed, ProjectError::Io { what: "write", .. }), "{failed:?}");
    }
}
