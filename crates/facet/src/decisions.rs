//! Arguments of the commands about what this user has decided, and what servers keep.

use facets_face::Shown;
use facets_ops::OpsError;
use facets_ops::approvals::{WhichProjects, list_approvals, revoke_approvals};
use facets_ops::data::{DataRequest, clear_data, list_data};

use crate::args::{ApprovalsCommand, Which};
use crate::consent::Terminal;
use crate::render::Renderer;

pub(crate) fn run_approvals(
    command: Option<ApprovalsCommand>,
    renderer: &Renderer,
) -> Result<Shown, OpsError> {
    match command.unwrap_or_default() {
        ApprovalsCommand::List { which } => Ok(renderer.approvals(&list_approvals(&which.into())?)),
        ApprovalsCommand::Revoke { names, which } => {
            Ok(renderer.revoked(&revoke_approvals(&names, &which.into())?))
        }
    }
}

impl From<Which> for WhichProjects {
    fn from(which: Which) -> Self {
        match which {
            Which { all: true, .. } => Self::All,
            Which { project: Some(project), .. } => Self::At(project),
            Which { all: false, project: None } => Self::Here,
        }
    }
}

/// `clear` is whether the answer is known, if data is to be removed.
pub(crate) fn run_data(
    request: &DataRequest,
    clear: Option<bool>,
    renderer: &Renderer,
) -> Result<Shown, OpsError> {
    match clear {
        None => Ok(renderer.data(&list_data(request)?)),
        Some(yes) => Ok(renderer.cleared(&clear_data(request, &Terminal::new(yes))?)),
    }
}
