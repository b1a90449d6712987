//! The quick way: nothing was typed, and everything is there already. Nothing is fetched, unpacked or started.

use facets_digest::Digest;
use facets_lock::{Lock, LockedEntry, LockedFacet, LockedFacetSource};
use facets_model::manifest::DeclaredServer;
use facets_plan::{Move, frozen_differences};
use facets_project::InstalledRecord;
use facets_store::Store;

use super::options::{InlineServers, InstallMode};
use super::task::InstallTask;
use crate::approval::is_approved;
use crate::cache_directory::cache_directory;
use crate::client_files::Client;
use crate::error::OpsError;
use crate::facet_entries::entry_digest;
use crate::install_page::{FacetChange, ServerChange, ServerLook};
use crate::install_report::{
    AssetFileStatus, InstallOutcome, InstallReport, InstalledFileShown, ItemStatus, PinnedHashes,
    ServerOutcome, ServerStatus,
};
use crate::pinned::image_of;

impl InstallTask {
    /// The report, if there is nothing to do.
    pub(super) fn settled(&self) -> Result<Option<InstallReport>, OpsError> {
        let asks_nothing = self.typed.is_empty()
            && self.clients.is_empty()
            && self.manifest.is_none()
            && self.moves == Move::Keep
            && self.options.mode != InstallMode::DryRun
            && !self.captures_more();
        if !asks_nothing || !frozen_differences(&self.wanted, &self.before.lock).is_empty() {
            return Ok(None);
        }
        let installed = self.project.installed()?;
        let is_settled = self.facets_are_installed(&installed)?
            && self.servers_are_there()?
            && self.packages_are_there()?;
        Ok(is_settled.then(|| self.settled_report(&installed)))
    }

    /// Whether a command or address of a facet that nobody has looked at may be started now.
    fn captures_more(&self) -> bool {
        let is_inline = |entry: &LockedEntry| match entry {
            LockedEntry::Uncaptured(server) => {
                matches!(server.declared, DeclaredServer::Origin { .. })
            }
            _ => false,
        };
        self.options.inline == InlineServers::Accepted
            && self.before.lock.servers().values().any(is_inline)
    }

    fn facets_are_installed(&self, installed: &InstalledRecord) -> Result<bool, OpsError> {
        let lock = &self.before.lock;
        if installed.facets.keys().any(|name| lock.facet(name).is_none()) {
            return Ok(false);
        }
        let clients = self.before.manifest.as_ref().and_then(|manifest| manifest.clients.as_ref());
        let store = Store::find(&cache_directory()?)?;
        for name in lock.facets().keys() {
            let (Some(facet), Some(record)) = (lock.facet(name), installed.facets.get(name)) else {
                return Ok(false);
            };
            // A directory may have changed, and clients that nobody wrote down may be others by now.
            let is_local = matches!(facet.source, LockedFacetSource::Local { .. });
            let is_known = facet.assets.is_empty() || clients.is_some();
            let is_same = (record.integrity, &record.version) == (facet.integrity, &facet.version);
            // Otherwise a content hash that somebody wrote into the lock would be compared with nothing.
            let is_archive_stored = facet.content_hash.is_none_or(|hash| {
                store.as_ref().is_some_and(|store| store.has_file_unverified(&hash))
            });
            // An entry that was edited is compared with its archive.
            let is_entry = record.entry.is_some() && record.entry == entry_digest(name, facet);
            let is_there = is_known && is_same && is_entry && is_archive_stored;
            if is_local || !is_there || !has_all_files(facet, record, clients) {
                return Ok(false);
            }
        }
        for file in installed.files() {
            let bytes = self.project.read_asset(file.base, &file.path)?;
            if bytes.as_deref().map(Digest::of) != Some(file.digest) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn servers_are_there(&self) -> Result<bool, OpsError> {
        let store = Store::find(&cache_directory()?)?;
        for (name, entry) in self.before.lock.servers() {
            let LockedEntry::Server(server) = entry else { continue };
            let is_stored = match server.pin.artifact() {
                None => true,
                Some(pin) => {
                    let is_there = |store: &Store| store.has_file_unverified(&pin.content_hash);
                    store.as_ref().is_some_and(is_there)
                }
            };
            if !is_stored || !is_approved(name, server, &self.project)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn settled_report(&self, installed: &InstalledRecord) -> InstallReport {
        let lock = &self.before.lock;
        let facets = lock.facets().keys().filter_map(|name| {
            let facet = lock.facet(name)?;
            Some((kept_facet(name, facet), ItemStatus::Kept))
        });
        let files = installed.facets.iter().flat_map(|(name, facet)| {
            facet.files.iter().map(|file| InstalledFileShown {
                facet: name.clone(),
                kind: file.kind,
                name: file.name.clone(),
                client: file.client,
                path: file.path.clone().into(),
                status: AssetFileStatus::Kept,
            })
        });
        InstallReport {
            outcome: InstallOutcome::Unchanged,
            facets: facets.collect(),
            files: files.collect(),
            servers: kept_servers(lock),
            assets: Vec::new(),
            yanked: Vec::new(),
            notes: Vec::new(),
        }
    }
}

/// Whether every asset has a file for every client.
fn has_all_files(
    facet: &LockedFacet,
    record: &facets_project::InstalledFacet,
    clients: Option<&Vec<String>>,
) -> bool {
    let clients = clients.into_iter().flatten().filter_map(|name| name.parse::<Client>().ok());
    let clients: Vec<Client> = clients.collect();
    facet.assets.iter().all(|asset| {
        let Some(name) = asset.effective_name() else { return true };
        clients.iter().all(|client| {
            let of_asset = record
                .files
                .iter()
                .filter(|file| (file.kind, &file.name, file.client) == (asset.kind, name, *client));
            of_asset.count() == asset.files.len()
        })
    })
}

fn kept_facet(name: &str, facet: &LockedFacet) -> FacetChange {
    FacetChange {
        name: name.to_owned(),
        from: Some(facet.version.clone()),
        to: Some(facet.version.clone()),
        source: super::goal::shown_source(&facet.source),
        integrity: Some(facet.integrity),
        content_hash: facet.content_hash,
    }
}

fn kept_servers(lock: &Lock) -> Vec<ServerOutcome> {
    let servers = lock.servers().iter().map(|(name, entry)| {
        let server = lock.server(name);
        let version =
            server.and_then(|server| server.pin.artifact()).map(|pin| pin.version.clone());
        let status = match entry {
            LockedEntry::Uncaptured(_) => ServerStatus::Uncaptured,
            _ => ServerStatus::Kept,
        };
        let image = match entry {
            LockedEntry::Uncaptured(server) => image_of(server),
            _ => None,
        };
        let seen_by = match entry {
            _ if image.is_some() => ServerLook::Never,
            LockedEntry::Uncaptured(server) if server.declared.origin().is_some() => {
                ServerLook::Open
            }
            _ => ServerLook::Sandboxed,
        };
        let change = ServerChange {
            name: name.clone(),
            what: server.map(|server| server.origin.to_string()).or(image).unwrap_or_default(),
            from: version.clone(),
            to: version,
            facets: Vec::new(),
            look: seen_by,
        };
        let pinned = server.map(PinnedHashes::of);
        ServerOutcome { change, status, findings: Vec::new(), page: None, pinned }
    });
    servers.collect()
}
