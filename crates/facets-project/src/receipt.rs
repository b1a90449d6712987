//! The receipt that the reference keeps of a project: what it has installed there, and so may remove
//! (version 0.4). Facet writes its own facets into it, so that both know of each other's.

use std::path::Path;

use facets_digest::Digest;
use facets_digest::json::{self, Limits, Provenance, Value, quoted};
use facets_jsonc::{EditError, Order, remove_member, set_member};
use facets_lock::{LockedAsset, LockedAssetFile, LockedFacet, LockedMaterialization};

use crate::error::ProjectError;
use crate::files;
use crate::user_directory::UserDirectory;

/// The folder of all receipts in that of the user.
pub(crate) const FOLDER: &str = "receipts";

const VERSION: &str = "0.4";

/// A receipt, as it is or will be on the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    text: String,
}

impl Receipt {
    /// One without any facet.
    fn empty(place: &Path) -> Self {
        let path = quoted(&place.to_string_lossy());
        let text =
            format!("{{\n  \"version\": {VERSION},\n  \"path\": {path},\n  \"facets\": {{}}\n}}\n");
        Self { text }
    }

    /// That of the project at this place. None if there is one that is not understood, of an older
    /// reference for example: it stays as it is.
    pub(crate) fn read(place: &Path, user: &UserDirectory) -> Result<Option<Self>, ProjectError> {
        let path = user.checked(FOLDER)?.join(file_name(place));
        match files::read_own(&path)? {
            None => Ok(Some(Self::empty(place))),
            Some(bytes) => Ok(Self::parse(bytes, place)),
        }
    }

    fn parse(bytes: Vec<u8>, place: &Path) -> Option<Self> {
        let text = String::from_utf8(bytes).ok()?;
        let root = json::parse(text.as_bytes(), Provenance::Authored, Limits::DOCUMENT).ok()?;
        let is_known = root.member("version")?.to_canonical() == VERSION.as_bytes();
        let is_here =
            matches!(root.member("path")?, Value::String(path) if *path == place.to_string_lossy());
        let has_facets = matches!(root.member("facets")?, Value::Object(_));
        (is_known && is_here && has_facets).then_some(Self { text })
    }

    /// The names of the facets in it.
    #[must_use]
    pub fn facets(&self) -> Vec<String> {
        let root = json::parse(self.text.as_bytes(), Provenance::Authored, Limits::DOCUMENT);
        let Ok(root) = root else { return Vec::new() };
        match root.member("facets") {
            Some(Value::Object(facets)) => {
                facets.members().iter().map(|member| member.name.to_string()).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The same with a facet as the lock has it. Its servers stay as they were: only the reference writes
    /// them.
    pub fn with_facet(&self, name: &str, facet: &LockedFacet) -> Result<Self, EditError> {
        if !self.facets().iter().any(|known| known == name) {
            let text = set_member(&self.text, &["facets", name], &new_entry(facet), Order::Sorted)?;
            return Ok(Self { text });
        }
        let mut text = self.text.clone();
        for (member, value) in members(facet) {
            text = set_member(&text, &["facets", name, member], &value, Order::AtEnd)?;
        }
        Ok(Self { text })
    }

    /// The same without a facet.
    pub fn without_facet(&self, name: &str) -> Result<Self, EditError> {
        Ok(Self { text: remove_member(&self.text, &["facets", name])? })
    }

    /// The text of the file.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

fn members(facet: &LockedFacet) -> [(&'static str, String); 3] {
    let assets: Vec<String> = facet.assets.iter().filter_map(asset).collect();
    [
        ("version", quoted(&facet.version.to_string())),
        ("integrity", quoted(&facet.integrity.to_string())),
        ("assets", list(&assets, "      ")),
    ]
}

fn new_entry(facet: &LockedFacet) -> String {
    let [version, integrity, assets] =
        members(facet).map(|(name, value)| format!("      \"{name}\": {value}"));
    format!("{{\n{version},\n{integrity},\n{assets},\n      \"configurations\": []\n    }}")
}

/// None of an asset that is omitted: nothing of it was installed.
fn asset(asset: &LockedAsset) -> Option<String> {
    let kind = match &asset.materialization {
        LockedMaterialization::Authored => "\"kind\": \"authored\"".to_owned(),
        LockedMaterialization::Aliased(alias) => {
            format!("\"kind\": \"aliased\",\n            \"as\": \"{alias}\"")
        }
        LockedMaterialization::Omitted => return None,
    };
    let file = |file: &LockedAssetFile| format!("            {}", quoted(file.path.as_str()));
    let files: Vec<String> = asset.files.iter().map(file).collect();
    let members = [
        format!("\"scope\": \"{}\"", asset.scope),
        format!("\"type\": \"{}\"", asset.kind),
        format!("\"name\": \"{}\"", asset.name),
        format!("\"materialization\": {{\n            {kind}\n          }}"),
        format!("\"files\": {}", list(&files, "          ")),
    ];
    Some(format!("        {{\n          {}\n        }}", members.join(",\n          ")))
}

fn list(items: &[String], indent: &str) -> String {
    match items {
        [] => "[]".to_owned(),
        items => format!("[\n{}\n{indent}]", items.join(",\n")),
    }
}

/// What the file of a project is called: the last part of where it lies, and 12 digits of the hash of all.
pub(crate) fn file_name(place: &Path) -> String {
    let name = place.file_name().unwrap_or_default().to_string_lossy();
    // The reference hashes the path as text.
    let hash = Digest::of(place.to_string_lossy().as_bytes()).hex();
    format!("{name}-{}.json", &hash[..12])
}

#[cfg(test)]
mod tests {
    use facets_lock::{AcceptedFindings, Lock, LockedFacetSource};

    use super::*;

    fn facet(version: &str) -> LockedFacet {
        LockedFacet {
            source: LockedFacetSource::Local { path: "./facet".to_owned() },
            version: version.parse().unwrap(),
            integrity: Digest::of(b"archive"),
            content_hash: None,
            assets: Vec::new(),
            servers: [].into(),
            accepted: AcceptedFindings::default(),
        }
    }

    /// Lock and receipt of a project, as the reference has written them.
    fn vector(project: &str) -> Option<(Lock, String)> {
        let vectors = facets_testkit::repository_root().join("../shared/vectors/facets/projects");
        if !vectors.exists() {
            eprintln!("SKIP: no shared vectors beside the source tree");
            return None;
        }
        let lock = std::fs::read(vectors.join(project).join("facets.lock")).unwrap();
        let receipt = std::fs::read_to_string(vectors.join(project).join("receipt.json"));
        Some((Lock::parse(&lock).unwrap(), receipt.unwrap()))
    }

    fn locked_asset(name: &str, materialization: LockedMaterialization) -> LockedAsset {
        let path = format!("agents/{name}.md").parse().unwrap();
        LockedAsset {
            scope: facets_model::AssetScope::Project,
            kind: facets_model::AssetKind::Agent,
            name: name.parse().unwrap(),
            materialization,
            files: vec![LockedAssetFile { path, integrity: Digest::of(b"text") }],
        }
    }

    #[test]
    fn an_asset_has_its_files_and_its_alias_and_one_that_is_omitted_is_left_out() {
        let own = locked_asset("reviewer", LockedMaterialization::Authored);
        let expected = "        {\n          \"scope\": \"project\",\n          \"type\": \"agent\",\n          \
                        \"name\": \"reviewer\",\n          \"materialization\": {\n            \
                        \"kind\": \"authored\"\n          },\n          \"files\": [\n            \
                        \"agents/reviewer.md\"\n          ]\n        }";
        assert_eq!(asset(&own).as_deref(), Some(expected));
        let alias = "other".parse().unwrap();
        let aliased =
            asset(&locked_asset("writer", LockedMaterialization::Aliased(alias))).unwrap();
        assert!(
            aliased.contains("\"kind\": \"aliased\",\n            \"as\": \"other\""),
            "{aliased}"
        );
        assert_eq!(asset(&locked_asset("none", LockedMaterialization::Omitted)), None);
        let facet = LockedFacet { assets: vec![own], ..facet("1.0.0") };
        let [.., (_, assets)] = members(&facet);
        assert_eq!(assets, format!("[\n{expected}\n      ]"));
    }

    #[test]
    fn entries_have_the_bytes_that_the_reference_writes_for_the_same_lock() {
        for (project, names) in [
            ("basic", &["@acme/demo", "server-only", "team-tools"][..]),
            ("alias-local", &["local-tools", "team-tools"]),
            ("lock-extras", &["commands-only", "sizes"]),
        ] {
            let Some((lock, written)) = vector(project) else { return };
            let place = format!("/home/dev/{project}");
            let receipt = Receipt::parse(written.clone().into_bytes(), Path::new(&place)).unwrap();
            assert_eq!(receipt.facets(), names);
            for name in names {
                let facet = lock.facet(name).unwrap();
                // Also the servers that the reference has recorded stay.
                assert_eq!(receipt.with_facet(name, facet).unwrap().text(), written, "{name}");
                let without = receipt.without_facet(name).unwrap();
                assert_eq!(without.facets().len(), names.len() - 1);
                let again = without.with_facet(name, facet).unwrap();
                let has_servers = matches!(*name, "server-only" | "team-tools" | "local-tools");
                assert_eq!(again.text() == written, !has_servers, "{name}");
            }
        }
    }

    #[test]
    fn an_omitted_asset_is_not_installed_and_an_upgrade_replaces_the_others() {
        let Some((lock, written)) = vector("alias-local") else { return };
        let place = Path::new("/home/dev/alias-local");
        let receipt = Receipt::parse(written.into_bytes(), place).unwrap();
        let mut facet = lock.facet("team-tools").unwrap().clone();
        facet.assets[0].materialization = LockedMaterialization::Omitted;
        facet.version = "0.2.0".parse().unwrap();
        let newer = receipt.with_facet("team-tools", &facet).unwrap();
        assert!(newer.text().contains("team-fs") && newer.text().contains("\"0.2.0\""));
        assert!(!newer.text().contains("team-planning"));
    }

    #[test]
    fn unknown_members_stay_and_a_new_receipt_is_read_again() {
        let place = Path::new("/home/dev/a \"b\"");
        let empty = Receipt::empty(place);
        let one = empty.with_facet("one", &facet("1.0.0")).unwrap();
        let text = one.text().replace("\"version\": 0.4,", "\"version\": 0.4, \"x\": [1],");
        let text = text.replace("\"configurations\"", "\"y\": {}, \"configurations\"");
        let known = Receipt::parse(text.into_bytes(), place).unwrap();
        let newer = known.with_facet("one", &facet("2.0.0")).unwrap();
        assert!(newer.text().contains("\"x\": [1]") && newer.text().contains("\"y\": {}"));
        let left = one.without_facet("one").unwrap();
        assert_eq!(Receipt::parse(left.text().as_bytes().to_vec(), place), Some(left.clone()));
        assert!(left.facets().is_empty());
    }

    #[test]
    fn a_receipt_of_another_version_or_project_is_not_understood() {
        let place = Path::new("/p");
        let text = Receipt::empty(place).text().to_owned();
        assert!(Receipt::parse(text.clone().into_bytes(), Path::new("/q")).is_none());
        for other in [
            text.replace("0.4", "0.3"),
            text.replace("0.4", "\"0.4\""),
            text.replace("{}", "[]"),
            "[]".to_owned(),
            String::new(),
        ] {
            assert!(Receipt::parse(other.clone().into_bytes(), place).is_none(), "{other}");
        }
    }

    /// `printf /home/dev/basic | sha256sum`
    #[test]
    fn the_name_of_a_receipt_is_the_last_part_of_the_path_and_twelve_digits_of_its_hash() {
        assert_eq!(file_name(Path::new("/home/dev/basic")), "basic-ff44e163a219.json");
    }
}
