//! One facet in the lock (spec 8.7): the reference's entry, and three members of ours.

mod asset;
mod source;

use std::collections::BTreeMap;

use facets_digest::Digest;
use facets_digest::json::quoted;
use facets_model::manifest::{DeclaredServer, parse_declared_servers};
use facets_model::{ArtifactName, PlainVersion};

pub use asset::{LockedAsset, LockedAssetFile, LockedMaterialization};
pub use source::LockedFacetSource;

use crate::accepted::{self, AcceptedFindings};
use crate::error::LockError;
use crate::members::EntryMembers;
use crate::raw;

/// The members of an entry, in the order in which they are written. The reference keeps `content_hash`,
/// `servers` and `accepted`, which are ours.
const KNOWN: &[&str] =
    &["source", "version", "integrity", "assets", "content_hash", "servers", accepted::MEMBER];

/// What stands under the name of a facet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LockedFacetEntry {
    /// A facet, just as it was installed.
    Facet(Box<LockedFacet>),
    /// An entry that is not as facet writes it: what is wrong with it.
    Broken(LockError),
}

/// A facet that was installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockedFacet {
    /// Where it came from.
    pub source: LockedFacetSource,
    /// Its version.
    pub version: PlainVersion,
    /// The SHA-256 of the uncompressed tar.
    pub integrity: Digest,
    /// The SHA-256 of the complete archive; none in entries that the reference wrote.
    pub content_hash: Option<Digest>,
    /// Its text assets: skills, agents, commands, each by name.
    pub assets: Vec<LockedAsset>,
    /// The servers that it declares, by the names of its author.
    pub servers: BTreeMap<String, DeclaredServer>,
    /// Critical findings in its texts that somebody accepted when it was installed.
    pub accepted: AcceptedFindings,
}

impl LockedFacetEntry {
    /// Reads what stands under a name.
    pub(crate) fn parse(name: &str, text: &str) -> Self {
        if name.parse::<ArtifactName>().is_err() {
            return Self::Broken(LockError::BadFacetName);
        }
        match LockedFacet::parse(name, text) {
            Ok(facet) => Self::Facet(Box::new(facet)),
            Err(error) => Self::Broken(error),
        }
    }
}

impl LockedFacet {
    fn parse(name: &str, text: &str) -> Result<Self, LockError> {
        let entry = EntryMembers::at(format!("facets.{name}"), text)?;
        let content_hash = entry.raw("content_hash").map(|_| entry.digest("content_hash"));
        Ok(Self {
            source: LockedFacetSource::read(&entry.object("source")?)?,
            version: entry.parsed("version", "a version of the form `1.2.3`")?,
            integrity: entry.digest("integrity")?,
            content_hash: content_hash.transpose()?,
            assets: asset::read_all(&entry)?,
            servers: servers(&entry)?,
            accepted: AcceptedFindings::read(&entry)?,
        })
    }

    /// The facet with assets and files in the order in which they are written.
    pub(crate) fn sorted(&self) -> Self {
        let mut facet = self.clone();
        facet.assets.iter_mut().for_each(LockedAsset::sort);
        facet.assets.sort_by(|one, other| one.key().cmp(&other.key()));
        facet
    }

    /// The entry as it stands in the lock, with what this facet does not know of an older one.
    pub(crate) fn to_json(&self, older: Option<&str>) -> Result<String, LockError> {
        let older_member = |name| older.and_then(|older| raw::member(older, name));
        let older_assets = older_member("assets").map(asset::by_key).unwrap_or_default();
        let assets: Vec<String> =
            self.assets.iter().map(|asset| asset.to_json(&older_assets)).collect();
        let mut members = vec![
            ("source", self.source.to_json(older_member("source"))),
            ("version", quoted(&self.version.to_string())),
            ("integrity", quoted(&self.integrity.to_string())),
            ("assets", raw::list(&assets)),
        ];
        members.extend(self.content_hash.map(|hash| ("content_hash", quoted(&hash.to_string()))));
        if !self.servers.is_empty() {
            members.push(("servers", self.servers_json()?));
        }
        members.extend(self.accepted.member());
        // An entry stands two levels deep.
        Ok(raw::pretty(&raw::with_unknown(&members, KNOWN, older), 2))
    }

    fn servers_json(&self) -> Result<String, LockError> {
        let servers = self.servers.iter().map(|(name, server)| match server.to_json() {
            Some(text) => Ok((name.as_str(), text)),
            None => Err(LockError::Declaration { server: name.clone() }),
        });
        let servers: Vec<(&str, String)> = servers.collect::<Result<_, _>>()?;
        Ok(raw::with_unknown(&servers, &[], None))
    }
}

fn servers(entry: &EntryMembers<'_>) -> Result<BTreeMap<String, DeclaredServer>, LockError> {
    let Some(text) = entry.raw("servers") else { return Ok(BTreeMap::new()) };
    let outcome = parse_declared_servers(text.as_bytes());
    outcome.manifest.ok_or_else(|| {
        let member = outcome.problems.first().map(|problem| problem.member.as_str());
        let place = match member {
            None | Some("") => "servers".to_owned(),
            Some(member) => format!("servers.{member}"),
        };
        entry.bad(&place, "a server as a facet declares it")
    })
}
