//! Values that facets give the variables of the commands that they declare.

use std::collections::BTreeMap;
use std::io::Cursor;

use facets_archive::{ArchiveLimits, read_facet};
use facets_digest::json::{write_list, write_string};
use facets_digest::{Digest, Hasher};
use facets_files::read_to_limit;
use facets_launch::value_of;
use facets_lock::LockedFacet;
use facets_model::manifest::DeclaredServer;
use facets_model::{Origin, VariableName};
use facets_plan::effective_server_name;
use facets_project::Project;

use crate::stored_artifact::open_store;

/// The largest archive of a facet that is read.
const MOST: u64 = 64 << 20;

/// The values that a facet gives the variables of a server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FacetValues {
    given: BTreeMap<String, String>,
    /// Their digest, which is part of an approval; none if there are none.
    pub(crate) digest: Option<Digest>,
}

impl FacetValues {
    /// The values of a declaration.
    pub(crate) fn new(values: &BTreeMap<VariableName, String>) -> Self {
        let given: BTreeMap<String, String> =
            values.iter().map(|(name, value)| (name.to_string(), value.clone())).collect();
        let digest = (!given.is_empty()).then(|| digest_of(&given));
        Self { given, digest }
    }

    /// The values of a declaration of the project itself: they are those of its user, and no approval has them.
    pub(crate) fn of_project(values: &BTreeMap<VariableName, String>) -> Self {
        Self { digest: None, ..Self::new(values) }
    }

    /// The values for a server of a project. They are those of the facet that was installed on this machine, read from
    /// its verified archive. Without that, a lock that somebody edited gives none; its digest is still no approved one.
    pub(crate) fn of(project: &Project, name: &str, origin: &Origin) -> Self {
        let Origin::Command(command) = origin else { return Self::default() };
        if command.env.is_empty() {
            return Self::default();
        }
        Self::installed(project, name).unwrap_or_default()
    }

    fn installed(project: &Project, name: &str) -> Option<Self> {
        let state = project.read_as_is(&|_| false).ok()?;
        let installed = project.installed().ok()?;
        let mut locked_only = None;
        for (facet, wanted) in &state.manifest.as_ref()?.facets {
            let Some(locked) = state.lock.facet(facet.as_str()) else { continue };
            let is_meant = |(authored, declared): &(&String, &DeclaredServer)| {
                values_of(declared).is_some()
                    && effective_server_name(wanted, authored).as_deref() == Some(name)
            };
            let Some((authored, declared)) = locked.servers.iter().find(is_meant) else { continue };
            let record = installed.facets.get(facet.as_str());
            let is_installed = record.is_some_and(|record| record.integrity == locked.integrity);
            let stored = if is_installed { stored_servers(locked) } else { None };
            if let Some(servers) = stored {
                return servers.get(authored).and_then(values_of).map(Self::new);
            }
            let digest = values_of(declared).and_then(|values| Self::new(values).digest);
            locked_only = locked_only.or(Some(Self { given: BTreeMap::new(), digest }));
        }
        locked_only
    }

    /// Those of variables that the environment of the user does not have.
    pub(crate) fn missing(&self) -> BTreeMap<String, String> {
        let is_missing = |name: &str| value_of(name, &BTreeMap::new()).is_none();
        let missing = self.given.iter().filter(|(name, _)| is_missing(name));
        missing.map(|(name, value)| (name.clone(), value.clone())).collect()
    }
}

/// spec 8.5: the names with their values, as an object with sorted members
fn digest_of(values: &BTreeMap<String, String>) -> Digest {
    let mut form = Vec::new();
    let members: Vec<(&String, &String)> = values.iter().collect();
    write_list(['{', '}'], &members, &mut form, |(name, value), out| {
        write_string(name, out);
        out.push(b':');
        write_string(value, out);
    });
    let mut hasher = Hasher::with_domain("values");
    hasher.update(&form);
    hasher.finish()
}

fn stored_servers(facet: &LockedFacet) -> Option<BTreeMap<String, DeclaredServer>> {
    let file = open_store().ok()?.get_file(&facet.content_hash?).ok()??;
    let bytes = read_to_limit(&*file, MOST).ok()??;
    let archive = read_facet(Cursor::new(bytes), &ArchiveLimits::SPEC).ok()?;
    (archive.index.integrity == facet.integrity).then_some(archive.manifest.servers)
}

fn values_of(declared: &DeclaredServer) -> Option<&BTreeMap<VariableName, String>> {
    match declared {
        DeclaredServer::Origin { values, .. } if !values.is_empty() => Some(values),
        _ => None,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn each_name_and_each_value_counts() {
        let digest = |name: &str, value: &str| {
            FacetValues::new(&BTreeMap::from([(name.parse().unwrap(), value.to_owned())])).digest
        };
        assert_eq!(FacetValues::new(&BTreeMap::new()).digest, None);
        assert_eq!(
            digest("COLOUR", "blue"),
            Some(Digest::of(b"facets:values:v1\n{\"COLOUR\":\"blue\"}"))
        );
        assert_ne!(digest("COLOUR", "blue"), digest("COLOUR", "red"));
        assert_ne!(digest("COLOUR", "blue"), digest("COLOR", "blue"));
    }
}
