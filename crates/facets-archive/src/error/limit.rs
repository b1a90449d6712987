//! More than is taken.

use facets_failure::Describe;

/// What there is too much of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitKind {
    /// Entries of an archive.
    Entries,
    /// Bytes of all paths together.
    PathBytes,
    /// Bytes of one path.
    Path,
    /// Bytes of one file.
    File,
    /// Bytes of the uncompressed archive.
    Total,
    /// Bytes of the archive as it is stored.
    Compressed,
    /// Bytes that come out for each that goes in.
    Ratio,
}

/// There is more than is taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", message(*kind, entry.as_deref()))]
pub struct LimitError {
    /// What there is too much of.
    pub kind: LimitKind,
    /// How much is taken.
    pub limit: u64,
    /// The entry, where it is one.
    pub entry: Option<String>,
}

impl LimitError {
    pub(crate) fn new(kind: LimitKind, limit: u64) -> Self {
        Self { kind, limit, entry: None }
    }

    pub(crate) fn of_entry(kind: LimitKind, limit: u64, entry: &str) -> Self {
        Self { kind, limit, entry: Some(entry.to_owned()) }
    }
}

fn message(kind: LimitKind, entry: Option<&str>) -> String {
    let what = match kind {
        LimitKind::Entries => "the archive has too many entries",
        LimitKind::PathBytes => "the paths of the archive are too long together",
        LimitKind::Path => "the path is too long",
        LimitKind::File => "the file is too large",
        LimitKind::Total => "the uncompressed archive is too large",
        LimitKind::Compressed => "the archive is too large",
        LimitKind::Ratio => "the archive expands too much",
    };
    match entry {
        Some(entry) => format!("{entry:?}: {what}"),
        None => what.to_owned(),
    }
}

impl Describe for LimitError {
    fn code(&self) -> &'static str {
        match self.kind {
            LimitKind::Entries | LimitKind::PathBytes => "archive-too-many-entries",
            LimitKind::Path => "archive-path-too-long",
            LimitKind::File => "archive-file-too-large",
            LimitKind::Total | LimitKind::Compressed => "archive-too-large",
            LimitKind::Ratio => "archive-ratio",
        }
    }

    fn expected(&self) -> Option<String> {
        let limit = self.limit;
        Some(match self.kind {
            LimitKind::Entries => format!("at most {limit} entries"),
            LimitKind::Ratio => format!("at most {limit} bytes for each compressed byte"),
            _ => format!("at most {limit} bytes"),
        })
    }

    fn actual(&self) -> Option<String> {
        Some("more".to_owned())
    }
}
