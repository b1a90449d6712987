//! A client that counts requests per second: keep-alive connections, one request at a time on each.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::Outcome;

/// Threads of a client; its connections are shared out between them.
const THREADS: usize = 2;
/// Connections while requests are counted.
const CONNECTIONS: usize = 16;
/// Longer than any answer takes.
const PATIENCE: Duration = Duration::from_mins(2);
/// More than an answer has, head included; a longer one makes it grow.
const BUFFER: usize = 128 << 10;

/// What is sent, again and again or once each, and how all of it is answered.
pub(super) struct Load<'l> {
    pub(super) address: SocketAddr,
    pub(super) requests: &'l [Vec<u8>],
    pub(super) status: u16,
}

/// The bytes of a request.
pub(super) fn request(method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    [head(method, path, headers, body.len() as u64).as_bytes(), body].concat()
}

/// The head of a request whose body has `length` bytes.
pub(super) fn head(method: &str, path: &str, headers: &[(&str, &str)], length: u64) -> String {
    let mut head = format!("{method} {path} HTTP/1.1\r\nHost: registry\r\n");
    for (name, value) in headers {
        let _ = write!(head, "{name}: {value}\r\n");
    }
    if method != "GET" {
        let _ = write!(head, "Content-Length: {length}\r\n");
    }
    head.push_str("\r\n");
    head
}

impl Load<'_> {
    /// Requests per second while they are sent again and again for so long, after a while that does not count.
    pub(super) fn rate(&self, time: Duration) -> Outcome<f64> {
        let begin = Instant::now() + time / 6;
        let counts = on_threads(|first| self.count_answers(first, begin, begin + time))?;
        Ok(f64::from(counts.iter().sum::<u32>()) / time.as_secs_f64())
    }

    /// Answers that a thread gets between two moments. Another request waits on each connection.
    fn count_answers(&self, thread: usize, begin: Instant, end: Instant) -> Outcome<u32> {
        let start = thread * self.requests.len() / THREADS;
        let mut requests = self.requests.iter().cycle().skip(start);
        let mut next = || requests.next().ok_or("there is no request to send");
        let mut connections = connect(self.address, CONNECTIONS / THREADS)?;
        for connection in &mut connections {
            connection.send(next()?)?;
        }
        let mut count = 0;
        loop {
            for connection in &mut connections {
                connection.require(self.status)?;
                let now = Instant::now();
                if now >= end {
                    return Ok(count);
                }
                count += u32::from(now >= begin);
                connection.send(next()?)?;
            }
        }
    }

    /// Requests per second while each is sent once over so many connections.
    pub(super) fn rate_of_each(&self, connections: usize) -> Outcome<f64> {
        let begin = Instant::now();
        on_threads(|first| self.send_each(first, connections / THREADS))?;
        let count = u32::try_from(self.requests.len()).map_err(|error| error.to_string())?;
        Ok(f64::from(count) / begin.elapsed().as_secs_f64())
    }

    fn send_each(&self, thread: usize, connections: usize) -> Outcome {
        let mut requests = self.requests.iter().skip(thread).step_by(THREADS);
        let mut waiting = VecDeque::new();
        for (mut connection, request) in
            connect(self.address, connections)?.into_iter().zip(&mut requests)
        {
            connection.send(request)?;
            waiting.push_back(connection);
        }
        while let Some(mut connection) = waiting.pop_front() {
            connection.require(self.status)?;
            if let Some(request) = requests.next() {
                connection.send(request)?;
                waiting.push_back(connection);
            }
        }
        Ok(())
    }
}

/// Does something on each thread of a client, which is told its number.
fn on_threads<T: Send>(work: impl Fn(usize) -> Outcome<T> + Sync) -> Outcome<Vec<T>> {
    let work = &work;
    thread::scope(|scope| {
        let start = |number| scope.spawn(move || work(number));
        let threads: Vec<_> = (0..THREADS).map(start).collect();
        let ended = threads.into_iter().map(thread::ScopedJoinHandle::join);
        ended.map(|ended| ended.unwrap_or_else(|_| Err("the client panicked".to_owned()))).collect()
    })
}

fn connect(address: SocketAddr, count: usize) -> Outcome<Vec<Connection>> {
    (0..count).map(|_| Connection::open(address)).collect()
}

/// A connection to a server. Every answer has to say how long it is.
pub(super) struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
    filled: usize,
}

/// An answer.
pub(super) struct Reply<'r> {
    pub(super) status: u16,
    head: &'r str,
    pub(super) body: &'r [u8],
}

impl Reply<'_> {
    pub(super) fn header(&self, name: &str) -> Outcome<&str> {
        header(self.head, name).ok_or_else(|| format!("an answer without {name}: {}", self.head))
    }
}

impl Connection {
    pub(super) fn open(address: SocketAddr) -> Outcome<Self> {
        let open = || {
            let stream = TcpStream::connect(address)?;
            stream.set_nodelay(true)?;
            stream.set_read_timeout(Some(PATIENCE))?;
            stream.set_write_timeout(Some(PATIENCE))?;
            Ok::<_, io::Error>(stream)
        };
        let stream = open().map_err(|error| format!("no connection: {error}"))?;
        Ok(Self { stream, buffer: vec![0; BUFFER], filled: 0 })
    }

    pub(super) fn send(&mut self, request: &[u8]) -> Outcome {
        self.stream.write_all(request).map_err(|error| format!("cannot send a request: {error}"))
    }

    /// Sends a head, and a file behind it.
    pub(super) fn send_file(&mut self, head: &str, path: &Path) -> Outcome {
        self.send(head.as_bytes())?;
        let sent = File::open(path).and_then(|mut file| io::copy(&mut file, &mut self.stream));
        sent.map(drop).map_err(|error| format!("cannot send {}: {error}", path.display()))
    }

    /// Sends a request, and waits for an answer with this status.
    pub(super) fn ask(&mut self, request: &[u8], status: u16) -> Outcome<Reply<'_>> {
        self.send(request)?;
        self.require(status)
    }

    fn require(&mut self, status: u16) -> Outcome<Reply<'_>> {
        let reply = self.receive()?;
        if reply.status == status {
            return Ok(reply);
        }
        let body = String::from_utf8_lossy(reply.body);
        Err(format!("answered {} and not {status}: {body}", reply.status))
    }

    /// Waits for an answer.
    pub(super) fn receive(&mut self) -> Outcome<Reply<'_>> {
        self.filled = 0;
        let head = loop {
            if let Some(end) = head_end(&self.buffer[..self.filled]) {
                break end;
            }
            self.read_more()?;
        };
        let (status, length) =
            parse_head(&self.buffer[..head]).ok_or("an answer has no status or no length")?;
        let end = head + length;
        while self.filled < end {
            self.read_more()?;
        }
        let text = std::str::from_utf8(&self.buffer[..head]).unwrap_or_default();
        Ok(Reply { status, head: text, body: &self.buffer[head..end] })
    }

    fn read_more(&mut self) -> Outcome {
        if self.filled == self.buffer.len() {
            self.buffer.resize(self.filled * 2, 0);
        }
        match self.stream.read(&mut self.buffer[self.filled..]) {
            Ok(0) => Err("the server closed a connection".to_owned()),
            Ok(count) => {
                self.filled += count;
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(()),
            Err(error) => Err(format!("cannot read an answer: {error}")),
        }
    }
}

/// Where the body of an answer begins, once its head is there.
fn head_end(bytes: &[u8]) -> Option<usize> {
    bytes.windows(4).position(|four| four == b"\r\n\r\n").map(|at| at + 4)
}

/// The status of an answer, and the length of its body.
fn parse_head(head: &[u8]) -> Option<(u16, usize)> {
    let head = std::str::from_utf8(head).ok()?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    Some((status, header(head, "content-length")?.parse().ok()?))
}

fn header<'h>(head: &'h str, name: &str) -> Option<&'h str> {
    let mut lines = head.split("\r\n").filter_map(|line| line.split_once(':'));
    lines.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead as _, BufReader};
    use std::net::TcpListener;

    use super::*;

    /// Answers every request with its path.
    fn echo() -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                thread::spawn(move || {
                    let requests = BufReader::new(stream.try_clone().unwrap());
                    for line in requests.lines().map_while(Result::ok) {
                        let Some(path) = line.strip_prefix("GET ") else { continue };
                        let body = path.trim_end_matches(" HTTP/1.1");
                        let (length, ok) = (body.len(), "HTTP/1.1 200 OK\r\nX-A: b\r\n");
                        // The head and the body may come one after the other.
                        write!(stream, "{ok}content-length: {length}\r\n\r\n").unwrap();
                        stream.write_all(body.as_bytes()).unwrap();
                    }
                });
            }
        });
        address
    }

    #[test]
    fn answers_of_a_connection_are_told_apart() {
        let mut connection = Connection::open(echo()).unwrap();
        let long = format!("/{}", "x".repeat(BUFFER));
        for path in ["/a", &long, "/b"] {
            let reply = connection.ask(&request("GET", path, &[("A", "b")], b""), 200).unwrap();
            assert_eq!(reply.body, path.as_bytes());
            assert_eq!(reply.header("x-a"), Ok("b"));
        }
        let other = connection.ask(&request("GET", "/c", &[], b""), 404).map(|reply| reply.status);
        assert_eq!(other, Err("answered 200 and not 404: /c".to_owned()));
    }

    #[test]
    fn requests_are_counted_and_each_is_sent() {
        let requests: Vec<_> =
            (0..5).map(|number| request("GET", &format!("/{number}"), &[], b"")).collect();
        let load = Load { address: echo(), requests: &requests, status: 200 };
        assert!(load.rate(Duration::from_millis(300)).unwrap() > 0.0);
        assert!(load.rate_of_each(8).unwrap() > 0.0);
        let refused = Load { status: 404, ..load };
        assert!(refused.rate_of_each(8).is_err());
    }

    #[test]
    fn only_requests_that_send_something_say_how_much() {
        let sent = request("PUT", "/x", &[("A", "b")], b"body");
        let expected = "PUT /x HTTP/1.1\r\nHost: registry\r\nA: b\r\nContent-Length: 4\r\n\r\nbody";
        assert_eq!(String::from_utf8(sent).unwrap(), expected);
        assert!(!head("GET", "/x", &[], 0).contains("Content-Length"));
    }
}
