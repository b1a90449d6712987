//! What to type after an error.

use std::path::Path;

use facets_failure::{Describe as _, shell_word};
use facets_probe::ObserveError;
use facets_project::ProjectError;

use super::{OpsError, SAME_WITH_YES};

impl OpsError {
    /// A command to type next.
    pub(super) fn next_step(&self) -> String {
        match self {
            Self::NoManifest { directory } => {
                format!("facet init facet {}", shell_word(directory))
            }
            Self::BadName { next, .. } | Self::BadUrl { next: Some(next), .. } => next.clone(),
            Self::Contract { path, fusion: true, .. } => {
                format!("facet digest contract --mode fusion-v1 {}", shell_word(path))
            }
            Self::BadManifest { path, .. } => {
                let folder = path.parent().unwrap_or(Path::new("."));
                format!("facet build --check {}", shell_word(folder))
            }
            Self::NoVariable { name, .. } => format!("export {name}=…"),
            Self::NotApproved { asked: false } => SAME_WITH_YES.to_owned(),
            Self::Project(error @ ProjectError::Lock { path, .. })
                if error.code().starts_with("json-") =>
            {
                format!("git checkout {}", shell_word(path))
            }
            Self::UnknownCode { similar, .. } => {
                format!("facet explain {}", similar.first().unwrap_or(&"")).trim_end().to_owned()
            }
            Self::StdinTwice => "facet digest file -".to_owned(),
            Self::Observe(ObserveError::Launch(error)) => error.next(),
            other => match other.inner() {
                Some(error) => error.next(),
                None => format!("facet explain {}", other.code()),
            },
        }
    }
}
