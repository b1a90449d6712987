//! A pool of source scanners.

use std::collections::VecDeque;
use std::io::{BufReader, PipeWriter};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use facets_launch::{LaunchError, Launcher, RunningProcess};
use facets_scan::{Analysis, Analyst};

use crate::scan_stage::{SCAN_STAGE, read_answer, write_question};

/// Analyses source in sandboxed processes, several side by side; one that dies of a file is
/// replaced.
#[derive(Debug)]
pub struct Scanners<'l> {
    launcher: &'l Launcher,
    /// When to give up on one file.
    pub per_file: Duration,
    /// When to give up on all.
    deadline: Instant,
    failure: Mutex<Option<LaunchError>>,
    idle: Mutex<Vec<ScannerProcess>>,
}

type Question = (usize, String, Vec<u8>);
type Answer = Result<Analysis, String>;

impl<'l> Scanners<'l> {
    /// The processes are started when they are needed.
    #[must_use]
    pub fn new(launcher: &'l Launcher, per_file: Duration, in_all: Duration) -> Self {
        let deadline = Instant::now() + in_all;
        let (failure, idle) = (Mutex::new(None), Mutex::new(Vec::new()));
        Self { launcher, per_file, deadline, failure, idle }
    }

    /// Why no scanner could be started, if none could.
    #[must_use]
    pub fn failure(self) -> Option<LaunchError> {
        self.failure.into_inner().ok().flatten()
    }

    /// Answers questions until there are none.
    fn work(&self, questions: &Mutex<VecDeque<Question>>) -> Vec<(usize, Answer)> {
        let mut answers = Vec::new();
        let mut scanner = self.idle.lock().ok().and_then(|mut idle| idle.pop());
        while let Some((index, path, source)) = next(questions) {
            answers.push((index, self.ask(&mut scanner, &path, &source)));
        }
        if let Ok(mut idle) = self.idle.lock() {
            idle.extend(scanner);
        }
        answers
    }

    fn ask(&self, scanner: &mut Option<ScannerProcess>, path: &str, source: &[u8]) -> Answer {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err("is not read: all of it takes too long".to_owned());
        }
        if scanner.is_none() {
            match ScannerProcess::start(self.launcher) {
                Ok(started) => *scanner = Some(started),
                Err(error) => {
                    let reason = error.to_string();
                    if let Ok(mut failure) = self.failure.lock() {
                        failure.get_or_insert(error);
                    }
                    return Err(reason);
                }
            }
        }
        let answer =
            scanner.as_mut().map(|scanner| scanner.ask(path, source, self.per_file.min(left)));
        answer.unwrap_or(Err(NoReply::Gone)).unwrap_or_else(|lost| {
            // Whatever is left of it is ended; the next file gets another.
            *scanner = None;
            Err(match lost {
                NoReply::Slow => "takes too long to analyse".to_owned(),
                NoReply::Gone => {
                    "cannot be analysed: it is nested too deeply or takes too much memory"
                        .to_owned()
                }
            })
        })
    }
}

fn next(questions: &Mutex<VecDeque<Question>>) -> Option<Question> {
    questions.lock().ok()?.pop_front()
}

impl Analyst for Scanners<'_> {
    fn analyse(&mut self, files: Vec<(String, Vec<u8>)>) -> Vec<Answer> {
        let count = files.len();
        let bytes: usize = files.iter().map(|(_, source)| source.len()).sum();
        // Starting a scanner costs as much as analysing some hundred kilobytes.
        let useful = if bytes > 512 << 10 { count } else { 1 };
        let processes = thread::available_parallelism().map_or(1, Into::into).min(useful).max(1);
        let questions = files.into_iter().enumerate();
        let questions =
            Mutex::new(questions.map(|(index, (path, source))| (index, path, source)).collect());
        let this = &*self;
        let mut answers: Vec<Option<Answer>> = (0..count).map(|_| None).collect();
        thread::scope(|scope| {
            let workers: Vec<_> =
                (0..processes).map(|_| scope.spawn(|| this.work(&questions))).collect();
            for (index, answer) in
                workers.into_iter().flat_map(|worker| worker.join().unwrap_or_default())
            {
                answers[index] = Some(answer);
            }
        });
        let lost = || Err("cannot be analysed".to_owned());
        answers.into_iter().map(|answer| answer.unwrap_or_else(lost)).collect()
    }
}

/// Why a scanner gave no answer.
enum NoReply {
    Slow,
    Gone,
}

/// One process that analyses source. Dropping it ends it.
#[derive(Debug)]
struct ScannerProcess {
    _running: RunningProcess,
    input: PipeWriter,
    answers: Receiver<Answer>,
}

impl ScannerProcess {
    fn start(launcher: &Launcher) -> Result<Self, LaunchError> {
        let mut running = launcher.start_stage(SCAN_STAGE.name)?;
        let Some((output, input)) = running.take_streams() else {
            return Err(LaunchError::Supervisor(std::io::ErrorKind::BrokenPipe.into()));
        };
        let (sender, answers) = channel();
        thread::Builder::new().spawn(move || {
            let mut output = BufReader::new(output);
            while let Ok(answer) = read_answer(&mut output) {
                if sender.send(answer).is_err() {
                    break;
                }
            }
        })?;
        Ok(Self { _running: running, input, answers })
    }

    fn ask(&mut self, path: &str, source: &[u8], at_most: Duration) -> Result<Answer, NoReply> {
        write_question(&mut self.input, path, source).map_err(|_| NoReply::Gone)?;
        self.answers.recv_timeout(at_most).map_err(|error| match error {
            std::sync::mpsc::RecvTimeoutError::Timeout => NoReply::Slow,
            std::sync::mpsc::RecvTimeoutError::Disconnected => NoReply::Gone,
        })
    }
}
