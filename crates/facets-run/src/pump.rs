//! The loop: whoever has something to say is heard, and passed on.

use std::io::PipeReader;
use std::os::fd::{AsFd as _, OwnedFd};
use std::time::{Duration, Instant};

use facets_guard::{Guard, Outbox};
use facets_launch::Ending;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::pipe::{Piece, Queue, Reader, make_impatient};
use crate::record::Recorder;
use crate::server::Server;
use crate::session::{Patience, Session, SessionEnd, Start};
use crate::status::{Control, Status};

/// What may wait for a reader before its writer is no longer heard.
const HIGH: usize = 256 << 10;
/// What may wait on the other side, for those who ask without listening.
const HIGHEST: usize = 8 << 20;
/// How long a server may take to end when its client has gone.
const GRACE: Duration = Duration::from_secs(2);
/// How long it may take to answer what was asked before.
const LAST_ANSWERS: Duration = Duration::from_secs(5);
/// And not longer than this, whatever it says.
const LAST_OF_ALL: Duration = Duration::from_mins(1);
/// How long a server that was started again may take for its opening.
const OPENING: Duration = Duration::from_secs(10);
/// How long one that does not listen any more may take to say how it ended.
const LAST_WORD: Duration = Duration::from_millis(200);
/// Before a server is started again for the first time.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
/// How old what others know may be.
const TELL: Duration = Duration::from_millis(200);
/// A server that ran this long had no trouble starting.
const HEALTHY: Duration = Duration::from_mins(1);

/// Runs a session to its end, and leaves nothing running.
pub fn serve(session: Session<'_>) -> SessionEnd {
    let client_flags =
        [make_impatient(&session.client.input), make_impatient(&session.client.output)];
    let mut pump = Pump::new(session);
    let end = loop {
        if let Some(end) = pump.turn() {
            break end;
        }
    };
    pump.flush_client();
    // The client's shell may use the same streams after us.
    let streams = [pump.client_input.as_ref(), Some(&pump.client_output)];
    for (stream, flags) in streams.into_iter().zip(client_flags) {
        if let (Some(stream), Some(flags)) = (stream, flags) {
            let _ = rustix::fs::fcntl_setfl(stream, flags);
        }
    }
    let control = pump.control.clone();
    let end = pump.finish(end);
    control.ended();
    end
}

/// What a turn found out.
enum Ended {
    ClientLeft,
    Server,
    NotRestarted(String),
    Drift(String),
    Stopped,
}

struct Pump<'s> {
    guard: Guard,
    client_input: Option<OwnedFd>,
    client_output: OwnedFd,
    /// None while it is not running.
    server: Option<Server>,
    restart: Start<'s>,
    most_restarts: u32,
    patience: Patience,
    recorder: Recorder,
    control: Control,
    requests: PipeReader,
    begin: Instant,
    reader: Reader,
    to_client: Queue,
    to_server: Queue,
    out: Outbox,
    /// When the client left.
    left: Option<Instant>,
    restarts: u32,
    restart_at: Option<Instant>,
    started: Instant,
    heard: Instant,
    has_spoken: bool,
    told: Instant,
    is_untold: bool,
    timeout: Option<Duration>,
    ending: Option<Ending>,
}

/// Who can be heard.
#[expect(clippy::struct_excessive_bools, reason = "each is a stream of its own")]
#[derive(Clone, Copy, Debug, Default)]
struct Ready {
    client: bool,
    server: bool,
    requests: bool,
    client_left: bool,
    hung_up: bool,
}

impl<'s> Pump<'s> {
    fn new(session: Session<'s>) -> Self {
        let now = Instant::now();
        Self {
            guard: session.guard,
            client_input: Some(session.client.input),
            client_output: session.client.output,
            server: Some(session.server),
            restart: session.restart,
            most_restarts: session.most_restarts,
            patience: session.patience,
            recorder: session.recorder,
            control: session.control,
            requests: session.requests,
            begin: now,
            reader: Reader::new(),
            to_client: Queue::default(),
            to_server: Queue::default(),
            out: Outbox::default(),
            left: None,
            restarts: 0,
            restart_at: None,
            started: now,
            heard: now,
            has_spoken: false,
            told: now,
            is_untold: true,
            timeout: Some(Duration::ZERO),
            ending: None,
        }
    }

    fn now(&self) -> Duration {
        self.begin.elapsed()
    }

    /// Waits until something can be done, and does it.
    fn turn(&mut self) -> Option<Ended> {
        let ready = self.wait();
        if ready.requests {
            return Some(Ended::Stopped);
        }
        if ready.client_left {
            return Some(Ended::ClientLeft);
        }
        if ready.hung_up {
            self.left.get_or_insert_with(Instant::now);
        }
        self.is_untold |= ready.client || ready.server;
        if ready.client {
            self.hear_client();
        }
        if ready.server {
            self.hear_server();
        }
        if let Some(end) = self.keep_time() {
            return Some(end);
        }
        self.timeout = self.next_timeout();
        // The last before we wait again: whoever is woken by it finds the processor free.
        self.pass_on()
    }

    fn wait(&self) -> Ready {
        // What the guard cannot say yet waits as well.
        let (unsaid_to_client, unsaid_to_server) = self.guard.unsaid();
        let for_client = self.to_client.len() + unsaid_to_client;
        let for_server = self.to_server.len() + unsaid_to_server;
        let hears_client = self.client_input.is_some()
            && self.server.is_some()
            && self.to_server.len() < HIGH
            && for_client < HIGHEST
            && !self.guard.is_reopening();
        let hears_server = self.to_client.len() < HIGH && for_server < HIGHEST;
        let client = self.client_input.as_ref().filter(|_| hears_client);
        let server = self.server.as_ref().filter(|_| hears_server);
        let mut polled = vec![PollFd::new(&self.requests, PollFlags::IN)];
        // Also without anything to write: a client that closes its end has left.
        let writes = if self.to_client.len() > 0 { PollFlags::OUT } else { PollFlags::empty() };
        polled.push(PollFd::new(&self.client_output, writes));
        let unheard = self.client_input.as_ref().filter(|_| !hears_client && self.left.is_none());
        let client = add(&mut polled, client, PollFlags::IN);
        // One that cannot be heard now may leave all the same.
        let unheard = add(&mut polled, unheard, PollFlags::empty());
        let server = add(&mut polled, server.map(|server| &server.output), PollFlags::IN);
        let input = self.server.as_ref().and_then(|server| server.input.as_ref());
        add(&mut polled, input.filter(|_| self.to_server.len() > 0), PollFlags::OUT);
        let timeout = self.timeout.and_then(|timeout| Timespec::try_from(timeout).ok());
        let _ = poll(&mut polled, timeout.as_ref());
        let ready = |at: Option<usize>| at.is_some_and(|at| !polled[at].revents().is_empty());
        let gone = PollFlags::ERR | PollFlags::NVAL;
        let has_hung_up = |at: usize| polled[at].revents().intersects(gone | PollFlags::HUP);
        Ready {
            hung_up: unheard.is_some_and(has_hung_up),
            client: ready(client),
            server: ready(server),
            requests: ready(Some(0)),
            client_left: polled[1].revents().intersects(gone),
        }
    }

    /// How long nothing can happen by itself.
    fn next_timeout(&self) -> Option<Duration> {
        let now = Instant::now();
        let passed = now.saturating_duration_since(self.begin);
        let guard = self.guard.deadline().map(|deadline| deadline.saturating_sub(passed));
        let until = |instant: Instant| instant.saturating_duration_since(now);
        let restart = self.restart_at.map(until);
        let left = self.left.map(|left| until(self.last_moment(left)));
        let tell = self.is_untold.then(|| until(self.told + TELL));
        let silence = Some(until(self.heard + self.patience.silence).max(Duration::from_secs(1)));
        let opening = self.guard.is_reopening().then(|| until(self.started + OPENING));
        let opening = opening.map(|opening| opening.max(Duration::from_millis(100)));
        [guard, restart, left, tell, silence, opening].into_iter().flatten().min()
    }

    fn hear_client(&mut self) {
        let now = self.now();
        let Some(stream) = &self.client_input else { return };
        match self.reader.read(stream.as_fd()) {
            Piece::Bytes(bytes) => self.guard.from_client(bytes, now, &mut self.out),
            Piece::NotYet => {}
            Piece::End => {
                self.guard.client_ended(now, &mut self.out);
                self.client_input = None;
                self.left = Some(Instant::now());
            }
        }
    }

    fn hear_server(&mut self) {
        let now = self.now();
        let Some(server) = &self.server else { return };
        match self.reader.read(server.output.as_fd()) {
            Piece::Bytes(bytes) => {
                self.heard = Instant::now();
                self.has_spoken = true;
                self.guard.from_server(bytes, now, &mut self.out);
            }
            Piece::NotYet => {}
            Piece::End => self.server_ended(),
        }
    }

    /// Writes what came out, and keeps what cannot be written yet.
    fn pass_on(&mut self) -> Option<Ended> {
        self.recorder.take(&mut self.out.events);
        take_over(&mut self.out.to_client, &mut self.to_client);
        take_over(&mut self.out.to_server, &mut self.to_server);
        if self.to_client.len() > 0 && self.to_client.write(self.client_output.as_fd()).is_err() {
            return Some(Ended::ClientLeft);
        }
        match self.server.as_ref().and_then(|server| server.input.as_ref()) {
            None => self.to_server.clear(),
            Some(input) => {
                let is_broken = self.to_server.write(input.as_fd()).is_err();
                if is_broken && self.left.is_some() {
                    // What it still says is heard.
                    self.close_server_input();
                } else if is_broken {
                    self.end_deaf_server();
                }
            }
        }
        self.out.stop.take().map(Ended::Drift)
    }

    fn close_server_input(&mut self) {
        self.to_server.clear();
        if let Some(server) = &mut self.server {
            server.input = None;
        }
    }

    /// A server that does not listen any more serves nobody.
    fn end_deaf_server(&mut self) {
        if let Some(mut server) = self.server.take() {
            let ending = server.handle.wait(LAST_WORD);
            // What it was told to end with is not how it wanted to end.
            let ending = ending.unwrap_or_else(|| {
                server.handle.stop();
                Ending::Unknown
            });
            self.ended(ending);
        }
    }

    /// The server has closed its output.
    fn server_ended(&mut self) {
        let Some(mut server) = self.server.take() else { return };
        // What closes its output has usually ended, or is about to.
        let ending = server.handle.wait(GRACE);
        self.ended(ending.unwrap_or_else(|| server.handle.stop()));
    }

    fn ended(&mut self, ending: Ending) {
        if self.started.elapsed() > HEALTHY {
            self.restarts = 0;
        }
        self.guard.server_ended(&mut self.out);
        self.to_server.clear();
        let is_done = ending == Ending::Exited(0) || self.left.is_some() || !self.has_spoken;
        self.ending = Some(ending);
        if !is_done && self.restarts < self.most_restarts {
            // A quarter of a second, then twice as long each time.
            let pause = FIRST_PAUSE * 2_u32.saturating_pow(self.restarts.min(6));
            self.restarts += 1;
            self.restart_at = Some(Instant::now() + pause);
        }
    }

    fn start_again(&mut self) -> Option<Ended> {
        self.restart_at = None;
        match (self.restart)() {
            Ok(server) => self.server = Some(server),
            Err(reason) => return Some(Ended::NotRestarted(reason)),
        }
        self.started = Instant::now();
        self.heard = self.started;
        let now = self.now();
        self.guard.server_restarted(now, &mut self.out);
        None
    }

    /// What time brings.
    fn keep_time(&mut self) -> Option<Ended> {
        let now = Instant::now();
        let passed = now.saturating_duration_since(self.begin);
        if self.guard.deadline().is_some_and(|deadline| deadline <= passed) {
            self.guard.tick(passed, &mut self.out);
        }
        if self.is_untold && now.saturating_duration_since(self.told) >= TELL {
            self.tell(now);
        }
        if self.server.is_none() {
            return match self.restart_at {
                None => Some(Ended::Server),
                Some(at) if at <= now => self.start_again(),
                Some(_) if self.left.is_some() => Some(Ended::ClientLeft),
                Some(_) => None,
            };
        }
        self.check_health(now);
        let left = self.left?;
        // Not before everything that it said is read.
        let is_heard = self.client_input.is_none();
        if is_heard && self.to_server.len() == 0 && self.out.to_server.is_empty() {
            self.close_server_input();
        }
        (now >= self.last_moment(left)).then_some(Ended::ClientLeft)
    }

    /// Until when a server is heard whose client has left.
    fn last_moment(&self, left: Instant) -> Instant {
        if self.guard.waiting() == 0 {
            return left + GRACE;
        }
        (left.max(self.heard) + LAST_ANSWERS).min(left + LAST_OF_ALL)
    }

    /// spec 11.5: health by `ping`
    fn check_health(&mut self, now: Instant) {
        let silent = now.saturating_duration_since(self.heard);
        let Patience { silence, unanswered } = self.patience;
        if silent > silence && !self.guard.is_silent() {
            self.guard.ping(now.saturating_duration_since(self.begin), &mut self.out);
        }
        let is_dead = silent > silence + unanswered && self.guard.is_silent();
        let ran = now.saturating_duration_since(self.started);
        let never_opens = self.guard.is_reopening() && ran > OPENING;
        if ((is_dead && self.guard.waiting() == 0) || never_opens)
            && let Some(server) = self.server.take()
        {
            server.handle.stop();
            if never_opens {
                // Another one would not be another.
                self.restarts = self.most_restarts;
            }
            self.ended(Ending::Unknown);
        }
    }

    fn tell(&mut self, now: Instant) {
        self.told = now;
        self.is_untold = false;
        self.control.set(Status {
            waiting: self.guard.waiting(),
            approved: self.guard.approved(),
            withheld: self.guard.withheld(),
            restarts: self.restarts,
            is_silent: self.guard.is_silent(),
        });
    }

    /// What the client has not heard yet, if it listens.
    fn flush_client(&mut self) {
        take_over(&mut self.out.to_client, &mut self.to_client);
        let begin = Instant::now();
        while self.to_client.len() > 0 && begin.elapsed() < GRACE {
            let mut polled = [PollFd::new(&self.client_output, PollFlags::OUT)];
            let timeout = Timespec::try_from(GRACE).ok();
            let _ = poll(&mut polled, timeout.as_ref());
            if self.to_client.write(self.client_output.as_fd()).is_err() {
                return;
            }
        }
    }

    fn finish(mut self, end: Ended) -> SessionEnd {
        self.recorder.take(&mut self.out.events);
        let mut by_itself = self.ending.clone();
        if let Some(mut server) = self.server.take() {
            server.input = None;
            by_itself = server.handle.wait(Duration::ZERO);
            if by_itself.is_none() {
                server.handle.stop();
            }
        }
        match end {
            Ended::Stopped => SessionEnd::Stopped,
            Ended::Drift(what) => SessionEnd::Drift(what),
            Ended::NotRestarted(reason) => SessionEnd::NotRestarted(reason),
            Ended::ClientLeft => SessionEnd::ClientLeft(by_itself),
            Ended::Server if self.left.is_some() => SessionEnd::ClientLeft(by_itself),
            Ended::Server => SessionEnd::ServerEnded(by_itself.unwrap_or(Ending::Unknown)),
        }
    }
}

fn add<'p>(
    polled: &mut Vec<PollFd<'p>>,
    stream: Option<&'p OwnedFd>,
    flags: PollFlags,
) -> Option<usize> {
    polled.push(PollFd::new(stream?, flags));
    Some(polled.len() - 1)
}

/// Moves bytes without copying them where nothing waits yet.
fn take_over(from: &mut Vec<u8>, to: &mut Queue) {
    if to.len() == 0 && !from.is_empty() {
        std::mem::swap(from, to.bytes());
        from.clear();
    } else {
        to.bytes().append(from);
    }
}
