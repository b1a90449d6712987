//! The lockfile as a whole (spec 8.1).

use std::collections::BTreeMap;

use facets_digest::json::{RawMember, split_object};
use facets_failure::LineColumn;
use facets_jsonc::{Order, remove_member, set_member};
use facets_model::InlineServerName;

use crate::error::LockError;
use crate::facet::{LockedFacet, LockedFacetEntry};
use crate::members::{EntryMembers, LIMITS};
use crate::place::place_of;
use crate::server::LockedServer;
use crate::signer::Signer;
use crate::uncaptured::{self, UncapturedServer};
use crate::{raw, settings};

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
    /// One that a facet of the project declares and nobody has looked at: it is not started.
    Uncaptured(Box<UncapturedServer>),
    /// Something that this facet does not start.
    Other,
    /// One of ours that is not as facet writes it: what is wrong with it.
    Broken(LockError),
}

/// A lockfile: its text, and what it says about facets and servers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lock {
    text: String,
    facets: BTreeMap<String, LockedFacetEntry>,
    servers: BTreeMap<String, LockedEntry>,
}

impl Lock {
    /// A lock without anything.
    #[must_use]
    pub fn empty() -> Self {
        let text =
            format!("{{\n  \"lockfileVersion\": {LOCKFILE_VERSION},\n  \"facets\": {{}}\n}}\n");
        Self { text, facets: BTreeMap::new(), servers: BTreeMap::new() }
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
        let facet = |member: &RawMember<'_>| LockedFacetEntry::parse(&member.name, member.value);
        let version = raw("serversVersion");
        let server = |member: &RawMember<'_>| entry(&member.name, member.value, version);
        let facets = entries("facets", raw("facets"), facet)?;
        let servers = entries("servers", raw("servers"), server)?;
        // It was read as JSON, so it is text.
        Ok(Self { text: String::from_utf8_lossy(bytes).into_owned(), facets, servers })
    }

    /// The text, byte for byte.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The facets by name.
    #[must_use]
    pub fn facets(&self) -> &BTreeMap<String, LockedFacetEntry> {
        &self.facets
    }

    /// One facet.
    #[must_use]
    pub fn facet(&self, name: &str) -> Option<&LockedFacet> {
        match self.facets.get(name)? {
            LockedFacetEntry::Facet(facet) => Some(facet),
            LockedFacetEntry::Broken(_) => None,
        }
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
            LockedEntry::Uncaptured(_) | LockedEntry::Other | LockedEntry::Broken(_) => None,
        }
    }

    /// Where the problem of an entry stands that is not as facet writes it; of any other, where that
    /// begins.
    #[must_use]
    pub fn place(&self, server: &str) -> Option<LineColumn> {
        let problem = match self.servers.get(server)? {
            LockedEntry::Broken(problem) => Some(problem),
            _ => None,
        };
        self.place_in("servers", server, problem)
    }

    /// Where the problem of a facet's entry stands that is not as facet writes it; of any other, where
    /// that begins.
    #[must_use]
    pub fn facet_place(&self, facet: &str) -> Option<LineColumn> {
        let problem = match self.facets.get(facet)? {
            LockedFacetEntry::Broken(problem) => Some(problem),
            LockedFacetEntry::Facet(_) => None,
        };
        self.place_in("facets", facet, problem)
    }

    fn place_in(&self, group: &str, name: &str, problem: Option<&LockError>) -> Option<LineColumn> {
        let mut names = vec![group, name];
        if let Some(LockError::Member { place, .. }) = problem {
            let below = place.strip_prefix(&format!("{group}.{name}.")).unwrap_or_default();
            names.extend(below.split('.'));
        }
        place_of(&self.text, &names)
    }

    /// An entry as it is written.
    fn raw(&self, group: &str, name: &str) -> Option<&str> {
        raw::member(raw::member(&self.text, group)?, name)
    }

    /// The lock with a facet, or with another version of it. What this facet does not know stays: in the
    /// entry, in a source of the same kind, in assets of the same kind and name, in files of the same path.
    /// Assets and files are put in order.
    pub fn with_facet(&self, name: &str, facet: &LockedFacet) -> Result<Self, LockError> {
        let facet = facet.sorted();
        let mut text = self.as_current()?;
        // What is the same stays as it is written, whoever wrote it.
        if self.facet(name) != Some(&facet) {
            let entry = facet.to_json(self.raw("facets", name))?;
            text = set_member(&text, &["facets", name], &entry, Order::Sorted)?;
        }
        let lock = Self::parse(text.as_bytes())?;
        match lock.facets.get(name) {
            Some(LockedFacetEntry::Broken(problem)) => Err(problem.clone()),
            _ => Ok(lock),
        }
    }

    /// The lock without a facet. Its servers stay.
    pub fn without_facet(&self, name: &str) -> Result<Self, LockError> {
        if !self.facets.contains_key(name) {
            return Ok(self.clone());
        }
        let text = remove_member(&self.as_current()?, &["facets", name])?;
        Self::parse(text.as_bytes())
    }

    /// The text with the version of the reference's part that is written.
    fn as_current(&self) -> Result<String, LockError> {
        Ok(set_member(&self.text, &["lockfileVersion"], LOCKFILE_VERSION, Order::AtEnd)?)
    }

    /// The lock with a server that nobody has looked at yet. Of an older entry stay its signer, and what
    /// this facet does not know.
    pub fn with_uncaptured(
        &self,
        name: &str,
        server: &UncapturedServer,
    ) -> Result<Self, LockError> {
        let mut text = set_member(&self.text, &["serversVersion"], SERVERS_VERSION, Order::AtEnd)?;
        let is_same = match self.servers.get(name) {
            Some(LockedEntry::Uncaptured(older)) => **older == *server,
            _ => false,
        };
        if !is_same {
            let older = match self.servers.get(name) {
                Some(LockedEntry::Server(older)) => Some(older.members_to_keep()),
                Some(LockedEntry::Uncaptured(_)) => self.raw("servers", name).map(str::to_owned),
                _ => None,
            };
            let entry = server.to_json(name, older.as_deref())?;
            text = set_member(&text, &["servers", name], &entry, Order::Sorted)?;
        }
        let lock = Self::parse(text.as_bytes())?;
        match lock.servers.get(name) {
            Some(LockedEntry::Broken(problem)) => Err(problem.clone()),
            _ => Ok(lock),
        }
    }

    /// The lock with a server pinned, or pinned anew. What this facet does not know of the
    /// older entry stays.
    pub fn with_server(&self, name: &str, server: &LockedServer) -> Result<Self, LockError> {
        let mut server = server.clone();
        if let Some(old) = self.server(name) {
            server.keep_unknown(&old.unknown);
            // Who has to sign is not decided by approving what a server declares.
            server.signer = server.signer.or_else(|| old.signer.clone());
        } else if let Some(LockedEntry::Uncaptured(_)) = self.servers.get(name) {
            let old = EntryMembers::parse(name, self.raw("servers", name).unwrap_or_default())?;
            server.keep_unknown(&old.all_but(uncaptured::KNOWN));
            server.signer = server.signer.or(Signer::read(&old)?);
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

/// The entries of a group, by name. A group that is not there has none.
fn entries<T>(
    group: &str,
    text: Option<&str>,
    read: impl Fn(&RawMember<'_>) -> T,
) -> Result<BTreeMap<String, T>, LockError> {
    let Some(text) = text else { return Ok(BTreeMap::new()) };
    let members = split_object(text.as_bytes(), LIMITS)?;
    let members = members
        .ok_or_else(|| LockError::Member { place: group.to_owned(), expected: "an object" })?;
    Ok(members.iter().map(|member| (member.name.to_string(), read(member))).collect())
}

fn entry(name: &str, text: &str, version: Option<&str>) -> LockedEntry {
    let is_uncaptured = raw::member(text, uncaptured::SIGN).is_some();
    if !is_uncaptured && !is_ours(text) {
        LockedEntry::Other
    } else if version.is_none() {
        LockedEntry::Broken(LockError::NoServersVersion)
    } else if let (Some("1"), Some(newer)) = (version, newer_member(text)) {
        let place = format!("servers.{name}.{newer}");
        LockedEntry::Broken(LockError::Member { place, expected: "allowed in version 1" })
    } else if name.parse::<InlineServerName>().is_err() {
        LockedEntry::Broken(LockError::BadServerName)
    } else if is_uncaptured {
        match UncapturedServer::parse(name, text) {
            Ok(server) => LockedEntry::Uncaptured(Box::new(server)),
            Err(error) => LockedEntry::Broken(error),
        }
    } else {
        match LockedServer::parse(name, text) {
            Ok(server) => LockedEntry::Server(Box::new(server)),
            Err(error) => LockedEntry::Broken(error),
        }
    }
}

/// A member that version 1 has not.
fn newer_member(entry: &str) -> Option<String> {
    let members = split_object(entry.as_bytes(), LIMITS).ok().flatten().unwrap_or_default();
    let mut names = members.iter().map(|member| member.name.to_string());
    names.find(|name| settings::KNOWN.contains(&name.as_str()) || name == uncaptured::SIGN)
}

/// Members by which kinds of servers are known that this facet does not start: images.
const OTHER_KINDS: &[&str] = &["image"];

/// Whether an entry is of a kind that this facet starts. Only facet writes `launch` and `surface_file`.
fn is_ours(entry: &str) -> bool {
    let members = split_object(entry.as_bytes(), LIMITS).ok().flatten().unwrap_or_default();
    let has = |names: &[&str]| members.iter().any(|member| names.contains(&&*member.name));
    let is_other = has(OTHER_KINDS) && !has(&["command", "url"]);
    has(&["launch", "surface_file"]) && !is_other
}
