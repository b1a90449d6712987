//! The files of every package, as upstream lists them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use facets_fetch::pypi::{normalized_name, same_version};
use facets_fetch::{FetchError, UpstreamFile};
use facets_model::FileIdentifier;
use facets_model::server_json::{
    DeclaredPackage, PackageFiles, ServerJson, identifiers, one_spelling,
};

use crate::file_result::{FileResult, FileStatus};
use crate::shorten::shortened;

/// How many packages are asked for at once.
const AT_ONCE: usize = 8;
/// How much of the reason is shown for which an author withdrew a file.
const REASON: usize = 200;
/// Why an image needs its digest.
const TAGGED: &str =
    "the image is named by a tag, which can be moved: name it by its digest, NAME@sha256:…";

/// The files of a package, or why they are not known.
type Listed = Result<Vec<UpstreamFile>, FetchError>;

/// Finds the files of a package.
pub(crate) type FilesOf<'f> = dyn Fn(&FileIdentifier) -> Listed + Sync + 'f;

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
    let names: Vec<&FileIdentifier> =
        wanted.iter().map(|&at| &listing.packages[at].identifier).collect();
    let answers = ask(&names, files);
    for (at, answer) in wanted.into_iter().zip(answers) {
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

/// Asks for several packages at once, and gives the answers in the same order.
fn ask(names: &[&FileIdentifier], files: &FilesOf<'_>) -> Vec<Listed> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(names.len()));
    let work = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(name) = names.get(index) else { return };
            let answer = files(name);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((index, answer));
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..AT_ONCE.min(names.len()) {
            scope.spawn(work);
        }
        work();
    });
    let mut all = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    all.sort_unstable_by_key(|(index, _)| *index);
    all.into_iter().map(|(_, answer)| answer).collect()
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn packages_are_asked_for_at_once_and_listed_in_their_order() {
        let packages = (0..20).map(|number| {
            format!(r#"{{"registryType": "npm", "identifier": "p{number}", "version": "1.0.0"}}"#)
        });
        let packages: Vec<String> = packages.collect();
        let text = format!("{{\"packages\": [{}]}}", packages.join(", "));
        let server = ServerJson::parse(&text).unwrap();
        let running = AtomicUsize::new(0);
        let most = AtomicUsize::new(0);
        let listing = list(&server, Asked::Every, &|_| {
            most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            std::thread::sleep(Duration::from_millis(20));
            running.fetch_sub(1, Ordering::SeqCst);
            Ok(Vec::new())
        });
        let most = most.into_inner();
        assert!((2..=AT_ONCE).contains(&most), "{most} at once");
        let names: Vec<usize> =
            listing.packages.iter().flat_map(|one| one.indices.clone()).collect();
        assert_eq!(names, (0..20).collect::<Vec<_>>());
    }

    #[test]
    fn spellings_of_one_file_are_one_package() {
        let asset = "releases/download/v1/x.mcpb";
        let addresses = [
            format!("https://github.com/o/r/{asset}"),
            format!("https://GitHub.com:443/O/R/{asset}"),
            format!("https://github.com/a/../o/%72/{asset}"),
        ];
        let packages = addresses
            .map(|address| format!(r#"{{"registryType": "mcpb", "identifier": "{address}"}}"#));
        let text = format!("{{\"packages\": [{}]}}", packages.join(", "));
        let server = ServerJson::parse(&text).unwrap();
        let listing = list(&server, Asked::Every, &|_| Ok(Vec::new()));
        assert_eq!(listing.packages.len(), 1);
        assert_eq!(listing.packages[0].indices, [0, 1, 2]);
    }
}
