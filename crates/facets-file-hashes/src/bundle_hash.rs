//! `fileSha256` of a package, which stands beside `file_hashes` and must agree with it.

use facets_digest::Digest;
use facets_model::server_json::{DeclaredPackage, PackageHash, placeholder_in};

use crate::file_result::{FileResult, FileStatus};

/// A hash to put into a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BundleHash {
    /// Which package.
    pub(crate) index: usize,
    /// Its member.
    pub(crate) member: &'static str,
    /// The digits.
    pub(crate) hex: String,
}

/// The hashes that a bundle lacks: it has none, or placeholders.
pub(crate) fn lacking(package: &DeclaredPackage, digest: &Digest) -> Vec<BundleHash> {
    if package.registry_type != "mcpb" {
        return Vec::new();
    }
    let hash = |member| BundleHash { index: package.index, member, hex: digest.hex() };
    if package.file_sha256.is_empty() {
        return package.hash_member.map(hash).into_iter().collect();
    }
    let placeholders = package.file_sha256.iter().filter(|stated| is_placeholder(stated));
    placeholders.map(|stated| hash(stated.member)).collect()
}

/// What is wrong with the hashes that a package has, and that are not replaced.
pub(crate) fn conflicts(package: &DeclaredPackage, digest: &Digest) -> Vec<FileResult> {
    let is_replaced =
        |stated: &PackageHash| package.registry_type == "mcpb" && is_placeholder(stated);
    let kept = package.file_sha256.iter().filter(|stated| !is_replaced(stated));
    let compared = kept.map(|stated| {
        let name = name_of(package, stated);
        match expected(package, stated) {
            Ok(expected) => FileResult::compared(&name, &expected.to_string(), &digest.to_string()),
            Err(malformed) => malformed,
        }
    });
    compared.filter(|result| !result.is_ok()).collect()
}

/// The hash that a package states, or what is wrong with it.
pub(crate) fn expected(
    package: &DeclaredPackage,
    stated: &PackageHash,
) -> Result<Digest, FileResult> {
    format!("sha256:{}", stated.hex).parse::<Digest>().map_err(|_| {
        let detail = "it is not 64 lower-case hex digits".to_owned();
        FileResult::new(&name_of(package, stated), FileStatus::Malformed, detail)
    })
}

/// A hash of a package, as a person finds it.
pub(crate) fn name_of(package: &DeclaredPackage, stated: &PackageHash) -> String {
    format!("packages[{}].{}", package.index, stated.member)
}

fn is_placeholder(stated: &PackageHash) -> bool {
    placeholder_in(&stated.hex).is_some()
}
