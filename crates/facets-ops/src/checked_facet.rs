//! A locked facet, compared with what this machine has of it. Nothing is started or written.

use std::io::Cursor;

use facets_archive::{ArchiveLimits, ExpectedArtifact, FacetArchive, read_facet_files};
use facets_digest::Digest;
use facets_files::read_to_limit;
use facets_lock::{LockedFacet, LockedFacetEntry};
use facets_model::AssetScope;
use facets_model::manifest::{FacetSource, ProjectFacet, VersionSpec};
use facets_plan::{ResolvedFacet, locked_facet};
use facets_project::{InstalledRecord, LOCK, Project, ProjectError, State};
use facets_store::Store;

use crate::accepted_findings::accepted_words;
use crate::cache_directory::cache_directory;
use crate::client_texts::{ClientTexts, ExpectedAsset, StoredTexts, expected_assets};
use crate::error::{InstallCheck, OpsError};
use crate::facet_entries::{entry_difference, entry_digest};

/// The largest archive of a facet that is read.
const MOST: u64 = 256 << 20;

/// What a lock that came with a repository needs.
const OTHER_ENTRY: &str = "if the lock came with your repository, `facet install` compares it with the archive and installs it";

/// A facet that was checked.
#[derive(Debug)]
pub struct CheckedFacet {
    /// Its name.
    pub name: String,
    /// What is not as it was locked or installed.
    pub problems: Vec<FacetProblem>,
    /// What was not checked, and why.
    pub notes: Vec<String>,
}

/// Something that is not as it was locked or installed.
#[derive(Debug)]
pub struct FacetProblem {
    /// Which check found it.
    pub check: InstallCheck,
    /// What it is about: a path, or the lock.
    pub path: String,
    /// What it should be.
    pub expected: String,
    /// What it is.
    pub actual: String,
}

/// Compares the archive and the installed files of a facet with the lock.
pub(crate) fn check_facet(
    name: &str,
    project: &Project,
    state: &State,
    installed: &InstalledRecord,
) -> Result<CheckedFacet, OpsError> {
    let mut checked =
        CheckedFacet { name: name.to_owned(), problems: Vec::new(), notes: Vec::new() };
    let facet = match state.lock.facets().get(name) {
        Some(LockedFacetEntry::Facet(facet)) => facet,
        Some(LockedFacetEntry::Broken(error)) => {
            checked.add(InstallCheck::Lockfile, "facets.lock", "a valid entry", &error.to_string());
            return Ok(checked);
        }
        None => {
            checked.add(InstallCheck::Lockfile, "facets.lock", "an entry", "none");
            return Ok(checked);
        }
    };
    checked.notes.extend(accepted_words(&facet.accepted));
    let texts = checked.check_archive(facet)?;
    let expected = expected_assets(facet, texts.as_ref(), project, state);
    checked.check_files(facet, project, installed, &expected)?;
    Ok(checked)
}

impl CheckedFacet {
    fn add(&mut self, check: InstallCheck, path: &str, expected: &str, actual: &str) {
        self.problems.push(FacetProblem {
            check,
            path: path.to_owned(),
            expected: expected.to_owned(),
            actual: actual.to_owned(),
        });
    }

    /// The archive in the store, if there is one; its texts, if it is as locked.
    fn check_archive(&mut self, facet: &LockedFacet) -> Result<Option<StoredTexts>, OpsError> {
        let Some(hash) = &facet.content_hash else { return Ok(None) };
        let store = Store::find(&cache_directory()?)?;
        let file = match store.as_ref().map(|store| store.get_file(hash)) {
            Some(Ok(Some(file))) => file,
            Some(Err(error)) => {
                self.add(InstallCheck::Content, "archive", &hash.to_string(), &error.to_string());
                return Ok(None);
            }
            None | Some(Ok(None)) => {
                self.notes.push(
                    "its archive is not stored on this machine, and was not verified".to_owned(),
                );
                return Ok(None);
            }
        };
        let bytes = read_to_limit(&*file, MOST).ok().flatten().unwrap_or_default();
        let read = read_facet_files(&mut Cursor::new(bytes), &ArchiveLimits::SPEC);
        let (archive, contents) = match read {
            Ok(read) => read,
            Err(error) => {
                self.add(InstallCheck::Content, "archive", "a valid archive", &error.to_string());
                return Ok(None);
            }
        };
        self.compare_archive(facet, &archive);
        let manifest = archive.manifest;
        Ok(self.problems.is_empty().then_some(StoredTexts { manifest, contents }))
    }

    fn compare_archive(&mut self, facet: &LockedFacet, archive: &FacetArchive) {
        let expected = ExpectedArtifact {
            name: Some(self.name.clone()),
            version: Some(facet.version.to_string()),
            content_hash: facet.content_hash,
            integrity: Some(facet.integrity),
        };
        if let Err(error) = archive.verify(&expected) {
            let integrity = facet.integrity.to_string();
            self.add(InstallCheck::Lockfile, "archive", &integrity, &error.to_string());
        }
        for file in facet.assets.iter().flat_map(|asset| &asset.files) {
            let found = archive.index.file(file.path.as_str()).map(|found| found.digest);
            if found != Some(file.integrity) {
                let actual = found.map_or("missing".to_owned(), |digest| digest.to_string());
                let expected = file.integrity.to_string();
                self.add(InstallCheck::Lockfile, file.path.as_str(), &expected, &actual);
            }
        }
        let derived = derived_entry(&self.name, facet, archive);
        let difference = derived.and_then(|derived| entry_difference(facet, &derived));
        if let Some(difference) = difference.filter(|_| self.problems.is_empty()) {
            self.add(InstallCheck::Lockfile, LOCK, "the entry of its archive", &difference);
        }
    }

    /// Files that a repository has brought along: no install on this machine wrote them.
    fn add_unrecorded(&mut self, texts: &ClientTexts) {
        for (path, expected, actual) in &texts.other {
            self.add(InstallCheck::File, path, expected, actual);
        }
        if !texts.unknown.is_empty() {
            let note = format!(
                "not compared, because its archive is not stored here: {}; `facet install` fetches it and compares them",
                texts.unknown.join(", ")
            );
            self.notes.push(note);
        }
    }

    /// The files in folders of clients.
    fn check_files(
        &mut self,
        facet: &LockedFacet,
        project: &Project,
        installed: &InstalledRecord,
        expected: &[ExpectedAsset],
    ) -> Result<(), OpsError> {
        let record = installed.facets.get(&self.name);
        let files = record.into_iter().flat_map(|record| &record.files);
        let recorded = files.map(|file| ((file.base, file.path.as_str()), file.digest)).collect();
        let texts = ClientTexts::compare(expected, &recorded, project)?;
        if record.is_none() && !facet.assets.is_empty() {
            self.notes.push(not_installed(&texts));
        }
        self.add_unrecorded(&texts);
        let Some(record) = record else { return Ok(()) };
        let entry = entry_digest(&self.name, facet);
        if record.integrity == facet.integrity && record.entry.is_some() && record.entry != entry {
            let (expected, actual) = ("the entry that was installed", "another one");
            self.add(InstallCheck::Lockfile, LOCK, expected, actual);
            self.notes.push(OTHER_ENTRY.to_owned());
        }
        if record.integrity != facet.integrity {
            let note = format!("version {} is installed on this machine", record.version);
            self.notes.push(note);
        }
        for file in &record.files {
            let as_locked =
                expected.iter().flatten().find(|other| other.is_at(file.base, &file.path));
            let as_locked = as_locked.and_then(|file| file.digest);
            let actual = match project.read_asset(file.base, &file.path) {
                Ok(Some(bytes)) if Digest::of(&bytes) == file.digest => continue,
                // Another version was installed here, and the repository has brought the files of this one.
                Ok(Some(bytes)) if Some(Digest::of(&bytes)) == as_locked => continue,
                Ok(Some(bytes)) => format!("{}, edited", Digest::of(&bytes)),
                Ok(None) => "missing".to_owned(),
                Err(ProjectError::Untrusted { .. }) => "a link, or not a file".to_owned(),
                Err(error) => return Err(error.into()),
            };
            self.add(InstallCheck::File, &file.path, &file.digest.to_string(), &actual);
        }
        Ok(())
    }
}

/// What a clone has of a facet that was not installed on this machine.
fn not_installed(texts: &ClientTexts) -> String {
    let compared = texts.same + texts.other.len();
    match (compared, texts.unknown.len()) {
        (0, 0) => "not installed on this machine, and none of its files exist; `facet install` writes them".to_owned(),
        (0, _) => "not installed on this machine".to_owned(),
        (1, _) => "not installed on this machine; 1 file that exists was compared with what is locked".to_owned(),
        (count, _) => format!("not installed on this machine; {count} files that exist were compared with what is locked"),
    }
}

/// The entry that an archive gives, whatever names the project has for its assets.
fn derived_entry(name: &str, facet: &LockedFacet, archive: &FacetArchive) -> Option<LockedFacet> {
    let files = archive.index.files.iter().map(|file| (file.path.clone(), file.digest));
    let resolved = ResolvedFacet {
        source: facet.source.clone(),
        manifest: archive.manifest.clone(),
        version: facet.version.clone(),
        integrity: facet.integrity,
        content_hash: facet.content_hash,
        files: files.collect(),
    };
    let source = FacetSource::Registry(VersionSpec::Exact(facet.version.clone()));
    let wanted = ProjectFacet { source, overrides: Vec::new() };
    let scope = facet.assets.first().map_or(AssetScope::Project, |asset| asset.scope);
    locked_facet(&name.parse().ok()?, &resolved, &wanted, scope).ok()
}
