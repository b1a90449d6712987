//! Bytes in from either side, bytes out to either side.

use core::time::Duration;
use std::collections::{BTreeMap, BTreeSet};

use facets_surface::Kind;
use memchr::memchr;

use crate::event::{Event, Happening, Subject, Why};
use crate::limiter::Limiter;
use crate::lines::{Course, Line, MOST_HELD, STREAM_FROM, push_line};
use crate::pins::Pins;
use crate::standings::Standings;
use crate::suspects::Suspects;
use crate::walk::{Held, Walk};
use crate::words;

/// What happens when something is not what was approved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnDrift {
    /// It is withheld, and the rest goes on.
    #[default]
    Block,
    /// It is delivered, and said.
    Warn,
    /// The session ends.
    Stop,
}

/// What the guard goes by, beside the pins.
#[derive(Clone, Debug)]
pub struct Rules {
    /// The name of the server, for messages.
    pub server: String,
    /// Where it is pinned, for messages, if that is not where the client begins.
    pub directory: Option<String>,
    /// What happens when something is not what was approved.
    pub on_drift: OnDrift,
    /// Whether the server may ask the model.
    pub sampling: bool,
    /// Whether the server may ask the user.
    pub elicitation: bool,
    /// What begins the ids of the guard's own requests, so that they are nobody else's.
    pub nonce: String,
    /// Whether what goes its way is recorded, too.
    pub records_all: bool,
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Outbox {
    /// To be written to the client.
    pub to_client: Vec<u8>,
    /// To be written to the server.
    pub to_server: Vec<u8>,
    /// To be recorded.
    pub events: Vec<Event>,
    /// The session is to end, for this reason.
    pub stop: Option<String>,
}

/// What a request of the client was, while it waits for its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// Something whose answer is the client's own business.
    Plain,
    /// A list, whose items are compared.
    List(Kind),
    /// The opening, which may bring instructions.
    Opening,
}

/// What one of the guard's own requests was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Own {
    /// A page of a list.
    List(Kind),
    /// Whether it is there.
    Ping,
    /// The client's opening, repeated to a server that was started again.
    Opening,
}

/// Stands between one client and one server.
#[derive(Debug)]
pub struct Guard {
    pub(crate) pins: Pins,
    pub(crate) rules: Rules,
    pub(crate) now: Duration,
    client_line: Line,
    server_line: Line,
    pub(crate) pending: BTreeMap<String, Asked>,
    pub(crate) suspects: Suspects,
    pub(crate) own: BTreeMap<String, Own>,
    next_own: u64,
    pub(crate) standings: Standings,
    pub(crate) held: Vec<Held>,
    pub(crate) walks: BTreeMap<Kind, Walk>,
    pub(crate) changes: BTreeMap<Kind, Limiter>,
    /// The parameters of the client's `initialize`, and whether it has finished the opening.
    pub(crate) opening: Option<String>,
    pub(crate) is_open: bool,
    /// Lists that the server announced, for when it is started again.
    pub(crate) announced: BTreeSet<Kind>,
    /// What the guard itself has to say; it waits while a line of somebody else is on its way.
    pub(crate) say_client: Vec<u8>,
    pub(crate) say_server: Vec<u8>,
    /// Since when it waits.
    waits_since: Option<Duration>,
    said: BTreeSet<(Subject, &'static str)>,
    strays: usize,
}

/// Notices beyond this are in the record only.
const MOST_SAID: usize = 200;
/// Strays and noise beyond this are not even recorded.
const MOST_STRAYS: usize = 1000;

/// How long others wait for the end of a line that is on its way.
const STANDSTILL: Duration = Duration::from_secs(30);

/// Who sent a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum From {
    Client,
    Server,
}

impl Guard {
    /// A guard for a session that is about to begin.
    #[must_use]
    pub fn new(pins: Pins, rules: Rules) -> Self {
        Self {
            pins,
            rules,
            now: Duration::ZERO,
            client_line: Line::default(),
            server_line: Line::default(),
            pending: BTreeMap::new(),
            suspects: Suspects::default(),
            own: BTreeMap::new(),
            next_own: 1,
            standings: Standings::default(),
            held: Vec::new(),
            walks: BTreeMap::new(),
            changes: BTreeMap::new(),
            opening: None,
            is_open: false,
            announced: BTreeSet::new(),
            say_client: Vec::new(),
            say_server: Vec::new(),
            waits_since: None,
            said: BTreeSet::new(),
            strays: 0,
        }
    }

    /// Bytes from the client. `now` is the time since the session began.
    pub fn from_client(&mut self, bytes: &[u8], now: Duration, out: &mut Outbox) {
        self.now = now;
        self.feed(From::Client, bytes, out);
        self.settle(out);
    }

    /// Bytes from the server.
    pub fn from_server(&mut self, bytes: &[u8], now: Duration, out: &mut Outbox) {
        self.now = now;
        self.feed(From::Server, bytes, out);
        self.settle(out);
    }

    /// The client has said its last: a line without an end is a line.
    pub fn client_ended(&mut self, now: Duration, out: &mut Outbox) {
        self.now = now;
        if !self.client_line.held.is_empty() {
            self.end_line(From::Client, &[], out);
        }
        self.settle(out);
    }

    /// Time has passed.
    pub fn tick(&mut self, now: Duration, out: &mut Outbox) {
        self.now = now;
        self.send_owed_changes();
        self.give_up_late_walks(out);
        self.give_up_suspects();
        if self.stalled().is_some_and(|deadline| deadline <= now) {
            // Others wait behind a line that does not end.
            out.to_client.push(b'\n');
            self.server_line.course = Course::Swallow;
        }
        self.settle(out);
    }

    /// When time matters next.
    #[must_use]
    pub fn deadline(&self) -> Option<Duration> {
        let changes = self.changes.values().filter_map(Limiter::deadline);
        changes
            .chain(self.walks.values().map(Walk::deadline))
            .chain(self.stalled())
            .chain(self.suspects.deadline())
            .min()
    }

    /// When a line that is on its way, and that others wait for, takes too long.
    fn stalled(&self) -> Option<Duration> {
        let waits = self.server_line.course == Course::Pass && !self.say_client.is_empty();
        self.waits_since.filter(|_| waits).map(|since| since + STANDSTILL)
    }

    /// Says what the guard has to say, where it does not fall into somebody's line.
    pub(crate) fn settle(&mut self, out: &mut Outbox) {
        if self.server_line.course != Course::Pass {
            out.to_client.append(&mut self.say_client);
            self.waits_since = None;
        } else if !self.say_client.is_empty() {
            self.waits_since.get_or_insert(self.now);
        }
        if self.client_line.course != Course::Pass {
            out.to_server.append(&mut self.say_server);
        }
    }

    /// Whether a server that was started again has not finished its opening: the client waits.
    #[must_use]
    pub fn is_reopening(&self) -> bool {
        self.own.values().any(|own| *own == Own::Opening)
    }

    /// How many requests of the client wait for an answer.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.pending.len() + self.held.len()
    }

    /// What is not as it was approved: the item, and the word for the reason.
    #[must_use]
    pub fn withheld(&self) -> Vec<String> {
        let said = self.said.iter();
        said.map(|(subject, why)| format!("{} {:?}: {why}", subject.word(), subject.name()))
            .collect()
    }

    /// The server has gone: what was on its way either way has no end any more.
    pub(crate) fn break_lines(&mut self, out: &mut Outbox) {
        let line = std::mem::take(&mut self.server_line);
        if line.course == Course::Pass {
            out.to_client.push(b'\n');
        }
        if self.client_line.course == Course::Pass {
            self.client_line.course = Course::Swallow;
            self.client_line.is_lost = true;
        }
        // What was to be said to it is of no use to another.
        self.say_server.clear();
        self.settle(out);
    }

    /// What the guard itself has to say, and cannot yet: bytes for the client and for the server.
    #[must_use]
    pub fn unsaid(&self) -> (usize, usize) {
        (self.say_client.len(), self.say_server.len())
    }

    fn feed(&mut self, from: From, bytes: &[u8], out: &mut Outbox) {
        let mut rest = bytes;
        while let Some(end) = memchr(b'\n', rest) {
            self.end_line(from, &rest[..end], out);
            rest = &rest[end + 1..];
        }
        if !rest.is_empty() {
            self.more(from, rest, out);
        }
    }

    fn line(&mut self, from: From) -> &mut Line {
        match from {
            From::Client => &mut self.client_line,
            From::Server => &mut self.server_line,
        }
    }

    /// More of a line that has not ended.
    fn more(&mut self, from: From, bytes: &[u8], out: &mut Outbox) {
        let mut line = std::mem::take(self.line(from));
        if line.course == Course::Gather {
            line.held.extend_from_slice(bytes);
            if line.held.len() > STREAM_FROM {
                line.look();
                self.set_course(from, &mut line, out);
            }
        } else {
            line.add(bytes, sink(from, out));
        }
        *self.line(from) = line;
    }

    /// Decides over a long line from what is known of it.
    fn set_course(&mut self, from: From, line: &mut Line, out: &mut Outbox) {
        line.course = match from {
            _ if line.is_broken => Course::Swallow,
            From::Client => self.course_of_client(&line.envelope),
            From::Server => self.course_of_server(&line.envelope),
        };
        if line.course == Course::Gather && line.held.len() > MOST_HELD {
            // A reply may still pass: at its end it will be known whose it is.
            let may_pass = from == From::Server && line.envelope.is_reply();
            let may_pass = may_pass && self.may_reply_unseen(line.envelope.facts());
            line.course = if may_pass { Course::Pass } else { Course::Swallow };
        }
        match line.course {
            Course::Gather => {}
            Course::Pass => line.let_go(sink(from, out)),
            Course::Swallow => line.add(&[], sink(from, out)),
        }
    }

    fn end_line(&mut self, from: From, bytes: &[u8], out: &mut Outbox) {
        let line = self.line(from);
        if line.held.is_empty() && line.course == Course::Gather {
            return self.whole(from, bytes, out);
        }
        let mut line = std::mem::take(line);
        match line.course {
            Course::Gather => {
                line.held.extend_from_slice(bytes);
                self.whole(from, &line.held, out);
                // Its memory serves the next one, unless it was an unusual one.
                if line.held.capacity() <= 4 * STREAM_FROM {
                    line.held.clear();
                    self.line(from).held = line.held;
                }
            }
            Course::Pass => {
                line.held.extend_from_slice(bytes);
                self.end_passing(from, &mut line, out);
            }
            Course::Swallow => {
                line.add(bytes, sink(from, out));
                line.look_at_end();
                self.swallowed(from, &line, out);
            }
        }
    }

    fn whole(&mut self, from: From, line: &[u8], out: &mut Outbox) {
        match from {
            From::Client => self.client_line(line, out),
            From::Server => self.server_line(line, out),
        }
    }

    /// The end of a line that is on its way. Without its last byte no reader takes it for a
    /// message.
    fn end_passing(&mut self, from: From, line: &mut Line, out: &mut Outbox) {
        let is_whole = line.look_at_end();
        let facts = line.envelope.facts();
        let refused = match from {
            _ if !is_whole => Some((Subject::Message, Why::Malformed)),
            From::Client => self.end_from_client(facts, out).err(),
            From::Server => {
                self.end_from_server(facts, out).err().map(|why| (Subject::Message, why))
            }
        };
        let Some((subject, why)) = refused else {
            return push_line(&line.held, sink(from, out));
        };
        sink(from, out).push(b'\n');
        match from {
            From::Client => self.refuse_request(facts, subject, &why, out),
            From::Server => self.drop_reply(facts, &why, out),
        }
    }

    /// A long line that went nowhere has ended.
    fn swallowed(&mut self, from: From, line: &Line, out: &mut Outbox) {
        let why = match line {
            _ if line.is_broken => Why::Malformed,
            _ if line.is_lost => Why::ServerEnded,
            _ => Why::TooLarge,
        };
        let facts = line.envelope.facts();
        match from {
            From::Client => self.refuse_long_request(facts, why, out),
            From::Server => self.refuse_long_message(facts, &why, out),
        }
    }

    /// An id for a request of our own.
    pub(crate) fn own_id(&mut self, own: Own) -> String {
        let id = format!("\"{}-{}\"", self.rules.nonce, self.next_own);
        self.next_own += 1;
        self.own.insert(id.clone(), own);
        id
    }

    /// Whether an id is one of ours, also if it is not in use any more.
    pub(crate) fn is_own_id(&self, key: &str) -> bool {
        let begin = key.strip_prefix('"').and_then(|key| key.strip_prefix(&self.rules.nonce));
        begin.is_some_and(|rest| rest.starts_with('-'))
    }

    /// A request of the client is answered, or given up.
    pub(crate) fn no_longer_pending(&mut self, key: &str) -> Option<Asked> {
        let (key, asked) = self.pending.remove_entry(key)?;
        self.suspects.mark_done(key);
        Some(asked)
    }

    /// Records something that is not as it should be, and says it once to the client.
    pub(crate) fn report(
        &mut self,
        happening: Happening,
        subject: Subject,
        why: Why,
        method: &str,
        out: &mut Outbox,
    ) -> String {
        let lookalike = match (&subject, &why) {
            (Subject::Item(kind, name), Why::New) => self.pins.lookalike(*kind, name),
            _ => None,
        };
        let sentence = match why {
            Why::NotGranted => words::not_granted(method),
            _ => words::sentence(&subject, &why, lookalike),
        };
        let subject = subject.shortened();
        let is_drift = matches!(happening, Happening::Withheld | Happening::Tolerated);
        let is_new = is_drift
            && self.said.len() < MOST_SAID
            && self.said.insert((subject.clone(), why.word()));
        if is_new {
            let next = words::next_step(&self.rules, &why, method);
            let word = happening.word();
            let server = &self.rules.server;
            let text = format!("facet: {server}: {word}: {sentence}. Next: {next}");
            self.say_client.extend(words::log_notification(&text));
        }
        if is_drift && self.rules.on_drift == OnDrift::Stop {
            out.stop.get_or_insert_with(|| sentence.clone());
        }
        let event = Event {
            happening,
            subject,
            why: Some(why),
            method: method.to_owned(),
            sentence: sentence.clone(),
        };
        out.events.push(event);
        sentence
    }

    /// Records something of the server that goes no further.
    pub(crate) fn dropped(&mut self, why: Why, method: &str, out: &mut Outbox) {
        self.strays += 1;
        if self.strays <= MOST_STRAYS {
            let sentence = words::sentence(&Subject::Message, &why, None);
            let (happening, subject) = (Happening::Dropped, Subject::Message);
            let method = method.to_owned();
            out.events.push(Event { happening, subject, why: Some(why), method, sentence });
        }
    }

    /// Records something that went its way.
    pub(crate) fn went(
        &self,
        happening: Happening,
        subject: Subject,
        method: &str,
        out: &mut Outbox,
    ) {
        if !self.rules.records_all {
            return;
        }
        let method = method.to_owned();
        let sentence = String::new();
        out.events.push(Event { happening, subject, why: None, method, sentence });
    }
}

fn sink(from: From, out: &mut Outbox) -> &mut Vec<u8> {
    match from {
        From::Client => &mut out.to_server,
        From::Server => &mut out.to_client,
    }
}
