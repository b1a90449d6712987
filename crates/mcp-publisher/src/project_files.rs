//! What the files of a project say about it.

mod dockerfile;
mod git;

use std::path::Path;

use facets_files::read_plain;
use serde_json::Value;
use toml_edit::{Document, Item};

use crate::error::PublisherError;

pub(crate) use dockerfile::read_image_label;
pub(crate) use git::{SourceRepository, read_repository};

/// More than any file of a project that describes it has.
const MOST: u64 = 4 << 20;

/// A package, as a file of the project describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ProjectPackage {
    /// `npm`, `pypi` or `oci`.
    pub(crate) registry_type: &'static str,
    /// Its name; of an image the address with the tag.
    pub(crate) name: Option<String>,
    pub(crate) version: Option<String>,
    pub(crate) description: Option<String>,
    /// The name of the server, by which its author proves that the package is the server's.
    pub(crate) mcp_name: Option<String>,
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

#[cfg(test)]
mod tests {
    use super::*;

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
