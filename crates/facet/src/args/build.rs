//! The arguments of `facet build`.

use std::path::{Path, PathBuf};

use super::examples;

#[derive(Debug, clap::Args)]
#[command(after_help = examples::BUILD)]
pub(crate) struct Build {
    /// The directory with the manifest
    #[arg(default_value = ".", value_name = "DIR")]
    pub(crate) target: PathBuf,
    /// Only check the manifest and all files that would be packed; write nothing
    #[arg(long, conflicts_with_all = ["output", "force"])]
    pub(crate) check: bool,
    /// Where the archive goes [default: NAME-VERSION.facet or NAME-VERSION.server.tar.gz, here]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Pack this file although it looks like a secret; relative to DIR, may be repeated
    #[arg(long = "allow-secret", value_name = "PATH")]
    pub(crate) allowed_secrets: Vec<String>,
    /// Replace an archive with other content
    #[arg(long)]
    pub(crate) force: bool,
}

impl Build {
    /// Elsewhere `-` is standard output.
    pub(super) fn misplaced_output(&self) -> Option<&'static str> {
        let is_dash = self.output.as_deref() == Some(Path::new("-"));
        is_dash.then_some(
            "`--output -`: an archive is not written to standard output; name a file (`./-` for one called `-`)",
        )
    }
}
