//! Which files a package has.

use super::document::{DeclaredPackage, ServerJson};
use super::package_rules::Kind;
use super::placeholder::template_in;
use super::spelling::{normalized_image_host, release_asset};
use crate::manifest::check::shorten;
use crate::{FileIdentifier, FileIdentifierError, ImageReference, ImageReferenceError};

/// The files of a package that are hashed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PackageFiles {
    /// One file.
    One(FileIdentifier),
    /// Every file of a release; the identifier names the release.
    Release(FileIdentifier),
    /// An image that is named by a tag, which can be moved: `oci:HOST/PATH:TAG`.
    TaggedImage(String),
    /// Packages of this type have no hashes here, or need none.
    NotHashed {
        /// Why.
        reason: &'static str,
    },
    /// It should have files, and they cannot be named.
    Unusable {
        /// Why.
        reason: String,
        /// How its file would be called, if it could be read.
        name: Option<String>,
    },
}

/// The files of each package, in the order of the packages.
#[must_use]
pub fn identifiers(server: &ServerJson) -> Vec<PackageFiles> {
    server.packages.iter().map(files_of_package).collect()
}

fn files_of_package(package: &DeclaredPackage) -> PackageFiles {
    let name = would_be_name(package);
    if let Some([one, other]) = package.mixed_members {
        let reason = format!("it has `{one}` and `{other}`, which may name two packages");
        return PackageFiles::Unusable { reason, name };
    }
    let kind = match package.registry_type.as_str() {
        // What older layouts call it.
        "docker" => Some(Kind::Oci),
        word => Kind::parse(word),
    };
    let Some(kind) = kind else {
        let found = shorten(&package.registry_type);
        let reason = format!("the type {found} is not known; known are {}", Kind::WORDS);
        return PackageFiles::Unusable { reason, name };
    };
    let refused = other_registry(package, kind).or_else(|| stray_hash(package, kind));
    if let Some(reason) = refused {
        return PackageFiles::Unusable { reason, name };
    }
    let files = match kind {
        Kind::Npm => versioned(package, "@").map(PackageFiles::One),
        Kind::Pypi => versioned(package, "==").map(PackageFiles::Release),
        Kind::Mcpb => bundle(&package.identifier).map(PackageFiles::One),
        Kind::Oci => image(package),
        Kind::NuGet => Ok(PackageFiles::NotHashed { reason: "files of NuGet are not hashed yet" }),
        Kind::Cargo => {
            Ok(PackageFiles::NotHashed { reason: "files of crates.io are not hashed yet" })
        }
    };
    files.unwrap_or_else(|reason| PackageFiles::Unusable { reason, name })
}

/// What an entry for the file of a package would be called that cannot be used as it is.
fn would_be_name(package: &DeclaredPackage) -> Option<String> {
    let DeclaredPackage { identifier, version, .. } = package;
    Some(match (package.registry_type.as_str(), version) {
        ("npm", Some(version)) => format!("npm:{identifier}@{version}"),
        ("pypi", Some(version)) => format!("pypi:{identifier}=={version}"),
        ("mcpb", _) => identifier.clone(),
        _ => return None,
    })
}

/// A registry that is not the one that would be asked.
fn other_registry(package: &DeclaredPackage, kind: Kind) -> Option<String> {
    let (Kind::Npm | Kind::Pypi, Some(public)) = (kind, kind.base_url()) else { return None };
    let is_other = |url: &&String| url.trim_end_matches('/') != public;
    let url = package.base_urls.iter().find(is_other)?;
    let (url, word) = (shorten(url), kind.word());
    Some(format!("it names the registry {url}; facet asks the {word} registry that is configured"))
}

/// A hash that nothing can be compared with. A package of npm has one file, as a bundle has.
fn stray_hash(package: &DeclaredPackage, kind: Kind) -> Option<String> {
    if matches!(kind, Kind::Npm | Kind::Mcpb) {
        return None;
    }
    let member = package.file_sha256.first()?.member;
    Some(format!("it has `{member}`, which only packages of type mcpb have: it is not compared"))
}

/// An image by its tag, or by its digest, which needs no hash.
fn image(package: &DeclaredPackage) -> Result<PackageFiles, String> {
    let identifier = &package.identifier;
    let last = identifier.rsplit('/').next().unwrap_or_default();
    // Older layouts have the tag, or the digest, as the version.
    let version = package.version.as_ref().filter(|_| !last.contains([':', '@']));
    let text = match version {
        Some(digest) if digest.starts_with("sha256:") => format!("{identifier}@{digest}"),
        Some(tag) => format!("{identifier}:{tag}"),
        None => identifier.clone(),
    };
    if let Some(template) = template_in(&text) {
        return Err(format!("it has the placeholder {template:?}"));
    }
    let image: ImageReference =
        text.parse().map_err(|reason: ImageReferenceError| reason.to_string())?;
    let host = normalized_image_host(image.host());
    if let Some(url) = package.base_urls.iter().find(|url| !is_base_of(url, &host)) {
        let url = shorten(url);
        return Err(format!("it names the registry {url}, and its identifier an image of {host}"));
    }
    if image.digest().is_some() {
        return Ok(PackageFiles::NotHashed { reason: "the image is named by its digest" });
    }
    let (path, tag) = (image.path(), image.tag().unwrap_or("latest"));
    // As on `docker.io`, whatever the host is called.
    let folder = if host == "docker.io" && !path.contains('/') { "library/" } else { "" };
    Ok(PackageFiles::TaggedImage(format!("oci:{host}/{folder}{path}:{tag}")))
}

/// Whether an address is that of the registry on a host.
fn is_base_of(url: &str, host: &str) -> bool {
    let named = url.strip_prefix("https://").map(|rest| rest.strip_suffix('/').unwrap_or(rest));
    named.is_some_and(|named| normalized_image_host(named) == host)
}

/// `npm:NAME@VERSION` or `pypi:NAME==VERSION`.
fn versioned(package: &DeclaredPackage, separator: &str) -> Result<FileIdentifier, String> {
    let version = package.version.as_ref().ok_or_else(|| "it has no version".to_owned())?;
    for text in [&package.identifier, version] {
        if let Some(template) = template_in(text) {
            return Err(format!("it has the placeholder {template:?}"));
        }
    }
    // A slash in a version would make a file name of what follows.
    if version.contains('/') {
        return Err(format!("the version {version:?} has a '/'"));
    }
    let text = format!("{}:{}{separator}{version}", package.registry_type, package.identifier);
    text.parse().map_err(|reason: FileIdentifierError| reason.to_string())
}

/// `github:OWNER/REPO/TAG/ASSET` for a file of a release there, else the address.
fn bundle(address: &str) -> Result<FileIdentifier, String> {
    if let Some(template) = template_in(address) {
        return Err(format!("it has the placeholder {template:?}"));
    }
    let identifier: FileIdentifier =
        address.parse().map_err(|reason: FileIdentifierError| reason.to_string())?;
    if !matches!(identifier, FileIdentifier::Url(_)) {
        return Err("it is no https address".to_owned());
    }
    Ok(release_asset(address).unwrap_or(identifier))
}
