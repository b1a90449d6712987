//! Whoever decides whether something is started, and whether it is trusted.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use facets_archive::ServerArchive;
use facets_drift::{Finding, FirstLook, Severity};
pub use facets_launch::{Filesystem, Network, Sandbox};
use facets_lock::{ArtifactPin, Grants, StartSettings};
use facets_model::manifest::Variable;
use facets_model::{Origin, PackageOrigin};
use facets_project::PrivateHome;
use facets_surface::{Surface, SurfaceHashes};

pub use crate::client_entries::{EntryOutcome, FoundEntry, PlannedEntry};
pub use crate::client_files::FileEdit;
use crate::error::{OpsError, ServerError};
pub use crate::install_page::InstallPage;
pub use crate::packages::PackageShown;
use crate::program_files::OpenedFiles;
pub use crate::publish_page::PublishPage;
pub use crate::start_obstacle::StartObstacle;
use crate::start_progress::{NoStartProgress, StartProgress};
use crate::surface_warnings::SurfaceWarning;

/// Whoever decides.
pub trait Consent {
    /// Whether somebody can answer, or has answered already.
    fn can_answer(&self) -> bool;
    /// Whether nobody will be asked, because the answer is known or nobody is there.
    fn has_answered(&self) -> bool;
    /// How bad something may be that a yes beforehand is a yes to (spec 8.5).
    fn accepts(&self) -> Severity {
        Severity::Moderate
    }
    /// Shows what would be started, in full, and says whether it may be.
    fn may_start(&self, launch: &LaunchShown<'_>) -> Answer;
    /// The same with the values that a facet gives its variables, which decide what it does as its arguments do.
    fn may_start_with(
        &self,
        launch: &LaunchShown<'_>,
        _values: &BTreeMap<String, String>,
    ) -> Answer {
        self.may_start(launch)
    }
    /// Shows that a command runs a package, and says whether that is locked instead.
    fn may_lock(&self, _package: &PackageOrigin, _note: Option<&str>) -> Answer {
        if self.can_answer() { Answer::Yes } else { Answer::NoTerminal }
    }
    /// Shows what would be trusted, and says whether it is.
    fn may_pin(&self, page: &ApprovalPage) -> Answer;
    /// Shows what a yes that was given beforehand does not cover. Nobody is asked.
    fn show_refused(&self, _page: &ApprovalPage) {}
    /// Shows what was approved in another place just as it is here, and says whether it is approved here,
    /// too: one question for all of them.
    fn may_move(&self, _moved: &[MovedServer]) -> Answer {
        Answer::NoTerminal
    }
    /// Shows what servers keep, and says whether it is removed.
    fn may_clear(&self, _homes: &[PrivateHome]) -> Answer {
        Answer::NoTerminal
    }
    /// Shows what clients start today, and says whether it is started to be looked at.
    fn may_adopt(&self, _found: &[FoundEntry]) -> Answer {
        Answer::NoTerminal
    }
    /// Shows several servers without critical findings, and says whether all of them are trusted.
    fn may_pin_all(&self, _pages: &[&ApprovalPage]) -> Answer {
        Answer::NoTerminal
    }
    /// Shows how files of clients would change, and says whether they do.
    fn may_rewrite(&self, _edits: &[FileEdit]) -> Answer {
        Answer::NoTerminal
    }
    /// Shows how files of clients would change if servers are removed, and says whether both is done.
    fn may_remove(&self, _names: &[String], _edits: &[FileEdit]) -> Answer {
        Answer::NoTerminal
    }
    /// Shows what a server would be granted, and says whether it is. Nobody says so unless
    /// somebody was asked.
    fn may_grant(&self, _name: &str, _wider: &[&str], _grants: &Grants) -> Answer {
        Answer::NoTerminal
    }
    /// Shows why a server would not start with what it is to be granted, and says whether they
    /// are changed anyway.
    fn may_conflict(&self, _name: &str, _obstacles: &[StartObstacle]) -> Answer {
        Answer::NoTerminal
    }
    /// Shows what would be installed, and says whether it is: texts are written, servers of a registry started in
    /// a sandbox to be looked at.
    fn may_install(&self, _page: &InstallPage) -> Answer {
        Answer::NoTerminal
    }
    /// Shows what is installed without a question, or refused without one.
    fn show_install(&self, _page: &InstallPage) {}
    /// Shows what would be published, and says whether it is.
    fn may_publish(&self, _page: &PublishPage) -> Answer {
        Answer::NoTerminal
    }
    /// Who sees how far the start of a server has come.
    fn progress(&self) -> &dyn StartProgress {
        &NoStartProgress
    }
}

/// What would be started.
#[derive(Debug)]
pub struct LaunchShown<'a> {
    /// What was asked for.
    pub origin: &'a Origin,
    /// The file that its first word leads to.
    pub program: Option<PathBuf>,
    /// Where it would start.
    pub directory: &'a Path,
    /// What it would be kept from.
    pub sandbox: &'a Sandbox,
    /// What it has in it, if it is an artifact.
    pub artifact: Option<&'a ArtifactShown>,
    /// What exactly it is, if it is a package.
    pub package: Option<&'a PackageShown>,
    /// What it would be confined to; none where that is decided later.
    pub grants: Option<&'a Grants>,
}

/// An artifact, as it is shown before it is started or trusted.
#[derive(Clone, Debug)]
pub struct ArtifactShown {
    /// Its name, version, hashes and runtime.
    pub pin: ArtifactPin,
    /// The file that its runtime starts.
    pub entry: String,
    /// How many files it has.
    pub files: usize,
    /// The variables that its manifest lists.
    pub variables: Vec<Variable>,
}

impl ArtifactShown {
    /// Of an archive that was verified.
    pub(crate) fn of(server: &ServerArchive, pin: &ArtifactPin) -> Self {
        Self {
            pin: pin.clone(),
            entry: server.manifest.entry.to_string(),
            files: server.index.files.len(),
            variables: server.manifest.env.clone(),
        }
    }
}

/// What would be trusted.
#[derive(Debug)]
pub struct ApprovalPage {
    /// The name of the server in this project.
    pub name: String,
    /// What it declares.
    pub surface: Surface,
    /// The hashes of that.
    pub hashes: SurfaceHashes,
    /// Its tools and what is suspicious.
    pub look: FirstLook,
    /// What else is worth a second look.
    pub warnings: Vec<SurfaceWarning>,
    /// What changed since it was approved; none if it never was.
    pub changes: Option<Vec<Finding>>,
    /// Where its source lies, if that is looked at.
    pub source: Option<String>,
    /// What it has in it, if it is an artifact.
    pub artifact: Option<ArtifactShown>,
    /// What exactly it is, if it is a package.
    pub package: Option<PackageShown>,
    /// What it may do.
    pub grants: Grants,
    /// How it starts; none if it runs elsewhere.
    pub settings: Option<StartSettings>,
    /// What it declares otherwise on this machine.
    pub varies: Vec<Finding>,
    /// The files that its grants open to it; none if it has all of them, or runs elsewhere.
    pub opened: Option<OpenedFiles>,
    /// What was pinned under its name, if that is replaced, and what replaces it.
    pub replaces: Option<Replacement>,
    /// Which file of a client the values of its variables are from, where several differ.
    pub notes: Vec<String>,
}

/// One launch in place of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// What was pinned.
    pub old: Origin,
    /// What is to be pinned.
    pub new: Origin,
}

/// A server that this user has approved in another place, just as it is here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MovedServer {
    /// Its name.
    pub name: String,
    /// What was asked for.
    pub origin: Origin,
    /// Where it was approved.
    pub project: String,
    /// Whether that place is gone.
    pub is_gone: bool,
    /// What it may do.
    pub grants: Grants,
}

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Do it.
    Yes,
    /// Do not.
    No,
    /// There is no terminal to ask at.
    NoTerminal,
}

impl Answer {
    /// Anything but a yes ends it, and says what was not done and how to say yes.
    pub(crate) fn or_refuse(self, undone: &'static str, next: String) -> Result<(), OpsError> {
        match self {
            Self::Yes => Ok(()),
            other => {
                let asked = other == Self::No;
                Err(ServerError::Unanswered { undone, next, asked }.into())
            }
        }
    }

    /// Anything but a yes ends it.
    pub(crate) fn required(self) -> Result<(), OpsError> {
        match self {
            Self::Yes => Ok(()),
            Self::No => Err(OpsError::NotApproved { asked: true }),
            Self::NoTerminal => Err(OpsError::NotApproved { asked: false }),
        }
    }
}

/// Whoever types an address wants it to be called; anything else is asked for.
pub(crate) struct TypedAddress<'c>(pub(crate) &'c dyn Consent);

impl Consent for TypedAddress<'_> {
    fn can_answer(&self) -> bool {
        self.0.can_answer()
    }

    fn has_answered(&self) -> bool {
        self.0.has_answered()
    }

    fn accepts(&self) -> Severity {
        self.0.accepts()
    }

    fn may_start(&self, launch: &LaunchShown<'_>) -> Answer {
        if launch.origin.is_remote() { Answer::Yes } else { self.0.may_start(launch) }
    }

    fn may_start_with(
        &self,
        launch: &LaunchShown<'_>,
        values: &BTreeMap<String, String>,
    ) -> Answer {
        if launch.origin.is_remote() { Answer::Yes } else { self.0.may_start_with(launch, values) }
    }

    fn may_pin(&self, page: &ApprovalPage) -> Answer {
        self.0.may_pin(page)
    }

    fn progress(&self) -> &dyn StartProgress {
        self.0.progress()
    }
}

/// Everything that would be started was shown at once, and somebody said yes to that.
pub(crate) struct StartAgreed<'c>(pub(crate) &'c dyn Consent);

impl Consent for StartAgreed<'_> {
    fn can_answer(&self) -> bool {
        self.0.can_answer()
    }

    fn has_answered(&self) -> bool {
        self.0.has_answered()
    }

    fn accepts(&self) -> Severity {
        self.0.accepts()
    }

    fn may_start(&self, _: &LaunchShown<'_>) -> Answer {
        Answer::Yes
    }

    fn may_pin(&self, page: &ApprovalPage) -> Answer {
        self.0.may_pin(page)
    }

    fn progress(&self) -> &dyn StartProgress {
        self.0.progress()
    }
}

/// Commands and addresses of facets were accepted beforehand, also where nobody can answer (`--accept-mcp`).
pub(crate) struct StartAccepted<'c>(pub(crate) &'c dyn Consent);

impl Consent for StartAccepted<'_> {
    fn can_answer(&self) -> bool {
        true
    }

    fn has_answered(&self) -> bool {
        self.0.has_answered()
    }

    fn accepts(&self) -> Severity {
        self.0.accepts()
    }

    fn may_start(&self, _: &LaunchShown<'_>) -> Answer {
        Answer::Yes
    }

    fn may_pin(&self, page: &ApprovalPage) -> Answer {
        self.0.may_pin(page)
    }

    fn progress(&self) -> &dyn StartProgress {
        self.0.progress()
    }
}

/// What was approved is started without a question.
pub(crate) struct AlreadyApproved;

impl Consent for AlreadyApproved {
    fn can_answer(&self) -> bool {
        true
    }

    fn has_answered(&self) -> bool {
        true
    }

    fn may_start(&self, _: &LaunchShown<'_>) -> Answer {
        Answer::Yes
    }

    fn may_pin(&self, _: &ApprovalPage) -> Answer {
        Answer::No
    }
}
