//! Which indexes pip would ask, and how it would reach them.

use std::path::Path;

use facets_files::read_regular;
use url::Url;

use super::index_address::{IndexAddress, credentials};
use super::netrc::Netrc;
use super::settings::{PipSettings, Placed, expanded};
use crate::error::FetchError;
use crate::machine::Machine;
use facets_http::{ProxyChoice, Route};

/// The index of someone who has configured none.
const DEFAULT_INDEX: &str = "https://pypi.org/simple/";

/// More than the certificates of every authority.
const MAX_AUTHORITIES: u64 = 8 << 20;

/// pip's configuration, as far as it says where files come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PipConfig {
    indexes: Vec<Url>,
    route: Route,
}

impl PipConfig {
    /// Reads pip's files, its variables, and `.netrc`.
    pub fn read(machine: &Machine) -> Result<Self, FetchError> {
        Self::read_below(machine, Path::new("/etc"))
    }

    /// Reads the texts of one `pip.conf` and one `.netrc`, as if pip had no other setting. Errors name them
    /// as they are called here.
    pub fn parse(conf: &str, netrc: &str, machine: &Machine) -> Result<Self, FetchError> {
        let settings = PipSettings::parse(conf, Path::new("pip.conf"))?;
        Self::of_settings(&settings, machine, |ignored| {
            parse_netrc(netrc, Path::new(".netrc"), ignored)
        })
    }

    /// The indexes, the main one first. None of them holds credentials.
    #[must_use]
    pub fn indexes(&self) -> &[Url] {
        &self.indexes
    }

    /// How they are reached.
    #[must_use]
    pub fn route(&self) -> Route {
        self.route.clone()
    }

    fn read_below(machine: &Machine, etc: &Path) -> Result<Self, FetchError> {
        let settings = PipSettings::read(machine, etc)?;
        Self::of_settings(&settings, machine, |ignored| read_netrc(machine, ignored))
    }

    fn of_settings(
        settings: &PipSettings,
        machine: &Machine,
        netrc: impl FnOnce(&mut Vec<String>) -> Netrc,
    ) -> Result<Self, FetchError> {
        require_index(settings)?;
        let addresses = addresses(settings)?;
        let mut ignored = settings.ignored.clone();
        ignored.extend(unsupported(settings));
        let netrc = if addresses.iter().all(IndexAddress::has_password) {
            Netrc::default()
        } else {
            netrc(&mut ignored)
        };
        let credentials = credentials(&addresses, &netrc);
        let authorities = authorities(settings, machine, &mut ignored)?;
        let proxy = proxy(settings, machine)?;
        let route = Route { credentials, authorities, proxy, ignored };
        let mut indexes: Vec<Url> = Vec::with_capacity(addresses.len());
        for address in addresses {
            if !indexes.contains(&address.url) {
                indexes.push(address.url);
            }
        }
        Ok(Self { indexes, route })
    }
}

/// With `no-index` there is no index to ask.
fn require_index(settings: &PipSettings) -> Result<(), FetchError> {
    let Some(setting) = settings.get("no-index") else { return Ok(()) };
    match setting.text.to_ascii_lowercase().as_str() {
        "y" | "yes" | "t" | "true" | "on" | "1" => {
            Err(setting.refused("`no-index` is set, so that no index can be asked"))
        }
        "n" | "no" | "f" | "false" | "off" | "0" => Ok(()),
        _ => Err(setting.refused("`no-index` is neither `true` nor `false`")),
    }
}

fn addresses(settings: &PipSettings) -> Result<Vec<IndexAddress>, FetchError> {
    let main = if let Some(setting) = settings.get("index-url") {
        IndexAddress::parse(&setting.text, setting)?
    } else {
        let place = "the default index".to_owned();
        IndexAddress::parse(DEFAULT_INDEX, &Placed { text: DEFAULT_INDEX.to_owned(), place })?
    };
    let mut addresses = vec![main];
    if let Some(setting) = settings.get("extra-index-url") {
        for text in setting.text.split_whitespace() {
            addresses.push(IndexAddress::parse(text, setting)?);
        }
    }
    Ok(addresses)
}

/// What is configured and not done. No value is shown: an address may hold a password.
fn unsupported(settings: &PipSettings) -> impl Iterator<Item = String> {
    const REASONS: [(&str, &str); 5] = [
        ("trusted-host", "certificates are always verified"),
        ("client-cert", "client certificates are not supported"),
        ("find-links", "only indexes are asked"),
        ("constraint", "constraint files are not read, which may name other versions and indexes"),
        ("requirement", "requirement files are not read, which may name other indexes"),
    ];
    REASONS.into_iter().filter_map(move |(key, reason)| {
        let place = &settings.get(key)?.place;
        Some(format!("`{key}` ({place}) is ignored: {reason}"))
    })
}

/// As pip does, goes on without a file that cannot be used.
fn read_netrc(machine: &Machine, ignored: &mut Vec<String>) -> Netrc {
    let path = match (machine.variable("NETRC"), &machine.home) {
        (Some(text), _) => expanded(machine, text),
        (None, Some(home)) => home.join(".netrc"),
        (None, None) => return Netrc::default(),
    };
    match machine.read(&path) {
        Ok(text) => parse_netrc(&text.unwrap_or_default(), &path, ignored),
        Err(error) => {
            ignored.push(format!("{error}; its credentials are not used"));
            Netrc::default()
        }
    }
}

fn parse_netrc(text: &str, path: &Path, ignored: &mut Vec<String>) -> Netrc {
    Netrc::parse(text).unwrap_or_else(|error| {
        let (path, line, problem) = (path.display(), error.line, error.problem);
        ignored.push(format!("{path}:{line}: {problem}; no credentials of this file are used"));
        Netrc::default()
    })
}

/// `cert`, else the variables that pip's HTTP library obeys.
fn authorities(
    settings: &PipSettings,
    machine: &Machine,
    ignored: &mut Vec<String>,
) -> Result<Option<Vec<u8>>, FetchError> {
    let variables = ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"];
    let variable = || variables.iter().find_map(|name| Some((machine.variable(name)?, *name)));
    let setting =
        settings.get("cert").map(|setting| (setting.text.as_str(), setting.place.as_str()));
    let Some((text, place)) = setting.or_else(variable) else { return Ok(None) };
    let path = expanded(machine, text);
    if path.is_dir() {
        ignored.push(format!("{place}: a directory of certificates is ignored; name a file"));
        return Ok(None);
    }
    Ok(Some(read_regular(&path, MAX_AUTHORITIES)?))
}

/// As in pip, a proxy that is configured is used for every host; else the environment names one for each scheme.
fn proxy(settings: &PipSettings, machine: &Machine) -> Result<ProxyChoice, FetchError> {
    let Some(setting) = settings.get("proxy") else { return Ok(environment_proxy(machine)) };
    let text = setting.text.as_str();
    let address = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
    if !address.parse::<Url>().is_ok_and(|url| url.has_host()) {
        return Err(setting.refused("the address of the proxy is malformed"));
    }
    Ok(ProxyChoice::Through { address, except: Vec::new() })
}

/// `ALL_PROXY` is for a scheme without a variable of its own.
fn environment_proxy(machine: &Machine) -> ProxyChoice {
    let of = |name: &str| proxy_variable(machine, name).map(str::to_owned);
    let (http, https) = (of("http_proxy"), of("https_proxy"));
    let (http, https) = (http.or_else(|| of("all_proxy")), https.or_else(|| of("all_proxy")));
    if http.is_none() && https.is_none() {
        return ProxyChoice::Direct;
    }
    let hosts = of("no_proxy").unwrap_or_default().replace(' ', "");
    let except = hosts.split(',').filter(|host| !host.is_empty()).map(str::to_owned).collect();
    ProxyChoice::ByScheme { http, https, except }
}

/// A variable in any case, as Python reads it: one in lower case wins, and unsets others if it is empty.
fn proxy_variable<'m>(machine: &'m Machine, name: &str) -> Option<&'m str> {
    let all = || machine.variables.iter().filter(|(key, _)| key.eq_ignore_ascii_case(name));
    let lower = all().rfind(|(key, _)| key.ends_with("_proxy"));
    let any = || all().rfind(|(_, value)| !value.is_empty());
    let (_, value) = lower.or_else(any)?;
    Some(value.as_str()).filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::fs;

    use tempfile::TempDir;

    use super::*;
    use facets_http::Authorization;

    /// A machine with this user configuration and these variables.
    fn machine(folder: &TempDir, text: &str, variables: &[(&str, &str)]) -> Machine {
        let home = folder.path().to_owned();
        let file = home.join(".config/pip/pip.conf");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
        let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let variables = variables.iter().map(own).collect();
        Machine { variables, directory: home.clone(), home: Some(home) }
    }

    fn read(machine: &Machine) -> Result<PipConfig, FetchError> {
        PipConfig::read_below(machine, &machine.directory.join("etc"))
    }

    fn config(text: &str, variables: &[(&str, &str)]) -> Result<PipConfig, FetchError> {
        let folder = TempDir::new().unwrap();
        read(&machine(&folder, text, variables))
    }

    fn indexes(config: &PipConfig) -> Vec<&str> {
        config.indexes().iter().map(Url::as_str).collect()
    }

    #[test]
    fn without_configuration_pypi_is_asked() {
        let config = config("", &[]).unwrap();
        assert_eq!(indexes(&config), [DEFAULT_INDEX]);
        let route = Route { proxy: ProxyChoice::Direct, ..Route::default() };
        assert_eq!(config.route(), route);
    }

    #[test]
    fn the_main_index_comes_first_and_none_twice() {
        let text = "[global]\nindex-url = https://a.example/simple\nextra-index-url =\n  \
            https://b.example/simple/\n  https://a.example/simple/\n";
        let expected = ["https://a.example/simple/", "https://b.example/simple/"];
        assert_eq!(indexes(&config(text, &[]).unwrap()), expected);
        let variables =
            [("PIP_EXTRA_INDEX_URL", "http://c.example https://d.example"), ("PIP_INDEX_URL", "")];
        let expected = ["https://a.example/simple/", "http://c.example/", "https://d.example/"];
        assert_eq!(indexes(&config(text, &variables).unwrap()), expected);
    }

    #[test]
    fn no_index_is_an_error_that_says_so() {
        let error = config("[global]\nno-index = True\n", &[]).unwrap_err().to_string();
        assert!(error.contains("pip.conf:2: `no-index` is set"), "{error}");
        assert!(config("", &[("PIP_NO_INDEX", "0")]).is_ok());
        let error = config("", &[("PIP_NO_INDEX", "maybe")]).unwrap_err().to_string();
        assert_eq!(error, "PIP_NO_INDEX: `no-index` is neither `true` nor `false`");
    }

    #[test]
    fn what_is_not_done_is_told_without_values() {
        let text = "[global]\ntrusted-host = a.example\nfind-links = https://u:hunter2@a.example/\n\
            timeout = 5\n[install]\nclient-cert = /x\n";
        let ignored = config(text, &[]).unwrap().route().ignored;
        assert_eq!(ignored.len(), 3, "{ignored:?}");
        assert!(ignored[0].starts_with("`trusted-host` (/"), "{ignored:?}");
        assert!(ignored[0].ends_with("pip.conf:2) is ignored: certificates are always verified"));
        assert!(!ignored.concat().contains("hunter2"));
    }

    #[test]
    fn constraint_and_requirement_files_are_noted() {
        let variables = [("PIP_CONSTRAINT", "c.txt"), ("PIP_REQUIREMENT", "r.txt")];
        let ignored = config("", &variables).unwrap().route().ignored;
        assert_eq!(ignored.len(), 2, "{ignored:?}");
        assert!(ignored[0].starts_with("`constraint` (PIP_CONSTRAINT) is ignored: "));
        assert!(ignored[1].starts_with("`requirement` (PIP_REQUIREMENT) is ignored: "));
        let text = "[install]\nconstraint = c.txt\nrequirement = r.txt\n";
        assert_eq!(config(text, &[]).unwrap().route().ignored.len(), 2);
    }

    #[test]
    fn credentials_leave_the_address_and_are_sent_to_its_host() {
        let variables = [("PIP_INDEX_URL", "https://u:hunter2@a.example/simple/")];
        let config = config("", &variables).unwrap();
        assert_eq!(indexes(&config), ["https://a.example/simple/"]);
        let url = "https://a.example/packages/x.whl".parse().unwrap();
        let user = Authorization::Basic { user: "u".to_owned(), password: "hunter2".to_owned() };
        assert_eq!(config.route().credentials.for_url(&url), Some(&user));
        assert!(!format!("{config:?}").contains("hunter2"));
    }

    #[test]
    fn netrc_is_read_from_home_or_where_the_variable_says() {
        let folder = TempDir::new().unwrap();
        let mut machine = machine(&folder, "[global]\nindex-url = https://a.example/\n", &[]);
        let url: Url = "https://a.example/x/".parse().unwrap();
        let user = |machine: &Machine| {
            let route = read(machine).unwrap().route();
            route.credentials.for_url(&url).map(Authorization::header)
        };
        assert_eq!(user(&machine), None);
        fs::write(folder.path().join(".netrc"), "machine a.example login u password p").unwrap();
        assert_eq!(user(&machine).as_deref(), Some("Basic dTpw"));
        fs::write(folder.path().join("other"), "machine a.example login v password p").unwrap();
        machine.variables.insert("NETRC".to_owned(), "~/other".to_owned());
        assert_eq!(user(&machine).as_deref(), Some("Basic djpw"));
        fs::write(folder.path().join("other"), "\nmachine a.example login v hunter2").unwrap();
        assert_eq!(user(&machine), None);
        let ignored = read(&machine).unwrap().route().ignored;
        assert!(ignored.concat().contains("other:2: "), "{ignored:?}");
        assert!(!ignored.concat().contains("hunter2"), "{ignored:?}");
    }

    #[test]
    fn texts_are_read_as_if_they_were_alone() {
        let folder = TempDir::new().unwrap();
        let machine = machine(&folder, "[global]\nindex-url = https://user.example/\n", &[]);
        let conf = "[global]\nextra-index-url = https://a.example/simple\n";
        let netrc = "machine a.example login u password p";
        let config = PipConfig::parse(conf, netrc, &machine).unwrap();
        assert_eq!(indexes(&config), [DEFAULT_INDEX, "https://a.example/simple/"]);
        let route = config.route();
        let sent = route.credentials.for_url(&config.indexes()[1]).map(Authorization::header);
        assert_eq!(sent.as_deref(), Some("Basic dTpw"));
        let error = PipConfig::parse("\nx", "", &machine).unwrap_err().to_string();
        assert!(error.starts_with("pip.conf:2: "), "{error}");
        let ignored = PipConfig::parse("", "machine", &machine).unwrap().route().ignored;
        assert!(ignored[0].starts_with(".netrc:1: "), "{ignored:?}");
    }

    #[test]
    fn certificates_are_read_from_where_pip_reads_them() {
        let folder = TempDir::new().unwrap();
        fs::write(folder.path().join("a.pem"), "A").unwrap();
        fs::write(folder.path().join("b.pem"), "B").unwrap();
        let read =
            |text: &str, variables: &[(&str, &str)]| read(&machine(&folder, text, variables));
        let variables = [("REQUESTS_CA_BUNDLE", "b.pem")];
        let both = read("[global]\ncert = ~/a.pem\n", &variables).unwrap();
        assert_eq!(both.route().authorities.as_deref(), Some(&b"A"[..]));
        let variable = read("", &variables).unwrap();
        assert_eq!(variable.route().authorities.as_deref(), Some(&b"B"[..]));
        assert!(matches!(read("", &[("PIP_CERT", "absent.pem")]), Err(FetchError::File(_))));
        let directory = read("", &[("PIP_CERT", ".")]).unwrap().route();
        assert_eq!((directory.authorities, directory.ignored.len()), (None, 1));
    }

    #[test]
    fn the_environment_names_a_proxy_for_each_scheme() {
        let proxy = |variables: &[(&str, &str)]| config("", variables).unwrap().route().proxy;
        let by_scheme = |http: Option<&str>, https: Option<&str>, except: &[&str]| {
            let (http, https) = (http.map(str::to_owned), https.map(str::to_owned));
            let except = except.iter().map(|&host| host.to_owned()).collect();
            ProxyChoice::ByScheme { http, https, except }
        };
        let https = ("HTTPS_PROXY", "s:1");
        assert_eq!(proxy(&[https]), by_scheme(None, Some("s:1"), &[]));
        assert_eq!(proxy(&[https, ("https_proxy", "t:1")]), by_scheme(None, Some("t:1"), &[]));
        assert_eq!(proxy(&[https, ("https_proxy", "")]), ProxyChoice::Direct);
        let all = ("ALL_PROXY", "a:1");
        assert_eq!(proxy(&[https, all]), by_scheme(Some("a:1"), Some("s:1"), &[]));
        let rest = [all, ("all_proxy", "b:1"), ("http_proxy", "p:1")];
        assert_eq!(proxy(&rest), by_scheme(Some("p:1"), Some("b:1"), &[]));
        let except = [all, ("NO_PROXY", "a.example, ,.b.example")];
        let expected = by_scheme(Some("a:1"), Some("a:1"), &["a.example", ".b.example"]);
        assert_eq!(proxy(&except), expected);
        assert_eq!(proxy(&[("NO_PROXY", "a.example")]), ProxyChoice::Direct);
    }

    #[test]
    fn a_configured_proxy_is_used_for_every_host() {
        let proxy =
            |value: &str| config("", &[("PIP_PROXY", value)]).map(|config| config.route().proxy);
        let through =
            |address: &str| ProxyChoice::Through { address: address.to_owned(), except: vec![] };
        assert_eq!(proxy("").unwrap(), ProxyChoice::Direct);
        assert_eq!(proxy("p.example:3128").unwrap(), through("http://p.example:3128"));
        assert_eq!(proxy("socks5://p.example").unwrap(), through("socks5://p.example"));
        let error = proxy("u:hunter2@").unwrap_err().to_string();
        assert_eq!(error, "PIP_PROXY: the address of the proxy is malformed");
    }
}
