//! Which version a reader asks for.

use std::fmt;
use std::str::FromStr;

use facets_model::{Floor, Version};

use crate::ordering;

/// Which version a reader asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// This one, also if it is yanked.
    Exact(Version),
    /// The highest release.
    Latest,
    /// The highest at or above a floor (spec 2.2).
    AtLeast(Floor),
    /// The highest release of a range.
    Range(VersionRange),
}

/// The largest number of a version.
const MAX_NUMBER: u64 = facets_digest::json::MAX_SAFE_INTEGER;

/// A range of the reference: `*`, `1.*` or `1.2.*`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VersionRange {
    /// `*`
    Any,
    /// `1.*`
    Major(u64),
    /// `1.2.*`
    Minor(u64, u64),
}

impl VersionRange {
    /// The text that the orderings of its releases begin with.
    pub(crate) fn prefix(self) -> String {
        match self {
            Self::Any => String::new(),
            Self::Major(major) => ordering::prefix(&[major]),
            Self::Minor(major, minor) => ordering::prefix(&[major, minor]),
        }
    }
}

/// A text is not a range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a range is `*`, `1.*` or `1.2.*`")]
pub struct VersionRangeError;

impl FromStr for VersionRange {
    type Err = VersionRangeError;

    fn from_str(text: &str) -> Result<Self, VersionRangeError> {
        if text == "*" {
            return Ok(Self::Any);
        }
        let numbers = text.strip_suffix(".*").ok_or(VersionRangeError)?;
        let numbers: Result<Vec<u64>, _> = numbers.split('.').map(number).collect();
        match *numbers? {
            [major] => Ok(Self::Major(major)),
            [major, minor] => Ok(Self::Minor(major, minor)),
            _ => Err(VersionRangeError),
        }
    }
}

/// A number as versions have it: no sign, no zero in front.
fn number(text: &str) -> Result<u64, VersionRangeError> {
    let number: u64 = text.parse().map_err(|_| VersionRangeError)?;
    if number > MAX_NUMBER || number.to_string() != text {
        return Err(VersionRangeError);
    }
    Ok(number)
}

impl fmt::Display for VersionRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("*"),
            Self::Major(major) => write!(f, "{major}.*"),
            Self::Minor(major, minor) => write!(f, "{major}.{minor}.*"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_those_of_the_reference() {
        let cases = [
            ("*", VersionRange::Any),
            ("0.*", VersionRange::Major(0)),
            ("12.*", VersionRange::Major(12)),
            ("1.20.*", VersionRange::Minor(1, 20)),
        ];
        for (text, range) in cases {
            assert_eq!(text.parse(), Ok(range));
            assert_eq!(range.to_string(), text);
        }
        let bad =
            ["", ".*", "1", "1.2.3", "1.2.3.*", "01.*", "+1.*", "x.*", "**", "^1.0.0", "1.*.*"];
        for text in bad {
            assert_eq!(text.parse::<VersionRange>(), Err(VersionRangeError), "{text}");
        }
        assert!("9007199254740992.*".parse::<VersionRange>().is_err());
    }
}
