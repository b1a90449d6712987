//! All files of a tree that are not left out, in the order of their paths.

use std::os::fd::OwnedFd;

use facets_model::ArtifactPath;
use rustix::fs::{AtFlags, Dir, FileType, statat};
use rustix::io::Errno;

use super::file::{FileContent, SourceFile};
use super::problems::{not_opened, unreadable};
use super::source_tree::SourceTree;
use crate::error::{ArchiveError, TreeError, TreeProblem, TreeProblemKind};
use crate::folder::open_folder;
use crate::ignore::{IgnoreFile, IgnoredBy, PathKind, find_ignored};

/// spec 4.2: what no archive has.
const ALWAYS_LEFT_OUT: [&str; 2] = [".git", "node_modules"];

/// spec 4.2: endings of what `facet build` writes, so that one build does not pack the result of another.
const BUILT: [&str; 2] = [".facet", ".server.tar.gz"];

/// Files with patterns: the first one that the root has.
const IGNORE_FILES: [&str; 2] = [".facetignore", ".gitignore"];
const LARGEST_IGNORE_FILE: u64 = 1 << 20;

/// So many problems are listed.
const MOST_PROBLEMS: usize = 1000;

/// Whether a file at this path below the root is left out because it is a result of `facet build`.
#[must_use]
pub fn is_build_output(path: &str) -> bool {
    let has_ending = |ending: &&str| path.len() > ending.len() && path.ends_with(*ending);
    !path.contains('/') && BUILT.iter().any(has_ending)
}

/// Takes the files of a tree.
pub(crate) trait TreeVisitor {
    /// The next file, in the order of the bytes of paths.
    fn file(&mut self, path: ArtifactPath, content: FileContent) -> Result<(), ArchiveError>;
}

/// Something that is left out; a directory has a slash at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SkippedPath {
    pub(crate) path: String,
    /// The pattern; none for what is always left out.
    pub(crate) by: Option<IgnoredBy>,
}

/// What was not given to the visitor.
#[derive(Debug, Default)]
pub(crate) struct WalkReport {
    pub(crate) skipped: Vec<SkippedPath>,
    pub(crate) problems: Vec<TreeProblem>,
}

/// A name in a directory.
struct ListedName {
    name: String,
    kind: FileType,
}

impl ListedName {
    /// Sorted by this, the files below directories come in the order of the bytes of their paths.
    fn sort_key(&self) -> impl Iterator<Item = u8> {
        let slash = (self.kind == FileType::Directory).then_some(b'/');
        self.name.bytes().chain(slash)
    }
}

/// Gives all files to the visitor. `kept` is a path that no pattern leaves out.
pub(crate) fn walk(
    tree: &SourceTree,
    kept: &str,
    visitor: &mut dyn TreeVisitor,
) -> Result<WalkReport, ArchiveError> {
    let root = tree.open_root()?;
    let mut walker = TreeWalk {
        tree,
        kept,
        ignore_name: "",
        rules: Vec::new(),
        report: WalkReport::default(),
        visitor,
    };
    let names = walker.list(&root, "")?;
    let has = |name: &&&str| names.iter().any(|listed| listed.name == ***name);
    walker.ignore_name = IGNORE_FILES.iter().find(has).copied().unwrap_or_default();
    walker.folder(&root, "", names)?;
    Ok(walker.report)
}

struct TreeWalk<'w> {
    tree: &'w SourceTree,
    kept: &'w str,
    ignore_name: &'static str,
    /// Those of the directories from the root to the current one.
    rules: Vec<IgnoreFile>,
    report: WalkReport,
    visitor: &'w mut dyn TreeVisitor,
}

impl TreeWalk<'_> {
    /// The names in a directory, sorted.
    fn list(&mut self, folder: &OwnedFd, prefix: &str) -> Result<Vec<ListedName>, ArchiveError> {
        let full = self.tree.full(prefix);
        let failed = |error: Errno| unreadable(&full)(error.into());
        let mut names = Vec::new();
        for entry in Dir::read_from(folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name();
            if name == c"." || name == c".." {
                continue;
            }
            let Ok(text) = name.to_str() else {
                let path = format!("{prefix}{}", name.to_string_lossy());
                self.add_problem(TreeProblem { path, kind: TreeProblemKind::NotUtf8 });
                continue;
            };
            let kind = match entry.file_type() {
                FileType::Unknown => {
                    let stat = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).map_err(failed)?;
                    FileType::from_raw_mode(stat.st_mode)
                }
                known => known,
            };
            names.push(ListedName { name: text.to_owned(), kind });
        }
        names.sort_by(|one, other| one.sort_key().cmp(other.sort_key()));
        Ok(names)
    }

    /// Recursive, but never deeper than the longest path has segments.
    fn folder(
        &mut self,
        folder: &OwnedFd,
        prefix: &str,
        names: Vec<ListedName>,
    ) -> Result<(), ArchiveError> {
        let depth = self.rules.len();
        let mut ignore_file = self.read_ignore_file(folder, prefix, &names)?;
        for listed in names {
            let path = format!("{prefix}{}", listed.name);
            let already_read =
                if listed.name == self.ignore_name { ignore_file.take() } else { None };
            let result = self.entry(folder, &listed, &path, already_read);
            self.collect(result)?;
        }
        self.rules.truncate(depth);
        Ok(())
    }

    /// Reads the patterns of a directory. The file itself is packed as well, and is not opened again.
    fn read_ignore_file(
        &mut self,
        folder: &OwnedFd,
        prefix: &str,
        names: &[ListedName],
    ) -> Result<Option<FileContent>, ArchiveError> {
        let name = self.ignore_name;
        let Some(listed) = names.iter().find(|listed| listed.name == name) else {
            return Ok(None);
        };
        let path = format!("{prefix}{name}");
        if listed.kind != FileType::RegularFile {
            return Ok(self.refuse_ignore_file(path, "not a regular file"));
        }
        let Some(file) = SourceFile::open(folder, name, &path, self.tree.full(&path))? else {
            return Ok(self.refuse_ignore_file(path, "removed while the tree was read"));
        };
        if file.size() > LARGEST_IGNORE_FILE {
            return Ok(self.refuse_ignore_file(path, "larger than 1 MiB"));
        }
        let mode = file.mode();
        let bytes = file.read_all(&path, LARGEST_IGNORE_FILE)?;
        self.rules.push(IgnoreFile::parse(prefix, name, &bytes));
        Ok(Some(FileContent::Read { bytes, mode }))
    }

    fn refuse_ignore_file(&mut self, path: String, reason: &'static str) -> Option<FileContent> {
        self.add_problem(TreeProblem { path, kind: TreeProblemKind::IgnoreFile { reason } });
        None
    }

    fn entry(
        &mut self,
        folder: &OwnedFd,
        listed: &ListedName,
        path: &str,
        already_read: Option<FileContent>,
    ) -> Result<(), ArchiveError> {
        if self.is_skipped(listed, path) {
            return Ok(());
        }
        let problem = match listed.kind {
            FileType::Symlink => TreeProblemKind::Symlink,
            FileType::RegularFile | FileType::Directory => match path.parse::<ArtifactPath>() {
                Ok(valid) if listed.kind == FileType::Directory => {
                    return self.enter(folder, &listed.name, valid.as_str());
                }
                Ok(valid) => return self.take(folder, &listed.name, valid, already_read),
                Err(problem) => TreeProblemKind::Path(problem),
            },
            _ => TreeProblemKind::SpecialFile,
        };
        self.add_problem(TreeProblem { path: path.to_owned(), kind: problem });
        Ok(())
    }

    /// Whether something is left out, which is then listed.
    fn is_skipped(&mut self, listed: &ListedName, path: &str) -> bool {
        let is_directory = listed.kind == FileType::Directory;
        let kind = if is_directory { PathKind::Directory } else { PathKind::Other };
        let is_built = listed.kind == FileType::RegularFile && is_build_output(path);
        let by = if is_built || ALWAYS_LEFT_OUT.contains(&listed.name.as_str()) {
            None
        } else if path == self.kept {
            return false;
        } else {
            let Some(by) = find_ignored(&self.rules, path, kind) else { return false };
            Some(by)
        };
        let slash = if is_directory { "/" } else { "" };
        self.report.skipped.push(SkippedPath { path: format!("{path}{slash}"), by });
        true
    }

    fn enter(&mut self, parent: &OwnedFd, name: &str, path: &str) -> Result<(), ArchiveError> {
        let folder = open_folder(parent, name)
            .map_err(|error| not_opened(path, &self.tree.full(path), error))?;
        let prefix = format!("{path}/");
        let names = self.list(&folder, &prefix)?;
        self.folder(&folder, &prefix, names)
    }

    fn take(
        &mut self,
        folder: &OwnedFd,
        name: &str,
        path: ArtifactPath,
        already_read: Option<FileContent>,
    ) -> Result<(), ArchiveError> {
        if let Some(content) = already_read {
            return self.visitor.file(path, content);
        }
        let full = self.tree.full(path.as_str());
        match SourceFile::open(folder, name, path.as_str(), full.clone())? {
            Some(file) => self.visitor.file(path, FileContent::Opened(file)),
            None => Err(TreeError::Changed { path: full }.into()),
        }
    }

    /// What is wrong with one file does not hide what is wrong with others.
    fn collect(&mut self, result: Result<(), ArchiveError>) -> Result<(), ArchiveError> {
        match result {
            Err(ArchiveError::Tree(TreeError::Refused { problems })) => {
                for problem in problems {
                    self.add_problem(problem);
                }
                Ok(())
            }
            other => other,
        }
    }

    fn add_problem(&mut self, problem: TreeProblem) {
        if self.report.problems.len() < MOST_PROBLEMS {
            self.report.problems.push(problem);
        }
    }
}
