//! Members that are not read, and that a person or another program may take for ones that are.

use super::names::{FILE_HASHES, PROVIDED_HASHES, PUBLISHER_PROVIDED};
use super::values::member;
use crate::manifest::check::Place;
use crate::tree::NodeValue;

/// Names of hashes of files, as [`folded`] has them.
const FILE_HASH: &[&str] = &[
    "filehash",
    "filehashes",
    "filesha256",
    "filesha512",
    "filedigest",
    "filedigests",
    "filechecksum",
    "filechecksums",
];

/// The same, where they can be about nothing but the files of a package. Publishers may have hashes of other things.
const HASH: &[&str] = &[
    "hash",
    "hashes",
    "sha256",
    "sha256sum",
    "sha512",
    "shasum",
    "digest",
    "digests",
    "checksum",
    "checksums",
    "integrity",
];

/// An object of the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Document,
    Package,
    Location,
    Meta,
    Provided,
}

impl Level {
    /// The members that decide which files are hashed and what they are compared with.
    const fn read(self) -> &'static [&'static str] {
        match self {
            Self::Document => &["packages", "remotes", "_meta", FILE_HASHES],
            Self::Package => &[
                "registryType",
                "registry_type",
                "registry_name",
                "identifier",
                "name",
                "version",
                "registryBaseUrl",
                "registry_base_url",
                "fileSha256",
                "file_sha256",
                "location",
            ],
            Self::Location => &["registry_name", "name", "type", "url"],
            Self::Meta => &[PUBLISHER_PROVIDED],
            Self::Provided => &[PROVIDED_HASHES],
        }
    }

    /// Why a member with this name must not pass unseen.
    fn refusal(self, name: &str) -> Option<String> {
        // Those of a package have their own reason, and hash-gen removes them.
        let is_known = self == Self::Package && name == FILE_HASHES;
        if is_known || self.read().contains(&name) {
            return None;
        }
        let folded_name = folded(name);
        if let Some(meant) = self.read().iter().find(|read| folded(read) == folded_name) {
            return Some(format!("it is not read: the member is called `{meant}`"));
        }
        let is_about_files = matches!(self, Self::Document | Self::Package | Self::Location);
        let is_hash =
            FILE_HASH.contains(&&*folded_name) || (is_about_files && HASH.contains(&&*folded_name));
        is_hash.then(|| {
            "a hash in a place that is not read; only `file_hashes` at the top is".to_owned()
        })
    }
}

/// A name without regard to case, `_` and `-`. Some readers of JSON take `ſ` for `s`, too.
fn folded(name: &str) -> String {
    name.replace(['_', '-'], "").to_uppercase().to_lowercase()
}

/// Members that are not read and must not pass unseen, each with the reason.
pub(super) fn unread_members<'a>(root: &Place<'a>) -> Vec<(Place<'a>, String)> {
    let mut found = refused(root, Level::Document);
    for package in member(root, "packages").iter().flat_map(items) {
        found.extend(refused(&package, Level::Package));
        if let Some(location) = member(&package, "location") {
            found.extend(refused(&location, Level::Location));
        }
    }
    if let Some(meta) = member(root, "_meta") {
        found.extend(refused(&meta, Level::Meta));
        if let Some(provided) = member(&meta, PUBLISHER_PROVIDED) {
            found.extend(refused(&provided, Level::Provided));
        }
    }
    found
}

fn refused<'a>(place: &Place<'a>, level: Level) -> Vec<(Place<'a>, String)> {
    let NodeValue::Object(members) = &place.node.value else { return Vec::new() };
    let refusal = members.iter().filter_map(|member| {
        Some((place.child(&member.name, &member.node), level.refusal(&member.name)?))
    });
    refusal.collect()
}

fn items<'a>(place: &Place<'a>) -> Vec<Place<'a>> {
    let NodeValue::Array(items) = &place.node.value else { return Vec::new() };
    let item = |(index, node)| Place { path: format!("{}[{index}]", place.path), node };
    items.iter().enumerate().map(item).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_another_reader_takes_for_read_ones_are_refused() {
        for (level, name) in [
            (Level::Document, "Packages"),
            (Level::Document, "pac\u{212a}ages"),
            (Level::Document, "fileHashes"),
            (Level::Document, "_META"),
            (Level::Document, "sha256"),
            (Level::Package, "Identifier"),
            (Level::Package, "Ver\u{17f}ion"),
            (Level::Package, "registryName"),
            (Level::Package, "registry-base-url"),
            (Level::Package, "fileSHA256"),
            (Level::Package, "fileHashes"),
            (Level::Package, "sha256"),
            (Level::Location, "file_sha256"),
            (Level::Location, "file_hashes"),
            (Level::Location, "URL"),
            (Level::Meta, "io.modelcontextprotocol.registry/publisherProvided"),
            (Level::Meta, "file_hashes"),
            (Level::Provided, "file_hashes"),
            (Level::Provided, "facets.dev/fileHashes"),
        ] {
            assert!(level.refusal(name).is_some(), "{level:?} {name}");
        }
    }

    #[test]
    fn members_of_published_layouts_and_of_other_tools_pass() {
        for level in
            [Level::Document, Level::Package, Level::Location, Level::Meta, Level::Provided]
        {
            for name in level.read().iter().chain(&["transport", "build_info", "$schema"]) {
                assert_eq!(level.refusal(name), None, "{level:?} {name}");
            }
        }
        for (level, name) in [
            (Level::Package, FILE_HASHES),
            (Level::Package, "package_arguments"),
            (Level::Package, "environmentVariables"),
            (Level::Document, "websiteUrl"),
            (Level::Document, "version_detail"),
            (Level::Meta, "io.modelcontextprotocol.registry/official"),
            (Level::Provided, "digest"),
            (Level::Provided, "other.example/file_hashes"),
        ] {
            assert_eq!(level.refusal(name), None, "{level:?} {name}");
        }
    }
}
