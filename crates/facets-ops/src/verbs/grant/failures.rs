//! Grants that were not changed, or not all of them: what holds, and what to type.

use facets_failure::{Describe as _, Note, shell_word};
use facets_lock::Grants;

use crate::critical_findings::or_accept_with;
use crate::error::{NarrowedOnly, OpsError, ServerError};
use crate::grant_words::grants_words;

/// What was typed.
pub(super) struct TypedGrant {
    pub(super) name: String,
    /// The settings.
    pub(super) settings: Vec<String>,
}

impl TypedGrant {
    /// What is typed to grant the same, with an option.
    pub(super) fn with(&self, option: &str) -> String {
        let settings = self.settings.iter().map(|one| shell_word(one.as_ref()));
        let settings = settings.collect::<Vec<_>>().join(" ");
        format!("facet grant {} {settings} {option}", self.name).trim_end().to_owned()
    }
}

/// What failed after the narrower grants were recorded: they hold all the same, and that comes first.
pub(super) fn narrowed_only(error: OpsError, request: &TypedGrant) -> OpsError {
    let source = with_accept(error, request);
    let next = match &source {
        OpsError::NoVariable { name, .. } => format!("{name}=… {}", request.with("")),
        OpsError::Start(failure) if failure.mend.is_some() => failure.next(),
        OpsError::Server(ServerError::AboveAccepted { next, .. }) => next.clone(),
        OpsError::Server(ServerError::NotPinned { .. }) => request.with("--yes"),
        // The same would fail again: what is in force can be seen, and changed.
        OpsError::Start(_) => format!("facet grant {}", request.name),
        _ => request.with(""),
    };
    let is_declined = matches!(&source, OpsError::Server(error) if error.is_declined());
    let (name, cause) = (request.name.clone(), Box::new(source));
    OpsError::Narrowed(Box::new(NarrowedOnly { name, cause, is_declined, next }))
}

/// A server that does not start with more than before keeps what it had.
pub(super) fn unchanged(error: OpsError, before: &Grants) -> OpsError {
    match error {
        OpsError::Start(mut failure) => {
            let text = format!("nothing was changed: {}", grants_words(before));
            failure.notes.push(Note { label: "in force", text });
            OpsError::Start(failure)
        }
        other => other,
    }
}

/// The new profile brought changes that were not accepted.
pub(super) fn with_accept(error: OpsError, request: &TypedGrant) -> OpsError {
    let accept = |level: &str| request.with(&format!("--accept {level}"));
    or_accept_with(error, || request.with(""), accept)
}
