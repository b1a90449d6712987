//! Text assets of a facet: what they are, for whom, and where their files lie.

use std::fmt;
use std::str::FromStr;

/// What an asset is. Ordered as a lock lists them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AssetKind {
    /// A folder with a `SKILL.md`, and files beside it.
    Skill,
    /// One file.
    Agent,
    /// One file.
    Command,
}

impl AssetKind {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Skill, Self::Agent, Self::Command];

    /// Its word in a lock, and for people.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Skill => "skill",
            Self::Agent => "agent",
            Self::Command => "command",
        }
    }

    /// The member of a manifest, and the folder of an archive, that has all of them.
    #[must_use]
    pub const fn group(self) -> &'static str {
        match self {
            Self::Skill => "skills",
            Self::Agent => "agents",
            Self::Command => "commands",
        }
    }
}

/// For whom an asset is installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AssetScope {
    /// For everybody who works in the project.
    Project,
    /// For one user, wherever they work.
    User,
}

impl AssetScope {
    /// Its word in a lock.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::User => "user",
        }
    }
}

/// What the path of an installed file begins at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AssetBase {
    /// The directory of the project.
    Project,
    /// The home directory of the user.
    Home,
    /// `$XDG_CONFIG_HOME`, or `.config` in the home directory.
    ConfigHome,
    /// `$CODEX_HOME`, or `.codex` in the home directory.
    CodexHome,
}

impl AssetBase {
    /// Its word in the record of installed files.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Home => "home",
            Self::ConfigHome => "config-home",
            Self::CodexHome => "codex-home",
        }
    }
}

/// A word that means none of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the word is not known")]
pub struct UnknownAssetWord;

macro_rules! of_words {
    ($name:ident, $all:expr) => {
        impl FromStr for $name {
            type Err = UnknownAssetWord;

            fn from_str(text: &str) -> Result<Self, UnknownAssetWord> {
                let mut all = $all.into_iter();
                all.find(|one| one.word() == text).ok_or(UnknownAssetWord)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.word())
            }
        }
    };
}

of_words!(AssetKind, Self::ALL);
of_words!(AssetScope, [Self::Project, Self::User]);
of_words!(AssetBase, [Self::Project, Self::Home, Self::ConfigHome, Self::CodexHome]);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_means_what_it_was_written_for() {
        for kind in AssetKind::ALL {
            assert_eq!(kind.to_string().parse(), Ok(kind));
        }
        assert_eq!("user".parse(), Ok(AssetScope::User));
        assert_eq!("codex-home".parse(), Ok(AssetBase::CodexHome));
        assert_eq!("Skill".parse::<AssetKind>(), Err(UnknownAssetWord));
    }
}
