//! `facet add`: begin to trust a server.

use std::collections::BTreeMap;
use std::path::PathBuf;

use facets_mcp::CaptureOptions;
use facets_model::Origin;

use crate::consent::{ApprovalPage, Consent};
use crate::error::{OpsError, ServerError};
use crate::pinning::{NewServer, pin_new};

/// What to add.
#[derive(Debug)]
pub struct AddRequest {
    /// Its name in this project.
    pub name: String,
    /// Where it comes from.
    pub origin: Origin,
    /// Limits and era.
    pub options: CaptureOptions,
    /// Where its source lies.
    pub source: Option<PathBuf>,
}

/// Starts or calls a server, shows what it declares, and pins it if the answer is yes.
pub fn add(request: AddRequest, consent: &dyn Consent) -> Result<ApprovalPage, OpsError> {
    let AddRequest { name, origin, options, source } = request;
    let source = source.map(text_of).transpose()?;
    pin_new(NewServer { name, origin, options, source, given: BTreeMap::new() }, consent)
}

fn text_of(path: PathBuf) -> Result<String, OpsError> {
    path.into_os_string().into_string().map_err(|_| ServerError::NotText.into())
}
