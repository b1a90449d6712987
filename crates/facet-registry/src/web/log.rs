//! The log: one line per request and per event, written by a thread of its own.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::Duration;

use super::object_writer::ObjectWriter;
use super::route_table::RouteLabel;
use crate::config::LogFormat;
use crate::timestamp;

/// Lines that wait to be written. If standard error is blocked, lines are lost, and requests are not.
const WAITING: usize = 8192;

/// A request that was answered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RequestLine<'l> {
    pub(crate) id: &'l str,
    pub(crate) method: &'l str,
    pub(crate) label: RouteLabel,
    pub(crate) status: u16,
    pub(crate) took: Duration,
    /// Bytes of the body of the answer.
    pub(crate) bytes: u64,
    pub(crate) owner: Option<&'l str>,
    /// What failed inside.
    pub(crate) cause: Option<&'l str>,
}

/// Takes lines. Clones write to the same log.
#[derive(Clone, Debug)]
pub(crate) struct RequestLog {
    format: LogFormat,
    lines: Option<SyncSender<Vec<u8>>>,
    dropped: Arc<AtomicU64>,
}

/// Waits for the last lines when it is dropped, but not for long: standard error may be blocked.
#[derive(Debug)]
pub(crate) struct LogWriter {
    end: Option<(SyncSender<Vec<u8>>, Receiver<()>)>,
}

impl RequestLog {
    /// Starts to write to standard error.
    pub(crate) fn start(format: LogFormat) -> io::Result<(Self, LogWriter)> {
        let dropped = Arc::default();
        if format == LogFormat::Off {
            return Ok((Self { format, lines: None, dropped }, LogWriter { end: None }));
        }
        let (lines, receiver) = sync_channel(WAITING);
        let (done, is_done) = sync_channel(1);
        std::thread::Builder::new().name("log".to_owned()).spawn(move || {
            write_lines(&receiver, io::stderr());
            let _ = done.send(());
        })?;
        let end = Some((lines.clone(), is_done));
        Ok((Self { format, lines: Some(lines), dropped }, LogWriter { end }))
    }

    /// Lines that were lost.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    /// Logs a request.
    pub(crate) fn request(&self, line: &RequestLine<'_>) {
        if self.lines.is_some() {
            self.send(match self.format {
                LogFormat::Human => human_request(line),
                LogFormat::Json | LogFormat::Off => json_request(line),
            });
        }
    }

    /// Logs something that is no request.
    pub(crate) fn event(&self, level: &str, event: &str, detail: &str) {
        if self.lines.is_some() {
            let mut out = Vec::with_capacity(128);
            match self.format {
                LogFormat::Human => {
                    timestamp::write(timestamp::now(), &mut out);
                    let _ = write!(out, " {level} {event}: {}", detail.escape_debug());
                }
                LogFormat::Json | LogFormat::Off => {
                    let mut object = json_line(level, &mut out);
                    object.text("event", event);
                    object.text("detail", detail);
                    object.end();
                }
            }
            out.push(b'\n');
            self.send(out);
        }
    }

    fn send(&self, line: Vec<u8>) {
        let Some(lines) = &self.lines else { return };
        if let Err(TrySendError::Full(_)) = lines.try_send(line) {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Drop for LogWriter {
    fn drop(&mut self) {
        const PATIENCE: Duration = Duration::from_secs(1);
        if let Some((lines, is_done)) = self.end.take()
            && lines.try_send(END).is_ok()
        {
            let _ = is_done.recv_timeout(PATIENCE);
        }
    }
}

/// A line without anything is the last one: some senders may live as long as the process.
const END: Vec<u8> = Vec::new();

/// Lines that come together are written together.
fn write_lines(lines: &Receiver<Vec<u8>>, out: impl Write) {
    let mut out = io::BufWriter::with_capacity(64 << 10, out);
    let mut is_over = false;
    while !is_over && let Ok(line) = lines.recv() {
        is_over = line.is_empty();
        let mut written = out.write_all(&line);
        while !is_over && let Ok(line) = lines.try_recv() {
            is_over = line.is_empty();
            written = written.and_then(|()| out.write_all(&line));
        }
        if written.and_then(|()| out.flush()).is_err() {
            // Standard error is gone. Requests are answered all the same.
            return;
        }
    }
}

fn json_line<'o>(level: &str, out: &'o mut Vec<u8>) -> ObjectWriter<'o> {
    let mut object = ObjectWriter::begin(out);
    object.moment("time", timestamp::now());
    object.text("level", level);
    object
}

/// An answer that was cut off because something failed has the status of its beginning.
fn level_of(line: &RequestLine<'_>) -> &'static str {
    match line.status {
        500.. => "error",
        _ if line.cause.is_some() => "error",
        _ => "info",
    }
}

fn json_request(line: &RequestLine<'_>) -> Vec<u8> {
    let mut out = Vec::with_capacity(320);
    let mut object = json_line(level_of(line), &mut out);
    object.text("request_id", line.id);
    object.text("method", line.method);
    let route = object.member("route");
    let (base, template) = line.label.template();
    // Templates have nothing to escape.
    let _ = write!(route, "\"{base}{template}\"");
    object.number("status", u64::from(line.status));
    let microseconds = line.took.as_micros();
    let _ = write!(object.member("ms"), "{}.{:03}", microseconds / 1000, microseconds % 1000);
    object.number("bytes", line.bytes);
    object.optional_text("owner", line.owner);
    object.optional_text("cause", line.cause);
    object.end();
    out.push(b'\n');
    out
}

fn human_request(line: &RequestLine<'_>) -> Vec<u8> {
    let mut out = Vec::with_capacity(160);
    timestamp::write(timestamp::now(), &mut out);
    let (base, template) = line.label.template();
    let milliseconds = line.took.as_millis();
    let _ = write!(
        out,
        " {} {} {base}{template} {milliseconds} ms {} bytes {}",
        line.status, line.method, line.bytes, line.id
    );
    if let Some(owner) = line.owner {
        let _ = write!(out, " {owner}");
    }
    if let Some(cause) = line.cause {
        let _ = write!(out, ": {}", cause.escape_debug());
    }
    out.push(b'\n');
    out
}

#[cfg(test)]
mod tests {
    use facets_registry::ArtifactKind;
    use serde_json::Value;

    use super::super::route_table::Endpoint;
    use super::*;

    fn line() -> RequestLine<'static> {
        RequestLine {
            id: "r-1",
            method: "GET",
            label: RouteLabel::new(Endpoint::Version, Some(ArtifactKind::Facet)),
            status: 200,
            took: Duration::from_micros(1234),
            bytes: 7,
            owner: None,
            cause: None,
        }
    }

    #[test]
    fn a_request_is_one_line_of_json() {
        let cause = Some("it\nsaid \"no\"");
        let failed = RequestLine { status: 503, owner: Some("acme"), cause, ..line() };
        let text = String::from_utf8(json_request(&failed)).unwrap();
        assert_eq!(text.matches('\n').count(), 1);
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["route"], "/v0/facets/{name}/{version}");
        assert_eq!((&value["level"], &value["owner"]), (&"error".into(), &"acme".into()));
        assert_eq!(value["ms"].as_f64(), Some(1.234));
        assert_eq!(value["cause"], "it\nsaid \"no\"");
        let cut_off = RequestLine { cause: Some("blob is damaged"), ..line() };
        let value: Value = serde_json::from_slice(&json_request(&cut_off)).unwrap();
        assert_eq!((&value["status"], &value["level"]), (&200.into(), &"error".into()));
        let value: Value = serde_json::from_slice(&json_request(&line())).unwrap();
        assert!(value.get("owner").is_none() && value["level"] == "info");
    }

    #[test]
    fn people_get_one_line_too() {
        let failed = RequestLine { cause: Some("a\nb"), ..line() };
        let text = String::from_utf8(human_request(&failed)).unwrap();
        assert!(
            text.ends_with(" 200 GET /v0/facets/{name}/{version} 1 ms 7 bytes r-1: a\\nb\n"),
            "{text}"
        );
    }

    #[test]
    fn lines_are_written_in_order() {
        let (sender, receiver) = sync_channel(4);
        sender.send(b"one\n".to_vec()).unwrap();
        sender.send(b"two\n".to_vec()).unwrap();
        sender.send(END).unwrap();
        sender.send(b"three\n".to_vec()).unwrap();
        let mut out = Vec::new();
        write_lines(&receiver, &mut out);
        assert_eq!(out, b"one\ntwo\n");
    }
}
