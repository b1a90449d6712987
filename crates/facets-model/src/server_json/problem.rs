//! What is wrong with a `server.json`, and how bad that is.

use crate::manifest::Problem;

/// How bad a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProblemSeverity {
    /// A registry refuses the file, or a client fails with it.
    Error,
    /// It is accepted, and probably not meant.
    Warning,
}

impl ProblemSeverity {
    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// A problem of a `server.json`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerJsonProblem {
    /// How bad it is.
    pub severity: ProblemSeverity,
    /// What, where, and what to do about it.
    pub problem: Problem,
}

impl ServerJsonProblem {
    /// The code that the official registry gives the same problem, where it has one.
    #[must_use]
    pub fn reference(&self) -> Option<&'static str> {
        let code = self.problem.code;
        (CODES.contains(&code) && !code.starts_with(OWN)).then_some(code)
    }
}

/// How our own codes begin; the others are those of the official registry, used here as they are.
const OWN: &str = "server-json-";

/// Every code that this module adds to those of manifests.
pub const CODES: &[&str] = &[
    "argument-default-starts-with-name",
    "argument-value-starts-with-name",
    "icon-src-invalid-scheme",
    "icon-src-must-be-absolute",
    "invalid-named-argument-name",
    "invalid-remote-url",
    "invalid-repository-url",
    "invalid-server-name",
    "invalid-subfolder-path",
    "invalid-templated-url",
    "package-name-has-spaces",
    "remote-transport-url-required",
    "reserved-version-string",
    "schema-field-required",
    "schema-version-deprecated",
    "schema-version-extraction-error",
    "schema-version-not-available",
    "server-json-argument",
    "server-json-bad-hash",
    "server-json-bad-length",
    "server-json-bad-value",
    "server-json-meta",
    "server-json-package",
    "server-json-placeholder",
    "server-json-top-level-hashes",
    "stdio-transport-url-not-empty",
    "streamable-transport-url-required",
    "title-whitespace-only",
    "unsupported-remote-transport-type",
    "unsupported-transport-type",
    "version-looks-like-range",
    "website-url-invalid-scheme",
    "website-url-must-be-absolute",
];
