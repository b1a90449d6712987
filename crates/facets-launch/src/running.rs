use std::io::{BufRead as _, BufReader, ErrorKind, PipeReader, PipeWriter, Write as _};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::Child;
use std::time::Duration;

use facets_worker::TERMINATE;

use crate::reaper;
use crate::tail::Tail;
use crate::watcher::Watcher;

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
    /// It is not known how: it did not say so in time.
    Unknown,
    /// Its supervisor was killed or stopped; everything that it had started was ended.
    SupervisorLost,
}

/// What came from the supervisor.
enum Word {
    Line(String),
    /// Nothing yet.
    Late,
    /// Nothing, and nothing will: it is gone.
    Gone,
}

/// A server that was started. Dropping it ends the server and everything below it.
#[derive(Debug)]
pub struct RunningProcess {
    worker: Child,
    watcher: Watcher,
    control: BufReader<UnixStream>,
    stdin: Option<PipeWriter>,
    stdout: Option<PipeReader>,
    stderr: Tail,
    /// The folder of its scratch directory; none for where temporary files lie.
    scratch: Option<PathBuf>,
}

impl RunningProcess {
    pub(crate) fn new(
        (worker, watcher): (Child, Watcher),
        control: UnixStream,
        stdin: PipeWriter,
        stdout: PipeReader,
        stderr: Tail,
    ) -> Self {
        let control = BufReader::new(control);
        let (stdin, stdout) = (Some(stdin), Some(stdout));
        Self { worker, watcher, control, stdin, stdout, stderr, scratch: None }
    }

    /// The same, whose scratch directory lies in this folder.
    pub(crate) fn with_scratch_in(mut self, folder: Option<PathBuf>) -> Self {
        self.scratch = folder;
        self
    }

    pub(crate) fn wait_for_start(mut self) -> Result<Self, String> {
        let Word::Line(line) = self.next_word(ANSWER) else {
            return Err("the supervisor did not answer".to_owned());
        };
        match line.split_once(' ') {
            Some(("started", _)) => Ok(self),
            Some(("failed", reason)) => Err(reason.trim().to_owned()),
            _ => Err("the supervisor did not answer".to_owned()),
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
        match self.next_word(at_most) {
            Word::Line(line) => Some(parse_ending(&line)),
            Word::Late => None,
            Word::Gone => Some(self.supervisor_gone()),
        }
    }

    /// Asks the server to end, and ends it if it does not.
    pub fn stop(mut self) -> Ending {
        self.stdin = None;
        let _ = self.control.get_mut().write_all(&[TERMINATE]);
        match self.next_word(ANSWER) {
            Word::Line(line) => parse_ending(&line),
            Word::Late => Ending::Unknown,
            Word::Gone => self.supervisor_gone(),
        }
    }

    /// Without a last word: comes back when everything that the supervisor had started is ended.
    fn supervisor_gone(&mut self) -> Ending {
        self.watcher.is_done(ANSWER);
        Ending::SupervisorLost
    }

    fn next_word(&mut self, at_most: Duration) -> Word {
        let at_most = at_most.max(Duration::from_millis(1));
        if self.control.get_mut().set_read_timeout(Some(at_most)).is_err() {
            return Word::Gone;
        }
        let mut line = String::new();
        match self.control.read_line(&mut line) {
            Ok(0) => Word::Gone,
            Ok(_) => Word::Line(line),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                Word::Late
            }
            Err(_) => Word::Gone,
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
        if !self.watcher.is_done(ANSWER) {
            let _ = self.worker.kill();
        }
        let is_lost = self.watcher.join();
        let _ = self.worker.wait();
        reaper::forget_supervisor(self.worker.id());
        if is_lost {
            // It was killed or stopped, so it has not tidied up.
            facets_worker::remove_scratch(self.worker.id(), self.scratch.as_deref());
        }
    }
}
