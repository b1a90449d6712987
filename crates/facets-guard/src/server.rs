//! What the server says, and whether it reaches the client.

use facets_digest::json::{self, Limits, Value};
use facets_surface::Kind;
use facets_wire::{
    Envelope, MessageFacts, MessageShape, id_key, is_same_but_for_case, params_of, push_line,
};

use crate::delivery::Delivery;
use crate::event::{Decision, Reason, Subject};
use crate::guard::Guard;
use crate::limits::BATCH;
use crate::open_line::LineMode;
use crate::outbox::Outbox;
use crate::requests::{AwaitedReply, GuardRequest};
use crate::words;

impl Guard {
    /// A whole line.
    pub(crate) fn server_line(&mut self, line: &[u8], out: &mut Outbox) {
        let text = line.trim_ascii();
        match text.first() {
            None => {}
            Some(b'{') => match self.deliver(text, out) {
                Delivery::Pass => push_line(line, &mut out.to_client),
                Delivery::Drop => {}
                Delivery::Replace(other) => push_line(&other, &mut out.to_client),
            },
            Some(b'[') => self.server_batch(line, text, out),
            Some(_) => self.record_dropped(Reason::Noise, "", out),
        }
    }

    fn server_batch(&mut self, line: &[u8], text: &[u8], out: &mut Outbox) {
        let Ok(Some(items)) = json::split_array(text, BATCH) else {
            return self.lost_batch(Reason::Malformed, out);
        };
        let mut is_whole = true;
        let mut passed: Vec<u8> = Vec::new();
        for item in &items {
            let delivery = if item.starts_with('{') {
                self.deliver(item.as_bytes(), out)
            } else {
                Delivery::Drop
            };
            let bytes = match &delivery {
                Delivery::Pass => item.as_bytes(),
                Delivery::Replace(other) => other,
                Delivery::Drop => b"",
            };
            is_whole &= delivery == Delivery::Pass;
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
    fn lost_batch(&mut self, reason: Reason, out: &mut Outbox) {
        let sentence = "the server's answers cannot be read".to_owned();
        for id in core::mem::take(&mut self.pending).into_keys() {
            self.send_to_client(&words::refusal(&id, &self.rules, &reason, "", &sentence));
            self.stray_replies.mark_done(id);
        }
        self.record_dropped(reason, "", out);
    }

    fn deliver(&mut self, text: &[u8], out: &mut Outbox) -> Delivery {
        let facts = match Envelope::read(text) {
            Ok(facts) => facts,
            Err((facts, _)) => {
                self.drop_reply(&facts, &Reason::Malformed, out);
                return Delivery::Drop;
            }
        };
        match (&facts.method, &facts.id, facts.has_result, facts.has_error) {
            (Some(method), None, false, false) => self.on_notification(method, text, out),
            (Some(method), Some(id), false, false) => self.on_server_request(method, id, out),
            (None, Some(id), true, false) | (None, Some(id), false, true) => {
                self.on_reply(id, &facts, text, out)
            }
            // Both, or neither.
            (None, Some(_), _, _) => {
                self.drop_reply(&facts, &Reason::Malformed, out);
                Delivery::Drop
            }
            _ => {
                self.record_dropped(
                    Reason::Noise,
                    facts.method.as_deref().unwrap_or_default(),
                    out,
                );
                Delivery::Drop
            }
        }
    }

    /// A notification.
    fn on_notification(&mut self, method: &str, text: &[u8], out: &mut Outbox) -> Delivery {
        let Some(kind) = changed_list(method) else {
            return self.on_other_notification(method, text, out);
        };
        self.forget_approved(kind);
        if !self.changes.entry(kind).or_default().allows(text, self.now) {
            self.record_dropped(Reason::TooMany, method, out);
            return Delivery::Drop;
        }
        Delivery::Pass
    }

    /// A notification may bring questions along, too; where something is denied, none of those
    /// passes that does.
    fn on_other_notification(&mut self, method: &str, text: &[u8], out: &mut Outbox) -> Delivery {
        if method == LOG && claims_to_be_facet(text) {
            self.record_dropped(Reason::Ambiguous, method, out);
            return Delivery::Drop;
        }
        if self.rules.sampling && self.rules.elicitation {
            return Delivery::Pass;
        }
        let params = params_of(text, BATCH).unwrap_or("{}");
        let members = json::split_object(params.as_bytes(), BATCH);
        let asks = |name: &str| is_same_but_for_case(name, "inputrequests");
        let passes = match &members {
            Ok(Some(members)) => !members.iter().any(|member| asks(&member.name)),
            Ok(None) => true,
            Err(_) => false,
        };
        if passes {
            return Delivery::Pass;
        }
        self.report(Decision::Denied, Subject::Message, Reason::NotGranted, method, out);
        Delivery::Drop
    }

    fn forget_approved(&mut self, kind: Kind) {
        let also = (kind == Kind::Resource).then_some(Kind::ResourceTemplate);
        for kind in also.into_iter().chain([kind]) {
            self.statuses.forget_approved(kind);
            self.void_listing(kind);
        }
    }

    pub(crate) fn send_owed_changes(&mut self) {
        let now = self.now;
        let due = |(kind, limiter): (&Kind, &mut crate::limiter::Limiter)| {
            limiter.due(now).map(|text| (*kind, text))
        };
        let due: Vec<(Kind, Vec<u8>)> = self.changes.iter_mut().filter_map(due).collect();
        for (_, text) in due {
            push_line(&text, &mut self.queued_for_client);
        }
    }

    /// A request to the client.
    fn on_server_request(&mut self, method: &str, id: &str, out: &mut Outbox) -> Delivery {
        match self.is_granted(method) {
            None => Delivery::Pass,
            Some(true) => {
                Self::record_question(method, out);
                Delivery::Pass
            }
            Some(false) => {
                let reason = Reason::NotGranted;
                self.report(Decision::Denied, Subject::Message, reason, method, out);
                self.send_to_server(&self.not_granted(id, method));
                Delivery::Drop
            }
        }
    }

    fn on_reply(
        &mut self,
        id: &str,
        facts: &MessageFacts,
        text: &[u8],
        out: &mut Outbox,
    ) -> Delivery {
        let key = id_key(id);
        if let Some(own) = self.own_requests.remove(&key) {
            self.on_guard_reply(own, facts, text, out);
            return Delivery::Drop;
        }
        let Some(asked) = self.no_longer_pending(&key) else {
            // An error that could not be attributed has no id.
            if key == "null" && facts.has_error {
                return Delivery::Pass;
            }
            // One of ours that came too late was not meant for anybody else.
            if !self.is_guard_id(&key) {
                self.stray_replies.stray(&key, self.pending.keys(), self.now);
            }
            self.record_dropped(Reason::Stray, "", out);
            return Delivery::Drop;
        };
        if let Some(delivery) = self.check_questions(id, facts, text, out) {
            return delivery;
        }
        match asked {
            _ if facts.has_error => Delivery::Pass,
            AwaitedReply::Plain => Delivery::Pass,
            AwaitedReply::List(kind) => match self.filter_page(kind, id, text, out) {
                Ok(page) => {
                    self.record_allowed(Decision::Listed, Subject::Message, kind.method(), out);
                    Delivery::Replace(page.line)
                }
                Err(reason) => self.replaced_by_error(id, &reason, kind.method(), out),
            },
            AwaitedReply::Opening => self.on_opening_reply(id, text, out),
        }
    }

    fn on_guard_reply(
        &mut self,
        own: GuardRequest,
        facts: &MessageFacts,
        text: &[u8],
        out: &mut Outbox,
    ) {
        match own {
            GuardRequest::List(kind) => self.on_listing_page(kind, facts, text, out),
            GuardRequest::Opening => self.on_reopening_reply(facts, text, out),
            GuardRequest::Ping => {}
        }
    }

    pub(crate) fn replaced_by_error(
        &mut self,
        id: &str,
        reason: &Reason,
        method: &str,
        out: &mut Outbox,
    ) -> Delivery {
        let subject = Subject::Message;
        let sentence = self.report(Decision::Dropped, subject, reason.clone(), method, out);
        let line = words::refusal(id, &self.rules, reason, "", &sentence);
        Delivery::Replace(line.into_bytes())
    }

    /// Whoever waits for an answer that came under an id of nobody's is told.
    pub(crate) fn expire_stray_replies(&mut self) {
        let sentence = "the server answered under an id that nobody used".to_owned();
        for id in self.stray_replies.late(self.now) {
            if self.no_longer_pending(&id).is_some() {
                let reason = Reason::Stray;
                self.send_to_client(&words::refusal(&id, &self.rules, &reason, "", &sentence));
            }
        }
    }

    /// A reply that cannot go on: whoever waits for it is told.
    pub(crate) fn drop_reply(&mut self, facts: &MessageFacts, reason: &Reason, out: &mut Outbox) {
        let method = facts.method.as_deref().unwrap_or_default();
        self.record_dropped(reason.clone(), method, out);
        let Some(id) = facts.id.as_deref().filter(|_| facts.method.is_none()) else { return };
        let key = id_key(id);
        match self.own_requests.get(&key) {
            Some(GuardRequest::List(kind)) => self.listing_failed(*kind, out),
            Some(GuardRequest::Ping) => drop(self.own_requests.remove(&key)),
            // A server that cannot be read at its opening never opens.
            Some(GuardRequest::Opening) | None => {}
        }
        if self.no_longer_pending(&key).is_some() {
            let sentence = words::sentence(&Subject::Message, reason, None);
            let sentence = format!("the server's answer cannot be used: {sentence}");
            self.send_to_client(&words::refusal(id, &self.rules, reason, "", &sentence));
        }
    }

    /// What becomes of a long line, from what is known of it.
    pub(crate) fn mode_of_server_line(&self, envelope: &Envelope) -> LineMode {
        let facts = envelope.facts();
        if let Some(method) = &facts.method {
            return match self.is_granted(method) {
                Some(false) => LineMode::Discard,
                _ if changed_list(method).is_some() => LineMode::Discard,
                // It has to be seen whole: it may claim to be ours, or bring questions along.
                _ if method == LOG => LineMode::Gather,
                _ if !(self.rules.sampling && self.rules.elicitation) => LineMode::Gather,
                _ => LineMode::Pass,
            };
        }
        if !envelope.is_reply() {
            return LineMode::Gather;
        }
        if !(self.rules.sampling && self.rules.elicitation) {
            return LineMode::Gather;
        }
        match &facts.id {
            Some(id) => match self.pending.get(&id_key(id)) {
                Some(AwaitedReply::Plain) => LineMode::Pass,
                Some(AwaitedReply::List(_) | AwaitedReply::Opening) => LineMode::Gather,
                None if self.own_requests.contains_key(&id_key(id)) => LineMode::Gather,
                None => LineMode::Discard,
            },
            // Whose answer it is stands behind it. If nobody waits for a list, it is none.
            None if self.waits_for_lists() => LineMode::Gather,
            None => LineMode::Pass,
        }
    }

    fn waits_for_lists(&self) -> bool {
        !self.own_requests.is_empty()
            || self.pending.values().any(|asked| *asked != AwaitedReply::Plain)
    }

    /// Whether an answer that is too large for a list may begin to pass.
    pub(crate) fn may_reply_unseen(&self, facts: &MessageFacts) -> bool {
        facts.id.is_none() && self.rules.sampling && self.rules.elicitation
    }

    /// The end of a long line that is on its way: its last byte follows, or the reason why not.
    pub(crate) fn end_from_server(
        &mut self,
        facts: &MessageFacts,
        out: &mut Outbox,
    ) -> Result<(), Reason> {
        match (&facts.method, &facts.id, facts.has_result, facts.has_error) {
            (Some(method), id, false, false) => {
                let asked = id.as_deref().map(|id| self.on_server_request(method, id, out));
                let passes = asked.is_none_or(|delivery| delivery == Delivery::Pass);
                if passes { Ok(()) } else { Err(Reason::NotGranted) }
            }
            (None, Some(id), true, false) | (None, Some(id), false, true) => {
                let key = id_key(id);
                match self.pending.get(&key) {
                    Some(AwaitedReply::Plain) => {
                        self.no_longer_pending(&key);
                        Ok(())
                    }
                    Some(_) => Err(Reason::TooLarge),
                    None => Err(Reason::Stray),
                }
            }
            _ => Err(Reason::Malformed),
        }
    }

    /// A long line that did not go on has ended.
    pub(crate) fn refuse_long_message(
        &mut self,
        facts: &MessageFacts,
        reason: &Reason,
        out: &mut Outbox,
    ) {
        if facts.shape == MessageShape::Batch {
            return self.lost_batch(reason.clone(), out);
        }
        if let Some(kind) = facts.method.as_deref().and_then(changed_list) {
            self.forget_approved(kind);
        }
        match (&facts.method, &facts.id) {
            (Some(method), Some(id)) if self.is_granted(method) == Some(false) => {
                self.on_server_request(method, id, out);
            }
            _ => self.drop_reply(facts, reason, out),
        }
    }
}

/// A line for the client's log.
const LOG: &str = "notifications/message";

/// Whether a line for the client's log claims to be one of ours.
fn claims_to_be_facet(text: &[u8]) -> bool {
    let Some(params) = params_of(text, BATCH) else { return false };
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
