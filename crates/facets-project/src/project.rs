//! A project: read as a whole, changed as a whole.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use facets_digest::Digest;
use facets_files::{staged_path, write_synced};
use facets_lock::{CLOSURES, Lock, SURFACES, closure_path, surface_path};
use facets_model::AssetBase;
use facets_model::manifest::ProjectManifest;
use facets_surface::{Surface, SurfaceFileError, parse_surface_file};

use crate::asset_check::read_asset;
use crate::busy::Busy;
use crate::change::Change;
use crate::error::ProjectError;
use crate::files::{self, LOCK, MANIFEST, STATE, check_folder, make_folder};
use crate::installed::InstalledRecord;
use crate::journal::Journal;
use crate::ledger::{Ledger, project_key};
use crate::manifest::valid_manifest;
use crate::places::{AssetPlaces, Bases};
use crate::prepare::Preparation;
use crate::receipt::Receipt;
use crate::user_directory::UserDirectory;

/// A project in a folder.
#[derive(Clone, Debug)]
pub struct Project {
    /// As it is named in messages; empty for the current directory.
    root: PathBuf,
    /// Where it really lies.
    place: PathBuf,
    /// Where its user keeps things; none is looked up in the environment when it is needed.
    user: Option<UserDirectory>,
    /// Where clients look for the assets of its user; the same.
    places: Option<AssetPlaces>,
}

/// What a project says, at one moment.
#[derive(Clone, Debug)]
pub struct State {
    /// The text of its manifest; none if there is none.
    pub manifest_text: Option<String>,
    /// The manifest.
    pub manifest: Option<ProjectManifest>,
    /// The lock; empty if there is none.
    pub lock: Lock,
    /// Whether there is a lock.
    pub has_lock: bool,
    /// The surface files that were asked for, by the name of the server.
    pub surfaces: BTreeMap<String, SurfaceOnDisk>,
    /// The closure files of those that are packages, by the name of the server; none where it is missing.
    pub closures: BTreeMap<String, Option<Vec<u8>>>,
}

/// A surface file, as it lies there.
#[derive(Clone, Debug)]
pub enum SurfaceOnDisk {
    /// It is not there.
    Missing,
    /// It is not as facet wrote it.
    Refused(SurfaceFileError),
    /// It is; with the digest of the file.
    Whole(Box<Surface>, Digest),
}

/// Where a user keeps files that say which projects are being changed: in the project itself, whoever can
/// read it could keep them locked.
const BUSY: &str = "busy";

impl Project {
    /// The project in the current directory.
    pub fn here() -> Result<Self, ProjectError> {
        let here = Path::new(".");
        let place = std::fs::canonicalize(here).map_err(files::io("read", here))?;
        Ok(Self { root: PathBuf::new(), place, user: None, places: None })
    }

    /// The project in another directory, of a user who keeps things there.
    pub fn at(root: &Path, user: UserDirectory) -> Result<Self, ProjectError> {
        let place = std::fs::canonicalize(root).map_err(files::io("read", root))?;
        Ok(Self { root: root.to_owned(), place, user: Some(user), places: None })
    }

    /// The same, with other places for the assets of its user than the environment says.
    #[must_use]
    pub fn with_places(self, places: AssetPlaces) -> Self {
        Self { places: Some(places), ..self }
    }

    /// Where its user keeps things: never in the project itself.
    pub fn user(&self) -> Result<UserDirectory, ProjectError> {
        let user = match &self.user {
            Some(user) => user.clone(),
            None => UserDirectory::of_this_user()?,
        };
        user.outside_of(&self.place)
    }

    /// Whether it is that of a user, whose servers are for every project.
    #[must_use]
    pub fn is_of_user(&self) -> bool {
        let user = self.user().map(|user| user.project_path());
        user.is_ok_and(|folder| folder.canonicalize().is_ok_and(|folder| folder == self.place))
    }

    /// What its user has decided about its servers.
    pub fn ledger(&self) -> Result<Ledger, ProjectError> {
        Ledger::of(&self.place, &self.user()?)
    }

    /// What facet has installed for it on this machine; nothing if there is no record. Inside of
    /// [`Self::change`] it is what the change begins with.
    pub fn installed(&self) -> Result<InstalledRecord, ProjectError> {
        InstalledRecord::read(&self.place, &self.user()?)
    }

    /// The receipt that the reference reads. None if there is one that is not understood: it stays as it is.
    pub fn receipt(&self) -> Result<Option<Receipt>, ProjectError> {
        Receipt::read(&self.place, &self.user()?)
    }

    /// Where a file of an asset lies.
    pub fn asset_path(&self, base: AssetBase, path: &str) -> Result<PathBuf, ProjectError> {
        let bases = self.bases([base])?;
        Ok(bases.path(base).unwrap_or(&self.place).join(path))
    }

    /// The content of a file of an asset, reached through no link; none if there is none.
    pub fn read_asset(&self, base: AssetBase, path: &str) -> Result<Option<Vec<u8>>, ProjectError> {
        read_asset(&self.bases([base])?, base, path)
    }

    /// The bases that these need. Assets of a project lie in it, those of a user do not: nothing that a
    /// repository says is written into a home.
    fn bases(&self, needed: impl IntoIterator<Item = AssetBase>) -> Result<Bases, ProjectError> {
        let project = Bases::of_project(&self.root);
        let needed: BTreeSet<AssetBase> = needed.into_iter().collect();
        if needed.is_empty() {
            return Ok(project);
        }
        let is_of_user = self.is_of_user();
        if needed.iter().any(|base| (*base == AssetBase::Project) == is_of_user) {
            let reason = "assets of a project lie in it, and those of a user do not";
            return Err(ProjectError::Untrusted { path: self.place.clone(), reason });
        }
        match &self.places {
            _ if !is_of_user => Ok(project),
            Some(places) => Ok(project.with_places(places)),
            None => Ok(project.with_places(&AssetPlaces::of_this_user()?)),
        }
    }

    fn journal(&self) -> Result<Journal, ProjectError> {
        Journal::of(&self.root, &self.place, self.user()?)
    }

    /// Where it really lies.
    #[must_use]
    pub fn place(&self) -> &Path {
        &self.place
    }

    /// Whether it can be written: better known before something is started for it.
    pub fn check_writable(&self) -> Result<(), ProjectError> {
        let probe = staged_path(&self.root.join(LOCK));
        write_synced(&probe, b"")?;
        // Another facet may have swept it up.
        let _ = std::fs::remove_file(&probe);
        Ok(())
    }

    /// Reads it, with the surface files of some servers, after completing what an earlier
    /// facet could not.
    pub fn read(&self, surfaces_of: &dyn Fn(&str) -> bool) -> Result<State, ProjectError> {
        self.check_folders()?;
        let guard = self.shared()?;
        if !Journal::is_pending(&self.root) {
            let state = self.state(surfaces_of)?;
            self.take_over_older_approvals(&state.lock);
            return Ok(state);
        }
        drop(guard);
        let _guard = self.exclusive()?;
        self.recover()?;
        let state = self.state(surfaces_of)?;
        self.take_over_older_approvals(&state.lock);
        Ok(state)
    }

    /// Reads it as it lies there, for whoever must change nothing: what an earlier facet could not complete
    /// stays as it is.
    pub fn read_as_is(&self, surfaces_of: &dyn Fn(&str) -> bool) -> Result<State, ProjectError> {
        self.check_folders()?;
        self.state(surfaces_of)
    }

    /// As well as it can: a command that only reads needs no ledger, and without it nothing is
    /// approved.
    fn take_over_older_approvals(&self, lock: &Lock) {
        if let Ok(ledger) = self.ledger() {
            let _ = ledger.take_over_older(lock);
        }
    }

    /// Changes it. What it is changed to is decided by what it is then, not before.
    pub fn change<E: From<ProjectError>>(
        &self,
        decide: impl FnOnce(&State) -> Result<Change, E>,
    ) -> Result<(), E> {
        self.check_folders()?;
        make_folder(&self.root.join(STATE))?;
        let _guard = self.exclusive()?;
        self.recover()?;
        // A journal that nobody can complete would stand in the way of everything.
        self.check_writable()?;
        let state = self.state(&|_| false)?;
        let change = decide(&state)?;
        Ok(self.apply(change)?)
    }

    /// A link in the place of a folder would have us read, write and remove elsewhere.
    fn check_folders(&self) -> Result<(), ProjectError> {
        check_folder(&self.root.join(STATE))?;
        check_folder(&self.root.join(SURFACES))?;
        check_folder(&self.root.join(CLOSURES))
    }

    fn surface(&self, server: &str) -> Result<SurfaceOnDisk, ProjectError> {
        let bytes = files::read(&self.root.join(surface_path(server)))?;
        Ok(match bytes.as_deref().map(parse_surface_file) {
            None => SurfaceOnDisk::Missing,
            Some(Ok(surface)) => {
                let digest = Digest::of(bytes.as_deref().unwrap_or_default());
                SurfaceOnDisk::Whole(Box::new(surface), digest)
            }
            Some(Err(error)) => SurfaceOnDisk::Refused(error),
        })
    }

    fn apply(&self, change: Change) -> Result<(), ProjectError> {
        let bases = self.bases(change.assets.iter().map(|asset| asset.base))?;
        let (root, place, user) = (&self.root, &self.place, &self.user()?);
        let prepared = Preparation { root, place, user, bases }.prepare(change)?;
        self.ignore_own_files()?;
        let journal = self.journal()?;
        journal.write(&prepared)?;
        journal.complete()
    }

    /// What facet keeps for itself is no part of a repository.
    fn ignore_own_files(&self) -> Result<(), ProjectError> {
        let path = self.root.join(STATE).join(".gitignore");
        match files::read(&path)? {
            Some(_) => Ok(()),
            None => files::write(&path, b"/busy\n/journal*\n"),
        }
    }

    fn recover(&self) -> Result<(), ProjectError> {
        let journal = self.journal()?;
        if Journal::is_pending(&self.root) {
            journal.complete()?;
        }
        journal.sweep();
        Ok(())
    }

    fn state(&self, surfaces_of: &dyn Fn(&str) -> bool) -> Result<State, ProjectError> {
        let path = self.root.join(MANIFEST);
        let (manifest_text, manifest) = match files::read(&path)? {
            None => (None, None),
            Some(bytes) => {
                let manifest = valid_manifest(&path, &bytes)?;
                let text = String::from_utf8(bytes)
                    .map_err(|_| ProjectError::Manifest { path, problems: Vec::new() })?;
                (Some(text), Some(manifest))
            }
        };
        let path = self.root.join(LOCK);
        let bytes = files::read(&path)?;
        let has_lock = bytes.is_some();
        let lock = match bytes {
            None => Lock::empty(),
            Some(bytes) => {
                Lock::parse(&bytes).map_err(|source| ProjectError::Lock { path, source })?
            }
        };
        let (mut surfaces, mut closures) = (BTreeMap::new(), BTreeMap::new());
        for name in lock.servers().keys().filter(|name| surfaces_of(name)) {
            let Some(server) = lock.server(name) else { continue };
            surfaces.insert(name.clone(), self.surface(name)?);
            if server.pin.package().is_some() {
                let closure = files::read(&self.root.join(closure_path(name)))?;
                closures.insert(name.clone(), closure);
            }
        }
        Ok(State { manifest_text, manifest, lock, has_lock, surfaces, closures })
    }

    /// What has not been changed yet by a facet of this user, or cannot be, is changed by none.
    fn shared(&self) -> Result<Busy, ProjectError> {
        match self.user().and_then(|user| user.checked(BUSY)) {
            Ok(folder) => Busy::shared(&folder.join(project_key(&self.place)), &self.place),
            Err(_) => Ok(Busy::of_nobody()),
        }
    }

    fn exclusive(&self) -> Result<Busy, ProjectError> {
        let folder = self.user()?.made(BUSY)?;
        Busy::exclusive(&folder.join(project_key(&self.place)), &self.place)
    }
}
