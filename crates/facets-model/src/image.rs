use std::fmt;
use std::str::FromStr;

use facets_digest::{Digest, DigestParseError};

const MAX_PATH: usize = 255;
const MAX_TAG: usize = 128;

/// Why a text is not an image reference.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImageReferenceError {
    /// Nothing before the tag or digest.
    #[error("the repository is missing")]
    NoRepository,
    /// 64 hex digits alone name an image on one machine, not a repository.
    #[error("64 hex digits are an image id, not a repository")]
    ImageId,
    /// The host is not a name, an address, or has a bad port.
    #[error("`{found}` is not a host")]
    Host {
        /// The text before the first slash.
        found: String,
    },
    /// Upper case in the repository.
    #[error("the repository has the upper-case letter {found:?}")]
    UpperCase {
        /// The first such letter.
        found: char,
    },
    /// A path component against the grammar.
    #[error("`{found}` cannot be part of a repository path")]
    Component {
        /// The component.
        found: String,
    },
    /// The path is too long.
    #[error("the repository path has {found} characters; the limit is {MAX_PATH}")]
    TooLong {
        /// Its length.
        found: usize,
    },
    /// The tag is against the grammar.
    #[error("`{found}` is not a tag")]
    Tag {
        /// The text behind the colon.
        found: String,
    },
    /// The digest is malformed.
    #[error("the digest is malformed: {0}")]
    Digest(#[from] DigestParseError),
}

/// An OCI image reference with Docker's defaults filled in (spec 2.3).
///
/// Keeps what the author wrote beside its parts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ImageReference {
    written: String,
    host: String,
    path: String,
    tag: Option<String>,
    digest: Option<Digest>,
}

impl ImageReference {
    /// The registry, `docker.io` where none is written.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The repository in that registry.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The tag: `latest` where neither tag nor digest is written.
    #[must_use]
    pub fn tag(&self) -> Option<&str> {
        self.tag.as_deref()
    }

    /// The digest. Where there is one it is used as it is, and the tag says nothing.
    #[must_use]
    pub fn digest(&self) -> Option<Digest> {
        self.digest
    }

    /// The reference as the author wrote it.
    #[must_use]
    pub fn as_written(&self) -> &str {
        &self.written
    }
}

impl fmt::Display for ImageReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.host, self.path)?;
        if let Some(tag) = &self.tag {
            write!(f, ":{tag}")?;
        }
        if let Some(digest) = &self.digest {
            write!(f, "@{digest}")?;
        }
        Ok(())
    }
}

impl FromStr for ImageReference {
    type Err = ImageReferenceError;

    fn from_str(written: &str) -> Result<Self, Self::Err> {
        if written.len() == 64 && written.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) {
            return Err(ImageReferenceError::ImageId);
        }
        let (name, digest) = match written.split_once('@') {
            Some((name, digest)) => (name, Some(digest.parse()?)),
            None => (written, None),
        };
        let (host, remote) = split_host(name);
        let (path, tag) = split_tag(remote)?;
        check_host(host)?;
        let path = complete_path(host, path)?;
        let tag = match (tag, digest) {
            (None, None) => Some("latest"),
            (tag, _) => tag,
        };
        Ok(Self {
            written: written.to_owned(),
            host: host.to_owned(),
            path,
            tag: tag.map(str::to_owned),
            digest,
        })
    }
}

/// Docker's rule: what stands before the first slash is a host only if it looks like one.
fn split_host(name: &str) -> (&str, &str) {
    match name.split_once('/') {
        Some(("index.docker.io", remote)) => ("docker.io", remote),
        Some((first, remote)) if looks_like_host(first) => (first, remote),
        _ => ("docker.io", name),
    }
}

fn looks_like_host(first: &str) -> bool {
    first.contains(['.', ':'])
        || first == "localhost"
        || first.bytes().any(|byte| byte.is_ascii_uppercase())
}

fn split_tag(remote: &str) -> Result<(&str, Option<&str>), ImageReferenceError> {
    let Some((path, tag)) = remote.split_once(':') else {
        return Ok((remote, None));
    };
    let mut bytes = tag.bytes();
    let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let good = bytes.next().is_some_and(word)
        && bytes.all(|byte| word(byte) || byte == b'.' || byte == b'-')
        && tag.len() <= MAX_TAG;
    if good {
        Ok((path, Some(tag)))
    } else {
        Err(ImageReferenceError::Tag { found: tag.to_owned() })
    }
}

fn check_host(host: &str) -> Result<(), ImageReferenceError> {
    let refuse = || Err(ImageReferenceError::Host { found: host.to_owned() });
    let (name, port) = match host.rsplit_once(':') {
        // The last colon of `[::1]` stands inside the brackets.
        Some((name, port)) if !port.ends_with(']') => (name, Some(port)),
        _ => (host, None),
    };
    if port.is_some_and(|port| port.is_empty() || !port.bytes().all(|b| b.is_ascii_digit())) {
        return refuse();
    }
    let address = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    let good = match address {
        Some(inside) => {
            !inside.is_empty() && inside.bytes().all(|b| b.is_ascii_hexdigit() || b == b':')
        }
        None => name.split('.').all(is_host_component),
    };
    if good { Ok(()) } else { refuse() }
}

fn is_host_component(component: &str) -> bool {
    !component.is_empty()
        && component.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        && !component.starts_with('-')
        && !component.ends_with('-')
}

fn complete_path(host: &str, path: &str) -> Result<String, ImageReferenceError> {
    if path.is_empty() {
        return Err(ImageReferenceError::NoRepository);
    }
    if let Some(found) = path.chars().find(char::is_ascii_uppercase) {
        return Err(ImageReferenceError::UpperCase { found });
    }
    if let Some(found) = path.split('/').find(|component| !is_path_component(component)) {
        return Err(ImageReferenceError::Component { found: found.to_owned() });
    }
    let library = host == "docker.io" && !path.contains('/');
    let path = if library { format!("library/{path}") } else { path.to_owned() };
    if path.len() > MAX_PATH {
        return Err(ImageReferenceError::TooLong { found: path.len() });
    }
    Ok(path)
}

/// `[a-z0-9]+` joined by `.`, `_`, `__` or any number of hyphens.
fn is_path_component(component: &str) -> bool {
    let alphanumeric = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let mut rest = component;
    loop {
        let after_word = rest.trim_start_matches(alphanumeric);
        if after_word.len() == rest.len() {
            return false;
        }
        if after_word.is_empty() {
            return true;
        }
        rest = after_word.trim_start_matches(|c| !alphanumeric(c));
        let separator = &after_word[..after_word.len() - rest.len()];
        let hyphens = separator.bytes().all(|byte| byte == b'-');
        if !(hyphens || matches!(separator, "." | "_" | "__")) {
            return false;
        }
    }
}
