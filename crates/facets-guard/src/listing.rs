//! What was never listed is listed first, by the guard itself, on the process that serves.

use core::time::Duration;
use std::collections::BTreeSet;

use facets_digest::json::{self, quoted};
use facets_surface::Kind;
use facets_wire::{
    Envelope, MessageFacts, id_key, member, object_of, params_of, push_line, request,
};

use crate::event::{Decision, Event, Reason, Subject};
use crate::guard::Guard;
use crate::limits::BATCH;
use crate::outbox::Outbox;
use crate::parked::{GuardListing, ParkedRequest};
use crate::requests::GuardRequest;
use crate::words::{look_step, no_answer_yet, refusal};

const MAX_PAGES: usize = 1000;
/// A thousand of them are kept.
const LONGEST_CURSOR: usize = 16 << 10;
/// Requests that wait, and their bytes.
const MAX_WAITING: usize = 20_000;
const MAX_WAITING_BYTES: usize = 16 << 20;

impl Guard {
    /// Keeps a request, and asks the server for its list.
    pub(crate) fn park(
        &mut self,
        kind: Kind,
        name: String,
        facts: &MessageFacts,
        text: &[u8],
        out: &mut Outbox,
    ) {
        let bytes: usize = self.parked.iter().map(|held| held.text.len()).sum();
        if self.parked.len() >= MAX_WAITING || bytes + text.len() > MAX_WAITING_BYTES {
            let subject = Subject::Item(kind, name);
            let method = facts.method.clone().unwrap_or_default();
            return self.refuse(facts.id.as_deref(), subject, &Reason::TooMany, &method, out);
        }
        let id = facts.id.as_deref().map(id_key);
        self.parked.push(ParkedRequest { id, kind, name, text: text.to_vec() });
        if !self.listings.contains_key(&kind) {
            let (begun, cursors, meta) = (self.now, BTreeSet::new(), meta_of(text));
            let listing = GuardListing { begun, cursors, meta, is_void: false };
            self.listings.insert(kind, listing);
            self.ask_page(kind, None);
        }
    }

    fn ask_page(&mut self, kind: Kind, cursor: Option<&str>) {
        let meta = self.listings.get(&kind).and_then(|listing| listing.meta.as_ref());
        let meta = meta.map(|meta| format!("\"_meta\":{meta}"));
        let cursor = cursor.map(|cursor| format!("\"cursor\":{}", quoted(cursor)));
        let params: Vec<String> = meta.into_iter().chain(cursor).collect();
        let id = self.issue_id(GuardRequest::List(kind));
        self.send_to_server(&request(&id, kind.method(), &format!("{{{}}}", params.join(","))));
    }

    /// A page of our own has come.
    pub(crate) fn on_listing_page(
        &mut self,
        kind: Kind,
        facts: &MessageFacts,
        text: &[u8],
        out: &mut Outbox,
    ) {
        let page = if facts.has_error {
            Err(Reason::Unverified)
        } else {
            self.filter_page(kind, "0", text, out)
        };
        let Ok(page) = page else { return self.listing_failed(kind, out) };
        self.release(kind, None, out);
        let Some(listing) = self.listings.get_mut(&kind) else { return };
        match page.cursor {
            None if listing.is_void && self.parked.iter().any(|held| held.kind == kind) => {
                listing.is_void = false;
                listing.cursors.clear();
                self.ask_page(kind, None);
            }
            None => {
                self.listings.remove(&kind);
                self.release(kind, Some(&Reason::NotListed), out);
            }
            Some(cursor) => {
                if cursor.len() > LONGEST_CURSOR {
                    return self.listing_failed(kind, out);
                }
                let is_new = listing.cursors.insert(cursor.clone());
                if !is_new || listing.cursors.len() > MAX_PAGES {
                    return self.listing_failed(kind, out);
                }
                self.ask_page(kind, Some(&cursor));
            }
        }
    }

    /// The list has changed while the guard reads it.
    pub(crate) fn void_listing(&mut self, kind: Kind) {
        if let Some(listing) = self.listings.get_mut(&kind) {
            listing.is_void = true;
        }
    }

    /// The server did not give its list: whoever waits for it is refused.
    pub(crate) fn listing_failed(&mut self, kind: Kind, out: &mut Outbox) {
        self.listings.remove(&kind);
        self.own_requests.retain(|_, own| *own != GuardRequest::List(kind));
        self.release(kind, Some(&Reason::Unverified), out);
    }

    pub(crate) fn expire_listings(&mut self, out: &mut Outbox) {
        let late = |listing: &GuardListing| listing.deadline(&self.first_answer) <= self.now;
        let late: Vec<Kind> = self
            .listings
            .iter()
            .filter(|(_, listing)| late(listing))
            .map(|(kind, _)| *kind)
            .collect();
        for kind in late {
            self.listing_failed(kind, out);
        }
    }

    /// Lets go of those that can be decided; `otherwise` decides over the rest.
    fn release(&mut self, kind: Kind, otherwise: Option<&Reason>, out: &mut Outbox) {
        let all = std::mem::take(&mut self.parked);
        for held in all {
            let known = self.statuses.get(kind, &held.name).is_some();
            if held.kind != kind || (!known && otherwise.is_none()) {
                self.parked.push(held);
                continue;
            }
            let Ok(facts) = Envelope::read(&held.text) else { continue };
            if let (false, Some(reason)) = (known, otherwise) {
                let method = facts.method.as_deref().unwrap_or_default();
                let subject = Subject::Item(kind, held.name);
                self.refuse(facts.id.as_deref(), subject, reason, method, out);
            } else if self.passes_from_client(&facts, &held.text, out) {
                push_line(&held.text, &mut self.queued_for_server);
            }
        }
    }

    /// The server has ended: whoever waits is told, and nothing is known any more.
    pub fn server_ended(&mut self, out: &mut Outbox) {
        let reason = Reason::ServerEnded;
        let sentence = "the server ended before it answered".to_owned();
        let waiting = std::mem::take(&mut self.pending).into_keys();
        let held = std::mem::take(&mut self.parked).into_iter().filter_map(|held| held.id);
        let ids: Vec<String> = waiting.chain(held).collect();
        for id in ids {
            self.send_to_client(&refusal(&id, &self.rules, &reason, &sentence));
        }
        self.own_requests.clear();
        self.listings.clear();
        self.statuses.clear();
        self.break_lines(out);
    }

    /// Another server has taken its place: it hears what the first one heard at the opening.
    pub fn server_restarted(&mut self, now: Duration, out: &mut Outbox) {
        self.now = now;
        self.first_answer.on_restart(now);
        let decision = Decision::Restarted;
        out.events.push(Event {
            decision,
            subject: Subject::Message,
            reason: Some(Reason::ServerEnded),
            method: String::new(),
            sentence: "the server ended and was started again".to_owned(),
            next: String::new(),
        });
        match self.opening.clone().filter(|_| self.is_open) {
            Some(params) => {
                let id = self.issue_id(GuardRequest::Opening);
                self.send_to_server(&request(&id, "initialize", &params));
            }
            None => self.announce_changes(),
        }
        self.flush(out);
    }

    /// Asks the server whether it is there, in the era that has a word for it.
    pub fn ping(&mut self, now: Duration, out: &mut Outbox) {
        self.now = now;
        if self.is_open && !self.own_requests.values().any(|own| *own == GuardRequest::Ping) {
            let id = self.issue_id(GuardRequest::Ping);
            self.send_to_server(&request(&id, "ping", ""));
        }
        self.flush(out);
    }

    /// The first request of the client and when it came, while it waits and the server has answered
    /// nothing at all.
    #[must_use]
    pub fn first_awaited(&self) -> Option<(&str, Duration)> {
        self.first_answer.awaited().filter(|_| self.waiting() > 0)
    }

    /// That the server has answered nothing for this long, as a sentence; nothing once it has.
    #[must_use]
    pub fn no_answer_yet(&self, waited: Duration) -> Option<String> {
        self.first_awaited().map(|(method, _)| no_answer_yet(method, waited))
    }

    /// Records that the first answer takes longer than it should. The request goes on waiting (spec 11.3).
    pub fn record_waiting(&self, waited: Duration, out: &mut Outbox) {
        let Some((method, _)) = self.first_awaited() else { return };
        out.events.push(Event {
            decision: Decision::Waiting,
            subject: Subject::Message,
            reason: None,
            method: method.to_owned(),
            sentence: format!("{}; facet goes on waiting", no_answer_yet(method, waited)),
            next: look_step(&self.rules),
        });
    }

    /// Whether a question of ours whether it is there has no answer yet.
    #[must_use]
    pub fn is_silent(&self) -> bool {
        self.own_requests.values().any(|own| *own == GuardRequest::Ping)
    }

    /// Names that the server has listed as they were approved.
    #[must_use]
    pub fn approved(&self) -> usize {
        self.statuses.approved()
    }
}

/// What stands in `params._meta`, which newer clients send along with every request.
fn meta_of(text: &[u8]) -> Option<String> {
    without_progress(member(params_of(text, BATCH)?, "_meta", BATCH)?)
}

/// Progress is reported to the request that asked for it, not to ours.
fn without_progress(meta: &str) -> Option<String> {
    let members = json::split_object(meta.as_bytes(), BATCH).ok()??;
    Some(object_of(members.iter().filter(|member| member.name != "progressToken")))
}
