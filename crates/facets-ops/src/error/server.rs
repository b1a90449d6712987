//! What is wrong with a server of the project.

use facets_failure::{Describe, Note};
use facets_lock::SURFACES;
use facets_model::NameError;
use facets_project::LOCK;

use crate::attestation::AttestationError;
use crate::broken_pin::BrokenPin;
use crate::start_obstacle::{StartObstacle, blocked_notes};

/// Something about a server of a project.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The project has no such server.
    #[error("there is no server {name:?} in facets.lock")]
    Unknown {
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// `--replace` was given for a name that is not pinned.
    #[error("there is no server {name:?} to replace")]
    NothingToReplace {
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// The project has it already.
    #[error("the server {name:?} already exists")]
    Exists {
        /// Its name.
        name: String,
    },
    /// The name cannot be that of a server.
    #[error("{name:?} cannot be the name of a server")]
    BadName {
        /// What was given.
        name: String,
        /// What is wrong with it.
        source: NameError,
    },
    /// It is not a command or an address, which is all that is started here.
    #[error("the server {name:?} is neither a command nor an address")]
    NotInline {
        /// Its name.
        name: String,
    },
    /// Lock and surface file do not belong together, or were edited.
    #[error("what is locked of {name:?} was edited")]
    Edited {
        /// Its name.
        name: String,
        /// What is wrong.
        problem: BrokenPin,
    },
    /// Nobody has approved it on this machine.
    #[error("the server {name:?} was not started: nobody has approved it here")]
    NotApproved {
        /// Its name.
        name: String,
        /// Whether somebody was asked, and said no.
        asked: bool,
    },
    /// This user has approved it in another place.
    #[error("the server {name:?} was not started: it was approved in another place, not here")]
    ApprovedElsewhere {
        /// Its name.
        name: String,
        /// Where it was approved.
        project: String,
    },
    /// There is nothing to revoke.
    #[error("nothing is approved under the name {name:?}")]
    NothingApproved {
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// It keeps nothing.
    #[error("the server {name:?} keeps no data")]
    NoData {
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// What it keeps is in use.
    #[error("the server {name:?} is running, and nothing of it was removed")]
    StillRunning {
        /// Its name.
        name: String,
    },
    /// Nobody said that it is to be pinned.
    #[error("nothing was pinned for {name:?}")]
    NotPinned {
        /// Its name.
        name: String,
        /// Whether somebody was asked, and said no.
        asked: bool,
    },
    /// Nobody said yes to something.
    #[error("{undone}")]
    Unanswered {
        /// What was not done.
        undone: &'static str,
        /// How to say yes.
        next: String,
        /// Whether somebody was asked, and said no.
        asked: bool,
    },
    /// What was found is worse than what is accepted.
    #[error("{name:?} was not pinned: it has {worst} findings, and only {accepted} is accepted")]
    AboveAccepted {
        /// Its name.
        name: String,
        /// How bad the worst is.
        worst: &'static str,
        /// What is accepted.
        accepted: &'static str,
        /// What was found, and where.
        found: String,
        /// The code that explains the worst.
        code: &'static str,
        /// What to type after reading it.
        next: String,
    },
    /// There is nothing to judge.
    #[error("nothing is pinned here")]
    NothingPinned,
    /// Another facet changed it while this one looked.
    #[error("the server {name:?} was changed meanwhile")]
    ChangedMeanwhile {
        /// Its name.
        name: String,
    },
    /// A server that facet supervises has started this command.
    #[error("a server has started this command, and what a server starts decides nothing")]
    InsideServer,
    /// A word of a command is not text.
    #[error("the command cannot be written down")]
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
    #[error("facets.json starts {name:?} in another way than was approved")]
    OtherLaunch {
        /// Its name.
        name: String,
    },
    /// A server that runs elsewhere cannot be kept from anything there.
    #[error("the server {name:?} runs elsewhere, out of reach of the sandbox")]
    GrantElsewhere {
        /// Its name.
        name: String,
    },
    /// A path that is granted is not there, or cannot be followed.
    #[error("{path:?} is granted to a server, and cannot be used")]
    GrantUnusable {
        /// The path.
        path: std::path::PathBuf,
        /// Why not.
        reason: String,
    },
    /// A server would not start with what it is to be granted.
    #[error("the server {name:?} would not start with these grants, and nothing was changed")]
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
    #[error("the server {name:?} was not started: its signer cannot be verified")]
    NotAttested {
        /// Its name.
        name: String,
        /// Who has to have signed it.
        signer: String,
        /// What is missing.
        reason: AttestationError,
    },
    /// It cannot be served at an address.
    #[error("{name:?} cannot be served at {address}")]
    Unservable {
        /// Its name.
        name: String,
        /// Where it was to be served.
        address: String,
        /// Why not.
        reason: String,
    },
    /// It has no session here, and had none.
    #[error("the server {name:?} has not run here")]
    NeverRan {
        /// Its name.
        name: String,
    },
    /// It has no session here.
    #[error("the server {name:?} is not running here")]
    NotRunning {
        /// Its name.
        name: String,
    },
    /// It was asked to end, and did not.
    #[error("the session of {name:?} does not end")]
    DoesNotStop {
        /// Its name.
        name: String,
    },
    /// Two things that cannot be compared.
    #[error("{left} and {right} are different kinds of things")]
    Incomparable {
        /// The first.
        left: &'static str,
        /// The second.
        right: &'static str,
    },
}

impl ServerError {
    /// Every code.
    pub const CODES: &'static [&'static str] = &[
        "inside-a-server",
        "server-unknown",
        "server-exists",
        "server-bad-name",
        "server-not-inline",
        "lock-edited",
        "project-changed-meanwhile",
        "command-not-text",
        "git-failed",
        "diff-incomparable",
        "above-accepted",
        "nothing-pinned",
        "nothing-approved",
        "no-data",
        "still-running",
        "launch-differs",
        "grant-conflict",
        "grant-elsewhere",
        "grant-unusable",
        "not-attested",
        "not-running",
        "address-unusable",
    ];

    fn expected_text(&self) -> String {
        let text = match self {
            Self::AboveAccepted { worst, code, .. } => {
                return format!(
                    "a yes at a terminal, or --accept {worst} after reading (facet explain {code})"
                );
            }
            Self::NotAttested { signer, .. } => return format!("a valid statement of {signer}"),
            Self::Unknown { .. } | Self::NothingToReplace { .. } => "the name of a pinned server",
            Self::Exists { .. } => "a new name",
            Self::BadName { .. } => "1 to 64 of a-z, A-Z, 0-9, dot, hyphen and underscore",
            Self::NotInline { .. } => "a command or an address",
            Self::Edited { .. } => "lock and surface file as facet wrote them",
            Self::NothingApproved { .. } => "a name with approvals",
            Self::NoData { .. } => "a confined server that has been started",
            Self::StillRunning { .. } => "no session of it",
            Self::NothingPinned => "a facets.lock with servers",
            Self::NotApproved { .. } | Self::NotPinned { .. } | Self::Unanswered { .. } => "a yes",
            Self::ApprovedElsewhere { .. } => "an approval for this place",
            Self::ChangedMeanwhile { .. } => "the lock as it was at the beginning",
            Self::InsideServer => "a terminal of your own",
            Self::NotText => "words in UTF-8",
            Self::Git { .. } => "a file in the history",
            Self::OtherLaunch { .. } => "the command or address of the lock",
            Self::GrantElsewhere { .. } => "sampling or elicitation",
            Self::GrantUnusable { .. } => "a path that can be granted",
            Self::GrantConflict { .. } => "grants that the server can start with",
            Self::Unservable { .. } => "a free address of this machine, such as 127.0.0.1:0",
            Self::NeverRan { .. } => "a session, now or before",
            Self::NotRunning { .. } => "a session",
            Self::DoesNotStop { .. } => "an end within 15 seconds",
            Self::Incomparable { .. } => "two servers, two surface files, or two contracts",
        };
        text.to_owned()
    }

    fn actual_text(&self) -> String {
        let text = match self {
            Self::Unknown { known, .. } | Self::NothingToReplace { known, .. }
                if known.is_empty() =>
            {
                "no server is pinned here"
            }
            Self::Unknown { known, .. }
            | Self::NothingToReplace { known, .. }
            | Self::NothingApproved { known, .. }
            | Self::NoData { known, .. } => {
                return listed(known);
            }
            Self::BadName { source, .. } => return source.to_string(),
            Self::Edited { problem, .. } => return problem.to_string(),
            Self::ApprovedElsewhere { project, .. } => return elsewhere(project),
            Self::Git { reason, .. }
            | Self::GrantUnusable { reason, .. }
            | Self::Unservable { reason, .. } => return reason.clone(),
            Self::NotAttested { reason, .. } => return reason.to_string(),
            Self::AboveAccepted { found, .. } => return found.clone(),
            Self::Exists { .. } => "a name that is taken",
            Self::NotInline { .. } => "something that this facet does not start",
            Self::StillRunning { .. } => "at least one",
            Self::Unanswered { asked: false, .. } | Self::GrantConflict { asked: false, .. } => {
                "needs confirmation; no terminal: re-run with --yes"
            }
            Self::NotApproved { asked, .. }
            | Self::NotPinned { asked, .. }
            | Self::GrantConflict { asked, .. }
            | Self::Unanswered { asked, .. } => {
                if *asked {
                    "the answer was no"
                } else {
                    "nobody to ask here"
                }
            }
            Self::ChangedMeanwhile { .. } => "another one",
            Self::InsideServer => "a process below a supervisor of facet",
            Self::NotText => "other bytes",
            Self::OtherLaunch { .. } => "another one, or none",
            Self::GrantElsewhere { .. } => "a setting that cannot be enforced here",
            Self::NothingPinned | Self::NeverRan { .. } | Self::NotRunning { .. } => "none",
            Self::DoesNotStop { .. } => "it is still there",
            Self::Incomparable { .. } => "a mixture",
        };
        text.to_owned()
    }
}

/// Where something was approved, and what that means.
fn elsewhere(project: &str) -> String {
    if std::path::Path::new(project).exists() {
        format!("one for {project}; this is another copy, or a worktree of git")
    } else {
        format!("one for {project}, which is gone: it was moved")
    }
}

/// Names, or that there are none.
fn listed(names: &[String]) -> String {
    if names.is_empty() { "there is none".to_owned() } else { names.join(", ") }
}

impl Describe for ServerError {
    fn code(&self) -> &'static str {
        match self {
            Self::Unknown { .. } | Self::NothingToReplace { .. } => "server-unknown",
            Self::Exists { .. } => "server-exists",
            Self::BadName { .. } => "server-bad-name",
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
            Self::GrantUnusable { .. } => "grant-unusable",
            Self::GrantConflict { .. } => "grant-conflict",
            Self::NotAttested { .. } => "not-attested",
            Self::Unservable { .. } => "address-unusable",
            Self::NeverRan { .. } | Self::NotRunning { .. } | Self::DoesNotStop { .. } => {
                "not-running"
            }
        }
    }

    fn expected(&self) -> Option<String> {
        Some(self.expected_text())
    }

    fn actual(&self) -> Option<String> {
        Some(self.actual_text())
    }

    fn next(&self) -> String {
        match self {
            Self::Unknown { .. } => "facet list".to_owned(),
            Self::Exists { name } => format!("facet add {name} --replace …"),
            Self::NothingToReplace { .. } => "facet add, without --replace".to_owned(),
            Self::NotApproved { name, .. } => format!("facet approve {name}"),
            Self::OtherLaunch { name } => format!("facet approve {name}"),
            Self::GrantUnusable { .. } => "facet grant --help".to_owned(),
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
            Self::NotPinned { name, .. } => format!("facet approve {name}"),
            other => format!("facet explain {}", other.code()),
        }
    }

    fn notes(&self) -> Vec<Note> {
        match self {
            Self::GrantConflict { obstacles, .. } => blocked_notes(obstacles).collect(),
            _ => Vec::new(),
        }
    }
}
