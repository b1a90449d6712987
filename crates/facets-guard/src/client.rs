//! What the client says, and whether it reaches the server.

use facets_digest::json::{self, Limits, Provenance, Value};
use facets_surface::Kind;

use crate::envelope::{Envelope, Facts, is_same_but_for_case};
use crate::event::{Happening, Subject, Why};
use crate::guard::{Asked, Guard, OnDrift, Outbox};
use crate::id::id_key;
use crate::lines::{Course, MOST_HELD, push_line};
use crate::standings::Standing;
use crate::words;

/// Requests that may wait for an answer at the same time.
const MOST_PENDING: usize = 100_000;
/// A batch and what it holds.
pub(crate) const BATCH: Limits = Limits { bytes: MOST_HELD, depth: 200, values: 4_000_000 };

/// What is asked for by name or address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    Named(Kind),
    Resource,
    Completion,
    Listening,
    List(Kind),
    Opening,
    Other,
}

fn wanted(method: &str) -> Wanted {
    match method {
        "tools/call" => Wanted::Named(Kind::Tool),
        "prompts/get" => Wanted::Named(Kind::Prompt),
        "resources/read" | "resources/subscribe" | "resources/unsubscribe" => Wanted::Resource,
        "completion/complete" => Wanted::Completion,
        "subscriptions/listen" => Wanted::Listening,
        "tools/list" => Wanted::List(Kind::Tool),
        "prompts/list" => Wanted::List(Kind::Prompt),
        "resources/list" => Wanted::List(Kind::Resource),
        "resources/templates/list" => Wanted::List(Kind::ResourceTemplate),
        "initialize" | "server/discover" => Wanted::Opening,
        _ => Wanted::Other,
    }
}

/// Whether a request may go on.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Answer {
    Yes(Option<Subject>),
    No(Subject, Why),
    /// Not before the server has listed what it has.
    Wait(Kind, String),
}

impl Guard {
    /// A whole line.
    pub(crate) fn client_line(&mut self, line: &[u8], out: &mut Outbox) {
        let text = line.trim_ascii();
        match text.first() {
            None => {}
            Some(b'[') => self.client_batch(line, text, out),
            Some(_) => match Envelope::read(text) {
                Ok(facts) => {
                    if self.passes_from_client(&facts, text, out) {
                        push_line(line, &mut out.to_server);
                    }
                }
                Err((facts, _)) => self.refuse_message(facts.id.as_deref(), &Why::Malformed, out),
            },
        }
    }

    fn client_batch(&mut self, line: &[u8], text: &[u8], out: &mut Outbox) {
        let Ok(Some(items)) = json::split_array(text, BATCH) else {
            return self.refuse_message(None, &Why::Malformed, out);
        };
        let mut passed = Vec::new();
        for item in &items {
            if !item.starts_with('{') {
                self.refuse_message(None, &Why::Malformed, out);
                continue;
            }
            match Envelope::read(item.as_bytes()) {
                Ok(facts) if self.passes_from_client(&facts, item.as_bytes(), out) => {
                    passed.push(*item);
                }
                Ok(_) => {}
                Err((facts, _)) => self.refuse_message(facts.id.as_deref(), &Why::Malformed, out),
            }
        }
        if passed.len() == items.len() {
            push_line(line, &mut out.to_server);
        } else if !passed.is_empty() {
            push_line(format!("[{}]", passed.join(",")).as_bytes(), &mut out.to_server);
        }
    }

    /// Judges one message, and does whatever follows if it does not go on.
    pub(crate) fn passes_from_client(
        &mut self,
        facts: &Facts,
        text: &[u8],
        out: &mut Outbox,
    ) -> bool {
        let Some(method) = &facts.method else { return true };
        if facts.has_result || facts.has_error {
            self.refuse_message(facts.id.as_deref(), &Why::Malformed, out);
            return false;
        }
        match method.as_str() {
            "notifications/initialized" => self.is_open = true,
            "notifications/cancelled" => self.forget_cancelled(text),
            _ => {}
        }
        if let Some(why) = self.id_trouble(facts.id.as_deref()) {
            self.refuse(facts.id.as_deref(), Subject::Message, &why, method, out);
            return false;
        }
        match self.judge(facts, text) {
            Answer::Yes(subject) => {
                self.expect_answer(facts, Some(text));
                if let Some(subject) = subject {
                    self.went(Happening::Allowed, subject, method, out);
                }
                true
            }
            Answer::No(subject, why) => {
                self.refuse(facts.id.as_deref(), subject, &why, method, out);
                false
            }
            Answer::Wait(kind, name) => {
                self.hold(kind, name, facts, text, out);
                false
            }
        }
    }

    fn id_trouble(&self, id: Option<&str>) -> Option<Why> {
        let key = id_key(id?);
        let in_use = self.pending.contains_key(&key)
            || self.own.contains_key(&key)
            || self.held.iter().any(|held| held.id.as_ref() == Some(&key));
        if in_use {
            return Some(Why::IdInUse);
        }
        (self.pending.len() + self.held.len() >= MOST_PENDING).then_some(Why::TooMany)
    }

    /// Notes that the server owes an answer.
    fn expect_answer(&mut self, facts: &Facts, text: Option<&[u8]>) {
        let (Some(id), Some(method)) = (&facts.id, &facts.method) else { return };
        let asked = match wanted(method) {
            Wanted::List(kind) => Asked::List(kind),
            Wanted::Opening => Asked::Opening,
            _ => Asked::Plain,
        };
        if method == "initialize" {
            self.opening = text.and_then(params_of);
        }
        self.pending.insert(id_key(id), asked);
    }

    fn judge(&self, facts: &Facts, text: &[u8]) -> Answer {
        let method = facts.method.as_deref().unwrap_or_default();
        match wanted(method) {
            Wanted::Named(kind) => self.judge_named(kind, facts),
            Wanted::Resource => self.judge_resource(facts),
            Wanted::Completion => self.judge_completion(text),
            Wanted::Listening => self.judge_listening(text),
            Wanted::List(_) | Wanted::Opening | Wanted::Other => Answer::Yes(None),
        }
    }

    fn judge_named(&self, kind: Kind, facts: &Facts) -> Answer {
        let Some(name) = facts.name.as_ref().filter(|_| !facts.has_twins_in_params) else {
            return Answer::No(Subject::Message, Why::Ambiguous);
        };
        let subject = Subject::Item(kind, name.clone());
        if self.rules.on_drift == OnDrift::Warn {
            return Answer::Yes(Some(subject));
        }
        if !self.pins.contains(kind, name) {
            return Answer::No(subject, Why::New);
        }
        match self.standings.get(kind, name) {
            Some(Standing::Approved) => Answer::Yes(Some(subject)),
            Some(Standing::Withheld(why)) => Answer::No(subject, why.clone()),
            None => Answer::Wait(kind, name.clone()),
        }
    }

    fn judge_resource(&self, facts: &Facts) -> Answer {
        let Some(uri) = facts.uri.as_ref().filter(|_| !facts.has_twins_in_params) else {
            return Answer::No(Subject::Message, Why::Ambiguous);
        };
        self.judge_uri(uri)
    }

    fn judge_uri(&self, uri: &str) -> Answer {
        let subject = Subject::Item(Kind::Resource, uri.to_owned());
        if self.rules.on_drift == OnDrift::Warn {
            return Answer::Yes(Some(subject));
        }
        match self.standings.get(Kind::Resource, uri) {
            Some(Standing::Withheld(why)) => Answer::No(subject, why.clone()),
            _ if self.covers(uri) => Answer::Yes(Some(subject)),
            _ => Answer::No(subject, Why::NotCovered),
        }
    }

    fn covers(&self, uri: &str) -> bool {
        let standing = |name: &str| self.standings.get(Kind::ResourceTemplate, name);
        self.pins.covers(uri, |name| matches!(standing(name), Some(Standing::Withheld(_))))
    }

    /// A stream of notifications may be about resources, each of which has to be approved.
    fn judge_listening(&self, text: &[u8]) -> Answer {
        let unclear = Answer::No(Subject::Message, Why::Ambiguous);
        let Ok(message) = json::parse(text, Provenance::Captured, BATCH) else { return unclear };
        let mut place = Some(&message);
        for name in ["params", "notifications", "resourceSubscriptions"] {
            place = match place {
                Some(Value::Object(object)) => object.get(name),
                None => None,
                Some(_) => return unclear,
            };
        }
        let wanted = match place {
            None => return Answer::Yes(None),
            Some(Value::Array(wanted)) => wanted,
            Some(_) => return unclear,
        };
        for one in wanted {
            let Value::String(uri) = one else { return unclear };
            if let refused @ Answer::No(..) = self.judge_uri(uri) {
                return refused;
            }
        }
        Answer::Yes(None)
    }

    /// A completion is about a prompt, or about a resource template.
    fn judge_completion(&self, text: &[u8]) -> Answer {
        let parsed = json::parse(text, Provenance::Captured, BATCH);
        let reference = match &parsed {
            Ok(Value::Object(message)) => match message.get("params") {
                Some(Value::Object(params)) => params.get("ref"),
                _ => None,
            },
            _ => None,
        };
        let Some(Value::Object(reference)) = reference else {
            return Answer::No(Subject::Message, Why::Ambiguous);
        };
        let member = |name: &str| match reference.get(name) {
            Some(Value::String(text)) => Some(text.to_string()),
            _ => None,
        };
        // Names in other letters are read by some and not by others.
        let known = ["name", "uri", "type", "title"];
        let is_odd = |name: &str| {
            known.iter().any(|known| name != *known && is_same_but_for_case(name, known))
        };
        if reference.members().iter().any(|member| is_odd(&member.name)) {
            return Answer::No(Subject::Message, Why::Ambiguous);
        }
        match (member("name"), member("uri")) {
            (Some(name), None) => {
                self.judge_completed(Subject::Item(Kind::Prompt, name.clone()), Kind::Prompt, &name)
            }
            (None, Some(uri)) if self.pins.contains(Kind::ResourceTemplate, &uri) => {
                let subject = Subject::Item(Kind::ResourceTemplate, uri.clone());
                self.judge_completed(subject, Kind::ResourceTemplate, &uri)
            }
            (None, Some(uri)) => self.judge_uri(&uri),
            _ => Answer::No(Subject::Message, Why::Ambiguous),
        }
    }

    fn judge_completed(&self, subject: Subject, kind: Kind, name: &str) -> Answer {
        if self.rules.on_drift == OnDrift::Warn {
            return Answer::Yes(Some(subject));
        }
        match self.standings.get(kind, name) {
            Some(Standing::Withheld(why)) => Answer::No(subject, why.clone()),
            _ if self.pins.contains(kind, name) => Answer::Yes(Some(subject)),
            _ => Answer::No(subject, Why::New),
        }
    }

    /// The client does not wait any more: its place is free.
    fn forget_cancelled(&mut self, text: &[u8]) {
        let Some(params) = params_of(text) else { return };
        let members = json::split_object(params.as_bytes(), BATCH).ok().flatten();
        let id = members.iter().flatten().find(|member| member.name == "requestId");
        let Some(key) = id.map(|member| id_key(member.value)) else { return };
        if self.pending.get(&key) == Some(&Asked::Plain) {
            self.no_longer_pending(&key);
        }
        self.held.retain(|held| held.id.as_ref() != Some(&key));
    }

    /// Answers a request in the server's place.
    pub(crate) fn refuse(
        &mut self,
        id: Option<&str>,
        subject: Subject,
        why: &Why,
        method: &str,
        out: &mut Outbox,
    ) {
        let sentence = self.report(Happening::Refused, subject, why.clone(), method, out);
        if let Some(id) = id {
            let line = words::refusal(id, &self.rules, why, method, &sentence);
            self.say_client.extend(line);
        }
    }

    pub(crate) fn refuse_message(&mut self, id: Option<&str>, why: &Why, out: &mut Outbox) {
        self.refuse(id.or(Some("null")), Subject::Message, why, "", out);
    }

    /// What becomes of a long line, from what is known of it.
    pub(crate) fn course_of_client(&self, envelope: &Envelope) -> Course {
        let facts = envelope.facts();
        let Some(method) = &facts.method else {
            return if envelope.is_reply() { Course::Pass } else { Course::Gather };
        };
        let answer = match wanted(method) {
            Wanted::Named(kind) if facts.name.is_some() => self.judge_named(kind, facts),
            Wanted::Resource if facts.uri.is_some() => self.judge_resource(facts),
            Wanted::Other if method != "notifications/cancelled" => Answer::Yes(None),
            _ => return Course::Gather,
        };
        match answer {
            Answer::Yes(_) => Course::Pass,
            Answer::No(..) => Course::Swallow,
            Answer::Wait(..) => Course::Gather,
        }
    }

    /// The end of a long line that is on its way: its last byte follows, or why not.
    pub(crate) fn end_from_client(
        &mut self,
        facts: &Facts,
        out: &mut Outbox,
    ) -> Result<(), (Subject, Why)> {
        let Some(method) = &facts.method else { return Ok(()) };
        if facts.has_result || facts.has_error {
            return Err((Subject::Message, Why::Malformed));
        }
        // It may have named something else once more behind what was seen first.
        let subject = match self.judge(facts, b"") {
            Answer::Yes(subject) => subject,
            Answer::No(subject, why) => return Err((subject, why)),
            // What was listed when it began is not any more.
            Answer::Wait(kind, name) => return Err((Subject::Item(kind, name), Why::Unverified)),
        };
        if let Some(why) = self.id_trouble(facts.id.as_deref()) {
            return Err((Subject::Message, why));
        }
        self.expect_answer(facts, None);
        if let Some(subject) = subject {
            self.went(Happening::Allowed, subject, method, out);
        }
        Ok(())
    }

    /// A long line that did not go on has ended.
    pub(crate) fn refuse_long_request(&mut self, facts: &Facts, why: Why, out: &mut Outbox) {
        let (subject, why) = match self.judge(facts, b"") {
            Answer::No(subject, reason) if why != Why::Malformed => (subject, reason),
            _ => (Subject::Message, why),
        };
        self.refuse_request(facts, subject, &why, out);
    }

    /// Refuses what is known of a line; only a notification has nobody who waits.
    pub(crate) fn refuse_request(
        &mut self,
        facts: &Facts,
        subject: Subject,
        why: &Why,
        out: &mut Outbox,
    ) {
        let method = facts.method.as_deref().unwrap_or_default();
        let id = facts.id.as_deref().or(facts.method.is_none().then_some("null"));
        self.refuse(id, subject, why, method, out);
    }
}

/// The parameters of a message, as they are written.
pub(crate) fn params_of(text: &[u8]) -> Option<String> {
    let members = json::split_object(text, BATCH).ok().flatten()?;
    let params = members.into_iter().find(|member| member.name == "params")?;
    Some(params.value.to_owned())
}
