//! The repository that a folder was cloned from.

use std::path::{Path, PathBuf};

use facets_files::read_plain;

/// More than any configuration of a clone has.
const MOST: u64 = 4 << 20;

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

/// The repository that the clone around a folder calls `origin`.
pub(crate) fn read_repository(folder: &Path) -> Option<SourceRepository> {
    let folder = std::path::absolute(folder).ok()?;
    // The nearest one decides: the clone around a submodule is another project.
    let root = folder.ancestors().find(|root| root.join(".git").exists())?;
    let text = read_text(&git_folder(root)?.join("config"))?;
    let (source, owner, name) = origin_url(&text).and_then(parse_repository)?;
    let subfolder = folder.strip_prefix(root).unwrap_or(Path::new(""));
    Some(SourceRepository {
        source,
        owner: owner.to_owned(),
        name: name.to_owned(),
        subfolder: subfolder.to_string_lossy().replace('\\', "/"),
    })
}

/// The folder with the configuration of a clone. In a submodule and in a worktree `.git` is a file that
/// names one; that of a worktree names the folder of its clone in `commondir`.
fn git_folder(root: &Path) -> Option<PathBuf> {
    let git = root.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let text = read_text(&git)?;
    let folder = root.join(text.strip_prefix("gitdir:")?.trim());
    let common = read_text(&folder.join("commondir"));
    Some(common.map_or_else(|| folder.clone(), |common| folder.join(common.trim())))
}

/// What cannot be read is no clone that could help here.
fn read_text(path: &Path) -> Option<String> {
    let bytes = read_plain(path, MOST).ok().flatten()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
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
    // The part before the host may be a token.
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
    use std::fs;

    use super::*;

    fn write(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// The configuration of a clone of `github.com/o/NAME`.
    fn origin(name: &str) -> String {
        format!("[remote \"origin\"]\n\turl = https://github.com/o/{name}.git\n")
    }

    /// Name and subfolder of what a folder was cloned from.
    fn found(folder: &Path) -> Option<(String, String)> {
        read_repository(folder).map(|found| (found.name, found.subfolder))
    }

    fn pair(name: &str, subfolder: &str) -> (String, String) {
        (name.to_owned(), subfolder.to_owned())
    }

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
    fn a_worktree_has_the_remote_of_its_clone() {
        let folder = tempfile::tempdir().unwrap();
        let (clone, tree) = (folder.path().join("clone"), folder.path().join("tree"));
        let own = clone.join(".git/worktrees/tree");
        write(&clone.join(".git/config"), &origin("r"));
        write(&own.join("commondir"), "../..\n");
        write(&tree.join(".git"), &format!("gitdir: {}\n", own.display()));
        fs::create_dir_all(tree.join("src/server")).unwrap();
        assert_eq!(found(&clone), Some(pair("r", "")));
        assert_eq!(found(&tree.join("src/server")), Some(pair("r", "src/server")));
        fs::remove_dir_all(&clone).unwrap();
        assert_eq!(found(&tree), None);
    }

    #[test]
    fn a_submodule_has_its_own_remote() {
        let folder = tempfile::tempdir().unwrap();
        let outer = folder.path();
        write(&outer.join(".git/config"), &origin("outer"));
        write(&outer.join(".git/modules/inner/config"), &origin("inner"));
        write(&outer.join("inner/.git"), "gitdir: ../.git/modules/inner\n");
        write(&outer.join("broken/.git"), "no folder");
        assert_eq!(found(&outer.join("inner")), Some(pair("inner", "")));
        assert_eq!(found(&outer.join("other")), Some(pair("outer", "other")));
        assert_eq!(found(&outer.join("broken")), None);
    }
}
