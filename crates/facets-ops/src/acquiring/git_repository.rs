//! A facet in a git repository: one commit is fetched, and the files of the facet are read from it as they are
//! stored there. Nothing is checked out, so no filter, hook or link of a repository has any effect.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use facets_model::ArtifactPath;
use facets_model::manifest::parse_facet;
use facets_model::tree::{MANIFEST_LIMITS, ManifestFormat};
use tempfile::TempDir;

use super::git_program::{GitLimits, git, git_remote, output, run_limited};
use crate::manifest_names::MANIFESTS;

/// Bytes of all files of a facet together.
const MOST_BYTES: u64 = 256 << 20;

/// Paths that are looked up by one command.
const PATHS_AT_ONCE: usize = 500;

/// Where git puts the commit that it fetched.
const FETCHED: &str = "FETCH_HEAD";

/// Which commit is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GitPoint<'p> {
    /// That of the default branch.
    Head,
    /// That of a branch, a tag, or one by its hash.
    Reference(&'p str),
    /// Exactly this one.
    Commit(&'p str),
}

/// One commit of a repository, in a folder that goes when this is dropped.
pub(super) struct GitRepository {
    folder: TempDir,
    /// In lower-case hex.
    pub(super) commit: String,
}

/// The address that git is given: `github:owner/repository` is a short one.
pub(super) fn clone_address(url: &str) -> String {
    match url.strip_prefix("github:") {
        Some(repository) => {
            format!("https://github.com/{}.git", repository.trim_end_matches(".git"))
        }
        None => url.to_owned(),
    }
}

/// An address for people: without credentials.
pub(super) fn shown_address(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    format!("{scheme}://{host}/{path}")
}

impl GitRepository {
    /// Fetches one commit. An error is in words.
    pub(super) fn fetch(
        url: &str,
        point: GitPoint<'_>,
        limits: &GitLimits,
    ) -> Result<Self, String> {
        let mut this = Self::empty()?;
        this.commit = match point {
            GitPoint::Head => this.fetch_one(url, "HEAD", limits)?,
            GitPoint::Reference(reference) => this.fetch_one(url, reference, limits)?,
            GitPoint::Commit(commit) => this.fetch_commit(url, commit, limits)?,
        };
        Ok(this)
    }

    /// One without any commit, for questions about others.
    pub(super) fn empty() -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let this = Self { folder, commit: String::new() };
        let mut init = git(&this.directory());
        init.args(["init", "--quiet", "--bare", "--template=", "--initial-branch=none"]);
        output(init)?;
        Ok(this)
    }

    /// Where everything of it lies.
    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn directory(&self) -> PathBuf {
        self.folder.path().join("repository")
    }

    /// Fetches what a name, or a whole hash, stands for there.
    fn fetch_one(&self, url: &str, what: &str, limits: &GitLimits) -> Result<String, String> {
        self.run_fetch(url, &["--depth=1"], &[what], limits)?;
        self.commit_of(FETCHED)
    }

    /// Fetches a commit by its hash. A server that does not give single commits, and a hash that is short, need
    /// the history.
    fn fetch_commit(&self, url: &str, commit: &str, limits: &GitLimits) -> Result<String, String> {
        let is_whole = matches!(commit.len(), 40 | 64);
        let first = if is_whole { self.fetch_one(url, commit, limits).err() } else { None };
        if is_whole && first.is_none() {
            return self.require_commit(commit);
        }
        let all = ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"];
        self.run_fetch(url, &[], &all, limits).map_err(|error| first.unwrap_or(error))?;
        self.require_commit(commit)
    }

    fn require_commit(&self, commit: &str) -> Result<String, String> {
        let found = self.commit_of(commit).map_err(|_| format!("it has no commit {commit}"))?;
        if found.starts_with(commit) {
            Ok(found)
        } else {
            Err(format!("it has no commit {commit}"))
        }
    }

    fn run_fetch(
        &self,
        url: &str,
        options: &[&str],
        references: &[&str],
        limits: &GitLimits,
    ) -> Result<(), String> {
        let mut fetch = git_remote(&self.directory());
        fetch.args(["fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--force"]);
        fetch.args(["--no-auto-maintenance", "--update-head-ok"]).args(options);
        fetch.args(["--end-of-options", url]).args(references);
        run_limited(fetch, self.folder.path(), limits)
    }

    fn commit_of(&self, what: &str) -> Result<String, String> {
        let mut parse = git(&self.directory());
        let commit = format!("{what}^{{commit}}");
        parse.args(["rev-parse", "--verify", "--quiet", "--end-of-options", &commit]);
        let found = output(parse).map_err(|_| format!("{what} is not a commit"))?;
        Ok(String::from_utf8_lossy(&found).trim().to_ascii_lowercase())
    }

    /// Writes the manifest in the root, and the files that it names, into an empty directory.
    pub(super) fn write_facet(&self, directory: &Path) -> Result<(), String> {
        let mut files = BTreeSet::new();
        for manifest in self.entries(&MANIFESTS)? {
            manifest.require_size(MANIFEST_LIMITS.bytes as u64)?;
            let bytes = self.contents(std::slice::from_ref(&manifest))?.remove(0);
            write(directory, &manifest.path, &bytes)?;
            files.extend(named_files(&manifest.path, &bytes));
        }
        let paths: Vec<&str> = files.iter().map(String::as_str).collect();
        let mut total = 0_u64;
        for paths in paths.chunks(PATHS_AT_ONCE) {
            let entries = self.entries(paths)?;
            total += entries.iter().map(|entry| entry.size).sum::<u64>();
            if total > MOST_BYTES {
                return Err(format!("its files have more than {MOST_BYTES} bytes"));
            }
            for (entry, bytes) in entries.iter().zip(self.contents(&entries)?) {
                write(directory, &entry.path, &bytes)?;
            }
        }
        Ok(())
    }

    /// Those of these paths that are files. What is absent is reported when the facet is built.
    fn entries(&self, paths: &[&str]) -> Result<Vec<GitFile>, String> {
        let mut list = git(&self.directory());
        list.args(["ls-tree", "-z", "--long", "--full-tree", &self.commit, "--"]).args(paths);
        let listed = output(list)?;
        let lines = listed.split(|byte| *byte == 0).filter(|line| !line.is_empty());
        let mut found = Vec::new();
        for line in lines {
            let file = GitFile::parse(&String::from_utf8_lossy(line))?;
            // A directory in the place of a file is none.
            found.extend(file.filter(|file| paths.contains(&file.path.as_str())));
        }
        Ok(found)
    }

    /// The bytes of files, as they are stored.
    fn contents(&self, files: &[GitFile]) -> Result<Vec<Vec<u8>>, String> {
        let mut asked = tempfile::tempfile().map_err(|error| error.to_string())?;
        let hashes: String = files.iter().map(|file| format!("{}\n", file.hash)).collect();
        rewritten(&mut asked, &hashes).map_err(|error| error.to_string())?;
        let mut cat = git(&self.directory());
        cat.args(["cat-file", "--batch"]).stdin(asked);
        let all = output(cat)?;
        let (mut rest, mut found) = (all.as_slice(), Vec::new());
        for file in files {
            let (bytes, after) = file.take(rest).ok_or("git printed something else than files")?;
            found.push(bytes.to_vec());
            rest = after;
        }
        Ok(found)
    }
}

fn rewritten(file: &mut File, text: &str) -> io::Result<()> {
    file.write_all(text.as_bytes())?;
    file.rewind()
}

/// A file of a commit.
struct GitFile {
    path: String,
    hash: String,
    size: u64,
}

impl GitFile {
    /// Reads `MODE TYPE HASH SIZE<tab>PATH`; none if it is a directory.
    fn parse(line: &str) -> Result<Option<Self>, String> {
        let unknown = || "git printed an unknown list of files".to_owned();
        let (words, path) = line.split_once('\t').ok_or_else(unknown)?;
        let words: Vec<&str> = words.split_whitespace().collect();
        let [mode, kind, hash, size] = words[..] else { return Err(unknown()) };
        match (mode, kind) {
            ("120000", _) => return Err(format!("{path} is a symbolic link")),
            (_, "commit") => return Err(format!("{path} is a submodule")),
            (_, "tree") => return Ok(None),
            _ => {}
        }
        let size = size.parse().map_err(|_| unknown())?;
        Ok(Some(Self { path: path.to_owned(), hash: hash.to_owned(), size }))
    }

    fn require_size(&self, limit: u64) -> Result<(), String> {
        if self.size <= limit {
            return Ok(());
        }
        Err(format!("{} is larger than {limit} bytes", self.path))
    }

    /// Takes this file from what `cat-file --batch` printed.
    fn take<'b>(&self, printed: &'b [u8]) -> Option<(&'b [u8], &'b [u8])> {
        let head = format!("{} blob {}\n", self.hash, self.size);
        let rest = printed.strip_prefix(head.as_bytes())?;
        let (bytes, rest) = rest.split_at_checked(usize::try_from(self.size).ok()?)?;
        Some((bytes, rest.strip_prefix(b"\n")?))
    }
}

/// The files that a manifest names. Problems of the manifest are reported when the facet is built.
fn named_files(manifest: &str, bytes: &[u8]) -> Vec<String> {
    let format = match manifest {
        "facet.json" => ManifestFormat::Json,
        "facet.yaml" => ManifestFormat::Yaml,
        _ => return Vec::new(),
    };
    parse_facet(bytes, format).files.into_iter().map(|file| file.path).collect()
}

fn write(directory: &Path, path: &str, bytes: &[u8]) -> Result<(), String> {
    // A path that no archive may have is not written either.
    let path: ArtifactPath = path.parse().map_err(|_| format!("{path:?} is not a valid path"))?;
    let place = directory.join(path.as_str());
    let written = match place.parent() {
        Some(parent) => fs::create_dir_all(parent).and_then(|()| fs::write(&place, bytes)),
        None => fs::write(&place, bytes),
    };
    written.map_err(|error| format!("{path} cannot be written: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_address_is_one_of_github() {
        assert_eq!(clone_address("github:acme/viper"), "https://github.com/acme/viper.git");
        assert_eq!(clone_address("github:acme/viper.git"), "https://github.com/acme/viper.git");
        assert_eq!(clone_address("git@host:a/b.git"), "git@host:a/b.git");
    }

    #[test]
    fn an_address_is_shown_without_credentials() {
        for (url, shown) in [
            ("https://me:secret@h.example/a.git", "https://h.example/a.git"),
            ("https://h.example:8443/a@b.git", "https://h.example:8443/a@b.git"),
            ("ssh://git@h.example/a.git", "ssh://h.example/a.git"),
            ("git@h.example:a.git", "git@h.example:a.git"),
        ] {
            assert_eq!(shown_address(url), shown);
        }
    }

    #[test]
    fn links_and_submodules_are_not_files() {
        let parse = |line: &str| GitFile::parse(line);
        let file = parse("100644 blob abc      12\tfacet.json").unwrap().unwrap();
        assert_eq!((file.path.as_str(), file.hash.as_str(), file.size), ("facet.json", "abc", 12));
        assert!(parse("040000 tree abc       -\tskills").unwrap().is_none());
        assert!(parse("120000 blob abc       3\tz").is_err_and(|error| error.contains("link")));
        assert!(
            parse("160000 commit abc     -\tz").is_err_and(|error| error.contains("submodule"))
        );
        assert!(parse("100644 blob\tz").is_err());
    }

    #[test]
    fn printed_files_are_taken_one_after_the_other() {
        let file = GitFile { path: "z".to_owned(), hash: "abc".to_owned(), size: 3 };
        let printed = b"abc blob 3\n\n\n\n\nrest";
        assert_eq!(file.take(printed), Some((&b"\n\n\n"[..], &b"rest"[..])));
        assert_eq!(file.take(b"abc blob 4\nabcd\n"), None);
        assert_eq!(file.take(b"abc blob 3\nab"), None);
        assert_eq!(file.take(b"abc missing\n"), None);
    }
}
