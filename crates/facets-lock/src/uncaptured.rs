//! A server that was never started (spec 8.7).

use facets_digest::json::quoted;
use facets_model::ArtifactName;
use facets_model::manifest::{DeclaredServer, parse_declared_server};

use crate::error::LockError;
use crate::members::EntryMembers;
use crate::raw;

/// The member by which such an entry is known.
pub(crate) const SIGN: &str = "uncaptured";

/// The members of such an entry, in the order in which they are written.
pub(crate) const KNOWN: &[&str] = &[SIGN, "declared", "facet"];

/// A server that a facet declares and nobody has looked at yet: known, and never started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UncapturedServer {
    /// What the facet declares. A floor names its artifact where that is not the name of the entry.
    pub declared: DeclaredServer,
    /// The name of the facet.
    pub facet: String,
}

impl UncapturedServer {
    pub(crate) fn parse(name: &str, text: &str) -> Result<Self, LockError> {
        let entry = EntryMembers::parse(name, text)?;
        if entry.raw(SIGN) != Some("true") {
            return Err(entry.bad(SIGN, "`true`"));
        }
        if entry.raw("launch").is_some() || entry.raw("surface_file").is_some() {
            return Err(entry.bad(SIGN, "allowed beside `launch` and `surface_file`"));
        }
        let declared = entry.raw("declared").ok_or_else(|| entry.bad("declared", "present"))?;
        let outcome = parse_declared_server(name, declared.as_bytes());
        let declared = outcome.manifest;
        let declared =
            declared.ok_or_else(|| entry.bad("declared", "a server as a facet declares it"))?;
        let facet: ArtifactName = entry.parsed("facet", "the name of a facet")?;
        Ok(Self { declared, facet: facet.to_string() })
    }

    /// The entry as it stands in the lock, with what this facet does not know of an older one.
    pub(crate) fn to_json(&self, name: &str, older: Option<&str>) -> Result<String, LockError> {
        let declared = self.declared.to_json();
        let declared =
            declared.ok_or_else(|| LockError::Declaration { server: name.to_owned() })?;
        let members =
            [(SIGN, "true".to_owned()), ("declared", declared), ("facet", quoted(&self.facet))];
        // An entry stands two levels deep.
        Ok(raw::pretty(&raw::with_unknown(&members, KNOWN, older), 2))
    }
}
