//! Compares stated hashes with published files.

use std::path::PathBuf;

use facets_digest::Digest;
use facets_fetch::{FetchProgress, Fetcher, UpstreamFile};
use facets_model::server_json::{ServerJson, StatedFileHash};
use facets_model::{FileIdentifier, FileIdentifierError};

use crate::bundle_hash::conflict;
use crate::error::FileHashesError;
use crate::file_result::{FileResult, FileStatus};
use crate::listing::{ListedPackage, Listing, list};
use crate::server_file::ServerFile;

/// What came of it.
#[derive(Debug)]
pub struct FileHashReport {
    /// The document.
    pub file: PathBuf,
    /// Whether the document has a place for hashes at all.
    pub has_hashes: bool,
    /// Those of the entries first, in their order; then what has none.
    pub results: Vec<FileResult>,
    /// What is worth knowing.
    pub notes: Vec<String>,
}

/// What is reported of a document that has no place for hashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unhashed {
    /// Nothing: its author has not hashed it yet.
    Skipped,
    /// Every package, as missing.
    Listed,
}

/// A file that has to be fetched to know more.
struct Claim<'l> {
    /// Where its result goes.
    slot: usize,
    expected: Digest,
    file: UpstreamFile,
    package: &'l ListedPackage,
}

/// Verifies a document, strictly: what is ambiguous, unknown or missing is not ok.
pub fn verify(
    file: &ServerFile,
    unhashed: Unhashed,
    fetcher: &Fetcher,
    progress: &dyn FetchProgress,
) -> Result<FileHashReport, FileHashesError> {
    let (_, server) = file.parse()?;
    let path = file.path.clone();
    let Some(stated) = &server.file_hashes else {
        let (results, notes) = match unhashed {
            Unhashed::Skipped => (Vec::new(), Vec::new()),
            Unhashed::Listed => without_hashes(&server),
        };
        return Ok(FileHashReport { file: path, has_hashes: false, results, notes });
    };
    let mut listing = list(&server, &|identifier| fetcher.files(identifier));
    let mut notes = std::mem::take(&mut listing.notes);
    let mut results = entry_results(&server, stated, &listing, (fetcher, progress));
    results.extend(without_entry(&server, stated, &listing));
    results.append(&mut listing.unusable);
    notes.extend(fetcher.ignored());
    Ok(FileHashReport { file: path, has_hashes: true, results, notes })
}

/// A result for each entry, in their order, and one for each bundle that states another hash.
fn entry_results(
    server: &ServerJson,
    stated: &[StatedFileHash],
    listing: &Listing,
    (fetcher, progress): (&Fetcher, &dyn FetchProgress),
) -> Vec<FileResult> {
    let mut results: Vec<Option<FileResult>> = Vec::with_capacity(stated.len());
    let mut claims = Vec::new();
    for entry in stated {
        match judge(entry, listing) {
            Err(result) => results.push(Some(result)),
            Ok((expected, file, package)) => {
                claims.push(Claim { slot: results.len(), expected, file, package });
                results.push(None);
            }
        }
    }
    let queue: Vec<UpstreamFile> = claims.iter().map(|claim| claim.file.clone()).collect();
    let mut conflicts = Vec::new();
    for (claim, fetched) in claims.iter().zip(fetcher.download(&queue, progress)) {
        let name = &stated[claim.slot].identifier;
        results[claim.slot] = Some(match fetched {
            Err(error) => FileResult::failed(name, &error),
            Ok(file) => {
                conflicts.extend(bundle_conflicts(server, claim.package, &file.digest));
                FileResult::compared(name, &claim.expected.to_string(), &file.digest.to_string())
            }
        });
    }
    results.into_iter().flatten().chain(conflicts).collect()
}

/// `fileSha256` of the packages that have this file.
fn bundle_conflicts(
    server: &ServerJson,
    package: &ListedPackage,
    digest: &Digest,
) -> Vec<FileResult> {
    let declared = server.packages.iter().filter(|one| package.indices.contains(&one.index));
    let bundles = declared.filter(|one| one.registry_type == "mcpb");
    bundles.filter_map(|one| conflict(one, digest)).collect()
}

/// The file that an entry is about, or what is wrong with the entry.
fn judge<'l>(
    entry: &StatedFileHash,
    listing: &'l Listing,
) -> Result<(Digest, UpstreamFile, &'l ListedPackage), FileResult> {
    let name = &entry.identifier;
    let bad = |status, detail: String| FileResult::new(name, status, detail);
    let expected = match &entry.digest {
        Ok(digest) => *digest,
        Err(reason) => return Err(bad(FileStatus::Malformed, reason.clone())),
    };
    let identifier = name.parse::<FileIdentifier>().map_err(|error| {
        let is_unknown = error == FileIdentifierError::UnknownKind;
        let status = if is_unknown { FileStatus::UnknownIdentifier } else { FileStatus::Malformed };
        bad(status, error.to_string())
    })?;
    let Some(package) = listing.packages.iter().find(|package| package.has(&identifier)) else {
        let detail = "no package of the document has this file".to_owned();
        return Err(bad(FileStatus::NotInPackages, detail));
    };
    let files = match &package.files {
        Ok(files) => files,
        Err(error) => return Err(FileResult::failed(name, error)),
    };
    match choose(&identifier, files) {
        Ok(file) => Ok((expected, file.clone(), package)),
        Err((status, detail)) => Err(bad(status, detail)),
    }
}

/// The one file that an identifier means.
fn choose<'f>(
    identifier: &FileIdentifier,
    files: &'f [UpstreamFile],
) -> Result<&'f UpstreamFile, (FileStatus, String)> {
    match (identifier, files) {
        (FileIdentifier::Pypi { file: Some(name), .. }, files) => {
            files.iter().find(|file| file.name == *name).ok_or_else(|| {
                (FileStatus::NotFound, "the release has no file of this name".to_owned())
            })
        }
        (_, [file]) => Ok(file),
        (_, files) => {
            let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
            let detail = format!("the release has {} files: {}", names.len(), names.join(", "));
            Err((FileStatus::Ambiguous, detail))
        }
    }
}

/// Every package of a document that has no place for hashes. Upstream is not asked.
fn without_hashes(server: &ServerJson) -> (Vec<FileResult>, Vec<String>) {
    let Listing { packages, unusable, notes } = list(server, &|_| Ok(Vec::new()));
    let missing = packages.iter().map(|package| {
        let name = package.identifier.to_string();
        let has_other = states_bundle_hash(server, package);
        let other = if has_other { "; `fileSha256` alone is not compared" } else { "" };
        let detail = format!("the document has no `file_hashes`{other}");
        let result = FileResult::new(&name, FileStatus::Missing, detail);
        FileResult { unhashed: (!has_other).then_some(name), ..result }
    });
    (missing.chain(unusable).collect(), notes)
}

/// Whether a package has a hash beside `file_hashes`.
fn states_bundle_hash(server: &ServerJson, package: &ListedPackage) -> bool {
    let mut declared = server.packages.iter().filter(|one| package.indices.contains(&one.index));
    declared.any(|one| one.file_sha256.is_some())
}

/// Files of packages that no entry is about.
fn without_entry(
    server: &ServerJson,
    stated: &[StatedFileHash],
    listing: &Listing,
) -> Vec<FileResult> {
    let named: Vec<FileIdentifier> =
        stated.iter().filter_map(|entry| entry.identifier.parse().ok()).collect();
    let mut missing = Vec::new();
    for package in &listing.packages {
        let of_package: Vec<&FileIdentifier> =
            named.iter().filter(|identifier| package.has(identifier)).collect();
        let files = match &package.files {
            Ok(files) => files,
            Err(error) if of_package.is_empty() => {
                missing.push(FileResult::failed(&package.identifier.to_string(), error));
                continue;
            }
            Err(_) => continue,
        };
        let is_unhashed = of_package.is_empty() && !states_bundle_hash(server, package);
        let unhashed = is_unhashed.then(|| package.identifier.to_string());
        for file in files.iter().filter(|file| !of_package.iter().any(|one| names(one, file))) {
            let detail = "no entry of `file_hashes` is about this file".to_owned();
            let result = FileResult::new(&package.name_of(file), FileStatus::Missing, detail);
            missing.push(FileResult { unhashed: unhashed.clone(), ..result });
        }
    }
    missing
}

/// Whether an identifier of the same package is about a file. Without a file name it is about all of
/// them, which is reported as ambiguous.
fn names(identifier: &FileIdentifier, file: &UpstreamFile) -> bool {
    match identifier {
        FileIdentifier::Pypi { file: Some(name), .. } => *name == file.name,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use facets_fetch::{FetchLimits, Machine, NoFetchProgress, Reach};

    use super::*;

    const WITHOUT_HASHES: &str = r#"{"packages": [
        {"registryType": "npm", "identifier": "@acme/a", "version": "1.0.0"},
        {"registryType": "pypi", "identifier": "b", "version": "2.0"},
        {"registryType": "npm", "identifier": "@acme/a", "version": "1.0.0"},
        {"registryType": "mcpb", "identifier": "https://e.example/c.mcpb", "fileSha256": "00"},
        {"registryType": "npm", "identifier": "@acme/d"},
        {"registryType": "oci", "identifier": "ghcr.io/a/b:1"}
    ]}"#;

    /// Upstream is not asked.
    fn verified(unhashed: Unhashed) -> FileHashReport {
        let file = ServerFile { path: "server.json".into(), text: Ok(WITHOUT_HASHES.to_owned()) };
        let fetcher = Fetcher::new(Machine::default(), Reach::AsUser, FetchLimits::default());
        verify(&file, unhashed, &fetcher, &NoFetchProgress).unwrap()
    }

    #[test]
    fn packages_of_a_document_without_hashes_are_missing() {
        let report = verified(Unhashed::Listed);
        let shown: Vec<(&str, FileStatus, bool)> = report
            .results
            .iter()
            .map(|one| (one.identifier.as_str(), one.status, one.unhashed.is_some()))
            .collect();
        let expected = [
            ("npm:@acme/a@1.0.0", FileStatus::Missing, true),
            ("pypi:b==2.0", FileStatus::Missing, true),
            // It has a hash, which must not pass unseen.
            ("https://e.example/c.mcpb", FileStatus::Missing, false),
            ("packages[4] (npm @acme/d)", FileStatus::Malformed, false),
        ];
        assert_eq!(shown, expected);
        assert_eq!(report.notes.len(), 1, "{:?}", report.notes);
        assert!(!report.has_hashes);
    }

    #[test]
    fn of_a_document_that_is_not_hashed_yet_nothing_is_reported() {
        assert!(verified(Unhashed::Skipped).results.is_empty());
    }
}
