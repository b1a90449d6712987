//! Why a lock entry and its surface file cannot be used.

use facets_failure::LineColumn;
use facets_lock::LockError;
use facets_project::LOCK;
use facets_surface::SurfaceFileError;

/// What is wrong with a pair of a lock entry and a surface file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BrokenPin {
    /// The lock entry cannot be read.
    #[error("{}{problem}", before_problem(*place))]
    Entry {
        /// Where in the lock.
        place: Option<LineColumn>,
        /// What is wrong with it.
        problem: LockError,
        /// Whether the manifest alone says what it is.
        is_declared: bool,
    },
    /// The lock has no such entry, or not one of ours any more.
    #[error("the entry in facets.lock is missing or incomplete")]
    NoEntry,
    /// There is no surface file.
    #[error("{file} is missing")]
    NoSurfaceFile {
        /// Where it should be.
        file: String,
    },
    /// The surface file is not as facet wrote it.
    #[error("{file}: {source}")]
    SurfaceFile {
        /// The file.
        file: String,
        /// What is wrong with it.
        source: SurfaceFileError,
    },
    /// The entry names another file.
    #[error("`surface_file` in facets.lock is not {file}")]
    OtherSurfaceFile {
        /// The file that it has to name.
        file: String,
    },
    /// A hash in the lock is not that of the surface file.
    #[error("`{member}` in facets.lock does not match {file}")]
    Differs {
        /// Which hash.
        member: String,
        /// The file.
        file: String,
    },
    /// There is no closure file.
    #[error("{file} is missing")]
    NoClosureFile {
        /// Where it should be.
        file: String,
    },
    /// The closure file is not as facet wrote it.
    #[error("{file}: {problem}")]
    ClosureFile {
        /// The file.
        file: String,
        /// What is wrong with it.
        problem: String,
    },
}

impl BrokenPin {
    /// Whether `facet approve` can pin it anew: where only the entry says what it is, that has to come back first.
    #[must_use]
    pub const fn can_be_approved(&self) -> bool {
        !matches!(self, Self::Entry { is_declared: false, .. })
    }
}

fn before_problem(place: Option<LineColumn>) -> String {
    place.map(|place| format!("{LOCK}:{place}: ")).unwrap_or_default()
}
