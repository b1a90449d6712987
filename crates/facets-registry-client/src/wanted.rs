//! What is asked for: a kind, a name, a version.

use std::fmt;

use facets_model::{ArtifactName, Floor, Version};

/// What a registry publishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PublishedKind {
    /// Skills, agents and commands.
    Facet,
    /// A source-mode server.
    Server,
}

impl PublishedKind {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Facet, Self::Server];

    /// How people and programs read it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Facet => "facet",
            Self::Server => "server",
        }
    }

    /// Its part of a path.
    pub(crate) fn segment(self) -> &'static str {
        match self {
            Self::Facet => "facets",
            Self::Server => "source-servers",
        }
    }

    /// The member of a list that has the items.
    pub(crate) fn list_member(self) -> &'static str {
        match self {
            Self::Facet => "facets",
            Self::Server => "servers",
        }
    }
}

/// Which version is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WantedVersion {
    /// This one, also if it was yanked.
    Exact(Version),
    /// The highest one that is not a prerelease.
    Latest,
    /// spec 2.2: the highest one at or above a floor
    AtLeast(Floor),
}

impl WantedVersion {
    /// Its part of a path, with a query.
    pub(crate) fn segment(&self) -> String {
        match self {
            Self::Exact(version) => version.to_string(),
            Self::Latest => "latest".to_owned(),
            Self::AtLeast(floor) => format!("latest?floor={floor}"),
        }
    }

    /// Whether a version is one that was asked for.
    pub(crate) fn admits(&self, version: &Version) -> bool {
        match self {
            Self::Exact(wanted) => wanted == version,
            Self::Latest => true,
            Self::AtLeast(floor) => floor.admits(version),
        }
    }
}

impl fmt::Display for WantedVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact(version) => version.fmt(f),
            Self::Latest => f.write_str("latest"),
            Self::AtLeast(floor) => write!(f, "{floor} or later"),
        }
    }
}

/// The path of everything that has a name; scopes are escaped as the reference does it.
pub(crate) fn name_path(kind: PublishedKind, name: &ArtifactName) -> String {
    format!("v0/{}/{}", kind.segment(), name.as_str().replace('@', "%40"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_those_of_the_reference() {
        let name: ArtifactName = "@acme/demo".parse().unwrap();
        assert_eq!(name_path(PublishedKind::Server, &name), "v0/source-servers/%40acme/demo");
        let plain: ArtifactName = "demo".parse().unwrap();
        assert_eq!(name_path(PublishedKind::Facet, &plain), "v0/facets/demo");
        let floor = WantedVersion::AtLeast("1.2.0".parse().unwrap());
        assert_eq!(floor.segment(), "latest?floor=1.2.0");
    }

    #[test]
    fn an_answer_with_another_version_is_none() {
        let version = |text: &str| text.parse::<Version>().unwrap();
        let exact = WantedVersion::Exact(version("1.0.0"));
        assert!(exact.admits(&version("1.0.0")) && !exact.admits(&version("1.0.1")));
        let floor = WantedVersion::AtLeast("1.2.0".parse().unwrap());
        assert!(floor.admits(&version("2.0.0")) && !floor.admits(&version("1.1.9")));
    }
}
