//! What is wrong with a server of the project.

use facets_failure::Describe;
use facets_lock::SURFACES;
use facets_model::NameError;
use facets_project::LOCK;

use crate::attestation::AttestationError;
use crate::broken_pin::BrokenPin;

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
    /// The project has it already.
    #[error("the server {name:?} is there already")]
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
    /// Its changes are worse than what is accepted.
    #[error("the changes of {name:?} are {worst}, and nothing was pinned")]
    AboveAccepted {
        /// Its name.
        name: String,
        /// The worst change.
        worst: &'static str,
        /// What is accepted.
        accepted: &'static str,
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
        "launch-differs",
        "grant-elsewhere",
        "grant-unusable",
        "not-attested",
        "not-running",
        "address-unusable",
    ];

    fn expected_and_actual(&self) -> (String, String) {
        let both = |expected: &str, actual: String| (expected.to_owned(), actual);
        match self {
            Self::Unknown { known, .. } if known.is_empty() => {
                both("the name of a locked server", "none is locked here".to_owned())
            }
            Self::Unknown { known, .. } => both("the name of a locked server", known.join(", ")),
            Self::Exists { .. } => both("a new name", "one that is taken".to_owned()),
            Self::BadName { source, .. } => {
                both("1 to 64 of a-z, A-Z, 0-9, dot, hyphen and underscore", source.to_string())
            }
            Self::NotInline { .. } => both(
                "a command or an address",
                "something that this facet does not start".to_owned(),
            ),
            Self::Edited { problem, .. } => {
                both("lock and surface file as facet wrote them", problem.to_string())
            }
            Self::AboveAccepted { accepted, worst, .. } => {
                both(&format!("at most {accepted}"), (*worst).to_owned())
            }
            Self::NothingPinned => both("a facets.lock with servers", "none".to_owned()),
            Self::NotApproved { asked, .. }
            | Self::NotPinned { asked, .. }
            | Self::Unanswered { asked, .. } => {
                let answer = if *asked { "the answer was no" } else { "nobody to ask here" };
                both("a yes", answer.to_owned())
            }
            Self::ChangedMeanwhile { .. } => {
                both("the lock as it was at the beginning", "another one".to_owned())
            }
            Self::InsideServer => {
                both("a terminal of your own", "a process below a supervisor of facet".to_owned())
            }
            Self::NotText => both("words in UTF-8", "other bytes".to_owned()),
            Self::Git { reason, .. } => both("a file in the history", reason.clone()),
            Self::OtherLaunch { .. } => {
                both("the command or address of the lock", "another one, or none".to_owned())
            }
            Self::GrantElsewhere { .. } => {
                both("sampling or elicitation", "a wish that nobody here can enforce".to_owned())
            }
            Self::GrantUnusable { reason, .. } => both("a path that is there", reason.clone()),
            Self::NotAttested { signer, reason, .. } => {
                both(&format!("a valid statement of {signer}"), reason.to_string())
            }
            Self::Unservable { reason, .. } => {
                both("a free address of this machine, such as 127.0.0.1:0", reason.clone())
            }
            Self::NeverRan { .. } => both("a session, now or before", "none".to_owned()),
            Self::NotRunning { .. } => both("a session", "none".to_owned()),
            Self::DoesNotStop { .. } => {
                both("an end within 15 seconds", "it is still there".to_owned())
            }
            Self::Incomparable { .. } => {
                both("two servers, two surface files, or two contracts", "a mixture".to_owned())
            }
        }
    }
}

impl Describe for ServerError {
    fn code(&self) -> &'static str {
        match self {
            Self::Unknown { .. } => "server-unknown",
            Self::Exists { .. } => "server-exists",
            Self::BadName { .. } => "server-bad-name",
            Self::NotInline { .. } => "server-not-inline",
            Self::Edited { .. } => "lock-edited",
            Self::NotApproved { .. } | Self::NotPinned { .. } | Self::Unanswered { .. } => {
                "not-approved"
            }
            Self::AboveAccepted { .. } => "above-accepted",
            Self::NothingPinned => "nothing-pinned",
            Self::ChangedMeanwhile { .. } => "project-changed-meanwhile",
            Self::InsideServer => "inside-a-server",
            Self::NotText => "command-not-text",
            Self::Git { .. } => "git-failed",
            Self::Incomparable { .. } => "diff-incomparable",
            Self::OtherLaunch { .. } => "launch-differs",
            Self::GrantElsewhere { .. } => "grant-elsewhere",
            Self::GrantUnusable { .. } => "grant-unusable",
            Self::NotAttested { .. } => "not-attested",
            Self::Unservable { .. } => "address-unusable",
            Self::NeverRan { .. } | Self::NotRunning { .. } | Self::DoesNotStop { .. } => {
                "not-running"
            }
        }
    }

    fn expected(&self) -> Option<String> {
        Some(self.expected_and_actual().0)
    }

    fn actual(&self) -> Option<String> {
        Some(self.expected_and_actual().1)
    }

    fn next(&self) -> String {
        match self {
            Self::Unknown { .. } => "facet list".to_owned(),
            Self::Exists { name } | Self::NotApproved { name, .. } => {
                format!("facet approve {name}")
            }
            Self::OtherLaunch { name } => format!("facet approve {name}"),
            Self::GrantUnusable { .. } => "facet grant --help".to_owned(),
            Self::GrantElsewhere { name } => {
                format!("facet grant {name} sampling=no elicitation=no")
            }
            Self::Unanswered { next, .. } => next.clone(),
            Self::Unservable { name, .. } => format!("facet run {name} --http 127.0.0.1:0"),
            Self::NeverRan { .. } | Self::NotRunning { .. } | Self::DoesNotStop { .. } => {
                "facet ps".to_owned()
            }
            Self::Edited { .. } => format!("git diff {LOCK} {SURFACES}"),
            Self::ChangedMeanwhile { name } | Self::AboveAccepted { name, .. } => {
                format!("facet check {name}")
            }
            Self::NotPinned { name, .. } => format!("facet approve {name}"),
            other => format!("facet explain {}", other.code()),
        }
    }
}
