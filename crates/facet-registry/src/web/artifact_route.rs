//! What the path below `/v0/facets` and `/v0/source-servers` asks for (spec 9.3).

use std::borrow::Cow;

use facets_model::{ArtifactName, NameError, Version, VersionError};
use facets_registry::Wanted;
use http::Method;

use super::percent::{PercentError, Plus, decode};

/// A name has 130 characters, a version rarely twenty; escapes triple them.
const LONGEST: usize = 1024;
/// `@scope`, a name, a version, and what is asked of it.
const MOST_SEGMENTS: usize = 4;

/// The methods of what is only read.
pub(crate) const READ_METHODS: &str = "GET, HEAD, OPTIONS";
const READ_AND_PUBLISH: &str = "GET, HEAD, POST, OPTIONS";
const YANK: &str = "POST, DELETE, OPTIONS";

/// What a request asks for, by its method and its path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArtifactRoute {
    /// Which methods there are.
    Options {
        /// Their names, for the header `Allow`.
        allow: &'static str,
    },
    /// The names of a scope.
    Scope {
        /// The scope, without `@`.
        scope: String,
    },
    /// A version, or something of it.
    Version {
        /// The name.
        name: ArtifactName,
        /// Which version.
        wanted: Wanted,
        /// What of it.
        part: VersionPart,
    },
    /// The number of the latest version.
    LatestVersion {
        /// The name.
        name: ArtifactName,
    },
    /// All versions.
    Versions {
        /// The name.
        name: ArtifactName,
    },
    /// A version among all.
    VersionsOf {
        /// The name.
        name: ArtifactName,
        /// Which version.
        wanted: Wanted,
    },
    /// A new version.
    Publish {
        /// The name.
        name: ArtifactName,
    },
    /// Take a version back.
    Yank {
        /// The name.
        name: ArtifactName,
        /// The version.
        version: Version,
    },
    /// Offer a version again.
    Unyank {
        /// The name.
        name: ArtifactName,
        /// The version.
        version: Version,
    },
}

/// What of a version is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VersionPart {
    /// The document about it.
    Document,
    /// Its bytes.
    Archive,
    /// The texts in it.
    Contents,
    /// Everything that it declares.
    Surface,
    /// The contracts of its tools.
    Contract,
    /// What differs from an earlier one.
    Diff,
}

/// Why a path leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RouteRefusal {
    /// It is malformed; the text says how.
    Malformed(String),
    /// There is no such route.
    Unknown,
    /// The route has other methods.
    Method {
        /// Their names, for the header `Allow`.
        allow: &'static str,
    },
}

impl ArtifactRoute {
    /// Reads what stands behind `/v0/facets/` or `/v0/source-servers/`, as it was sent.
    pub fn parse(method: &Method, rest: &str) -> Result<Self, RouteRefusal> {
        let segments = segments(rest)?;
        let (owner, behind) = split_owner(&segments)?;
        let tail: Vec<&str> = behind.iter().map(AsRef::as_ref).collect();
        let name = match owner {
            PathOwner::Scope(scope) => {
                return reading(method, READ_METHODS, || Ok(Self::Scope { scope }));
            }
            PathOwner::Name(name) => name,
        };
        match *tail.as_slice() {
            ["latest-version"] => {
                reading(method, READ_METHODS, || Ok(Self::LatestVersion { name }))
            }
            ["versions"] if *method == Method::POST => Ok(Self::Publish { name }),
            ["versions"] => reading(method, READ_AND_PUBLISH, || Ok(Self::Versions { name })),
            ["versions", version] => reading(method, READ_METHODS, || {
                Ok(Self::VersionsOf { name, wanted: parse_wanted(version)? })
            }),
            [version, "yank"] => yank(method, name, version),
            [version] => reading(method, READ_METHODS, || version_part(name, version, "")),
            [version, part] => reading(method, READ_METHODS, || version_part(name, version, part)),
            _ => Err(RouteRefusal::Unknown),
        }
    }
}

/// Why a path that no route has is refused: it is malformed, or there is nothing.
pub(crate) fn refuse_unknown(path: &str) -> RouteRefusal {
    match segments(path.strip_prefix('/').unwrap_or(path)) {
        Err(malformed @ RouteRefusal::Malformed(_)) if path != "/" => malformed,
        _ => RouteRefusal::Unknown,
    }
}

/// What the first segments name.
enum PathOwner {
    Scope(String),
    Name(ArtifactName),
}

/// Segments, decoded one by one, so that an escaped slash separates nothing.
fn segments(rest: &str) -> Result<Vec<Cow<'_, str>>, RouteRefusal> {
    if rest.len() > LONGEST {
        return Err(RouteRefusal::Malformed(format!("the path has more than {LONGEST} bytes")));
    }
    let mut segments = Vec::with_capacity(MOST_SEGMENTS);
    for segment in rest.split('/') {
        if segments.len() == MOST_SEGMENTS {
            return Err(RouteRefusal::Unknown);
        }
        let malformed = |error: PercentError| {
            RouteRefusal::Malformed(format!("the path has {}", error.reason()))
        };
        let segment = decode(segment, Plus::Literal).map_err(malformed)?;
        if matches!(&*segment, "" | "." | "..") {
            let reason = format!("the path has the segment {:?}", &*segment);
            return Err(RouteRefusal::Malformed(reason));
        }
        segments.push(segment);
    }
    Ok(segments)
}

fn split_owner<'s, 'p>(
    segments: &'s [Cow<'p, str>],
) -> Result<(PathOwner, &'s [Cow<'p, str>]), RouteRefusal> {
    match segments {
        [scope] if scope.starts_with('@') => {
            // A scope is one if a name in it is.
            let name: Result<ArtifactName, NameError> = format!("{scope}/aa").parse();
            name.map_err(|error| {
                let shown: String = scope.chars().take(80).collect();
                RouteRefusal::Malformed(format!("{shown:?} is not a scope: {error}"))
            })?;
            Ok((PathOwner::Scope(scope[1..].to_owned()), &[]))
        }
        [scope, name, behind @ ..] if scope.starts_with('@') => {
            Ok((PathOwner::Name(parse_name(&format!("{scope}/{name}"))?), behind))
        }
        [name, behind @ ..] => Ok((PathOwner::Name(parse_name(name)?), behind)),
        [] => Err(RouteRefusal::Unknown),
    }
}

fn parse_name(text: &str) -> Result<ArtifactName, RouteRefusal> {
    text.parse().map_err(|error: NameError| {
        let shown: String = text.chars().take(80).collect();
        RouteRefusal::Malformed(format!("{shown:?} is not a name: {error}"))
    })
}

/// A route that is read.
fn reading(
    method: &Method,
    allow: &'static str,
    route: impl FnOnce() -> Result<ArtifactRoute, RouteRefusal>,
) -> Result<ArtifactRoute, RouteRefusal> {
    match *method {
        Method::GET | Method::HEAD => route(),
        Method::OPTIONS => Ok(ArtifactRoute::Options { allow }),
        _ => Err(RouteRefusal::Method { allow }),
    }
}

fn yank(method: &Method, name: ArtifactName, version: &str) -> Result<ArtifactRoute, RouteRefusal> {
    match *method {
        Method::POST => Ok(ArtifactRoute::Yank { name, version: parse_version(version)? }),
        Method::DELETE => Ok(ArtifactRoute::Unyank { name, version: parse_version(version)? }),
        Method::OPTIONS => Ok(ArtifactRoute::Options { allow: YANK }),
        _ => Err(RouteRefusal::Method { allow: YANK }),
    }
}

fn version_part(
    name: ArtifactName,
    version: &str,
    part: &str,
) -> Result<ArtifactRoute, RouteRefusal> {
    let part = match part {
        "" => VersionPart::Document,
        "archive" => VersionPart::Archive,
        "contents" => VersionPart::Contents,
        "surface" => VersionPart::Surface,
        "contract" => VersionPart::Contract,
        "diff" => VersionPart::Diff,
        _ => return Err(RouteRefusal::Unknown),
    };
    Ok(ArtifactRoute::Version { name, wanted: parse_wanted(version)?, part })
}

/// An exact version, `latest`, or `*`, `1.*`, `1.2.*`.
pub(crate) fn parse_wanted(text: &str) -> Result<Wanted, RouteRefusal> {
    if text == "latest" {
        return Ok(Wanted::Latest);
    }
    if !text.ends_with('*') {
        return parse_version(text).map(Wanted::Exact);
    }
    text.parse().map(Wanted::Range).map_err(|_| no_version(text, "expected `*`, `1.*` or `1.2.*`"))
}

fn parse_version(text: &str) -> Result<Version, RouteRefusal> {
    text.parse().map_err(|error: VersionError| no_version(text, &error.to_string()))
}

fn no_version(text: &str, reason: &str) -> RouteRefusal {
    let shown: String = text.chars().take(80).collect();
    RouteRefusal::Malformed(format!("{shown:?} is not a version: {reason}"))
}

#[cfg(test)]
mod tests;
