//! `fileSha256` of a bundle, which stands beside `file_hashes` and must agree with it.

use facets_digest::Digest;
use facets_model::server_json::{DeclaredPackage, placeholder_in};

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

/// The hash that a bundle lacks: it has none, or a placeholder.
pub(crate) fn lacking(package: &DeclaredPackage, digest: &Digest) -> Option<BundleHash> {
    let has_one = package.file_sha256.as_deref().is_some_and(|hex| placeholder_in(hex).is_none());
    if package.registry_type != "mcpb" || has_one {
        return None;
    }
    let member = package.hash_member?;
    Some(BundleHash { index: package.index, member, hex: digest.hex() })
}

/// What is wrong with the hash that a bundle has.
pub(crate) fn conflict(package: &DeclaredPackage, digest: &Digest) -> Option<FileResult> {
    let stated = package.file_sha256.as_deref()?;
    let member = package.hash_member.unwrap_or("fileSha256");
    let name = format!("packages[{}].{member}", package.index);
    let Ok(expected) = format!("sha256:{stated}").parse::<Digest>() else {
        let detail = "it is not 64 lower-case hex digits".to_owned();
        return Some(FileResult::new(&name, FileStatus::Malformed, detail));
    };
    let result = FileResult::compared(&name, &expected.to_string(), &digest.to_string());
    (!result.is_ok()).then_some(result)
}
