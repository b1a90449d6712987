//! Why facet could not judge.

mod acquire;
mod artifact;
mod build;
mod bundle;
mod files_and_names;
mod install;
mod narrowed;
mod next;
mod package;
mod publish;
mod registry_client;
mod server;
mod server_codes;
mod server_next;
mod start;
mod task;
mod unanswered;

use std::path::{Path, PathBuf};

use facets_archive::ArchiveError;
use facets_digest::json::{JsonError, Position};
use facets_failure::{Describe, FileProblem, LineColumn, Note, Stderr};
use facets_file_hashes::FileHashesError;
use facets_files::FileError;
use facets_model::{NameError, UrlError};
use facets_packages::PackageError;
use facets_policy::PolicyError;
use facets_probe::ObserveError;
use facets_project::ProjectError;
use facets_runtime::RuntimeError;
use facets_store::StoreError;
use facets_surface::fusion::FusionError;
use facets_surface::{ContractError, DefinitionError, SurfaceFileError};

pub use acquire::AcquireError;
pub use artifact::{ArtifactError, SourceLook};
pub use build::BuildError;
pub use bundle::{BundleError, RefusedPackage};
pub use install::{InstallCheck, InstallError};
pub use narrowed::NarrowedOnly;
pub use package::PackageStartError;
pub use publish::PublishError;
pub use server::ServerError;
pub use start::StartFailure;
pub use task::TaskError;
pub use unanswered::SAME_WITH_YES;
use unanswered::{CONFIRMATION, NO_TERMINAL, NOTHING_CHANGED};

/// Why facet could not judge.
#[derive(Debug, thiserror::Error)]
pub enum OpsError {
    /// A file could not be read or written.
    #[error("{0}")]
    File(#[from] FileError),
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
    #[error("cannot read {} as strict JSON", path.display())]
    Json {
        /// The document.
        path: PathBuf,
        /// What is wrong, and where.
        source: JsonError,
    },
    /// A file is not a surface file.
    #[error("{} is not a valid surface file", path.display())]
    SurfaceFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: SurfaceFileError,
    },
    /// A surface that would make a file that nobody could read.
    #[error("the surface is too large to save in {}", path.display())]
    SurfaceTooLarge {
        /// Where it was to be saved.
        path: PathBuf,
        /// The size that is still allowed.
        limit: u64,
    },
    /// A document is no contract.
    #[error("{} is not a valid contract", path.display())]
    Contract {
        /// The document.
        path: PathBuf,
        /// What is wrong with it.
        source: ContractError,
        /// Whether it is one of MCP Fusion.
        fusion: bool,
    },
    /// A document has no digest in the mode of MCP Fusion.
    #[error("cannot compute the fusion-v1 digest of {}", path.display())]
    Fusion {
        /// The document.
        path: PathBuf,
        /// What is wrong with it.
        source: FusionError,
    },
    /// Contracts of ours and of MCP Fusion.
    #[error("cannot compare contracts of different kinds")]
    ModesDiffer {
        /// The one of MCP Fusion.
        fusion: PathBuf,
    },
    /// A manifest that is needed has problems.
    #[error("{} is not a valid manifest", path.display())]
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
    #[error("{} is one page of a longer list", path.display())]
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
    /// A header is given twice.
    #[error("the header {name} is given more than once")]
    HeaderTwice {
        /// The header.
        name: String,
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
    #[error("duplicate tool {name:?} in {}", path.display())]
    DuplicateTool {
        /// The document.
        path: PathBuf,
        /// The name.
        name: String,
    },
    /// Nobody said that the server may be started.
    #[error("{}", if *asked { NOTHING_CHANGED } else { "the server was not started" })]
    NotApproved {
        /// Whether somebody was asked, and said no.
        asked: bool,
    },
    /// A variable that is to be passed on is not set.
    #[error("environment variable {name} is not set")]
    NoVariable {
        /// Its name.
        name: String,
        /// Files of clients that could have had its value.
        looked: Vec<String>,
    },
    /// A URL that we do not connect to.
    #[error("unsupported URL")]
    BadUrl {
        /// What is wrong with it.
        source: UrlError,
        /// The command that may be meant.
        next: Option<String>,
    },
    /// A server could not be started, reached, or understood.
    #[error("{0}")]
    Observe(#[from] ObserveError),
    /// The same of a process, with everything that says why.
    #[error("{0}")]
    Start(Box<StartFailure>),
    /// Grants were narrowed on this machine, and not written into the lock.
    #[error("{0}")]
    Narrowed(Box<NarrowedOnly>),
    /// A project cannot be read or changed.
    #[error("{0}")]
    Project(#[from] ProjectError),
    /// The store cannot be read or changed.
    #[error("{0}")]
    Store(#[from] StoreError),
    /// A runtime cannot be used.
    #[error("{0}")]
    Runtime(#[from] RuntimeError),
    /// An archive is refused, or cannot be read or written.
    #[error("{0}")]
    Archive(#[from] ArchiveError),
    /// The same of an archive that was given.
    #[error("cannot use {}: {source}", path.display())]
    ArchiveFile {
        /// The archive.
        path: PathBuf,
        /// What is wrong with it.
        source: Box<ArchiveError>,
    },
    /// An artifact could not be built.
    #[error("{0}")]
    Build(#[from] BuildError),
    /// The packages of a server could not be bundled.
    #[error("{0}")]
    Bundle(#[from] BundleError),
    /// Something could not be published, or a registry was of no help.
    #[error("{0}")]
    Publish(#[from] PublishError),
    /// Something was not installed.
    #[error("{0}")]
    Install(#[from] InstallError),
    /// Something is in the way of an artifact.
    #[error("{0}")]
    Artifact(#[from] ArtifactError),
    /// A package cannot be started.
    #[error(transparent)]
    PackageStart(#[from] PackageStartError),
    /// A package cannot be resolved, fetched or unpacked.
    #[error(transparent)]
    Package(#[from] PackageError),
    /// Something about a server of the project.
    #[error("{0}")]
    Server(#[from] ServerError),
    /// Something about the policy.
    #[error("{0}")]
    Policy(#[from] PolicyError),
    /// The hashes of a `server.json` could not be looked at.
    #[error("{0}")]
    FileHashes(#[from] FileHashesError),
    /// Nothing to scan.
    #[error("no JavaScript or TypeScript in {}", path.display())]
    NoSource {
        /// What was given.
        path: PathBuf,
        /// Whether it is a directory.
        is_folder: bool,
    },
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
    #[error("{} already exists", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The name for a new manifest is not one.
    #[error("{found:?} is not a valid name")]
    BadName {
        /// The name, given or taken from the directory.
        found: String,
        /// What is wrong with it.
        source: NameError,
        /// The command with a name that would do.
        next: String,
    },
    /// A defect in facet, while it judged something.
    #[error("internal error in facet while checking {subject}")]
    Internal {
        /// What it judged.
        subject: String,
    },
    /// `explain` was asked for a code that there is not.
    #[error("unknown code {code:?}")]
    UnknownCode {
        /// What was asked for.
        code: String,
        /// Codes that look like it, the most similar first.
        similar: Vec<&'static str>,
    },
}

impl OpsError {
    /// Every code that an error of this crate can have, beside those of the crates below.
    pub const CODES: &'static [&'static str] = &[
        "bad-header",
        "bad-url",
        "contract-modes-differ",
        "file-exists",
        "init-bad-name",
        "manifest-ambiguous",
        "manifest-not-found",
        "not-a-directory",
        "not-approved",
        "scan-no-source",
        "stdin-twice",
        "surface-incomplete",
        "surface-no-tools",
        "surface-too-large",
    ];

    /// Whether bytes that are stored are not those that were verified: that is an answer, not a failure.
    pub(crate) fn is_tampering(&self) -> bool {
        matches!(self.code(), "store-mismatch" | "store-swapped" | "store-tampered")
    }

    /// The error of a crate below that this one only passes on.
    fn inner(&self) -> Option<&dyn Describe> {
        match self {
            Self::File(error) => Some(error),
            Self::Observe(error) => Some(error),
            Self::Start(error) => Some(&**error),
            Self::Narrowed(error) => Some(&**error),
            Self::Project(error) => Some(error),
            Self::Store(error) => Some(error),
            Self::Runtime(error) => Some(error),
            Self::Archive(error) => Some(error),
            Self::ArchiveFile { source, .. } => Some(&**source),
            Self::Build(error) => Some(error),
            Self::Bundle(error) => Some(error),
            Self::Publish(error) => Some(error),
            Self::Install(error) => Some(error),
            Self::Artifact(error) => Some(error),
            Self::PackageStart(error) => Some(error),
            Self::Package(error) => Some(error),
            Self::Server(error) => Some(error),
            Self::Policy(error) => Some(error),
            Self::FileHashes(error) => Some(error),
            Self::Client { source, .. } => Some(source),
            Self::SurfaceFile { source, .. } => Some(source),
            Self::Contract { source, .. } => Some(source),
            Self::Fusion { source, .. } => Some(source),
            _ => None,
        }
    }

    /// What would have been right, and what was there, of the errors of this crate.
    fn expected_and_actual(&self) -> (String, String) {
        let both = |expected: &str, actual: &str| (expected.to_owned(), actual.to_owned());
        match self {
            Self::Internal { .. } => both("a result", "a defect in facet; nothing was decided"),
            Self::StdinTwice => both("`-` at most once", "`-` several times"),
            Self::Json { source, .. } => both(source.kind.expected(), &source.kind.found()),
            Self::SurfaceTooLarge { limit, .. } => both(
                &format!("a file of at most {limit} bytes and 8,000,000 values"),
                "a larger surface; nothing was written",
            ),
            Self::ModesDiffer { .. } => {
                both("two of the same kind", "this one is an MCP Fusion contract, the other is not")
            }
            Self::BadManifest { problems, .. } => {
                let plural = if *problems == 1 { "" } else { "s" };
                both("a valid manifest", &format!("{problems} problem{plural}"))
            }
            Self::NoTools { .. } => {
                both("a surface file, a reply to tools/list, or its result", "another document")
            }
            Self::IncompleteList { .. } => {
                both("the complete list", "a `nextCursor`: there are more pages")
            }
            Self::BadHeader { .. } => {
                both("printable ASCII on one line", "other characters (the value is not shown)")
            }
            Self::HeaderTwice { .. } => both("each header once", "a duplicate header"),
            Self::Definition { source, .. } => both("a valid tool definition", &source.to_string()),
            Self::DuplicateTool { .. } => both("each name once", "a duplicate name"),
            Self::NotApproved { .. } => both(CONFIRMATION, NO_TERMINAL),
            Self::NoVariable { looked, .. } if looked.is_empty() => {
                both("a value in the environment", "not set")
            }
            Self::NoVariable { looked, .. } => both(
                "a value in the environment, or in the client entry that starts this server",
                &format!(
                    "not set, and no guarded entry (facet doctor) has it in {}",
                    looked.join(", ")
                ),
            ),
            other => other.about_files_and_names(),
        }
    }
}

impl Describe for OpsError {
    fn code(&self) -> &'static str {
        match self {
            Self::StdinTwice => "stdin-twice",
            Self::Json { source, .. } => source.kind.code(),
            Self::SurfaceTooLarge { .. } => "surface-too-large",
            Self::ModesDiffer { .. } => "contract-modes-differ",
            Self::BadManifest { .. } => "manifest-has-problems",
            Self::NoTools { .. } => "surface-no-tools",
            Self::IncompleteList { .. } => "surface-incomplete",
            Self::BadHeader { .. } | Self::HeaderTwice { .. } => "bad-header",
            Self::Definition { .. } => "server-bad-definition",
            Self::DuplicateTool { .. } => "server-duplicate-name",
            Self::NotApproved { .. } => "not-approved",
            Self::NoVariable { .. } => "variable-not-set",
            Self::BadUrl { .. } => "bad-url",
            Self::NoSource { .. } => "scan-no-source",
            Self::NotADirectory { .. } => "not-a-directory",
            Self::NoManifest { .. } => "manifest-not-found",
            Self::AmbiguousManifest { .. } => "manifest-ambiguous",
            Self::Exists { .. } => "file-exists",
            Self::BadName { .. } => "init-bad-name",
            Self::Internal { .. } => "internal-error",
            Self::UnknownCode { .. } => "unknown-code",
            other => other.inner().map_or("internal-error", Describe::code),
        }
    }

    fn expected(&self) -> Option<String> {
        match self.inner() {
            Some(error) => error.expected(),
            None if matches!(self, Self::NotApproved { asked: true }) => None,
            None => Some(self.expected_and_actual().0),
        }
    }

    fn actual(&self) -> Option<String> {
        match self.inner() {
            Some(error) => error.actual(),
            None if matches!(self, Self::NotApproved { asked: true }) => None,
            None => Some(self.expected_and_actual().1),
        }
    }

    fn file(&self) -> Option<&Path> {
        self.path().or_else(|| self.inner()?.file())
    }

    fn place(&self) -> Option<LineColumn> {
        match self {
            Self::Json { source, .. } => {
                let Position { line, column, .. } = source.position;
                Some(LineColumn { line, column })
            }
            other => other.inner()?.place(),
        }
    }

    fn next(&self) -> String {
        self.next_step()
    }

    fn problems(&self) -> Vec<FileProblem> {
        self.inner().map(Describe::problems).unwrap_or_default()
    }

    fn error_output(&self) -> Option<Stderr> {
        self.inner().and_then(Describe::error_output)
    }

    fn notes(&self) -> Vec<Note> {
        self.inner().map(Describe::notes).unwrap_or_default()
    }
}
