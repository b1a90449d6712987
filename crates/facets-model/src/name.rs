use std::fmt;
use std::str::FromStr;

/// Why a text is not a name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// Nothing at all.
    #[error("it is empty")]
    Empty,
    /// Fewer or more characters than allowed.
    #[error("it has {found} character{}; allowed: {least} to {most}", if *found == 1 { "" } else { "s" })]
    Length {
        /// How many it has.
        found: usize,
        /// The least allowed.
        least: usize,
        /// The most allowed.
        most: usize,
    },
    /// A character that the name cannot have.
    #[error("the character {found:?} is not allowed")]
    Character {
        /// The first such character.
        found: char,
    },
    /// A character that may stand inside, but not first.
    #[error("it cannot begin with {found:?}")]
    First {
        /// That character.
        found: char,
    },
    /// A hyphen at the end.
    #[error("it cannot end with '-'")]
    LastHyphen,
    /// Two hyphens in a row.
    #[error("it has two hyphens in a row")]
    DoubleHyphen,
    /// A slash or an at sign that makes no scope.
    #[error("a scope is written `@scope/name`")]
    Scope,
}

macro_rules! name_type {
    ($(#[$doc:meta])* $name:ident, $check:expr) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(String);

        impl $name {
            /// The name as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = NameError;

            fn from_str(text: &str) -> Result<Self, NameError> {
                let check: fn(&str) -> Result<(), NameError> = $check;
                check(text).map(|()| Self(text.to_owned()))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }
    };
}

name_type! {
    /// The name of a facet or a source-mode server: `slug` or `@scope/slug` (spec 2.1).
    ArtifactName, check_artifact_name
}

name_type! {
    /// The name of a skill, agent or command, or of a server declared inside a facet.
    AssetName, check_asset_name
}

name_type! {
    /// The name that a project gives to a server: 1–64 of `[A-Za-z0-9._-]`, no hyphen first (spec
    /// 2.1).
    InlineServerName, check_inline_name
}

name_type! {
    /// The name of an environment variable.
    VariableName, check_variable_name
}

name_type! {
    /// What a runtime has a program for, such as `linux-x64`: 1–64 of `[a-z0-9_-]`.
    PlatformName, check_platform_name
}

fn check_artifact_name(text: &str) -> Result<(), NameError> {
    match text.strip_prefix('@') {
        None if text.contains('/') => Err(NameError::Scope),
        None => check_slug(text),
        Some(scoped) => {
            let (scope, name) = scoped.split_once('/').ok_or(NameError::Scope)?;
            check_slug(scope)?;
            check_slug(name)
        }
    }
}

/// 2–64 of `[a-z][a-z0-9-]*[a-z0-9]`, no `--`.
fn check_slug(text: &str) -> Result<(), NameError> {
    check_hyphenated(text, 2)?;
    match text.chars().next() {
        Some(found @ '0'..='9') => Err(NameError::First { found }),
        _ => Ok(()),
    }
}

/// 1–64 of `[a-z0-9-]`, no hyphen at either end, no `--`.
fn check_asset_name(text: &str) -> Result<(), NameError> {
    check_hyphenated(text, 1)
}

fn check_hyphenated(text: &str, least: usize) -> Result<(), NameError> {
    check_characters(text, least, 64, |c| matches!(c, 'a'..='z' | '0'..='9' | '-'))?;
    match text {
        _ if text.starts_with('-') => Err(NameError::First { found: '-' }),
        _ if text.ends_with('-') => Err(NameError::LastHyphen),
        _ if text.contains("--") => Err(NameError::DoubleHyphen),
        _ => Ok(()),
    }
}

fn check_inline_name(text: &str) -> Result<(), NameError> {
    check_characters(text, 1, 64, |c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'))?;
    // On a command line it would be an option.
    if text.starts_with('-') { Err(NameError::First { found: '-' }) } else { Ok(()) }
}

fn check_variable_name(text: &str) -> Result<(), NameError> {
    check_characters(text, 1, 256, |c| c.is_ascii_alphanumeric() || c == '_')?;
    match text.chars().next() {
        Some(found @ '0'..='9') => Err(NameError::First { found }),
        _ => Ok(()),
    }
}

fn check_platform_name(text: &str) -> Result<(), NameError> {
    check_characters(text, 1, 64, |c| matches!(c, 'a'..='z' | '0'..='9' | '_' | '-'))
}

fn check_characters(
    text: &str,
    least: usize,
    most: usize,
    allowed: impl Fn(char) -> bool,
) -> Result<(), NameError> {
    if text.is_empty() {
        return Err(NameError::Empty);
    }
    if let Some(found) = text.chars().find(|&c| !allowed(c)) {
        return Err(NameError::Character { found });
    }
    let found = text.chars().count();
    if (least..=most).contains(&found) {
        Ok(())
    } else {
        Err(NameError::Length { found, least, most })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn artifact_names_are_validated_and_never_normalised() {
        use NameError::*;
        let long = "a".repeat(64);
        let scoped = format!("@{long}/{long}");
        for good in ["ab", "a1", "code-review", "@acme/demo", &long, &scoped] {
            assert_eq!(good.parse::<ArtifactName>().unwrap().as_str(), good);
        }
        let cases = [
            ("", Empty),
            ("a", Length { found: 1, least: 2, most: 64 }),
            (&*format!("{long}a"), Length { found: 65, least: 2, most: 64 }),
            ("Ab", Character { found: 'A' }),
            ("a_b", Character { found: '_' }),
            ("a b", Character { found: ' ' }),
            ("naïve", Character { found: 'ï' }),
            ("1a", First { found: '1' }),
            ("-a", First { found: '-' }),
            ("a-", LastHyphen),
            ("a--b", DoubleHyphen),
            ("acme/demo", Scope),
            ("@acme", Scope),
            ("@/demo", Empty),
            ("@acme/", Empty),
            ("@acme/de/mo", Character { found: '/' }),
            ("@@acme/demo", Character { found: '@' }),
            ("ab\n", Character { found: '\n' }),
        ];
        for (text, reason) in cases {
            assert_eq!(text.parse::<ArtifactName>(), Err(reason), "{text:?}");
        }
    }

    #[test]
    fn the_other_names_have_their_own_rules() {
        for good in ["a", "1", "a-b", "007"] {
            assert!(good.parse::<AssetName>().is_ok(), "{good}");
        }
        for bad in ["", "-", "a-", "a--b", "A", "a.b", "@a/b"] {
            assert!(bad.parse::<AssetName>().is_err(), "{bad}");
        }
        for good in ["a", "My.Server_1", "a-", "..", &"x".repeat(64)] {
            assert!(good.parse::<InlineServerName>().is_ok(), "{good}");
        }
        for bad in ["", "a/b", "a b", "-", "-a", "--x", "é", "a\u{200b}", &"x".repeat(65)] {
            assert!(bad.parse::<InlineServerName>().is_err(), "{bad}");
        }
        for good in ["A", "_", "GITHUB_TOKEN", "a1"] {
            assert!(good.parse::<VariableName>().is_ok(), "{good}");
        }
        for bad in ["", "1A", "A-B", "A=B", "A B"] {
            assert!(bad.parse::<VariableName>().is_err(), "{bad}");
        }
        for good in ["linux-x64", "x86_64-unknown-linux-gnu", "a", &"x".repeat(64)] {
            assert!(good.parse::<PlatformName>().is_ok(), "{good}");
        }
        for bad in ["", "Linux", "linux/x64", "linux.x64", "linux x64", &"x".repeat(65)] {
            assert!(bad.parse::<PlatformName>().is_err(), "{bad}");
        }
    }
}
