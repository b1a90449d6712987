//! The clients whose folders get texts.

use std::collections::BTreeMap;

use facets_clients::assets::CLIENTS;
use facets_lock::LockedFacet;
use facets_model::{ArtifactName, AssetScope};

use super::goal::ClientChoice;
use super::task::InstallTask;
use crate::client_files::{Client, places};
use crate::error::OpsError;

impl InstallTask {
    /// Those that were typed, else those of the manifest, else those that are found. What was chosen once stands in
    /// the manifest, so that the next machine gets the same files.
    pub(super) fn choose_clients(
        &self,
        facets: &BTreeMap<ArtifactName, LockedFacet>,
    ) -> Result<ClientChoice, OpsError> {
        let written = self.before.manifest.as_ref().and_then(|manifest| manifest.clients.clone());
        let named: Vec<Client> =
            written.iter().flatten().filter_map(|name| name.parse().ok()).collect();
        if !self.clients.is_empty() {
            let clients = sorted(named.iter().chain(&self.clients).copied().collect());
            let is_new = clients != sorted(named);
            return Ok(ClientChoice { clients, is_new, is_missing: false });
        }
        let has_texts = facets.values().any(|facet| !facet.assets.is_empty());
        if written.is_some() || !has_texts {
            return Ok(ClientChoice { clients: sorted(named), ..ClientChoice::default() });
        }
        let clients = self.found_clients()?;
        let (is_new, is_missing) = (!clients.is_empty(), clients.is_empty());
        Ok(ClientChoice { clients, is_new, is_missing })
    }

    /// Clients with a folder of their own in the project or in the home directory.
    fn found_clients(&self) -> Result<Vec<Client>, OpsError> {
        let places = places(self.project.place())?;
        let is_found = |client: &Client| {
            let (folder, home) = match client {
                Client::ClaudeCode => (".claude", places.home.join(".claude")),
                Client::OpenCode => (".opencode", places.config_home.join("opencode")),
                Client::Codex => (".codex", places.codex_home.clone()),
                _ => return false,
            };
            let is_of_project = self.scope() == AssetScope::Project;
            is_of_project && self.project.place().join(folder).is_dir() || home.is_dir()
        };
        Ok(sorted(CLIENTS.iter().copied().filter(is_found).collect()))
    }
}

fn sorted(mut clients: Vec<Client>) -> Vec<Client> {
    clients.sort_unstable();
    clients.dedup();
    clients
}
