//! Which files a package has.

use super::document::{DeclaredPackage, ServerJson};
use super::placeholder::template_in;
use crate::FileIdentifier;

/// The files of a package that are hashed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PackageFiles {
    /// One file.
    One(FileIdentifier),
    /// Every file of a release; the identifier names the release.
    Release(FileIdentifier),
    /// Packages of this type have no hashes here.
    NotHashed {
        /// Why.
        reason: &'static str,
    },
    /// It should have files, and they cannot be named.
    Unusable {
        /// Why.
        reason: String,
    },
}

/// The files of each package, in the order of the packages.
#[must_use]
pub fn identifiers(server: &ServerJson) -> Vec<PackageFiles> {
    server.packages.iter().map(files_of_package).collect()
}

fn files_of_package(package: &DeclaredPackage) -> PackageFiles {
    let reason = match package.registry_type.as_str() {
        "npm" => return versioned(package, "@", PackageFiles::One),
        "pypi" => return versioned(package, "==", PackageFiles::Release),
        "mcpb" => return bundle(&package.identifier),
        "oci" | "docker" => "an image is named by its digest, not by hashes of files",
        "nuget" => "files of NuGet are not hashed yet",
        "cargo" => "files of crates.io are not hashed yet",
        _ => "a type of package that is not known",
    };
    PackageFiles::NotHashed { reason }
}

/// `npm:NAME@VERSION` or `pypi:NAME==VERSION`.
fn versioned(
    package: &DeclaredPackage,
    separator: &str,
    files: fn(FileIdentifier) -> PackageFiles,
) -> PackageFiles {
    let Some(version) = &package.version else {
        return PackageFiles::Unusable { reason: "it has no version".to_owned() };
    };
    for text in [&package.identifier, version] {
        if let Some(template) = template_in(text) {
            let reason = format!("it has the placeholder {template:?}");
            return PackageFiles::Unusable { reason };
        }
    }
    let text = format!("{}:{}{separator}{version}", package.registry_type, package.identifier);
    // A slash in a version would make a file name of what follows.
    let is_plain = !version.contains('/');
    match text.parse::<FileIdentifier>() {
        Ok(identifier) if is_plain => files(identifier),
        Ok(_) => PackageFiles::Unusable { reason: format!("the version {version:?} has a '/'") },
        Err(reason) => PackageFiles::Unusable { reason: reason.to_string() },
    }
}

/// `github:OWNER/REPO/TAG/ASSET` for a file of a release there, else the address.
fn bundle(address: &str) -> PackageFiles {
    if let Some(template) = template_in(address) {
        let reason = format!("it has the placeholder {template:?}");
        return PackageFiles::Unusable { reason };
    }
    match asset_identifier(address).map_or_else(|| address.parse::<FileIdentifier>(), Ok) {
        Ok(identifier @ (FileIdentifier::GitHub { .. } | FileIdentifier::Url(_))) => {
            PackageFiles::One(identifier)
        }
        Ok(_) => PackageFiles::Unusable { reason: "it is no https address".to_owned() },
        Err(reason) => PackageFiles::Unusable { reason: reason.to_string() },
    }
}

fn asset_identifier(address: &str) -> Option<FileIdentifier> {
    let path = address.strip_prefix("https://github.com/")?;
    let mut parts = path.splitn(3, '/');
    let (owner, name, rest) = (parts.next()?, parts.next()?, parts.next()?);
    let asset = rest.strip_prefix("releases/download/")?;
    format!("github:{owner}/{name}/{asset}").parse().ok()
}
