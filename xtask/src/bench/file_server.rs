//! Files of any size over HTTP on loopback, from memory: the same server for facet and for its baseline.

use std::io::{self, BufRead, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crate::Outcome;

/// What is written at once, again and again.
const BLOCK: usize = 1 << 20;

/// A server with a thread for each connection, until the process ends.
pub(super) struct FileServer {
    address: SocketAddr,
}

impl FileServer {
    /// Waits `latency` before each answer, as a server far away would.
    pub(super) fn start(latency: Duration) -> Outcome<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").map_err(|error| error.to_string())?;
        let address = listener.local_addr().map_err(|error| error.to_string())?;
        let block: Arc<[u8]> = super::noise(BLOCK).into();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let block = Arc::clone(&block);
                thread::spawn(move || serve(stream, &block, latency));
            }
        });
        Ok(Self { address })
    }

    /// Where it is, as the base of a server like GitHub.
    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// A file of so many bytes, where a release has it.
    pub(super) fn file_url(&self, size: u64) -> String {
        format!("{}/bench/files/releases/download/{size}/0", self.url())
    }
}

/// Answers every request of a connection. An error is the end of it, which the client reports.
fn serve(mut stream: TcpStream, block: &[u8], latency: Duration) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut requests = BufReader::new(stream.try_clone()?);
    while let Some(size) = read_request(&mut requests)? {
        thread::sleep(latency);
        let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {size}\r\n\r\n");
        stream.write_all(head.as_bytes())?;
        let mut left = size;
        while left > 0 {
            let count = left.min(block.len() as u64);
            stream.write_all(&block[..usize::try_from(count).unwrap_or(block.len())])?;
            left -= count;
        }
    }
    Ok(())
}

/// How many bytes the next request is about; nothing at the end, or for any other address.
fn read_request(requests: &mut impl BufRead) -> io::Result<Option<u64>> {
    let (mut request, mut header) = (String::new(), String::new());
    requests.read_line(&mut request)?;
    while requests.read_line(&mut header)? > 0 && !header.trim_end().is_empty() {
        header.clear();
    }
    Ok(wanted_size(&request))
}

/// The size in `GET /bench/files/releases/download/SIZE/NAME HTTP/1.1`.
fn wanted_size(request: &str) -> Option<u64> {
    let path = request.split(' ').nth(1)?;
    path.rsplit('/').nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_says_how_long_a_file_is() {
        let request = "GET /bench/files/releases/download/100/0 HTTP/1.1\r\n";
        assert_eq!(wanted_size(request), Some(100));
        for other in ["", "GET / HTTP/1.1\r\n", "GET /a/b HTTP/1.1\r\n"] {
            assert_eq!(wanted_size(other), None, "{other}");
        }
    }

    #[test]
    fn requests_of_a_connection_come_one_after_the_other() {
        let text = "GET /1/a HTTP/1.1\r\nHost: x\r\n\r\nGET /2/b HTTP/1.1\r\n\r\n";
        let mut requests = text.as_bytes();
        let sizes: Vec<_> = (0..3).map(|_| read_request(&mut requests).unwrap()).collect();
        assert_eq!(sizes, [Some(1), Some(2), None]);
    }
}
