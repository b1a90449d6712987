//! Where the configuration of a client is looked for.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use facets_files::{FileError, read_regular};

use crate::error::FetchError;
use facets_http::ProxyChoice;

/// More than any configuration file has.
const MAX_CONFIG: u64 = 1 << 20;

/// The environment, the home of the user, and the directory in which a client would have been started.
#[derive(Clone, Debug, Default)]
pub struct Machine {
    /// Variables of the environment, those alone that are UTF-8.
    pub variables: BTreeMap<String, String>,
    /// The home of the user.
    pub home: Option<PathBuf>,
    /// Where the client would have been started.
    pub directory: PathBuf,
}

impl Machine {
    /// This one.
    #[must_use]
    pub fn here() -> Self {
        let pairs = std::env::vars_os();
        let variables: BTreeMap<String, String> = pairs
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        let home = variables.get("HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
        let directory = std::env::current_dir().unwrap_or_default();
        Self { variables, home, directory }
    }

    /// A variable that is set and not empty.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// The proxy that the variables name.
    pub(crate) fn proxy(&self) -> ProxyChoice {
        let either =
            |name: &str| self.variable(name).or_else(|| self.variable(&name.to_ascii_lowercase()));
        let names = ["ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY"];
        let Some(address) = names.into_iter().find_map(either) else { return ProxyChoice::Direct };
        let hosts = either("NO_PROXY").unwrap_or_default().split(',').map(str::trim);
        let except = hosts.filter(|host| !host.is_empty()).map(str::to_owned).collect();
        ProxyChoice::Through { address: address.to_owned(), except }
    }

    /// A configuration file; nothing if it does not exist.
    pub fn read(&self, path: &Path) -> Result<Option<String>, FetchError> {
        match read_regular(path, MAX_CONFIG) {
            Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
            Err(FileError::Unreadable { source, .. })
                if matches!(
                    source.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                Ok(None)
            }
            Err(source) => Err(FetchError::File(source)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_proxy_is_that_of_the_given_variables() {
        let proxy = |pairs: &[(&str, &str)]| {
            let owned = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
            let variables = pairs.iter().map(owned).collect();
            Machine { variables, ..Machine::default() }.proxy()
        };
        let through = |address: &str, except: &[&str]| ProxyChoice::Through {
            address: address.to_owned(),
            except: except.iter().map(|&host| host.to_owned()).collect(),
        };
        assert_eq!(proxy(&[("NO_PROXY", "a.example")]), ProxyChoice::Direct);
        assert_eq!(proxy(&[("HTTPS_PROXY", "")]), ProxyChoice::Direct);
        let both = [("http_proxy", "http://p:1"), ("https_proxy", "http://s:1")];
        assert_eq!(proxy(&both), through("http://s:1", &[]));
        let except = [("HTTP_PROXY", "http://p:1"), ("no_proxy", "a.example, ,.b.example")];
        assert_eq!(proxy(&except), through("http://p:1", &["a.example", ".b.example"]));
    }
}
