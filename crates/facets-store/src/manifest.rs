//! The list of everything in a tree. Its digest is the digest of the tree.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use facets_digest::Digest;

use crate::error::StoreError;
use crate::limits::StoreLimits;
use crate::stamp::{EXECUTABLE, PLAIN};

/// spec 1.5: the file begins with the line that every preimage of ours has
const DOMAIN: &str = "facets:tree:v1\n";

/// The longest name that file systems have.
const NAME: usize = 255;

/// Whether a file is a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileMode {
    /// A file to read.
    Plain,
    /// A file to start.
    Executable,
}

impl FileMode {
    /// As archives have it (spec 4.2).
    const fn word(self) -> &'static str {
        match self {
            Self::Plain => "644",
            Self::Executable => "755",
        }
    }

    fn parse(word: &str) -> Option<Self> {
        [Self::Plain, Self::Executable].into_iter().find(|mode| mode.word() == word)
    }

    /// As stored: read-only.
    pub(crate) const fn permissions(self) -> u32 {
        match self {
            Self::Plain => PLAIN,
            Self::Executable => EXECUTABLE,
        }
    }
}

/// One file or directory of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeItem {
    /// A directory.
    Directory,
    /// A regular file.
    File {
        /// SHA-256 of its bytes.
        digest: Digest,
        /// How many there are.
        size: u64,
        /// Whether it is a program.
        mode: FileMode,
    },
}

/// Everything in a tree, by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TreeManifest {
    items: BTreeMap<String, TreeItem>,
}

impl TreeManifest {
    pub(crate) fn new(items: BTreeMap<String, TreeItem>) -> Self {
        Self { items }
    }

    /// The manifest of a tree with these files, and with the directories that their paths name.
    #[must_use]
    pub fn of_files<'f>(files: impl IntoIterator<Item = (&'f str, TreeItem)>) -> Self {
        let mut items = BTreeMap::new();
        for (path, item) in files {
            for (end, _) in path.match_indices('/') {
                items.entry(path[..end].to_owned()).or_insert(TreeItem::Directory);
            }
            items.insert(path.to_owned(), item);
        }
        Self { items }
    }

    /// Every file and directory, in the order of the bytes of their paths.
    pub fn items(&self) -> impl Iterator<Item = (&str, &TreeItem)> {
        self.items.iter().map(|(path, item)| (path.as_str(), item))
    }

    /// The file or directory of a path, if the tree has it.
    #[must_use]
    pub fn item(&self, path: &str) -> Option<&TreeItem> {
        self.items.get(path)
    }

    /// How many bytes all files have.
    #[must_use]
    pub fn total(&self) -> u64 {
        let sizes = self.items.values().map(|item| match item {
            TreeItem::Directory => 0,
            TreeItem::File { size, .. } => *size,
        });
        sizes.fold(0, u64::saturating_add)
    }

    /// The digest of the tree.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of(self.to_text().as_bytes())
    }

    /// As it stands beside the tree: a line each.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = DOMAIN.to_owned();
        for (path, item) in &self.items {
            let _ = match item {
                TreeItem::Directory => writeln!(text, "d {path}"),
                TreeItem::File { digest, size, mode } => {
                    writeln!(text, "f {digest} {} {size} {path}", mode.word())
                }
            };
        }
        text
    }

    /// Reads what [`Self::to_text`] wrote; nothing if a byte of it differs.
    pub(crate) fn parse(bytes: &[u8], limits: &StoreLimits) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?;
        let lines = text.strip_prefix(DOMAIN)?.lines();
        let items: Option<BTreeMap<String, TreeItem>> = lines.map(parse_line).collect();
        let manifest = Self { items: items? };
        let is_sound = manifest.items.keys().all(|path| {
            let parent = path.rsplit_once('/').map(|(parent, _)| manifest.items.get(parent));
            check_path(path, limits).is_ok()
                && parent.is_none_or(|parent| parent == Some(&TreeItem::Directory))
        });
        // One spelling: another order, another number, a line twice, or none at the end is not ours.
        (is_sound && manifest.to_text() == text).then_some(manifest)
    }
}

fn parse_line(line: &str) -> Option<(String, TreeItem)> {
    if let Some(path) = line.strip_prefix("d ") {
        return Some((path.to_owned(), TreeItem::Directory));
    }
    let mut fields = line.strip_prefix("f ")?.splitn(4, ' ');
    let digest = fields.next()?.parse().ok()?;
    let mode = FileMode::parse(fields.next()?)?;
    let size = fields.next()?.parse().ok()?;
    Some((fields.next()?.to_owned(), TreeItem::File { digest, size, mode }))
}

/// Refuses paths that lead out of the tree or do not fit on one line of a manifest. Readers of archives refuse
/// more (spec 4.5).
pub(crate) fn check_path(path: &str, limits: &StoreLimits) -> Result<(), StoreError> {
    let refused = |reason| Err(StoreError::BadPath { path: path.to_owned(), reason });
    if path.len() > limits.path {
        return refused("it is too long");
    }
    if path.chars().any(|c| c.is_control() || c == '\\') {
        return refused("it has a control character or a backslash");
    }
    for name in path.split('/') {
        match name {
            "" => return refused("it is empty, absolute, or has an empty part"),
            "." | ".." => return refused("it has the part `.` or `..`"),
            name if name.len() > NAME => return refused("a part of it is too long"),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> TreeManifest {
        let file = |bytes: &[u8], mode| TreeItem::File {
            digest: Digest::of(bytes),
            size: bytes.len() as u64,
            mode,
        };
        let items = [
            ("bin", TreeItem::Directory),
            ("bin/run", file(b"#!", FileMode::Executable)),
            ("bin-a b", file(b"", FileMode::Plain)),
            ("empty", TreeItem::Directory),
        ];
        TreeManifest::new(items.map(|(path, item)| (path.to_owned(), item)).into())
    }

    #[test]
    fn files_bring_their_directories_along() {
        let known = sample();
        let files = known.items().filter(|(_, item)| **item != TreeItem::Directory);
        let made = TreeManifest::of_files(files.map(|(path, item)| (path, *item)));
        assert_eq!(made.item("bin"), Some(&TreeItem::Directory));
        assert_eq!(made.item("bin/run"), known.item("bin/run"));
        assert_eq!((made.item("empty"), made.items().count()), (None, 3));
    }

    #[test]
    fn a_manifest_is_a_sorted_list_whose_bytes_are_hashed() {
        let empty = Digest::of(b"");
        let program = Digest::of(b"#!");
        let text = format!(
            "facets:tree:v1\nd bin\nf {empty} 644 0 bin-a b\nf {program} 755 2 bin/run\nd empty\n"
        );
        let manifest = sample();
        assert_eq!(manifest.to_text(), text);
        assert_eq!(manifest.digest(), Digest::of(text.as_bytes()));
        assert_eq!(manifest.total(), 2);
        assert_eq!(manifest.item("empty"), Some(&TreeItem::Directory));
        let read = TreeManifest::parse(text.as_bytes(), &StoreLimits::default()).unwrap();
        assert_eq!(read, manifest);
        let none = TreeManifest::parse(b"facets:tree:v1\n", &StoreLimits::default()).unwrap();
        assert_eq!(none, TreeManifest::default());
    }

    #[test]
    fn another_spelling_is_no_manifest() {
        let text = sample().to_text();
        let refused = [
            String::new(),
            text.replace("tree:v1", "tree:v2"),
            text.replace("755 2 ", "755 +2 "),
            text.replace("755 2 ", "755 02 "),
            text.replace("755", "777"),
            text.replace("d bin\n", ""),
            text.replace("d empty\n", "d empty\nd empty\n"),
            text.replace("d empty\n", "d empty\nd also\n"),
            text.replace("d empty\n", "d empty"),
            text.replace("d empty\n", "d empty\r\n"),
            text.replace("d empty\n", "d ../empty\n"),
            text.replace("d empty\n", "d bin-a b/x\n"),
            text.replace("d empty\n", "x empty\n"),
            text.replace("sha256:", "sha512:"),
        ];
        for other in refused {
            let parsed = TreeManifest::parse(other.as_bytes(), &StoreLimits::default());
            assert_eq!(parsed, None, "{other}");
        }
        let no_text = TreeManifest::parse(b"facets:tree:v1\nd \xff\n", &StoreLimits::default());
        assert_eq!(no_text, None);
    }

    #[test]
    fn paths_that_lead_out_or_break_a_line_are_refused() {
        let limits = StoreLimits { path: 600, ..StoreLimits::default() };
        let long_name = "x".repeat(256);
        let long_path = ["x"; 301].join("/");
        let refused = [
            "",
            "/x",
            "x/",
            "x//y",
            ".",
            "..",
            "x/../y",
            "x/./y",
            "a\nd b",
            "a\0",
            "a\\b",
            "a\u{85}",
            long_name.as_str(),
            long_path.as_str(),
        ];
        for path in refused {
            let failed = check_path(path, &limits);
            assert!(matches!(failed, Err(StoreError::BadPath { .. })), "{path:?}");
        }
        for path in ["x", "..x", "x..", "a b/ö/日本", &long_name[1..], &long_path[2..]] {
            check_path(path, &limits).unwrap();
        }
    }
}
