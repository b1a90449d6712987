//! How a server starts, whatever it is: environment, place and patience (spec 5.2, 8.2).

use facets_digest::json::quoted;

use crate::error::LockError;
use crate::grants::Grants;
use crate::members::EntryMembers;
use crate::profile::Profile;

/// The names of the members that hold them.
pub(crate) const KNOWN: &[&str] = &["directory", "profile", "timeout"];

/// The longest time to wait for an answer, in seconds.
const LONGEST: u64 = 600;

/// How a server starts, beside what is started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StartSettings {
    /// The environment.
    pub profile: Profile,
    /// The directory, from that of the lock on; none is the usual one.
    pub directory: Option<String>,
    /// Seconds to wait for an answer, if other than usual.
    pub timeout: Option<u64>,
}

impl StartSettings {
    /// The members as JSON, in the order in which they are written. Those of an older facet are none.
    pub(crate) fn members(&self) -> Vec<(&'static str, String)> {
        let mut members = Vec::new();
        members.extend(self.directory.as_deref().map(|place| ("directory", quoted(place))));
        if self.profile != Profile::Scratch {
            members.push(("profile", quoted(self.profile.name())));
        }
        members.extend(self.timeout.map(|seconds| ("timeout", seconds.to_string())));
        members
    }

    /// Reads the members of an entry.
    pub(crate) fn read(entry: &EntryMembers<'_>, grants: &Grants) -> Result<Self, LockError> {
        let directory = entry.raw("directory").map(|_| entry.text("directory")).transpose()?;
        if directory.as_ref().is_some_and(|place| place.is_empty() || place.contains('\0')) {
            return Err(entry.bad("directory", "a directory"));
        }
        let profile = match entry.raw("profile") {
            None => Profile::Scratch,
            Some("\"native\"") => Profile::Native,
            Some("\"private\"") => Profile::Private,
            Some(_) => return Err(entry.bad("profile", "`native` or `private`")),
        };
        if profile != profile.with_grants(grants) {
            return Err(entry.bad("profile", "the profile that its `filesystem` grant requires"));
        }
        Ok(Self { profile, directory, timeout: timeout(entry)? })
    }
}

fn timeout(entry: &EntryMembers<'_>) -> Result<Option<u64>, LockError> {
    let Some(raw) = entry.raw("timeout") else { return Ok(None) };
    // As facet writes it: other ways to write a number have another digest.
    let seconds = raw.parse().ok().filter(|seconds| (1..=LONGEST).contains(seconds));
    let seconds = seconds.filter(|seconds: &u64| seconds.to_string() == raw);
    seconds.map(Some).ok_or_else(|| entry.bad("timeout", "a number of seconds from 1 to 600"))
}
