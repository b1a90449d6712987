//! Remote servers in a few lines.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

/// What a request was: its method, its body, and its headers in lower case.
pub(crate) struct Asked {
    pub(crate) method: String,
    pub(crate) body: String,
    pub(crate) headers: String,
}

fn read_request(stream: &TcpStream) -> Option<Asked> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let method = line.split(' ').next()?.to_owned();
    let mut headers = String::new();
    loop {
        line.clear();
        reader.read_line(&mut line).ok()?;
        if line.trim().is_empty() {
            break;
        }
        headers.push_str(&line.to_ascii_lowercase());
    }
    let length = headers.lines().find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.and_then(|length| length.trim().parse().ok()).unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    Some(Asked { method, body: String::from_utf8_lossy(&body).into_owned(), headers })
}

/// Answers every request with what `answer` writes; one connection a request.
pub(crate) fn serve(answer: impl Fn(&Asked, &mut TcpStream) + Send + Sync + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let answer = std::sync::Arc::new(answer);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let answer = answer.clone();
            std::thread::spawn(move || {
                let mut stream = stream;
                if let Some(asked) = read_request(&stream) {
                    answer(&asked, &mut stream);
                }
            });
        }
    });
    port
}

pub(crate) fn respond(stream: &mut TcpStream, head: &str, body: &str) {
    let length = body.len();
    let _ = write!(
        stream,
        "HTTP/1.1 {head}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    );
}

/// An honest server of the older era, in JSON.
pub(crate) fn honest(asked: &Asked, stream: &mut TcpStream) {
    let id = asked.body.split("\"id\":").nth(1).and_then(|rest| rest.split(',').next());
    let json = "200 OK\r\nContent-Type: application/json\r\nMcp-Session-Id: s-1";
    match id {
        None => respond(stream, "202 Accepted", ""),
        Some(id) if asked.body.contains("\"initialize\"") => respond(
            stream,
            json,
            &format!(
                r#"{{"jsonrpc":"2.0","id":{id},"result":{{"protocolVersion":"2025-11-25","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"r","version":"1"}}}}}}"#
            ),
        ),
        Some(id) if asked.body.contains("\"tools/list\"") => {
            respond(
                stream,
                json,
                &format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"tools":[{{"name":"a"}}]}}}}"#),
            );
        }
        Some(_) => respond(
            stream,
            "400 Bad Request\r\nContent-Type: text/plain",
            "No valid session ID provided",
        ),
    }
}
