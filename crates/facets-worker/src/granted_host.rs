//! Hosts as they are granted and asked for: one rule for how they are written.

use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs as _};

use crate::public_address::is_public_elsewhere;

/// What begins a granted host that may also lie in a private network.
pub const PRIVATE: &str = "private:";

/// As every program of this machine resolves names.
pub(crate) fn resolve(name: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
    (name, port).to_socket_addrs().map(Iterator::collect)
}

/// A host and a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HostAndPort {
    pub(crate) host: Host,
    pub(crate) port: u16,
}

/// A machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Host {
    /// An address, however it was written.
    Address(IpAddr),
    /// A name, in small letters and without the dot of the root.
    Name(String),
}

/// A host that a server was granted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrantedHost {
    pub(crate) place: HostAndPort,
    /// Whether it may be reached at an address that is not of the public internet.
    may_be_private: bool,
}

impl GrantedHost {
    /// Reads `HOST:PORT` or `private:HOST:PORT`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let private = text.strip_prefix(PRIVATE).and_then(HostAndPort::parse);
        let may_be_private = private.is_some();
        let place = private.or_else(|| HostAndPort::parse(text))?;
        Some(Self { place, may_be_private })
    }

    /// The name to look up, if what it leads to has to be public: an address, or this machine, was
    /// granted in so many words.
    pub(crate) fn public_name(&self) -> Option<&str> {
        match &self.place.host {
            Host::Name(name) if !self.may_be_private && name != "localhost" => Some(name),
            _ => None,
        }
    }

    /// Whether it was granted as one of a private network.
    pub(crate) fn is_marked_private(&self) -> bool {
        self.may_be_private
    }

    /// The addresses of a name that has to be public, and is not.
    #[must_use]
    pub fn private_addresses(&self) -> Vec<IpAddr> {
        let Some(name) = self.public_name() else { return Vec::new() };
        let found = resolve(name, self.place.port).unwrap_or_default();
        let addresses = found.iter().map(SocketAddr::ip);
        addresses.filter(|address| !is_public_elsewhere(*address)).collect()
    }
}

impl HostAndPort {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (host, port) = text.rsplit_once(':')?;
        let is_number = port.bytes().all(|byte| byte.is_ascii_digit());
        let port = port.parse().ok().filter(|port| is_number && *port > 0)?;
        Some(Self { host: Host::parse(host)?, port })
    }
}

impl fmt::Display for HostAndPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.host {
            Host::Address(IpAddr::V6(address)) => write!(f, "[{address}]:{}", self.port),
            Host::Address(address) => write!(f, "{address}:{}", self.port),
            Host::Name(name) => write!(f, "{name}:{}", self.port),
        }
    }
}

impl Host {
    fn parse(text: &str) -> Option<Self> {
        if let Some(inner) = text.strip_prefix('[') {
            let address: Ipv6Addr = inner.strip_suffix(']')?.parse().ok()?;
            return Some(Self::Address(IpAddr::from(address).to_canonical()));
        }
        let text = text.strip_suffix('.').unwrap_or(text).to_ascii_lowercase();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let is_written = !text.split('.').any(str::is_empty) && text.chars().all(is_plain);
        // A name whose end is a number is an address to every resolver, or nothing.
        let is_numeric = text.rsplit('.').next().is_some_and(is_number);
        match is_written {
            true if is_numeric => parse_v4(&text).map(|address| Self::Address(address.into())),
            true => Some(Self::Name(text)),
            false => None,
        }
    }
}

/// As the C library reads addresses: up to four numbers, of which the last fills what is left.
fn parse_v4(text: &str) -> Option<Ipv4Addr> {
    let numbers = text.split('.').map(parse_number).collect::<Option<Vec<u32>>>()?;
    let (last, first) = numbers.split_last()?;
    if first.len() > 3 || first.iter().any(|number| *number > 255) {
        return None;
    }
    let mut address = 0;
    for (place, number) in first.iter().enumerate() {
        address |= number << (24 - 8 * place);
    }
    let room = u32::MAX >> (8 * first.len());
    (*last <= room).then(|| Ipv4Addr::from(address | last))
}

/// Whether a part is meant as a number, in range or not.
fn is_number(text: &str) -> bool {
    match text.strip_prefix("0x") {
        Some(digits) => digits.bytes().all(|byte| byte.is_ascii_hexdigit()),
        None => text.bytes().all(|byte| byte.is_ascii_digit()),
    }
}

/// Decimal, with `0x` hexadecimal, with `0` octal.
fn parse_number(text: &str) -> Option<u32> {
    let (digits, radix) = match text.strip_prefix("0x") {
        Some("") => return Some(0),
        Some(digits) => (digits, 16),
        None if text.len() > 1 && text.starts_with('0') => (&text[1..], 8),
        None => (text, 10),
    };
    is_number(text).then(|| u32::from_str_radix(digits, radix).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_machine_is_one_host_however_it_is_written() {
        let shown = |text: &str| HostAndPort::parse(text).map(|place| place.to_string());
        for text in [
            "127.0.0.1:80",
            "127.1:80",
            "127.0.1:80",
            "0x7f.1:80",
            "0x7F000001:80",
            "0177.0.0.01:80",
            "2130706433:80",
            "017700000001:80",
            "127.0.0.1.:80",
            "[::ffff:127.0.0.1]:80",
            "[::FFFF:7f00:1]:80",
        ] {
            assert_eq!(shown(text).as_deref(), Some("127.0.0.1:80"), "{text}");
        }
        for text in ["A.Example.:443", "a.example:443", "a.example:0443"] {
            assert_eq!(shown(text).as_deref(), Some("a.example:443"), "{text}");
        }
        assert_eq!(shown("[0::1]:80").as_deref(), Some("[::1]:80"));
        for text in [
            "a",
            "a:",
            "a:0",
            "a:+80",
            "a:70000",
            ":80",
            ".:80",
            "a..b:80",
            "u@a:80",
            "a b:80",
            "[::1:80",
            "[fe80::1%eth0]:80",
            "1.2.3.4.5:80",
            "256.1.1.1:80",
            "4294967296:80",
            "::1:80",
        ] {
            assert_eq!(shown(text), None, "{text}");
        }
    }

    #[test]
    fn what_a_name_leads_to_has_to_be_public_unless_it_was_said_otherwise() {
        let name =
            |text: &str| GrantedHost::parse(text).map(|host| host.public_name().map(str::to_owned));
        assert_eq!(name("db.internal:5432"), Some(Some("db.internal".to_owned())));
        assert_eq!(name("private:443"), Some(Some("private".to_owned())));
        for text in ["private:db.internal:5432", "localhost:80", "10.0.0.1:80", "[::1]:80"] {
            assert_eq!(name(text), Some(None), "{text}");
        }
        assert_eq!(name("private:"), None);
    }
}
