//! What is wrong with a server of the project.

use facets_failure::{Describe, Note, similar_names};
use facets_lock::SURFACES;
use facets_model::NameError;

use super::unanswered::{
    CONFIRMATION, NO_TERMINAL, NOTHING_CHANGED, all_uncaptured, conflict, left, not_pinned,
    subject, uncaptured_words,
};
use crate::attestation::AttestationError;
use crate::broken_pin::BrokenPin;
use crate::start_obstacle::{StartObstacle, blocked_notes};

/// Something about a server of a project.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The project has no such server.
    #[error("server {name:?} not found in facets.lock")]
    Unknown {
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
        /// Where it is pinned for this user and every project, if it is.
        of_user: Option<std::path::PathBuf>,
    },
    /// `--replace` was given for a name that is not pinned.
    #[error("server {name:?} not found: nothing to replace")]
    NothingToReplace {
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// What would be written into the lock looks like a secret.
    #[error("{name:?} was not pinned: {what} looks like a secret, and facets.lock would store it")]
    SecretInLaunch {
        /// Its name.
        name: String,
        /// What looks like one.
        what: &'static str,
    },
    /// What would be written into the surface file has a secret in it.
    #[error(
        "{name:?} was not pinned: its declarations contain the value of {variable}, and {SURFACES} would store it"
    )]
    SecretDeclared {
        /// Its name.
        name: String,
        /// The variable or header.
        variable: String,
    },
    /// The project has it already.
    #[error("server {name:?} already exists")]
    Exists {
        /// Its name.
        name: String,
    },
    /// The name cannot be that of a server.
    #[error("{name:?} is not a valid server name")]
    BadName {
        /// What was given.
        name: String,
        /// What is wrong with it.
        source: NameError,
    },
    /// A facet brought it along, and nobody has looked at it.
    #[error("server {name:?} was not started: {}", uncaptured_words(image.as_deref()))]
    Uncaptured {
        /// Its name.
        name: String,
        /// The image, if it is one.
        image: Option<String>,
        /// Whether it is one of a registry.
        is_published: bool,
    },
    /// Nothing that is locked here can be started.
    #[error("nothing was checked: no server here was looked at yet")]
    AllUncaptured {
        /// Commands and addresses.
        names: Vec<String>,
        /// Images.
        images: Vec<String>,
    },
    /// It is not a command or an address, which is all that is started here.
    #[error("server {name:?} has neither a command nor a URL")]
    NotInline {
        /// Its name.
        name: String,
    },
    /// Lock and surface file do not belong together, or were edited.
    #[error("lock entry for {name:?} was modified")]
    Edited {
        /// Its name.
        name: String,
        /// What is wrong.
        problem: BrokenPin,
    },
    /// Nobody has approved it on this machine.
    #[error("server {name:?} was not started: it is not approved on this machine")]
    NotApproved {
        /// Its name.
        name: String,
        /// Whether somebody was asked, and said no.
        asked: bool,
    },
    /// This user has approved it in another place.
    #[error(
        "server {name:?} was not started: it is approved in another directory, not in this one"
    )]
    ApprovedElsewhere {
        /// Its name.
        name: String,
        /// Where it was approved.
        project: String,
    },
    /// There is nothing to revoke.
    #[error("no approval found for {name:?}")]
    NothingApproved {
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// It keeps nothing.
    #[error("no data found for {name:?}")]
    NoData {
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// What it keeps is in use.
    #[error("server {name:?} is running; its data was not removed")]
    StillRunning {
        /// Its name.
        name: String,
    },
    /// Nobody said that it is to be pinned.
    #[error("{}", not_pinned(name, *is_pinned, *asked))]
    NotPinned {
        /// Its name.
        name: String,
        /// Whether something that was approved before stays pinned.
        is_pinned: bool,
        /// Whether somebody was asked, and said no.
        asked: bool,
    },
    /// Nobody said yes to something.
    #[error("{}", if *asked { NOTHING_CHANGED } else { *undone })]
    Unanswered {
        /// What was not done.
        undone: &'static str,
        /// How to say yes.
        next: String,
        /// Whether somebody was asked, and said no.
        asked: bool,
    },
    /// What was found is worse than what is accepted.
    #[error(
        "{} was not approved: it has {worst} findings, and only {accepted} is accepted; {}",
        subject(name, *is_pinned),
        left(*is_pinned)
    )]
    AboveAccepted {
        /// Its name.
        name: String,
        /// Whether something that was approved before stays pinned.
        is_pinned: bool,
        /// How bad the worst is.
        worst: &'static str,
        /// What is accepted.
        accepted: &'static str,
        /// What was found, and where.
        found: String,
        /// What to type after reading it.
        accept: String,
        /// How to look at it.
        next: String,
    },
    /// There is nothing to judge.
    #[error("no server is pinned in this project")]
    NothingPinned,
    /// Another facet changed it while this one looked.
    #[error("another process changed the lock entry for {name:?} in the meantime")]
    ChangedMeanwhile {
        /// Its name.
        name: String,
    },
    /// A server that facet supervises has started this command.
    #[error(
        "a server started this command, and a server must not change approvals, grants or locks"
    )]
    InsideServer,
    /// A word of a command is not text.
    #[error("the command is not valid UTF-8")]
    NotText,
    /// Git could not show a file.
    #[error("git cannot show {what}")]
    Git {
        /// The file at a revision.
        what: String,
        /// What git said.
        reason: String,
    },
    /// The manifest starts something else than the lock.
    #[error("facets.json does not start {name:?} as approved in facets.lock")]
    OtherLaunch {
        /// Its name.
        name: String,
    },
    /// A server that runs elsewhere cannot be kept from anything there.
    #[error("server {name:?} is remote: the sandbox cannot confine it")]
    GrantElsewhere {
        /// Its name.
        name: String,
    },
    /// A path that is granted is not there, or cannot be followed.
    #[error("granted path {path:?} cannot be used")]
    GrantUnusable {
        /// The path.
        path: std::path::PathBuf,
        /// Why not.
        reason: String,
    },
    /// A path that is granted does not exist.
    #[error("{text:?} does not exist ({})", path.display())]
    GrantedPathMissing {
        /// As it was typed.
        text: String,
        /// Where it would be.
        path: std::path::PathBuf,
    },
    /// A server would not start with what it is to be granted.
    #[error("{}", conflict(name, *asked))]
    GrantConflict {
        /// Its name.
        name: String,
        /// What would be in its way.
        obstacles: Vec<StartObstacle>,
        /// Grants that it can start with, or the same ones with a yes.
        next: String,
        /// Whether somebody was asked, and said no.
        asked: bool,
    },
    /// The lock pins a signer, and nothing of theirs was shown.
    #[error("server {name:?} was not started: its signature cannot be verified")]
    NotAttested {
        /// Its name.
        name: String,
        /// Who has to have signed it.
        signer: String,
        /// What is missing.
        reason: AttestationError,
    },
    /// It cannot be served at an address.
    #[error("cannot serve {name:?} at {address}")]
    Unservable {
        /// Its name.
        name: String,
        /// Where it was to be served.
        address: String,
        /// Why not.
        reason: String,
    },
    /// It has no session here, and had none.
    #[error("no session of {name:?} found in this project")]
    NeverRan {
        /// Its name.
        name: String,
    },
    /// It has no session here.
    #[error("server {name:?} is not running in this project")]
    NotRunning {
        /// Its name.
        name: String,
    },
    /// It was asked to end, and did not.
    #[error("the session of {name:?} did not end")]
    DoesNotStop {
        /// Its name.
        name: String,
    },
    /// Two things that cannot be compared.
    #[error("cannot compare {left} with {right}")]
    Incomparable {
        /// The first.
        left: &'static str,
        /// The second.
        right: &'static str,
    },
}

impl ServerError {
    /// Whether somebody was asked, and said no: that is not a failure to be explained.
    pub(crate) fn is_declined(&self) -> bool {
        matches!(
            self,
            Self::NotPinned { asked: true, .. }
                | Self::Unanswered { asked: true, .. }
                | Self::GrantConflict { asked: true, .. }
        )
    }

    fn expected_text(&self) -> String {
        let text = match self {
            Self::SecretDeclared { .. } => "declarations without values of variables and headers",
            Self::SecretInLaunch { .. } => {
                "the secret in a variable, which --env or --header names"
            }
            Self::AboveAccepted { accept, .. } => {
                return format!("a yes at a terminal; or, after reading: {accept}");
            }
            Self::NotAttested { signer, .. } => return format!("a valid signature of {signer}"),
            Self::Unknown { .. } | Self::NothingToReplace { .. } => "the name of a pinned server",
            Self::Exists { .. } => "a name that is not in use",
            Self::BadName { .. } => "1 to 64 characters of a-z, A-Z, 0-9, `.`, `_` and `-`",
            Self::Uncaptured { .. } => "a server that was looked at and approved",
            Self::AllUncaptured { .. } => "at least one server that was looked at and approved",
            Self::NotInline { .. } => "a command or a URL",
            Self::Edited { .. } => "lock entry and surface file as facet wrote them",
            Self::NothingApproved { .. } => "the name of an approved server",
            Self::NoData { .. } => "a confined server that was started before",
            Self::StillRunning { .. } => "no running session",
            Self::NothingPinned => "a facets.lock with servers",
            Self::NotApproved { .. } => "your approval on this machine",
            Self::NotPinned { .. } | Self::Unanswered { .. } => CONFIRMATION,
            Self::ApprovedElsewhere { .. } => "an approval for this directory",
            Self::ChangedMeanwhile { .. } => "the lock entry as it was at the start",
            Self::InsideServer => "a terminal that no server opened",
            Self::NotText => "UTF-8",
            Self::Git { .. } => "a revision of this git repository",
            Self::OtherLaunch { .. } => "the command or URL in facets.lock",
            Self::GrantElsewhere { .. } => "sampling or elicitation",
            Self::GrantUnusable { .. } => "an existing path",
            Self::GrantedPathMissing { .. } => "an existing path",
            Self::GrantConflict { .. } => {
                "grants that the server can start with, or --yes to change them anyway"
            }
            Self::Unservable { .. } => "a free address of this machine, such as 127.0.0.1:0",
            Self::NeverRan { .. } => "a current or earlier session",
            Self::NotRunning { .. } => "a running session",
            Self::DoesNotStop { .. } => "an end within 15 seconds",
            Self::Incomparable { .. } => "two servers, two surface files, or two contracts",
        };
        text.to_owned()
    }

    fn actual_text(&self) -> String {
        let text = match self {
            Self::SecretDeclared { .. } => "a server that repeats a value that it was given",
            Self::SecretInLaunch { .. } => "a value on the command line, not shown",
            Self::Unknown { of_user: Some(folder), .. } => {
                return format!("it is pinned for every project, in {}", folder.display());
            }
            Self::Unknown { known, .. } | Self::NothingToReplace { known, .. }
                if known.is_empty() =>
            {
                "no server is pinned here"
            }
            Self::Unknown { name, known, .. }
            | Self::NothingToReplace { name, known }
            | Self::NothingApproved { name, known }
            | Self::NoData { name, known } => {
                return listed(known) + &did_you_mean(name, known);
            }
            Self::BadName { source, .. } => return source.to_string(),
            Self::Edited { problem, .. } => return problem.to_string(),
            Self::ApprovedElsewhere { project, .. } => return elsewhere(project),
            Self::Git { reason, .. }
            | Self::GrantUnusable { reason, .. }
            | Self::Unservable { reason, .. } => return reason.clone(),
            Self::NotAttested { reason, .. } => return reason.to_string(),
            Self::AboveAccepted { found, .. } => return found.clone(),
            Self::Exists { .. } => "a name that is already in use",
            Self::Uncaptured { image: Some(_), .. } => "an image",
            Self::Uncaptured { image: None, .. } => "an entry that is marked as uncaptured",
            Self::AllUncaptured { names, images } => return all_uncaptured(names, images),
            Self::NotInline { .. } => "a kind of server that this facet does not support",
            Self::StillRunning { .. } => "a running session",
            Self::NotApproved { asked: false, .. } => "no approval",
            Self::GrantedPathMissing { .. } => "no such file or directory",
            Self::GrantConflict { .. } => "it could not start (see blocked)",
            Self::NotPinned { .. } | Self::Unanswered { .. } => NO_TERMINAL,
            Self::NotApproved { .. } => "the answer was no",
            Self::ChangedMeanwhile { .. } => "a changed lock entry; nothing was written",
            Self::InsideServer => "a process that a server of facet started",
            Self::NotText => "bytes that are not UTF-8",
            Self::OtherLaunch { .. } => "a different one, or none",
            Self::GrantElsewhere { .. } => "a setting that only a local server can have",
            Self::NothingPinned => "no facets.lock, or no servers in it",
            Self::NeverRan { .. } | Self::NotRunning { .. } => "none",
            Self::DoesNotStop { .. } => "it is still running",
            Self::Incomparable { .. } => "two different kinds",
        };
        text.to_owned()
    }
}

/// Where something was approved, and what that means.
fn elsewhere(project: &str) -> String {
    if std::path::Path::new(project).exists() {
        format!("an approval for {project}; this is a copy or a git worktree")
    } else {
        format!("an approval for {project}, which no longer exists: the project was moved")
    }
}

/// Names that look like one that is not known: `; similar: memory`.
fn did_you_mean(name: &str, known: &[String]) -> String {
    let similar = similar_names(name, known.iter().map(String::as_str));
    if similar.is_empty() { String::new() } else { format!("; similar: {}", similar.join(", ")) }
}

/// Names, or that there are none.
fn listed(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { format!("only {}", names.join(", ")) }
}

impl Describe for ServerError {
    fn code(&self) -> &'static str {
        match self {
            Self::SecretDeclared { .. } => "secret-declared",
            Self::SecretInLaunch { .. } => "secret-in-launch",
            Self::Unknown { .. } | Self::NothingToReplace { .. } => "server-unknown",
            Self::Exists { .. } => "server-exists",
            Self::BadName { .. } => "server-bad-name",
            Self::Uncaptured { .. } | Self::AllUncaptured { .. } => "server-uncaptured",
            Self::NotInline { .. } => "server-not-inline",
            Self::Edited { .. } => "lock-edited",
            Self::NotApproved { .. }
            | Self::ApprovedElsewhere { .. }
            | Self::NotPinned { .. }
            | Self::Unanswered { .. } => "not-approved",
            Self::AboveAccepted { .. } => "above-accepted",
            Self::NothingPinned => "nothing-pinned",
            Self::NothingApproved { .. } => "nothing-approved",
            Self::NoData { .. } => "no-data",
            Self::StillRunning { .. } => "still-running",
            Self::ChangedMeanwhile { .. } => "project-changed-meanwhile",
            Self::InsideServer => "inside-a-server",
            Self::NotText => "command-not-text",
            Self::Git { .. } => "git-failed",
            Self::Incomparable { .. } => "diff-incomparable",
            Self::OtherLaunch { .. } => "launch-differs",
            Self::GrantElsewhere { .. } => "grant-elsewhere",
            Self::GrantUnusable { .. } | Self::GrantedPathMissing { .. } => "grant-unusable",
            Self::GrantConflict { .. } => "grant-conflict",
            Self::NotAttested { .. } => "not-attested",
            Self::Unservable { .. } => "address-unusable",
            Self::NeverRan { .. } | Self::NotRunning { .. } => "not-running",
            Self::DoesNotStop { .. } => "not-stopped",
        }
    }

    fn expected(&self) -> Option<String> {
        (!self.is_declined()).then(|| self.expected_text())
    }

    fn actual(&self) -> Option<String> {
        (!self.is_declined()).then(|| self.actual_text())
    }

    fn next(&self) -> String {
        self.next_step()
    }

    fn notes(&self) -> Vec<Note> {
        match self {
            Self::GrantConflict { obstacles, asked: false, .. } => {
                blocked_notes(obstacles).collect()
            }
            _ => Vec::new(),
        }
    }
}
