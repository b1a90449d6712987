//! The loop: whoever has something to say is heard, and passed on.

use std::io::PipeReader;
use std::os::fd::{AsFd as _, OwnedFd};
use std::time::{Duration, Instant};

use facets_guard::{Guard, Outbox};
use facets_launch::Ending;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::overdue::OverdueAnswer;
use crate::pipe::{ChunkReader, ReadOutcome, WriteQueue, make_nonblocking};
use crate::record::Recorder;
use crate::running_server::RunningServer;
use crate::session::{Session, SessionEnd, SessionError, SilenceLimits, StartServer};
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
/// How long one that does not listen any more may take to say how it ended.
const LAST_WORD: Duration = Duration::from_millis(200);
/// Before a server is started again for the first time.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
/// How old what others know may be.
const STATUS_PACE: Duration = Duration::from_millis(200);
/// A server that ran this long had no trouble starting.
const HEALTHY: Duration = Duration::from_mins(1);

/// Runs a session to its end, and leaves nothing running.
pub fn serve(session: Session<'_>) -> SessionEnd {
    let client_flags =
        [make_nonblocking(&session.client.input), make_nonblocking(&session.client.output)];
    let mut session_loop = SessionLoop::new(session);
    let end = loop {
        if let Some(end) = session_loop.turn() {
            break end;
        }
    };
    session_loop.flush_client();
    // The client's shell may use the same streams after us.
    let streams = [session_loop.client_input.as_ref(), Some(&session_loop.client_output)];
    for (stream, flags) in streams.into_iter().zip(client_flags) {
        if let (Some(stream), Some(flags)) = (stream, flags) {
            let _ = rustix::fs::fcntl_setfl(stream, flags);
        }
    }
    let control = session_loop.control.clone();
    let end = session_loop.finish(end);
    control.ended();
    end
}

/// What a turn found out.
enum LoopEnd {
    ClientLeft,
    ServerEnded,
    NotRestarted(SessionError),
    Drift(String),
    Stopped,
}

struct SessionLoop<'s> {
    guard: Guard,
    client_input: Option<OwnedFd>,
    client_output: OwnedFd,
    /// None while it is not running.
    server: Option<RunningServer>,
    start: StartServer<'s>,
    most_restarts: u32,
    patience: SilenceLimits,
    overdue: OverdueAnswer,
    recorder: Recorder,
    control: Control,
    requests: PipeReader,
    begin: Instant,
    reader: ChunkReader,
    to_client: WriteQueue,
    to_server: WriteQueue,
    out: Outbox,
    /// When the client left.
    client_left_at: Option<Instant>,
    restarts: u32,
    restart_at: Option<Instant>,
    started: Instant,
    last_output: Instant,
    has_spoken: bool,
    status_published: Instant,
    is_status_stale: bool,
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

impl<'s> SessionLoop<'s> {
    fn new(session: Session<'s>) -> Self {
        let now = Instant::now();
        Self {
            guard: session.guard,
            client_input: Some(session.client.input),
            client_output: session.client.output,
            server: Some(session.server),
            start: session.restart,
            most_restarts: session.most_restarts,
            patience: session.patience,
            overdue: OverdueAnswer::new(session.patience.opening),
            recorder: session.recorder,
            control: session.control,
            requests: session.requests,
            begin: now,
            reader: ChunkReader::new(),
            to_client: WriteQueue::default(),
            to_server: WriteQueue::default(),
            out: Outbox::default(),
            client_left_at: None,
            restarts: 0,
            restart_at: None,
            started: now,
            last_output: now,
            has_spoken: false,
            status_published: now,
            is_status_stale: true,
            timeout: Some(Duration::ZERO),
            ending: None,
        }
    }

    fn now(&self) -> Duration {
        self.begin.elapsed()
    }

    /// Waits until something can be done, and does it.
    fn turn(&mut self) -> Option<LoopEnd> {
        let ready = self.wait();
        if ready.requests {
            return Some(LoopEnd::Stopped);
        }
        if ready.client_left {
            return Some(LoopEnd::ClientLeft);
        }
        if ready.hung_up {
            self.client_left_at.get_or_insert_with(Instant::now);
        }
        self.is_status_stale |= ready.client || ready.server;
        if ready.client {
            self.read_client();
        }
        if ready.server {
            self.read_server();
        }
        if let Some(end) = self.check_deadlines() {
            return Some(end);
        }
        self.timeout = self.next_timeout();
        // The last before we wait again: whoever is woken by it finds the processor free.
        self.write_queued()
    }

    fn wait(&self) -> Ready {
        // What the guard cannot say yet waits as well.
        let (queued_for_client, queued_for_server) = self.guard.queued_bytes();
        let for_client = self.to_client.len() + queued_for_client;
        let for_server = self.to_server.len() + queued_for_server;
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
        let unheard =
            self.client_input.as_ref().filter(|_| !hears_client && self.client_left_at.is_none());
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
        let overdue = self.overdue.deadline(&self.guard);
        let guard = self.guard.deadline().into_iter().chain(overdue).min();
        let guard = guard.map(|deadline| deadline.saturating_sub(passed));
        let until = |instant: Instant| instant.saturating_duration_since(now);
        let restart = self.restart_at.map(until);
        let left = self.client_left_at.map(|left| until(self.last_moment(left)));
        let tell = self.is_status_stale.then(|| until(self.status_published + STATUS_PACE));
        let silence =
            Some(until(self.last_output + self.patience.silence).max(Duration::from_secs(1)));
        let opening =
            self.guard.is_reopening().then(|| until(self.started + self.patience.opening));
        let opening = opening.map(|opening| opening.max(Duration::from_millis(100)));
        [guard, restart, left, tell, silence, opening].into_iter().flatten().min()
    }

    fn read_client(&mut self) {
        let now = self.now();
        let Some(stream) = &self.client_input else { return };
        match self.reader.read(stream.as_fd()) {
            ReadOutcome::Bytes(bytes) => self.guard.from_client(bytes, now, &mut self.out),
            ReadOutcome::NotYet => {}
            ReadOutcome::End => {
                self.guard.client_ended(now, &mut self.out);
                self.client_input = None;
                self.client_left_at = Some(Instant::now());
            }
        }
    }

    fn read_server(&mut self) {
        let now = self.now();
        let Some(server) = &self.server else { return };
        match self.reader.read(server.output.as_fd()) {
            ReadOutcome::Bytes(bytes) => {
                self.last_output = Instant::now();
                self.has_spoken = true;
                self.guard.from_server(bytes, now, &mut self.out);
            }
            ReadOutcome::NotYet => {}
            ReadOutcome::End => self.on_server_output_closed(),
        }
    }

    /// Writes what came out, and keeps what cannot be written yet.
    fn write_queued(&mut self) -> Option<LoopEnd> {
        self.recorder.take(&mut self.out.events);
        move_bytes(&mut self.out.to_client, &mut self.to_client);
        move_bytes(&mut self.out.to_server, &mut self.to_server);
        if self.to_client.len() > 0 && self.to_client.write(self.client_output.as_fd()).is_err() {
            return Some(LoopEnd::ClientLeft);
        }
        match self.server.as_ref().and_then(|server| server.input.as_ref()) {
            None => self.to_server.clear(),
            Some(input) => {
                let is_broken = self.to_server.write(input.as_fd()).is_err();
                if is_broken && self.client_left_at.is_some() {
                    // What it still says is heard.
                    self.close_server_input();
                } else if is_broken {
                    self.end_unreading_server();
                }
            }
        }
        self.out.stop.take().map(LoopEnd::Drift)
    }

    fn close_server_input(&mut self) {
        self.to_server.clear();
        if let Some(server) = &mut self.server {
            server.input = None;
        }
    }

    /// A server that does not listen any more serves nobody.
    fn end_unreading_server(&mut self) {
        if let Some(mut server) = self.server.take() {
            let ending = server.handle.wait(LAST_WORD);
            // What it was told to end with is not how it wanted to end.
            let ending = ending.unwrap_or_else(|| {
                server.handle.stop();
                Ending::Unknown
            });
            self.on_server_end(ending);
        }
    }

    /// The server has closed its output.
    fn on_server_output_closed(&mut self) {
        let Some(mut server) = self.server.take() else { return };
        // What closes its output has usually ended, or is about to.
        let ending = server.handle.wait(GRACE);
        self.on_server_end(ending.unwrap_or_else(|| server.handle.stop()));
    }

    fn on_server_end(&mut self, ending: Ending) {
        if self.started.elapsed() > HEALTHY {
            self.restarts = 0;
        }
        self.guard.server_ended(&mut self.out);
        self.to_server.clear();
        // A server that attacks its supervisor is not started again.
        let is_last = matches!(ending, Ending::Exited(0) | Ending::SupervisorLost);
        let is_done = is_last || self.client_left_at.is_some() || !self.has_spoken;
        self.ending = Some(ending);
        if !is_done && self.restarts < self.most_restarts {
            // A quarter of a second, then twice as long each time.
            let pause = FIRST_PAUSE * 2_u32.saturating_pow(self.restarts.min(6));
            self.restarts += 1;
            self.restart_at = Some(Instant::now() + pause);
        }
    }

    fn restart_server(&mut self) -> Option<LoopEnd> {
        self.restart_at = None;
        match (self.start)() {
            Ok(server) => self.server = Some(server),
            Err(reason) => return Some(LoopEnd::NotRestarted(reason)),
        }
        self.started = Instant::now();
        self.last_output = self.started;
        let now = self.now();
        self.guard.server_restarted(now, &mut self.out);
        None
    }

    /// What time brings.
    fn check_deadlines(&mut self) -> Option<LoopEnd> {
        let now = Instant::now();
        let passed = now.saturating_duration_since(self.begin);
        if self.guard.deadline().is_some_and(|deadline| deadline <= passed) {
            self.guard.tick(passed, &mut self.out);
        }
        self.is_status_stale |= self.overdue.check(&self.guard, passed, &mut self.out);
        if self.is_status_stale
            && now.saturating_duration_since(self.status_published) >= STATUS_PACE
        {
            self.publish_status(now);
        }
        if self.server.is_none() {
            return match self.restart_at {
                None => Some(LoopEnd::ServerEnded),
                Some(at) if at <= now => self.restart_server(),
                Some(_) if self.client_left_at.is_some() => Some(LoopEnd::ClientLeft),
                Some(_) => None,
            };
        }
        self.check_health(now);
        let left = self.client_left_at?;
        // Not before everything that it said is read.
        let is_heard = self.client_input.is_none();
        if is_heard && self.to_server.len() == 0 && self.out.to_server.is_empty() {
            self.close_server_input();
        }
        (now >= self.last_moment(left)).then_some(LoopEnd::ClientLeft)
    }

    /// Until when a server is heard whose client has left.
    fn last_moment(&self, left: Instant) -> Instant {
        if self.guard.waiting() == 0 {
            return left + GRACE;
        }
        (left.max(self.last_output) + LAST_ANSWERS).min(left + LAST_OF_ALL)
    }

    /// spec 11.5: health by `ping`
    fn check_health(&mut self, now: Instant) {
        let silent = now.saturating_duration_since(self.last_output);
        let SilenceLimits { silence, unanswered, opening } = self.patience;
        // One that is still starting has its own time.
        let is_opening = self.guard.is_reopening();
        if silent > silence && !self.guard.is_silent() && !is_opening {
            self.guard.ping(now.saturating_duration_since(self.begin), &mut self.out);
        }
        let is_dead = silent > silence + unanswered && self.guard.is_silent();
        let ran = now.saturating_duration_since(self.started);
        let never_opens = is_opening && ran > opening;
        if ((is_dead && self.guard.waiting() == 0) || never_opens)
            && let Some(server) = self.server.take()
        {
            server.handle.stop();
            if never_opens {
                // Another one would not be another.
                self.restarts = self.most_restarts;
            }
            self.on_server_end(Ending::Unknown);
        }
    }

    fn publish_status(&mut self, now: Instant) {
        self.status_published = now;
        self.is_status_stale = false;
        self.control.set(Status {
            waiting: self.guard.waiting(),
            approved: self.guard.approved(),
            withheld: self.guard.withheld(),
            next: self.guard.next_step(),
            restarts: self.restarts,
            is_silent: self.guard.is_silent(),
            unanswered: self.overdue.sentence(&self.guard),
        });
    }

    /// What the client has not heard yet, if it listens.
    fn flush_client(&mut self) {
        move_bytes(&mut self.out.to_client, &mut self.to_client);
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

    /// The client has left. A server that failed before it said anything has not ended because of that.
    fn end_without_client(&self, by_itself: Option<Ending>) -> SessionEnd {
        match by_itself {
            Some(Ending::Exited(code @ 1..)) if !self.has_spoken => {
                SessionEnd::NeverSpoke(Ending::Exited(code))
            }
            by_itself => SessionEnd::ClientLeft(by_itself),
        }
    }

    fn finish(mut self, end: LoopEnd) -> SessionEnd {
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
            LoopEnd::Stopped => SessionEnd::Stopped,
            LoopEnd::Drift(what) => SessionEnd::Drift(what),
            LoopEnd::NotRestarted(reason) => SessionEnd::NotRestarted(reason.to_string()),
            LoopEnd::ClientLeft => self.end_without_client(by_itself),
            LoopEnd::ServerEnded if self.client_left_at.is_some() => {
                self.end_without_client(by_itself)
            }
            LoopEnd::ServerEnded if self.has_spoken => {
                SessionEnd::ServerEnded(by_itself.unwrap_or(Ending::Unknown))
            }
            LoopEnd::ServerEnded => SessionEnd::NeverSpoke(by_itself.unwrap_or(Ending::Unknown)),
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
fn move_bytes(from: &mut Vec<u8>, to: &mut WriteQueue) {
    if to.len() == 0 && !from.is_empty() {
        std::mem::swap(from, to.bytes());
        from.clear();
    } else {
        to.bytes().append(from);
    }
}
