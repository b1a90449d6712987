//! Packages of npm, unpacked at the paths of the closure.

use std::collections::{BTreeMap, BTreeSet};

use facets_archive::{ArchiveLimits, ArchivedFile, EntryMode, visit_npm_package};
use facets_closure::npm::{NpmClosure, NpmPackage, PackageManifest};
use facets_digest::Digest;
use facets_store::{FileMode, TreeWriter};

use crate::error::PackageError;
use crate::files::PackageFetcher;

/// Writes every package to its path. What npm links into `.bin` is no file, and nothing starts it.
pub(crate) fn write_packages(
    files: &PackageFetcher<'_>,
    closure: &NpmClosure,
    digests: &BTreeMap<String, Digest>,
    writer: &mut TreeWriter<'_>,
) -> Result<(), PackageError> {
    for (path, digest) in digests {
        let shown = closure.packages.get(path).map(NpmPackage::shown).unwrap_or_default();
        let stored = files.stored(digest, &shown)?;
        let programs = program_paths(&stored, &shown)?;
        let mut take = |file: &ArchivedFile, content: &[u8]| -> Result<(), PackageError> {
            let is_program = programs.contains(file.path.as_str());
            let mode = match file.mode {
                EntryMode::Plain if !is_program => FileMode::Plain,
                EntryMode::Plain | EntryMode::Executable => FileMode::Executable,
            };
            writer.file(&format!("{path}/{}", file.path), mode, content)?;
            Ok(())
        };
        visit_npm_package(&mut &*stored, &ArchiveLimits::SPEC, &mut take)
            .map_err(|error| error.of_package(&shown))?;
    }
    Ok(())
}

/// The files that an installer makes executable.
fn program_paths(
    stored: &facets_store::StoredFile,
    shown: &str,
) -> Result<BTreeSet<String>, PackageError> {
    let mut programs = BTreeSet::new();
    let mut take = |file: &ArchivedFile, content: &[u8]| -> Result<(), PackageError> {
        if file.path.as_str() == "package.json" {
            let manifest = PackageManifest::parse(content)?;
            let paths = manifest.programs.into_values();
            programs.extend(paths.map(|path| path.trim_start_matches("./").to_owned()));
        }
        Ok(())
    };
    visit_npm_package(&mut &*stored, &ArchiveLimits::SPEC, &mut take)
        .map_err(|error| error.of_package(shown))?;
    Ok(programs)
}
