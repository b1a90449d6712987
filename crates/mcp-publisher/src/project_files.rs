//! What the files of a project say about it.

use std::path::Path;

use facets_files::read_plain;
use serde_json::Value;
use toml_edit::{Document, Item};

use crate::error::PublisherError;

/// More than any file of a project that describes it has.
const MOST: u64 = 4 << 20;

/// A package, as a file of the project describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ProjectPackage {
    /// `npm` or `pypi`.
    pub(crate) registry_type: &'static str,
    pub(crate) name: Option<String>,
    pub(crate) version: Option<String>,
    pub(crate) description: Option<String>,
    /// The name of the server, by which its author proves that the package is the server's.
    pub(crate) mcp_name: Option<String>,
}

/// A repository on `github.com` or `gitlab.com`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SourceRepository {
    /// `github` or `gitlab`.
    pub(crate) source: &'static str,
    pub(crate) owner: String,
    pub(crate) name: String,
    /// From the root of the clone to the folder that was asked about; empty at the root.
    pub(crate) subfolder: String,
}

impl SourceRepository {
    /// Its address.
    pub(crate) fn url(&self) -> String {
        format!("https://{}.com/{}/{}", self.source, self.owner, self.name)
    }
}

/// Reads `package.json` of a folder.
pub(crate) fn read_package_json(folder: &Path) -> Result<Option<ProjectPackage>, PublisherError> {
    let path = folder.join("package.json");
    let Some(bytes) = read_plain(&path, MOST)? else { return Ok(None) };
    let value: Value = serde_json::from_slice(&bytes)
        .map_err(|error| PublisherError::Project { path, problem: error.to_string() })?;
    let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    Ok(Some(ProjectPackage {
        registry_type: "npm",
        name: text("name"),
        version: text("version"),
        description: text("description"),
        mcp_name: text("mcpName"),
    }))
}

/// Reads `pyproject.toml` of a folder; nothing if it describes no package.
pub(crate) fn read_pyproject(folder: &Path) -> Result<Option<ProjectPackage>, PublisherError> {
    let path = folder.join("pyproject.toml");
    let Some(bytes) = read_plain(&path, MOST)? else { return Ok(None) };
    let text = String::from_utf8_lossy(&bytes);
    let document = Document::parse(&*text)
        .map_err(|error| PublisherError::Project { path, problem: error.message().to_owned() })?;
    let table = document.as_table();
    let poetry = table.get("tool").and_then(|tool| tool.get("poetry"));
    let Some(project) = table.get("project").or(poetry) else { return Ok(None) };
    let text = |name: &str| project.get(name).and_then(Item::as_str).map(str::to_owned);
    Ok(Some(ProjectPackage {
        registry_type: "pypi",
        name: text("name"),
        version: text("version"),
        description: text("description"),
        mcp_name: None,
    }))
}

/// The repository that the clone around a folder calls `origin`.
pub(crate) fn read_repository(folder: &Path) -> Option<SourceRepository> {
    let folder = std::path::absolute(folder).ok()?;
    // What cannot be read is no clone that could help here.
    let config = |root: &Path| read_plain(&root.join(".git").join("config"), MOST).ok().flatten();
    let (root, bytes) = folder.ancestors().find_map(|root| Some((root, config(root)?)))?;
    let text = String::from_utf8_lossy(&bytes);
    let (source, owner, name) = origin_url(&text).and_then(parse_repository)?;
    let subfolder = folder.strip_prefix(root).unwrap_or(Path::new(""));
    Some(SourceRepository {
        source,
        owner: owner.to_owned(),
        name: name.to_owned(),
        subfolder: subfolder.to_string_lossy().replace('\\', "/"),
    })
}

/// `url` of `[remote "origin"]`.
fn origin_url(config: &str) -> Option<&str> {
    let mut in_origin = false;
    for line in config.lines().map(str::trim) {
        if line.starts_with('[') {
            in_origin = line == "[remote \"origin\"]";
        } else if let Some((name, value)) = line.split_once('=')
            && in_origin
            && name.trim() == "url"
        {
            return Some(value.trim());
        }
    }
    None
}

/// Source, owner and name, from any of the ways to write an address for git.
fn parse_repository(url: &str) -> Option<(&'static str, &str, &str)> {
    let starts = ["https://", "http://", "ssh://", "git://"];
    let rest = starts.iter().find_map(|start| url.strip_prefix(start)).unwrap_or(url);
    // Whatever stands before the host is nobody's business, and may be a token.
    let rest = rest.split_once('@').map_or(rest, |(_, rest)| rest);
    let (host, path) = rest.split_once(['/', ':'])?;
    let source = match host {
        "github.com" | "www.github.com" => "github",
        "gitlab.com" | "www.gitlab.com" => "gitlab",
        _ => return None,
    };
    let path = path.trim_end_matches('/');
    let (owner, name) = path.strip_suffix(".git").unwrap_or(path).split_once('/')?;
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    let is_part = |part: &str| !part.is_empty() && part.chars().all(is_word);
    (is_part(owner) && is_part(name)).then_some((source, owner, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repositories_are_read_from_every_address() {
        for url in [
            "https://github.com/o/r",
            "https://token@github.com/o/r.git",
            "git@github.com:o/r.git",
            "ssh://git@github.com/o/r.git/",
        ] {
            assert_eq!(parse_repository(url), Some(("github", "o", "r")), "{url}");
        }
        for url in ["https://example.com/o/r", "../r", "", "https://gitlab.com/g/s/p"] {
            assert_eq!(parse_repository(url), None, "{url}");
        }
        let config = "[core]\n\turl = no\n[remote \"up\"]\n\turl = u\n[remote \"origin\"]\n\tfetch = x\n\turl = git@github.com:o/r\n";
        assert_eq!(origin_url(config), Some("git@github.com:o/r"));
    }

    #[test]
    fn packages_are_read_from_their_files() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(read_package_json(folder.path()).unwrap(), None);
        assert_eq!(read_pyproject(folder.path()).unwrap(), None);
        let package = r#"{"name": "@a/b", "version": "1.0.0", "mcpName": "io.github.a/b"}"#;
        std::fs::write(folder.path().join("package.json"), package).unwrap();
        let found = read_package_json(folder.path()).unwrap().unwrap();
        assert_eq!(found.mcp_name.as_deref(), Some("io.github.a/b"));
        let project = "[project]\nname = \"b\"\nversion = \"2.0\"\n";
        std::fs::write(folder.path().join("pyproject.toml"), project).unwrap();
        let found = read_pyproject(folder.path()).unwrap().unwrap();
        assert_eq!((found.name.as_deref(), found.version.as_deref()), (Some("b"), Some("2.0")));
        std::fs::write(folder.path().join("pyproject.toml"), "[").unwrap();
        assert!(read_pyproject(folder.path()).is_err());
    }
}
