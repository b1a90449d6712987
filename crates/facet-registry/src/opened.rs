//! The registry behind a command: catalog, blobs and rules.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

use facets_blobs::Blobs;
use facets_catalog::{Catalog, CatalogUrl, Migrate};
use facets_registry::{Registry, RegistryPlaces, RegistrySetup};

use crate::config::StorageSettings;
use crate::error::ProgramError;

/// Opens catalog and blobs. Unless tables may be made or changed, a catalog of an older version is refused.
pub(crate) async fn open_registry(
    storage: &StorageSettings,
    migrate: Migrate,
) -> Result<Registry, ProgramError> {
    if migrate == Migrate::No {
        require_catalog(&storage.catalog)?;
    }
    make_private(&storage.data)?;
    let catalog = open_catalog(storage, migrate).await?;
    let blobs = Blobs::open(&storage.blobs, storage.credentials.as_ref(), storage.blob_limits)?;
    let program =
        facets_worker::own_executable().map_err(|source| ProgramError::Start { source })?;
    Ok(Registry::new(RegistrySetup {
        catalog,
        blobs,
        places: RegistryPlaces {
            uploads: storage.data.join("uploads"),
            // A server sees this path, and should not learn from it what it is started for.
            probes: storage.data.join("work"),
            store: storage.data.join("store"),
        },
        limits: storage.limits.clone(),
        program,
    })?)
}

/// A command that only looks makes no registry in a directory whose name was mistyped.
fn require_catalog(catalog: &CatalogUrl) -> Result<(), ProgramError> {
    let CatalogUrl::Sqlite(path) = catalog else { return Ok(()) };
    let file = if path.is_dir() { path.join("catalog.sqlite") } else { path.clone() };
    if file.exists() { Ok(()) } else { Err(ProgramError::NoRegistry { path: file }) }
}

/// Opens the catalog alone.
pub(crate) async fn open_catalog(
    storage: &StorageSettings,
    migrate: Migrate,
) -> Result<Catalog, ProgramError> {
    let catalog = Catalog::open(&storage.catalog, migrate).await?;
    if migrate == Migrate::No {
        let schema = catalog.schema().await?;
        if !schema.is_current() {
            return Err(ProgramError::SchemaBehind { pending: schema.pending });
        }
    }
    Ok(catalog)
}

/// Other users of this machine read neither archives nor the catalog.
pub(crate) fn make_private(path: &Path) -> Result<(), ProgramError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.map_err(|source| ProgramError::DataDirectory { path: path.to_owned(), source })
}
