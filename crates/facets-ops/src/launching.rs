//! From an origin to something that can be started: shown in full, asked for, prepared.

mod address;
mod command;

use facets_launch::Launchable;
use facets_model::Origin;

use crate::consent::Consent;
use crate::error::OpsError;
use crate::launch_options::LaunchOptions;

/// Shows what would be started or called, and prepares it if the answer is yes.
pub(crate) fn prepare(
    origin: &Origin,
    options: &LaunchOptions,
    consent: &dyn Consent,
) -> Result<Launchable, OpsError> {
    match origin {
        Origin::Command(command) => {
            command::prepare(origin, command, options, consent).map(Launchable::Process)
        }
        Origin::Address(address) => {
            address::prepare(origin, address, options, consent).map(Launchable::Remote)
        }
    }
}
