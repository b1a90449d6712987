//! The only way out for a server that may reach some hosts: an HTTP proxy that knows which.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpStream, ToSocketAddrs as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::thread;
use std::time::Duration;

use crate::forward::copy;

/// The head of a request has at most this.
const HEAD: u64 = 64 << 10;
const PAUSE: Duration = Duration::from_millis(50);
const CONNECT: Duration = Duration::from_secs(30);

/// Listens, and lets through to these hosts, each with its port.
pub(crate) fn start(socket: &Path, hosts: &[String]) -> io::Result<()> {
    let listener = UnixListener::bind(socket)?;
    let hosts: Vec<String> = hosts.iter().map(|host| host.to_ascii_lowercase()).collect();
    thread::Builder::new().spawn(move || {
        for stream in listener.incoming() {
            let Ok(stream) = stream else {
                thread::sleep(PAUSE);
                continue;
            };
            let hosts = hosts.clone();
            let _ = thread::Builder::new().spawn(move || {
                // A connection that fails is closed, and the server sees that.
                let _ = serve(&stream, &hosts);
            });
        }
    })?;
    Ok(())
}

/// Where a request wants to go, and what has to be said there first.
struct ProxyRequest {
    host: String,
    /// The first line for the other side; none for a tunnel.
    line: Option<String>,
}

fn serve(mut stream: &UnixStream, hosts: &[String]) -> io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut head = String::new();
    (&mut reader).take(HEAD).read_line(&mut head)?;
    let Some(request) = parse_request(head.trim_end()) else {
        return refuse(stream, "400 Bad Request", "no request to a proxy");
    };
    if !hosts.contains(&request.host) {
        let text = format!("{} is not granted to this server by facet", request.host);
        return refuse(stream, "403 Forbidden", &text);
    }
    let Some(other) = connect(&request.host) else {
        return refuse(stream, "502 Bad Gateway", &format!("{} cannot be reached", request.host));
    };
    if let Some(line) = request.line {
        (&other).write_all(line.as_bytes())?;
    } else {
        skip_head(&mut reader)?;
        stream.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")?;
    }
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
        return Some(ProxyRequest { host: target.to_ascii_lowercase(), line: None });
    }
    let rest = target.strip_prefix("http://")?;
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (host, path) = rest.split_at(end);
    let host = host.to_ascii_lowercase();
    let host = if has_port(&host) { host } else { format!("{host}:80") };
    let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
    // One request each: the next one may want to go elsewhere.
    let line = format!("{method} {path} {version}\r\nConnection: close\r\n");
    Some(ProxyRequest { host, line: Some(line) })
}

fn has_port(host: &str) -> bool {
    host.rsplit_once(':')
        .is_some_and(|(_, port)| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()))
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

fn connect(host: &str) -> Option<TcpStream> {
    let addresses = host.to_socket_addrs().ok()?;
    addresses.into_iter().find_map(|address| TcpStream::connect_timeout(&address, CONNECT).ok())
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
    use super::parse_request;

    #[test]
    fn a_request_names_a_host_and_a_port() {
        let host = |line: &str| parse_request(line).map(|request| (request.host, request.line));
        assert_eq!(
            host("CONNECT A.example:443 HTTP/1.1"),
            Some(("a.example:443".to_owned(), None))
        );
        let (target, line) = host("GET http://a.example/x?y HTTP/1.1").unwrap();
        assert_eq!(target, "a.example:80");
        assert_eq!(line.unwrap(), "GET /x?y HTTP/1.1\r\nConnection: close\r\n");
        assert_eq!(host("GET http://a.example:8080?y HTTP/1.1").unwrap().0, "a.example:8080");
        assert_eq!(host("GET /x HTTP/1.1"), None);
        assert_eq!(host("nonsense"), None);
    }
}
