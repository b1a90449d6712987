//! Certificates and proxies, and what npm would do that is not done here.

use url::Url;

use crate::error::FetchError;
use crate::machine::Machine;
use facets_http::ProxyChoice;
use facets_http::{Authorization, Credentials};

use super::authorizations::{by_place, place_url};
use super::levels::resolve;
use super::npmrc::{NpmSettings, Setting};

const CERTIFICATE: &str = "-----BEGIN CERTIFICATE-----";

/// The certificates that are trusted. `cafile` is stronger than `ca`; those of a single place are
/// used if every registry lies there, since a route has one set.
pub(super) fn read_authorities(
    machine: &Machine,
    settings: &NpmSettings,
    registries: &[&Url],
    ignored: &mut Vec<String>,
) -> Result<Option<Vec<u8>>, FetchError> {
    if let Some(setting) = settings.get("cafile")
        && let Some(certificates) = read_cafile(machine, setting, ignored)?
    {
        return Ok(Some(certificates));
    }
    if let Some(setting) = settings.get("ca") {
        let certificates = setting.texts().collect::<Vec<_>>().join("\n");
        if !certificates.is_empty() {
            return checked(setting, certificates).map(Some);
        }
    }
    let mut found = None;
    for (place, named) in by_place(settings) {
        let Some(&setting) = named.get("cafile") else { continue };
        let places = [place_url(place, "https", setting)?, place_url(place, "http", setting)?];
        let lies_there = |registry: &&Url| places.iter().any(|place| is_below(place, registry));
        if registries.iter().all(lies_there) {
            found = read_cafile(machine, setting, ignored)?.or(found);
        } else {
            let reason = "`cafile` for one of several registries is not used; set `cafile` for all";
            ignored.push(format!("{}: {reason}", setting.place));
        }
    }
    Ok(found)
}

/// The same test as for credentials, which decide what belongs to a place.
fn is_below(place: &Url, registry: &Url) -> bool {
    let mut there = Credentials::default();
    there.add(place, Authorization::Bearer(String::new()));
    there.for_url(registry).is_some()
}

/// A file that does not exist is no setting for npm; its user is told.
fn read_cafile(
    machine: &Machine,
    setting: &Setting,
    ignored: &mut Vec<String>,
) -> Result<Option<Vec<u8>>, FetchError> {
    let Some(path) = setting.text() else { return Ok(None) };
    let path = resolve(machine, path);
    let Some(certificates) = machine.read(&path)? else {
        ignored.push(format!("{}: {} does not exist", setting.place, path.display()));
        return Ok(None);
    };
    checked(setting, certificates).map(Some)
}

fn checked(setting: &Setting, certificates: String) -> Result<Vec<u8>, FetchError> {
    if !certificates.contains(CERTIFICATE) {
        return Err(setting.refused("there is no certificate in PEM form"));
    }
    Ok(certificates.into_bytes())
}

/// The proxy, as npm chooses it for an address of https.
pub(super) fn read_proxy(
    machine: &Machine,
    settings: &NpmSettings,
) -> Result<ProxyChoice, FetchError> {
    let configured = settings.get("noproxy").map(|setting| hosts(&setting.values.join(",")));
    let configured = configured.filter(|hosts| !hosts.is_empty());
    let set = ["https-proxy", "proxy"].into_iter().filter_map(|name| settings.get(name));
    for setting in set {
        let Some(address) = setting.text() else { continue };
        let url = address.parse::<Url>().ok().filter(Url::has_host);
        if !url.is_some_and(|url| matches!(url.scheme(), "http" | "https")) {
            return Err(setting.refused("the proxy is not an http or https address"));
        }
        let except =
            configured.or_else(|| variable(machine, "no_proxy").map(hosts)).unwrap_or_default();
        return Ok(ProxyChoice::Through { address: address.to_owned(), except });
    }
    // The exceptions of npm hold for the proxy of the environment as well.
    match (configured, variable(machine, "https_proxy")) {
        (Some(except), Some(address)) => {
            Ok(ProxyChoice::Through { address: address.to_owned(), except })
        }
        _ => Ok(ProxyChoice::Environment),
    }
}

fn hosts(list: &str) -> Vec<String> {
    list.split(',').map(str::trim).filter(|host| !host.is_empty()).map(str::to_owned).collect()
}

/// A variable in any case, the lower one first.
fn variable<'a>(machine: &'a Machine, name: &str) -> Option<&'a str> {
    let mut variables = machine.variables.iter();
    let found = variables.rfind(|(n, value)| n.eq_ignore_ascii_case(name) && !value.is_empty());
    found.map(|(_, value)| value.as_str())
}

/// What the settings ask for and is not done, in words for their user.
pub(super) fn ignored_settings(settings: &NpmSettings) -> Vec<String> {
    let mut ignored = Vec::new();
    if let Some(setting) = settings.get("strict-ssl")
        && matches!(setting.last(), "false" | "0" | "null")
    {
        let reason = "`strict-ssl=false` is not obeyed; certificates are always checked";
        ignored.push(format!("{}: {reason}; set `cafile` to trust your own", setting.place));
    }
    for name in ["_auth", "_authToken", "_password", "username"] {
        if let Some(setting) = settings.get(name).filter(|setting| setting.text().is_some()) {
            let reason = format!("`{name}` without a registry is not sent");
            ignored.push(format!("{}: {reason}; write `//HOST/PATH/:{name}`", setting.place));
        }
    }
    let places = by_place(settings);
    let of_places = places.values().flat_map(|named| [named.get("certfile"), named.get("keyfile")]);
    let of_all = [settings.get("cert"), settings.get("key")].into_iter().flatten();
    for setting in of_places.flatten().copied().chain(of_all) {
        if setting.text().is_some() {
            ignored.push(format!("{}: client certificates are not supported", setting.place));
        }
    }
    ignored
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::collections::BTreeMap;
    use std::fs;
    use std::path::Path;

    use super::super::npmrc;
    use super::*;

    fn settings(text: &str) -> NpmSettings {
        npmrc::parse(text, Path::new("/f"), &BTreeMap::new()).map_err(|e| e.to_string()).unwrap()
    }

    fn machine(variables: &[(&str, &str)]) -> Machine {
        let owned = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
        Machine { variables: variables.iter().map(owned).collect(), ..Machine::default() }
    }

    #[test]
    fn what_is_not_obeyed_is_said_with_its_place() {
        let text =
            "strict-ssl=false\n//h/:certfile=/c\n//h/:keyfile=/k\n_authToken=s3cret\ncert=\n";
        let ignored = ignored_settings(&settings(text));
        let lines: Vec<&str> = ignored.iter().filter_map(|line| line.get(..5)).collect();
        assert_eq!(lines, ["/f:1:", "/f:4:", "/f:2:", "/f:3:"]);
        assert!(!ignored.concat().contains("s3cret"));
        assert_eq!(ignored_settings(&settings("strict-ssl=true\ncert=null")), [""; 0]);
    }

    #[test]
    fn certificates_come_from_a_file_or_a_list() {
        let folder = tempfile::tempdir().unwrap();
        let mut machine = machine(&[]);
        machine.home = Some(folder.path().to_owned());
        machine.directory = folder.path().to_owned();
        fs::write(folder.path().join("ca.pem"), format!("{CERTIFICATE} file")).unwrap();
        fs::write(folder.path().join("none.pem"), "s3cret").unwrap();
        let public: Url = "https://h.example/npm/".parse().unwrap();
        let other: Url = "https://other.example/".parse().unwrap();
        let list = format!("ca[]=\"{CERTIFICATE}\\na\"\nca[]={CERTIFICATE} b\n");
        let joined = format!("{CERTIFICATE}\na\n{CERTIFICATE} b");
        let file = Some(format!("{CERTIFICATE} file"));
        for (text, registries, expected, ignored) in [
            ("cafile=ca.pem\n".to_owned() + &list, vec![&public], file.clone(), 0),
            ("cafile=~/ca.pem".to_owned(), vec![&public, &other], file.clone(), 0),
            (list.clone(), vec![&public], Some(joined.clone()), 0),
            ("cafile=gone.pem\n".to_owned() + &list, vec![&public], Some(joined), 1),
            ("ca=null\ncafile=".to_owned(), vec![&public], None, 0),
            ("//h.example/:cafile=ca.pem".to_owned(), vec![&public], file, 0),
            ("//h.example/:cafile=ca.pem".to_owned(), vec![&public, &other], None, 1),
        ] {
            let mut said = Vec::new();
            let found = read_authorities(&machine, &settings(&text), &registries, &mut said);
            assert_eq!(found.unwrap(), expected.map(String::into_bytes), "{text}");
            assert_eq!(said.len(), ignored, "{text}: {said:?}");
        }
        for text in ["cafile=none.pem", "ca=s3cret"] {
            let error = read_authorities(&machine, &settings(text), &[], &mut Vec::new());
            let error = error.unwrap_err().to_string();
            assert_eq!(error, "/f:1: there is no certificate in PEM form");
        }
    }

    #[test]
    fn the_proxy_of_the_configuration_precedes_the_environment() {
        let through = |address: &str, except: &[&str]| ProxyChoice::Through {
            address: address.to_owned(),
            except: except.iter().map(|&host| host.to_owned()).collect(),
        };
        let environment = machine(&[
            ("HTTPS_PROXY", "http://upper:1"),
            ("https_proxy", "http://env:1"),
            ("NO_PROXY", "a.example, b.example"),
        ]);
        for (text, expected) in [
            ("", ProxyChoice::Environment),
            ("proxy=null\nhttps-proxy=false", ProxyChoice::Environment),
            ("proxy=http://p:1", through("http://p:1", &["a.example", "b.example"])),
            (
                "proxy=http://p:1\nhttps-proxy=http://s:1",
                through("http://s:1", &["a.example", "b.example"]),
            ),
            ("proxy=http://p:1\nnoproxy=c,,d", through("http://p:1", &["c", "d"])),
            ("proxy=http://p:1\nnoproxy[]=c\nnoproxy[]=d", through("http://p:1", &["c", "d"])),
            ("noproxy=c", through("http://env:1", &["c"])),
        ] {
            assert_eq!(read_proxy(&environment, &settings(text)).unwrap(), expected, "{text}");
        }
        let alone = read_proxy(&machine(&[]), &settings("noproxy=c")).unwrap();
        assert_eq!(alone, ProxyChoice::Environment);
        for text in ["proxy=s3cret:8080", "https-proxy=socks5://u:s3cret@h", "proxy=s3cret"] {
            let error = read_proxy(&environment, &settings(text)).unwrap_err().to_string();
            assert_eq!(error, "/f:1: the proxy is not an http or https address");
        }
    }
}
