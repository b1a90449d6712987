use std::fmt;
use std::str::FromStr;

use unicode_normalization::UnicodeNormalization as _;

/// spec 4.5: the longest path of any archive.
const MAX_LENGTH: usize = 1024;

/// Why a text is not the path of a file inside an artifact.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// Nothing at all.
    #[error("it is empty")]
    Empty,
    /// Longer than any archive may have.
    #[error("it has {found} bytes; the limit is {MAX_LENGTH}")]
    TooLong {
        /// Its length in bytes.
        found: usize,
    },
    /// `/etc`, `C:\x`, `\\host\share`.
    #[error("it is an absolute path")]
    Absolute,
    /// A character that some file system cannot have or reads differently.
    #[error("the character {found:?} is not allowed in a path")]
    Character {
        /// The first such character.
        found: char,
    },
    /// An empty segment, `.` or `..`.
    #[error("the segment `{found}` is not allowed")]
    Segment {
        /// The segment.
        found: String,
    },
    /// Ends with a dot or a space, which Windows drops.
    #[error("the segment `{found}` ends with a dot or a space")]
    TrailingDotOrSpace {
        /// The segment.
        found: String,
    },
    /// `NUL`, `COM1` and so on, also with an extension.
    #[error("`{found}` is a device name on Windows")]
    DeviceName {
        /// The segment.
        found: String,
    },
}

/// The relative path of a file inside an artifact: slashes, and the same on every system.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArtifactPath(String);

impl ArtifactPath {
    /// The path as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ArtifactPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl FromStr for ArtifactPath {
    type Err = PathError;

    fn from_str(text: &str) -> Result<Self, PathError> {
        if text.is_empty() {
            return Err(PathError::Empty);
        }
        if text.len() > MAX_LENGTH {
            return Err(PathError::TooLong { found: text.len() });
        }
        let drive = text.as_bytes().get(1) == Some(&b':');
        if drive || text.starts_with(['/', '\\']) {
            return Err(PathError::Absolute);
        }
        if let Some(found) = text.chars().find(|&c| c.is_control() || "\\<>:\"|?*".contains(c)) {
            return Err(PathError::Character { found });
        }
        text.split('/').try_for_each(check_segment)?;
        Ok(Self(text.to_owned()))
    }
}

/// Why a text is not the path of an artifact on this machine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LocalPathError {
    /// It could be the name of something else.
    #[error("it does not begin with `./`, `../` or `/`")]
    Beginning,
    /// A character that no reader of a message sees.
    #[error("the character {found:?} is not allowed in a path")]
    Character {
        /// The first such character.
        found: char,
    },
}

/// Where an artifact lies on this machine, from the project on or absolute, as written. It begins so that
/// it is not taken for a name or a version.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocalPath(String);

impl LocalPath {
    /// The path as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether a text begins like one.
    #[must_use]
    pub fn is_meant_by(text: &str) -> bool {
        ["./", "../", "/"].iter().any(|beginning| text.starts_with(beginning))
    }
}

impl fmt::Display for LocalPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl FromStr for LocalPath {
    type Err = LocalPathError;

    fn from_str(text: &str) -> Result<Self, LocalPathError> {
        if !Self::is_meant_by(text) {
            return Err(LocalPathError::Beginning);
        }
        match text.chars().find(|c| c.is_control()) {
            Some(found) => Err(LocalPathError::Character { found }),
            None => Ok(Self(text.to_owned())),
        }
    }
}

fn check_segment(segment: &str) -> Result<(), PathError> {
    let found = || segment.to_owned();
    match segment {
        "" | "." | ".." => Err(PathError::Segment { found: found() }),
        _ if segment.ends_with(['.', ' ']) => Err(PathError::TrailingDotOrSpace { found: found() }),
        _ if is_device_name(segment) => Err(PathError::DeviceName { found: found() }),
        _ => Ok(()),
    }
}

fn is_device_name(segment: &str) -> bool {
    let stem = segment.split('.').next().unwrap_or_default().trim_end().to_ascii_uppercase();
    let numbered = |prefix: &str| {
        stem.strip_prefix(prefix).is_some_and(|rest| {
            matches!(
                rest,
                "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "¹" | "²" | "³"
            )
        })
    };
    matches!(&*stem, "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$")
        || numbered("COM")
        || numbered("LPT")
}

/// What two names share that some file system cannot tell apart: NFC, then lower case.
#[must_use]
pub fn collision_key(name: &str) -> String {
    name.nfc().collect::<String>().to_lowercase().nfc().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_plain_relative_paths() {
        for good in
            ["a", "skills/s1/SKILL.md", "é/💡.txt", ".gitignore", "a b/c", "conx", "nullable.md"]
        {
            assert_eq!(good.parse::<ArtifactPath>().unwrap().as_str(), good);
        }
    }

    #[test]
    fn refuses_paths_that_mean_something_else_elsewhere() {
        for bad in [
            "",
            "/a",
            "C:/a",
            "c:a",
            "\\\\host\\x",
            "a\\b",
            "../a",
            "a/../b",
            "a/..",
            "./a",
            "a//b",
            "a/",
            "a\0b",
            "a\nb",
            "a\u{7f}",
            "a\u{85}",
            "a:b",
            "a?",
            "a*",
            "a|b",
            "<a>",
            "a\"",
            "a.",
            "a /b",
            "a./b",
            "nul",
            "NUL.txt",
            "com1",
            "COM1.tar.gz",
            "x/aux/y",
            "lpt9",
            "CONIN$",
            "Com².md",
            "con .txt",
            &"a/".repeat(600),
        ] {
            assert!(bad.parse::<ArtifactPath>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_path_on_this_machine_cannot_be_taken_for_a_name() {
        for good in ["./", "./server", "../a/b.server.tar.gz", "/srv/server", "./a b/é", ".././x"]
        {
            assert_eq!(good.parse::<LocalPath>().unwrap().as_str(), good);
        }
        for other in ["", "server", "1.0.0", ".", "..", ".server", "~/server", "C:\\server"] {
            assert_eq!(other.parse::<LocalPath>(), Err(LocalPathError::Beginning), "{other:?}");
        }
        for (bad, found) in [("./a\nb", '\n'), ("/a\0", '\0'), ("./a\u{85}", '\u{85}')] {
            assert_eq!(bad.parse::<LocalPath>(), Err(LocalPathError::Character { found }));
        }
    }

    #[test]
    fn folds_what_file_systems_fold() {
        assert_eq!(collision_key("README.md"), collision_key("readme.MD"));
        assert_eq!(collision_key("e\u{301}"), collision_key("É"));
        assert_ne!(collision_key("a"), collision_key("b"));
    }
}
