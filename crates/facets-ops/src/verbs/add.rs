//! `facet add`: begin to trust a server.

use std::collections::BTreeMap;
use std::path::PathBuf;

use facets_model::Origin;

use crate::consent::{ApprovalPage, Consent};
use crate::error::{OpsError, ServerError};
use crate::pinning::{NewServer, pin_new};
use crate::replacing::replace_pin;

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
    /// Whether the name is new.
    pub mode: AddMode,
}

/// Whether a name is new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddMode {
    /// It must not be taken.
    New,
    /// The server of this name is replaced: what the new one declares is compared with the old pin.
    Replace,
}

/// Starts or calls a server, shows what it declares, and pins it if the answer is yes.
pub fn add(request: AddRequest, consent: &dyn Consent) -> Result<ApprovalPage, OpsError> {
    let AddRequest { name, origin, start_directory, timeout, source, mode } = request;
    let source = source.map(text_of).transpose()?;
    let directory = start_directory.map(text_of).transpose()?;
    let given = BTreeMap::new();
    let server = NewServer { name, origin, directory, timeout, source, given };
    match mode {
        AddMode::New => pin_new(server, consent),
        AddMode::Replace => replace_pin(server, consent),
    }
}

fn text_of(path: PathBuf) -> Result<String, OpsError> {
    path.into_os_string().into_string().map_err(|_| ServerError::NotText.into())
}
