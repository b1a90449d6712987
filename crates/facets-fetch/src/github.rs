//! Files of releases on GitHub, or on a server like it.

use url::{Host, Url};

use crate::error::FetchError;
use crate::machine::Machine;
use facets_http::Authorization;
use facets_http::Route;

const PUBLIC: &str = "https://github.com/";

/// Names another server. Runners of GitHub Enterprise set `GITHUB_SERVER_URL` by themselves, so that it
/// is not the wish of a user to have files of github.com fetched from there.
const SERVER: &str = "FACET_GITHUB_URL";

/// Variables with a token, the strongest first.
const TOKENS: [&str; 2] = ["GH_TOKEN", "GITHUB_TOKEN"];

/// Where releases lie, and who asks.
#[derive(Clone, Debug)]
pub struct GitHubConfig {
    base: Url,
    route: Route,
}

impl GitHubConfig {
    /// github.com unless `FACET_GITHUB_URL` names another server, with `GH_TOKEN` or `GITHUB_TOKEN`.
    pub fn read(machine: &Machine) -> Result<Self, FetchError> {
        let named = machine.variable(SERVER);
        let text = named.unwrap_or(PUBLIC);
        let unusable = |problem: &str| FetchError::Config {
            place: SERVER.to_owned(),
            problem: problem.to_owned(),
        };
        let mut base: Url = text.parse().map_err(|_| unusable("it is no address"))?;
        if base.host_str().is_none() || !matches!(base.scheme(), "http" | "https") {
            return Err(unusable("it is no address of the web"));
        }
        if !base.username().is_empty() || base.password().is_some() {
            return Err(unusable("it has credentials in it; set GITHUB_TOKEN"));
        }
        base.set_query(None);
        base.set_fragment(None);
        let token = TOKENS.into_iter().find_map(|name| Some((name, machine.variable(name)?)));
        let mut route = Route::default();
        if named.is_some() {
            let note = format!("files of GitHub are fetched from {base}, because {SERVER} is set");
            route.ignored.push(match token {
                Some((name, _)) if is_private(&base) => format!("{note}; {name} is sent there"),
                Some((name, _)) => {
                    format!("{note}; {name} is not sent there, because it would go over http")
                }
                None => note,
            });
        }
        if let Some((_, token)) = token.filter(|_| is_private(&base)) {
            route.credentials.add(&base, Authorization::Bearer(token.to_owned()));
        }
        Ok(Self { base, route })
    }

    /// Credentials, as configured.
    #[must_use]
    pub fn route(&self) -> Route {
        self.route.clone()
    }

    /// Where a file of a release lies.
    #[must_use]
    pub fn asset_url(&self, owner: &str, repository: &str, tag: &str, asset: &str) -> Url {
        let mut url = self.base.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend([owner, repository, "releases", "download"]);
            path.extend(tag.split('/')).push(asset);
        }
        url
    }
}

/// Whether no other machine can read what is sent to an address.
fn is_private(base: &Url) -> bool {
    let is_loopback = match base.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    base.scheme() == "https" || is_loopback
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn machine(pairs: &[(&str, &str)]) -> Machine {
        let variables = pairs.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        Machine { variables: variables.collect(), ..Machine::default() }
    }

    #[test]
    fn a_file_lies_below_its_tag() {
        let config = GitHubConfig::read(&machine(&[])).unwrap();
        let url = config.asset_url("o", "r", "release/v1", "a b#.tgz");
        assert_eq!(
            url.as_str(),
            "https://github.com/o/r/releases/download/release/v1/a%20b%23.tgz"
        );
        assert_eq!(config.route(), Route::default());
    }

    #[test]
    fn the_variable_of_enterprise_runners_changes_nothing() {
        let pairs = [("GITHUB_SERVER_URL", "https://git.example"), ("GITHUB_TOKEN", "t")];
        let config = GitHubConfig::read(&machine(&pairs)).unwrap();
        let url = config.asset_url("o", "r", "v1", "a");
        assert_eq!(url.as_str(), "https://github.com/o/r/releases/download/v1/a");
        let credentials = config.route().credentials;
        assert!(credentials.for_url(&url).is_some());
        assert_eq!(credentials.for_url(&"https://git.example/o/r".parse().unwrap()), None);
    }

    #[test]
    fn another_server_gets_its_own_token() {
        let pairs = [(SERVER, "https://git.example:8443/base"), ("GITHUB_TOKEN", "t")];
        let config = GitHubConfig::read(&machine(&pairs)).unwrap();
        let url = config.asset_url("o", "r", "v1", "a");
        assert_eq!(url.as_str(), "https://git.example:8443/base/o/r/releases/download/v1/a");
        let Route { credentials, ignored, .. } = config.route();
        assert!(credentials.for_url(&url).is_some());
        assert_eq!(credentials.for_url(&"https://github.com/".parse().unwrap()), None);
        let note = "files of GitHub are fetched from https://git.example:8443/base, because \
                    FACET_GITHUB_URL is set; GITHUB_TOKEN is sent there";
        assert_eq!(ignored, [note]);
        for bad in ["git.example", "ftp://x/", "https://me:p@x/"] {
            assert!(GitHubConfig::read(&machine(&[(SERVER, bad)])).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_token_does_not_leave_the_machine_over_http() {
        for (server, is_sent) in [
            ("http://git.example/", false),
            ("http://10.0.0.1/", false),
            ("http://localhost.example/", false),
            ("http://127.0.0.1:8080/", true),
            ("http://[::1]:8080/", true),
            ("http://localhost:8080/", true),
            ("https://git.example/", true),
        ] {
            let pairs = [(SERVER, server), ("GH_TOKEN", "s3cret"), ("GITHUB_TOKEN", "t")];
            let Route { credentials, ignored, .. } =
                GitHubConfig::read(&machine(&pairs)).unwrap().route();
            let sent = credentials.for_url(&server.parse().unwrap());
            assert_eq!(sent.is_some(), is_sent, "{server}");
            let end = if is_sent {
                "; GH_TOKEN is sent there"
            } else {
                "; GH_TOKEN is not sent there, because it would go over http"
            };
            assert!(ignored[0].ends_with(end), "{ignored:?}");
        }
    }
}
