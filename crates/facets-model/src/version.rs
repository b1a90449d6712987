use std::fmt;
use std::str::FromStr;

/// Larger numbers are not the same in every JSON reader.
const MAX_COMPONENT: u64 = facets_digest::json::MAX_SAFE_INTEGER;

/// Why a text is not a version.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VersionError {
    /// Not `MAJOR.MINOR.PATCH` with an optional prerelease.
    #[error("{reason}")]
    Malformed {
        /// What the grammar misses.
        reason: String,
    },
    /// `+build` behind the version.
    #[error("build metadata `+{found}` is not allowed")]
    BuildMetadata {
        /// The metadata.
        found: String,
    },
    /// A component beyond 2^53−1.
    #[error("the number {found} is beyond 2^53−1")]
    TooLarge {
        /// The component.
        found: u64,
    },
    /// A prerelease where only `M.N.P` may stand.
    #[error("a prerelease `-{found}` is not allowed here")]
    Prerelease {
        /// The prerelease.
        found: String,
    },
}

/// A SemVer 2.0 version without build metadata (spec 2.2), ordered by precedence.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version(semver::Version);

impl Version {
    /// Whether it has a prerelease part.
    #[must_use]
    pub fn is_prerelease(&self) -> bool {
        !self.0.pre.is_empty()
    }

    /// Whether `major.minor.patch` is the same.
    fn same_core(&self, other: &Self) -> bool {
        let core = |version: &semver::Version| (version.major, version.minor, version.patch);
        core(&self.0) == core(&other.0)
    }
}

impl FromStr for Version {
    type Err = VersionError;

    fn from_str(text: &str) -> Result<Self, VersionError> {
        let version = semver::Version::parse(text)
            .map_err(|error| VersionError::Malformed { reason: error.to_string() })?;
        if !version.build.is_empty() {
            return Err(VersionError::BuildMetadata { found: version.build.to_string() });
        }
        for found in [version.major, version.minor, version.patch] {
            if found > MAX_COMPONENT {
                return Err(VersionError::TooLarge { found });
            }
        }
        Ok(Self(version))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0.to_string())
    }
}

/// A version of exactly `M.N.P`, as facets have it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlainVersion(Version);

impl FromStr for PlainVersion {
    type Err = VersionError;

    fn from_str(text: &str) -> Result<Self, VersionError> {
        let version: Version = text.parse()?;
        if version.is_prerelease() {
            return Err(VersionError::Prerelease { found: version.0.pre.to_string() });
        }
        Ok(Self(version))
    }
}

impl fmt::Display for PlainVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A version as a registry lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    /// The version.
    pub version: Version,
    /// Whether its author took it back.
    pub yanked: bool,
}

/// The lowest version that will do; the latest at or above it is taken.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Floor(Version);

impl Floor {
    /// Whether a version may be chosen, apart from being yanked.
    ///
    /// spec 2.2: a prerelease only when the floor is a prerelease of the same core version
    #[must_use]
    pub fn admits(&self, version: &Version) -> bool {
        let welcome =
            !version.is_prerelease() || (self.0.is_prerelease() && self.0.same_core(version));
        welcome && *version >= self.0
    }

    /// The highest admitted version that is not yanked.
    #[must_use]
    pub fn resolve<'a>(&self, published: &'a [Published]) -> Option<&'a Version> {
        published
            .iter()
            .filter(|candidate| !candidate.yanked)
            .map(|candidate| &candidate.version)
            .filter(|version| self.admits(version))
            .max()
    }
}

impl FromStr for Floor {
    type Err = VersionError;

    fn from_str(text: &str) -> Result<Self, VersionError> {
        text.parse().map(Self)
    }
}

impl fmt::Display for Floor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
