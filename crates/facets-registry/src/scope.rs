//! What a token allows (spec 9.5).

use std::fmt;
use std::str::FromStr;

use facets_model::{ArtifactName, NameError};

/// Which names a scope is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamePattern {
    /// `*`: every name.
    All,
    /// `@scope/*`: every name of a scope. Holds the scope without `@`.
    Scope(String),
    /// One name.
    Name(ArtifactName),
}

impl NamePattern {
    /// Whether it is about a name.
    #[must_use]
    pub fn covers(&self, name: &ArtifactName) -> bool {
        match self {
            Self::All => true,
            Self::Scope(scope) => scope_of(name) == Some(scope.as_str()),
            Self::Name(only) => only == name,
        }
    }
}

/// The scope of a name, without `@`; nothing if it has none.
pub(crate) fn scope_of(name: &ArtifactName) -> Option<&str> {
    let (scope, _) = name.as_str().strip_prefix('@')?.split_once('/')?;
    Some(scope)
}

/// One thing that a token allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// `publish:PATTERN`: publish and yank versions of these names.
    Publish(NamePattern),
    /// `read`: read everything, where reading needs a token.
    Read,
}

/// Why a text is not a scope.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a scope: {reason}")]
pub struct ScopeError {
    /// The text.
    pub text: String,
    /// What is wrong with it.
    pub reason: String,
}

impl FromStr for Scope {
    type Err = ScopeError;

    fn from_str(text: &str) -> Result<Self, ScopeError> {
        if text == "read" {
            return Ok(Self::Read);
        }
        let refuse = |reason: String| ScopeError { text: text.to_owned(), reason };
        match text.strip_prefix("publish:") {
            Some(pattern) => parse_pattern(pattern).map(Self::Publish).map_err(refuse),
            None => Err(refuse("expected `read` or `publish:PATTERN`".to_owned())),
        }
    }
}

impl FromStr for NamePattern {
    type Err = ScopeError;

    fn from_str(text: &str) -> Result<Self, ScopeError> {
        parse_pattern(text).map_err(|reason| ScopeError { text: text.to_owned(), reason })
    }
}

/// The error is the reason.
fn parse_pattern(text: &str) -> Result<NamePattern, String> {
    if text == "*" {
        return Ok(NamePattern::All);
    }
    let named = |name: &str| -> Result<ArtifactName, String> {
        name.parse().map_err(|error: NameError| {
            format!("the pattern is not `*`, `@scope/*` or a valid name: {error}")
        })
    };
    let Some(scope) = text.strip_suffix("/*") else {
        return named(text).map(NamePattern::Name);
    };
    // A scope is valid if a name in it is.
    let name = named(&format!("{scope}/aa"))?;
    let scope = scope_of(&name).ok_or("a scope begins with `@`")?;
    Ok(NamePattern::Scope(scope.to_owned()))
}

impl fmt::Display for NamePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("*"),
            Self::Scope(scope) => write!(f, "@{scope}/*"),
            Self::Name(name) => write!(f, "{name}"),
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Publish(pattern) => write!(f, "publish:{pattern}"),
            Self::Read => f.write_str("read"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_are_read_as_they_are_written() {
        for text in ["read", "publish:*", "publish:@acme/*", "publish:@acme/demo", "publish:demo"] {
            assert_eq!(text.parse::<Scope>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn other_texts_are_refused_with_the_reason() {
        for text in [
            "",
            "write",
            "Read",
            "publish",
            "publish:",
            "publish:**",
            "publish:acme/*",
            "publish:@/*",
            "publish:@acme/*/*",
            "publish:@Acme/*",
            "publish:@acme",
            "publish:a b",
            "publish:@acme/de*",
        ] {
            let refused = text.parse::<Scope>().unwrap_err();
            assert!(!refused.reason.is_empty(), "{text}");
            assert_eq!(refused.text, text);
        }
    }

    #[test]
    fn a_pattern_covers_its_names_and_no_others() {
        let covers = |pattern: &str, name: &str| {
            let name: ArtifactName = name.parse().unwrap();
            pattern.parse::<NamePattern>().unwrap().covers(&name)
        };
        for (pattern, name) in
            [("*", "demo"), ("*", "@acme/demo"), ("@acme/*", "@acme/demo"), ("demo", "demo")]
        {
            assert!(covers(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("@acme/*", "demo"),
            ("@acme/*", "acme"),
            ("@acme/*", "@acme-more/demo"),
            ("@acme/demo", "@acme/demo-two"),
            ("demo", "demo-two"),
            ("demo", "@acme/demo"),
        ] {
            assert!(!covers(pattern, name), "{pattern} {name}");
        }
    }
}
