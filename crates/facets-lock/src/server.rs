//! One server in the lock (spec 8.2).

use facets_digest::Digest;
use facets_digest::json::{self, Provenance, Value, quoted, write_pretty_list, write_string};
use facets_model::Origin;
use facets_surface::{Era, SurfaceHashes};

use crate::accepted::{self, AcceptedFindings};
use crate::error::LockError;
use crate::grants::Grants;
use crate::members::{EntryMembers, LIMITS};
use crate::origin::{self, launch_digest};
use crate::pin::Pin;
use crate::raw;
use crate::settings::{self, StartSettings};
use crate::signer::Signer;
use crate::surface::{self, LockedSurface};

/// A server that was approved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockedServer {
    /// What was asked for.
    pub origin: Origin,
    /// What exactly that is.
    pub pin: Pin,
    /// The environment that it is started in, where, and how long is waited for it.
    pub settings: StartSettings,
    /// How it is spoken to.
    pub era: Era,
    /// Where its source lies, if that is looked at.
    pub source: Option<String>,
    /// What it declared.
    pub surface: LockedSurface,
    /// What it may do.
    pub grants: Grants,
    /// Who has to have signed what it starts.
    pub signer: Option<Signer>,
    /// Critical findings that somebody accepted when it was pinned.
    pub accepted: AcceptedFindings,
    /// Members that this facet does not know, as written.
    pub unknown: Vec<(String, String)>,
}

/// The members that this facet writes, beside those of the origin, the pin, the settings and the surface.
const KNOWN: &[&str] = &["launch", "source", "era", "grants", "signer", accepted::MEMBER];

impl LockedServer {
    /// Pins a server with what it declares.
    #[must_use]
    pub fn new(
        name: &str,
        (origin, pin): (Origin, Pin),
        settings: StartSettings,
        era: Era,
        hashes: &SurfaceHashes,
        surface_file_digest: Digest,
    ) -> Self {
        Self {
            origin,
            pin,
            settings,
            era,
            source: None,
            surface: LockedSurface::new(name, hashes, surface_file_digest),
            grants: Grants::ALL,
            signer: None,
            accepted: AcceptedFindings::default(),
            unknown: Vec::new(),
        }
    }

    /// spec 8.2: the digest of exactly how it starts
    #[must_use]
    pub fn launch_digest(&self) -> Digest {
        launch_digest(&self.origin, &self.pin, &self.settings)
    }

    /// The first hash that is not that of these definitions, by the name it has in the lock.
    #[must_use]
    pub fn first_difference(
        &self,
        era: Era,
        hashes: &SurfaceHashes,
        surface_file_digest: Digest,
    ) -> Option<String> {
        if self.era != era {
            return Some("era".to_owned());
        }
        self.surface.first_difference(hashes, surface_file_digest)
    }

    /// The entry as it stands in the lock; `depth` is that of the line it begins on.
    #[must_use]
    pub fn to_json(&self, depth: usize) -> String {
        let mut members = self.pin.members();
        members.extend(origin::write(&self.origin));
        members.extend(self.settings.members());
        members.push(("launch", quoted(&self.launch_digest().to_string())));
        members.extend(self.source.as_deref().map(|source| ("source", quoted(source))));
        members.push(("era", quoted(self.era.name())));
        members.extend(self.surface.write());
        members.push(("grants", self.grants.to_json()));
        members.extend(self.signer.as_ref().map(|signer| ("signer", signer.to_json())));
        members.extend(self.accepted.member());
        let own = members.iter().map(|(name, value)| (*name, value));
        let unknown = self.unknown.iter().map(|(name, value)| (name.as_str(), value));
        let members: Vec<(&str, &String)> = own.chain(unknown).collect();
        let mut out = Vec::new();
        write_pretty_list(['{', '}'], &members, depth, &mut out, |(name, value), out| {
            write_string(name, out);
            out.extend_from_slice(b": ");
            let parsed = json::parse(value.as_bytes(), Provenance::Captured, LIMITS);
            parsed.unwrap_or(Value::Null).write_pretty(depth + 1, out);
        });
        String::from_utf8_lossy(&out).into_owned()
    }

    /// Reads an entry.
    pub(crate) fn parse(name: &str, text: &str) -> Result<Self, LockError> {
        let entry = EntryMembers::parse(name, text)?;
        let origin = origin::read(&entry)?;
        let pin = Pin::read(&origin, &entry)?;
        let grants = Grants::parse(&entry.value("grants")?);
        let grants = grants.ok_or_else(|| entry.bad("grants", "a complete list of grants"))?;
        let settings = StartSettings::read(&entry, &grants)?;
        let digest = entry.digest("launch")?;
        if digest != launch_digest(&origin, &pin, &settings) {
            return Err(entry.bad("launch", "the digest of what this entry starts"));
        }
        let era = match entry.text("era")?.as_str() {
            "initialize" => Era::Initialize,
            "discover" => Era::Discover,
            _ => return Err(entry.bad("era", "`initialize` or `discover`")),
        };
        let source = entry.raw("source").map(|_| entry.text("source")).transpose()?;
        let unknown = entry.all_but(&known_members(&origin, &pin));
        Ok(Self {
            origin,
            pin,
            settings,
            era,
            source,
            surface: LockedSurface::read(&entry)?,
            grants,
            signer: Signer::read(&entry)?,
            accepted: AcceptedFindings::read(&entry)?,
            unknown,
        })
    }

    /// The members that an entry under this name keeps while it is not captured, as an object.
    pub(crate) fn members_to_keep(&self) -> String {
        let unknown = self.unknown.iter().map(|(name, value)| (name.as_str(), value.clone()));
        let signer = self.signer.as_ref().map(|signer| ("signer", signer.to_json()));
        let members: Vec<(&str, String)> = unknown.chain(signer).collect();
        raw::with_unknown(&members, &[], None)
    }

    /// Takes over what this facet does not know of an older entry, unless this one has a member of the same
    /// name: another kind of server may give it a meaning.
    pub(crate) fn keep_unknown(&mut self, older: &[(String, String)]) {
        let known = known_members(&self.origin, &self.pin);
        let unknown = older.iter().filter(|(name, _)| !known.contains(&name.as_str()));
        self.unknown = unknown.cloned().collect();
    }
}

/// The names of all members that this facet writes into an entry of this kind.
fn known_members(origin: &Origin, pin: &Pin) -> Vec<&'static str> {
    [origin::known(origin), pin.known(), settings::KNOWN, surface::KNOWN, KNOWN].concat()
}
