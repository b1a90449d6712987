//! What the server says, and whether it reaches the client.

use facets_digest::json::{self, Limits, Value};
use facets_surface::Kind;
use memchr::memmem;

use crate::client::{BATCH, params_of};
use crate::envelope::{Envelope, Facts, Shape, is_same_but_for_case};
use crate::event::{Event, Happening, Subject, Why};
use crate::guard::{Asked, Guard, Outbox, Own};
use crate::id::id_key;
use crate::lines::{Course, push_line};
use crate::words;

/// What becomes of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Pass,
    Drop,
    /// This instead, without a line end.
    Replace(Vec<u8>),
}

impl Guard {
    /// A whole line.
    pub(crate) fn server_line(&mut self, line: &[u8], out: &mut Outbox) {
        let text = line.trim_ascii();
        match text.first() {
            None => {}
            Some(b'{') => match self.fate(text, out) {
                Fate::Pass => push_line(line, &mut out.to_client),
                Fate::Drop => {}
                Fate::Replace(other) => push_line(&other, &mut out.to_client),
            },
            Some(b'[') => self.server_batch(line, text, out),
            Some(_) => self.dropped(Why::Noise, "", out),
        }
    }

    fn server_batch(&mut self, line: &[u8], text: &[u8], out: &mut Outbox) {
        let Ok(Some(items)) = json::split_array(text, BATCH) else {
            return self.lost_batch(Why::Malformed, out);
        };
        let mut is_whole = true;
        let mut passed: Vec<u8> = Vec::new();
        for item in &items {
            let fate =
                if item.starts_with('{') { self.fate(item.as_bytes(), out) } else { Fate::Drop };
            let bytes = match &fate {
                Fate::Pass => item.as_bytes(),
                Fate::Replace(other) => other,
                Fate::Drop => b"",
            };
            is_whole &= fate == Fate::Pass;
            if !bytes.is_empty() {
                passed.push(if passed.is_empty() { b'[' } else { b',' });
                passed.extend_from_slice(bytes);
            }
        }
        if is_whole {
            push_line(line, &mut out.to_client);
        } else if !passed.is_empty() {
            passed.push(b']');
            push_line(&passed, &mut out.to_client);
        }
    }

    /// Answers were lost, and nobody knows whose: nobody waits for them any longer.
    fn lost_batch(&mut self, why: Why, out: &mut Outbox) {
        let sentence = "the server's answers cannot be read".to_owned();
        for id in core::mem::take(&mut self.pending).into_keys() {
            self.say_client.extend(words::refusal(&id, &self.rules, &why, "", &sentence));
            self.suspects.mark_done(id);
        }
        self.dropped(why, "", out);
    }

    fn fate(&mut self, text: &[u8], out: &mut Outbox) -> Fate {
        let facts = match Envelope::read(text) {
            Ok(facts) => facts,
            Err((facts, _)) => {
                self.drop_reply(&facts, &Why::Malformed, out);
                return Fate::Drop;
            }
        };
        match (&facts.method, &facts.id, facts.has_result, facts.has_error) {
            (Some(method), None, false, false) => self.told(method, text, out),
            (Some(method), Some(id), false, false) => self.asked(method, id, out),
            (None, Some(id), true, false) | (None, Some(id), false, true) => {
                self.answered(id, &facts, text, out)
            }
            // Both, or neither.
            (None, Some(_), _, _) => {
                self.drop_reply(&facts, &Why::Malformed, out);
                Fate::Drop
            }
            _ => {
                self.dropped(Why::Noise, facts.method.as_deref().unwrap_or_default(), out);
                Fate::Drop
            }
        }
    }

    /// A notification.
    fn told(&mut self, method: &str, text: &[u8], out: &mut Outbox) -> Fate {
        let Some(kind) = changed_list(method) else {
            return self.told_otherwise(method, text, out);
        };
        self.forget_approved(kind);
        if !self.changes.entry(kind).or_default().allows(text, self.now) {
            self.dropped(Why::TooMany, method, out);
            return Fate::Drop;
        }
        Fate::Pass
    }

    /// A notification may bring questions along, too; where something is denied, none of those
    /// passes that does.
    fn told_otherwise(&mut self, method: &str, text: &[u8], out: &mut Outbox) -> Fate {
        if method == LOG && speaks_as_facet(text) {
            self.dropped(Why::Ambiguous, method, out);
            return Fate::Drop;
        }
        if self.rules.sampling && self.rules.elicitation {
            return Fate::Pass;
        }
        let params = params_of(text).unwrap_or_else(|| "{}".to_owned());
        let members = json::split_object(params.as_bytes(), BATCH);
        let asks = |name: &str| is_same_but_for_case(name, "inputrequests");
        let passes = match &members {
            Ok(Some(members)) => !members.iter().any(|member| asks(&member.name)),
            Ok(None) => true,
            Err(_) => false,
        };
        if passes {
            return Fate::Pass;
        }
        self.report(Happening::Denied, Subject::Message, Why::NotGranted, method, out);
        Fate::Drop
    }

    fn forget_approved(&mut self, kind: Kind) {
        let also = (kind == Kind::Resource).then_some(Kind::ResourceTemplate);
        for kind in also.into_iter().chain([kind]) {
            self.standings.forget_approved(kind);
            self.void_walk(kind);
        }
    }

    pub(crate) fn send_owed_changes(&mut self) {
        let now = self.now;
        let due = |(kind, limiter): (&Kind, &mut crate::limiter::Limiter)| {
            limiter.due(now).map(|text| (*kind, text))
        };
        let due: Vec<(Kind, Vec<u8>)> = self.changes.iter_mut().filter_map(due).collect();
        for (_, text) in due {
            push_line(&text, &mut self.say_client);
        }
    }

    /// A request to the client.
    fn asked(&mut self, method: &str, id: &str, out: &mut Outbox) -> Fate {
        match self.is_granted(method) {
            None => Fate::Pass,
            Some(true) => {
                Self::asks(method, out);
                Fate::Pass
            }
            Some(false) => {
                let why = Why::NotGranted;
                self.report(Happening::Denied, Subject::Message, why, method, out);
                let line = self.not_granted(id, method);
                self.say_server.extend(line);
                Fate::Drop
            }
        }
    }

    /// Whether something that has to be granted is; none if it does not have to be.
    fn is_granted(&self, method: &str) -> Option<bool> {
        if is_same_but_for_case(method, "sampling/createmessage") {
            Some(self.rules.sampling)
        } else if is_same_but_for_case(method, "elicitation/create") {
            Some(self.rules.elicitation)
        } else {
            None
        }
    }

    fn answered(&mut self, id: &str, facts: &Facts, text: &[u8], out: &mut Outbox) -> Fate {
        let key = id_key(id);
        if let Some(own) = self.own.remove(&key) {
            self.own_answered(own, facts, text, out);
            return Fate::Drop;
        }
        let Some(asked) = self.no_longer_pending(&key) else {
            // An error that could not be attributed has no id.
            if key == "null" && facts.has_error {
                return Fate::Pass;
            }
            // One of ours that came too late was not meant for anybody else.
            if !self.is_own_id(&key) {
                self.suspects.stray(&key, self.pending.keys(), self.now);
            }
            self.dropped(Why::Stray, "", out);
            return Fate::Drop;
        };
        if let Some(fate) = self.asks_along(id, facts, text, out) {
            return fate;
        }
        match asked {
            _ if facts.has_error => Fate::Pass,
            Asked::Plain => Fate::Pass,
            Asked::List(kind) => match self.filtered(kind, id, text, out) {
                Ok(page) => {
                    self.went(Happening::Listed, Subject::Message, kind.method(), out);
                    Fate::Replace(page.line)
                }
                Err(why) => self.replaced_by_error(id, &why, kind.method(), out),
            },
            Asked::Opening => self.opened(id, text, out),
        }
    }

    fn own_answered(&mut self, own: Own, facts: &Facts, text: &[u8], out: &mut Outbox) {
        match own {
            Own::List(kind) => self.walked(kind, facts, text, out),
            Own::Opening => self.reopened(facts, text, out),
            Own::Ping => {}
        }
    }

    pub(crate) fn replaced_by_error(
        &mut self,
        id: &str,
        why: &Why,
        method: &str,
        out: &mut Outbox,
    ) -> Fate {
        let subject = Subject::Message;
        let sentence = self.report(Happening::Dropped, subject, why.clone(), method, out);
        let mut line = words::refusal(id, &self.rules, why, "", &sentence);
        line.pop();
        Fate::Replace(line)
    }

    /// An answer may bring questions to the model or the user along, which have to be granted.
    fn asks_along(
        &mut self,
        id: &str,
        facts: &Facts,
        text: &[u8],
        out: &mut Outbox,
    ) -> Option<Fate> {
        // A word that is written with escapes matters only where something is denied.
        let words: [&[u8]; 2] = [b"input_required", b"-32042"];
        let may_ask = words.iter().any(|word| memmem::find(text, word).is_some());
        if self.rules.sampling && self.rules.elicitation && !may_ask {
            return None;
        }
        let methods = if facts.has_error { url_elicitation(text) } else { input_requests(text) };
        let Some(methods) = methods else {
            return Some(self.replaced_by_error(id, &Why::Malformed, "", out));
        };
        for method in methods {
            match self.is_granted(&method) {
                None => {}
                Some(true) => Self::asks(&method, out),
                Some(false) => {
                    let why = Why::NotGranted;
                    self.report(Happening::Denied, Subject::Message, why, &method, out);
                    let mut line = self.not_granted(id, &method);
                    line.pop();
                    return Some(Fate::Replace(line));
                }
            }
        }
        None
    }

    /// Whoever waits for an answer that came under an id of nobody's is told.
    pub(crate) fn give_up_suspects(&mut self) {
        let sentence = "the server answered under an id that nobody used".to_owned();
        for id in self.suspects.late(self.now) {
            if self.no_longer_pending(&id).is_some() {
                let line = words::refusal(&id, &self.rules, &Why::Stray, "", &sentence);
                self.say_client.extend(line);
            }
        }
    }

    fn not_granted(&self, id: &str, method: &str) -> Vec<u8> {
        words::refusal(id, &self.rules, &Why::NotGranted, method, &words::not_granted(method))
    }

    /// A question to the model or the user goes its way, and is always recorded.
    fn asks(method: &str, out: &mut Outbox) {
        let sentence = format!("the server asks for {method}");
        let (happening, subject) = (Happening::Asked, Subject::Message);
        let method = method.to_owned();
        out.events.push(Event { happening, subject, why: None, method, sentence });
    }

    /// A reply that cannot go on: whoever waits for it is told.
    pub(crate) fn drop_reply(&mut self, facts: &Facts, why: &Why, out: &mut Outbox) {
        let method = facts.method.as_deref().unwrap_or_default();
        self.dropped(why.clone(), method, out);
        let Some(id) = facts.id.as_deref().filter(|_| facts.method.is_none()) else { return };
        let key = id_key(id);
        match self.own.get(&key) {
            Some(Own::List(kind)) => self.walk_failed(*kind, out),
            Some(Own::Ping) => drop(self.own.remove(&key)),
            // A server that cannot be read at its opening never opens.
            Some(Own::Opening) | None => {}
        }
        if self.no_longer_pending(&key).is_some() {
            let sentence = words::sentence(&Subject::Message, why, None);
            let sentence = format!("the server's answer cannot be used: {sentence}");
            self.say_client.extend(words::refusal(id, &self.rules, why, "", &sentence));
        }
    }

    /// What becomes of a long line, from what is known of it.
    pub(crate) fn course_of_server(&self, envelope: &Envelope) -> Course {
        let facts = envelope.facts();
        if let Some(method) = &facts.method {
            return match self.is_granted(method) {
                Some(false) => Course::Swallow,
                _ if changed_list(method).is_some() => Course::Swallow,
                // It has to be seen whole: it may claim to be ours, or bring questions along.
                _ if method == LOG => Course::Gather,
                _ if !(self.rules.sampling && self.rules.elicitation) => Course::Gather,
                _ => Course::Pass,
            };
        }
        if !envelope.is_reply() {
            return Course::Gather;
        }
        if !(self.rules.sampling && self.rules.elicitation) {
            return Course::Gather;
        }
        match &facts.id {
            Some(id) => match self.pending.get(&id_key(id)) {
                Some(Asked::Plain) => Course::Pass,
                Some(Asked::List(_) | Asked::Opening) => Course::Gather,
                None if self.own.contains_key(&id_key(id)) => Course::Gather,
                None => Course::Swallow,
            },
            // Whose answer it is stands behind it. If nobody waits for a list, it is none.
            None if self.waits_for_lists() => Course::Gather,
            None => Course::Pass,
        }
    }

    fn waits_for_lists(&self) -> bool {
        !self.own.is_empty() || self.pending.values().any(|asked| *asked != Asked::Plain)
    }

    /// Whether an answer that is too large for a list may begin to pass.
    pub(crate) fn may_reply_unseen(&self, facts: &Facts) -> bool {
        facts.id.is_none() && self.rules.sampling && self.rules.elicitation
    }

    /// The end of a long line that is on its way: its last byte follows, or why not.
    pub(crate) fn end_from_server(&mut self, facts: &Facts, out: &mut Outbox) -> Result<(), Why> {
        match (&facts.method, &facts.id, facts.has_result, facts.has_error) {
            (Some(method), id, false, false) => {
                let asked = id.as_deref().map(|id| self.asked(method, id, out));
                let passes = asked.is_none_or(|fate| fate == Fate::Pass);
                if passes { Ok(()) } else { Err(Why::NotGranted) }
            }
            (None, Some(id), true, false) | (None, Some(id), false, true) => {
                let key = id_key(id);
                match self.pending.get(&key) {
                    Some(Asked::Plain) => {
                        self.no_longer_pending(&key);
                        Ok(())
                    }
                    Some(_) => Err(Why::TooLarge),
                    None => Err(Why::Stray),
                }
            }
            _ => Err(Why::Malformed),
        }
    }

    /// A long line that did not go on has ended.
    pub(crate) fn refuse_long_message(&mut self, facts: &Facts, why: &Why, out: &mut Outbox) {
        if facts.shape == Shape::Batch {
            return self.lost_batch(why.clone(), out);
        }
        if let Some(kind) = facts.method.as_deref().and_then(changed_list) {
            self.forget_approved(kind);
        }
        match (&facts.method, &facts.id) {
            (Some(method), Some(id)) if self.is_granted(method) == Some(false) => {
                self.asked(method, id, out);
            }
            _ => self.drop_reply(facts, why, out),
        }
    }
}

/// A line for the client's log.
const LOG: &str = "notifications/message";

/// Whether a line for the client's log claims to be one of ours.
fn speaks_as_facet(text: &[u8]) -> bool {
    let Some(params) = params_of(text) else { return false };
    let members = match json::split_object(params.as_bytes(), BATCH) {
        Ok(members) => members.unwrap_or_default(),
        // Who can say which logger counts?
        Err(_) => return true,
    };
    let loggers = members.iter().filter(|member| is_same_but_for_case(&member.name, "logger"));
    loggers.into_iter().any(|member| {
        let limits = Limits { bytes: BATCH.bytes, depth: 1, values: 1 };
        match json::parse(member.value.as_bytes(), json::Provenance::Captured, limits) {
            Ok(Value::String(name)) => is_same_but_for_case(name.trim(), "facet"),
            _ => false,
        }
    })
}

/// The list that a notification is about.
fn changed_list(method: &str) -> Option<Kind> {
    match method {
        "notifications/tools/list_changed" => Some(Kind::Tool),
        "notifications/prompts/list_changed" => Some(Kind::Prompt),
        "notifications/resources/list_changed" => Some(Kind::Resource),
        _ => None,
    }
}

/// The methods that a result asks for, in the era in which servers ask with results. None if
/// that cannot be read.
fn input_requests(text: &[u8]) -> Option<Vec<String>> {
    let limits = Limits { depth: 200, ..BATCH };
    let members = json::split_object(text, limits).ok()??;
    let result = members.iter().find(|member| member.name == "result")?.value;
    let Ok(Some(members)) = json::split_object(result.as_bytes(), limits) else {
        return if result.starts_with('{') { None } else { Some(Vec::new()) };
    };
    let is_meant = |name: &str| is_same_but_for_case(name, "inputrequests");
    let mut meant = members.iter().filter(|member| is_meant(&member.name));
    let Some(requests) = meant.next() else { return Some(Vec::new()) };
    if requests.name != "inputRequests" || meant.next().is_some() {
        return None;
    }
    let value = json::parse(requests.value.as_bytes(), json::Provenance::Captured, limits).ok()?;
    // Some readers walk through a list as through an object.
    let Value::Object(requests) = value else { return None };
    let has_twin = |members: &[json::Member<'_>]| {
        let is_method = |name: &str| name != "method" && is_same_but_for_case(name, "method");
        members.iter().any(|member| is_method(&member.name))
    };
    // One that does not say clearly what it asks for is not read at all.
    let method = |value: &Value<'_>| match value {
        Value::Object(request) => match request.get("method") {
            Some(Value::String(method)) if !has_twin(request.members()) => Some(method.to_string()),
            _ => None,
        },
        _ => None,
    };
    requests.members().iter().map(|member| method(&member.value)).collect()
}

/// An error that says that the user has to visit an address first is a question to the user.
fn url_elicitation(text: &[u8]) -> Option<Vec<String>> {
    const VISIT: &str = "-32042";
    let members = json::split_object(text, BATCH).ok()??;
    let error = members.iter().find(|member| member.name == "error")?.value;
    // What cannot be read may be a question.
    let members = json::split_object(error.as_bytes(), BATCH).ok()?.unwrap_or_default();
    let mut codes = members.iter().filter(|member| is_same_but_for_case(&member.name, "code"));
    let asks = codes.any(|code| id_key(code.value) == VISIT);
    Some(if asks { vec!["elicitation/create".to_owned()] } else { Vec::new() })
}
