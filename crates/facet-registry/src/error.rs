//! Why the program could not do its work.

use std::io;
use std::path::{Path, PathBuf};

use facets_blobs::BlobError;
use facets_catalog::CatalogError;
use facets_failure::{Describe, LineColumn};
use facets_registry::RegistryError;

/// Why the program could not do its work.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProgramError {
    /// The catalog.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// The store of blobs.
    #[error(transparent)]
    Blobs(#[from] BlobError),
    /// The rules.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// The configuration file cannot be read.
    #[error("cannot read the configuration {}", path.display())]
    ConfigUnreadable { path: PathBuf, source: io::Error },
    /// The configuration file is no TOML, or has a value of another type.
    #[error("the configuration {} is invalid", path.display())]
    ConfigInvalid { path: PathBuf, place: LineColumn, reason: String },
    /// The configuration file has a key that is no setting.
    #[error("the configuration {} has the unknown key {key:?}", path.display())]
    ConfigUnknownKey { path: PathBuf, place: LineColumn, key: String, similar: Option<String> },
    /// A setting has a value that it cannot have.
    #[error("invalid value for {name}")]
    InvalidSetting {
        /// The flag or the variable.
        name: String,
        expected: String,
        actual: String,
        file: Option<(PathBuf, LineColumn)>,
        /// The command whose help lists it.
        command: &'static str,
    },
    /// A variable of the environment looks like a setting, and is none.
    #[error("the variable {name} is not a setting")]
    UnknownVariable { name: String, similar: Option<String> },
    /// Two settings do not go together.
    #[error("--{first} and --{second} do not fit")]
    SettingsConflict { first: &'static str, second: &'static str, reason: &'static str },
    /// A file with a secret cannot be read.
    #[error("cannot read the secret in {}", path.display())]
    SecretUnreadable { path: PathBuf, source: io::Error },
    /// A secret is in the command line, which every user of the machine can read.
    #[error("--{flag} has a password in it, and every user of this machine can read command lines")]
    SecretInFlag { flag: &'static str, instead: &'static str },
    /// A file with a secret has something else.
    #[error("{} does not have what it should", path.display())]
    InvalidSecret { path: PathBuf, expected: &'static str },
    /// There is no home directory to put the data into.
    #[error("no directory for the data of the registry")]
    NoDataDirectory,
    /// The data directory cannot be used.
    #[error("cannot use the data directory {}", path.display())]
    DataDirectory { path: PathBuf, source: io::Error },
    /// The data directory has no catalog.
    #[error("there is no registry: {} does not exist", path.display())]
    NoRegistry { path: PathBuf },
    /// The address cannot be listened on.
    #[error("cannot listen on {address}")]
    Listen { address: String, source: io::Error },
    /// Certificate or key cannot be used.
    #[error("cannot use {} for TLS", path.display())]
    Tls { path: PathBuf, reason: String },
    /// Threads, signals or the log could not be set up.
    #[error("cannot start the server")]
    Start { source: io::Error },
    /// The tables are of an older version.
    #[error("the catalog is of an older version")]
    SchemaBehind {
        /// Names of the migrations that are missing.
        pending: Vec<String>,
    },
    /// No token has this id.
    #[error("no token has the id {id:?}")]
    UnknownToken { id: String },
    /// The code is unknown.
    #[error("unknown code {code:?}")]
    UnknownCode { code: String, similar: Vec<&'static str> },
    /// A defect.
    #[error("facet-registry has a bug and stopped in the middle of this command")]
    Internal,
}

impl ProgramError {
    /// The codes of this crate alone.
    #[cfg(test)]
    pub(crate) const CODES: &'static [&'static str] = &[
        "config-invalid",
        "config-unknown-key",
        "config-unreadable",
        "data-directory-unknown",
        "data-directory-unusable",
        "listen-failed",
        "registry-missing",
        "schema-behind",
        "secret-in-flag",
        "secret-invalid",
        "secret-unreadable",
        "setting-invalid",
        "settings-conflict",
        "start-failed",
        "tls-invalid",
        "token-unknown",
        "variable-unknown",
    ];
}

impl Describe for ProgramError {
    fn code(&self) -> &'static str {
        match self {
            Self::Catalog(error) => error.code(),
            Self::Blobs(error) => error.code(),
            Self::Registry(error) => error.code(),
            Self::ConfigUnreadable { .. } => "config-unreadable",
            Self::ConfigInvalid { .. } => "config-invalid",
            Self::ConfigUnknownKey { .. } => "config-unknown-key",
            Self::InvalidSetting { .. } => "setting-invalid",
            Self::SettingsConflict { .. } => "settings-conflict",
            Self::SecretUnreadable { .. } => "secret-unreadable",
            Self::SecretInFlag { .. } => "secret-in-flag",
            Self::InvalidSecret { .. } => "secret-invalid",
            Self::NoDataDirectory => "data-directory-unknown",
            Self::DataDirectory { .. } => "data-directory-unusable",
            Self::NoRegistry { .. } => "registry-missing",
            Self::Listen { .. } => "listen-failed",
            Self::Tls { .. } => "tls-invalid",
            Self::Start { .. } => "start-failed",
            Self::SchemaBehind { .. } => "schema-behind",
            Self::UnknownToken { .. } => "token-unknown",
            Self::UnknownVariable { .. } => "variable-unknown",
            Self::UnknownCode { .. } => "unknown-code",
            Self::Internal => "internal-error",
        }
    }

    fn expected(&self) -> Option<String> {
        let text = match self {
            Self::Catalog(error) => return error.expected(),
            Self::Blobs(error) => return error.expected(),
            Self::Registry(error) => return error.expected(),
            Self::ConfigUnreadable { .. } => "a readable TOML file",
            Self::ConfigInvalid { .. } => "TOML with texts, numbers, true and false",
            Self::ConfigUnknownKey { similar: Some(similar), .. } => {
                return Some(format!("a setting, such as `{similar}`"));
            }
            Self::ConfigUnknownKey { .. } => "a setting that `facet-registry serve --help` lists",
            Self::UnknownVariable { similar: Some(similar), .. } => {
                return Some(format!("a setting, such as `{similar}`"));
            }
            Self::UnknownVariable { .. } => "FACET_REGISTRY_ and the name of a setting",
            Self::InvalidSetting { expected, .. } => return Some(expected.clone()),
            Self::SettingsConflict { reason, .. } => *reason,
            Self::SecretUnreadable { .. } => "a file that this user can read",
            Self::SecretInFlag { flag, instead } => {
                let variable = flag.replace('-', "_").to_ascii_uppercase();
                return Some(format!(
                    "--{instead} FILE, or the variable FACET_REGISTRY_{variable}"
                ));
            }
            Self::InvalidSecret { expected, .. } => *expected,
            Self::NoDataDirectory => "--data DIR, or HOME set to an absolute path",
            Self::DataDirectory { .. } => "a directory that this user can write to",
            Self::NoRegistry { .. } => "a data directory that `facet-registry serve` has used",
            Self::Listen { .. } => "an address of this machine with a port that is free",
            Self::Tls { .. } => "a certificate and its key, as PEM files",
            Self::Start { .. } => "enough threads and file descriptors",
            Self::SchemaBehind { .. } => "a catalog of this version",
            Self::UnknownToken { .. } => "an id that `facet-registry token list` shows",
            Self::UnknownCode { .. } => "a code that facet-registry reports",
            Self::Internal => return None,
        };
        Some(text.to_owned())
    }

    fn actual(&self) -> Option<String> {
        match self {
            Self::Catalog(error) => error.actual(),
            Self::Blobs(error) => error.actual(),
            Self::Registry(error) => error.actual(),
            Self::ConfigUnreadable { source, .. }
            | Self::SecretUnreadable { source, .. }
            | Self::DataDirectory { source, .. }
            | Self::Listen { source, .. }
            | Self::Start { source } => Some(source.to_string()),
            Self::ConfigInvalid { reason, .. } | Self::Tls { reason, .. } => Some(reason.clone()),
            Self::ConfigUnknownKey { key, .. } => Some(key.clone()),
            Self::UnknownVariable { name, .. } => Some(name.clone()),
            Self::InvalidSetting { actual, .. } => Some(actual.clone()),
            Self::SchemaBehind { pending } if pending.is_empty() => None,
            Self::SchemaBehind { pending } => Some(format!("without {}", pending.join(", "))),
            Self::SettingsConflict { .. }
            | Self::SecretInFlag { .. }
            | Self::InvalidSecret { .. }
            | Self::NoDataDirectory
            | Self::NoRegistry { .. }
            | Self::UnknownToken { .. }
            | Self::UnknownCode { .. }
            | Self::Internal => None,
        }
    }

    fn file(&self) -> Option<&Path> {
        match self {
            Self::ConfigUnreadable { path, .. }
            | Self::ConfigInvalid { path, .. }
            | Self::ConfigUnknownKey { path, .. }
            | Self::SecretUnreadable { path, .. }
            | Self::InvalidSecret { path, .. }
            | Self::DataDirectory { path, .. }
            | Self::NoRegistry { path }
            | Self::Tls { path, .. } => Some(path),
            Self::InvalidSetting { file, .. } => file.as_ref().map(|(path, _)| path.as_path()),
            _ => None,
        }
    }

    fn place(&self) -> Option<LineColumn> {
        match self {
            Self::ConfigInvalid { place, .. } | Self::ConfigUnknownKey { place, .. } => {
                Some(*place)
            }
            Self::InvalidSetting { file, .. } => file.as_ref().map(|(_, place)| *place),
            _ => None,
        }
    }

    fn next(&self) -> String {
        match self {
            Self::Catalog(error) => error.next(),
            Self::Blobs(error) => error.next(),
            Self::Registry(error) => error.next(),
            Self::InvalidSetting { command, .. } => format!("facet-registry {command} --help"),
            Self::ConfigUnknownKey { .. }
            | Self::UnknownVariable { .. }
            | Self::SettingsConflict { .. } => "facet-registry serve --help".to_owned(),
            Self::SchemaBehind { .. } => "facet-registry migrate".to_owned(),
            Self::UnknownToken { .. } => "facet-registry token list".to_owned(),
            Self::UnknownCode { similar, .. } => match similar.first() {
                Some(code) => format!("facet-registry explain {code}"),
                None => "facet-registry explain".to_owned(),
            },
            other => format!("facet-registry explain {}", other.code()),
        }
    }
}
