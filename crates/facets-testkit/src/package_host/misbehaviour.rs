//! What a host can do that an honest one does not.

use super::catalog::{Catalog, Distribution, NpmRelease, ServedFile};
use super::hashes::{integrity, sha256_hex};
use super::npm_package::NpmPackage;
use super::wheel::Wheel;

/// What stands in the place of a tarball.
#[derive(Clone, Debug)]
pub enum TarballSource {
    /// These bytes; what the registry says about the package remains.
    Bytes(Vec<u8>),
    /// This package, with everything that its own manifest says.
    Package(NpmPackage),
}

impl TarballSource {
    fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Bytes(bytes) => bytes.clone(),
            Self::Package(package) => package.tarball(),
        }
    }
}

impl From<NpmPackage> for TarballSource {
    fn from(package: NpmPackage) -> Self {
        Self::Package(package)
    }
}

impl From<Vec<u8>> for TarballSource {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Bytes(bytes)
    }
}

/// One way to misbehave. Several can be active; later ones build on earlier ones.
///
/// Those that name a package or a file need it to be published; all others of its kind stay honest.
#[derive(Clone, Debug)]
pub enum Misbehaviour {
    /// Another tarball for a version, and metadata that matches it.
    ReplaceTarball {
        /// The package.
        name: String,
        /// Its version.
        version: String,
        /// What is served from now on.
        with: TarballSource,
    },
    /// Another tarball for a version, and the metadata of the first.
    ReplaceTarballKeepMetadata {
        /// The package.
        name: String,
        /// Its version.
        version: String,
        /// What is served from now on.
        with: TarballSource,
    },
    /// Any bytes as the tarball of a version, with their true integrity. The version is published if
    /// it does not exist.
    RawTarball {
        /// The package.
        name: String,
        /// Its version.
        version: String,
        /// What is served from now on.
        bytes: Vec<u8>,
    },
    /// Metadata of npm with the integrity of something else.
    LieAboutIntegrity {
        /// The package.
        name: String,
        /// Its version.
        version: String,
    },
    /// A version of npm of which neither metadata nor tarball exist any more.
    DeleteVersion {
        /// The package.
        name: String,
        /// Its version.
        version: String,
    },
    /// A version of npm whose metadata exist and whose tarball does not.
    MissingFile {
        /// The package.
        name: String,
        /// Its version.
        version: String,
    },
    /// A tag of npm that leads to another version.
    MoveTag {
        /// The package.
        name: String,
        /// The tag, such as `latest`.
        tag: String,
        /// Where it leads from now on.
        version: String,
    },
    /// Another wheel in the place of the one with the same file name, and an index that matches it.
    ReplaceWheel {
        /// What is served from now on.
        with: Wheel,
    },
    /// Another wheel in the place of the one with the same file name, and the index of the first.
    ReplaceWheelKeepMetadata {
        /// What is served from now on.
        with: Wheel,
    },
    /// Any bytes as a wheel, with their true hash. It is published if it does not exist.
    RawWheel {
        /// Such as `demo-1.0-py3-none-any.whl`.
        file_name: String,
        /// What is served from now on.
        bytes: Vec<u8>,
    },
    /// An index with the hash of something else for all files of a release.
    LieAboutWheelHash {
        /// The project.
        name: String,
        /// Its version.
        version: String,
    },
    /// A release of PyPI of which neither links nor files exist any more.
    DeleteRelease {
        /// The project.
        name: String,
        /// Its version.
        version: String,
    },
    /// A release of PyPI whose links exist and whose files do not.
    MissingWheel {
        /// The project.
        name: String,
        /// Its version.
        version: String,
    },
    /// An index of PyPI that is HTML, whatever is asked for.
    HtmlIndexOnly,
    /// An index of PyPI that is JSON, whatever is asked for.
    JsonIndexOnly,
    /// Connections are accepted and requests are read, but nothing is answered.
    Silent,
    /// Answers that announce all of their body, send half of it and end.
    Truncate {
        /// Part of the path as it is asked for.
        path_contains: String,
    },
    /// Answers without a length whose body goes on with spaces.
    Endless {
        /// Part of the path as it is asked for.
        path_contains: String,
    },
}

impl Misbehaviour {
    /// Changes what is served.
    pub(super) fn apply(&self, catalog: &mut Catalog) {
        match self {
            Self::ReplaceTarball { name, version, with } => {
                replace(catalog.require_npm(name, version), with);
            }
            Self::ReplaceTarballKeepMetadata { name, version, with } => {
                catalog.require_npm(name, version).file.bytes = with.bytes().into();
            }
            Self::RawTarball { name, version, bytes } => {
                catalog.ensure_npm(name, version).file = ServedFile::new(bytes.clone(), integrity);
            }
            Self::LieAboutIntegrity { name, version } => {
                catalog.require_npm(name, version).file.hash = integrity(b"something else");
            }
            Self::DeleteVersion { name, version } => catalog.delete_npm(name, version),
            Self::MissingFile { name, version } => {
                catalog.require_npm(name, version).file.is_missing = true;
            }
            Self::MoveTag { name, tag, version } => catalog.tag(name, tag, version),
            _ => self.apply_to_distributions(catalog),
        }
    }

    fn apply_to_distributions(&self, catalog: &mut Catalog) {
        match self {
            Self::ReplaceWheel { with } => {
                *catalog.require_distribution(&with.file_name()) = Distribution::new(with);
            }
            Self::ReplaceWheelKeepMetadata { with } => {
                let place = catalog.require_distribution(&with.file_name());
                place.file.bytes = with.archive().into();
            }
            Self::RawWheel { file_name, bytes } => {
                catalog.put_distribution(Distribution::raw(file_name, bytes.clone()));
            }
            Self::LieAboutWheelHash { name, version } => {
                let hash = sha256_hex(b"something else");
                for one in catalog.require_release(name, version) {
                    one.file.hash.clone_from(&hash);
                }
            }
            Self::DeleteRelease { name, version } => catalog.delete_release(name, version),
            Self::MissingWheel { name, version } => {
                for one in catalog.require_release(name, version) {
                    one.file.is_missing = true;
                }
            }
            _ => {}
        }
    }
}

fn replace(release: &mut NpmRelease, with: &TarballSource) {
    if let TarballSource::Package(package) = with {
        release.manifest = package.manifest();
    }
    release.file = ServedFile::new(with.bytes(), integrity);
}
