//! Compares stated hashes with published files.

use std::path::PathBuf;

use facets_digest::Digest;
use facets_fetch::{FetchProgress, Fetcher, UpstreamFile};
use facets_model::server_json::{ServerJson, StatedFileHash};
use facets_model::{FileIdentifier, FileIdentifierError};

use crate::bundle_hash::{expected, name_of};
use crate::comparison::{Comparison, Report};
use crate::error::FileHashesError;
use crate::file_result::{FileResult, FileStatus};
use crate::listing::{Asked, ListedPackage, Listing, TaggedImage, UnusablePackage, list};
use crate::server_file::ServerFile;
use crate::shorten::listed;

/// What came of it.
#[derive(Debug)]
pub struct FileHashReport {
    /// The document.
    pub file: PathBuf,
    /// Whether the document states hashes, or has a place for them.
    pub has_hashes: bool,
    /// How many of its packages have files that can be hashed.
    pub hashable: usize,
    /// Those of the entries first, in their order; then what has none.
    pub results: Vec<FileResult>,
    /// What is worth knowing.
    pub notes: Vec<String>,
}

/// What is reported of a document that states no hashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unhashed {
    /// What hashing does not mend: its author has not hashed it yet.
    Skipped,
    /// Every package, as missing.
    Listed,
}

/// Verifies a document, strictly: what is ambiguous, unknown or missing is not ok.
pub fn verify(
    file: &ServerFile,
    unhashed: Unhashed,
    fetcher: &Fetcher,
    progress: &dyn FetchProgress,
) -> Result<FileHashReport, FileHashesError> {
    let (_, server) = file.parse()?;
    let stated = server.file_hashes.as_deref().unwrap_or_default();
    let asked = if server.file_hashes.is_some() { Asked::Every } else { Asked::Stating };
    let mut listing = list(&server, asked, &|identifiers| fetcher.list_all(identifiers));
    let states_hash = listing.packages.iter().any(|package| package.states_hash(&server));
    let has_hashes = server.file_hashes.is_some() || states_hash;
    let mut notes = std::mem::take(&mut listing.notes);

    let mut comparison = Comparison::default();
    claim_entries(&mut comparison, stated, &listing);
    claim_package_hashes(&mut comparison, &server, &Entries::of(stated), &listing);
    let mut results = comparison.finish(fetcher, progress);
    if has_hashes || unhashed == Unhashed::Listed {
        results.extend(without_entry(&server, &Entries::of(stated), &listing));
    }
    results.extend(listing.images.iter().map(TaggedImage::missing));
    // An entry that is told why its package cannot be used has said it.
    let is_told = |package: &&UnusablePackage| {
        stated.iter().any(|one| one.digest.is_ok() && package.is_named_by(&one.identifier))
    };
    let unusable = listing.unusable.iter().filter(|package| !is_told(package));
    results.extend(unusable.map(UnusablePackage::malformed));
    notes.extend(fetcher.ignored());
    let (file, hashable) = (file.path.clone(), listing.packages.len());
    Ok(FileHashReport { file, has_hashes, hashable, results, notes })
}

/// The identifiers that entries have, as far as they can be read.
struct Entries(Vec<FileIdentifier>);

impl Entries {
    fn of(stated: &[StatedFileHash]) -> Self {
        Self(stated.iter().filter_map(|entry| entry.identifier.parse().ok()).collect())
    }

    /// Those about a package.
    fn about(&self, package: &ListedPackage) -> Vec<&FileIdentifier> {
        self.0.iter().filter(|identifier| package.has(identifier)).collect()
    }
}

/// A result for each entry, in their order.
fn claim_entries(comparison: &mut Comparison, stated: &[StatedFileHash], listing: &Listing) {
    for entry in stated {
        match judge(entry, listing) {
            Err(result) => comparison.settle(result),
            Ok((expected, file)) => {
                comparison.claim(&entry.identifier, expected, file, Report::Always);
            }
        }
    }
}

/// `fileSha256` of the packages that have one file. It is a hash of that file as an entry is one.
fn claim_package_hashes(
    comparison: &mut Comparison,
    server: &ServerJson,
    entries: &Entries,
    listing: &Listing,
) {
    for package in &listing.packages {
        let Ok([file]) = package.files.as_deref() else { continue };
        let is_alone = entries.about(package).is_empty();
        let report = if is_alone { Report::Always } else { Report::IfMismatch };
        for declared in package.declared(server) {
            for hash in &declared.file_sha256 {
                match expected(declared, hash) {
                    Ok(digest) => {
                        comparison.claim(&name_of(declared, hash), digest, file, report);
                    }
                    Err(malformed) => comparison.settle(malformed.about(file)),
                }
            }
        }
    }
}

/// The file that an entry is about, or what is wrong with the entry.
fn judge<'l>(
    entry: &StatedFileHash,
    listing: &'l Listing,
) -> Result<(Digest, &'l UpstreamFile), FileResult> {
    let name = &entry.identifier;
    let bad = |status, detail: String| FileResult::new(name, status, detail);
    let expected = match &entry.digest {
        Ok(digest) => *digest,
        Err(reason) => return Err(bad(FileStatus::Malformed, reason.clone())),
    };
    if let Some(package) = listing.unusable.iter().find(|package| package.is_named_by(name)) {
        return Err(bad(FileStatus::Malformed, package.reason()));
    }
    let identifier = name.parse::<FileIdentifier>().map_err(|error| {
        let is_unknown = error == FileIdentifierError::UnknownKind;
        let status = if is_unknown { FileStatus::UnknownIdentifier } else { FileStatus::Malformed };
        bad(status, error.to_string())
    })?;
    let Some(package) = listing.packages.iter().find(|package| package.has(&identifier)) else {
        let detail = "no package of the document has this file".to_owned();
        return Err(bad(FileStatus::NotInPackages, detail));
    };
    let files = package.files.as_ref().map_err(|error| {
        let package = package.identifier.to_string();
        FileResult::failed(name, error).about_package(&package)
    })?;
    choose(&identifier, files)
        .map(|file| (expected, file))
        .map_err(|(status, detail)| bad(status, detail))
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
            let detail = format!("the release has {} files: {}", names.len(), listed(&names));
            Err((FileStatus::Ambiguous, detail))
        }
    }
}

/// Files of packages that no hash is about.
fn without_entry(server: &ServerJson, entries: &Entries, listing: &Listing) -> Vec<FileResult> {
    let mut missing = Vec::new();
    for package in &listing.packages {
        let of_package = entries.about(package);
        let name = package.identifier.to_string();
        let files = match &package.files {
            Ok(files) => files,
            Err(error) if of_package.is_empty() => {
                missing.push(FileResult::failed(&name, error));
                continue;
            }
            Err(_) => continue,
        };
        // Its own hash is compared.
        if of_package.is_empty() && package.states_hash(server) {
            continue;
        }
        let unhashed = of_package.is_empty().then(|| name.clone());
        let lacking = |result: FileResult| FileResult { unhashed: unhashed.clone(), ..result };
        if files.is_empty() {
            let detail = "the document has no `file_hashes`".to_owned();
            missing.push(lacking(FileResult::new(&name, FileStatus::Missing, detail)));
        }
        for file in files.iter().filter(|file| !of_package.iter().any(|one| names(one, file))) {
            let detail = "no entry of `file_hashes` is about this file".to_owned();
            let result = FileResult::new(&package.name_of(file), FileStatus::Missing, detail);
            missing.push(lacking(result.about(file)));
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

    /// Nothing is fetched.
    fn verified(text: &str, unhashed: Unhashed) -> FileHashReport {
        let file = ServerFile { path: "server.json".into(), text: Ok(text.to_owned()) };
        let fetcher = Fetcher::new(Machine::default(), Reach::AsUser, FetchLimits::default());
        verify(&file, unhashed, &fetcher, &NoFetchProgress).unwrap()
    }

    fn shown(report: &FileHashReport) -> Vec<(&str, FileStatus, bool)> {
        let results = report.results.iter();
        results.map(|one| (one.identifier.as_str(), one.status, one.unhashed.is_some())).collect()
    }

    #[test]
    fn packages_of_a_document_without_hashes_are_missing() {
        let report = verified(WITHOUT_HASHES, Unhashed::Listed);
        let expected = [
            // It has a hash, which must not pass unseen.
            ("packages[3].fileSha256", FileStatus::Malformed, false),
            ("npm:@acme/a@1.0.0", FileStatus::Missing, true),
            ("pypi:b==2.0", FileStatus::Missing, true),
            ("oci:ghcr.io/a/b:1", FileStatus::Missing, true),
            ("packages[4] (npm @acme/d)", FileStatus::Malformed, false),
        ];
        assert_eq!(shown(&report), expected);
        assert!(report.has_hashes && report.notes.is_empty(), "{:?}", report.notes);
    }

    #[test]
    fn of_a_document_that_is_not_hashed_yet_only_what_hashing_does_not_mend_is_reported() {
        let text = r#"{"packages": [
            {"registryType": "npm", "identifier": "a", "version": "1.0.0"},
            {"registryType": "oci", "identifier": "ghcr.io/a/b:1"},
            {"registryType": "NPM", "identifier": "c", "version": "1.0.0"}
        ]}"#;
        let report = verified(text, Unhashed::Skipped);
        let expected = [
            ("oci:ghcr.io/a/b:1", FileStatus::Missing, true),
            ("packages[2] (NPM c)", FileStatus::Malformed, false),
        ];
        assert_eq!(shown(&report), expected);
        assert_eq!((report.has_hashes, report.hashable), (false, 1));
    }

    #[test]
    fn a_problem_of_a_package_is_told_once() {
        let hash = Digest::of(b"");
        let text = format!(
            r#"{{"packages": [
                {{"registryType": "npm", "identifier": "left", "version": "1.0.0",
                  "registryBaseUrl": "https://npm.example"}},
                {{"registryType": "pypi", "identifier": "b", "version": "1.0", "fileSha256": "00"}}
            ], "file_hashes": {{"npm:left@1.0.0": "{hash}", "pypi:B==1/b-1.0.tar.gz": "{hash}"}}}}"#
        );
        let report = verified(&text, Unhashed::Listed);
        let expected = [
            ("npm:left@1.0.0", FileStatus::Malformed, false),
            ("pypi:B==1/b-1.0.tar.gz", FileStatus::Malformed, false),
        ];
        assert_eq!(shown(&report), expected);
        let detail = report.results[0].detail.as_deref().unwrap_or_default();
        assert!(detail.contains("names the registry \"https://npm.example\""), "{detail}");
    }

    #[test]
    fn a_hash_in_a_place_that_is_not_read_is_malformed() {
        let text = r#"{"fileHashes": {"npm:left@1.0.0": "x"}, "packages": [
            {"registryType": "nuget", "identifier": "left", "fileDigest": "ab", "Version": "1.0.0"}
        ]}"#;
        let expected = [
            ("fileHashes", FileStatus::Malformed, false),
            ("packages[0].fileDigest", FileStatus::Malformed, false),
            ("packages[0].Version", FileStatus::Malformed, false),
        ];
        for unhashed in [Unhashed::Listed, Unhashed::Skipped] {
            assert_eq!(shown(&verified(text, unhashed)), expected);
        }
    }

    #[test]
    fn an_image_with_its_digest_needs_no_hash() {
        let text = format!(
            r#"{{"packages": [{{"registryType": "oci", "identifier": "ghcr.io/a/b@{}"}}]}}"#,
            Digest::of(b"")
        );
        let report = verified(&text, Unhashed::Listed);
        assert!(report.results.is_empty(), "{report:?}");
        assert!(report.notes[0].ends_with("the image is named by its digest"), "{report:?}");
    }
}
