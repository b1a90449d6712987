//! Fetchers that ask the servers of a test, and leave nothing behind.

use std::fs;
use std::io::Read as _;
use std::time::Duration;

use facets_failure::Describe as _;
use facets_fetch::{FetchError, FetchLimits, Fetched, Fetcher, Machine, NoFetchProgress, Reach};
use facets_testkit::to_hex;
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use super::server::Server;

/// Short, so that nothing takes long. The time until the next bytes is not: a busy machine must not
/// make a test fail that is about something else.
pub fn limits() -> FetchLimits {
    FetchLimits {
        file: 1 << 20,
        total: 4 << 20,
        document: 64 << 10,
        read: Duration::from_secs(20),
        time: Duration::from_secs(40),
        total_time: Duration::from_mins(5),
        rate: 1,
        retries: 2,
        backoff: Duration::from_millis(1),
        patience: Duration::from_secs(1),
        redirects: 3,
        parallel: 4,
    }
}

/// The same, for servers that say nothing for a while.
pub fn impatient() -> FetchLimits {
    FetchLimits { read: Duration::from_millis(500), rate: 1000, ..limits() }
}

/// A fetcher with a configuration of its own.
pub struct Fetching {
    pub fetcher: Fetcher,
    home: TempDir,
    files: TempDir,
}

impl Fetching {
    /// As the user of a machine with these variables.
    pub fn new(variables: &[(&str, &str)]) -> Self {
        Self::with(variables, Reach::AsUser, limits())
    }

    /// With a registry of npm.
    pub fn npm(server: &Server) -> Self {
        Self::new(&[("npm_config_registry", server.url().as_str())])
    }

    /// With an index of PyPI.
    pub fn pip(server: &Server) -> Self {
        Self::new(&[("PIP_INDEX_URL", format!("{}/simple/", server.url()).as_str())])
    }

    /// With a server for GitHub.
    pub fn github(server: &Server, limits: FetchLimits) -> Self {
        Self::with(&[("FACET_GITHUB_URL", server.url().as_str())], Reach::AsUser, limits)
    }

    pub fn with(variables: &[(&str, &str)], reach: Reach, limits: FetchLimits) -> Self {
        let (home, files) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let owned = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
        // Files of the machine that runs the tests are not read.
        let alone = [("PIP_CONFIG_FILE", "/dev/null"), ("npm_config_globalconfig", "/dev/null")];
        let machine = Machine {
            variables: alone.iter().chain(variables).map(owned).collect(),
            home: Some(home.path().to_owned()),
            directory: home.path().to_owned(),
        };
        let fetcher = Fetcher::new(machine, reach, limits).with_folder(files.path().to_owned());
        Self { fetcher, home, files }
    }

    /// Every file that an identifier names.
    pub fn all(&self, identifier: &str) -> Result<Vec<Fetched>, FetchError> {
        let files = self.fetcher.files(&identifier.parse().unwrap());
        let fetched = files.map(|files| self.fetcher.download(&files, &NoFetchProgress));
        self.require_empty();
        fetched
    }

    /// The bytes of the only file that an identifier names.
    pub fn one(&self, identifier: &str) -> Result<Vec<u8>, FetchError> {
        let mut fetched = self.all(identifier)?;
        assert_eq!(fetched.len(), 1, "{identifier}");
        let bytes = bytes_of(fetched.remove(0));
        self.require_empty();
        bytes
    }

    /// The code of why an identifier cannot be fetched.
    pub fn code(&self, identifier: &str) -> &'static str {
        match self.one(identifier) {
            Ok(bytes) => panic!("{identifier} was fetched: {} bytes", bytes.len()),
            Err(error) => error.code(),
        }
    }

    /// Files have no names, before, while and after they are there.
    fn require_empty(&self) {
        for folder in [&self.home, &self.files] {
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        }
    }
}

/// The bytes of a file, which are what its digest and its size say.
pub fn bytes_of(fetched: Fetched) -> Result<Vec<u8>, FetchError> {
    let file = fetched?;
    let (digest, size) = (file.digest.to_string(), file.size);
    let mut bytes = Vec::new();
    file.into_file().read_to_end(&mut bytes).unwrap();
    assert_eq!(digest, format!("sha256:{}", to_hex(&Sha256::digest(&bytes)[..])));
    assert_eq!(size, bytes.len() as u64);
    Ok(bytes)
}
