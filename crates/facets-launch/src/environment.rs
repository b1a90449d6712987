//! The environment that a server gets (spec 5.2): this and no other, so that what was captured is what
//! is served.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::error::LaunchError;
use crate::program::search_path;
use crate::settled::settled_path;

/// What MCP clients pass to every server.
const OF_CLIENTS: &[&str] = &["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"];

/// Which language, and which way to write numbers and dates; `LC_*` as well.
const LOCALE: &[&str] = &["LANG", "LANGUAGE"];

/// How programs are told of a proxy.
const PROXY: &[&str] = &[
    "ALL_PROXY",
    "FTP_PROXY",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NO_PROXY",
    "all_proxy",
    "ftp_proxy",
    "https_proxy",
    "http_proxy",
    "no_proxy",
    "NODE_USE_ENV_PROXY",
];

/// How programs are told of certificates. The values are files, or folders of files.
pub const CERTIFICATES: &[&str] = &[
    "AWS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "DENO_CERT",
    "GIT_SSL_CAINFO",
    "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
    "HTTPLIB2_CA_CERTS",
    "NIX_SSL_CERT_FILE",
    "NODE_EXTRA_CA_CERTS",
    "PIP_CERT",
    "REQUESTS_CA_BUNDLE",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
];

/// What begins the name of a variable that is meant for the server alone: the file of a client may set
/// it without deciding anything about facet, which runs in the same environment.
pub const FOR_SERVER: &str = "FACET_ENV_";

/// Whether a server gets a variable without naming it.
#[must_use]
pub fn is_passed_on(variable: &str) -> bool {
    let all = [OF_CLIENTS, LOCALE, PROXY, CERTIFICATES];
    variable == "TZ" || variable.starts_with("LC_") || all.iter().any(|l| l.contains(&variable))
}

/// What a server gets beside the variables that it names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Environment {
    /// An empty `HOME` that goes with the process, in no place and no language.
    #[default]
    Scratch,
    /// The same, as an older facet had it: also if the server names a `HOME`.
    Older,
    /// What it would get without facet.
    Native,
    /// A `HOME` of its own, in no place and no language.
    Private {
        /// Where it lies.
        home: PathBuf,
        /// How it reaches the network.
        reach: NetworkReach,
    },
}

/// How a server reaches the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetworkReach {
    /// Not at all.
    Closed,
    /// Through a proxy of facet's.
    ThroughFacet,
    /// As the user does.
    Open,
}

/// The variables of a server and how they come about.
#[derive(Clone, Debug, Default)]
pub struct Variables {
    /// What it gets beside those that it names.
    pub environment: Environment,
    /// Names of variables whose values come from our own environment.
    pub named: Vec<String>,
    /// Values of such variables that our own environment does not have.
    pub given: BTreeMap<String, String>,
    /// Variables that the runtime gets, whatever else is set.
    pub fixed: Vec<(&'static str, OsString)>,
    /// Whether everything is left out that only says where and for whom it runs.
    pub is_normalised: bool,
}

impl Variables {
    /// Where the server's programs are looked for: in its own `PATH`, if it names one.
    #[must_use]
    pub fn search_path(&self) -> OsString {
        let own = self.named.iter().any(|name| name == "PATH");
        own.then(|| value_of("PATH", &self.given)).flatten().unwrap_or_else(search_path)
    }

    /// Files of certificates that the variables name, where they really lie: a server whose files are
    /// confined has to read them. Nothing else can be opened to it in this way: no folders, no files
    /// without a certificate, and none that a server with these folders to write can choose.
    #[must_use]
    pub fn certificates(&self, writable: &[PathBuf]) -> Vec<PathBuf> {
        let is_wanted = |name: &&&str| match self.environment {
            Environment::Private { reach: NetworkReach::Closed, .. }
            | Environment::Scratch
            | Environment::Older => self.named.iter().any(|named| named == **name),
            Environment::Private { .. } | Environment::Native => true,
        };
        let values = CERTIFICATES.iter().filter(is_wanted);
        let files = values.filter_map(|name| value_of(name, &self.given)).map(PathBuf::from);
        let files = files.filter(|file| file.is_absolute());
        let files = files.filter_map(|file| settled_path(&file, writable));
        files.filter(|file| has_certificate(file)).collect()
    }

    /// All of them, with their values.
    pub(crate) fn values(&self) -> Result<BTreeMap<OsString, OsString>, LaunchError> {
        let mut values = self.environment.values();
        values.insert("PATH".into(), self.search_path());
        for name in &self.named {
            let value = value_of(name, &self.given);
            let value = value.ok_or_else(|| LaunchError::NoVariable { name: name.clone() })?;
            values.insert(name.into(), value);
        }
        // What an older facet pinned stays as it was.
        if self.is_normalised && self.environment != Environment::Older {
            normalise(&mut values, &self.named);
        }
        values.extend(self.fixed.iter().map(|(name, value)| (OsString::from(name), value.clone())));
        Ok(values)
    }

    /// Variables whose values are folders that go with the process.
    pub(crate) fn scratch_folders(&self) -> Vec<OsString> {
        let folders: &[&str] = match self.environment {
            Environment::Scratch | Environment::Older => &["HOME", "TMPDIR"],
            Environment::Native => &[],
            Environment::Private { .. } => &["TMPDIR"],
        };
        let is_named = |name: &&&str| self.named.iter().any(|named| named == **name);
        let is_kept = |name: &&&str| self.environment == Environment::Older || !is_named(name);
        folders.iter().filter(is_kept).map(OsString::from).collect()
    }
}

impl Environment {
    fn values(&self) -> BTreeMap<OsString, OsString> {
        let nowhere = || BTreeMap::from([("TZ".into(), "UTC".into()), language()]);
        match self {
            Self::Scratch | Self::Older => nowhere(),
            Self::Native => ours(&is_passed_on),
            Self::Private { home, reach } => {
                let mut values = nowhere();
                values.insert("HOME".into(), home.into());
                values.extend(match reach {
                    NetworkReach::Closed => BTreeMap::new(),
                    NetworkReach::ThroughFacet => ours(&|name| CERTIFICATES.contains(&name)),
                    NetworkReach::Open => {
                        ours(&|name| PROXY.contains(&name) || CERTIFICATES.contains(&name))
                    }
                });
                values
            }
        }
    }
}

/// Whether a file has certificates, and no key anywhere.
fn has_certificate(file: &Path) -> bool {
    const LARGEST: u64 = 16 << 20;
    let is_file = file.metadata().is_ok_and(|data| data.is_file());
    let mut bytes = Vec::new();
    let mut read = || File::open(file)?.take(LARGEST + 1).read_to_end(&mut bytes);
    let is_read = is_file && read().is_ok() && bytes.len() as u64 <= LARGEST;
    let text = String::from_utf8_lossy(&bytes);
    is_read && text.contains("-----BEGIN CERTIFICATE-----") && !text.contains("PRIVATE KEY")
}

fn language() -> (OsString, OsString) {
    ("LANG".into(), "C.UTF-8".into())
}

/// The variables of our own environment with such names.
fn ours(wanted: &dyn Fn(&str) -> bool) -> BTreeMap<OsString, OsString> {
    std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(wanted)).collect()
}

/// spec 5.2: the same on every machine, as far as a variable decides it that the server does not name. One
/// that it names may be what it signs in with.
fn normalise(values: &mut BTreeMap<OsString, OsString>, named: &[String]) {
    let is_named = |name: &str| named.iter().any(|named| named == name);
    // These would override `LANG`.
    values.retain(|name, _| {
        let is_locale = |name: &str| name.starts_with("LC_") || name == "LANGUAGE";
        name.to_str().is_none_or(|name| !is_locale(name) || is_named(name))
    });
    values.extend([("TZ".into(), "UTC".into()), language()]);
    for name in ["LOGNAME", "USER"].into_iter().filter(|name| !is_named(name)) {
        if let Some(value) = values.get_mut(OsStr::new(name)) {
            *value = "user".into();
        }
    }
}

/// The value that a variable has for a server: as given, as set for the server alone, or as it is.
#[must_use]
pub fn value_of(name: &str, given: &BTreeMap<String, String>) -> Option<OsString> {
    let given = given.get(name).map(OsString::from);
    let given = given.or_else(|| std::env::var_os(format!("{FOR_SERVER}{name}")));
    given.or_else(|| std::env::var_os(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_with_a_key_behind_many_certificates_is_not_one_of_certificates() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("bundle.pem");
        let certificates = "-----BEGIN CERTIFICATE-----\nAAAA\n".repeat(100_000);
        std::fs::write(&file, &certificates).unwrap();
        assert!(has_certificate(&file));
        std::fs::write(&file, certificates + "-----BEGIN PRIVATE KEY-----\n").unwrap();
        assert!(!has_certificate(&file));
        std::fs::write(&file, "TOKEN=1").unwrap();
        assert!(!has_certificate(&file));
        assert!(!has_certificate(place.path()));
    }
}
