//! The tree of a closure in the store: one for each closure, platform and interpreter, shared by all projects.

use facets_closure::Closure;
use facets_digest::{Digest, Hasher};
use facets_launch::Launcher;
use facets_model::{PlatformName, Version};
use facets_store::{Store, StoredTree, TreeItem, TreeKey, TreeManifest, TreePin, Verified};

use crate::bytecode::CACHE;
use crate::error::PackageError;
use crate::files::PackageFetcher;
use crate::interpreter::Interpreter;
use crate::npm_tree::write_packages;
use crate::wheel_tree::write_wheels;

/// For whom a tree is.
#[derive(Clone, Copy, Debug)]
pub enum TreePlace<'p> {
    /// For bun and Node.js on a platform.
    Npm(&'p PlatformName),
    /// For an interpreter, with the bytecode that it makes.
    Pypi(&'p Interpreter),
}

impl TreePlace<'_> {
    /// The platform.
    #[must_use]
    pub fn platform(&self) -> &PlatformName {
        match self {
            Self::Npm(platform) => platform,
            Self::Pypi(python) => &python.target.platform,
        }
    }

    fn key(&self, closure: &Digest) -> TreeKey {
        let python = match self {
            Self::Npm(_) => None,
            Self::Pypi(python) => Some((&python.version, &python.digest)),
        };
        tree_key(closure, self.platform(), python)
    }
}

/// What names the tree of a closure on a platform; of Python, its version and the digest of its program count, too,
/// because its bytecode is part of the tree.
fn tree_key(
    closure: &Digest,
    platform: &PlatformName,
    python: Option<(&Version, &Digest)>,
) -> TreeKey {
    let mut hasher = Hasher::with_domain("package-tree");
    let text = match python {
        None => format!("npm\n{closure}\n{platform}\n"),
        Some((version, digest)) => format!("pypi\n{closure}\n{platform}\n{version}\n{digest}\n"),
    };
    hasher.update(text.as_bytes());
    TreeKey::Closure(hasher.finish())
}

/// The files of all packages of a closure.
#[derive(Debug)]
pub struct PackageTree {
    /// The tree, just verified.
    pub tree: Verified<StoredTree>,
    /// The digest of the files that came from packages. It is the same on every machine of a platform.
    pub digest: Digest,
}

impl PackageTree {
    /// Whether there is a tree of a closure. It is not looked at: nothing may be started because of it.
    #[must_use]
    pub fn is_stored(
        store: &Store,
        closure: &Digest,
        platform: &PlatformName,
        python: Option<(&Version, &Digest)>,
    ) -> bool {
        store.has_tree_unverified(&tree_key(closure, platform, python))
    }

    /// The tree of a closure, if it is stored. `expected` is the digest that is locked for this platform.
    pub fn find(
        store: &Store,
        closure: &Digest,
        place: TreePlace<'_>,
        expected: Option<&Digest>,
    ) -> Result<Option<Self>, PackageError> {
        let tree = store.get_tree(&place.key(closure), TreePin::AsStored)?;
        Ok(Self::checked(tree, expected))
    }

    /// The same, with every byte hashed.
    pub fn find_hashed(
        store: &Store,
        closure: &Digest,
        place: TreePlace<'_>,
        expected: Option<&Digest>,
    ) -> Result<Option<Self>, PackageError> {
        let key = place.key(closure);
        let tree = store.get_tree_hashed(&key, TreePin::AsStored, &facets_digest::NoProgress)?;
        Ok(Self::checked(tree, expected))
    }

    /// A tree that was replaced together with its manifest is none: it is made again.
    fn checked(tree: Option<Verified<StoredTree>>, expected: Option<&Digest>) -> Option<Self> {
        let tree = tree?;
        let digest = package_digest(tree.manifest());
        expected.is_none_or(|expected| *expected == digest).then_some(Self { tree, digest })
    }

    /// Unpacks all packages of a closure, whose files are in the store.
    pub fn make(
        files: &PackageFetcher<'_>,
        closure: &Closure,
        place: TreePlace<'_>,
        launcher: &Launcher,
    ) -> Result<Self, PackageError> {
        let key = place.key(&closure.digest());
        let store = files.store;
        let tree = match (closure, place) {
            (Closure::Npm(closure), TreePlace::Npm(platform)) => {
                let digests = files.npm_digests(closure, platform)?;
                store.put_tree(&key, TreePin::AsStored, |writer| {
                    write_packages(files, closure, &digests, writer)
                })?
            }
            (Closure::Pypi(closure), TreePlace::Pypi(python)) => {
                files.wheels(closure, python)?;
                store.put_tree(&key, TreePin::AsStored, |writer| {
                    write_wheels(files, closure, (launcher, python), writer)
                })?
            }
            (closure, _) => {
                let ecosystem = closure.ecosystem().to_string();
                return Err(PackageError::NoPython { wanted: format!("runtime of {ecosystem}") });
            }
        };
        let digest = package_digest(tree.manifest());
        Ok(Self { tree, digest })
    }
}

/// The digest of the files that came from packages: bytecode depends on the interpreter, and is verified by the
/// manifest of the tree alone.
#[must_use]
pub fn package_digest(manifest: &TreeManifest) -> Digest {
    let is_made_here = |path: &str| path.split('/').any(|part| part == CACHE);
    let files = manifest
        .items()
        .filter(|(path, item)| matches!(item, TreeItem::File { .. }) && !is_made_here(path));
    TreeManifest::of_files(files.map(|(path, item)| (path, *item))).digest()
}
