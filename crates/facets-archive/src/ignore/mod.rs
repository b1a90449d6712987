//! Which files of a tree are left out: the patterns of `.facetignore` or `.gitignore`, as git reads them.
//!
//! Only files inside the tree count, never those of the user or of the machine, so the same tree gives the
//! same selection everywhere. The matcher is our own for that reason, and a test compares it with git.

mod class;
mod glob;

use glob::Glob;

/// A pattern, and where it stands.
#[derive(Clone, Debug)]
struct IgnoreRule {
    glob: Glob,
    /// `!`: what an earlier pattern left out is taken again.
    is_negated: bool,
    /// A slash at the end: directories only.
    only_directories: bool,
    /// A slash elsewhere: the whole path below the file, not only the name.
    is_anchored: bool,
    line: usize,
    text: String,
}

/// The patterns of one file.
#[derive(Clone, Debug)]
pub(crate) struct IgnoreFile {
    /// The directory it is in, with a slash at the end; empty for the root.
    base: String,
    /// Its path.
    path: String,
    rules: Vec<IgnoreRule>,
}

/// Why something is left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IgnoredBy {
    pub(crate) file: String,
    pub(crate) line: usize,
    pub(crate) pattern: String,
}

/// Whether a path is a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathKind {
    Directory,
    Other,
}

impl IgnoreFile {
    /// Reads the patterns of a file in the directory `base`.
    pub(crate) fn parse(base: &str, name: &str, bytes: &[u8]) -> Self {
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let lines = bytes.split(|&byte| byte == b'\n').enumerate();
        let rules = lines.filter_map(|(index, line)| IgnoreRule::parse(line, index + 1)).collect();
        Self { base: base.to_owned(), path: format!("{base}{name}"), rules }
    }

    /// The last pattern that matches a path below this file.
    fn find(&self, path: &str, kind: PathKind) -> Option<&IgnoreRule> {
        let below = path.strip_prefix(&self.base)?;
        let name = below.rsplit('/').next().unwrap_or(below);
        self.rules.iter().rev().find(|rule| {
            let target = if rule.is_anchored { below } else { name };
            (kind == PathKind::Directory || !rule.only_directories)
                && rule.glob.matches(target.as_bytes())
        })
    }
}

/// The pattern that leaves out a path, whose directories are all taken. `files` has those of all directories
/// above it, the root first: the nearest one decides.
pub(crate) fn find_ignored(files: &[IgnoreFile], path: &str, kind: PathKind) -> Option<IgnoredBy> {
    let mut deciding = files.iter().rev().filter_map(|file| Some((file, file.find(path, kind)?)));
    let (file, rule) = deciding.next()?;
    (!rule.is_negated).then(|| IgnoredBy {
        file: file.path.clone(),
        line: rule.line,
        pattern: rule.text.clone(),
    })
}

impl IgnoreRule {
    /// A pattern; nothing for a comment or a blank line.
    fn parse(line: &[u8], number: usize) -> Option<Self> {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.starts_with(b"#") {
            return None;
        }
        let text = trim_blanks(line);
        let (is_negated, pattern) = match text.strip_prefix(b"!") {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (only_directories, pattern) = match pattern.strip_suffix(b"/") {
            Some(rest) => (true, rest),
            None => (false, pattern),
        };
        let is_anchored = pattern.contains(&b'/');
        let pattern = pattern.strip_prefix(b"/").unwrap_or(pattern);
        if pattern.is_empty() {
            return None;
        }
        Some(Self {
            glob: Glob::parse(pattern),
            is_negated,
            only_directories,
            is_anchored,
            line: number,
            text: String::from_utf8_lossy(text).into_owned(),
        })
    }
}

/// Without blanks at the end, unless a backslash stands before them.
fn trim_blanks(line: &[u8]) -> &[u8] {
    let (mut at, mut end) = (0, 0);
    while at < line.len() {
        match line[at] {
            b'\\' => {
                at += 1;
                end = (at + 1).min(line.len());
            }
            b' ' => {}
            _ => end = at + 1,
        }
        at += 1;
    }
    &line[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ignored(patterns: &str, path: &str) -> bool {
        let files = [IgnoreFile::parse("", ".gitignore", patterns.as_bytes())];
        find_ignored(&files, path, PathKind::Other).is_some()
    }

    #[test]
    fn patterns_mean_what_they_mean_to_git() {
        for (patterns, path, expected) in [
            ("*.log", "a/b.log", true),
            ("/*.log", "a/b.log", false),
            ("a/*.log", "a/b.log", true),
            ("a/*", "a/b/c", false),
            ("a/**", "a/b/c", true),
            ("**/c", "a/b/c", true),
            ("a/**/c", "a/c", true),
            ("a**c", "a/c", false),
            ("*\n!keep", "keep", false),
            ("!keep\n*", "keep", true),
            ("# comment", "# comment", false),
            ("\\# comment", "# comment", true),
            ("\\!x", "!x", true),
            ("x   ", "x", true),
            ("x\\ ", "x ", true),
            ("x\r", "x", true),
            ("[a-c]x", "bx", true),
            ("[!a-c]x", "bx", false),
            ("[[:digit:]]", "5", true),
            ("[", "[", false),
            ("a\\", "a", false),
            ("build/", "build", false),
            ("", "a", false),
            ("/", "a", false),
            ("\u{feff}a", "a", true),
        ] {
            assert_eq!(ignored(patterns, path), expected, "{patterns:?} {path}");
        }
    }

    #[test]
    fn the_nearest_file_decides_and_says_where() {
        let files = [
            IgnoreFile::parse("", ".gitignore", b"*.log\nbuild/\n"),
            IgnoreFile::parse("a/", ".gitignore", b"!keep.log\n/x"),
        ];
        let find = |path, kind| find_ignored(&files, path, kind);
        assert_eq!(find("a/keep.log", PathKind::Other), None);
        assert!(find("keep.log", PathKind::Other).is_some());
        assert!(find("a/x", PathKind::Other).is_some());
        assert_eq!(find("a/b/x", PathKind::Other), None);
        let by = find("a/build", PathKind::Directory).unwrap();
        assert_eq!((&*by.file, by.line, &*by.pattern), (".gitignore", 2, "build/"));
    }
}
