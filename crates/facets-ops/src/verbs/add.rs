//! `facet add`: begin to trust a server.

use std::collections::BTreeMap;
use std::path::PathBuf;

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
    /// Where it starts; none is the project.
    pub start_directory: Option<PathBuf>,
    /// Seconds to wait for an answer, now and later; none is as usual.
    pub timeout: Option<u64>,
    /// Where its source lies.
    pub source: Option<PathBuf>,
}

/// Starts or calls a server, shows what it declares, and pins it if the answer is yes.
pub fn add(request: AddRequest, consent: &dyn Consent) -> Result<ApprovalPage, OpsError> {
    let AddRequest { name, origin, start_directory, timeout, source } = request;
    let source = source.map(text_of).transpose()?;
    let directory = start_directory.map(text_of).transpose()?;
    let given = BTreeMap::new();
    pin_new(NewServer { name, origin, directory, timeout, source, given }, consent)
}

fn text_of(path: PathBuf) -> Result<String, OpsError> {
    path.into_os_string().into_string().map_err(|_| ServerError::NotText.into())
}
