//! Hashes every file of every package.

use std::collections::BTreeMap;

use facets_digest::Digest;
use facets_fetch::{FetchProgress, Fetcher};
use facets_model::server_json::{HashPlace, ServerJson, StatedFileHash, placeholder_in};

use crate::bundle_hash::{BundleHash, conflicts, lacking};
use crate::complete::complete;
use crate::error::FileHashesError;
use crate::file_result::{FileResult, FileStatus};
use crate::listing::{Asked, Listing, TaggedImage, UnusablePackage, list};
use crate::server_file::ServerFile;

/// What came of it.
#[derive(Debug)]
pub struct HashGenReport {
    /// The completed document, if every file was hashed.
    pub document: Result<String, Vec<FileResult>>,
    /// How many files were hashed.
    pub files: usize,
    /// What is worth knowing.
    pub notes: Vec<String>,
}

/// Hashes of files, and of bundles.
#[derive(Default)]
struct Hashed {
    files: BTreeMap<String, Digest>,
    bundles: Vec<BundleHash>,
    failed: Vec<FileResult>,
}

/// Completes a document. The file itself is not touched.
pub fn hash_gen(
    file: &ServerFile,
    fetcher: &Fetcher,
    progress: &dyn FetchProgress,
) -> Result<HashGenReport, FileHashesError> {
    let (text, server) = file.parse()?;
    let mut listing = list(&server, Asked::Every, &|identifiers| fetcher.list_all(identifiers));
    let mut notes = std::mem::take(&mut listing.notes);
    notes.extend(listing.images.iter().map(TaggedImage::note));
    let hashed = hash(&server, &listing, fetcher, progress);
    notes.extend(fetcher.ignored());
    let files = hashed.files.len();
    if !hashed.failed.is_empty() {
        return Ok(HashGenReport { document: Err(hashed.failed), files, notes });
    }
    notes.extend(replaced(&server, &hashed.files));
    if files == 0 && server.hash_places.is_empty() {
        notes.push("no package has files to hash; the document is as it was".to_owned());
        return Ok(HashGenReport { document: Ok(text.to_owned()), files, notes });
    }
    let document = complete(text, &server, &hashed.files, &hashed.bundles)
        .map_err(|source| FileHashesError::Edit { path: file.path.clone(), source })?;
    Ok(HashGenReport { document: Ok(document), files, notes })
}

fn hash(
    server: &ServerJson,
    listing: &Listing,
    fetcher: &Fetcher,
    progress: &dyn FetchProgress,
) -> Hashed {
    let unusable = listing.unusable.iter().map(UnusablePackage::malformed);
    let failed = unusable.chain(unread(server)).collect();
    let mut hashed = Hashed { failed, ..Hashed::default() };
    let mut queue = Vec::new();
    let mut owners = Vec::new();
    for package in &listing.packages {
        match &package.files {
            Ok(files) => {
                queue.extend(files.iter().cloned());
                owners.extend(files.iter().map(|file| (package, package.name_of(file))));
            }
            Err(error) => {
                hashed.failed.push(FileResult::failed(&package.identifier.to_string(), error));
            }
        }
    }
    for ((package, name), fetched) in owners.into_iter().zip(fetcher.download(&queue, progress)) {
        let digest = match fetched {
            Ok(file) => file.digest,
            Err(error) => {
                hashed.failed.push(FileResult::failed(&name, &error));
                continue;
            }
        };
        for declared in package.declared(server) {
            hashed.bundles.extend(lacking(declared, &digest));
            hashed.failed.extend(conflicts(declared, &digest));
        }
        hashed.files.insert(name, digest);
    }
    hashed
}

/// Members that are not read. They would stand beside the new hashes and could differ from them.
fn unread(server: &ServerJson) -> impl Iterator<Item = FileResult> {
    let stated = server.file_hashes.iter().flatten();
    stated.filter(|one| one.place == HashPlace::Unread).filter_map(|one| {
        let reason = one.digest.as_ref().err()?;
        Some(FileResult::new(&one.identifier, FileStatus::Malformed, reason.clone()))
    })
}

/// What of the old hashes is not in the new document.
fn replaced(server: &ServerJson, files: &BTreeMap<String, Digest>) -> Vec<String> {
    let stated = server.file_hashes.iter().flatten();
    let note = |old: &StatedFileHash| {
        let name = &old.identifier;
        if matches!(old.place, HashPlace::Package { .. }) {
            // `verify` refuses hashes that stand there.
            return Some(format!(
                "{name}: removed, because hashes inside of a package are not read"
            ));
        }
        match (files.get(name), &old.digest) {
            (Some(new), Ok(was)) if new == was => None,
            (Some(_), Ok(was)) => Some(format!("{name}: replaced another hash, {was}")),
            (Some(_), Err(was)) if placeholder_in(was).is_some() => None,
            (Some(_), Err(was)) => Some(format!("{name}: replaced what was no hash: {was}")),
            (None, _) => Some(format!("{name}: left out, because no package has that file")),
        }
    };
    stated.filter_map(note).collect()
}
