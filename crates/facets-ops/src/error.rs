mod failure;
mod observe;
mod policy;
mod project;

use std::io;
use std::path::{Path, PathBuf};

use facets_digest::json::JsonError;
use facets_files::FileError;
use facets_model::{NameError, UrlError};
use facets_probe::ObserveError;
use facets_project::ProjectError;
use facets_surface::fusion::FusionError;
use facets_surface::{ContractError, DefinitionError, SurfaceFileError};

pub use failure::{Failure, shell_word};
pub use policy::PolicyError;
pub use project::ServerError;

/// Why facet could not judge.
#[derive(Debug, thiserror::Error)]
pub enum OpsError {
    /// A file could not be opened or read.
    #[error("cannot read {}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file could not be written.
    #[error("cannot write {}", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file is larger than its reader takes.
    #[error("{} is too large", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The size that is still allowed.
        limit: u64,
    },
    /// A directory, a pipe or a device where a file is expected.
    #[error("{} is not a regular file", path.display())]
    NotRegular {
        /// What was given.
        path: PathBuf,
    },
    /// Standard input can be read once.
    #[error("`-` is given more than once")]
    StdinTwice,
    /// A file of a client cannot be read or changed.
    #[error("{} cannot be used", path.display())]
    Client {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: facets_clients::ClientError,
    },
    /// A document is not the JSON that we accept.
    #[error("{} is not JSON that can be hashed", path.display())]
    Json {
        /// The document.
        path: PathBuf,
        /// What is wrong, and where.
        source: JsonError,
    },
    /// A file is not a surface file.
    #[error("{} cannot be used as a surface file", path.display())]
    SurfaceFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: SurfaceFileError,
    },
    /// A surface that would make a file that nobody could read.
    #[error("the surface is too large to be saved in {}", path.display())]
    SurfaceTooLarge {
        /// Where it was to be saved.
        path: PathBuf,
        /// The size that is still allowed.
        limit: u64,
    },
    /// A document is no contract.
    #[error("{} is not a contract", path.display())]
    Contract {
        /// The document.
        path: PathBuf,
        /// What is wrong with it.
        source: ContractError,
        /// Whether it is one of MCP Fusion.
        fusion: bool,
    },
    /// A document has no digest in the mode of MCP Fusion.
    #[error("{} has no digest in the mode fusion-v1", path.display())]
    Fusion {
        /// The document.
        path: PathBuf,
        /// What is wrong with it.
        source: FusionError,
    },
    /// Contracts of ours and of MCP Fusion.
    #[error("contracts of different kinds cannot be compared")]
    ModesDiffer {
        /// The one of MCP Fusion.
        fusion: PathBuf,
    },
    /// A manifest that is needed has problems.
    #[error("{} has problems", path.display())]
    BadManifest {
        /// The manifest.
        path: PathBuf,
        /// How many.
        problems: usize,
    },
    /// A document has no list of tools.
    #[error("{} has neither a surface nor a list of tools", path.display())]
    NoTools {
        /// The document.
        path: PathBuf,
    },
    /// A page of a list that goes on.
    #[error("{} is one page of a list that goes on", path.display())]
    IncompleteList {
        /// The document.
        path: PathBuf,
    },
    /// A header cannot have this value.
    #[error("the value of {variable} cannot be sent in the header {name}")]
    BadHeader {
        /// The header.
        name: String,
        /// The variable that holds its value.
        variable: String,
    },
    /// An item of a list of tools is malformed.
    #[error("tool {index} of {} cannot be hashed", path.display())]
    Definition {
        /// The document.
        path: PathBuf,
        /// Which, counted from 0.
        index: usize,
        /// What is wrong with it.
        source: DefinitionError,
    },
    /// Two tools have one name.
    #[error("{} lists the tool {name:?} twice", path.display())]
    DuplicateTool {
        /// The document.
        path: PathBuf,
        /// The name.
        name: String,
    },
    /// Nobody said that the server may be started.
    #[error("the server was not started")]
    NotApproved {
        /// Whether somebody was asked, and said no.
        asked: bool,
    },
    /// A variable that is to be passed on is not set.
    #[error("the variable {name} is not set")]
    NoVariable {
        /// Its name.
        name: String,
    },
    /// A URL that we do not connect to.
    #[error("that is not a URL to connect to")]
    BadUrl {
        /// What is wrong with it.
        source: UrlError,
    },
    /// A server could not be started, reached, or understood.
    #[error("{0}")]
    Observe(#[from] ObserveError),
    /// A project cannot be read or changed.
    #[error("{0}")]
    Project(#[from] ProjectError),
    /// Something about a server of the project.
    #[error("{0}")]
    Server(#[from] ServerError),
    /// Something about the policy.
    #[error("{0}")]
    Policy(#[from] PolicyError),
    /// A directory was expected.
    #[error("{} is not a directory", path.display())]
    NotADirectory {
        /// What was given.
        path: PathBuf,
    },
    /// No manifest to check.
    #[error("no manifest in {}", directory.display())]
    NoManifest {
        /// The directory.
        directory: PathBuf,
    },
    /// More than one manifest to check.
    #[error("more than one manifest in {}", directory.display())]
    AmbiguousManifest {
        /// The directory.
        directory: PathBuf,
        /// Their names.
        found: Vec<&'static str>,
    },
    /// A file that `init` would write is there with other content.
    #[error("{} exists already", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The name for a new manifest is not one.
    #[error("{found:?} cannot be a name")]
    BadName {
        /// The name, given or taken from the directory.
        found: String,
        /// What is wrong with it.
        source: NameError,
        /// The command with a name that would do.
        next: String,
    },
    /// A defect in facet, while it judged something.
    #[error("facet itself failed at {subject}")]
    Internal {
        /// What it judged.
        subject: String,
    },
    /// `explain` was asked for a code that there is not.
    #[error("there is no code {code:?}")]
    UnknownCode {
        /// What was asked for.
        code: String,
        /// The most similar code.
        nearest: &'static str,
    },
}

impl From<FileError> for OpsError {
    fn from(error: FileError) -> Self {
        match error {
            FileError::Unreadable { path, source } => Self::Unreadable { path, source },
            FileError::Unwritable { path, source } => Self::Unwritable { path, source },
            FileError::NotPlain { path } => Self::NotRegular { path },
            FileError::TooLarge { path, limit } => Self::TooLarge { path, limit },
        }
    }
}

/// The supervisor, or what it needs, could not be had.
pub(crate) fn supervisor_failed(source: io::Error) -> OpsError {
    ObserveError::from(facets_launch::LaunchError::Supervisor(source)).into()
}

impl OpsError {
    /// Every code that an error of this crate can have, beside those of the JSON reader.
    pub const CODES: &'static [&'static str] = &[
        "bad-header",
        "bad-url",
        "contract-malformed",
        "contract-modes-differ",
        "file-exists",
        "file-too-large",
        "file-unreadable",
        "file-unwritable",
        "fusion-locale-order",
        "fusion-malformed",
        "init-bad-name",
        "internal-error",
        "manifest-ambiguous",
        "manifest-has-problems",
        "manifest-not-found",
        "not-a-directory",
        "not-approved",
        "program-not-found",
        "server-not-started",
        "stdin-twice",
        "supervisor-failed",
        "supervisor-lost",
        "surface-file-edited",
        "surface-file-malformed",
        "surface-file-newer",
        "surface-incomplete",
        "surface-no-tools",
        "surface-too-large",
        "unknown-code",
        "variable-not-set",
    ];

    /// The word for `facet explain`.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::Unreadable { .. } => "file-unreadable",
            Self::Unwritable { .. } => "file-unwritable",
            Self::TooLarge { .. } => "file-too-large",
            Self::NotRegular { .. } => "file-not-regular",
            Self::StdinTwice => "stdin-twice",
            Self::Json { source, .. } => source.kind.code(),
            Self::SurfaceFile { source, .. } => match source {
                SurfaceFileError::NotAsWritten => "surface-file-edited",
                SurfaceFileError::Newer { .. } => "surface-file-newer",
                _ => "surface-file-malformed",
            },
            Self::SurfaceTooLarge { .. } => "surface-too-large",
            Self::Contract { .. } => "contract-malformed",
            Self::Fusion { source: FusionError::LocaleOrder { .. }, .. } => "fusion-locale-order",
            Self::Fusion { .. } => "fusion-malformed",
            Self::ModesDiffer { .. } => "contract-modes-differ",
            Self::BadManifest { .. } => "manifest-has-problems",
            Self::NoTools { .. } => "surface-no-tools",
            Self::IncompleteList { .. } => "surface-incomplete",
            Self::BadHeader { .. } => "bad-header",
            Self::Definition { .. } => "server-bad-definition",
            Self::DuplicateTool { .. } => "server-duplicate-name",
            Self::NotApproved { .. } => "not-approved",
            Self::NoVariable { .. } => "variable-not-set",
            Self::BadUrl { .. } => "bad-url",
            Self::Observe(error) => observe::code(error),
            Self::Project(error) => error.code(),
            Self::Server(error) => error.code(),
            Self::Policy(error) => error.code(),
            Self::Client { source, .. } => source.code(),
            Self::NotADirectory { .. } => "not-a-directory",
            Self::NoManifest { .. } => "manifest-not-found",
            Self::AmbiguousManifest { .. } => "manifest-ambiguous",
            Self::Exists { .. } => "file-exists",
            Self::BadName { .. } => "init-bad-name",
            Self::Internal { .. } => "internal-error",
            Self::UnknownCode { .. } => "unknown-code",
        }
    }

    /// The error for people and machines to read.
    #[must_use]
    pub fn describe(&self) -> Failure {
        let (expected, actual) = self.expected_and_actual();
        Failure {
            code: self.code(),
            message: self.to_string(),
            file: self.file().map(Path::to_owned),
            position: match self {
                Self::Json { source, .. } => Some(source.position),
                Self::Project(error) => project::position(error),
                Self::Policy(error) => error.position(),
                _ => None,
            },
            expected,
            actual,
            next: self.next(),
            problems: match self {
                Self::Policy(error) => error.problems(),
                _ => Vec::new(),
            },
        }
    }

    fn file(&self) -> Option<&Path> {
        match self {
            Self::Project(error) => project::file(error),
            Self::Policy(error) => Some(error.file()),
            Self::Client { path, .. } => Some(path),
            Self::Unreadable { path, .. }
            | Self::Unwritable { path, .. }
            | Self::TooLarge { path, .. }
            | Self::NotRegular { path }
            | Self::Json { path, .. }
            | Self::SurfaceFile { path, .. }
            | Self::SurfaceTooLarge { path, .. }
            | Self::Contract { path, .. }
            | Self::Fusion { path, .. }
            | Self::ModesDiffer { fusion: path }
            | Self::BadManifest { path, .. }
            | Self::NoTools { path }
            | Self::IncompleteList { path }
            | Self::Definition { path, .. }
            | Self::DuplicateTool { path, .. }
            | Self::NotADirectory { path }
            | Self::Exists { path } => Some(path),
            Self::NoManifest { directory } | Self::AmbiguousManifest { directory, .. } => {
                Some(directory)
            }
            Self::StdinTwice
            | Self::BadName { .. }
            | Self::NotApproved { .. }
            | Self::NoVariable { .. }
            | Self::BadUrl { .. }
            | Self::BadHeader { .. }
            | Self::Observe(_)
            | Self::Server(_)
            | Self::Internal { .. }
            | Self::UnknownCode { .. } => None,
        }
    }

    fn expected_and_actual(&self) -> (Option<String>, Option<String>) {
        let both = |expected: &str, actual: String| (Some(expected.to_owned()), Some(actual));
        match self {
            Self::Unreadable { source, .. } => both("a readable file", source.to_string()),
            Self::Unwritable { source, .. } => both("a place to write to", source.to_string()),
            Self::TooLarge { limit, .. } => {
                both(&format!("at most {limit} bytes"), "more than that".to_owned())
            }
            Self::NotRegular { .. } => {
                both("a regular file", "a directory, a pipe or a device".to_owned())
            }
            Self::Internal { .. } => both("a verdict", "a defect in facet".to_owned()),
            Self::StdinTwice => both("`-` once", "`-` several times".to_owned()),
            Self::Json { source, .. } => {
                let problem = facets_model::manifest::Problem::from_json(source);
                both(&problem.allowed, problem.found)
            }
            Self::SurfaceFile { source, .. } => {
                both("a surface file as `facet inspect --save` writes it", source.to_string())
            }
            Self::SurfaceTooLarge { .. }
            | Self::Contract { .. }
            | Self::Fusion { .. }
            | Self::ModesDiffer { .. }
            | Self::BadManifest { .. } => self.contract_expected_and_actual(),
            Self::NoTools { .. } => both(
                "a surface file, a reply to tools/list, or its result",
                "something else".to_owned(),
            ),
            Self::IncompleteList { .. } => {
                both("the whole list", "a `nextCursor`: there are more pages".to_owned())
            }
            Self::BadHeader { .. } => {
                both("printable ASCII on one line", "something else, not shown".to_owned())
            }
            Self::Definition { source, .. } => both("a tool definition", source.to_string()),
            Self::DuplicateTool { .. } => both("each name once", "the name twice".to_owned()),
            Self::NotApproved { asked } => {
                let answer = if *asked { "the answer was no" } else { "nobody to ask here" };
                both("a yes", answer.to_owned())
            }
            Self::NoVariable { .. } => both("a value in the environment", "none".to_owned()),
            Self::BadUrl { source, .. } => {
                both("an absolute http or https URL without credentials", source.to_string())
            }
            Self::Observe(error) => observe::expected_and_actual(error),
            Self::Project(error) => project::expected_and_actual(error),
            Self::Server(error) => error.expected_and_actual(),
            Self::Policy(error) => error.expected_and_actual(),
            Self::Client { source, .. } => both("a file that can be edited", source.to_string()),
            Self::NoManifest { .. } => {
                both("facet.json, facet.yaml or server.yaml", "none of them".to_owned())
            }
            Self::AmbiguousManifest { found, .. } => both("exactly one", found.join(" and ")),
            Self::BadName { source, .. } => both(
                "2 to 64 of a-z, 0-9 and single hyphens, beginning with a letter",
                source.to_string(),
            ),
            Self::NotADirectory { path } => {
                let there = if path.exists() { "a file" } else { "nothing" };
                both("a directory", there.to_owned())
            }
            Self::Exists { .. } => {
                both("no manifest, or just this file", "something else under its name".to_owned())
            }
            Self::UnknownCode { code, .. } => {
                both("a code that `facet explain` lists", format!("{code:?}"))
            }
        }
    }

    fn contract_expected_and_actual(&self) -> (Option<String>, Option<String>) {
        let both = |expected: &str, actual: String| (Some(expected.to_owned()), Some(actual));
        match self {
            Self::SurfaceTooLarge { limit, .. } => both(
                &format!("a file of at most {limit} bytes and 8,000,000 values"),
                "more than that; nothing was written".to_owned(),
            ),
            Self::Contract { source, .. } => {
                both("a contract, or contracts by the names of their tools", source.to_string())
            }
            Self::Fusion { source, .. } => {
                both("a ToolContract, or contracts by name", source.to_string())
            }
            Self::ModesDiffer { .. } => both(
                "two of the same kind",
                "this one is of MCP Fusion, the other is not".to_owned(),
            ),
            Self::BadManifest { problems, .. } => {
                let plural = if *problems == 1 { "" } else { "s" };
                both("a manifest in order", format!("{problems} problem{plural}"))
            }
            _ => (None, None),
        }
    }

    fn next(&self) -> String {
        match self {
            Self::NoManifest { directory } => {
                format!("facet init facet {}", shell_word(directory))
            }
            Self::BadName { next, .. } => next.clone(),
            Self::Contract { path, fusion: true, .. } => {
                format!("facet digest contract --mode fusion-v1 {}", shell_word(path))
            }
            Self::BadManifest { path, .. } => {
                let folder = path.parent().unwrap_or(Path::new("."));
                format!("facet build --check {}", shell_word(folder))
            }
            Self::Observe(error) if observe::code(error) == "server-unauthorized" => {
                "facet inspect URL --header Authorization=MY_TOKEN".to_owned()
            }
            Self::Project(error) => project::next(error),
            Self::Server(error) => error.next(),
            Self::Policy(error) => error.next(),
            Self::NotApproved { .. } => "facet explain not-approved".to_owned(),
            Self::NoVariable { name } => format!("export {name}=…"),
            Self::UnknownCode { nearest, .. } => format!("facet explain {nearest}"),
            Self::StdinTwice => "facet digest file -".to_owned(),
            _ => format!("facet explain {}", self.code()),
        }
    }
}
