//! How the result is written.

use clap::ValueEnum;
use facets_face::Audience;

/// How the result is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// For people
    Human,
    /// One JSON document
    Json,
    /// SARIF 2.1.0; for check, verify and diff
    Sarif,
}

impl OutputFormat {
    /// Who reads errors: those of a SARIF log go to the log of the job.
    pub(crate) fn audience(self) -> Audience {
        match self {
            Self::Human | Self::Sarif => Audience::People,
            Self::Json => Audience::Machines,
        }
    }
}
