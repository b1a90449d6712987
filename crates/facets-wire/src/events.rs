use crate::too_long::TooLong;

/// One server-sent event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerSentEvent {
    /// The `data` lines, joined by line feeds.
    pub data: Vec<u8>,
    /// The `event` field; empty means `message`.
    pub kind: String,
}

/// Cuts a `text/event-stream` into events.
#[derive(Debug)]
pub struct EventParser {
    pending: Vec<u8>,
    event: ServerSentEvent,
    has_data: bool,
    after_return: bool,
    first: bool,
    limit: usize,
}

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

impl EventParser {
    /// An event of more than `limit` bytes is refused.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self {
            pending: Vec::new(),
            event: ServerSentEvent::default(),
            has_data: false,
            after_return: false,
            first: true,
            limit,
        }
    }

    /// Takes the next bytes, and gives back the events that they complete.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<ServerSentEvent>, TooLong> {
        let mut events = Vec::new();
        for &byte in bytes {
            // A line ends with `\n`, `\r`, or both.
            let second_half = std::mem::replace(&mut self.after_return, byte == b'\r');
            match byte {
                b'\n' if second_half => continue,
                b'\n' | b'\r' => {}
                _ => {
                    self.pending.push(byte);
                    self.check()?;
                    continue;
                }
            }
            let line = std::mem::take(&mut self.pending);
            let first = std::mem::take(&mut self.first);
            let line = line.strip_prefix(BYTE_ORDER_MARK).filter(|_| first).unwrap_or(&line);
            events.extend(self.take_line(line));
            self.check()?;
        }
        Ok(events)
    }

    fn check(&self) -> Result<(), TooLong> {
        if self.pending.len() + self.event.data.len() > self.limit {
            return Err(TooLong { limit: self.limit });
        }
        Ok(())
    }

    fn take_line(&mut self, line: &[u8]) -> Option<ServerSentEvent> {
        if line.is_empty() {
            let complete = std::mem::take(&mut self.event);
            return std::mem::take(&mut self.has_data).then_some(complete);
        }
        let colon = line.iter().position(|&byte| byte == b':').unwrap_or(line.len());
        let value = line.get(colon + 1..).unwrap_or_default();
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match &line[..colon] {
            b"data" => {
                if self.has_data {
                    self.event.data.push(b'\n');
                }
                self.has_data = true;
                self.event.data.extend_from_slice(value);
            }
            b"event" => self.event.kind = String::from_utf8_lossy(value).into_owned(),
            // Comments, ids and retry times mean nothing to a capture.
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(text: &str) -> ServerSentEvent {
        ServerSentEvent { data: text.as_bytes().to_vec(), kind: String::new() }
    }

    #[test]
    fn joins_data_and_skips_the_rest() {
        let mut parser = EventParser::new(100);
        let stream = b": hello\r\nid: 1\ndata: {\"a\":\ndata:1}\r\n\r\nretry: 5\n\ndata\n\nevent: ping\ndata: x\n\ndata: cut";
        let events = parser.push(stream).unwrap();
        let ping = ServerSentEvent { kind: "ping".to_owned(), ..data("x") };
        assert_eq!(events, [data("{\"a\":\n1}"), data(""), ping]);
    }

    #[test]
    fn takes_every_line_end_and_a_byte_order_mark() {
        let events = EventParser::new(100)
            .push(b"\xEF\xBB\xBFdata: a\r\rdata: b\r\n\r\ndata: c\n\n")
            .unwrap();
        assert_eq!(events, [data("a"), data("b"), data("c")]);
    }

    #[test]
    fn stops_at_the_limit() {
        assert!(EventParser::new(8).push(b"data: 123456789").is_err());
        assert!(EventParser::new(8).push(b"data:123\ndata:456\ndata:789\n").is_err());
    }
}
