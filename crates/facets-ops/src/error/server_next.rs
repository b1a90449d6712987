//! What to type after an error about a server.

use facets_failure::{Describe as _, shell_word, similar_names};
use facets_lock::SURFACES;
use facets_project::LOCK;

use super::ServerError;

impl ServerError {
    /// A command to type next.
    pub(super) fn next_step(&self) -> String {
        if self.is_declined() {
            return format!("facet explain {}", self.code());
        }
        match self {
            Self::Unknown { of_user: Some(folder), .. } => {
                format!("the same command with --directory {}", shell_word(folder))
            }
            Self::Unknown { name, known, .. } => {
                // The error does not know which command was typed.
                match similar_names(name, known.iter().map(String::as_str)).first() {
                    Some(similar) => format!("facet show {similar}"),
                    None => "facet list".to_owned(),
                }
            }
            Self::Exists { name } => format!("facet add {name} --replace …"),
            Self::NothingToReplace { .. } => "facet add, without --replace".to_owned(),
            Self::Uncaptured { image: Some(_), .. } => "facet list".to_owned(),
            Self::Uncaptured { name, is_published: true, .. } => format!("facet upgrade {name}"),
            Self::NotApproved { name, .. } | Self::Uncaptured { name, .. } => {
                format!("facet approve {name}")
            }
            Self::AllUncaptured { names, .. } if !names.is_empty() => {
                "facet approve --all".to_owned()
            }
            Self::OtherLaunch { name } => format!("facet approve {name}"),
            Self::GrantedPathMissing { text, .. } => {
                format!("mkdir {}, or grant another path", shell_word(text.as_ref()))
            }
            Self::GrantElsewhere { name } => {
                format!("facet grant {name} sampling=no elicitation=no")
            }
            Self::Unanswered { next, .. }
            | Self::GrantConflict { next, .. }
            | Self::AboveAccepted { next, .. } => next.clone(),
            Self::NothingApproved { .. } => "facet approvals list".to_owned(),
            Self::NoData { .. } => "facet data".to_owned(),
            Self::StillRunning { name } => format!("facet stop {name}"),
            Self::ApprovedElsewhere { .. } => "facet approve --all".to_owned(),
            Self::Unservable { name, .. } => format!("facet run {name} --http 127.0.0.1:0"),
            Self::NeverRan { .. } | Self::NotRunning { .. } | Self::DoesNotStop { .. } => {
                "facet ps".to_owned()
            }
            Self::Edited { .. } => format!("git diff {LOCK} {SURFACES}"),
            Self::ChangedMeanwhile { name } => format!("facet check {name}"),
            Self::NotPinned { name, .. } => format!("facet approve {name} --yes"),
            Self::NothingPinned => "facet adopt --dry-run".to_owned(),
            other => format!("facet explain {}", other.code()),
        }
    }
}
