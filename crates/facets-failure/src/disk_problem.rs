//! Disks that cannot be written.

use std::io::{Error, ErrorKind};

/// What a disk says to anything that is to be written, whichever file it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiskProblem {
    /// No space is left, the quota is used up, or a file may not become so large.
    Full,
    /// The file system is read-only.
    ReadOnly,
}

impl DiskProblem {
    /// Every code.
    pub const CODES: &'static [&'static str] = &["disk-full", "disk-read-only"];

    /// What an error says about the disk, if it is about that.
    #[must_use]
    pub fn of(error: &Error) -> Option<Self> {
        match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
                Some(Self::Full)
            }
            ErrorKind::ReadOnlyFilesystem => Some(Self::ReadOnly),
            _ => None,
        }
    }

    /// The word for `facet explain`.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Full => "disk-full",
            Self::ReadOnly => "disk-read-only",
        }
    }

    /// What would have been right.
    #[must_use]
    pub fn expected(self) -> String {
        let expected = match self {
            Self::Full => "enough free space on the disk",
            Self::ReadOnly => "a file system that can be written",
        };
        expected.to_owned()
    }

    /// What to do next.
    #[must_use]
    pub fn next(self) -> String {
        let next = match self {
            Self::Full => "free some space, then run the same command again",
            Self::ReadOnly => "use another path, or mount the file system writable",
        };
        next.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_and_a_read_only_disk_are_told_apart_from_other_errors() {
        // ENOSPC, EDQUOT, EFBIG, EROFS and EACCES of Linux
        let problems = [28, 122, 27, 30, 13].map(|number| {
            DiskProblem::of(&Error::from_raw_os_error(number)).map(DiskProblem::code)
        });
        let full = Some("disk-full");
        assert_eq!(problems, [full, full, full, Some("disk-read-only"), None]);
    }

    #[test]
    fn every_problem_has_a_code_and_says_what_to_do() {
        let all = [DiskProblem::Full, DiskProblem::ReadOnly];
        assert_eq!(all.map(DiskProblem::code), DiskProblem::CODES);
        for problem in all {
            assert!(!problem.expected().is_empty() && !problem.next().is_empty());
        }
    }
}
