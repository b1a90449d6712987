//! How bad something is, as it is typed.

use clap::ValueEnum;

/// How bad something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Level {
    /// For information only
    Info,
    /// A harmless change
    Safe,
    /// A change that should be reviewed
    Moderate,
    /// A change that must be reviewed before the server runs
    Critical,
}
