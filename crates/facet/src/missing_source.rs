//! The path of a server that was mistyped.

use std::fs;
use std::path::Path;

use facets_failure::{shell_word, similar_names};
use facets_ops::{ArtifactError, OpsError};

use crate::args::{Add, Command};
use crate::local_source::{is_archive, is_path};
use crate::registry_source::registry_name;

/// Refuses to add a server whose directory or archive does not exist, which would be taken for a URL. To be
/// asked where it was typed.
pub(crate) fn refuse_missing(command: &Command) -> Result<(), OpsError> {
    let Command::Add(Add { name, url: Some(word), .. }) = command else { return Ok(()) };
    let path = Path::new(word);
    // What cannot be looked at may exist.
    if word.contains("://") || path.try_exists().unwrap_or(true) {
        return Ok(());
    }
    let similar = similar_server(path);
    // A name with a version is one of a registry.
    if !is_path(word) && registry_name(word).is_some_and(|name| name.version.is_some()) {
        return Ok(());
    }
    // A name alone may be a command, and one with a dot or a port a host.
    if !is_path(word) && (similar.is_none() || word.contains(['.', ':'])) {
        return Ok(());
    }
    let next = match similar {
        Some(meant) => format!("facet add {name} {}", shell_word(Path::new(&meant))),
        None if is_archive(word) => "facet explain artifact-source-missing".to_owned(),
        None => format!("facet init server {}", shell_word(path)),
    };
    Err(ArtifactError::SourceMissing { path: path.to_owned(), next }.into())
}

/// A server beside a path whose name is similar.
fn similar_server(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let folder = path.parent()?;
    let listed = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let names = fs::read_dir(listed).ok()?.flatten();
    let names = names.filter_map(|entry| entry.file_name().into_string().ok());
    let names: Vec<String> = names.filter(|name| is_server(&listed.join(name))).collect();
    let similar = similar_names(name, names.iter().map(String::as_str));
    folder.join(similar.first()?).into_os_string().into_string().ok()
}

/// Whether a path can be added: not any directory, but one of a server.
fn is_server(path: &Path) -> bool {
    let is_archive = path.to_str().is_some_and(is_archive) && path.is_file();
    is_archive || path.join("server.yaml").is_file()
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;
    use facets_failure::Describe as _;

    use super::*;
    use crate::args::Args;

    /// Code and next step of what was typed, if that is refused.
    fn refused(word: &str) -> Option<(&'static str, String)> {
        let args = Args::try_parse_from(["facet", "add", "zz", word]).unwrap();
        let error = refuse_missing(&args.command).err()?;
        Some((error.code(), error.next()))
    }

    #[test]
    fn a_path_that_does_not_exist_is_no_url() {
        let place = tempfile::tempdir().unwrap();
        let missing = place.path().join("nothere").display().to_string();
        let next = format!("facet init server {missing}");
        assert_eq!(refused(&missing), Some(("artifact-source-missing", next)));
        let archive = format!("{missing}.server.tar.gz");
        assert_eq!(refused(&archive).unwrap().0, "artifact-source-missing");
        let server = place.path().join("not-here");
        fs::create_dir(&server).unwrap();
        fs::write(server.join("server.yaml"), "").unwrap();
        let next = format!("facet add zz {}", server.display());
        assert_eq!(refused(&missing), Some(("artifact-source-missing", next)));
        for other in [
            server.to_str().unwrap(),
            "https://mcp.example.com/a.server.tar.gz",
            "localhost:3000/mcp",
            "npx",
        ] {
            assert_eq!(refused(other), None, "{other}");
        }
    }
}
