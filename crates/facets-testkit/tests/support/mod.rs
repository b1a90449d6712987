//! A folder that goes away, and HTTP by hand.

#![allow(dead_code, unreachable_pub, reason = "each test file uses a part of this")]

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use serde_json::Value;

/// A folder with everything in it.
pub struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    pub fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("facets-testkit-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// An answer as it came.
#[derive(Debug)]
pub struct Received {
    pub status: u16,
    /// Names in lower case.
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
}

impl Received {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    /// The address after `href="`, up to the hash, and the hash.
    pub fn first_link(&self) -> (String, String) {
        let text = self.text();
        let link = text.split("href=\"").nth(1).unwrap().split('"').next().unwrap();
        let (address, hash) = link.split_once("#sha256=").unwrap();
        (address.to_owned(), hash.to_owned())
    }
}

/// Asks for an address of this machine.
pub fn request(method: &str, url: &str, headers: &str) -> Received {
    let mut stream = send(method, url, headers);
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let pairs = head.lines().skip(1).filter_map(|line| line.split_once(": "));
    Received {
        status: head[9..12].parse().unwrap(),
        headers: pairs.map(|(name, value)| (name.to_lowercase(), value.to_owned())).collect(),
        body: bytes[end + 4..].to_vec(),
    }
}

/// Asks, and leaves the answer to be read.
pub fn send(method: &str, url: &str, headers: &str) -> TcpStream {
    let (address, path) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    write!(stream, "{method} /{path} HTTP/1.1\r\nHost: {address}\r\n{headers}\r\n").unwrap();
    stream
}

pub fn get(url: &str) -> Received {
    request("GET", url, "")
}
