use std::io::{Read, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::time::Instant;

use facets_wire::{Line, LineFramer};

use crate::{CaptureLimits, Transport, TransportError};

/// Answers that may wait for a server that does not read.
const OUTGOING: usize = 256;
/// Messages that may wait for us; more, and the server waits.
const INCOMING: usize = 4;
/// What is kept of lines that are no messages.
const NOISE_LINES: usize = 20;
const NOISE_WIDTH: usize = 200;

/// One message a line, over a pair of streams.
///
/// A thread each way: a server that does not read cannot hold us, and one that sends
/// without end waits until we have read.
pub struct StdioTransport {
    outgoing: SyncSender<String>,
    incoming: Receiver<Result<Line, TransportError>>,
    noise: Vec<String>,
}

impl StdioTransport {
    /// Takes over the two streams of a server.
    pub fn new(
        output: impl Read + Send + 'static,
        input: impl Write + Send + 'static,
        limits: CaptureLimits,
    ) -> Self {
        let (outgoing, to_write) = sync_channel(OUTGOING);
        let (read, incoming) = sync_channel(INCOMING);
        std::thread::spawn(move || write_all(input, &to_write));
        std::thread::spawn(move || read_all(output, &read, limits));
        Self { outgoing, incoming, noise: Vec::new() }
    }
}

fn write_all(mut input: impl Write, messages: &Receiver<String>) {
    for message in messages {
        let line = message + "\n";
        if input.write_all(line.as_bytes()).and_then(|()| input.flush()).is_err() {
            return;
        }
    }
}

fn read_all(
    mut output: impl Read,
    lines: &SyncSender<Result<Line, TransportError>>,
    limits: CaptureLimits,
) {
    let mut framer = LineFramer::new(limits.message);
    let mut buffer = vec![0; 64 << 10];
    let mut total = 0;
    let mut send = |line| lines.send(line).is_ok();
    while let Ok(count @ 1..) = output.read(&mut buffer) {
        total += count;
        if total > limits.bytes {
            send(Err(TransportError::TooMuch { limit: limits.bytes }));
            return;
        }
        match framer.push(&buffer[..count]) {
            Ok(complete) => {
                if !complete.into_iter().map(Ok).all(&mut send) {
                    return;
                }
            }
            Err(error) => {
                send(Err(TransportError::MessageTooLarge { limit: error.limit }));
                return;
            }
        }
    }
    // A message without its line end, when nothing can follow, is a message that was cut.
    send(Err(TransportError::Closed));
}

impl Transport for StdioTransport {
    fn send(
        &mut self,
        message: &str,
        _method: Option<&str>,
        _deadline: Instant,
    ) -> Result<(), TransportError> {
        match self.outgoing.try_send(message.to_owned()) {
            // A server that closed its input may still have said why on its output.
            Ok(()) | Err(TrySendError::Disconnected(_)) => Ok(()),
            Err(TrySendError::Full(_)) => Err(TransportError::NotReading),
        }
    }

    fn receive(&mut self, deadline: Instant) -> Result<Vec<u8>, TransportError> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.incoming.recv_timeout(left) {
                Ok(Ok(Line::Message(bytes))) => return Ok(bytes),
                Ok(Ok(Line::Noise(bytes))) => self.keep_noise(&bytes),
                Ok(Err(error)) => return Err(error),
                Err(RecvTimeoutError::Timeout) => return Err(TransportError::Timeout),
                Err(RecvTimeoutError::Disconnected) => return Err(TransportError::Closed),
            }
        }
    }

    fn agreed(&mut self, _revision: &str) {}

    fn noise(&self) -> &[String] {
        &self.noise
    }
}

impl StdioTransport {
    fn keep_noise(&mut self, bytes: &[u8]) {
        if self.noise.len() < NOISE_LINES {
            let text = String::from_utf8_lossy(&bytes[..bytes.len().min(NOISE_WIDTH)]);
            self.noise.push(text.into_owned());
        }
    }
}
