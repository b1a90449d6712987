use std::io::{BufRead as _, BufReader, PipeReader, PipeWriter, Write as _};
use std::os::unix::net::UnixStream;
use std::process::Child;
use std::time::{Duration, Instant};

use facets_worker::TERMINATE;

use crate::tail::Tail;

/// The supervisor answers at once, or within its grace and the time for its last word; on a busy
/// machine a little later; or something is badly wrong.
const ANSWER: Duration = Duration::from_secs(8);

/// How a server ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// By itself, with a code.
    Exited(i32),
    /// By a signal.
    Killed(i32),
    /// Nobody knows: its supervisor was killed.
    Unknown,
}

/// A server that was started. Dropping it ends the server and everything below it.
#[derive(Debug)]
pub struct RunningProcess {
    worker: Child,
    control: BufReader<UnixStream>,
    stdin: Option<PipeWriter>,
    stdout: Option<PipeReader>,
    stderr: Tail,
}

impl RunningProcess {
    pub(crate) fn new(
        worker: Child,
        control: UnixStream,
        stdin: PipeWriter,
        stdout: PipeReader,
        stderr: Tail,
    ) -> Self {
        let control = BufReader::new(control);
        Self { worker, control, stdin: Some(stdin), stdout: Some(stdout), stderr }
    }

    pub(crate) fn wait_for_start(mut self) -> Result<Self, String> {
        let line = self.next_line(ANSWER).unwrap_or_default();
        match line.split_once(' ') {
            Some(("started", _)) => Ok(self),
            Some(("failed", reason)) => Err(reason.trim().to_owned()),
            _ => Err("its supervisor did not answer".to_owned()),
        }
    }

    /// The two streams of the protocol. They can be taken once.
    pub fn take_streams(&mut self) -> Option<(PipeReader, PipeWriter)> {
        Some((self.stdout.take()?, self.stdin.take()?))
    }

    /// What the server says beside the protocol.
    #[must_use]
    pub fn stderr(&self) -> &Tail {
        &self.stderr
    }

    /// How it ended, if it has ended by itself within some time.
    pub fn wait(&mut self, at_most: Duration) -> Option<Ending> {
        self.next_line(at_most).map(|line| parse_ending(&line))
    }

    /// Asks the server to end, and ends it if it does not.
    ///
    /// [`Ending::Unknown`] means that its supervisor did not tell: it was killed or stopped,
    /// and by whom if not by the server?
    pub fn stop(mut self) -> Ending {
        self.stdin = None;
        let _ = self.control.get_mut().write_all(&[TERMINATE]);
        let line = self.next_line(ANSWER).unwrap_or_default();
        parse_ending(&line)
    }

    fn next_line(&mut self, at_most: Duration) -> Option<String> {
        let at_most = at_most.max(Duration::from_millis(1));
        self.control.get_mut().set_read_timeout(Some(at_most)).ok()?;
        let mut line = String::new();
        match self.control.read_line(&mut line) {
            Ok(1..) => Some(line),
            _ => None,
        }
    }
}

fn parse_ending(line: &str) -> Ending {
    let (word, number) = line.trim().split_once(' ').unwrap_or_default();
    match (word, number.parse()) {
        ("exited", Ok(code)) => Ending::Exited(code),
        ("killed", Ok(signal)) => Ending::Killed(signal),
        _ => Ending::Unknown,
    }
}

impl Drop for RunningProcess {
    fn drop(&mut self) {
        // The supervisor ends everything when it cannot hear us any more.
        let _ = self.control.get_mut().shutdown(std::net::Shutdown::Both);
        if !self.worker_ends_by_itself() {
            // It was killed or stopped, so it has not tidied up.
            let _ = self.worker.kill();
            let _ = self.worker.wait();
            facets_worker::end_orphans(self.worker.id());
        }
    }
}

impl RunningProcess {
    /// Whether the supervisor ended in good order, within the time it may need.
    fn worker_ends_by_itself(&mut self) -> bool {
        let start = Instant::now();
        while start.elapsed() < ANSWER {
            match self.worker.try_wait() {
                Ok(None) => std::thread::sleep(Duration::from_millis(1)),
                Ok(Some(status)) => return status.code().is_some(),
                Err(_) => return false,
            }
        }
        false
    }
}
