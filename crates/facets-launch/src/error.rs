//! Why a server could not be started.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use facets_failure::{Describe, shell_word};

/// Why a server could not be started.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// No such program.
    #[error("program not found: {}", program.display())]
    NoProgram {
        /// As it was asked for.
        program: PathBuf,
        /// Where it was looked for.
        path: OsString,
    },
    /// A variable that the server needs is not set.
    #[error("environment variable {name} is not set")]
    NoVariable {
        /// Its name.
        name: String,
    },
    /// The supervisor could not be started or reached.
    #[error("cannot start the supervisor")]
    Supervisor(#[from] io::Error),
    /// The supervisor could not start the server.
    #[error("cannot start {}: {reason}", program.display())]
    NotStarted {
        /// The program.
        program: PathBuf,
        /// What the supervisor said.
        reason: String,
    },
}

impl LaunchError {
    /// Every code.
    pub const CODES: &'static [&'static str] =
        &["program-not-found", "server-not-started", "supervisor-failed", "variable-not-set"];
}

impl Describe for LaunchError {
    fn code(&self) -> &'static str {
        match self {
            Self::NoProgram { .. } => "program-not-found",
            Self::NoVariable { .. } => "variable-not-set",
            Self::Supervisor(_) => "supervisor-failed",
            Self::NotStarted { .. } => "server-not-started",
        }
    }

    fn expected(&self) -> Option<String> {
        let expected = match self {
            Self::NoProgram { .. } => "an executable file",
            Self::NotStarted { .. } => "a program that the system can start",
            Self::NoVariable { .. } => "a value in the environment",
            Self::Supervisor(_) => "a supervisor process",
        };
        Some(expected.to_owned())
    }

    fn actual(&self) -> Option<String> {
        Some(match self {
            Self::NoProgram { program, .. } if program.components().count() > 1 => {
                "no executable file with this path".to_owned()
            }
            Self::NoProgram { .. } => "no executable of this name in PATH".to_owned(),
            Self::NotStarted { reason, .. } => reason.clone(),
            Self::NoVariable { .. } => "not set".to_owned(),
            Self::Supervisor(source) => source.to_string(),
        })
    }

    fn next(&self) -> String {
        match self {
            Self::NoProgram { program, .. } if program.components().count() > 1 => {
                format!("ls -l {}", shell_word(program))
            }
            Self::NoProgram { program, .. } => {
                format!("install {}, or give the path of the program", program.display())
            }
            Self::NoVariable { name } => format!("export {name}=…"),
            other => format!("facet explain {}", other.code()),
        }
    }
}
