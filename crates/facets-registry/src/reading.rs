//! Reading an archive: every rule is checked, and both hashes are computed here, whatever a publisher says.

use std::fs::File;
use std::path::Path;

use facets_archive::{ArchiveLimits, FacetArchive, ServerArchive, read_facet, read_server_archive};
use facets_catalog::{ArtifactKind, AssetCounts, Owner};
use facets_digest::Digest;
use facets_digest::json::{self, Limits, Provenance};
use facets_model::manifest::FacetManifest;
use facets_model::tree::{ManifestFormat, parse as parse_tree};
use facets_model::{ArtifactName, Version};

use crate::blocking::blocking;
use crate::error::RegistryError;
use crate::refusals;
use crate::registry::Registry;
use crate::text::one_line;
use crate::upload::Received;

/// Characters of a description and of an author that lists and searches show. The manifest has all of them.
const DESCRIPTION: usize = 500;
const AUTHOR: usize = 200;

/// What an archive says and is.
#[derive(Clone, Debug)]
pub(crate) struct ArtifactFacts {
    pub(crate) kind: ArtifactKind,
    pub(crate) name: ArtifactName,
    pub(crate) version: Version,
    pub(crate) content_hash: Digest,
    pub(crate) integrity: Digest,
    pub(crate) size: u64,
    /// The manifest as canonical JSON.
    pub(crate) manifest: String,
    pub(crate) description: Option<String>,
    pub(crate) author: Option<String>,
    pub(crate) assets: AssetCounts,
}

impl Registry {
    /// Reads an archive that was received, and compares it with what was announced.
    pub(crate) async fn read_received(
        &self,
        received: &Received,
        owner: &Owner,
    ) -> Result<ArtifactFacts, RegistryError> {
        // An archive that waits for its turn gives way to an owner that sends none.
        let slot = tokio::select! {
            slot = self.publish_readers().wait(owner) => slot?,
            displaced = received.slot.displaced() => return Err(displaced),
        };
        if !received.slot.hold() {
            return Err(refusals::displaced().into());
        }
        let (kind, path) = (received.kind, received.path());
        let limits = self.limits().archive(kind);
        let facts = blocking(move || {
            // Until the work is done, also if the publisher does not wait for it.
            let _slot = slot;
            read_artifact(kind, &path, &limits)
        })
        .await?;
        if facts.name != received.name {
            return Err(refusals::name_mismatch(&received.name, &facts.name).into());
        }
        if (facts.content_hash, facts.size) != (received.content_hash, received.size) {
            return Err(RegistryError::internal("an upload changed after it was received"));
        }
        Ok(facts)
    }
}

/// Reads an archive to its end and checks every rule. Blocks.
pub(crate) fn read_artifact(
    kind: ArtifactKind,
    path: &Path,
    limits: &ArchiveLimits,
) -> Result<ArtifactFacts, RegistryError> {
    let opened = File::open(path);
    let file =
        opened.map_err(|source| RegistryError::Io { what: "a file of an upload", source })?;
    match kind {
        ArtifactKind::Facet => facet_facts(read_facet(file, limits).map_err(refusals::archive)?),
        ArtifactKind::Server => {
            server_facts(read_server_archive(file, limits).map_err(refusals::archive)?)
        }
    }
}

fn facet_facts(facet: FacetArchive) -> Result<ArtifactFacts, RegistryError> {
    let FacetArchive { manifest, manifest_text, index } = facet;
    if manifest.private {
        return Err(refusals::private_facet(&manifest.name).into());
    }
    // spec 2.2: facets have plain versions, which the manifest was checked for.
    let version = manifest.version.to_string().parse::<Version>();
    Ok(ArtifactFacts {
        kind: ArtifactKind::Facet,
        version: version.map_err(|error| RegistryError::internal(error.to_string()))?,
        content_hash: index.content_hash,
        integrity: index.integrity,
        size: index.size,
        manifest: canonical_manifest(&manifest_text, ManifestFormat::Json)?,
        description: shown(manifest.description.as_deref(), DESCRIPTION),
        author: shown(manifest.author.as_deref(), AUTHOR),
        assets: count_assets(&manifest),
        name: manifest.name,
    })
}

fn server_facts(server: ServerArchive) -> Result<ArtifactFacts, RegistryError> {
    let ServerArchive { manifest, manifest_text, index } = server;
    Ok(ArtifactFacts {
        kind: ArtifactKind::Server,
        content_hash: index.content_hash,
        integrity: index.integrity,
        size: index.size,
        manifest: canonical_manifest(&manifest_text, ManifestFormat::Yaml)?,
        description: shown(manifest.description.as_deref(), DESCRIPTION),
        author: shown(manifest.author.as_deref(), AUTHOR),
        assets: AssetCounts::default(),
        name: manifest.name,
        version: manifest.version,
    })
}

/// Nothing where nothing would be seen.
fn shown(text: Option<&str>, most: usize) -> Option<String> {
    text.map(|text| one_line(text, most)).filter(|line| !line.is_empty())
}

fn count_assets(manifest: &FacetManifest) -> AssetCounts {
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    AssetCounts {
        agents: count(manifest.agents.len()),
        commands: count(manifest.commands.len()),
        servers: count(manifest.servers.len()),
        skills: count(manifest.skills.len()),
    }
}

/// The manifest as canonical JSON, with all members that its author wrote.
fn canonical_manifest(text: &str, format: ManifestFormat) -> Result<String, RegistryError> {
    let unreadable = || RegistryError::internal("a manifest without problems cannot be read");
    let as_json = match format {
        ManifestFormat::Yaml => {
            parse_tree(text.as_bytes(), format).map_err(|_| unreadable())?.root.to_json()
        }
        ManifestFormat::Json | ManifestFormat::JsonWithComments => text.to_owned(),
    };
    let value = json::parse(as_json.as_bytes(), Provenance::Authored, Limits::DOCUMENT);
    let value = value.map_err(|_| unreadable())?;
    String::from_utf8(value.to_canonical()).map_err(|_| unreadable())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_keeps_all_members_in_canonical_order() {
        let json = "{\"version\": \"1.0.0\", \"x-more\": [1.0, 1e21],\n \"name\": \"demo\"}";
        let expected = r#"{"name":"demo","version":"1.0.0","x-more":[1,1e+21]}"#;
        assert_eq!(canonical_manifest(json, ManifestFormat::Json).unwrap(), expected);
        let yaml = "version: 1.0.0\nx-more: [1.0, 2.5, yes]\nname: demo\n";
        let expected = r#"{"name":"demo","version":"1.0.0","x-more":[1,2.5,"yes"]}"#;
        assert_eq!(canonical_manifest(yaml, ManifestFormat::Yaml).unwrap(), expected);
    }
}
