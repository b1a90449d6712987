//! Why a server could not be started.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use facets_failure::{Describe, shell_word};

use crate::verified_files::UnverifiedFiles;

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
    /// The verified files that it would be started from are not those any more.
    #[error("{0}")]
    Unverified(UnverifiedFiles),
}

impl LaunchError {
    /// Every code.
    pub const CODES: &'static [&'static str] =
        &["program-not-found", "server-not-started", "supervisor-failed", "variable-not-set"];

    /// The words of a command that was given as one, in quotes.
    fn quoted_command(&self) -> Option<&str> {
        let Self::NoProgram { program, path } = self else { return None };
        let command = program.to_str()?.trim();
        let (first, _) = command.split_once(char::is_whitespace)?;
        // A path can have blanks of its own.
        let is_program = if first.contains('/') {
            Path::new(first).is_file()
        } else {
            !command.contains('/')
                || std::env::split_paths(path).any(|directory| directory.join(first).is_file())
        };
        is_program.then_some(command)
    }
}

impl Describe for LaunchError {
    fn code(&self) -> &'static str {
        match self {
            Self::NoProgram { .. } => "program-not-found",
            Self::NoVariable { .. } => "variable-not-set",
            Self::Supervisor(_) => "supervisor-failed",
            Self::NotStarted { .. } => "server-not-started",
            Self::Unverified(error) => error.code(),
        }
    }

    fn expected(&self) -> Option<String> {
        let expected = match self {
            Self::NoProgram { .. } => "an executable file",
            Self::NotStarted { .. } => "a program that the system can start",
            Self::NoVariable { .. } => "a value in the environment",
            Self::Supervisor(_) => "a supervisor process",
            Self::Unverified(error) => return error.expected(),
        };
        Some(expected.to_owned())
    }

    fn actual(&self) -> Option<String> {
        if self.quoted_command().is_some() {
            return Some("a command in quotes, which is one word with a blank in it".to_owned());
        }
        Some(match self {
            Self::NoProgram { program, .. } if program.components().count() > 1 => {
                "no executable file with this path".to_owned()
            }
            Self::NoProgram { .. } => "no executable of this name in PATH".to_owned(),
            Self::NotStarted { reason, .. } => reason.clone(),
            Self::NoVariable { .. } => "not set".to_owned(),
            Self::Supervisor(source) => source.to_string(),
            Self::Unverified(error) => return error.actual(),
        })
    }

    fn next(&self) -> String {
        if let Some(command) = self.quoted_command() {
            return format!("the same without quotes: -- {command}");
        }
        match self {
            Self::NoProgram { program, .. } if program.components().count() > 1 => {
                format!("ls -l {}", shell_word(program))
            }
            Self::NoProgram { program, .. } => {
                format!("install {}, or give the path of the program", program.display())
            }
            Self::NoVariable { name } => format!("export {name}=…"),
            Self::Unverified(error) => error.next(),
            other => format!("facet explain {}", other.code()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn missing(program: &str) -> LaunchError {
        LaunchError::NoProgram { program: program.into(), path: "/usr/bin:/bin".into() }
    }

    #[test]
    fn a_command_in_quotes_is_answered_with_the_command_without_them() {
        for (program, next) in [
            ("python3 server.py", "the same without quotes: -- python3 server.py"),
            ("sh ./start.sh", "the same without quotes: -- sh ./start.sh"),
            ("/bin/sh start.sh", "the same without quotes: -- /bin/sh start.sh"),
            ("/no/such folder/server", "ls -l '/no/such folder/server'"),
            ("no-such-program", "install no-such-program, or give the path of the program"),
        ] {
            assert_eq!(missing(program).next(), next, "{program}");
        }
        let actual = missing("python3 server.py").actual();
        assert!(actual.is_some_and(|text| text.contains("a blank in it")));
    }
}
