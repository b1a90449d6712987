//! The members of a lock entry that say where a server comes from: written, read and hashed.

mod address;
mod command;
mod package;
mod source_mode;

use facets_digest::json::write_string;
use facets_digest::{Digest, Hasher};
use facets_model::Origin;

use crate::error::LockError;
use crate::members::EntryMembers;
use crate::pin::Pin;
use crate::settings::StartSettings;

/// The names that these members can have in an entry that is started as written.
const AS_WRITTEN: &[&str] = &["command", "args", "env", "url", "headers"];

/// Where an artifact was built says nothing about how it starts: the same bytes are started wherever they
/// lay. The digests of trees follow from the closure.
const NOT_LAUNCHED: &[&str] = &["path", "trees"];

/// The names that these members can have. Of other kinds they are members that this facet does not know.
pub(crate) fn known(origin: &Origin) -> &'static [&'static str] {
    match origin {
        Origin::Command(_) | Origin::Address(_) => AS_WRITTEN,
        Origin::SourceMode(_) => source_mode::KNOWN,
        Origin::Package(_) => package::KNOWN,
    }
}

/// The members as JSON, in the order in which they are written.
pub(crate) fn write(origin: &Origin) -> Vec<(&'static str, String)> {
    match origin {
        Origin::Command(command) => command::write(command),
        Origin::Address(address) => address::write(address),
        Origin::SourceMode(artifact) => source_mode::write(artifact),
        Origin::Package(origin) => package::write(origin),
    }
}

/// Reads the members of an entry.
pub(crate) fn read(entry: &EntryMembers<'_>) -> Result<Origin, LockError> {
    if entry.raw("url").is_some() {
        return address::read(entry).map(Origin::Address);
    }
    if entry.raw("package").is_some() {
        return package::read(entry).map(Origin::Package);
    }
    if entry.raw("command").is_none() && source_mode::is_meant_by(entry) {
        return source_mode::read(entry).map(Origin::SourceMode);
    }
    command::read(entry).map(Origin::Command)
}

/// spec 8.2: `launch`, the digest of exactly how a server starts
#[must_use]
pub fn launch_digest(origin: &Origin, pin: &Pin, settings: &StartSettings) -> Digest {
    let mut members = write(origin);
    members.retain(|(name, _)| !NOT_LAUNCHED.contains(name));
    members.extend(pin.members().into_iter().filter(|(name, _)| !NOT_LAUNCHED.contains(name)));
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
