//! A client that measures how long answers take.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use super::measure::high_water_mib;
use crate::Outcome;

/// A process that is asked and answers.
pub(super) struct Talker {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    line: Vec<u8>,
    id: u64,
}

impl Talker {
    pub(super) fn start(command: &mut Command) -> Outcome<Self> {
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = spawned.spawn().map_err(|error| format!("{command:?}: {error}"))?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (input, output) = pipes.ok_or("no pipes")?;
        let output = BufReader::with_capacity(256 << 10, output);
        let mut talker = Self { child, input, output, line: Vec::new(), id: 0 };
        let params = "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\
                      \"clientInfo\":{\"name\":\"bench\",\"version\":\"1\"}}";
        talker.ask("initialize", params)?;
        talker.say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n")?;
        Ok(talker)
    }

    fn say(&mut self, text: &str) -> Outcome {
        self.input.write_all(text.as_bytes()).map_err(|error| error.to_string())
    }

    fn hear(&mut self) -> Outcome {
        self.line.clear();
        match self.output.read_until(b'\n', &mut self.line) {
            Ok(1..) => Ok(()),
            _ => Err("the session ended".to_owned()),
        }
    }

    fn request(&mut self, method: &str, params: &str) -> String {
        self.id += 1;
        let id = self.id;
        format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{params}}}\n")
    }

    pub(super) fn ask(&mut self, method: &str, params: &str) -> Outcome<Duration> {
        let line = self.request(method, params);
        let start = Instant::now();
        self.say(&line)?;
        self.hear()?;
        Ok(start.elapsed())
    }

    pub(super) fn small(&mut self) -> Outcome<Duration> {
        self.echo(100)
    }

    pub(super) fn echo(&mut self, length: usize) -> Outcome<Duration> {
        let text = "x".repeat(length);
        self.ask(
            "tools/call",
            &format!("{{\"name\":\"echo\",\"arguments\":{{\"text\":\"{text}\"}}}}"),
        )
    }

    pub(super) fn large(&mut self, size: usize) -> Outcome<Duration> {
        self.ask("tools/call", &format!("{{\"name\":\"echo\",\"arguments\":{{\"size\":{size}}}}}"))
    }

    /// Many calls at once; the time until all are answered.
    pub(super) fn many(&mut self, count: usize) -> Outcome<Duration> {
        let call = "{\"name\":\"echo\",\"arguments\":{\"text\":\"x\"}}";
        let lines: String = (0..count).map(|_| self.request("tools/call", call)).collect();
        let mut input = self.input.try_clone_writer()?;
        let start = Instant::now();
        let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()));
        for _ in 0..count {
            self.hear()?;
        }
        let elapsed = start.elapsed();
        writer.join().ok();
        Ok(elapsed)
    }

    pub(super) fn peak_mib(&self) -> f64 {
        high_water_mib(self.child.id())
    }
}

impl Drop for Talker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Another handle on the same pipe, for a thread that writes.
trait TryCloneWriter {
    fn try_clone_writer(&self) -> Outcome<std::fs::File>;
}

impl TryCloneWriter for ChildStdin {
    fn try_clone_writer(&self) -> Outcome<std::fs::File> {
        use std::os::fd::AsFd as _;
        let owned = self.as_fd().try_clone_to_owned().map_err(|error| error.to_string())?;
        Ok(owned.into())
    }
}
