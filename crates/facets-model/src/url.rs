use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// Why a text is not a URL we connect to.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    /// Neither `http://` nor `https://`.
    #[error("it does not begin with `http://` or `https://`")]
    Scheme,
    /// A user name or password before the host.
    #[error("it has credentials before the host")]
    Credentials,
    /// The host is empty or malformed.
    #[error("`{found}` is not a host")]
    Host {
        /// The text where the host should be.
        found: String,
    },
    /// The port is no number up to 65535.
    #[error("`{found}` is not a port")]
    Port {
        /// The text behind the colon.
        found: String,
    },
    /// A character that URL readers treat differently.
    #[error("the character {found:?} must be percent-encoded")]
    Character {
        /// The first such character.
        found: char,
    },
    /// `%` without two hex digits behind it.
    #[error("'%' must be followed by two hex digits")]
    PercentEncoding,
    /// `#…` is never sent to a server.
    #[error("a fragment `#…` is not allowed: it is never sent to a server")]
    Fragment,
}

/// An absolute http or https URL.
///
/// A strict subset of RFC 3986: what is accepted here means the same to every reader, so
/// that what was approved is what is connected to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HttpUrl {
    written: String,
    secure: bool,
}

impl HttpUrl {
    /// The URL as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.written
    }

    /// Whether it is `https`.
    #[must_use]
    pub fn is_https(&self) -> bool {
        self.secure
    }
}

impl fmt::Display for HttpUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.written)
    }
}

impl FromStr for HttpUrl {
    type Err = UrlError;

    fn from_str(text: &str) -> Result<Self, UrlError> {
        let (secure, rest) = match (text.strip_prefix("https://"), text.strip_prefix("http://")) {
            (Some(rest), _) => (true, rest),
            (_, Some(rest)) => (false, rest),
            _ => return Err(UrlError::Scheme),
        };
        check_characters(rest)?;
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        check_authority(&rest[..end])?;
        Ok(Self { written: text.to_owned(), secure })
    }
}

fn check_characters(rest: &str) -> Result<(), UrlError> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-._~:/?[]@!$&'()*+,;=%".contains(c);
    match rest.chars().find(|&c| !allowed(c)) {
        Some('#') => return Err(UrlError::Fragment),
        Some(found) => return Err(UrlError::Character { found }),
        None => {}
    }
    let encoded = |part: &str| {
        part.as_bytes().get(..2).is_some_and(|pair| pair.iter().all(u8::is_ascii_hexdigit))
    };
    if rest.split('%').skip(1).all(encoded) { Ok(()) } else { Err(UrlError::PercentEncoding) }
}

fn check_authority(authority: &str) -> Result<(), UrlError> {
    if authority.contains('@') {
        return Err(UrlError::Credentials);
    }
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (authority, None),
    };
    if let Some(port) = port {
        let number = port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok();
        if !number {
            return Err(UrlError::Port { found: port.to_owned() });
        }
    }
    if is_host(host) { Ok(()) } else { Err(UrlError::Host { found: host.to_owned() }) }
}

fn is_host(host: &str) -> bool {
    if let Some(inside) = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        return inside.parse::<Ipv6Addr>().is_ok();
    }
    let labels = host.strip_suffix('.').unwrap_or(host).split('.');
    // `1.2.3`, `0x7f.1` and `127.1` are addresses to some readers: only the plain form counts.
    let numeric_end = labels.clone().next_back().is_some_and(|label| {
        label.bytes().all(|byte| byte.is_ascii_digit())
            || label.starts_with("0x")
            || label.starts_with("0X")
    });
    if numeric_end {
        return host.parse::<Ipv4Addr>().is_ok();
    }
    host.len() <= 253
        && labels.clone().all(|label| {
            (1..=63).contains(&label.len())
                && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
                && !label.starts_with('-')
                && !label.ends_with('-')
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_what_every_reader_understands_alike() {
        for good in [
            "https://mcp.example.com/docs",
            "http://127.0.0.1:8080/mcp",
            "http://[::1]:3000/",
            "https://example.com",
            "https://example.com?x=1&y=%20",
            "https://xn--bcher-kva.example/a/b/../c",
        ] {
            assert_eq!(good.parse::<HttpUrl>().unwrap().as_str(), good);
        }
    }

    #[test]
    fn refuses_the_rest_with_its_reason() {
        use UrlError::*;
        let host = |found: &str| Host { found: found.into() };
        let cases = [
            ("ftp://e.example/mcp", Scheme),
            ("HTTPS://e.example", Scheme),
            ("//e.example", Scheme),
            ("https://u:p@e.example/mcp", Credentials),
            ("https://", host("")),
            ("https:///etc", host("")),
            ("https://a..b/", host("a..b")),
            ("https://127.1/", host("127.1")),
            ("https://0x7f.0.0.1/x", host("0x7f.0.0.1").clone()),
            ("https://2130706433/", host("2130706433")),
            ("https://[::1/", host("[:")),
            ("https://e.example:99999/", Port { found: "99999".into() }),
            ("https://e.example:/", Port { found: String::new() }),
            ("https://e.example:+80/", Port { found: "+80".into() }),
            ("https://e.example\\@evil.example/", Character { found: '\\' }),
            ("https://e.example/a b", Character { found: ' ' }),
            ("https://e.example/\u{200b}", Character { found: '\u{200b}' }),
            ("https://bücher.example/", Character { found: 'ü' }),
            ("https://e.example/%zz", PercentEncoding),
            ("https://e.example/%2", PercentEncoding),
            ("https://e.example/#x", Fragment),
        ];
        for (text, reason) in cases {
            let found = text.parse::<HttpUrl>().unwrap_err();
            let same_kind = std::mem::discriminant(&found) == std::mem::discriminant(&reason);
            assert!(same_kind, "{text}: {found}");
        }
    }
}
