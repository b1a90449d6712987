//! An archive between the two steps of unpacking.

use crate::kept::KeptTar;
use crate::limits::ArchiveLimits;

/// An archive that broke no rule and is the expected one. It can be unpacked.
pub struct ValidatedArchive<T> {
    pub(crate) archive: T,
    /// Its bytes, unless there are too many.
    pub(crate) kept: Option<KeptTar>,
    pub(crate) limits: ArchiveLimits,
}
