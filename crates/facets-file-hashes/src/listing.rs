//! The files of every package, as upstream lists them.

use facets_fetch::pypi::{normalized_name, same_version};
use facets_fetch::{FetchError, UpstreamFile};
use facets_model::FileIdentifier;
use facets_model::server_json::{DeclaredPackage, PackageFiles, ServerJson, identifiers};

use crate::file_result::{FileResult, FileStatus};

/// Finds the files of a package.
pub(crate) type FilesOf<'f> = dyn Fn(&FileIdentifier) -> Result<Vec<UpstreamFile>, FetchError> + 'f;

/// A package whose files are hashed.
pub(crate) struct ListedPackage {
    /// Which packages of the document name it: one entry is for all of them.
    pub(crate) indices: Vec<usize>,
    /// The file, or the release.
    pub(crate) identifier: FileIdentifier,
    /// Its files, or why they are not known.
    pub(crate) files: Result<Vec<UpstreamFile>, FetchError>,
}

impl ListedPackage {
    /// Whether an identifier names a file of it, or all of it.
    pub(crate) fn has(&self, other: &FileIdentifier) -> bool {
        match (&self.identifier, other) {
            (
                FileIdentifier::Pypi { name, version, .. },
                FileIdentifier::Pypi { name: other_name, version: other_version, .. },
            ) => {
                normalized_name(name) == normalized_name(other_name)
                    && same_version(version, other_version)
            }
            // The address of a file of a release names the same file.
            (
                FileIdentifier::GitHub { owner, repository, tag, asset },
                FileIdentifier::Url(url),
            ) => {
                let path = format!("{owner}/{repository}/releases/download/{tag}/{asset}");
                url.as_str() == format!("https://github.com/{path}")
            }
            (own, other) => own == other,
        }
    }

    /// What a file of it is called in `file_hashes`: the release alone, if it has one file.
    pub(crate) fn name_of(&self, file: &UpstreamFile) -> String {
        match &self.files {
            Ok(files) if files.len() == 1 => self.identifier.to_string(),
            _ => file.identifier.to_string(),
        }
    }
}

/// All packages of a document.
#[derive(Default)]
pub(crate) struct Listing {
    pub(crate) packages: Vec<ListedPackage>,
    /// Packages that cannot be named.
    pub(crate) unusable: Vec<FileResult>,
    /// What is not hashed, and why.
    pub(crate) notes: Vec<String>,
}

/// The files of each package; `files` asks for those of one.
pub(crate) fn list(server: &ServerJson, files: &FilesOf<'_>) -> Listing {
    let mut listing = Listing::default();
    for (package, named) in server.packages.iter().zip(identifiers(server)) {
        let place = place(package);
        match named {
            PackageFiles::One(identifier) | PackageFiles::Release(identifier) => {
                listing.add(package.index, identifier, files);
            }
            PackageFiles::NotHashed { reason } => {
                listing.notes.push(format!("{place}: no hash: {reason}"));
            }
            PackageFiles::Unusable { reason } => {
                listing.unusable.push(FileResult::new(&place, FileStatus::Malformed, reason));
            }
        }
    }
    if server.remotes > 0 {
        listing.notes.push("remotes: no hash: a remote has no files".to_owned());
    }
    listing
}

impl Listing {
    fn add(&mut self, index: usize, identifier: FileIdentifier, files: &FilesOf<'_>) {
        if let Some(known) = self.packages.iter_mut().find(|known| known.has(&identifier)) {
            known.indices.push(index);
            return;
        }
        let files = files(&identifier);
        for file in files.iter().flatten() {
            if let Some(yanked) = &file.yanked {
                let reason = yanked.reason.as_deref().unwrap_or("no reason given");
                self.notes.push(format!("{}: withdrawn by its author: {reason}", file.identifier));
            }
        }
        self.packages.push(ListedPackage { indices: vec![index], identifier, files });
    }
}

/// A package, as a person finds it.
fn place(package: &DeclaredPackage) -> String {
    let DeclaredPackage { index, registry_type, identifier, .. } = package;
    format!("packages[{index}] ({registry_type} {identifier})")
}
