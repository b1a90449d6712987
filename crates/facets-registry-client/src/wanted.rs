//! What is asked for: a kind, a name, a version.

use std::fmt;
use std::str::FromStr;

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
    /// The highest one of a range that is not a prerelease.
    Within(ReleaseRange),
}

/// Releases that a project accepts, in the words of the reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReleaseRange {
    /// `*`
    Any,
    /// `1.*`
    Major(u64),
    /// `1.2.*`
    Minor(u64, u64),
}

/// A text is not a range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a range is `*`, `1.*` or `1.2.*`")]
pub struct ReleaseRangeError;

impl ReleaseRange {
    /// A range by the numbers in front of its asterisk.
    #[must_use]
    pub fn of_numbers(numbers: &[u64]) -> Option<Self> {
        match *numbers {
            [] => Some(Self::Any),
            [major] => Some(Self::Major(major)),
            [major, minor] => Some(Self::Minor(major, minor)),
            _ => None,
        }
    }

    /// Whether it has this version.
    #[must_use]
    pub fn has(self, version: &Version) -> bool {
        let text = version.to_string();
        let begins = match self {
            Self::Any => true,
            Self::Major(major) => text.starts_with(&format!("{major}.")),
            Self::Minor(major, minor) => text.starts_with(&format!("{major}.{minor}.")),
        };
        begins && !version.is_prerelease()
    }
}

impl FromStr for ReleaseRange {
    type Err = ReleaseRangeError;

    fn from_str(text: &str) -> Result<Self, ReleaseRangeError> {
        if text == "*" {
            return Ok(Self::Any);
        }
        let numbers = text.strip_suffix(".*").ok_or(ReleaseRangeError)?.split('.');
        // A number has one spelling: neither `+1` nor `01`.
        let number = |text: &str| text.parse().ok().filter(|one: &u64| one.to_string() == text);
        let numbers: Option<Vec<u64>> = numbers.map(number).collect();
        numbers.and_then(|numbers| Self::of_numbers(&numbers)).ok_or(ReleaseRangeError)
    }
}

impl fmt::Display for ReleaseRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("*"),
            Self::Major(major) => write!(f, "{major}.*"),
            Self::Minor(major, minor) => write!(f, "{major}.{minor}.*"),
        }
    }
}

impl WantedVersion {
    /// Its part of a path, with a query.
    pub(crate) fn segment(&self) -> String {
        match self {
            Self::Exact(version) => version.to_string(),
            Self::Latest => "latest".to_owned(),
            Self::AtLeast(floor) => format!("latest?floor={floor}"),
            Self::Within(range) => range.to_string(),
        }
    }

    /// Whether a version is one that was asked for.
    pub(crate) fn admits(&self, version: &Version) -> bool {
        match self {
            Self::Exact(wanted) => wanted == version,
            Self::Latest => !version.is_prerelease(),
            Self::AtLeast(floor) => floor.admits(version),
            Self::Within(range) => range.has(version),
        }
    }
}

impl fmt::Display for WantedVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact(version) => version.fmt(f),
            Self::Latest => f.write_str("latest"),
            Self::AtLeast(floor) => write!(f, "{floor} or later"),
            Self::Within(range) => range.fmt(f),
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
        let latest = WantedVersion::Latest;
        assert!(latest.admits(&version("2.0.0")) && !latest.admits(&version("2.0.0-rc.1")));
    }

    #[test]
    fn ranges_are_those_of_the_reference() {
        let has = |range: &str, version: &str| {
            let range: ReleaseRange = range.parse().unwrap();
            range.has(&version.parse().unwrap())
        };
        assert!(has("*", "10.0.0") && has("1.*", "1.20.3") && has("1.2.*", "1.2.30"));
        assert!(!has("1.*", "10.0.0") && !has("1.2.*", "1.20.0") && !has("2.*", "1.2.0"));
        assert!(!has("*", "2.0.0-rc.1") && !has("2.*", "2.0.0-rc.1"));
        for text in ["*", "1.*", "0.2.*"] {
            let range: ReleaseRange = text.parse().unwrap();
            assert_eq!(range.to_string(), text);
            assert_eq!(WantedVersion::Within(range).segment(), text);
        }
        for text in ["", ".*", "1", "1.2.3", "1.2.3.*", "01.*", "+1.*", "x.*", "**", "1.*.*"] {
            assert_eq!(text.parse::<ReleaseRange>(), Err(ReleaseRangeError), "{text}");
        }
    }
}
