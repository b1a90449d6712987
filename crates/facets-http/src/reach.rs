//! Whom a request may reach.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use url::{Host, Url};

const NO_HOST: &str = "an address of no host";
const LOOPBACK: &str = "a loopback address";
const LINK_LOCAL: &str = "a link-local address";

/// Kinds of addresses at which this machine answers itself, or what runs it.
const OF_THIS_MACHINE: [&str; 3] = [NO_HOST, LOOPBACK, LINK_LOCAL];

/// Whom a request may reach.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// Whatever the user's own client would: also a mirror in a private network, through a proxy.
    #[default]
    AsUser,
    /// The same over HTTPS only, and never this machine: where a server leads to that may not know or respect
    /// what listens here.
    OtherMachines,
    /// spec 9.5: public addresses over HTTPS only, checked when connecting and at every redirect, without a
    /// proxy. Hosts that the operator names may have private addresses.
    Public {
        /// Names of hosts, or addresses, in lower case.
        allowed: Vec<String>,
    },
}

impl Reach {
    /// Why an address must not be asked, before its name is looked up.
    #[must_use]
    pub fn refusal(&self, url: &Url) -> Option<String> {
        if !url.username().is_empty() || url.password().is_some() {
            return Some("it has credentials in it".to_owned());
        }
        match (self, url.scheme()) {
            (Self::OtherMachines, "https") if is_own_name(url) => {
                Some("it leads to this machine".to_owned())
            }
            (_, "https") => None,
            (Self::AsUser, "http") => None,
            (Self::OtherMachines | Self::Public { .. }, "http") => {
                Some("only https is allowed".to_owned())
            }
            (_, other) => Some(format!("`{other}:` is neither http nor https")),
        }
    }

    /// Why none of the addresses of a host may be connected to. One that is refused refuses all: the name
    /// server decides which one is used.
    pub(crate) fn refused_address(&self, host: &str, found: &[SocketAddr]) -> Option<String> {
        let allowed = match self {
            Self::AsUser => return None,
            Self::OtherMachines => &Vec::new(),
            Self::Public { allowed } => allowed,
        };
        let host = host.trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
        if allowed.contains(&host) {
            return None;
        }
        found.iter().find_map(|address| {
            let kind = reserved_kind(address.ip())?;
            let is_refused = *self != Self::OtherMachines || OF_THIS_MACHINE.contains(&kind);
            is_refused.then_some(())?;
            Some(format!("{host} leads to {}, {kind}", address.ip()))
        })
    }
}

/// A loopback address or `localhost`, as it is written.
fn is_own_name(url: &Url) -> bool {
    let kind = match url.host() {
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.');
            return name == "localhost" || name.ends_with(".localhost");
        }
        Some(Host::Ipv4(address)) => reserved_v4(address),
        Some(Host::Ipv6(address)) => reserved_v6(address),
        None => None,
    };
    kind.is_some_and(|kind| OF_THIS_MACHINE.contains(&kind))
}

/// What an address is that does not lie in the public internet.
fn reserved_kind(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(address) => reserved_v4(address),
        IpAddr::V6(address) => reserved_v6(address),
    }
}

fn reserved_v4(address: Ipv4Addr) -> Option<&'static str> {
    let kind = match address.octets() {
        [0, ..] => NO_HOST,
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] => "a private address",
        [127, ..] => LOOPBACK,
        [169, 254, ..] => LINK_LOCAL,
        [100, 64..=127, ..] => "a shared address of a provider",
        [192, 0, 0, _] | [192, 88, 99, _] => "an address of a protocol",
        [192, 0, 2, _] | [198, 51, 100, _] | [203, 0, 113, _] => "an address for documentation",
        [198, 18..=19, ..] => "an address for benchmarks",
        [224..=239, ..] => "a multicast address",
        [240..=255, ..] => "a reserved address",
        _ => return None,
    };
    Some(kind)
}

fn reserved_v6(address: Ipv6Addr) -> Option<&'static str> {
    let embedded = |high: u16, low: u16| {
        let [a, b] = high.to_be_bytes();
        let [c, d] = low.to_be_bytes();
        Ipv4Addr::new(a, b, c, d)
    };
    let kind = match address.segments() {
        [0, 0, 0, 0, 0, 0, 0, 0] => NO_HOST,
        [0, 0, 0, 0, 0, 0, 0, 1] => LOOPBACK,
        // Other ways to write an IPv4 address: mapped, NAT64, 6to4.
        [0, 0, 0, 0, 0, 0xffff, high, low] => return reserved_v4(embedded(high, low)),
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => return reserved_v4(embedded(high, low)),
        [0x2002, high, low, ..] => return reserved_v4(embedded(high, low)),
        [0xfc00..=0xfdff, ..] => "a unique local address",
        [0xfe80..=0xfebf, ..] => LINK_LOCAL,
        [0xfec0..=0xfeff, ..] => "a site-local address",
        [0xff00..=0xffff, ..] => "a multicast address",
        [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => "an address for documentation",
        // Teredo, benchmarks, and identifiers that are no addresses.
        [0x2001, 0..=0x1ff, ..] => "an address of a protocol",
        [0x2000..=0x3fff, ..] => return None,
        _ => "a reserved address",
    };
    Some(kind)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn kind(address: &str) -> Option<&'static str> {
        reserved_kind(address.parse().unwrap())
    }

    #[test]
    fn only_public_addresses_are_public() {
        for address in
            ["1.1.1.1", "8.8.8.8", "172.15.0.1", "172.32.0.1", "100.63.0.1", "100.128.0.1"]
        {
            assert_eq!(kind(address), None, "{address}");
        }
        for address in [
            "2606:4700::1111",
            "2a00:1450::1",
            "64:ff9b::101:101",
            "2002:101:101::",
            "::ffff:1.1.1.1",
        ] {
            assert_eq!(kind(address), None, "{address}");
        }
        for address in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "127.0.0.1",
            "127.255.255.254",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "100.64.0.1",
            "192.0.0.1",
            "192.0.2.1",
            "192.88.99.1",
            "198.18.0.1",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::127.0.0.1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b::a00:1",
            "64:ff9b:1::1",
            "2002:7f00:1::",
            "2002:a00:1::",
            "2001::1",
            "2001:db8::1",
            "3fff::1",
            "fc00::1",
            "fd00::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "100::1",
            "4000::1",
        ] {
            assert!(kind(address).is_some(), "{address}");
        }
    }

    #[test]
    fn one_private_answer_refuses_a_name() {
        let reach = Reach::Public { allowed: vec!["mirror.example".to_owned()] };
        let found = ["1.1.1.1:443".parse().unwrap(), "10.0.0.1:443".parse().unwrap()];
        assert!(reach.refused_address("a.example", &found).unwrap().contains("10.0.0.1"));
        assert_eq!(reach.refused_address("a.example", &found[..1]), None);
        assert_eq!(reach.refused_address("MIRROR.example", &found), None);
        assert_eq!(Reach::AsUser.refused_address("a.example", &found), None);
    }

    #[test]
    fn another_machine_may_be_private_and_is_not_this_one() {
        let others = Reach::OtherMachines;
        let refused = |address: &str| {
            others.refused_address("a.example", &[address.parse().unwrap()]).is_some()
        };
        for address in ["1.1.1.1:443", "10.0.0.1:443", "192.168.1.1:443", "[fd00::1]:443"] {
            assert!(!refused(address), "{address}");
        }
        for address in ["127.0.0.1:1", "0.0.0.0:1", "[::1]:1", "169.254.169.254:1", "[fe80::1]:1"] {
            assert!(refused(address), "{address}");
        }
        assert!(refused("[::ffff:127.0.0.1]:1"));
        let refused = |url: &str| others.refusal(&url.parse().unwrap()).is_some();
        assert!(!refused("https://a.example/") && !refused("https://10.0.0.1/"));
        for url in [
            "http://a.example/",
            "https://localhost/",
            "https://x.localhost./",
            "https://127.1/",
            "https://[::1]:8443/",
            "https://0.0.0.0/",
            "https://me@a.example/",
            "file:///etc/passwd",
        ] {
            assert!(refused(url), "{url}");
        }
    }

    #[test]
    fn addresses_are_refused_before_they_are_looked_up() {
        let refused = |reach: &Reach, url: &str| reach.refusal(&url.parse().unwrap()).is_some();
        let public = Reach::Public { allowed: Vec::new() };
        assert!(!refused(&public, "https://a.example/x"));
        assert!(refused(&public, "http://a.example/x"));
        assert!(!refused(&Reach::AsUser, "http://a.example/x"));
        for url in ["https://me@a.example/", "https://me:secret@a.example/", "ftp://a.example/"] {
            assert!(refused(&Reach::AsUser, url) && refused(&public, url), "{url}");
        }
        assert!(refused(&Reach::AsUser, "file:///etc/passwd"));
    }
}
