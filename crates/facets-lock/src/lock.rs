//! The lockfile as a whole (spec 8.1).

use std::collections::BTreeMap;

use facets_digest::json::{RawMember, split_object};
use facets_failure::LineColumn;
use facets_jsonc::{Order, remove_member, set_member};
use facets_model::InlineServerName;

use crate::error::LockError;
use crate::members::LIMITS;
use crate::place::place_of;
use crate::server::LockedServer;
use crate::settings;

/// The version of the reference's part that is written.
pub const LOCKFILE_VERSION: &str = "0.3";
/// The version of our part that is written.
pub const SERVERS_VERSION: &str = "2";
/// The versions of our part that are read. Entries of version 1 have no profile.
const READ_VERSIONS: &[&str] = &["1", SERVERS_VERSION];

/// What stands under a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LockedEntry {
    /// One of a kind that this facet can start, with everything that was approved.
    Server(Box<LockedServer>),
    /// Something that this facet does not start.
    Other,
    /// One of ours that is not as facet writes it: what is wrong with it.
    Broken(LockError),
}

/// A lockfile: its text, and what it says about servers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lock {
    text: String,
    servers: BTreeMap<String, LockedEntry>,
}

impl Lock {
    /// A lock without anything.
    #[must_use]
    pub fn empty() -> Self {
        let text =
            format!("{{\n  \"lockfileVersion\": {LOCKFILE_VERSION},\n  \"facets\": {{}}\n}}\n");
        Self { text, servers: BTreeMap::new() }
    }

    /// Reads a lock.
    pub fn parse(bytes: &[u8]) -> Result<Self, LockError> {
        let members = split_object(bytes, LIMITS)?.ok_or(LockError::NotALock)?;
        let raw = |name: &str| {
            members.iter().find(|member| member.name == name).map(|member| member.value)
        };
        let version = raw("lockfileVersion").ok_or(LockError::NotALock)?;
        if !["0.2", LOCKFILE_VERSION].contains(&version) {
            return Err(unknown("lockfileVersion", version, "0.2 and 0.3"));
        }
        let other = raw("serversVersion").filter(|found| !READ_VERSIONS.contains(found));
        if let Some(found) = other {
            return Err(unknown("serversVersion", found, "1 and 2"));
        }
        let servers = match raw("servers") {
            None => BTreeMap::new(),
            Some(text) => entries(text, raw("serversVersion"))?,
        };
        // It was read as JSON, so it is text.
        Ok(Self { text: String::from_utf8_lossy(bytes).into_owned(), servers })
    }

    /// The text, byte for byte.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The servers by name.
    #[must_use]
    pub fn servers(&self) -> &BTreeMap<String, LockedEntry> {
        &self.servers
    }

    /// One server.
    #[must_use]
    pub fn server(&self, name: &str) -> Option<&LockedServer> {
        match self.servers.get(name)? {
            LockedEntry::Server(server) => Some(server),
            LockedEntry::Other | LockedEntry::Broken(_) => None,
        }
    }

    /// Where the problem of an entry stands that is not as facet writes it; of any other, where that
    /// begins.
    #[must_use]
    pub fn place(&self, server: &str) -> Option<LineColumn> {
        let entry = self.servers.get(server)?;
        let mut names = vec!["servers", server];
        if let LockedEntry::Broken(LockError::Member { place, .. }) = entry {
            let below = place.strip_prefix(&format!("servers.{server}.")).unwrap_or_default();
            names.extend(below.split('.'));
        }
        place_of(&self.text, &names)
    }

    /// The lock with a server pinned, or pinned anew. What this facet does not know of the
    /// older entry stays.
    pub fn with_server(&self, name: &str, server: &LockedServer) -> Result<Self, LockError> {
        let mut server = server.clone();
        if let Some(old) = self.server(name) {
            server.keep_unknown(&old.unknown);
            // Who has to sign is not decided by approving what a server declares.
            server.signer = server.signer.or_else(|| old.signer.clone());
        }
        let text = set_member(&self.text, &["serversVersion"], SERVERS_VERSION, Order::AtEnd)?;
        let text = set_member(&text, &["servers", name], &server.to_json(2), Order::Sorted)?;
        Self::parse(text.as_bytes())
    }

    /// The lock without a server.
    pub fn without_server(&self, name: &str) -> Result<Self, LockError> {
        let mut text = remove_member(&self.text, &["servers", name])?;
        let mut left = self.servers.iter().filter(|(other, _)| *other != name).peekable();
        // What we brought along goes with the last of ours.
        if left.peek().is_none() {
            text = remove_member(&text, &["servers"])?;
        }
        if left.all(|(_, entry)| matches!(entry, LockedEntry::Other)) {
            text = remove_member(&text, &["serversVersion"])?;
        } else {
            text = set_member(&text, &["serversVersion"], SERVERS_VERSION, Order::AtEnd)?;
        }
        Self::parse(text.as_bytes())
    }
}

fn unknown(member: &'static str, found: &str, known: &'static str) -> LockError {
    LockError::Version { member, found: found.chars().take(20).collect(), known }
}

fn entries(text: &str, version: Option<&str>) -> Result<BTreeMap<String, LockedEntry>, LockError> {
    let members = split_object(text.as_bytes(), LIMITS)?;
    let members = members
        .ok_or_else(|| LockError::Member { place: "servers".to_owned(), expected: "an object" })?;
    let entry = |member: RawMember<'_>| {
        let name = member.name.to_string();
        let entry = if !is_ours(member.value) {
            LockedEntry::Other
        } else if version.is_none() {
            LockedEntry::Broken(LockError::NoServersVersion)
        } else if let (Some("1"), Some(newer)) = (version, newer_member(member.value)) {
            let place = format!("servers.{name}.{newer}");
            LockedEntry::Broken(LockError::Member { place, expected: "allowed in version 1" })
        } else if name.parse::<InlineServerName>().is_err() {
            LockedEntry::Broken(LockError::BadServerName)
        } else {
            match LockedServer::parse(&name, member.value) {
                Ok(server) => LockedEntry::Server(Box::new(server)),
                Err(error) => LockedEntry::Broken(error),
            }
        };
        Ok((name, entry))
    };
    members.into_iter().map(entry).collect()
}

/// A member that version 1 has not.
fn newer_member(entry: &str) -> Option<String> {
    let members = split_object(entry.as_bytes(), LIMITS).ok().flatten().unwrap_or_default();
    let mut names = members.iter().map(|member| member.name.to_string());
    names.find(|name| settings::KNOWN.contains(&name.as_str()))
}

/// Members by which kinds of servers are known that this facet does not start: images and packages.
const OTHER_KINDS: &[&str] = &["image", "package"];

/// Whether an entry is of a kind that this facet starts. Only facet writes `launch` and `surface_file`.
fn is_ours(entry: &str) -> bool {
    let members = split_object(entry.as_bytes(), LIMITS).ok().flatten().unwrap_or_default();
    let has = |names: &[&str]| members.iter().any(|member| names.contains(&&*member.name));
    let is_other = has(OTHER_KINDS) && !has(&["command", "url"]);
    has(&["launch", "surface_file"]) && !is_other
}
