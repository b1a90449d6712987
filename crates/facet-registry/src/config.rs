//! How the registry is configured: by flags, by variables of the environment, by a file.

mod file;
mod settings;
mod sources;
mod table;
mod values;
mod variables;

pub(crate) use settings::{
    ConnectionSettings, LogFormat, ProxyTrust, Rates, ReadAccess, ServeSettings, StorageSettings,
    TlsFiles,
};
pub(crate) use sources::Sources;
pub(crate) use values::parse_duration;
pub(crate) use variables::check_environment;
