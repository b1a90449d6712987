//! From an origin and its pin to something that can be started: shown in full, asked for, prepared.

mod address;
mod command;
mod package;
mod source_mode;

use facets_launch::Launchable;
use facets_lock::Pin;
use facets_model::Origin;

use crate::consent::Consent;
use crate::error::{OpsError, ServerError};
use crate::launch_options::LaunchOptions;

/// Shows what would be started or called, and prepares it if the answer is yes.
pub(crate) fn prepare(
    (origin, pin): (&Origin, &Pin),
    options: &LaunchOptions<'_>,
    consent: &dyn Consent,
) -> Result<Launchable, OpsError> {
    match (origin, pin) {
        (Origin::Command(command), Pin::AsWritten) => {
            command::prepare(origin, command, options, consent).map(Launchable::Process)
        }
        (Origin::Address(address), Pin::AsWritten) => {
            address::prepare(origin, address, options, consent).map(Launchable::Remote)
        }
        (Origin::SourceMode(artifact), Pin::Artifact(pin)) => {
            source_mode::prepare(origin, (artifact, pin), options, consent).map(Launchable::Process)
        }
        (Origin::Package(package), Pin::Package(pin)) => {
            package::prepare(origin, (package, pin), options, consent).map(Launchable::Process)
        }
        // An artifact is started by its bytes, and nothing else has a pin of them.
        (Origin::SourceMode(_) | Origin::Package(_), Pin::AsWritten)
        | (_, Pin::Artifact(_) | Pin::Package(_)) => {
            Err(ServerError::NotInline { name: origin.to_string() }.into())
        }
    }
}
