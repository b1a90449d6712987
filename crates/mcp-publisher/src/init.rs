//! `mcp-publisher init`: a first `server.json`, from what the project already says.

use std::path::{Path, PathBuf};

use facets_digest::json::quoted;
use facets_files::{Placement, write_atomically};
use facets_model::ImageReference;
use facets_model::server_json::CURRENT_SCHEMA;

use crate::error::PublisherError;
use crate::project_files::{
    ProjectPackage, SourceRepository, read_image_label, read_package_json, read_pyproject,
    read_repository,
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

/// What the files of a project say.
#[derive(Default)]
struct Findings {
    packages: Vec<ProjectPackage>,
    /// The server that its image is labelled with.
    image_label: Option<String>,
    repository: Option<SourceRepository>,
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
    let packages = [read_package_json(folder)?, read_pyproject(folder)?];
    let draft = draft(Findings {
        packages: packages.into_iter().flatten().collect(),
        image_label: read_image_label(folder),
        repository: read_repository(folder),
    });
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

fn draft(findings: Findings) -> Draft {
    let Findings { packages, image_label, repository } = findings;
    let mut notes = Vec::new();
    let (packages, nameless): (Vec<_>, Vec<_>) =
        packages.into_iter().partition(|package| package.name.is_some());
    for package in nameless {
        notes.push(format!("the {} package has no name and was left out", package.registry_type));
    }
    let first = |part: fn(&ProjectPackage) -> Option<&String>| {
        packages.iter().find_map(|package| part(package).cloned())
    };
    let stated = first(|package| package.mcp_name.as_ref()).or_else(|| image_label.clone());
    let name = stated.unwrap_or_else(|| {
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
    let mut draft = Draft { name, description: shortened, version, repository, packages, notes };
    if let Some(label) = image_label {
        draft.add_image(&label);
    }
    if draft.packages.is_empty() {
        draft.notes.push("no package was found: add `packages` or `remotes`".to_owned());
    }
    draft
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

/// Where the image of a project may be: at GitHub, as the repository says, or the name of the server.
fn guessed_image(
    server: &str,
    repository: Option<&SourceRepository>,
    version: &str,
) -> Option<String> {
    let hosted = repository.filter(|repository| repository.source == "github");
    let of_repository = hosted.map(|repository| (&*repository.owner, &*repository.name));
    let of_server = || server.strip_prefix("io.github.")?.split_once('/');
    let (owner, name) = of_repository.or_else(of_server)?;
    // Registries of images know no upper case in names, and no `+` in tags.
    let path = format!("{owner}/{name}").to_ascii_lowercase();
    let image = format!("ghcr.io/{path}:{}", version.replace('+', "-"));
    image.parse::<ImageReference>().is_ok().then_some(image)
}

impl Draft {
    /// Adds the image that `Dockerfile` labels. Its address is in no file of the project.
    fn add_image(&mut self, label: &str) {
        if label != self.name {
            let name = &self.name;
            self.notes.push(format!("the Dockerfile labels its image {label} instead of {name}"));
        }
        let image = guessed_image(label, self.repository.as_ref(), &self.version);
        let Some(image) = image else {
            let fix = "add a package of type oci with the address of the image";
            self.notes.push(format!("the Dockerfile labels its image {label}: {fix}"));
            return;
        };
        self.notes.push(format!("the image {image} is a guess; write where you push it to"));
        self.packages.push(ProjectPackage {
            registry_type: "oci",
            name: Some(image),
            version: None,
            description: None,
            mcp_name: Some(label.to_owned()),
        });
    }

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
    let mut members = vec![
        format!("\"registryType\": {}", quoted(package.registry_type)),
        format!("\"identifier\": {}", quoted(package.name.as_deref().unwrap_or_default())),
    ];
    // The tag of an image is its version, and the registry refuses another.
    if package.registry_type != "oci" {
        members.push(format!("\"version\": {}", quoted(version)));
    }
    members.push("\"transport\": {\n        \"type\": \"stdio\"\n      }".to_owned());
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

    fn repository(source: &'static str) -> SourceRepository {
        SourceRepository {
            source,
            owner: "Example".to_owned(),
            name: "weather".to_owned(),
            subfolder: "src/weather".to_owned(),
        }
    }

    #[test]
    fn what_is_written_is_valid() {
        let named = draft(Findings {
            packages: vec![package("npm", Some("io.github.ab/cd")), package("pypi", None)],
            ..Findings::default()
        });
        let guessed = draft(Findings {
            packages: vec![package("pypi", None)],
            repository: Some(repository("github")),
            ..Findings::default()
        });
        let bare = draft(Findings::default());
        for draft in [&named, &guessed, &bare] {
            assert_eq!(check(&draft.text()), Vec::new(), "{}", draft.text());
        }
        assert_eq!(named.name, "io.github.ab/cd");
        assert_eq!(guessed.name, "io.github.Example/weather");
        assert_eq!(bare.name, "com.example/server");
        assert_eq!(named.notes.len(), 1);
    }

    #[test]
    fn an_image_with_the_label_is_a_package_at_a_guessed_address() {
        let labelled = |source: Option<&'static str>, label: &str| {
            draft(Findings {
                packages: vec![package("npm", None)],
                image_label: Some(label.to_owned()),
                repository: source.map(repository),
            })
        };
        for (source, label, image) in [
            (Some("github"), "com.example/weather", Some("ghcr.io/example/weather:1.2.3")),
            (Some("gitlab"), "io.github.ab/CD", Some("ghcr.io/ab/cd:1.2.3")),
            (None, "io.github.ab/cd", Some("ghcr.io/ab/cd:1.2.3")),
            (None, "com.example/weather", None),
            (None, "io.github.ab/-", None),
        ] {
            let draft = labelled(source, label);
            assert_eq!(draft.name, label);
            let found = draft.packages.get(1).and_then(|package| package.name.as_deref());
            assert_eq!(found, image, "{label}");
            let is_said = draft.notes.iter().any(|note| note.contains("is a guess"));
            assert_eq!(is_said, image.is_some(), "{:?}", draft.notes);
            if image.is_some() {
                assert_eq!(check(&draft.text()), Vec::new(), "{}", draft.text());
            }
        }
    }

    #[test]
    fn an_image_of_another_server_is_said() {
        let draft = draft(Findings {
            packages: vec![package("npm", Some("io.github.ab/cd"))],
            image_label: Some("io.github.ab/ef".to_owned()),
            repository: None,
        });
        assert_eq!(draft.name, "io.github.ab/cd");
        let other = "labels its image io.github.ab/ef instead of io.github.ab/cd";
        assert!(draft.notes.iter().any(|note| note.contains(other)), "{:?}", draft.notes);
    }
}
