//! The members of a lock entry that say where a server comes from: written, read and hashed.

mod address;
mod command;

use facets_digest::json::write_string;
use facets_digest::{Digest, Hasher};
use facets_model::Origin;

use crate::error::LockError;
use crate::members::EntryMembers;
use crate::pin::Pin;
use crate::settings::StartSettings;

/// The names that these members can have, of every kind of origin.
pub(crate) const KNOWN: &[&str] = &["command", "args", "env", "url", "headers"];

/// The members as JSON, in the order in which they are written.
pub(crate) fn write(origin: &Origin) -> Vec<(&'static str, String)> {
    match origin {
        Origin::Command(command) => command::write(command),
        Origin::Address(address) => address::write(address),
    }
}

/// Reads the members of an entry.
pub(crate) fn read(entry: &EntryMembers<'_>) -> Result<Origin, LockError> {
    match entry.raw("url") {
        None => command::read(entry).map(Origin::Command),
        Some(_) => address::read(entry).map(Origin::Address),
    }
}

/// spec 8.2: `launch`, the digest of exactly how a server starts
#[must_use]
pub fn launch_digest(origin: &Origin, pin: Pin, settings: &StartSettings) -> Digest {
    let mut members = write(origin);
    members.extend(pin.members());
    members.extend(settings.members());
    members.sort_unstable();
    let mut form = Vec::new();
    facets_digest::json::write_list(['{', '}'], &members, &mut form, |(name, value), out| {
        write_string(name, out);
        out.push(b':');
        out.extend_from_slice(value.as_bytes());
    });
    let mut hasher = Hasher::with_domain("launch");
    hasher.update(&form);
    hasher.finish()
}
