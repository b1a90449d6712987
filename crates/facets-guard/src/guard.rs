//! Bytes in from either side, bytes out to either side.

use core::time::Duration;
use std::collections::{BTreeMap, BTreeSet};

use facets_surface::Kind;
use memchr::memchr;

use facets_wire::push_line;

use crate::event::{Decision, Event, Reason, Subject};
use crate::first_answer::FirstAnswer;
use crate::limiter::Limiter;
use crate::limits::{MAX_HELD, STREAM_FROM};
use crate::open_line::{LineMode, OpenLine};
use crate::outbox::Outbox;
use crate::parked::{GuardListing, ParkedRequest};
use crate::pins::Pins;
use crate::requests::{AwaitedReply, GuardRequest};
use crate::rules::{OnDrift, Rules};
use crate::statuses::ItemStatuses;
use crate::stray_replies::StrayReplies;
use crate::words;

/// Stands between one client and one server.
#[derive(Debug)]
pub struct Guard {
    pub(crate) pins: Pins,
    pub(crate) rules: Rules,
    pub(crate) now: Duration,
    client_line: OpenLine,
    server_line: OpenLine,
    pub(crate) pending: BTreeMap<String, AwaitedReply>,
    pub(crate) stray_replies: StrayReplies,
    pub(crate) own_requests: BTreeMap<String, GuardRequest>,
    next_guard_id: u64,
    pub(crate) statuses: ItemStatuses,
    pub(crate) parked: Vec<ParkedRequest>,
    pub(crate) listings: BTreeMap<Kind, GuardListing>,
    pub(crate) first_answer: FirstAnswer,
    pub(crate) changes: BTreeMap<Kind, Limiter>,
    /// The parameters of the client's `initialize`, and whether it has finished the opening.
    pub(crate) opening: Option<String>,
    pub(crate) is_open: bool,
    /// Lists that the server announced, for when it is started again.
    pub(crate) announced: BTreeSet<Kind>,
    /// What the guard itself has to say; it waits while a line of somebody else is on its way.
    pub(crate) queued_for_client: Vec<u8>,
    pub(crate) queued_for_server: Vec<u8>,
    /// Since when it waits.
    queued_since: Option<Duration>,
    reported: BTreeSet<(Subject, &'static str)>,
    dropped_count: usize,
}

/// Notices beyond this are in the record only.
const MAX_NOTICES: usize = 200;
/// Strays and noise beyond this are not even recorded.
const MAX_RECORDED_DROPS: usize = 1000;

/// How long others wait for the end of a line that is on its way.
const MAX_LINE_WAIT: Duration = Duration::from_secs(30);

/// Who sent a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sender {
    Client,
    Server,
}

impl Guard {
    /// A guard for a session that is about to begin.
    #[must_use]
    pub fn new(pins: Pins, rules: Rules) -> Self {
        Self {
            pins,
            first_answer: FirstAnswer::new(rules.first_answer),
            rules,
            now: Duration::ZERO,
            client_line: OpenLine::default(),
            server_line: OpenLine::default(),
            pending: BTreeMap::new(),
            stray_replies: StrayReplies::default(),
            own_requests: BTreeMap::new(),
            next_guard_id: 1,
            statuses: ItemStatuses::default(),
            parked: Vec::new(),
            listings: BTreeMap::new(),
            changes: BTreeMap::new(),
            opening: None,
            is_open: false,
            announced: BTreeSet::new(),
            queued_for_client: Vec::new(),
            queued_for_server: Vec::new(),
            queued_since: None,
            reported: BTreeSet::new(),
            dropped_count: 0,
        }
    }

    /// Bytes from the client. `now` is the time since the session began.
    pub fn from_client(&mut self, bytes: &[u8], now: Duration, out: &mut Outbox) {
        self.now = now;
        self.feed(Sender::Client, bytes, out);
        self.flush(out);
    }

    /// Bytes from the server.
    pub fn from_server(&mut self, bytes: &[u8], now: Duration, out: &mut Outbox) {
        self.now = now;
        self.feed(Sender::Server, bytes, out);
        self.flush(out);
    }

    /// The client has said its last: a line without an end is a line.
    pub fn client_ended(&mut self, now: Duration, out: &mut Outbox) {
        self.now = now;
        if !self.client_line.held.is_empty() {
            self.end_line(Sender::Client, &[], out);
        }
        self.flush(out);
    }

    /// Time has passed.
    pub fn tick(&mut self, now: Duration, out: &mut Outbox) {
        self.now = now;
        self.send_owed_changes();
        self.expire_listings(out);
        self.expire_stray_replies();
        if self.stalled().is_some_and(|deadline| deadline <= now) {
            // Others wait behind a line that does not end.
            out.to_client.push(b'\n');
            self.server_line.mode = LineMode::Discard;
        }
        self.flush(out);
    }

    /// When time matters next.
    #[must_use]
    pub fn deadline(&self) -> Option<Duration> {
        let changes = self.changes.values().filter_map(Limiter::deadline);
        changes
            .chain(self.listings.values().map(|listing| listing.deadline(&self.first_answer)))
            .chain(self.stalled())
            .chain(self.stray_replies.deadline())
            .min()
    }

    /// When a line that is on its way, and that others wait for, takes too long.
    fn stalled(&self) -> Option<Duration> {
        let waits = self.server_line.mode == LineMode::Pass && !self.queued_for_client.is_empty();
        self.queued_since.filter(|_| waits).map(|since| since + MAX_LINE_WAIT)
    }

    /// Says what the guard has to say, where it does not fall into somebody's line.
    pub(crate) fn flush(&mut self, out: &mut Outbox) {
        if self.server_line.mode != LineMode::Pass {
            out.to_client.append(&mut self.queued_for_client);
            self.queued_since = None;
        } else if !self.queued_for_client.is_empty() {
            self.queued_since.get_or_insert(self.now);
        }
        if self.client_line.mode != LineMode::Pass {
            out.to_server.append(&mut self.queued_for_server);
        }
    }

    /// Whether a server that was started again has not finished its opening: the client waits.
    #[must_use]
    pub fn is_reopening(&self) -> bool {
        self.own_requests.values().any(|own| *own == GuardRequest::Opening)
    }

    /// How many requests of the client wait for an answer.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.pending.len() + self.parked.len()
    }

    /// What a person types to see what changed, for a session in which something is withheld.
    #[must_use]
    pub fn next_step(&self) -> Option<String> {
        (!self.reported.is_empty()).then(|| words::look_step(&self.rules))
    }

    /// What is not as it was approved: the item, and the word for the reason.
    #[must_use]
    pub fn withheld(&self) -> Vec<String> {
        let said = self.reported.iter();
        said.map(|(subject, reason)| format!("{} {:?}: {reason}", subject.word(), subject.name()))
            .collect()
    }

    /// The server has gone: what was on its way either way has no end any more.
    pub(crate) fn break_lines(&mut self, out: &mut Outbox) {
        let line = std::mem::take(&mut self.server_line);
        if line.mode == LineMode::Pass {
            out.to_client.push(b'\n');
        }
        if self.client_line.mode == LineMode::Pass {
            self.client_line.mode = LineMode::Discard;
            self.client_line.is_lost = true;
        }
        // What was to be said to it is of no use to another.
        self.queued_for_server.clear();
        self.flush(out);
    }

    /// What the guard itself has to say, and cannot yet: bytes for the client and for the server.
    #[must_use]
    pub fn queued_bytes(&self) -> (usize, usize) {
        (self.queued_for_client.len(), self.queued_for_server.len())
    }

    fn feed(&mut self, from: Sender, bytes: &[u8], out: &mut Outbox) {
        let mut rest = bytes;
        while let Some(end) = memchr(b'\n', rest) {
            self.end_line(from, &rest[..end], out);
            rest = &rest[end + 1..];
        }
        if !rest.is_empty() {
            self.extend_line(from, rest, out);
        }
    }

    fn line(&mut self, from: Sender) -> &mut OpenLine {
        match from {
            Sender::Client => &mut self.client_line,
            Sender::Server => &mut self.server_line,
        }
    }

    /// More of a line that has not ended.
    fn extend_line(&mut self, from: Sender, bytes: &[u8], out: &mut Outbox) {
        let mut line = std::mem::take(self.line(from));
        if line.mode == LineMode::Gather {
            line.held.extend_from_slice(bytes);
            if line.held.len() > STREAM_FROM {
                line.look();
                self.set_mode(from, &mut line, out);
            }
        } else {
            line.add(bytes, sink(from, out));
        }
        *self.line(from) = line;
    }

    /// Decides over a long line from what is known of it.
    fn set_mode(&mut self, from: Sender, line: &mut OpenLine, out: &mut Outbox) {
        line.mode = match from {
            _ if line.is_broken => LineMode::Discard,
            Sender::Client => self.mode_of_client_line(&line.envelope),
            Sender::Server => self.mode_of_server_line(&line.envelope),
        };
        if line.mode == LineMode::Gather && line.held.len() > MAX_HELD {
            // A reply may still pass: at its end it will be known whose it is.
            let may_pass = from == Sender::Server
                && line.envelope.is_result()
                && line.envelope.facts().id.is_none();
            line.mode = if may_pass { LineMode::Pass } else { LineMode::Discard };
        }
        match line.mode {
            LineMode::Gather => {}
            LineMode::Pass => line.pass_on(sink(from, out)),
            LineMode::Discard => line.add(&[], sink(from, out)),
        }
    }

    fn end_line(&mut self, from: Sender, bytes: &[u8], out: &mut Outbox) {
        let line = self.line(from);
        if line.held.is_empty() && line.mode == LineMode::Gather {
            return self.on_line(from, bytes, out);
        }
        let mut line = std::mem::take(line);
        match line.mode {
            LineMode::Gather => {
                line.held.extend_from_slice(bytes);
                self.on_line(from, &line.held, out);
                // Its memory serves the next one, unless it was an unusual one.
                if line.held.capacity() <= 4 * STREAM_FROM {
                    line.held.clear();
                    self.line(from).held = line.held;
                }
            }
            LineMode::Pass => {
                line.held.extend_from_slice(bytes);
                self.end_passing(from, &mut line, out);
            }
            LineMode::Discard => {
                line.add(bytes, sink(from, out));
                line.look_at_end();
                self.on_discarded(from, &line, out);
            }
        }
    }

    fn on_line(&mut self, from: Sender, line: &[u8], out: &mut Outbox) {
        match from {
            Sender::Client => self.client_line(line, out),
            Sender::Server => self.server_line(line, out),
        }
    }

    /// The end of a line that is on its way. Without its last byte no reader takes it for a
    /// message.
    fn end_passing(&mut self, from: Sender, line: &mut OpenLine, out: &mut Outbox) {
        let is_whole = line.look_at_end();
        let facts = line.envelope.facts();
        let refused = match from {
            _ if !is_whole => Some((Subject::Message, Reason::Malformed)),
            Sender::Client => self.end_from_client(facts, out).err(),
            Sender::Server => {
                self.end_from_server(facts, out).err().map(|reason| (Subject::Message, reason))
            }
        };
        let Some((subject, reason)) = refused else {
            return push_line(&line.held, sink(from, out));
        };
        sink(from, out).push(b'\n');
        match from {
            Sender::Client => self.refuse_request(facts, subject, &reason, out),
            Sender::Server => self.drop_reply(facts, &reason, out),
        }
    }

    /// A long line that went nowhere has ended.
    fn on_discarded(&mut self, from: Sender, line: &OpenLine, out: &mut Outbox) {
        let reason = match line {
            _ if line.is_broken => Reason::Malformed,
            _ if line.is_lost => Reason::ServerEnded,
            _ => Reason::TooLarge,
        };
        let facts = line.envelope.facts();
        match from {
            Sender::Client => self.refuse_long_request(facts, reason, out),
            Sender::Server => self.refuse_long_message(facts, &reason, out),
        }
    }

    /// An id for a request of our own.
    pub(crate) fn issue_id(&mut self, own: GuardRequest) -> String {
        let id = format!("\"{}-{}\"", self.rules.nonce, self.next_guard_id);
        self.next_guard_id += 1;
        self.own_requests.insert(id.clone(), own);
        id
    }

    /// Whether an id is one of ours, also if it is not in use any more.
    pub(crate) fn is_guard_id(&self, key: &str) -> bool {
        let begin = key.strip_prefix('"').and_then(|key| key.strip_prefix(&self.rules.nonce));
        begin.is_some_and(|rest| rest.starts_with('-'))
    }

    /// A request of the client is answered, or given up.
    pub(crate) fn no_longer_pending(&mut self, key: &str) -> Option<AwaitedReply> {
        let (key, asked) = self.pending.remove_entry(key)?;
        self.stray_replies.mark_done(key);
        Some(asked)
    }

    /// Records something that is not as it should be, and says it once to the client.
    pub(crate) fn report(
        &mut self,
        decision: Decision,
        subject: Subject,
        reason: Reason,
        method: &str,
        out: &mut Outbox,
    ) -> String {
        let lookalike = match (&subject, &reason) {
            (Subject::Item(kind, name), Reason::New | Reason::Unknown) => {
                self.pins.lookalike(*kind, name)
            }
            _ => None,
        };
        let sentence = match reason {
            Reason::NotGranted => words::not_granted(method),
            _ => words::sentence(&subject, &reason, lookalike),
        };
        let subject = subject.shortened();
        let is_drift = matches!(decision, Decision::Withheld | Decision::Tolerated);
        let is_new = is_drift
            && self.reported.len() < MAX_NOTICES
            && self.reported.insert((subject.clone(), reason.word()));
        let next = words::next_step(&self.rules, &reason, method);
        if is_new {
            let word = decision.word();
            let server = &self.rules.server;
            let text = format!("facet: {server}: {word}: {sentence}. Next: {next}");
            self.send_to_client(&words::log_notification(&text));
        }
        if is_drift && self.rules.on_drift == OnDrift::Stop {
            out.stop.get_or_insert_with(|| sentence.clone());
        }
        let event = Event {
            decision,
            subject,
            reason: Some(reason),
            method: method.to_owned(),
            sentence: sentence.clone(),
            next,
        };
        out.events.push(event);
        sentence
    }

    /// Why something is refused whose name was never approved: it is withheld, or nothing is known of it.
    pub(crate) fn unapproved(&self, subject: &Subject) -> Reason {
        let withheld = (subject.clone().shortened(), Reason::New.word());
        if self.reported.contains(&withheld) { Reason::New } else { Reason::Unknown }
    }

    /// Queues a message of our own for the client.
    pub(crate) fn send_to_client(&mut self, message: &str) {
        self.queued_for_client.extend_from_slice(message.as_bytes());
        self.queued_for_client.push(b'\n');
    }

    /// Queues a message of our own for the server.
    pub(crate) fn send_to_server(&mut self, message: &str) {
        self.queued_for_server.extend_from_slice(message.as_bytes());
        self.queued_for_server.push(b'\n');
    }

    /// Records something of the server that goes no further.
    pub(crate) fn record_dropped(&mut self, reason: Reason, method: &str, out: &mut Outbox) {
        self.dropped_count += 1;
        if self.dropped_count <= MAX_RECORDED_DROPS {
            let sentence = words::sentence(&Subject::Message, &reason, None);
            let (decision, subject) = (Decision::Dropped, Subject::Message);
            let (method, next) = (method.to_owned(), String::new());
            let reason = Some(reason);
            out.events.push(Event { decision, subject, reason, method, sentence, next });
        }
    }

    /// Records something that went its way.
    pub(crate) fn record_allowed(
        &self,
        decision: Decision,
        subject: Subject,
        method: &str,
        out: &mut Outbox,
    ) {
        if !self.rules.records_all {
            return;
        }
        let method = method.to_owned();
        let (sentence, next) = (String::new(), String::new());
        out.events.push(Event { decision, subject, reason: None, method, sentence, next });
    }
}

fn sink(from: Sender, out: &mut Outbox) -> &mut Vec<u8> {
    match from {
        Sender::Client => &mut out.to_server,
        Sender::Server => &mut out.to_client,
    }
}
