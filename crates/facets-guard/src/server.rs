//! What the server says, and whether it reaches the client.

use facets_digest::json;
use facets_surface::Kind;
use facets_wire::{
    Envelope, MessageFacts, MessageShape, id_key, push_line, trim_json_space,
    without_lone_surrogates,
};

use crate::delivery::Delivery;
use crate::errors::{InnerError, inner_error};
use crate::event::{Decision, Reason, Subject};
use crate::guard::Guard;
use crate::limits::BATCH;
use crate::logs::refused_log;
use crate::message_kind::{MessageKind, kind_of};
use crate::methods::meant_method;
use crate::open_line::LineMode;
use crate::outbox::Outbox;
use crate::questions::{ELICITATION, RefusedQuestion};
use crate::requests::{AwaitedReply, GuardRequest};
use crate::words;

impl Guard {
    /// A whole line.
    pub(crate) fn server_line(&mut self, line: &[u8], out: &mut Outbox) {
        let text = trim_json_space(line);
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
        if items.is_empty() {
            return self.record_dropped(Reason::Noise, "", out);
        }
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
            self.send_to_client(&words::refusal(&id, &self.rules, &reason, &sentence));
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
        match kind_of(&facts) {
            MessageKind::Notification(method) => self.on_notification(method, &facts, text, out),
            MessageKind::Request(method, id) => {
                if let Err((reason, asked)) = self.judge_inner_error(&facts, text, out) {
                    return self.deny_request(id, reason, asked, out);
                }
                match self.on_server_request(method, id, &facts, out) {
                    Delivery::Pass => self.judge_told(method, text, out),
                    other => other,
                }
            }
            MessageKind::Reply(id) => self.on_reply(id, &facts, text, out),
            MessageKind::Contradictory => {
                self.drop_reply(&facts, &Reason::Malformed, out);
                Delivery::Drop
            }
            MessageKind::None => {
                self.record_dropped(Reason::Noise, "", out);
                Delivery::Drop
            }
        }
    }

    /// A notification.
    fn on_notification(
        &mut self,
        method: &str,
        facts: &MessageFacts,
        text: &[u8],
        out: &mut Outbox,
    ) -> Delivery {
        let judged = self.judge_message(method, facts, out);
        match judged.and_then(|()| self.judge_inner_error(facts, text, out)) {
            Ok(()) => self.judge_told(method, text, out),
            Err((Reason::Imitates, _)) => {
                self.record_dropped(Reason::Imitates, method, out);
                Delivery::Drop
            }
            Err((reason, method)) => {
                self.report(Decision::Denied, Subject::Message, reason, method, out);
                Delivery::Drop
            }
        }
    }

    /// Judges an error inside of a result or of parameters, if there is one.
    fn judge_inner_error(
        &self,
        facts: &MessageFacts,
        text: &[u8],
        out: &mut Outbox,
    ) -> Result<(), RefusedQuestion> {
        match facts.has_inner_error.then(|| inner_error(text)).flatten() {
            None => Ok(()),
            Some(InnerError::Imitates) => Err((Reason::Imitates, "")),
            Some(InnerError::Asks) => self.judge_method(ELICITATION, out),
        }
    }

    /// What becomes of what is told: a line for the log, or that a list has changed. An id makes
    /// it nothing else to readers that do not mind.
    fn judge_told(&mut self, method: &str, text: &[u8], out: &mut Outbox) -> Delivery {
        if let Some(kind) = changed_list(method) {
            self.forget_approved(kind);
            if !self.changes.entry(kind).or_default().allows(self.now) {
                self.record_dropped(Reason::TooMany, method, out);
                return Delivery::Drop;
            }
        }
        if !is_log(method) {
            return Delivery::Pass;
        }
        let readable = without_lone_surrogates(text);
        match refused_log(&readable) {
            Some(reason) => {
                self.record_dropped(reason, method, out);
                Delivery::Drop
            }
            None if *readable == *text => Delivery::Pass,
            None => Delivery::Replace(readable.into_owned()),
        }
    }

    /// Judges whether a message of the server may ask what it asks: by its method, and by the
    /// questions that it brings along.
    fn judge_message(
        &self,
        method: &str,
        facts: &MessageFacts,
        out: &mut Outbox,
    ) -> Result<(), RefusedQuestion> {
        self.judge_method(method, out)?;
        self.judge_questions(&facts.questions, out)
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
        let due = self
            .changes
            .iter_mut()
            .filter_map(|(kind, limiter)| limiter.is_due(now).then_some(*kind));
        let due: Vec<Kind> = due.collect();
        // Said in words of our own: those of the server may have been anything.
        for kind in due {
            self.announce_change(kind);
        }
    }

    /// A request to the client.
    fn on_server_request(
        &mut self,
        method: &str,
        id: &str,
        facts: &MessageFacts,
        out: &mut Outbox,
    ) -> Delivery {
        match self.judge_message(method, facts, out) {
            Ok(()) => Delivery::Pass,
            Err((reason, asked)) => self.deny_request(id, reason, asked, out),
        }
    }

    /// The server gets an error for its request.
    fn deny_request(
        &mut self,
        id: &str,
        reason: Reason,
        asked: &str,
        out: &mut Outbox,
    ) -> Delivery {
        if reason == Reason::Imitates {
            let sentence = words::sentence(&Subject::Message, &reason, None);
            self.send_to_server(&words::refusal(id, &self.rules, &reason, &sentence));
            self.record_dropped(reason, "", out);
        } else {
            self.report(Decision::Denied, Subject::Message, reason, asked, out);
            self.send_to_server(&self.not_granted(id, asked));
        }
        Delivery::Drop
    }

    fn on_reply(
        &mut self,
        id: &str,
        facts: &MessageFacts,
        text: &[u8],
        out: &mut Outbox,
    ) -> Delivery {
        self.first_answer.on_reply(self.now);
        let key = id_key(id);
        if let Some(own) = self.own_requests.remove(&key) {
            self.on_guard_reply(own, facts, text, out);
            return Delivery::Drop;
        }
        let Some(asked) = self.no_longer_pending(&key) else {
            // An error that could not be attributed has no id.
            if key == "null" && facts.has_error {
                return self.deliver_reply(AwaitedReply::Plain, id, facts, text, out);
            }
            // One of ours that came too late was not meant for anybody else.
            if !self.is_guard_id(&key) {
                self.stray_replies.stray(&key, self.pending.keys(), self.now);
            }
            self.record_dropped(Reason::Stray, "", out);
            return Delivery::Drop;
        };
        self.deliver_reply(asked, id, facts, text, out)
    }

    /// What the client gets of a reply that it waits for.
    fn deliver_reply(
        &mut self,
        asked: AwaitedReply,
        id: &str,
        facts: &MessageFacts,
        text: &[u8],
        out: &mut Outbox,
    ) -> Delivery {
        let judged = self.judge_questions(&facts.questions, out);
        match judged.and_then(|()| self.judge_inner_error(facts, text, out)) {
            Ok(()) => {}
            Err((Reason::NotGranted, method)) => return self.replaced_by_denial(id, method, out),
            Err((reason, _)) => return self.replaced_by_error(id, &reason, "", out),
        }
        match asked {
            _ if facts.has_error => self.deliver_error(id, text, out),
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
        let line = words::refusal(id, &self.rules, reason, &sentence);
        Delivery::Replace(line.into_bytes())
    }

    /// Whoever waits for an answer that came under an id of nobody's is told.
    pub(crate) fn expire_stray_replies(&mut self) {
        let sentence = "the server answered under an unknown id".to_owned();
        for id in self.stray_replies.late(self.now) {
            if self.no_longer_pending(&id).is_some() {
                let reason = Reason::Stray;
                self.send_to_client(&words::refusal(&id, &self.rules, &reason, &sentence));
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
            self.send_to_client(&words::refusal(id, &self.rules, reason, &sentence));
        }
    }

    /// A long reply that asks for what is not granted: the waiting client gets an error.
    fn deny_reply(&mut self, id: &str, method: &str, out: &mut Outbox) {
        self.report(Decision::Denied, Subject::Message, Reason::NotGranted, method, out);
        if self.no_longer_pending(&id_key(id)).is_some() {
            self.send_to_client(&self.not_granted(id, method));
        }
    }

    /// What becomes of a long line, from what is known of it.
    pub(crate) fn mode_of_server_line(&self, envelope: &Envelope) -> LineMode {
        let facts = envelope.facts();
        if let Some(method) = &facts.method {
            return match self.is_granted(method) {
                Some(false) => LineMode::Discard,
                _ if changed_list(method).is_some() => LineMode::Discard,
                // It has to be seen whole: it may claim to be ours.
                _ if is_log(method) => LineMode::Gather,
                _ => LineMode::Pass,
            };
        }
        // So has an error.
        if !envelope.is_result() {
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

    /// The end of a long line that is on its way: its last byte follows, or the reason why not.
    pub(crate) fn end_from_server(
        &mut self,
        facts: &MessageFacts,
        out: &mut Outbox,
    ) -> Result<(), Reason> {
        match kind_of(facts) {
            // An error inside has to be read whole, and is never that long.
            MessageKind::Notification(_) | MessageKind::Request(..) if facts.has_inner_error => {
                Err(Reason::TooLarge)
            }
            MessageKind::Notification(method) => {
                self.judge_message(method, facts, out).map_err(|(reason, method)| {
                    self.report(Decision::Denied, Subject::Message, reason.clone(), method, out);
                    reason
                })
            }
            MessageKind::Request(method, id) => {
                match self.on_server_request(method, id, facts, out) {
                    Delivery::Pass => Ok(()),
                    _ => Err(Reason::NotGranted),
                }
            }
            MessageKind::Reply(id) => {
                self.first_answer.on_reply(self.now);
                self.end_of_reply(id, facts, out)
            }
            MessageKind::Contradictory | MessageKind::None => Err(Reason::Malformed),
        }
    }

    fn end_of_reply(
        &mut self,
        id: &str,
        facts: &MessageFacts,
        out: &mut Outbox,
    ) -> Result<(), Reason> {
        let key = id_key(id);
        match self.pending.get(&key) {
            Some(AwaitedReply::Plain) if !facts.has_error && !facts.has_inner_error => {}
            Some(_) => return Err(Reason::TooLarge),
            None => return Err(Reason::Stray),
        }
        match self.judge_questions(&facts.questions, out) {
            Ok(()) => {
                self.no_longer_pending(&key);
                Ok(())
            }
            Err((Reason::NotGranted, method)) => {
                self.deny_reply(id, method, out);
                Err(Reason::NotGranted)
            }
            Err((reason, _)) => Err(reason),
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
                self.on_server_request(method, id, facts, out);
            }
            _ => self.drop_reply(facts, reason, out),
        }
    }
}

/// Whether a notification is a line for the client's log.
fn is_log(method: &str) -> bool {
    meant_method(method, &["notifications/message"]).is_some()
}

/// The list that a notification is about.
fn changed_list(method: &str) -> Option<Kind> {
    const LISTS: [(&str, Kind); 3] = [
        ("notifications/tools/list_changed", Kind::Tool),
        ("notifications/prompts/list_changed", Kind::Prompt),
        ("notifications/resources/list_changed", Kind::Resource),
    ];
    let meant = meant_method(method, &LISTS.map(|(method, _)| method))?;
    LISTS.iter().find(|(method, _)| *method == meant).map(|(_, kind)| *kind)
}
