//! Who sends a request, as far as an address tells.

use std::net::{IpAddr, Ipv6Addr};

use http::HeaderMap;

use crate::config::ProxyTrust;

/// A sender: an IPv4 address, or a network of IPv6, of which every customer has at least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ClientAddress(IpAddr);

impl ClientAddress {
    /// The sender of a request that came over a connection from `peer`.
    pub(crate) fn of(peer: IpAddr, headers: &HeaderMap, trust: ProxyTrust) -> Self {
        let forwarded = match trust {
            ProxyTrust::None => None,
            ProxyTrust::LastHop => last_hop(headers),
        };
        Self::from(forwarded.unwrap_or(peer))
    }

    pub(crate) fn ip(self) -> IpAddr {
        self.0
    }
}

impl From<IpAddr> for ClientAddress {
    fn from(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V4(address) => Self(IpAddr::V4(address)),
            IpAddr::V6(address) => {
                let network = u128::from(address) & !u128::from(u64::MAX);
                Self(IpAddr::V6(Ipv6Addr::from(network)))
            }
        }
    }
}

/// The last entry is of the proxy itself; everything before it may be the client's invention.
fn last_hop(headers: &HeaderMap) -> Option<IpAddr> {
    let last = headers.get_all("x-forwarded-for").iter().next_back()?.to_str().ok()?;
    let entry = last.rsplit(',').next()?.trim();
    let plain = entry.parse().ok();
    // Some proxies add the port.
    let bracketed = || entry.strip_prefix('[')?.split_once(']')?.0.parse().ok();
    let with_port = || entry.split_once(':')?.0.parse().ok();
    plain.or_else(bracketed).or_else(with_port)
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn address(text: &str) -> ClientAddress {
        ClientAddress::from(text.parse::<IpAddr>().unwrap())
    }

    fn client(forwarded: &[&'static str], trust: ProxyTrust) -> ClientAddress {
        let mut headers = HeaderMap::new();
        for value in forwarded {
            headers.append("x-forwarded-for", HeaderValue::from_static(value));
        }
        ClientAddress::of("10.0.0.1".parse().unwrap(), &headers, trust)
    }

    #[test]
    fn a_proxy_counts_only_if_it_is_trusted_and_only_with_its_own_entry() {
        assert_eq!(client(&["1.2.3.4"], ProxyTrust::None), address("10.0.0.1"));
        assert_eq!(client(&["9.9.9.9, 1.2.3.4"], ProxyTrust::LastHop), address("1.2.3.4"));
        assert_eq!(client(&["9.9.9.9", "1.2.3.4:55"], ProxyTrust::LastHop), address("1.2.3.4"));
        assert_eq!(client(&["[2001:db8::1]:80"], ProxyTrust::LastHop), address("2001:db8::1"));
        for odd in [&["unknown"][..], &[], &[""], &["1.2.3.4, "]] {
            assert_eq!(client(odd, ProxyTrust::LastHop), address("10.0.0.1"), "{odd:?}");
        }
    }

    #[test]
    fn one_network_of_ipv6_is_one_sender() {
        assert_eq!(address("2001:db8::1"), address("2001:db8::ffff:1"));
        assert_ne!(address("2001:db8::1"), address("2001:db8:0:1::1"));
        assert_eq!(address("::ffff:1.2.3.4"), address("1.2.3.4"));
    }
}
