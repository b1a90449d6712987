//! Whether a word that was typed names a server on this machine.

use std::path::Path;

use facets_model::LocalPath;

/// How the archive of a server ends.
const ARCHIVE: &str = ".server.tar.gz";

/// How other archives end: nobody means a command or an address by them.
const OTHER_ARCHIVES: [&str; 3] = [".facet", ".tar.gz", ".tgz"];

/// Whether a word names a server on this machine: a directory, or an archive.
pub(crate) fn is_local(word: &str) -> bool {
    let path = Path::new(word);
    let is_other_archive =
        || OTHER_ARCHIVES.iter().any(|ending| word.ends_with(ending)) && path.is_file();
    is_archive(word)
        || path.join("server.yaml").is_file()
        || (is_path(word) && path.is_dir())
        || is_other_archive()
}

/// Whether a word can only be a path, also if nothing is there.
pub(crate) fn is_path(word: &str) -> bool {
    LocalPath::is_meant_by(word) || matches!(word, "." | "..") || is_archive(word)
}

/// Whether a word is named as the archive of a server is.
pub(crate) fn is_archive(word: &str) -> bool {
    word.ends_with(ARCHIVE) && !word.contains("://")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn directories_with_a_manifest_and_archives_are_local_and_addresses_are_not() {
        let place = tempfile::tempdir().unwrap();
        let server = place.path().join("server");
        std::fs::create_dir(&server).unwrap();
        std::fs::write(server.join("server.yaml"), "").unwrap();
        assert!(is_local(server.to_str().unwrap()));
        assert!(is_local(".") && is_local("a.server.tar.gz"));
        for other in [
            "https://mcp.example.com/",
            "localhost:3000",
            "./missing",
            "https://a.example/a.server.tar.gz",
        ] {
            assert!(!is_local(other), "{other}");
        }
    }
}
