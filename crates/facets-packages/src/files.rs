//! The files of all packages of a closure, in the store: each compared with every hash that is known of it.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::PathBuf;

use facets_archive::{ArchiveLimits, ArchivedFile, visit_npm_package};
use facets_closure::npm::{NpmClosure, NpmPackage, NpmPlatform, PackageManifest};
use facets_closure::pypi::{PypiClosure, ResolvedPackage, Wheel, WheelKey, choose_wheel};
use facets_closure::{Integrity, PackageFile, PackageFlag};
use facets_digest::Digest;
use facets_fetch::{FetchProgress, Fetched, Fetcher, PinnedFile, StatedAlgorithm, StatedHash};
use facets_model::{FileIdentifier, PlatformName};
use facets_store::{Store, StoredFile, Verified};

use crate::error::PackageError;
use crate::interpreter::Interpreter;
use crate::machine_code::is_machine_code;
use crate::wheel_files::wheel_flags;

/// Where hashes of known files come from, in messages.
const CLOSURE: &str = "the closure";
const REGISTRY: &str = "the registry's integrity";

/// Fetches files into a store.
pub struct PackageFetcher<'f> {
    /// Where they are kept.
    pub store: &'f Store,
    /// How they are fetched; none if nothing may be.
    pub fetcher: Option<&'f Fetcher>,
    /// Who sees how far that has come.
    pub progress: &'f dyn FetchProgress,
}

/// One file that is needed.
struct Needed {
    /// As people write the package.
    shown: String,
    identifier: FileIdentifier,
    stated: Vec<StatedHash>,
    /// Known where it was fetched before.
    sha256: Option<Digest>,
    size: Option<u64>,
}

impl PackageFetcher<'_> {
    /// Fetches every package of npm that this platform needs, and fills in what only the files say.
    pub fn of_npm(
        &self,
        mut closure: NpmClosure,
        platform: &PlatformName,
    ) -> Result<NpmClosure, PackageError> {
        let rule = NpmPlatform::of(platform);
        // The same package may lie at several places.
        let mut needed: BTreeMap<String, Needed> = BTreeMap::new();
        for (_, package) in closure.on(rule) {
            needed.entry(package.shown()).or_insert_with(|| needed_npm(package));
        }
        let files = self.fetch(needed.into_values().collect())?;
        let paths: Vec<String> = closure.on(rule).map(|(path, _)| path.to_owned()).collect();
        let mut flags: BTreeMap<Digest, Vec<PackageFlag>> = BTreeMap::new();
        for path in paths {
            let Some(package) = closure.packages.get_mut(&path) else { continue };
            let Some(file) = files.get(&package.shown()) else { continue };
            if package.file.is_none() {
                // Of another platform only the integrity is locked, so that a closure is the same everywhere.
                let is_common = package.platforms.is_empty();
                package.file = is_common.then(|| file.clone());
            }
            let found = match flags.entry(file.sha256) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => new.insert(self.npm_flags(package, file)?),
            };
            package.flags.extend(found.iter());
        }
        Ok(closure)
    }

    /// The digest of the file of each package that this platform needs, by its path.
    pub fn npm_digests(
        &self,
        closure: &NpmClosure,
        platform: &PlatformName,
    ) -> Result<BTreeMap<String, Digest>, PackageError> {
        let rule = NpmPlatform::of(platform);
        let mut needed: BTreeMap<String, Needed> = BTreeMap::new();
        for (_, package) in closure.on(rule) {
            needed.entry(package.shown()).or_insert_with(|| needed_npm(package));
        }
        let files = self.fetch(needed.into_values().collect())?;
        let digest = |(path, package): (&str, &NpmPackage)| {
            Some((path.to_owned(), files.get(&package.shown())?.sha256))
        };
        Ok(closure.on(rule).filter_map(digest).collect())
    }

    /// Chooses the wheel of each package, fetches it, and makes a closure of them.
    pub fn of_pypi(
        &self,
        packages: Vec<ResolvedPackage>,
        python: &Interpreter,
    ) -> Result<PypiClosure, PackageError> {
        let mut chosen = Vec::new();
        for package in packages {
            let wheels = package.wheels.iter().map(|wheel| (&wheel.name, wheel));
            let wheel = choose_wheel(&python.target, wheels).cloned();
            let wheel = wheel.ok_or_else(|| facets_closure::ClosureError::NotLockable {
                package: format!("{}=={}", package.name, package.version),
                reason: "it has no wheel for this machine: it would have to be built",
            })?;
            chosen.push((package.name, package.version, wheel));
        }
        let needed = chosen.iter().map(|(name, version, wheel)| {
            needed_wheel(name, version, &wheel.file, (wheel.sha256, None))
        });
        let files = self.fetch(needed.collect())?;
        let mut closure = PypiClosure::default();
        for (name, version, wheel) in chosen {
            let Some(file) = files.get(&shown_wheel(&name, &version)) else { continue };
            let stored = self.stored(&file.sha256, &shown_wheel(&name, &version))?;
            let flags = wheel_flags(&stored, &wheel.file)?;
            let (platform, python) = (python.target.platform.clone(), python.target.python);
            let key = WheelKey { platform, python, name };
            let (file_name, file) = (wheel.file, file.clone());
            closure.wheels.insert(key, Wheel { version, file_name, file, flags });
        }
        Ok(closure)
    }

    /// Makes sure that every wheel for an interpreter is in the store.
    pub fn wheels(&self, closure: &PypiClosure, python: &Interpreter) -> Result<(), PackageError> {
        let target = &python.target;
        let needed = closure.on(&target.platform, target.python).map(|(name, wheel)| {
            let known = (wheel.file.sha256, Some(wheel.file.size));
            needed_wheel(name, &wheel.version, &wheel.file_name, known)
        });
        self.fetch(needed.collect()).map(drop)
    }

    /// A file that is in the store.
    pub(crate) fn stored(
        &self,
        digest: &Digest,
        shown: &str,
    ) -> Result<Verified<StoredFile>, PackageError> {
        let found = self.store.get_file(digest)?;
        found.ok_or_else(|| not_here(shown))
    }

    /// What is not in the store is fetched; gives the files by what the packages are called.
    fn fetch(&self, needed: Vec<Needed>) -> Result<BTreeMap<String, PackageFile>, PackageError> {
        let mut files = BTreeMap::new();
        let mut missing = Vec::new();
        for one in needed {
            match self.known(&one)? {
                Some(file) => drop(files.insert(one.shown, file)),
                None => missing.push(one),
            }
        }
        if missing.is_empty() {
            return Ok(files);
        }
        let Some(fetcher) = self.fetcher else {
            return Err(not_here(&missing[0].shown));
        };
        let pinned: Vec<PinnedFile> = missing.iter().map(Needed::pinned).collect();
        let arrived = fetcher.download_pinned(&pinned, self.progress);
        for (one, arrived) in missing.into_iter().zip(arrived) {
            let file = self.keep(&one, arrived)?;
            files.insert(one.shown, file);
        }
        Ok(files)
    }

    /// The file, if it is in the store: by its own digest, or by the one that was noted for its integrity.
    fn known(&self, needed: &Needed) -> Result<Option<PackageFile>, PackageError> {
        let noted = needed.sha256.or_else(|| self.noted(&needed.stated));
        let Some(digest) = noted else { return Ok(None) };
        let Some(file) = self.store.get_file(&digest)? else { return Ok(None) };
        // A note proves nothing: the bytes have to match what the registry states.
        if needed.sha256.is_none() && !facets_fetch::matches_all(&*file, &needed.stated) {
            return Ok(None);
        }
        Ok(Some(PackageFile { sha256: digest, size: file.size() }))
    }

    fn keep(&self, needed: &Needed, fetched: Fetched) -> Result<PackageFile, PackageError> {
        let failed = |source| PackageError::Fetch { package: needed.shown.clone(), source };
        let fetched = fetched.map_err(failed)?;
        let (sha256, size) = (fetched.digest, fetched.size);
        self.store.put_file(&sha256, fetched.into_file())?;
        self.note(&needed.stated, &sha256);
        Ok(PackageFile { sha256, size })
    }

    /// Where it is noted which file has a SHA-512.
    fn note_path(&self, stated: &[StatedHash]) -> Option<PathBuf> {
        let strongest = stated.iter().find(|hash| hash.algorithm == StatedAlgorithm::Sha512)?;
        let hex = strongest.hex();
        Some(self.store.path().parent()?.join("integrity").join(&hex[..2]).join(&hex[2..]))
    }

    fn noted(&self, stated: &[StatedHash]) -> Option<Digest> {
        let path = self.note_path(stated)?;
        std::fs::read_to_string(path).ok()?.trim().parse().ok()
    }

    /// As well as it can: without a note the file is fetched again.
    fn note(&self, stated: &[StatedHash], digest: &Digest) {
        let Some(path) = self.note_path(stated) else { return };
        let folder = path.parent().map(std::fs::create_dir_all);
        if folder.is_some_and(|made| made.is_ok()) {
            let _ = std::fs::write(path, format!("{digest}\n"));
        }
    }

    /// What the file of a package says about itself: that it is this package, and what an installer would run.
    fn npm_flags(
        &self,
        package: &NpmPackage,
        file: &PackageFile,
    ) -> Result<Vec<PackageFlag>, PackageError> {
        let shown = package.shown();
        let stored = self.stored(&file.sha256, &shown)?;
        let (mut manifest, mut has_build, mut is_native) = (None, false, false);
        let mut take = |file: &ArchivedFile, content: &[u8]| -> Result<(), PackageError> {
            match file.path.as_str() {
                "package.json" => manifest = Some(PackageManifest::parse(content)?),
                "binding.gyp" => has_build = true,
                _ => is_native |= is_machine_code(file.path.as_str(), content),
            }
            Ok(())
        };
        visit_npm_package(&mut &*stored, &ArchiveLimits::SPEC, &mut take)
            .map_err(|error| error.of_package(&shown))?;
        let manifest = manifest.ok_or_else(|| PackageError::Identity {
            package: shown.clone(),
            found: "no package.json".to_owned(),
        })?;
        // Some write `v1.0.0`, and the registry leaves that letter out.
        let version = manifest.version.trim_start_matches(['v', '=']);
        if (manifest.name.as_str(), version) != (package.name.as_str(), package.version.as_str()) {
            let found = format!("{}@{}", manifest.name, manifest.version);
            return Err(PackageError::Identity { package: shown, found });
        }
        let mut flags = Vec::new();
        if is_native {
            flags.push(PackageFlag::Native);
        }
        if has_build || !manifest.install_scripts.is_empty() {
            flags.push(PackageFlag::Script);
        }
        Ok(flags)
    }
}

impl Needed {
    fn pinned(&self) -> PinnedFile {
        let mut stated = Vec::new();
        if let Some(digest) = &self.sha256 {
            stated.extend(StatedHash::from_hex(StatedAlgorithm::Sha256, &digest.hex(), CLOSURE));
        }
        stated.extend(self.stated.iter().cloned());
        PinnedFile { identifier: self.identifier.clone(), stated, size: self.size }
    }
}

fn needed_npm(package: &NpmPackage) -> Needed {
    let (name, version) = (package.name.clone(), package.version.clone());
    Needed {
        shown: package.shown(),
        identifier: FileIdentifier::Npm { name, version },
        stated: stated(&package.integrity),
        sha256: package.file.as_ref().map(|file| file.sha256),
        size: package.file.as_ref().map(|file| file.size),
    }
}

fn stated(integrity: &Integrity) -> Vec<StatedHash> {
    StatedHash::from_integrity(integrity.as_str(), REGISTRY).unwrap_or_default()
}

fn shown_wheel(name: &str, version: &str) -> String {
    format!("{name}=={version}")
}

fn needed_wheel(
    name: &str,
    version: &str,
    file: &str,
    (sha256, size): (Digest, Option<u64>),
) -> Needed {
    let (name, version) = (name.to_owned(), version.to_owned());
    Needed {
        shown: shown_wheel(&name, &version),
        identifier: FileIdentifier::Pypi { name, version, file: Some(file.to_owned()) },
        stated: Vec::new(),
        sha256: Some(sha256),
        size,
    }
}

fn not_here(shown: &str) -> PackageError {
    let what = shown.to_owned();
    let source =
        facets_fetch::FetchError::NotFound { what: what.clone(), host: "the store".to_owned() };
    PackageError::Fetch { package: what, source }
}
