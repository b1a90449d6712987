//! Why a closure or a lock of npm cannot be used.

use facets_digest::json::JsonError;
use facets_failure::Describe;

use crate::format_version::VERSION;

/// Why a closure, or what it would be made from, cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ClosureError {
    /// It is no JSON.
    #[error("{what} cannot be read: {source}")]
    Json {
        /// Which document.
        what: &'static str,
        /// Why not.
        source: JsonError,
    },
    /// A member is missing or has another form.
    #[error("{what} has no valid {member}")]
    Member {
        /// Which document.
        what: &'static str,
        /// Which member.
        member: String,
        /// What should stand there.
        expected: &'static str,
    },
    /// It was written by a newer facet.
    #[error("the closure has version {found}, which this facet does not know")]
    Newer {
        /// Its version.
        found: String,
    },
    /// It says the same in other bytes.
    #[error("the closure file was modified: it is not written as facet writes it")]
    NotCanonical,
    /// A package that no registry vouches for.
    #[error("{package} cannot be locked: {reason}")]
    NotLockable {
        /// Which package.
        package: String,
        /// Why not.
        reason: &'static str,
    },
    /// The package has no program, or several.
    #[error("{package} has no program {wanted}")]
    NoProgram {
        /// Which package.
        package: String,
        /// What was looked for.
        wanted: String,
        /// The programs that it has.
        found: Vec<String>,
    },
}

impl ClosureError {
    /// Every code, in alphabetical order.
    pub const CODES: &'static [&'static str] = &[
        "closure-invalid",
        "closure-modified",
        "closure-newer",
        "package-no-program",
        "package-not-lockable",
    ];
}

impl Describe for ClosureError {
    fn code(&self) -> &'static str {
        match self {
            Self::Json { .. } | Self::Member { .. } => "closure-invalid",
            Self::NotCanonical => "closure-modified",
            Self::Newer { .. } => "closure-newer",
            Self::NoProgram { .. } => "package-no-program",
            Self::NotLockable { .. } => "package-not-lockable",
        }
    }

    fn expected(&self) -> Option<String> {
        Some(match self {
            Self::Json { .. } => "a JSON document".to_owned(),
            Self::Member { expected, .. } => (*expected).to_owned(),
            Self::NotCanonical => "the bytes that facet wrote".to_owned(),
            Self::Newer { .. } => format!("version {VERSION}"),
            Self::NotLockable { .. } => "a package of the registry, with its hash".to_owned(),
            Self::NoProgram { found, .. } if found.is_empty() => {
                "a package with a program".to_owned()
            }
            Self::NoProgram { found, .. } => format!("one of {}", found.join(", ")),
        })
    }

    fn actual(&self) -> Option<String> {
        Some(match self {
            Self::Json { source, .. } => source.to_string(),
            Self::Member { member, .. } => format!("another value, or none, at {member}"),
            Self::NotCanonical => "other bytes".to_owned(),
            Self::Newer { found } => format!("version {found}"),
            Self::NotLockable { reason, .. } => (*reason).to_owned(),
            Self::NoProgram { wanted, .. } => wanted.clone(),
        })
    }

    fn next(&self) -> String {
        format!("facet explain {}", self.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<ClosureError> {
        let (what, text) = ("the closure file", || "x".to_owned());
        vec![
            ClosureError::Member { what, member: text(), expected: "a list" },
            ClosureError::NotCanonical,
            ClosureError::Newer { found: text() },
            ClosureError::NoProgram { package: text(), wanted: text(), found: Vec::new() },
            ClosureError::NotLockable { package: text(), reason: "it is a link" },
        ]
    }

    #[test]
    fn every_code_is_explained_and_every_explanation_has_a_code() {
        let codes: Vec<&str> = all().iter().map(Describe::code).collect();
        assert_eq!(codes, ClosureError::CODES);
        let explained: Vec<&str> =
            facets_failure::explanations(crate::EXPLANATIONS).map(|one| one.code).collect();
        assert_eq!(explained, ClosureError::CODES);
    }

    #[test]
    fn every_error_says_what_was_expected_and_what_was_found() {
        for error in all() {
            let failure = error.describe();
            assert!(failure.expected.is_some_and(|text| !text.is_empty()), "{error:?}");
            assert!(failure.actual.is_some_and(|text| !text.is_empty()), "{error:?}");
        }
    }
}
