//! The mark of verified bytes.

use std::ops::Deref;

/// A value whose bytes were compared with a digest when it was made.
///
/// Only this crate makes one, after it has checked the bytes on the disk. A function that takes a
/// `Verified<T>` therefore cannot be called with bytes that were not checked.
///
/// ```compile_fail
/// let made_up = facets_store::Verified(1);
/// ```
#[derive(Debug)]
pub struct Verified<T>(T);

impl<T> Verified<T> {
    /// To be called where the check has just succeeded, and nowhere else.
    pub(crate) fn by_check(value: T) -> Self {
        Self(value)
    }
}

impl<T> Deref for Verified<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}
