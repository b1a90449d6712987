//! Which proxy is used for an address.

use std::net::Ipv4Addr;

use url::Url;

/// Which proxy is used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ProxyChoice {
    /// The one that the environment names, if any.
    #[default]
    Environment,
    /// None, whatever the environment says.
    Direct,
    /// This one, but for some hosts.
    Through {
        /// Its address.
        address: String,
        /// Hosts that are reached directly, as in `NO_PROXY`.
        except: Vec<String>,
    },
    /// One for each scheme of an address, but for some hosts.
    ByScheme {
        /// The address of the one for `http:`.
        http: Option<String>,
        /// The address of the one for `https:`.
        https: Option<String>,
        /// Hosts that are reached directly, as pip reads `NO_PROXY`.
        except: Vec<String>,
    },
}

impl ProxyChoice {
    /// The choice for one address, which is none by scheme.
    #[must_use]
    pub fn for_url(&self, url: &Url) -> Self {
        let Self::ByScheme { http, https, except } = self else { return self.clone() };
        if is_excepted(url, except) {
            return Self::Direct;
        }
        let address = if url.scheme() == "https" { https } else { http };
        Self::through(address.as_deref())
    }

    /// The host of the proxy that an address is asked through, for messages: without credentials.
    #[must_use]
    pub fn host_for(&self, url: &Url) -> Option<String> {
        let Self::Through { address, except } = self.for_url(url) else { return None };
        if is_excepted(url, &except) {
            return None;
        }
        let without_scheme = address.split_once("://").map_or(address.as_str(), |(_, rest)| rest);
        let authority = without_scheme.split(['/', '?', '#']).next().unwrap_or_default();
        Some(authority.rsplit('@').next().unwrap_or_default().to_owned())
    }

    /// Every choice that [`for_url`](Self::for_url) may give, those of schemes first.
    pub(crate) fn alternatives(&self) -> Vec<Self> {
        match self {
            Self::ByScheme { http, https, .. } => {
                let addresses = [https.as_deref(), http.as_deref(), None];
                addresses.into_iter().map(Self::through).collect()
            }
            other => vec![other.clone()],
        }
    }

    fn through(address: Option<&str>) -> Self {
        match address {
            Some(address) => Self::Through { address: address.to_owned(), except: Vec::new() },
            None => Self::Direct,
        }
    }
}

/// Whether a list of hosts has that of an address, as pip reads `NO_PROXY`: a name also means every name that
/// ends with it, and a network of IPv4 is written as `10.0.0.0/8`.
fn is_excepted(url: &Url, except: &[String]) -> bool {
    if matches!(except, [all] if all == "*") {
        return true;
    }
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    let with_port = url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
    let address: Option<Ipv4Addr> = host.parse().ok();
    except.iter().any(|entry| {
        let entry = entry.to_ascii_lowercase();
        let name = entry.trim_start_matches('.');
        match address {
            Some(address) => host == name || is_in_network(address, name),
            None => host == name || host.ends_with(&entry) || with_port.ends_with(&entry),
        }
    })
}

/// Whether an address lies in a network such as `10.0.0.0/8`.
fn is_in_network(address: Ipv4Addr, network: &str) -> bool {
    let Some((base, length)) = network.split_once('/') else { return false };
    let (Ok(base), Ok(length)) = (base.parse::<Ipv4Addr>(), length.parse::<u32>()) else {
        return false;
    };
    let ignored = 32_u32.checked_sub(length).filter(|ignored| *ignored < 32);
    ignored.is_some_and(|ignored| address.to_bits() >> ignored == base.to_bits() >> ignored)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn by_scheme(http: Option<&str>, https: Option<&str>, except: &[&str]) -> ProxyChoice {
        ProxyChoice::ByScheme {
            http: http.map(str::to_owned),
            https: https.map(str::to_owned),
            except: except.iter().map(|&host| host.to_owned()).collect(),
        }
    }

    fn host(choice: &ProxyChoice, url: &str) -> Option<String> {
        choice.host_for(&url.parse().unwrap())
    }

    #[test]
    fn each_scheme_has_its_proxy() {
        let both = by_scheme(Some("http://u:hunter2@p:1/"), Some("s:2"), &[]);
        assert_eq!(host(&both, "http://a.example/").as_deref(), Some("p:1"));
        assert_eq!(host(&both, "https://a.example/").as_deref(), Some("s:2"));
        assert_eq!(both.alternatives().len(), 3);
        let one = by_scheme(None, Some("https://s"), &[]);
        assert_eq!(host(&one, "http://a.example/"), None);
        assert_eq!(one.for_url(&"http://a.example/".parse().unwrap()), ProxyChoice::Direct);
        for choice in one.alternatives() {
            assert!(!matches!(choice, ProxyChoice::ByScheme { .. }));
        }
    }

    #[test]
    fn some_hosts_are_reached_directly() {
        for (except, url, is_direct) in [
            ("a.example", "http://a.example/", true),
            ("A.example", "http://x.a.example/", true),
            (".a.example", "http://a.example/", true),
            (".a.example", "http://x.a.example/", true),
            ("a.example:81", "http://a.example:81/", true),
            ("a.example:81", "http://a.example/", false),
            ("b.example", "http://a.example/", false),
            ("*", "http://a.example/", true),
            ("127.0.0.1", "http://127.0.0.1:8080/", true),
            ("127.0.0.0/8", "http://127.0.0.1/", true),
            ("10.0.0.0/8", "http://127.0.0.1/", false),
            ("10.0.0.0/0", "http://127.0.0.1/", false),
            ("10.0.0.0/33", "http://127.0.0.1/", false),
            ("::1", "http://[::1]/", true),
        ] {
            let choice = by_scheme(Some("http://p:1"), None, &[except]);
            assert_eq!(host(&choice, url).is_none(), is_direct, "{except} {url}");
        }
    }
}
