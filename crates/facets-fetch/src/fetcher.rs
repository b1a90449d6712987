//! From an identifier to verified files.

use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::AtomicU64;

use facets_model::{Ecosystem, FileIdentifier};
use url::Url;

use crate::client::{HttpClient, RegistryDocument, require_link};
use crate::clock::FetchClock;
use crate::download::{Shared, VerifiedFile};
use crate::error::FetchError;
use crate::github::GitHubConfig;
use crate::limits::FetchLimits;
use crate::machine::Machine;
use crate::npm::{self, NpmConfig};
use crate::parallel::in_parallel;
use crate::pinned::PinnedFile;
use crate::progress::FetchProgress;
use crate::pypi::{self, ListedFile, PipConfig};
use crate::upstream::UpstreamFile;
use facets_http::Reach;
use facets_http::{ProxyChoice, Route};

/// Finds the files of packages and fetches them, from several threads if wanted. Configuration is read when an
/// ecosystem is first needed.
pub struct Fetcher {
    machine: Machine,
    reach: Reach,
    limits: FetchLimits,
    folder: PathBuf,
    clock: FetchClock,
    npm: OnceLock<(NpmConfig, HttpClient)>,
    pypi: OnceLock<(PipConfig, HttpClient)>,
    github: OnceLock<(GitHubConfig, HttpClient)>,
    plain: OnceLock<((), HttpClient)>,
}

/// What came of a file.
pub type Fetched = Result<VerifiedFile, FetchError>;

/// The files that an identifier names.
pub type Listed = Result<Vec<UpstreamFile>, FetchError>;

impl Fetcher {
    /// Nothing is read or sent yet. Files have no names, and lie where temporary files do.
    #[must_use]
    pub fn new(machine: Machine, reach: Reach, limits: FetchLimits) -> Self {
        Self {
            machine,
            reach,
            limits,
            folder: std::env::temp_dir(),
            clock: FetchClock::default(),
            npm: OnceLock::new(),
            pypi: OnceLock::new(),
            github: OnceLock::new(),
            plain: OnceLock::new(),
        }
    }

    /// Files lie in this folder instead, still without names.
    #[must_use]
    pub fn with_folder(mut self, folder: PathBuf) -> Self {
        self.folder = folder;
        self
    }

    /// The files that an identifier names, as upstream describes them. A release of PyPI without a file
    /// name may have several.
    pub fn files(&self, identifier: &FileIdentifier) -> Listed {
        match identifier {
            FileIdentifier::Npm { name, version } => Ok(vec![self.npm_file(name, version)?]),
            FileIdentifier::Pypi { name, version, file: None } => self.release(name, version),
            FileIdentifier::Pypi { name, version, file: Some(_) } => {
                pypi::choose(identifier, self.release(name, version)?)
            }
            FileIdentifier::GitHub { owner, repository, tag, asset } => {
                let (config, _) = self.github()?;
                let url = config.asset_url(owner, repository, tag, asset);
                Ok(vec![unstated(identifier, asset, url)])
            }
            FileIdentifier::Url(address) => {
                let problem = |_| FetchError::AddressRefused {
                    url: address.to_string(),
                    problem: "it is no address".to_owned(),
                };
                let url: Url = address.to_string().parse().map_err(problem)?;
                let name = url.path_segments().and_then(Iterator::last).unwrap_or_default();
                Ok(vec![unstated(identifier, name, url.clone())])
            }
        }
    }

    /// The files of several identifiers, looked up at once as many are fetched, in the same order. One that
    /// fails does not keep the others.
    pub fn list_all(&self, identifiers: &[FileIdentifier]) -> Vec<Listed> {
        in_parallel(identifiers, self.limits.parallel, |_, identifier| self.files(identifier))
    }

    fn npm_file(&self, name: &str, version: &str) -> Result<UpstreamFile, FetchError> {
        let (config, client) = self.npm()?;
        let url = npm::packument_url(config.registry_for(name), name);
        let found = match client.document(&url, npm::ACCEPT) {
            Err(FetchError::NotFound { .. }) => client.document(&url, npm::ACCEPT_COMPLETE),
            other => other,
        };
        let what = format!("npm:{name}@{version}");
        let document = found.map_err(|error| named(error, &what))?;
        let mut file = npm::parse_packument(&document.bytes, name, version, &document.url)?;
        file.url = config.tarball_url(&file.url);
        require_link(&document.url, &file.url)?;
        Ok(file)
    }

    /// Every file of a release that pip could take: those of all indexes, of which pip prefers none. One
    /// that does not answer leaves open what it has.
    fn release(&self, name: &str, version: &str) -> Result<Vec<UpstreamFile>, FetchError> {
        let (config, client) = self.pypi()?;
        let mut listed: Vec<ListedFile> = Vec::new();
        let mut hosts = Vec::new();
        for index in config.indexes() {
            let url = pypi::project_url(index, name);
            hosts.push(crate::client::host(&url));
            let RegistryDocument { url, content_type, bytes } =
                match client.document(&url, pypi::ACCEPT) {
                    Err(FetchError::NotFound { .. }) => continue,
                    other => other?,
                };
            let links = pypi::parse_simple(&content_type, &bytes, &url, name)?;
            let files = pypi::files_of(links, name, version)?;
            files.iter().try_for_each(|file| require_link(&url, &file.url))?;
            let index = crate::client::shown(&url);
            listed.extend(files.into_iter().map(|file| ListedFile { index: index.clone(), file }));
        }
        let release = pypi::union_of(listed)?;
        if release.is_empty() {
            let what = format!("pypi:{name}=={version}");
            return Err(FetchError::NotFound { what, host: hosts.join(", ") });
        }
        Ok(release)
    }

    /// Fetches files, several at once, and gives them back in the same order. One that fails does not keep
    /// the others.
    pub fn download(&self, files: &[UpstreamFile], progress: &dyn FetchProgress) -> Vec<Fetched> {
        let budget = AtomicU64::new(self.limits.total);
        in_parallel(files, self.limits.parallel, |index, file| {
            let shared = Shared { index, progress, budget: &budget, folder: &self.folder };
            self.client_of(&file.identifier)?.download(file, &shared)
        })
    }

    /// What the configuration of an ecosystem's client asks for and is not done, and another place for the files
    /// of GitHub.
    pub fn ignored(&self) -> Vec<String> {
        let npm = self.npm.get().map(|(_, client)| client);
        let pypi = self.pypi.get().map(|(_, client)| client);
        let github = self.github.get().map(|(_, client)| client);
        npm.into_iter().chain(pypi).chain(github).flat_map(HttpClient::ignored).cloned().collect()
    }

    fn client_of(&self, identifier: &FileIdentifier) -> Result<&HttpClient, FetchError> {
        Ok(match identifier {
            FileIdentifier::Npm { .. } => &self.npm()?.1,
            FileIdentifier::Pypi { .. } => &self.pypi()?.1,
            FileIdentifier::GitHub { .. } => &self.github()?.1,
            FileIdentifier::Url(_) => &self.made(&self.plain, |_| Ok(((), Route::default())))?.1,
        })
    }

    /// Whether a package exists; nothing if its registry does not say.
    pub fn exists(&self, ecosystem: Ecosystem, name: &str) -> Option<bool> {
        let found = match ecosystem {
            Ecosystem::Npm => {
                let (config, client) = self.npm().ok()?;
                let url = npm::packument_url(config.registry_for(name), name);
                client.document(&url, npm::ACCEPT)
            }
            Ecosystem::Pypi => {
                let (config, client) = self.pypi().ok()?;
                client.document(&pypi::project_url(config.indexes().first()?, name), pypi::ACCEPT)
            }
        };
        match found {
            Ok(_) => Some(true),
            Err(FetchError::NotFound { .. }) => Some(false),
            Err(_) => None,
        }
    }

    /// Fetches files whose hashes are known, several at once, and gives them back in the same order.
    pub fn download_pinned(
        &self,
        files: &[PinnedFile],
        progress: &dyn FetchProgress,
    ) -> Vec<Fetched> {
        let budget = AtomicU64::new(self.limits.total);
        in_parallel(files, self.limits.parallel, |index, file| {
            let shared = Shared { index, progress, budget: &budget, folder: &self.folder };
            self.fetch_pinned(file, &shared)
        })
    }

    fn fetch_pinned(&self, file: &PinnedFile, shared: &Shared<'_>) -> Fetched {
        let client = self.client_of(&file.identifier)?;
        if let FileIdentifier::Npm { name, version } = &file.identifier {
            let (config, _) = self.npm()?;
            let usual = file.usual_place(name, version, config.registry_for(name));
            match client.download(&usual, shared) {
                // Some registries keep their files elsewhere: then they say where.
                Err(FetchError::NotFound { .. }) => {}
                other => return other,
            }
        }
        let what = file.identifier.to_string();
        let found = self.files(&file.identifier)?.into_iter().next();
        let found = found.ok_or(FetchError::NotFound { what, host: String::new() })?;
        client.download(&file.compared(found), shared)
    }

    fn npm(&self) -> Result<&(NpmConfig, HttpClient), FetchError> {
        self.made(&self.npm, |machine| {
            let config = NpmConfig::read(machine)?;
            let route = config.route();
            Ok((config, route))
        })
    }

    fn pypi(&self) -> Result<&(PipConfig, HttpClient), FetchError> {
        self.made(&self.pypi, |machine| {
            let config = PipConfig::read(machine)?;
            let route = config.route();
            Ok((config, route))
        })
    }

    fn github(&self) -> Result<&(GitHubConfig, HttpClient), FetchError> {
        self.made(&self.github, |machine| {
            let config = GitHubConfig::read(machine)?;
            let route = config.route();
            Ok((config, route))
        })
    }

    fn made<'f, Config>(
        &'f self,
        place: &'f OnceLock<(Config, HttpClient)>,
        read: impl FnOnce(&Machine) -> Result<(Config, Route), FetchError>,
    ) -> Result<&'f (Config, HttpClient), FetchError> {
        if let Some(made) = place.get() {
            return Ok(made);
        }
        let (config, mut route) = read(&self.machine)?;
        if route.proxy == ProxyChoice::Environment {
            route.proxy = self.machine.proxy();
        }
        let client = HttpClient::new(route, self.reach.clone(), self.limits.clone())?
            .with_clock(self.clock.clone());
        Ok(place.get_or_init(|| (config, client)))
    }
}

/// A file about which nothing is stated.
fn unstated(identifier: &FileIdentifier, name: &str, url: Url) -> UpstreamFile {
    UpstreamFile {
        identifier: identifier.clone(),
        name: name.to_owned(),
        url,
        size: None,
        stated: Vec::new(),
        yanked: None,
    }
}

/// What was not found is what the user asked for, not the address that was tried.
fn named(error: FetchError, what: &str) -> FetchError {
    match error {
        FetchError::NotFound { host, .. } => FetchError::NotFound { what: what.to_owned(), host },
        other => other,
    }
}
