//! What facet has written for a project on this machine (spec 10.9.2): it alone allows a file to be removed.

use std::collections::BTreeMap;
use std::path::Path;

use facets_clients::Client;
use facets_digest::Digest;
use facets_digest::json::{self, Limits, Provenance, Value, quoted};
use facets_model::{ArtifactName, ArtifactPath, AssetBase, AssetKind, AssetName, PlainVersion};

use crate::asset_path::is_asset_path;
use crate::error::ProjectError;
use crate::files;
use crate::ledger::project_key;
use crate::user_directory::{UserDirectory, check_private};

/// The folder of all records in that of the user.
pub(crate) const FOLDER: &str = "installed";

const VERSION: &str = "1";

/// The files of facets that facet has written for a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstalledRecord {
    /// Facets by name.
    pub facets: BTreeMap<String, InstalledFacet>,
    /// Folders of clients that did not exist before facet made them. [`crate::Project::change`] keeps this
    /// list; what a caller sets is not used.
    pub made_folders: Vec<(AssetBase, String)>,
}

/// What was written of one facet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstalledFacet {
    /// Its version.
    pub version: PlainVersion,
    /// The integrity of its archive.
    pub integrity: Digest,
    /// The digest of its lock entry when it was installed, if that is known.
    pub entry: Option<Digest>,
    /// Its files, in the folders of clients.
    pub files: Vec<InstalledFile>,
}

/// A file that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstalledFile {
    /// What its path begins at.
    pub base: AssetBase,
    /// From there on, with slashes.
    pub path: String,
    /// What was written.
    pub digest: Digest,
    /// The kind of the asset that it belongs to.
    pub kind: AssetKind,
    /// The name of the asset in this project.
    pub name: AssetName,
    /// For which client.
    pub client: Client,
    /// Whether it was there before, with just these bytes: it is not removed with the facet.
    pub is_found: bool,
}

impl InstalledRecord {
    /// All files, of every facet.
    pub fn files(&self) -> impl Iterator<Item = &InstalledFile> {
        self.facets.values().flat_map(|facet| &facet.files)
    }

    /// Whether nothing is installed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.facets.is_empty() && self.made_folders.is_empty()
    }

    /// The record of the project at this place; an empty one if there is none.
    pub(crate) fn read(place: &Path, user: &UserDirectory) -> Result<Self, ProjectError> {
        let folder = user.checked(FOLDER)?;
        check_private(&folder)?;
        let path = folder.join(file_name(place));
        match files::read_own(&path)? {
            None => Ok(Self::default()),
            Some(bytes) => Self::parse(&bytes, place).ok_or(ProjectError::Installed { path }),
        }
    }

    /// The same text for the same record.
    pub(crate) fn to_json(&self, place: &Path) -> String {
        let facet = |(name, facet): (&String, &InstalledFacet)| {
            format!("    {}: {}", quoted(name), facet.to_json())
        };
        let facets: Vec<String> = self.facets.iter().map(facet).collect();
        let folder = |(base, path): &(AssetBase, String)| {
            format!("    {{ \"base\": \"{base}\", \"path\": {} }}", quoted(path))
        };
        let folders: Vec<String> = self.made_folders.iter().map(folder).collect();
        format!(
            "{{\n  \"version\": {VERSION},\n  \"project\": {},\n  \"facets\": {},\n  \"madeFolders\": {}\n}}\n",
            quoted(&place.to_string_lossy()),
            lines(['{', '}'], &facets, "  "),
            lines(['[', ']'], &folders, "  "),
        )
    }

    /// None if it is not as facet writes it, or about another project.
    fn parse(bytes: &[u8], place: &Path) -> Option<Self> {
        let root = json::parse(bytes, Provenance::Authored, Limits::DOCUMENT).ok()?;
        let is_known =
            matches!(root.member("version")?, Value::Number(number) if is_version(number));
        if !is_known || text(&root, "project")? != place.to_string_lossy() {
            return None;
        }
        let Value::Object(facets) = root.member("facets")? else { return None };
        let facets = facets.members().iter().map(|member| {
            let name = member.name.parse::<ArtifactName>().ok()?;
            Some((name.to_string(), InstalledFacet::parse(&member.value)?))
        });
        let Value::Array(folders) = root.member("madeFolders")? else { return None };
        let folders = folders.iter().map(|folder| {
            let (base, path) = (text(folder, "base")?.parse().ok()?, text(folder, "path")?);
            is_folder(path).then(|| (base, path.to_owned()))
        });
        Some(Self {
            facets: facets.collect::<Option<_>>()?,
            made_folders: folders.collect::<Option<_>>()?,
        })
    }
}

impl InstalledFacet {
    fn to_json(&self) -> String {
        let files: Vec<String> = self.files.iter().map(InstalledFile::to_json).collect();
        let entry = self.entry.map(|entry| format!("      \"entry\": \"{entry}\",\n"));
        let entry = entry.unwrap_or_default();
        format!(
            "{{\n      \"version\": \"{}\",\n      \"integrity\": \"{}\",\n{entry}      \"files\": {}\n    }}",
            self.version,
            self.integrity,
            lines(['[', ']'], &files, "      "),
        )
    }

    fn parse(value: &Value<'_>) -> Option<Self> {
        let Value::Array(files) = value.member("files")? else { return None };
        Some(Self {
            version: text(value, "version")?.parse().ok()?,
            integrity: text(value, "integrity")?.parse().ok()?,
            entry: match value.member("entry") {
                None => None,
                Some(_) => Some(text(value, "entry")?.parse().ok()?),
            },
            files: files.iter().map(InstalledFile::parse).collect::<Option<_>>()?,
        })
    }
}

impl InstalledFile {
    fn to_json(&self) -> String {
        let found = if self.is_found { ", \"found\": true" } else { "" };
        format!(
            "        {{ \"base\": \"{}\", \"path\": {}, \"digest\": \"{}\", \"type\": \"{}\", \"name\": \"{}\", \"client\": \"{}\"{found} }}",
            self.base,
            quoted(&self.path),
            self.digest,
            self.kind,
            self.name,
            self.client.name(),
        )
    }

    /// A record that names other files than those of assets would have facet remove them.
    fn parse(value: &Value<'_>) -> Option<Self> {
        let (base, path) = (text(value, "base")?.parse().ok()?, text(value, "path")?);
        is_asset_path(base, path).then_some(())?;
        Some(Self {
            base,
            path: path.to_owned(),
            digest: text(value, "digest")?.parse().ok()?,
            kind: text(value, "type")?.parse().ok()?,
            name: text(value, "name")?.parse().ok()?,
            client: text(value, "client")?.parse().ok()?,
            is_found: match value.member("found") {
                None => false,
                Some(Value::Bool(found)) => *found,
                Some(_) => return None,
            },
        })
    }
}

/// What the file of a project is called.
pub(crate) fn file_name(place: &Path) -> String {
    format!("{}.json", project_key(place))
}

/// A folder is removed only if it is empty and around an asset, so any path from the base on will do.
fn is_folder(path: &str) -> bool {
    path.is_empty() || path.parse::<ArtifactPath>().is_ok()
}

fn is_version(number: &json::Number<'_>) -> bool {
    let mut written = Vec::new();
    number.write_to(&mut written);
    written == VERSION.as_bytes()
}

fn text<'v>(value: &'v Value<'_>, name: &str) -> Option<&'v str> {
    match value.member(name)? {
        Value::String(text) => Some(text),
        _ => None,
    }
}

/// A list with each item on a line of its own.
fn lines([open, close]: [char; 2], items: &[String], indent: &str) -> String {
    match items {
        [] => format!("{open}{close}"),
        items => format!("{open}\n{}\n{indent}{close}", items.join(",\n")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> InstalledRecord {
        let file = |path: &str, kind| InstalledFile {
            base: AssetBase::Project,
            path: path.to_owned(),
            digest: Digest::of(path.as_bytes()),
            kind,
            name: "planning".parse().unwrap(),
            client: Client::ClaudeCode,
            is_found: kind == AssetKind::Agent,
        };
        let facet = InstalledFacet {
            version: "0.1.0".parse().unwrap(),
            integrity: Digest::of(b"archive"),
            entry: Some(Digest::of(b"entry")),
            files: vec![
                file(".claude/skills/planning/SKILL.md", AssetKind::Skill),
                file(".claude/skills/planning/a ü.md", AssetKind::Skill),
                file(".claude/agents/planning.md", AssetKind::Agent),
            ],
        };
        let empty = InstalledFacet { files: Vec::new(), entry: None, ..facet.clone() };
        InstalledRecord {
            facets: [("@acme/demo".to_owned(), empty), ("team-tools".to_owned(), facet)].into(),
            made_folders: vec![
                (AssetBase::Project, ".claude".to_owned()),
                (AssetBase::CodexHome, String::new()),
                (AssetBase::ConfigHome, "opencode/skills".to_owned()),
            ],
        }
    }

    #[test]
    fn a_record_is_read_as_it_was_written() {
        let place = Path::new("/home/dev/a \"b\"");
        for record in [record(), InstalledRecord::default()] {
            let text = record.to_json(place);
            assert_eq!(InstalledRecord::parse(text.as_bytes(), place), Some(record), "{text}");
        }
    }

    #[test]
    fn a_record_that_facet_did_not_write_for_this_project_is_refused() {
        let place = Path::new("/p");
        let text = record().to_json(place);
        let parse = |text: &str| InstalledRecord::parse(text.as_bytes(), place);
        assert!(InstalledRecord::parse(text.as_bytes(), Path::new("/q")).is_none());
        for (from, to) in [
            ("\"version\": 1", "\"version\": 2"),
            ("\"version\": 1", "\"version\": \"1\""),
            ("\"version\": \"0.1.0\"", "\"version\": \"0.1\""),
            ("sha256:", "sha1:"),
            (".claude/skills/planning/SKILL.md", ".bashrc"),
            (".claude/skills/planning/SKILL.md", ".claude/skills/../../.bashrc"),
            ("\"base\": \"project\"", "\"base\": \"etc\""),
            ("\"path\": \".claude\"", "\"path\": \"..\""),
            ("\"skill\"", "\"hook\""),
            ("claude-code", "vim"),
            ("\"team-tools\"", "\"Team Tools\""),
            ("\"files\": []", "\"files\": {}"),
            ("\"madeFolders\": [", "\"folders\": ["),
        ] {
            assert!(text.contains(from), "{from}");
            assert!(parse(&text.replace(from, to)).is_none(), "{from} → {to}");
        }
        for broken in ["", "[]", "{}", "{\"version\": 1}"] {
            assert!(parse(broken).is_none(), "{broken}");
        }
    }
}
