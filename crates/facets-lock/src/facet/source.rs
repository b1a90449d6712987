//! Where a facet came from: `source` in its entry.

use facets_digest::json::quoted;
use facets_model::{ArtifactPath, HttpUrl};

use crate::error::LockError;
use crate::members::EntryMembers;
use crate::raw;

/// What addresses of git repositories begin with.
const GIT_SCHEMES: &[&str] = &["github:", "git@", "https://", "ssh://", "git://"];

/// Where a facet came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LockedFacetSource {
    /// A registry.
    Registry {
        /// Its address.
        url: HttpUrl,
    },
    /// A git repository.
    Git {
        /// Its address.
        url: String,
        /// Which commit, in lower-case hex.
        commit: String,
    },
    /// A directory inside the project.
    Local {
        /// From the project on, beginning with `./`.
        path: String,
    },
}

impl LockedFacetSource {
    /// Its word in the lock.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Registry { .. } => "registry",
            Self::Git { .. } => "git",
            Self::Local { .. } => "local",
        }
    }

    pub(super) fn read(entry: &EntryMembers<'_>) -> Result<Self, LockError> {
        match entry.text("kind")?.as_str() {
            "registry" => {
                Ok(Self::Registry { url: entry.parsed("registry", "a URL that facet supports")? })
            }
            "git" => {
                let (url, commit) = (entry.text("url")?, entry.text("commit")?);
                if !is_git_address(&url) {
                    return Err(entry.bad("url", "the address of a git repository"));
                }
                if !is_commit(&commit) {
                    return Err(entry.bad("commit", "a commit: 8 to 64 lower-case hex digits"));
                }
                Ok(Self::Git { url, commit })
            }
            "local" => {
                let path = entry.text("path")?;
                let inside = path.strip_prefix("./").map(str::parse::<ArtifactPath>);
                match inside {
                    Some(Ok(_)) => Ok(Self::Local { path }),
                    _ => Err(entry.bad("path", "a path inside the project that begins with `./`")),
                }
            }
            _ => Err(entry.bad("kind", "`registry`, `git` or `local`")),
        }
    }

    /// The members, with what this facet does not know of an older source of the same kind.
    pub(super) fn to_json(&self, older: Option<&str>) -> String {
        let mut members = vec![("kind", quoted(self.kind()))];
        match self {
            Self::Registry { url } => members.push(("registry", quoted(url.as_str()))),
            Self::Git { url, commit } => {
                members.extend([("url", quoted(url)), ("commit", quoted(commit))]);
            }
            Self::Local { path } => members.push(("path", quoted(path))),
        }
        let known: Vec<&str> = members.iter().map(|(name, _)| *name).collect();
        let older = older.filter(|older| raw::text(older, "kind").as_deref() == Some(self.kind()));
        raw::with_unknown(&members, &known, older)
    }
}

/// Whether git can be given a text as an address, and can make nothing else of it.
fn is_git_address(url: &str) -> bool {
    let rest = GIT_SCHEMES.iter().find_map(|scheme| url.strip_prefix(scheme));
    rest.is_some_and(|rest| {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-/:@~+".contains(c);
        // A part that begins with a hyphen could become an option of a program that git starts.
        let mut parts = rest.split(['/', '@', ':']);
        !rest.is_empty() && rest.chars().all(is_plain) && !parts.any(|part| part.starts_with('-'))
    })
}

fn is_commit(text: &str) -> bool {
    let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    (8..=64).contains(&text.len()) && text.bytes().all(is_hex)
}
