//! The configuration of npm, as far as it decides where a package comes from and how.

use std::collections::BTreeMap;
use std::path::Path;

use url::Url;

use crate::error::FetchError;
use crate::machine::Machine;
use facets_http::Route;

use super::authorizations::{Registry, read_credentials};
use super::levels::{merged, read_settings};
use super::npmrc::{self, NpmSettings, Setting};
use super::replaced_host::ReplacedHost;
use super::transport::{ignored_settings, read_authorities, read_proxy};

const PUBLIC_REGISTRY: &str = "https://registry.npmjs.org/";

/// Which registry has which package, and how it is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NpmConfig {
    registry: Url,
    /// By scope, with its `@`.
    scopes: BTreeMap<String, Url>,
    replaced: ReplacedHost,
    route: Route,
}

impl NpmConfig {
    /// Reads what npm would read if it were started on this machine.
    pub fn read(machine: &Machine) -> Result<Self, FetchError> {
        Self::of_settings(machine, &read_settings(machine)?)
    }

    /// Reads the text of one `.npmrc`, as if npm had no other setting. Errors name it by `file`.
    pub fn parse(text: &str, file: &Path, machine: &Machine) -> Result<Self, FetchError> {
        let settings = npmrc::parse(text, file, &machine.variables)?;
        Self::of_settings(machine, &merged([settings]))
    }

    fn of_settings(machine: &Machine, settings: &NpmSettings) -> Result<Self, FetchError> {
        let registry = match settings.get("registry") {
            Some(setting) => Registry::read(setting)?,
            None => Registry::read(&Setting {
                values: vec![PUBLIC_REGISTRY.to_owned()],
                place: "the default registry".to_owned(),
            })?,
        };
        let scopes = read_scopes(settings)?;

        let registries: Vec<&Registry> =
            std::iter::once(&registry).chain(scopes.values()).collect();
        let urls: Vec<&Url> = registries.iter().map(|registry| &registry.url).collect();
        let mut ignored = ignored_settings(settings);
        let route = Route {
            credentials: read_credentials(settings, &registries)?,
            authorities: read_authorities(machine, settings, &urls, &mut ignored)?,
            proxy: read_proxy(machine, settings)?,
            ignored,
        };
        let scopes = scopes.into_iter().map(|(scope, registry)| (scope, registry.url)).collect();
        let replaced = ReplacedHost::read(settings.get("replace-registry-host"));
        Ok(Self { registry: registry.url, scopes, replaced, route })
    }

    /// The registry of a package: that of its scope, or the default one. Its path ends with a
    /// slash, and it has no credentials in it.
    #[must_use]
    pub fn registry_for(&self, package: &str) -> &Url {
        let scope = package.split_once('/').map(|(scope, _)| scope);
        scope.and_then(|scope| self.scopes.get(scope)).unwrap_or(&self.registry)
    }

    /// Where a tarball is fetched that a document names: there, or from the default registry, which npm takes
    /// also for packages of a scope with its own registry.
    #[must_use]
    pub fn tarball_url(&self, named: &Url) -> Url {
        self.replaced.apply(named, &self.registry)
    }

    /// How the registries are reached.
    #[must_use]
    pub fn route(&self) -> Route {
        self.route.clone()
    }
}

/// `@scope:registry = ADDRESS`; an empty one gives the scope back to the default registry.
fn read_scopes(settings: &NpmSettings) -> Result<BTreeMap<String, Registry>, FetchError> {
    let mut scopes = BTreeMap::new();
    for (name, setting) in settings {
        let scope = name.strip_suffix(":registry").filter(|scope| scope.starts_with('@'));
        if let Some(scope) = scope.filter(|_| setting.text().is_some()) {
            scopes.insert(scope.to_owned(), Registry::read(setting)?);
        }
    }
    Ok(scopes)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::fs;

    use tempfile::TempDir;

    use super::*;
    use facets_http::ProxyChoice;

    /// A home with this file, and a project beside it with the other.
    fn machine(user: &str, project: &str, variables: &[(&str, &str)]) -> (TempDir, Machine) {
        let root = tempfile::tempdir().unwrap();
        let (home, directory) = (root.path().join("home"), root.path().join("project"));
        for (folder, text) in [(&home, user), (&directory, project)] {
            fs::create_dir(folder).unwrap();
            fs::write(folder.join(".npmrc"), text).unwrap();
        }
        fs::write(directory.join("package.json"), "{}").unwrap();
        let owned = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
        let variables = variables.iter().map(owned).collect();
        (root, Machine { variables, home: Some(home), directory })
    }

    fn read(user: &str, project: &str, variables: &[(&str, &str)]) -> NpmConfig {
        let (_root, machine) = machine(user, project, variables);
        NpmConfig::read(&machine).unwrap()
    }

    #[test]
    fn without_settings_the_public_registry_is_asked_without_credentials() {
        let config = read("", "", &[]);
        assert_eq!(config.registry_for("@a/b").as_str(), PUBLIC_REGISTRY);
        assert_eq!(config.route(), Route::default());
    }

    #[test]
    fn a_scope_has_its_own_registry() {
        let user = "registry=https://mirror.example/npm\n@a:registry=https://a.example/x/?y#z\n";
        let project = "@b:registry=https://b.example\n@c:registry=https://c.example\n";
        let config = read(user, project, &[("npm_config_@c:registry", "null")]);
        for (package, expected) in [
            ("left-pad", "https://mirror.example/npm/"),
            ("@a/left-pad", "https://a.example/x/"),
            ("@b/left-pad", "https://b.example/"),
            ("@c/left-pad", "https://mirror.example/npm/"),
            ("@d/left-pad", "https://mirror.example/npm/"),
            ("@a", "https://mirror.example/npm/"),
        ] {
            assert_eq!(config.registry_for(package).as_str(), expected, "{package}");
        }
    }

    #[test]
    fn tarballs_come_from_the_default_registry_as_it_is_configured() {
        let named: Url = "https://registry.npmjs.org/pad/-/pad-1.0.0.tgz".parse().unwrap();
        let registry = "registry=https://mirror.example/npm\n@a:registry=https://a.example/\n";
        let moved = "https://mirror.example/npm/pad/-/pad-1.0.0.tgz";
        assert_eq!(read(registry, "", &[]).tarball_url(&named).as_str(), moved);
        let never = [("npm_config_replace_registry_host", "never")];
        assert_eq!(read(registry, "", &never).tarball_url(&named), named);
        let project = "replace-registry-host=never\n";
        assert_eq!(read(registry, project, &[]).tarball_url(&named), named);
        assert_eq!(read("", "", &[]).tarball_url(&named), named);
    }

    #[test]
    fn tokens_of_all_levels_are_joined() {
        let user = "registry=https://u:p@mirror.example/\n//h.example/:_authToken=${TOKEN}\n";
        let project = "//h.example/a/:_authToken=${UNSET}\r\n";
        let variables = [("TOKEN", "t0ken"), ("npm_config_//h.example/b/:_authToken", "b")];
        let config = read(user, project, &variables);
        let route = config.route();
        for (address, expected) in [
            ("https://h.example/x", Some("Bearer t0ken")),
            ("https://h.example/a/x", Some("Bearer ${UNSET}")),
            ("https://h.example/b/x", Some("Bearer b")),
            ("https://mirror.example/x", Some("Basic dTpw")),
            ("https://registry.npmjs.org/x", None),
        ] {
            let sent = route.credentials.for_url(&address.parse().unwrap());
            let sent = sent.map(facets_http::Authorization::header);
            assert_eq!(sent.as_deref(), expected, "{address}");
        }
        assert_eq!(config.registry_for("x").as_str(), "https://mirror.example/");
        assert!(!format!("{config:?}").contains("t0ken"));
    }

    #[test]
    fn one_file_is_read_as_if_it_were_alone() {
        let (_root, machine) = machine("registry=https://user.example/", "", &[("T", "t0ken")]);
        let text = "registry=\n@a:registry=https://a.example\n//a.example/:_authToken=${T}\n";
        let config = NpmConfig::parse(text, Path::new("x"), &machine).unwrap();
        assert_eq!(config.registry_for("b").as_str(), PUBLIC_REGISTRY);
        assert_eq!(config.registry_for("@a/b").as_str(), "https://a.example/");
        let credentials = config.route().credentials;
        assert!(credentials.for_url(&"https://a.example/b".parse().unwrap()).is_some());
        let error = NpmConfig::parse("\nregistry=x", Path::new("x"), &machine).unwrap_err();
        assert_eq!(error.to_string(), "x:2: the registry is not an http or https address");
    }

    #[test]
    fn proxies_and_what_is_not_obeyed_are_part_of_the_route() {
        let route = read("strict-ssl=false", "https-proxy=http://p.example:1", &[]).route();
        let address = "http://p.example:1".to_owned();
        assert_eq!(route.proxy, ProxyChoice::Through { address, except: Vec::new() });
        assert_eq!(route.ignored.len(), 1);
        assert!(route.ignored[0].contains("home/.npmrc:1: `strict-ssl=false`"));
        assert_eq!(route.authorities, None);
    }

    #[test]
    fn an_unusable_registry_is_an_error_with_file_and_line() {
        for (user, project, variables, place) in [
            ("\nregistry=s3cret", "", vec![], "home/.npmrc:2"),
            ("", "@a:registry=ftp://s3cret@h/", vec![], "project/.npmrc:1"),
            ("", "", vec![("NPM_CONFIG_REGISTRY", "s3cret")], "NPM_CONFIG_REGISTRY"),
        ] {
            let (_root, machine) = machine(user, project, &variables);
            let error = NpmConfig::read(&machine).unwrap_err().to_string();
            let expected = format!("{place}: the registry is not an http or https address");
            assert!(error.ends_with(&expected), "{error}");
            assert!(!error.contains("s3cret"), "{error}");
        }
        let (_root, machine) = machine("", "", &[]);
        fs::remove_file(machine.directory.join(".npmrc")).unwrap();
        fs::create_dir(machine.directory.join(".npmrc")).unwrap();
        assert!(matches!(NpmConfig::read(&machine), Err(FetchError::File(_))));
    }
}
