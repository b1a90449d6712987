//! A version as a row.

use facets_model::ArtifactName;

use crate::database::{Cells, Param, shown, size};
use crate::error::CatalogError;
use crate::kind::ArtifactKind;
use crate::record::{AssetCounts, ServerRecord, VersionRecord, Yank};

/// The columns that [`read_version`] reads.
macro_rules! version_columns {
    () => {
        "version, content_hash, integrity, size, agents, commands, servers, skills, owner, \
         published_at, yanked_at, yanked_by, yank_reason, surface_file, surface_size, api_surface, \
         surface, behavior, runtime, tools, author, description, resources, entitlements, manifest"
    };
}
pub(crate) use version_columns;

/// A version whose name is known.
pub(crate) fn read_version(
    kind: ArtifactKind,
    name: &ArtifactName,
    cells: &mut Cells<'_>,
) -> Result<VersionRecord, CatalogError> {
    let version = cells.parsed()?;
    let content_hash = cells.parsed()?;
    let integrity = cells.parsed()?;
    let size = cells.unsigned()?;
    let assets = read_assets(cells)?;
    let owner = cells.parsed()?;
    let published_at = cells.moment()?;
    let yanked = read_yank(cells)?;
    let server = read_server(cells)?;
    let author = cells.optional_owned_text()?;
    let description = cells.optional_owned_text()?;
    let server = read_server_texts(server, cells)?;
    let manifest = cells.owned_text()?;
    let name = name.clone();
    Ok(VersionRecord {
        kind,
        name,
        version,
        content_hash,
        integrity,
        size,
        manifest,
        description,
        author,
        assets,
        owner,
        published_at,
        yanked,
        server,
    })
}

/// `agents, commands, servers, skills`
pub(crate) fn read_assets(cells: &mut Cells<'_>) -> Result<AssetCounts, CatalogError> {
    Ok(AssetCounts {
        agents: cells.unsigned()?,
        commands: cells.unsigned()?,
        servers: cells.unsigned()?,
        skills: cells.unsigned()?,
    })
}

/// `yanked_at, yanked_by, yank_reason`
pub(crate) fn read_yank(cells: &mut Cells<'_>) -> Result<Option<Yank>, CatalogError> {
    let at = cells.optional_moment()?;
    let by = cells.optional_parsed()?;
    let reason = cells.optional_owned_text()?;
    let (Some(at), Some(by)) = (at, by) else { return Ok(None) };
    Ok(Some(Yank { reason: reason.unwrap_or_default(), at, by }))
}

/// `surface_file, surface_size, api_surface, surface, behavior, runtime, tools`, which a facet has not.
fn read_server(cells: &mut Cells<'_>) -> Result<Option<ServerRecord>, CatalogError> {
    let surface_file = cells.optional_parsed()?;
    let surface_size = cells.optional_integer()?;
    let api_surface = cells.optional_parsed()?;
    let surface = cells.optional_parsed()?;
    let behavior = cells.optional_parsed()?;
    let runtime = cells.optional_owned_text()?;
    let tools = cells.optional_integer()?;
    let (Some(surface_file), Some(api_surface), Some(surface), Some(behavior)) =
        (surface_file, api_surface, surface, behavior)
    else {
        return Ok(None);
    };
    Ok(Some(ServerRecord {
        surface_file,
        surface_size: surface_size.and_then(|size| size.try_into().ok()).unwrap_or_default(),
        api_surface,
        surface,
        behavior,
        resources: None,
        entitlements: String::new(),
        runtime: runtime.unwrap_or_default(),
        tools: tools.and_then(|tools| tools.try_into().ok()).unwrap_or_default(),
    }))
}

/// `resources, entitlements`
fn read_server_texts(
    server: Option<ServerRecord>,
    cells: &mut Cells<'_>,
) -> Result<Option<ServerRecord>, CatalogError> {
    let resources = cells.optional_owned_text()?;
    let entitlements = cells.optional_owned_text()?.unwrap_or_default();
    Ok(server.map(|server| ServerRecord { resources, entitlements, ..server }))
}

/// Stores a version that is not there yet.
pub(crate) const INSERT: &str = "INSERT INTO versions \
     (kind, name, ordering, version, is_prerelease, content_hash, integrity, size, agents, commands, \
     servers, skills, owner, published_at, upload, surface_file, surface_size, api_surface, surface, \
     behavior, runtime, tools, author, description, resources, entitlements, manifest) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, \
     $20, $21, $22, $23, $24, $25, $26, $27)";

/// What [`INSERT`] takes. A new version is not yanked.
pub(crate) fn insert_params<'r>(
    record: &'r VersionRecord,
    ordering: &'r str,
    upload: &'r str,
) -> Vec<Param<'r>> {
    let server = record.server.as_ref();
    let digest = |digest: Option<&facets_digest::Digest>| match digest {
        Some(digest) => digest.into(),
        None => Param::Text(None),
    };
    vec![
        record.kind.into(),
        (&record.name).into(),
        ordering.into(),
        (&record.version).into(),
        i64::from(record.version.is_prerelease()).into(),
        (&record.content_hash).into(),
        (&record.integrity).into(),
        size(record.size).into(),
        record.assets.agents.into(),
        record.assets.commands.into(),
        record.assets.servers.into(),
        record.assets.skills.into(),
        (&record.owner).into(),
        record.published_at.into(),
        upload.into(),
        digest(server.map(|server| &server.surface_file)),
        Param::Integer(server.map(|server| size(server.surface_size))),
        digest(server.map(|server| &server.api_surface)),
        digest(server.map(|server| &server.surface)),
        digest(server.map(|server| &server.behavior)),
        server.map(|server| &*server.runtime).into(),
        Param::Integer(server.map(|server| i64::from(server.tools))),
        shown(record.author.as_deref()),
        shown(record.description.as_deref()),
        server.and_then(|server| server.resources.as_deref()).into(),
        server.map(|server| &*server.entitlements).into(),
        (&record.manifest).into(),
    ]
}
