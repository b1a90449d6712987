//! Settings, understood.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use facets_blobs::{BlobLimits, BlobsUrl, S3Credentials};
use facets_catalog::CatalogUrl;
use facets_registry::RegistryLimits;

use super::sources::{GivenBy, GivenValue, Sources};
use super::values::{
    parse_count, parse_duration, parse_public_url, parse_size, parse_some_duration,
    parse_some_size, parse_switch, parse_threads,
};
use crate::error::ProgramError;

/// What every command needs that looks into the registry.
#[derive(Debug)]
pub(crate) struct StorageSettings {
    /// Where everything is that has no other place.
    pub(crate) data: PathBuf,
    pub(crate) catalog: CatalogUrl,
    pub(crate) blobs: BlobsUrl,
    pub(crate) credentials: Option<S3Credentials>,
    pub(crate) blob_limits: BlobLimits,
    pub(crate) limits: RegistryLimits,
}

/// What `serve` needs beside that.
#[derive(Debug)]
pub(crate) struct ServeSettings {
    pub(crate) listen: String,
    pub(crate) tls: Option<TlsFiles>,
    pub(crate) access: ReadAccess,
    pub(crate) proxy: ProxyTrust,
    /// Where clients find the registry, if the operator says so; without a slash at its end.
    pub(crate) public_url: Option<Arc<str>>,
    pub(crate) rates: Rates,
    pub(crate) connections: ConnectionSettings,
    pub(crate) shutdown_wait: Duration,
    pub(crate) threads: usize,
    pub(crate) log: LogFormat,
}

/// Who may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReadAccess {
    Everyone,
    /// Callers with a token.
    Tokens,
}

/// Whether a proxy in front says who the client is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProxyTrust {
    /// The address of the connection counts.
    None,
    /// The last entry of `X-Forwarded-For` counts, which the proxy itself has written.
    LastHop,
}

/// How requests are logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogFormat {
    Human,
    Json,
    Off,
}

/// Certificate and key, each as a PEM file.
#[derive(Clone, Debug)]
pub(crate) struct TlsFiles {
    pub(crate) certificate: PathBuf,
    pub(crate) key: PathBuf,
}

/// How many requests are answered; rates are per minute, 0 is no limit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rates {
    pub(crate) read: u32,
    pub(crate) read_burst: u32,
    pub(crate) write: u32,
    pub(crate) write_burst: u32,
}

/// What a connection may cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConnectionSettings {
    pub(crate) most: u32,
    /// Of one address; 0 is no limit.
    pub(crate) per_address: u32,
    /// From the first byte of a request to the end of its head.
    pub(crate) header_timeout: Duration,
    /// Between two requests.
    pub(crate) idle_timeout: Duration,
    /// For a whole body.
    pub(crate) body_timeout: Duration,
    /// Bytes per second, both ways, below which a client is too slow.
    pub(crate) body_rate: u64,
}

impl StorageSettings {
    pub(crate) fn read(sources: &Sources<'_>) -> Result<Self, ProgramError> {
        let data = data_directory(sources)?;
        let blobs = sources.read_optional("blobs", |text| text.parse::<BlobsUrl>().ok())?;
        let cache = sources.read("cache-size", parse_size)?;
        Ok(Self {
            catalog: catalog_url(sources, &data)?,
            blobs: blobs.unwrap_or_else(|| BlobsUrl::Files(data.join("blobs"))),
            credentials: credentials(sources)?,
            blob_limits: BlobLimits {
                cache_bytes: usize::try_from(cache).unwrap_or(usize::MAX),
                ..BlobLimits::default()
            },
            limits: registry_limits(sources)?,
            data,
        })
    }
}

impl ServeSettings {
    pub(crate) fn read(sources: &Sources<'_>) -> Result<Self, ProgramError> {
        let is_private = sources.read("private", parse_switch)?;
        let is_behind_proxy = sources.read("trust-proxy", parse_switch)?;
        Ok(Self {
            listen: sources.read("listen", |text| Some(text.to_owned()))?,
            tls: tls_files(sources)?,
            access: if is_private { ReadAccess::Tokens } else { ReadAccess::Everyone },
            proxy: if is_behind_proxy { ProxyTrust::LastHop } else { ProxyTrust::None },
            public_url: sources.read_optional("public-url", parse_public_url)?,
            rates: Rates::read(sources)?,
            connections: ConnectionSettings::read(sources)?,
            shutdown_wait: sources.read("shutdown-wait", parse_duration)?,
            threads: sources.read("threads", parse_threads)?,
            log: sources.read("log", parse_log)?,
        })
    }
}

impl Rates {
    fn read(sources: &Sources<'_>) -> Result<Self, ProgramError> {
        Ok(Self {
            read: sources.read("read-rate", |text| text.parse().ok())?,
            read_burst: sources.read("read-burst", parse_count)?,
            write: sources.read("write-rate", |text| text.parse().ok())?,
            write_burst: sources.read("write-burst", parse_count)?,
        })
    }
}

impl ConnectionSettings {
    fn read(sources: &Sources<'_>) -> Result<Self, ProgramError> {
        let most = sources.read("connections", parse_count)?;
        let per_address =
            sources.read_optional("connections-per-address", |text| text.parse().ok())?;
        Ok(Self {
            most,
            per_address: per_address.unwrap_or_else(|| (most / 4).max(1)),
            header_timeout: sources.read("header-timeout", parse_some_duration)?,
            idle_timeout: sources.read("idle-timeout", parse_some_duration)?,
            body_timeout: sources.read("body-timeout", parse_some_duration)?,
            body_rate: sources.read("body-rate", parse_size)?,
        })
    }
}

fn parse_log(text: &str) -> Option<LogFormat> {
    match text {
        "human" => Some(LogFormat::Human),
        "json" => Some(LogFormat::Json),
        "off" => Some(LogFormat::Off),
        _ => None,
    }
}

fn registry_limits(sources: &Sources<'_>) -> Result<RegistryLimits, ProgramError> {
    let count = |name| sources.read(name, parse_count);
    Ok(RegistryLimits {
        facet_bytes: sources.read("facet-size", parse_some_size)?,
        server_bytes: sources.read("server-size", parse_some_size)?,
        uploads_at_once: count("uploads-at-once")? as usize,
        upload_bytes_per_second: sources.read("upload-rate", parse_size)?,
        upload_window: sources.read("upload-window", parse_some_duration)?,
        archives_read_at_once: count("archives-at-once")? as usize,
        probes_at_once: count("probes-at-once")? as usize,
        queued_per_owner: count("queued-per-owner")?,
        wait_for_probe: sources.read("probe-wait", parse_duration)?,
        ..RegistryLimits::default()
    })
}

fn data_directory(sources: &Sources<'_>) -> Result<PathBuf, ProgramError> {
    if let Some(given) = sources.find("data")? {
        return Ok(PathBuf::from(given.text));
    }
    let place =
        |name: &str| sources.variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let shared =
        place("XDG_DATA_HOME").or_else(|| place("HOME").map(|home| home.join(".local/share")));
    shared.map(|shared| shared.join("facet-registry")).ok_or(ProgramError::NoDataDirectory)
}

fn catalog_url(sources: &Sources<'_>, data: &Path) -> Result<CatalogUrl, ProgramError> {
    match sources.find_either(["database", "database-file"])? {
        [Some(GivenValue { by, .. }), _] => {
            let url = sources.read_optional("database", parse_database)?;
            let url: CatalogUrl = url.ok_or(ProgramError::Internal)?;
            // Every user of the machine can read a command line.
            if by == GivenBy::Flag && url.has_password() {
                return Err(ProgramError::SecretInFlag {
                    flag: "database",
                    instead: "database-file",
                });
            }
            Ok(url)
        }
        [None, Some(GivenValue { text, .. })] => {
            let path = PathBuf::from(text);
            parse_database(&read_secret(&path)?).ok_or(ProgramError::InvalidSecret {
                path,
                expected: "postgres://USER:PASSWORD@HOST/NAME",
            })
        }
        [None, None] => Ok(CatalogUrl::Sqlite(data.join("catalog.sqlite"))),
    }
}

/// An address of PostgreSQL, or of SQLite with its scheme: anything else would become a file of that name.
fn parse_database(text: &str) -> Option<CatalogUrl> {
    let text = text.trim();
    let url: CatalogUrl = text.parse().ok()?;
    let is_named = matches!(url, CatalogUrl::Postgres(_)) || text.starts_with("sqlite:");
    is_named.then_some(url)
}

/// The files come before the variables that other programs use, too.
fn credentials(sources: &Sources<'_>) -> Result<Option<S3Credentials>, ProgramError> {
    let file = |name| -> Result<Option<String>, ProgramError> {
        sources.find(name)?.map(|given| read_secret(Path::new(&given.text))).transpose()
    };
    let variable = |name: &str| sources.variable(name).and_then(|value| value.into_string().ok());
    let access_key = file("s3-access-key-file")?;
    let secret_key = file("s3-secret-key-file")?;
    let is_session = access_key.is_none() && secret_key.is_none();
    let access_key = access_key.or_else(|| variable("AWS_ACCESS_KEY_ID"));
    let secret_key = secret_key.or_else(|| variable("AWS_SECRET_ACCESS_KEY"));
    match (access_key, secret_key) {
        (Some(access_key), Some(secret_key)) => {
            let session = variable("AWS_SESSION_TOKEN").filter(|_| is_session);
            Ok(Some(S3Credentials { access_key, secret_key, session }))
        }
        (None, None) => Ok(None),
        _ => Err(ProgramError::SettingsConflict {
            first: "s3-access-key-file",
            second: "s3-secret-key-file",
            reason: "each needs the other",
        }),
    }
}

fn tls_files(sources: &Sources<'_>) -> Result<Option<TlsFiles>, ProgramError> {
    let path = |name| -> Result<Option<PathBuf>, ProgramError> {
        Ok(sources.find(name)?.map(|given| PathBuf::from(given.text)))
    };
    match (path("tls-cert")?, path("tls-key")?) {
        (Some(certificate), Some(key)) => Ok(Some(TlsFiles { certificate, key })),
        (None, None) => Ok(None),
        _ => Err(ProgramError::SettingsConflict {
            first: "tls-cert",
            second: "tls-key",
            reason: "each needs the other",
        }),
    }
}

/// A secret in a file, without the line end that an editor puts there.
fn read_secret(path: &Path) -> Result<String, ProgramError> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| ProgramError::SecretUnreadable { path: path.to_owned(), source })?;
    Ok(text.trim_end_matches(['\r', '\n']).to_owned())
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use facets_failure::Describe as _;

    use super::*;

    fn storage(
        flags: &[(&'static str, &str)],
        variables: &[(&str, &str)],
    ) -> Result<StorageSettings, ProgramError> {
        let environment = |name: &str| -> Option<OsString> {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into())
        };
        let flags = flags.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        StorageSettings::read(&Sources::new(flags, None, &environment)?)
    }

    #[test]
    fn without_any_setting_all_is_in_the_directory_of_the_user() {
        let data = |variables: &[(&str, &str)]| storage(&[], variables).map(|all| all.data);
        let home = ("HOME", "/home/u");
        assert_eq!(data(&[home]).unwrap(), Path::new("/home/u/.local/share/facet-registry"));
        let shared = ("XDG_DATA_HOME", "/srv");
        assert_eq!(data(&[home, shared]).unwrap(), Path::new("/srv/facet-registry"));
        assert_eq!(data(&[]).unwrap_err().code(), "data-directory-unknown");
        assert_eq!(data(&[("HOME", "relative")]).unwrap_err().code(), "data-directory-unknown");
        let given = storage(&[("data", "d")], &[]).unwrap();
        assert_eq!(given.data, Path::new("d"));
        assert!(
            matches!(given.catalog, CatalogUrl::Sqlite(path) if path == Path::new("d/catalog.sqlite"))
        );
        assert_eq!(given.blobs, BlobsUrl::Files("d/blobs".into()));
    }

    #[test]
    fn the_defaults_are_those_of_the_rules() {
        let limits = storage(&[("data", "d")], &[]).unwrap().limits;
        let usual = RegistryLimits::default();
        assert_eq!(limits.facet_bytes, usual.facet_bytes);
        assert_eq!(limits.server_bytes, usual.server_bytes);
        assert_eq!(limits.uploads_at_once, usual.uploads_at_once);
        assert_eq!(limits.wait_for_probe, usual.wait_for_probe);
    }

    #[test]
    fn a_database_is_named_by_its_scheme() {
        let postgres = parse_database(" postgres://u:p@h/d\n").unwrap();
        assert_eq!(postgres, CatalogUrl::Postgres("postgres://u:p@h/d".to_owned()));
        assert_eq!(parse_database("sqlite:a/b"), Some(CatalogUrl::Sqlite("a/b".into())));
        for other in ["", "catalog", "/srv/catalog.sqlite", "mysql://h/d", "host=h user=u"] {
            assert_eq!(parse_database(other), None, "{other}");
        }
    }

    #[test]
    fn a_command_line_has_no_password() {
        let secret = "postgres://user:secret@host/db";
        let refused = storage(&[("data", "d"), ("database", secret)], &[]).unwrap_err();
        assert_eq!(refused.code(), "secret-in-flag");
        assert!(!format!("{refused:?} {:?}", refused.describe()).contains("user:secret"));
        let variable = [("FACET_REGISTRY_DATABASE", secret)];
        let from_variable = storage(&[("data", "d")], &variable).unwrap().catalog;
        assert_eq!(from_variable, CatalogUrl::Postgres(secret.to_owned()));
        let without = ("database", "postgres://user@host/db");
        assert!(storage(&[("data", "d"), without], &[]).is_ok());
    }

    #[test]
    fn secrets_come_from_files_or_from_the_usual_variables() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        std::fs::write(path("access"), "AKIA\n").unwrap();
        std::fs::write(path("secret"), "shh\n").unwrap();
        let (access, secret) = (path("access"), path("secret"));
        let flags =
            [("data", "d"), ("s3-access-key-file", &*access), ("s3-secret-key-file", &*secret)];
        let variables = [("AWS_ACCESS_KEY_ID", "other"), ("AWS_SESSION_TOKEN", "session")];
        let found = storage(&flags, &variables).unwrap().credentials.unwrap();
        assert_eq!((&*found.access_key, &*found.secret_key), ("AKIA", "shh"));
        assert_eq!(found.session, None, "the session of another key");
        let one = storage(&flags[..2], &[]).unwrap_err();
        assert_eq!(one.code(), "settings-conflict");
        let absent = storage(&[("data", "d"), ("database-file", "/none/here")], &[]).unwrap_err();
        assert_eq!(absent.code(), "secret-unreadable");
    }
}
