use std::fmt;
use std::str::FromStr;

use crate::package::is_archive;
use crate::{HttpUrl, UrlError, Version};

/// Why a text is not a file identifier.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FileIdentifierError {
    /// None of the four kinds.
    #[error("it does not begin with `npm:`, `pypi:`, `github:` or `https://`")]
    UnknownKind,
    /// A part is missing or has a character that it cannot have.
    #[error("{part} is malformed: `{found}`; the form is `{form}`")]
    Part {
        /// Which part.
        part: &'static str,
        /// What stands there.
        found: String,
        /// How the whole identifier is written.
        form: &'static str,
    },
    /// The URL is refused.
    #[error("{0}")]
    Url(#[from] UrlError),
    /// `http://` is not safe to fetch from.
    #[error("files are fetched over https only")]
    NotHttps,
}

const NPM: &str = "npm:NAME@VERSION";
const PYPI: &str = "pypi:NAME==VERSION[/FILENAME]";
const GITHUB: &str = "github:OWNER/REPO/TAG/ASSET";

/// A file of a package, wherever it is published (spec 2.4).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileIdentifier {
    /// `npm:NAME@VERSION`
    Npm {
        /// The package, with its scope.
        name: String,
        /// The exact version.
        version: String,
    },
    /// `pypi:NAME==VERSION[/FILENAME]`
    Pypi {
        /// The project.
        name: String,
        /// The exact version.
        version: String,
        /// One file of the release.
        file: Option<String>,
    },
    /// `github:OWNER/REPO/TAG/ASSET`
    GitHub {
        /// The owner.
        owner: String,
        /// The repository.
        repository: String,
        /// The tag, which may have slashes.
        tag: String,
        /// The file of the release.
        asset: String,
    },
    /// Any other file, by its address.
    Url(HttpUrl),
}

impl FromStr for FileIdentifier {
    type Err = FileIdentifierError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once(':') {
            Some(("npm", rest)) => npm(rest),
            Some(("pypi", rest)) => pypi(rest),
            Some(("github", rest)) => github(rest),
            Some(("https" | "http", _)) => {
                let url: HttpUrl = text.parse()?;
                if url.is_https() { Ok(Self::Url(url)) } else { Err(FileIdentifierError::NotHttps) }
            }
            _ => Err(FileIdentifierError::UnknownKind),
        }
    }
}

impl fmt::Display for FileIdentifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Npm { name, version } => write!(f, "npm:{name}@{version}"),
            Self::Pypi { name, version, file: None } => write!(f, "pypi:{name}=={version}"),
            Self::Pypi { name, version, file: Some(file) } => {
                write!(f, "pypi:{name}=={version}/{file}")
            }
            Self::GitHub { owner, repository, tag, asset } => {
                write!(f, "github:{owner}/{repository}/{tag}/{asset}")
            }
            Self::Url(url) => url.fmt(f),
        }
    }
}

/// Takes a part if its length and characters fit. `.` and `..` would name another place in an address.
fn part(
    part: &'static str,
    form: &'static str,
    text: &str,
    allowed: impl Fn(char) -> bool,
) -> Result<String, FileIdentifierError> {
    let is_folder = matches!(text, "." | "..");
    if text.is_empty() || is_folder || text.len() > 255 || !text.chars().all(allowed) {
        return Err(malformed(part, form, text));
    }
    Ok(text.to_owned())
}

fn malformed(part: &'static str, form: &'static str, text: &str) -> FileIdentifierError {
    FileIdentifierError::Part { part, found: text.to_owned(), form }
}

fn word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-')
}

fn npm(rest: &str) -> Result<FileIdentifier, FileIdentifierError> {
    // The version's `@` is the last one; a scope begins with the first.
    let (name, version) = rest.rsplit_once('@').unwrap_or((rest, ""));
    let slug = |c: char| word(c) || c == '~';
    match name.strip_prefix('@').map(|scoped| scoped.split_once('/')) {
        None if is_archive(name) => return Err(malformed("the package name", NPM, name)),
        None => drop(part("the package name", NPM, name, slug)?),
        Some(None) => drop(part("the package name", NPM, "", slug)?),
        Some(Some((scope, package))) => {
            part("the scope", NPM, scope, slug)?;
            part("the package name", NPM, package, slug)?;
        }
    }
    let version = part("the version", NPM, version, word)?;
    // npm takes `v1.0.0`, `1.0.0+build` and `01.0.0` for 1.0.0, and `1.0` and `next` for whichever fits.
    if version.parse::<Version>().is_err() || is_archive(&version) {
        return Err(malformed("the version", NPM, &version));
    }
    Ok(FileIdentifier::Npm { name: name.to_owned(), version })
}

fn pypi(rest: &str) -> Result<FileIdentifier, FileIdentifierError> {
    let (name, release) = rest.split_once("==").unwrap_or((rest, ""));
    let (version, file) = match release.split_once('/') {
        Some((version, file)) => (version, Some(file)),
        None => (release, None),
    };
    Ok(FileIdentifier::Pypi {
        name: part("the project name", PYPI, name, word)?,
        version: part("the version", PYPI, version, |c| word(c) || matches!(c, '+' | '!'))?,
        file: file
            .map(|file| part("the file name", PYPI, file, |c| word(c) || matches!(c, '+' | '!')))
            .transpose()?,
    })
}

fn github(rest: &str) -> Result<FileIdentifier, FileIdentifierError> {
    let mut pieces = rest.splitn(3, '/');
    let mut next = || pieces.next().unwrap_or_default();
    let (owner, repository, release) = (next(), next(), next());
    let (tag, asset) = release.rsplit_once('/').unwrap_or((release, ""));
    let visible = |c: char| c.is_ascii_graphic() && !matches!(c, '\\' | '?' | '#' | '%');
    let tag = part("the tag", GITHUB, tag, visible)?;
    if tag.split('/').any(|segment| matches!(segment, "" | "." | "..")) {
        return Err(FileIdentifierError::Part { part: "the tag", found: tag, form: GITHUB });
    }
    Ok(FileIdentifier::GitHub {
        owner: part("the owner", GITHUB, owner, |c| c.is_ascii_alphanumeric() || c == '-')?,
        repository: part("the repository", GITHUB, repository, word)?,
        tag,
        asset: part("the asset", GITHUB, asset, |c| visible(c) && c != '/')?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_prints_every_kind() {
        for good in [
            "npm:@modelcontextprotocol/server-postgres@0.6.2",
            "npm:left-pad@1.3.0",
            "npm:x@1.0.0-beta.1",
            "npm:@scope/left.tgz@1.0.0",
            "pypi:mcp-server-postgres==0.6.2",
            "pypi:mcp==2.3.0/mcp-2.3.0-py3-none-any.whl",
            "pypi:x==1!2.0+local.1",
            "github:owner/repo/v1.0.0/server.tar.gz",
            "github:owner/.github/..1/...",
            "github:owner/repo/release/2026/v1/server.tar.gz",
            "https://example.com/packages/server-v1.0.0.tar.gz",
        ] {
            assert_eq!(good.parse::<FileIdentifier>().unwrap().to_string(), good);
        }
        let nested = "github:o/r/a/b/c.tgz".parse::<FileIdentifier>().unwrap();
        assert!(
            matches!(nested, FileIdentifier::GitHub { tag, asset, .. } if tag == "a/b" && asset == "c.tgz")
        );
    }

    #[test]
    fn refuses_what_names_no_single_file() {
        for bad in [
            "",
            "npm:",
            "npm:left-pad",
            "npm:left-pad@",
            "npm:@scope@1.0.0",
            "npm:@/x@1.0.0",
            "npm:a/b@1.0.0",
            "npm:a b@1.0.0",
            "npm:x@^1.0.0",
            "npm:x@v1.0.0",
            "npm:x@1.0.0+x",
            "npm:x@01.0.0",
            "npm:x@1",
            "npm:x@1.0",
            "npm:x@next",
            "npm:x@1.0.0-",
            "npm:x@1.0.0-01",
            "npm:x@1.0.0-x.tgz",
            "npm:left.tgz@1.0.0",
            "npm:left.TAR@1.0.0",
            "npm:left.tar.gz@1.0.0",
            "pypi:mcp",
            "pypi:mcp==",
            "pypi:mcp>=1",
            "pypi:==1.0",
            "pypi:mcp==1.0/",
            "pypi:mcp==1.0/a/b.whl",
            "github:o/r/v1",
            "github:o/r//a",
            "github:o/r/v1/",
            "github:o/r/../a",
            "github:o/r/v1/../a",
            "github:o/r/./a",
            "github:o/../v1/a",
            "github:o/./v1/a",
            "github:../r/v1/a",
            "github:./r/v1/a",
            "github:o/r/v1/..",
            "github:o/r/v1/.",
            "npm:..@1.0.0",
            "npm:@../x@1.0.0",
            "npm:@s/.@1.0.0",
            "npm:x@..",
            "pypi:..==1.0",
            "pypi:mcp==..",
            "pypi:mcp==1.0/..",
            "github:o//v1/a",
            "http://example.com/a.tgz",
            "https://u:p@example.com/a",
            "file:///etc/passwd",
            "cargo:serde@1.0.0",
            "NPM:x@1.0.0",
        ] {
            assert!(bad.parse::<FileIdentifier>().is_err(), "{bad}");
        }
    }
}
