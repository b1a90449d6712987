//! What the client says, and whether it reaches the server.

use facets_digest::json::{self, Member, Object, Provenance, Value};
use facets_surface::Kind;
use facets_wire::{
    Envelope, MessageFacts, MessageShape, id_key, is_mistaken_for, params_of, push_line,
    trim_json_space,
};

use crate::arguments::refused_arguments;
use crate::event::{Decision, Reason, Subject};
use crate::guard::Guard;
use crate::limits::BATCH;
use crate::methods::meant_method;
use crate::open_line::LineMode;
use crate::outbox::Outbox;
use crate::requests::AwaitedReply;
use crate::rules::OnDrift;
use crate::statuses::ItemStatus;
use crate::words;

/// Requests that may wait for an answer at the same time.
const MAX_PENDING: usize = 100_000;
/// Bytes of an address; longer ones are not looked at.
const LONGEST_ADDRESS: usize = 8 << 10;
/// What is asked for by name or address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    Named(Kind),
    Resource,
    Completion,
    Listening,
    List(Kind),
    Opening,
    Unclear,
    Other,
}

/// Every method that is judged.
const JUDGED: [&str; 13] = [
    "tools/call",
    "prompts/get",
    "resources/read",
    "resources/subscribe",
    "resources/unsubscribe",
    "completion/complete",
    "subscriptions/listen",
    "tools/list",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
    "initialize",
    "server/discover",
];

fn target_of(method: &str) -> Target {
    match method {
        "tools/call" => Target::Named(Kind::Tool),
        "prompts/get" => Target::Named(Kind::Prompt),
        "resources/read" | "resources/subscribe" | "resources/unsubscribe" => Target::Resource,
        "completion/complete" => Target::Completion,
        "subscriptions/listen" => Target::Listening,
        "tools/list" => Target::List(Kind::Tool),
        "prompts/list" => Target::List(Kind::Prompt),
        "resources/list" => Target::List(Kind::Resource),
        "resources/templates/list" => Target::List(Kind::ResourceTemplate),
        "initialize" | "server/discover" => Target::Opening,
        // Some server may take it for one of them.
        other if meant_method(other, &JUDGED).is_some() => Target::Unclear,
        _ => Target::Other,
    }
}

/// Whether a message without a method answers a request.
fn is_reply(facts: &MessageFacts) -> bool {
    let answers = facts.has_result != facts.has_error || facts.has_null_result;
    facts.shape == MessageShape::Object && facts.id.is_some() && answers
}

/// A member may be taken for another: some readers do not mind capitals.
struct Ambiguous;

/// The member of this name, if no other may be taken for it.
fn only_member<'o, 'v>(
    object: &'o Object<'v>,
    name: &str,
) -> Result<Option<&'o Value<'v>>, Ambiguous> {
    let is_twin = |other: &Member<'_>| is_mistaken_for(&other.name, name);
    if object.members().iter().any(is_twin) { Err(Ambiguous) } else { Ok(object.get(name)) }
}

/// Whether a request may go on.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Ruling {
    Allow(Option<Subject>),
    Refuse(Subject, Reason),
    /// Not before the server has listed what it has.
    Park(Kind, String),
}

impl Guard {
    /// A whole line.
    pub(crate) fn client_line(&mut self, line: &[u8], out: &mut Outbox) {
        let text = trim_json_space(line);
        match text.first() {
            None => {}
            Some(b'[') => self.client_batch(line, text, out),
            Some(_) => match Envelope::read(text) {
                Ok(facts) => {
                    if self.passes_from_client(&facts, text, out) {
                        push_line(line, &mut out.to_server);
                    }
                }
                Err((facts, _)) => {
                    self.refuse_message(facts.id.as_deref(), &Reason::Malformed, out)
                }
            },
        }
    }

    fn client_batch(&mut self, line: &[u8], text: &[u8], out: &mut Outbox) {
        let Ok(Some(items)) = json::split_array(text, BATCH) else {
            return self.refuse_message(None, &Reason::Malformed, out);
        };
        let mut passed = Vec::new();
        for item in &items {
            if !item.starts_with('{') {
                self.refuse_message(None, &Reason::Malformed, out);
                continue;
            }
            match Envelope::read(item.as_bytes()) {
                Ok(facts) if self.passes_from_client(&facts, item.as_bytes(), out) => {
                    passed.push(*item);
                }
                Ok(_) => {}
                Err((facts, _)) => {
                    self.refuse_message(facts.id.as_deref(), &Reason::Malformed, out)
                }
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
        facts: &MessageFacts,
        text: &[u8],
        out: &mut Outbox,
    ) -> bool {
        let Some(method) = &facts.method else {
            if !is_reply(facts) {
                self.refuse_message(facts.id.as_deref(), &Reason::Malformed, out);
            }
            return is_reply(facts);
        };
        if facts.has_result || facts.has_error || facts.has_null_error {
            self.refuse_message(facts.id.as_deref(), &Reason::Malformed, out);
            return false;
        }
        match method.as_str() {
            "notifications/initialized" => self.is_open = true,
            "notifications/cancelled" => self.on_cancelled(text),
            _ => {}
        }
        if let Some(reason) = self.check_id(facts.id.as_deref()) {
            self.refuse(facts.id.as_deref(), Subject::Message, &reason, method, out);
            return false;
        }
        match self.judge_arguments(self.judge(facts, text), text) {
            Ruling::Allow(subject) => {
                self.expect_answer(facts, Some(text));
                if let Some(subject) = subject {
                    self.record_allowed(Decision::Allowed, subject, method, out);
                }
                true
            }
            Ruling::Refuse(subject, reason) => {
                self.refuse(facts.id.as_deref(), subject, &reason, method, out);
                false
            }
            Ruling::Park(kind, name) => {
                self.park(kind, name, facts, text, out);
                false
            }
        }
    }

    fn check_id(&self, id: Option<&str>) -> Option<Reason> {
        let key = id_key(id?);
        let in_use = self.pending.contains_key(&key)
            || self.own_requests.contains_key(&key)
            || self.parked.iter().any(|held| held.id.as_ref() == Some(&key));
        if in_use {
            return Some(Reason::IdInUse);
        }
        (self.pending.len() + self.parked.len() >= MAX_PENDING).then_some(Reason::TooMany)
    }

    /// Notes that the server owes an answer.
    fn expect_answer(&mut self, facts: &MessageFacts, text: Option<&[u8]>) {
        let (Some(id), Some(method)) = (&facts.id, &facts.method) else { return };
        let asked = match target_of(method) {
            Target::List(kind) => AwaitedReply::List(kind),
            Target::Opening => AwaitedReply::Opening,
            _ => AwaitedReply::Plain,
        };
        if method == "initialize" {
            self.opening = text.and_then(|text| params_of(text, BATCH)).map(str::to_owned);
        }
        self.first_answer.on_request(method, self.now);
        self.pending.insert(id_key(id), asked);
    }

    fn judge(&self, facts: &MessageFacts, text: &[u8]) -> Ruling {
        let method = facts.method.as_deref().unwrap_or_default();
        match target_of(method) {
            Target::Named(kind) => self.judge_named(kind, facts),
            Target::Resource => self.judge_resource(facts),
            Target::Completion => self.judge_completion(text),
            Target::Listening => self.judge_listening(text),
            Target::Unclear => Ruling::Refuse(Subject::Message, Reason::Ambiguous),
            Target::List(_) | Target::Opening | Target::Other => Ruling::Allow(None),
        }
    }

    /// Of a call that may go on, whether its arguments may.
    fn judge_arguments(&self, ruling: Ruling, text: &[u8]) -> Ruling {
        match (&self.rules.arguments, ruling) {
            (Some(check), Ruling::Allow(Some(Subject::Item(Kind::Tool, tool)))) => {
                // Where changes are tolerated, a tool may be called that has no approved schema.
                let is_pinned = self.pins.contains(Kind::Tool, &tool);
                let refused = if is_pinned {
                    refused_arguments(&**check, &tool, text)
                } else {
                    Some(Reason::Unknown)
                };
                let subject = Subject::Item(Kind::Tool, tool);
                match refused {
                    Some(reason) => Ruling::Refuse(subject, reason),
                    None => Ruling::Allow(Some(subject)),
                }
            }
            (_, ruling) => ruling,
        }
    }

    fn judge_named(&self, kind: Kind, facts: &MessageFacts) -> Ruling {
        let Some(name) = facts.name.as_ref().filter(|_| !facts.has_duplicate_params) else {
            return Ruling::Refuse(Subject::Message, Reason::Ambiguous);
        };
        let subject = Subject::Item(kind, name.clone());
        if self.rules.on_drift == OnDrift::Warn {
            return Ruling::Allow(Some(subject));
        }
        if !self.pins.contains(kind, name) {
            let reason = self.unapproved(&subject);
            return Ruling::Refuse(subject, reason);
        }
        match self.statuses.get(kind, name) {
            Some(ItemStatus::Approved) => Ruling::Allow(Some(subject)),
            Some(ItemStatus::Withheld(reason)) => Ruling::Refuse(subject, reason.clone()),
            None => Ruling::Park(kind, name.clone()),
        }
    }

    fn judge_resource(&self, facts: &MessageFacts) -> Ruling {
        let Some(uri) = facts.uri.as_ref().filter(|_| !facts.has_duplicate_params) else {
            return Ruling::Refuse(Subject::Message, Reason::Ambiguous);
        };
        self.judge_uri(uri)
    }

    fn judge_uri(&self, uri: &str) -> Ruling {
        if uri.len() > LONGEST_ADDRESS {
            return Ruling::Refuse(Subject::Message, Reason::Ambiguous);
        }
        let subject = Subject::Item(Kind::Resource, uri.to_owned());
        if self.rules.on_drift == OnDrift::Warn {
            return Ruling::Allow(Some(subject));
        }
        match self.statuses.get(Kind::Resource, uri) {
            Some(ItemStatus::Withheld(reason)) => Ruling::Refuse(subject, reason.clone()),
            _ if self.statuses.is_withheld_address(uri) => {
                Ruling::Refuse(subject, Reason::NotCovered)
            }
            _ if self.covers(uri) => Ruling::Allow(Some(subject)),
            _ => Ruling::Refuse(subject, Reason::NotCovered),
        }
    }

    fn covers(&self, uri: &str) -> bool {
        let status = |name: &str| self.statuses.get(Kind::ResourceTemplate, name);
        self.pins.covers(uri, |name| matches!(status(name), Some(ItemStatus::Withheld(_))))
    }

    /// A stream of notifications may be about resources, each of which has to be approved.
    fn judge_listening(&self, text: &[u8]) -> Ruling {
        let unclear = Ruling::Refuse(Subject::Message, Reason::Ambiguous);
        let Ok(message) = json::parse(text, Provenance::Captured, BATCH) else { return unclear };
        let mut place = Some(&message);
        for name in ["params", "notifications", "resourceSubscriptions"] {
            place = match place {
                Some(Value::Object(object)) => match only_member(object, name) {
                    Ok(value) => value,
                    Err(Ambiguous) => return unclear,
                },
                None => None,
                Some(_) => return unclear,
            };
        }
        let wanted = match place {
            None => return Ruling::Allow(None),
            Some(Value::Array(wanted)) => wanted,
            Some(_) => return unclear,
        };
        for one in wanted {
            let Value::String(uri) = one else { return unclear };
            if let refused @ Ruling::Refuse(..) = self.judge_uri(uri) {
                return refused;
            }
        }
        Ruling::Allow(None)
    }

    /// A completion is about a prompt, or about a resource template.
    fn judge_completion(&self, text: &[u8]) -> Ruling {
        let unclear = Ruling::Refuse(Subject::Message, Reason::Ambiguous);
        let Ok(Value::Object(message)) = json::parse(text, Provenance::Captured, BATCH) else {
            return unclear;
        };
        let Ok(Some(Value::Object(params))) = only_member(&message, "params") else {
            return unclear;
        };
        let Ok(Some(Value::Object(reference))) = only_member(params, "ref") else {
            return unclear;
        };
        let known = ["name", "uri", "type", "title"];
        if known.iter().any(|name| only_member(reference, name).is_err()) {
            return unclear;
        }
        let is_other = |name: &str| {
            reference.get(name).is_some_and(|value| !matches!(value, Value::String(_)))
        };
        if is_other("name") || is_other("uri") {
            return unclear;
        }
        let member = |name: &str| match reference.get(name) {
            Some(Value::String(text)) => Some(text.to_string()),
            _ => None,
        };
        match (member("name"), member("uri")) {
            (Some(name), None) => {
                self.judge_completed(Subject::Item(Kind::Prompt, name.clone()), Kind::Prompt, &name)
            }
            (None, Some(uri)) if self.pins.contains(Kind::ResourceTemplate, &uri) => {
                let subject = Subject::Item(Kind::ResourceTemplate, uri.clone());
                self.judge_completed(subject, Kind::ResourceTemplate, &uri)
            }
            (None, Some(uri)) => self.judge_uri(&uri),
            _ => unclear,
        }
    }

    fn judge_completed(&self, subject: Subject, kind: Kind, name: &str) -> Ruling {
        if self.rules.on_drift == OnDrift::Warn {
            return Ruling::Allow(Some(subject));
        }
        match self.statuses.get(kind, name) {
            Some(ItemStatus::Withheld(reason)) => Ruling::Refuse(subject, reason.clone()),
            _ if self.pins.contains(kind, name) => Ruling::Allow(Some(subject)),
            _ => {
                let reason = self.unapproved(&subject);
                Ruling::Refuse(subject, reason)
            }
        }
    }

    /// The client does not wait any more: its place is free.
    fn on_cancelled(&mut self, text: &[u8]) {
        let Some(params) = params_of(text, BATCH) else { return };
        let members = json::split_object(params.as_bytes(), BATCH).ok().flatten();
        let id = members.iter().flatten().find(|member| member.name == "requestId");
        let Some(key) = id.map(|member| id_key(member.value)) else { return };
        if self.pending.get(&key) == Some(&AwaitedReply::Plain) {
            self.no_longer_pending(&key);
        }
        self.parked.retain(|held| held.id.as_ref() != Some(&key));
    }

    /// Answers a request in the server's place.
    pub(crate) fn refuse(
        &mut self,
        id: Option<&str>,
        subject: Subject,
        reason: &Reason,
        method: &str,
        out: &mut Outbox,
    ) {
        let sentence = self.report(Decision::Refused, subject, reason.clone(), method, out);
        if let Some(id) = id {
            self.send_to_client(&words::refusal(id, &self.rules, reason, &sentence));
        }
    }

    pub(crate) fn refuse_message(&mut self, id: Option<&str>, reason: &Reason, out: &mut Outbox) {
        self.refuse(id.or(Some("null")), Subject::Message, reason, "", out);
    }

    /// What becomes of a long line, from what is known of it.
    pub(crate) fn mode_of_client_line(&self, envelope: &Envelope) -> LineMode {
        let facts = envelope.facts();
        let Some(method) = &facts.method else {
            return if envelope.is_reply() { LineMode::Pass } else { LineMode::Gather };
        };
        let answer = match target_of(method) {
            // Its arguments have to be seen whole.
            Target::Named(Kind::Tool) if self.rules.arguments.is_some() => return LineMode::Gather,
            Target::Named(kind) if facts.name.is_some() => self.judge_named(kind, facts),
            Target::Unclear => return LineMode::Discard,
            Target::Resource if facts.uri.is_some() => self.judge_resource(facts),
            Target::Other if method != "notifications/cancelled" => Ruling::Allow(None),
            _ => return LineMode::Gather,
        };
        match answer {
            Ruling::Allow(_) => LineMode::Pass,
            Ruling::Refuse(..) => LineMode::Discard,
            Ruling::Park(..) => LineMode::Gather,
        }
    }

    /// The end of a long line that is on its way: its last byte follows, or the reason why not.
    pub(crate) fn end_from_client(
        &mut self,
        facts: &MessageFacts,
        out: &mut Outbox,
    ) -> Result<(), (Subject, Reason)> {
        let Some(method) = &facts.method else {
            let malformed = (Subject::Message, Reason::Malformed);
            return if is_reply(facts) { Ok(()) } else { Err(malformed) };
        };
        if facts.has_result || facts.has_error || facts.has_null_error {
            return Err((Subject::Message, Reason::Malformed));
        }
        // It may have named something else once more behind what was seen first.
        let subject = match self.judge(facts, b"") {
            Ruling::Allow(subject) => subject,
            Ruling::Refuse(subject, reason) => return Err((subject, reason)),
            // What was listed when it began is not any more.
            Ruling::Park(kind, name) => {
                return Err((Subject::Item(kind, name), Reason::Unverified));
            }
        };
        if let Some(reason) = self.check_id(facts.id.as_deref()) {
            return Err((Subject::Message, reason));
        }
        self.expect_answer(facts, None);
        if let Some(subject) = subject {
            self.record_allowed(Decision::Allowed, subject, method, out);
        }
        Ok(())
    }

    /// A long line that did not go on has ended.
    pub(crate) fn refuse_long_request(
        &mut self,
        facts: &MessageFacts,
        reason: Reason,
        out: &mut Outbox,
    ) {
        let (subject, reason) = match self.judge(facts, b"") {
            Ruling::Refuse(subject, reason) => (subject, reason),
            _ => (Subject::Message, reason),
        };
        self.refuse_request(facts, subject, &reason, out);
    }

    /// Refuses what is known of a line; only a notification has nobody who waits.
    pub(crate) fn refuse_request(
        &mut self,
        facts: &MessageFacts,
        subject: Subject,
        reason: &Reason,
        out: &mut Outbox,
    ) {
        let method = facts.method.as_deref().unwrap_or_default();
        let id = facts.id.as_deref().or(facts.method.is_none().then_some("null"));
        self.refuse(id, subject, reason, method, out);
    }
}
