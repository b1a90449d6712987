//! The files of every package, as upstream lists them.

use facets_fetch::pypi::{normalized_name, same_version};
use facets_fetch::{Listed, UpstreamFile};
use facets_model::FileIdentifier;
use facets_model::server_json::{
    DeclaredPackage, PackageFiles, ServerJson, identifiers, one_spelling,
};

use crate::file_result::{FileResult, FileStatus};
use crate::shorten::shortened;

/// How much of the reason is shown for which an author withdrew a file.
const REASON: usize = 200;
/// Why an image needs its digest.
const TAGGED: &str =
    "the image is named by a tag, which can be moved: name it by its digest, NAME@sha256:…";

/// Finds the files of packages, in the same order.
pub(crate) type FilesOf<'f> = dyn Fn(&[FileIdentifier]) -> Vec<Listed> + 'f;

/// Which packages upstream is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// All of them.
    Every,
    /// Those that state a hash themselves.
    Stating,
}

/// A package whose files are hashed.
pub(crate) struct ListedPackage {
    /// Which packages of the document name it: one entry is for all of them.
    pub(crate) indices: Vec<usize>,
    /// The file, or the release.
    pub(crate) identifier: FileIdentifier,
    /// Its files, or why they are not known; none if upstream was not asked.
    pub(crate) files: Listed,
}

impl ListedPackage {
    /// Whether an identifier names a file of it, or all of it.
    pub(crate) fn has(&self, other: &FileIdentifier) -> bool {
        is_same_package(&self.identifier, other)
    }

    /// What a file of it is called in `file_hashes`: the release alone, if it has one file.
    pub(crate) fn name_of(&self, file: &UpstreamFile) -> String {
        match &self.files {
            Ok(files) if files.len() == 1 => self.identifier.to_string(),
            _ => file.identifier.to_string(),
        }
    }

    /// The packages of the document that name it.
    pub(crate) fn declared<'s>(
        &self,
        server: &'s ServerJson,
    ) -> impl Iterator<Item = &'s DeclaredPackage> {
        server.packages.iter().filter(|one| self.indices.contains(&one.index))
    }

    /// Whether it has a hash beside `file_hashes`.
    pub(crate) fn states_hash(&self, server: &ServerJson) -> bool {
        self.declared(server).any(|one| !one.file_sha256.is_empty())
    }
}

/// An image that is named by a tag.
pub(crate) struct TaggedImage {
    place: String,
    identifier: String,
}

impl TaggedImage {
    /// It has nothing that says which image is meant.
    pub(crate) fn missing(&self) -> FileResult {
        let result = FileResult::new(&self.identifier, FileStatus::Missing, TAGGED.to_owned());
        FileResult { unhashed: Some(self.identifier.clone()), ..result }
    }

    pub(crate) fn note(&self) -> String {
        format!("{}: no hash: {TAGGED}", self.place)
    }
}

/// A package whose files cannot be named.
pub(crate) struct UnusablePackage {
    place: String,
    reason: String,
    /// How its file would be called.
    name: Option<String>,
}

impl UnusablePackage {
    pub(crate) fn malformed(&self) -> FileResult {
        FileResult::new(&self.place, FileStatus::Malformed, self.reason.clone())
    }

    /// What an entry about it is told.
    pub(crate) fn reason(&self) -> String {
        format!("{}: {}", self.place, self.reason)
    }

    /// Whether an entry is about its file.
    pub(crate) fn is_named_by(&self, entry: &str) -> bool {
        let Some(name) = &self.name else { return false };
        match (name.parse::<FileIdentifier>(), entry.parse::<FileIdentifier>()) {
            (Ok(own), Ok(other)) => is_same_package(&own, &other),
            _ => name == entry,
        }
    }
}

/// Whether two identifiers are about one package.
fn is_same_package(one: &FileIdentifier, other: &FileIdentifier) -> bool {
    match (one, other) {
        (
            FileIdentifier::Pypi { name, version, .. },
            FileIdentifier::Pypi { name: other_name, version: other_version, .. },
        ) => {
            normalized_name(name) == normalized_name(other_name)
                && same_version(version, other_version)
        }
        (one, other) => one_spelling(one) == one_spelling(other),
    }
}

/// All packages of a document.
#[derive(Default)]
pub(crate) struct Listing {
    pub(crate) packages: Vec<ListedPackage>,
    /// Images without a digest, each once.
    pub(crate) images: Vec<TaggedImage>,
    /// Packages that cannot be named.
    pub(crate) unusable: Vec<UnusablePackage>,
    /// What is not hashed, and why.
    pub(crate) notes: Vec<String>,
}

/// The files of each package, in the order of the document; `files` asks for those of one.
pub(crate) fn list(server: &ServerJson, asked: Asked, files: &FilesOf<'_>) -> Listing {
    let mut listing = Listing::default();
    for (package, named) in server.packages.iter().zip(identifiers(server)) {
        listing.add(package, named);
    }
    if server.remotes > 0 {
        listing.notes.push("remotes: no hash: a remote has no files".to_owned());
    }
    let is_asked = |package: &ListedPackage| asked == Asked::Every || package.states_hash(server);
    let wanted: Vec<usize> =
        (0..listing.packages.len()).filter(|&at| is_asked(&listing.packages[at])).collect();
    let names: Vec<FileIdentifier> =
        wanted.iter().map(|&at| listing.packages[at].identifier.clone()).collect();
    for (at, answer) in wanted.into_iter().zip(files(&names)) {
        listing.notes.extend(answer.iter().flatten().filter_map(withdrawn));
        listing.packages[at].files = answer;
    }
    listing
}

impl Listing {
    fn add(&mut self, package: &DeclaredPackage, named: PackageFiles) {
        let place = place(package);
        match named {
            PackageFiles::One(identifier) | PackageFiles::Release(identifier) => {
                let known = self.packages.iter_mut().find(|known| known.has(&identifier));
                match known {
                    Some(known) => known.indices.push(package.index),
                    None => self.packages.push(ListedPackage {
                        indices: vec![package.index],
                        identifier,
                        files: Ok(Vec::new()),
                    }),
                }
            }
            PackageFiles::TaggedImage(identifier) => {
                if !self.images.iter().any(|known| known.identifier == identifier) {
                    self.images.push(TaggedImage { place, identifier });
                }
            }
            PackageFiles::NotHashed { reason } => {
                self.notes.push(format!("{place}: no hash: {reason}"));
            }
            PackageFiles::Unusable { reason, name } => {
                self.unusable.push(UnusablePackage { place, reason, name });
            }
        }
    }
}

/// That a file was withdrawn.
fn withdrawn(file: &UpstreamFile) -> Option<String> {
    let yanked = file.yanked.as_ref()?;
    let reason = yanked.reason.as_deref().unwrap_or("no reason given");
    Some(format!("{}: withdrawn by its author: {}", file.identifier, shortened(reason, REASON)))
}

/// A package, as a person finds it.
fn place(package: &DeclaredPackage) -> String {
    let DeclaredPackage { index, registry_type, identifier, .. } = package;
    let (kind, name) = (shortened(registry_type, REASON), shortened(identifier, REASON));
    format!("packages[{index}] ({kind} {name})")
}
