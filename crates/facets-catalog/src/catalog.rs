//! The catalog, opened.

use crate::address::CatalogUrl;
use crate::database::Database;
use crate::error::CatalogError;
use crate::migrations::{self, Migrating};

/// Everything that a registry knows. Clones share its connections.
#[derive(Clone, Debug)]
pub struct Catalog {
    pub(crate) database: Database,
}

/// Whether to make or change tables on opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Migrate {
    /// Runs the migrations that are missing.
    Yes,
    /// Changes nothing.
    No,
}

/// How far the tables are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaState {
    /// The number of the last migration that was run; 0 without tables.
    pub applied: i64,
    /// The number of the last migration that this version has.
    pub known: i64,
    /// The names of the migrations that are missing.
    pub pending: Vec<String>,
}

impl SchemaState {
    /// Whether nothing is missing.
    #[must_use]
    pub fn is_current(&self) -> bool {
        self.pending.is_empty()
    }
}

impl Catalog {
    /// Connects. Tables that a newer version made are refused; those that an older one made are only
    /// refused by the statements that need more.
    pub async fn open(url: &CatalogUrl, migrate: Migrate) -> Result<Self, CatalogError> {
        let catalog = Self { database: Database::open(url).await? };
        match migrate {
            Migrate::Yes => drop(catalog.migrate().await?),
            Migrate::No => drop(catalog.schema().await?),
        }
        Ok(catalog)
    }

    /// How far the tables are.
    pub async fn schema(&self) -> Result<SchemaState, CatalogError> {
        let applied = if self.has_table(migrations::TABLE).await? {
            let row = self.database.fetch_first(migrations::LAST, &[]).await?;
            let number = row.map(|row| row.cells().optional_integer()).transpose()?;
            number.flatten().unwrap_or_default()
        } else {
            0
        };
        migrations::check(applied)?;
        let pending = migrations::pending(applied).map(|one| one.name.to_owned()).collect();
        Ok(SchemaState { applied, known: migrations::known(), pending })
    }

    async fn has_table(&self, name: &str) -> Result<bool, CatalogError> {
        let sql = self.database.dialect().count_tables();
        let row = self.database.fetch_first(sql, &[name.into()]).await?;
        let count = row.map(|row| row.cells().integer()).transpose()?;
        Ok(count.is_some_and(|count| count > 0))
    }

    /// Runs the migrations that are missing, and names them.
    pub async fn migrate(&self) -> Result<Vec<String>, CatalogError> {
        self.database.write(&Migrating).await
    }

    /// Whether the database answers.
    pub async fn ping(&self) -> Result<(), CatalogError> {
        self.database.fetch_first("SELECT CAST(1 AS BIGINT)", &[]).await.map(drop)
    }
}
