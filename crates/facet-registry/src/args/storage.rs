//! Where the registry keeps what it has.

use std::path::PathBuf;

use clap::Args;

const STORAGE: &str = "Storage";

#[derive(Clone, Debug, Args)]
pub(crate) struct StorageArguments {
    /// Configuration file (TOML)
    #[arg(long, value_name = "FILE", global = true, help_heading = STORAGE)]
    pub(crate) config: Option<PathBuf>,
    #[arg(long, value_name = "DIR", global = true, help_heading = STORAGE,
        help = "Data directory (default: $XDG_DATA_HOME/facet-registry, or ~/.local/share/facet-registry)")]
    data: Option<String>,
    #[arg(long, value_name = "URL", global = true, help_heading = STORAGE,
        help = "PostgreSQL instead of SQLite in the data directory: postgres://USER@HOST/NAME, without a password")]
    database: Option<String>,
    /// File with the URL of the database and its password, which no list of processes shows
    #[arg(long, value_name = "FILE", global = true, help_heading = STORAGE)]
    database_file: Option<String>,
    #[arg(long, value_name = "URL", global = true, help_heading = STORAGE,
        help = "Directory of blobs, or s3://BUCKET/PREFIX?endpoint=URL&region=REGION (default: blobs in the data directory)")]
    blobs: Option<String>,
    #[arg(long, value_name = "FILE", global = true, help_heading = STORAGE,
        help = "File with the access key of S3 (or the variable AWS_ACCESS_KEY_ID)")]
    s3_access_key_file: Option<String>,
    #[arg(long, value_name = "FILE", global = true, help_heading = STORAGE,
        help = "File with the secret key of S3 (or the variable AWS_SECRET_ACCESS_KEY)")]
    s3_secret_key_file: Option<String>,
}

impl StorageArguments {
    /// What was typed, by the names of settings.
    pub(crate) fn given(&self) -> Vec<(&'static str, String)> {
        let all = [
            ("data", &self.data),
            ("database", &self.database),
            ("database-file", &self.database_file),
            ("blobs", &self.blobs),
            ("s3-access-key-file", &self.s3_access_key_file),
            ("s3-secret-key-file", &self.s3_secret_key_file),
        ];
        all.into_iter().filter_map(|(name, value)| Some((name, value.clone()?))).collect()
    }
}
