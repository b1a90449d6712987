//! Whoever decides whether something is started, and whether it is trusted.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use facets_drift::{Finding, FirstLook};
use facets_lock::Grants;
use facets_probe::Sandbox;
use facets_surface::{Surface, SurfaceHashes};

use crate::SurfaceWarning;
use crate::adopt::Found;
use crate::clients::FileEdit;

/// Whoever decides.
pub trait Consent {
    /// Whether somebody can answer, or has answered already.
    fn is_there(&self) -> bool;
    /// Whether nobody will be asked, because the answer is known or nobody is there.
    fn has_answered(&self) -> bool;
    /// Shows what would be started, in full, and says whether it may be.
    fn may_start(&self, launch: &LaunchShown<'_>) -> Answer;
    /// Shows what would be trusted, and says whether it is.
    fn may_pin(&self, page: &ApprovalPage) -> Answer;
    /// Shows what clients start today, and says whether it is pinned.
    fn may_adopt(&self, _found: &[Found]) -> Answer {
        Answer::Nobody
    }
    /// Shows how files of clients would change, and says whether they do.
    fn may_rewrite(&self, _edits: &[FileEdit]) -> Answer {
        Answer::Nobody
    }
    /// Shows what a server would be granted, and says whether it is. Nobody says so unless
    /// somebody was asked.
    fn may_grant(&self, _name: &str, _wider: &[&str], _grants: &Grants) -> Answer {
        Answer::Nobody
    }
}

/// What would be started.
#[derive(Debug)]
pub struct LaunchShown<'a> {
    /// The command line; empty for an address.
    pub words: &'a [OsString],
    /// The address; none for a command.
    pub url: Option<&'a str>,
    /// Headers that it would get, and the variables that hold their values.
    pub headers: &'a [(String, String)],
    /// The file that its first word leads to.
    pub program: Option<PathBuf>,
    /// Variables whose values it would see.
    pub variables: &'a [String],
    /// Where it would start.
    pub directory: &'a Path,
    /// What it would be kept from.
    pub sandbox: &'a Sandbox,
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
    /// There is nobody to ask.
    Nobody,
}

impl Answer {
    /// Anything but a yes ends it, and says what was not done and how to say yes.
    pub(crate) fn or_leave(
        self,
        undone: &'static str,
        next: String,
    ) -> Result<(), crate::OpsError> {
        match self {
            Self::Yes => Ok(()),
            other => {
                let asked = other == Self::No;
                Err(crate::ServerError::Unanswered { undone, next, asked }.into())
            }
        }
    }

    /// Anything but a yes ends it.
    pub(crate) fn required(self) -> Result<(), crate::OpsError> {
        match self {
            Self::Yes => Ok(()),
            Self::No => Err(crate::OpsError::NotApproved { asked: true }),
            Self::Nobody => Err(crate::OpsError::NotApproved { asked: false }),
        }
    }
}
