//! `mcp-publisher init`: a first `server.json`, from what the project already says.

use std::path::{Path, PathBuf};

use facets_digest::json::quoted;
use facets_files::{Placement, write_atomically};
use facets_model::server_json::CURRENT_SCHEMA;

use crate::error::PublisherError;
use crate::project_files::{
    ProjectPackage, SourceRepository, read_package_json, read_pyproject, read_repository,
};

/// The longest description that registries take.
const LONGEST_DESCRIPTION: usize = 100;

/// What was written.
#[derive(Debug)]
pub(crate) struct InitReport {
    pub(crate) file: PathBuf,
    pub(crate) name: String,
    pub(crate) version: String,
    /// Its packages, as `npm NAME`.
    pub(crate) packages: Vec<String>,
    /// What has to be looked at.
    pub(crate) notes: Vec<String>,
}

/// What goes into the file.
struct Draft {
    name: String,
    description: String,
    version: String,
    repository: Option<SourceRepository>,
    packages: Vec<ProjectPackage>,
    notes: Vec<String>,
}

/// Writes a new file; one that exists is never touched.
pub(crate) fn init(path: &Path) -> Result<InitReport, PublisherError> {
    if path.symlink_metadata().is_ok() {
        return Err(PublisherError::Exists { path: path.to_owned() });
    }
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let folder = parent.unwrap_or(Path::new("."));
    let found = [read_package_json(folder)?, read_pyproject(folder)?];
    let draft = draft(found.into_iter().flatten().collect(), read_repository(folder));
    write_atomically(path, draft.text().as_bytes(), Placement::New)?;
    let named = |package: &ProjectPackage| {
        format!("{} {}", package.registry_type, package.name.as_deref().unwrap_or_default())
    };
    Ok(InitReport {
        file: path.to_owned(),
        packages: draft.packages.iter().map(named).collect(),
        name: draft.name,
        version: draft.version,
        notes: draft.notes,
    })
}

fn draft(found: Vec<ProjectPackage>, repository: Option<SourceRepository>) -> Draft {
    let mut notes = Vec::new();
    let (packages, nameless): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|package| package.name.is_some());
    for package in nameless {
        notes.push(format!("the {} package has no name and was left out", package.registry_type));
    }
    if packages.is_empty() {
        notes.push("no package was found: add `packages` or `remotes`".to_owned());
    }
    let first = |part: fn(&ProjectPackage) -> Option<&String>| {
        packages.iter().find_map(|package| part(package).cloned())
    };
    let name = first(|package| package.mcp_name.as_ref()).unwrap_or_else(|| {
        let name = guessed_name(repository.as_ref(), first(|package| package.name.as_ref()));
        notes.push(format!(
            "the name {name} is a guess; the registry compares it with your account"
        ));
        name
    });
    let description = first(|package| package.description.as_ref()).unwrap_or_else(|| {
        notes.push("the description is a placeholder: write what the server does".to_owned());
        "An MCP server".to_owned()
    });
    let version = first(|package| package.version.as_ref()).unwrap_or_else(|| {
        notes.push("the version is a guess: no file of the project has one".to_owned());
        "0.1.0".to_owned()
    });
    let shortened: String = description.chars().take(LONGEST_DESCRIPTION).collect();
    if shortened != description {
        notes.push(format!("the description was cut to {LONGEST_DESCRIPTION} characters"));
    }
    Draft { name, description: shortened, version, repository, packages, notes }
}

/// A name in the namespace of the repository's owner.
fn guessed_name(repository: Option<&SourceRepository>, package: Option<String>) -> String {
    if let Some(SourceRepository { source, owner, name, .. }) = repository {
        format!("io.{source}.{owner}/{name}")
    } else {
        let package = package.unwrap_or_default();
        let last = package.rsplit('/').next().unwrap_or_default();
        let name = if last.len() < 2 { "server" } else { last };
        format!("com.example/{name}")
    }
}

impl Draft {
    /// The file: two spaces, a final newline, members in the order of the documentation.
    fn text(&self) -> String {
        let mut members = vec![
            format!("\"$schema\": {}", quoted(CURRENT_SCHEMA)),
            format!("\"name\": {}", quoted(&self.name)),
            format!("\"description\": {}", quoted(&self.description)),
        ];
        members.extend(self.repository.as_ref().map(repository_text));
        members.push(format!("\"version\": {}", quoted(&self.version)));
        if !self.packages.is_empty() {
            let packages: Vec<String> =
                self.packages.iter().map(|package| package_text(package, &self.version)).collect();
            members.push(format!("\"packages\": [\n{}\n  ]", packages.join(",\n")));
        }
        format!("{{\n  {}\n}}\n", members.join(",\n  "))
    }
}

fn repository_text(repository: &SourceRepository) -> String {
    let mut members = vec![
        format!("\"url\": {}", quoted(&repository.url())),
        format!("\"source\": {}", quoted(repository.source)),
    ];
    if !repository.subfolder.is_empty() {
        members.push(format!("\"subfolder\": {}", quoted(&repository.subfolder)));
    }
    format!("\"repository\": {{\n    {}\n  }}", members.join(",\n    "))
}

fn package_text(package: &ProjectPackage, version: &str) -> String {
    let version = package.version.as_deref().unwrap_or(version);
    let members = [
        format!("\"registryType\": {}", quoted(package.registry_type)),
        format!("\"identifier\": {}", quoted(package.name.as_deref().unwrap_or_default())),
        format!("\"version\": {}", quoted(version)),
        "\"transport\": {\n        \"type\": \"stdio\"\n      }".to_owned(),
    ];
    format!("    {{\n      {}\n    }}", members.join(",\n      "))
}

#[cfg(test)]
mod tests {
    use facets_model::server_json::check;

    use super::*;

    fn package(registry_type: &'static str, mcp_name: Option<&str>) -> ProjectPackage {
        ProjectPackage {
            registry_type,
            name: Some("weather-mcp".to_owned()),
            version: Some("1.2.3".to_owned()),
            description: Some("x".repeat(200)),
            mcp_name: mcp_name.map(str::to_owned),
        }
    }

    #[test]
    fn what_is_written_is_valid() {
        let repository = SourceRepository {
            source: "github",
            owner: "example".to_owned(),
            name: "weather".to_owned(),
            subfolder: "src/weather".to_owned(),
        };
        let named =
            draft(vec![package("npm", Some("io.github.ab/cd")), package("pypi", None)], None);
        let guessed = draft(vec![package("pypi", None)], Some(repository));
        let bare = draft(Vec::new(), None);
        for draft in [&named, &guessed, &bare] {
            assert_eq!(check(&draft.text()), Vec::new(), "{}", draft.text());
        }
        assert_eq!(named.name, "io.github.ab/cd");
        assert_eq!(guessed.name, "io.github.example/weather");
        assert_eq!(bare.name, "com.example/server");
        assert_eq!(named.notes.len(), 1);
    }
}
