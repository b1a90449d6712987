//! What a name of a runtime leads to.

use crate::Category;

/// What a name gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gives {
    /// Nothing that we watch.
    Nothing,
    /// A capability.
    One(Category),
    /// Two.
    Two(Category, Category),
    /// Code that is made while it runs, so anything.
    AnyCode,
    /// Nobody knows.
    Unknown,
}
