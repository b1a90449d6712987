//! The only way out for a server that may reach some hosts: an HTTP proxy that knows which.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crate::forward::copy;
use crate::granted_host::{GrantedHost, Host, HostAndPort, PRIVATE, resolve};
use crate::public_address::is_public_elsewhere;

/// The head of a request has at most this.
const HEAD: u64 = 64 << 10;
const PAUSE: Duration = Duration::from_millis(50);
const CONNECT: Duration = Duration::from_secs(30);

/// The addresses of a name.
type Resolver = fn(&str, u16) -> io::Result<Vec<SocketAddr>>;

/// Listens, and lets through to these hosts, each with its port.
pub(crate) fn start(socket: &Path, hosts: &[String]) -> io::Result<()> {
    let listener = UnixListener::bind(socket)?;
    let granted = Arc::new(Granted::new(hosts, resolve));
    thread::Builder::new().spawn(move || {
        for stream in listener.incoming() {
            let Ok(stream) = stream else {
                thread::sleep(PAUSE);
                continue;
            };
            let granted = Arc::clone(&granted);
            let _ = thread::Builder::new().spawn(move || {
                // A connection that fails is closed, and the server sees that.
                let _ = serve(&stream, &granted);
            });
        }
    })?;
    Ok(())
}

/// What was granted, and how names are looked up.
struct Granted {
    hosts: Vec<GrantedHost>,
    resolver: Resolver,
}

/// Why a connection is not made.
#[derive(Debug, PartialEq, Eq)]
enum HostRefusal {
    /// It was not granted.
    NotGranted,
    /// The name leads into a private network: to this address.
    Private(SocketAddr),
    /// The name leads nowhere.
    Unknown,
}

impl Granted {
    fn new(hosts: &[String], resolver: Resolver) -> Self {
        // What cannot be read grants nothing.
        let hosts = hosts.iter().filter_map(|host| GrantedHost::parse(host)).collect();
        Self { hosts, resolver }
    }

    /// spec 11.4: a name is resolved once, and what was checked is what is connected to
    fn addresses(&self, place: &HostAndPort) -> Result<Vec<SocketAddr>, HostRefusal> {
        let named: Vec<&GrantedHost> =
            self.hosts.iter().filter(|granted| granted.place == *place).collect();
        if named.is_empty() {
            return Err(HostRefusal::NotGranted);
        }
        let name = match &place.host {
            Host::Address(address) => return Ok(vec![SocketAddr::new(*address, place.port)]),
            Host::Name(name) => name,
        };
        let found = (self.resolver)(name, place.port).map_err(|_| HostRefusal::Unknown)?;
        let must_be_public = named.iter().all(|granted| granted.public_name().is_some());
        let is_allowed =
            |address: &&SocketAddr| !must_be_public || is_public_elsewhere(address.ip());
        let allowed: Vec<SocketAddr> = found.iter().filter(is_allowed).copied().collect();
        match (allowed.is_empty(), found.first()) {
            (false, _) => Ok(allowed),
            (true, Some(address)) => Err(HostRefusal::Private(*address)),
            (true, None) => Err(HostRefusal::Unknown),
        }
    }

    /// The list with which a name may lead into a private network.
    fn with_private(&self, place: &HostAndPort) -> String {
        let shown = self.hosts.iter().map(|granted| {
            let is_private = granted.place == *place || granted.is_marked_private();
            let prefix = if is_private { PRIVATE } else { "" };
            format!("{prefix}{}", granted.place)
        });
        shown.collect::<Vec<_>>().join(",")
    }
}

/// Where a request wants to go, and what has to be said there first.
struct ProxyRequest {
    place: HostAndPort,
    /// The first line for the other side; none for a tunnel.
    line: Option<String>,
}

fn serve(mut stream: &UnixStream, granted: &Granted) -> io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut head = String::new();
    (&mut reader).take(HEAD).read_line(&mut head)?;
    let Some(request) = parse_request(head.trim_end()) else {
        return refuse(stream, "400 Bad Request", "invalid proxy request");
    };
    let place = &request.place;
    let addresses = match granted.addresses(place) {
        Ok(addresses) => addresses,
        Err(HostRefusal::NotGranted) => {
            let text = format!("{place} is not granted to this server by facet");
            return refuse(stream, "403 Forbidden", &text);
        }
        Err(HostRefusal::Private(address)) => {
            let text = format!(
                "{place} resolves to {}, a local, private or reserved address that this grant does not \
                 cover. To permit it: facet grant NAME network={}",
                address.ip(),
                granted.with_private(place)
            );
            return refuse(stream, "403 Forbidden", &text);
        }
        Err(HostRefusal::Unknown) => {
            return refuse(stream, "502 Bad Gateway", &format!("{place} cannot be resolved"));
        }
    };
    let mut connections =
        addresses.iter().filter_map(|address| TcpStream::connect_timeout(address, CONNECT).ok());
    let Some(other) = connections.next() else {
        return refuse(stream, "502 Bad Gateway", &format!("{place} cannot be reached"));
    };
    if let Some(line) = request.line {
        (&other).write_all(line.as_bytes())?;
    } else {
        skip_head(&mut reader)?;
        stream.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")?;
    }
    join(reader, stream, other)
}

fn join(reader: BufReader<UnixStream>, stream: &UnixStream, other: TcpStream) -> io::Result<()> {
    let (to_other, from_other) = (other.try_clone()?, other);
    let up = thread::Builder::new().spawn(move || {
        copy(reader, &to_other);
        let _ = to_other.shutdown(Shutdown::Write);
    })?;
    copy(from_other, stream);
    let _ = stream.shutdown(Shutdown::Both);
    let _ = up.join();
    Ok(())
}

fn parse_request(line: &str) -> Option<ProxyRequest> {
    let mut words = line.split(' ');
    let (method, target, version) = (words.next()?, words.next()?, words.next()?);
    if method == "CONNECT" {
        return Some(ProxyRequest { place: HostAndPort::parse(target)?, line: None });
    }
    let rest = target.strip_prefix("http://")?;
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (host, path) = rest.split_at(end);
    let place = HostAndPort::parse(host).or_else(|| HostAndPort::parse(&format!("{host}:80")))?;
    let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
    // One request each: the next one may want to go elsewhere.
    let line = format!("{method} {path} {version}\r\nConnection: close\r\n");
    Some(ProxyRequest { place, line: Some(line) })
}

fn skip_head(reader: &mut BufReader<UnixStream>) -> io::Result<()> {
    let mut left = HEAD;
    loop {
        let mut line = String::new();
        let count = reader.take(left).read_line(&mut line)?;
        left = left.saturating_sub(count as u64);
        if count == 0 || left == 0 {
            return Err(io::ErrorKind::InvalidData.into());
        }
        if line.trim_end().is_empty() {
            return Ok(());
        }
    }
}

fn refuse(mut stream: &UnixStream, status: &str, text: &str) -> io::Result<()> {
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{text}",
        text.len()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_names_a_host_and_a_port() {
        let host = |line: &str| parse_request(line).map(|one| (one.place.to_string(), one.line));
        assert_eq!(
            host("CONNECT A.example.:443 HTTP/1.1"),
            Some(("a.example:443".to_owned(), None))
        );
        let (target, line) = host("GET http://a.example/x?y HTTP/1.1").unwrap();
        assert_eq!(target, "a.example:80");
        assert_eq!(line.unwrap(), "GET /x?y HTTP/1.1\r\nConnection: close\r\n");
        assert_eq!(host("GET http://a.example:8080?y HTTP/1.1").unwrap().0, "a.example:8080");
        assert_eq!(host("GET http://[::1]/ HTTP/1.1").unwrap().0, "[::1]:80");
        assert_eq!(host("GET http://u@a.example/ HTTP/1.1"), None);
        assert_eq!(host("GET /x HTTP/1.1"), None);
        assert_eq!(host("nonsense"), None);
    }

    /// A hostile resolver.
    fn hostile(name: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
        let addresses: &[&str] = match name {
            "public.example" => &["93.184.216.34"],
            "mixed.example" => &["10.0.0.1", "93.184.216.34", "::1"],
            "nowhere.example" => return Err(io::ErrorKind::NotFound.into()),
            "metadata.example" => &["169.254.169.254"],
            "mapped.example" => &["::ffff:127.0.0.1"],
            _ => &["127.0.0.1"],
        };
        Ok(addresses.iter().map(|a| SocketAddr::new(a.parse().unwrap(), port)).collect())
    }

    fn led_to(granted: &[&str], asked: &str) -> Result<Vec<String>, HostRefusal> {
        let granted: Vec<String> = granted.iter().map(|&host| host.to_owned()).collect();
        let place = HostAndPort::parse(asked).unwrap();
        let addresses = Granted::new(&granted, hostile).addresses(&place)?;
        Ok(addresses.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn a_name_leads_to_public_addresses_only_unless_granted_as_private() {
        let names = ["public.example:443", "mixed.example:443", "metadata.example:80"];
        assert_eq!(led_to(&names, "public.example:443"), Ok(vec!["93.184.216.34:443".into()]));
        assert_eq!(led_to(&names, "MIXED.example.:443"), Ok(vec!["93.184.216.34:443".into()]));
        for name in ["metadata.example:80", "mapped.example:80", "rebound.example:80"] {
            let refused = led_to(&[name], name);
            assert!(matches!(refused, Err(HostRefusal::Private(_))), "{name}: {refused:?}");
            let private = format!("private:{name}");
            assert_eq!(led_to(&[&private], name).map(|found| found.len()), Ok(1));
        }
        assert_eq!(led_to(&["nowhere.example:1"], "nowhere.example:1"), Err(HostRefusal::Unknown));
        assert_eq!(led_to(&names, "public.example:80"), Err(HostRefusal::NotGranted));
    }

    #[test]
    fn addresses_and_localhost_are_private_in_so_many_words() {
        let local = Ok(vec!["127.0.0.1:80".to_owned()]);
        for granted in ["127.0.0.1:80", "127.1:80", "[::ffff:127.0.0.1]:80", "2130706433:80"] {
            for asked in ["127.0.0.1:80", "0x7f.1:80", "[::ffff:7f00:1]:80", "127.0.0.1.:80"] {
                assert_eq!(led_to(&[granted], asked), local, "{granted} {asked}");
            }
            assert_eq!(led_to(&[granted], "localhost:80"), Err(HostRefusal::NotGranted));
        }
        assert_eq!(led_to(&["localhost:80"], "LocalHost.:80"), local);
        assert_eq!(led_to(&["localhost:80"], "127.0.0.1:80"), Err(HostRefusal::NotGranted));
    }

    #[test]
    fn the_list_that_would_permit_it_is_told() {
        let hosts = ["a.example:1".to_owned(), "b.example:2".to_owned()];
        let granted = Granted::new(&hosts, hostile);
        let place = HostAndPort::parse("b.example:2").unwrap();
        assert_eq!(granted.with_private(&place), "a.example:1,private:b.example:2");
    }
}
