//! What is read of a tree.

use crate::manifest::FileMode;

/// A part of a tree that is read from its first file to its last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreePart<'p> {
    /// A file begins.
    File {
        /// Its path.
        path: &'p str,
        /// Its bytes.
        size: u64,
        /// Whether it is a program.
        mode: FileMode,
    },
    /// Bytes of the file that began last.
    Content(&'p [u8]),
}
