//! What was never listed is listed first, by the guard itself, on the process that serves.

use core::time::Duration;
use std::collections::BTreeSet;

use facets_digest::json::{self, Limits, quoted};
use facets_surface::Kind;

use crate::client::{BATCH, params_of};
use crate::envelope::{Envelope, Facts};
use crate::event::{Event, Happening, Subject, Why};
use crate::guard::{Guard, Outbox, Own};
use crate::id::id_key;
use crate::lines::push_line;
use crate::words::refusal;

/// How long a server may take for all its pages.
const PATIENCE: Duration = Duration::from_secs(20);
const MOST_PAGES: usize = 1000;
/// A thousand of them are kept.
const LONGEST_CURSOR: usize = 16 << 10;
/// Requests that wait, and their bytes.
const MOST_WAITING: usize = 20_000;
const MOST_WAITING_BYTES: usize = 16 << 20;

/// A request that waits until what it asks for was listed.
#[derive(Debug)]
pub(crate) struct Held {
    /// The key of its id.
    pub(crate) id: Option<String>,
    kind: Kind,
    name: String,
    text: Vec<u8>,
}

/// A list that the guard reads for itself.
#[derive(Debug)]
pub(crate) struct Walk {
    begun: Duration,
    cursors: BTreeSet<String>,
    /// What every request of this client carries along.
    meta: Option<String>,
    /// What its earlier pages said does not count any more.
    is_void: bool,
}

impl Walk {
    pub(crate) fn deadline(&self) -> Duration {
        self.begun + PATIENCE
    }
}

impl Guard {
    /// Keeps a request, and asks the server for its list.
    pub(crate) fn hold(
        &mut self,
        kind: Kind,
        name: String,
        facts: &Facts,
        text: &[u8],
        out: &mut Outbox,
    ) {
        let bytes: usize = self.held.iter().map(|held| held.text.len()).sum();
        if self.held.len() >= MOST_WAITING || bytes + text.len() > MOST_WAITING_BYTES {
            let subject = Subject::Item(kind, name);
            let method = facts.method.clone().unwrap_or_default();
            return self.refuse(facts.id.as_deref(), subject, &Why::TooMany, &method, out);
        }
        let id = facts.id.as_deref().map(id_key);
        self.held.push(Held { id, kind, name, text: text.to_vec() });
        if !self.walks.contains_key(&kind) {
            let (begun, cursors, meta) = (self.now, BTreeSet::new(), meta_of(text));
            let walk = Walk { begun, cursors, meta, is_void: false };
            self.walks.insert(kind, walk);
            self.ask_page(kind, None);
        }
    }

    fn ask_page(&mut self, kind: Kind, cursor: Option<&str>) {
        let meta = self.walks.get(&kind).and_then(|walk| walk.meta.as_ref());
        let meta = meta.map(|meta| format!("\"_meta\":{meta}"));
        let cursor = cursor.map(|cursor| format!("\"cursor\":{}", quoted(cursor)));
        let params: Vec<String> = meta.into_iter().chain(cursor).collect();
        let id = self.own_id(Own::List(kind));
        let line = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{}\",\"params\":{{{}}}}}\n",
            kind.method(),
            params.join(",")
        );
        self.say_server.extend(line.into_bytes());
    }

    /// A page of our own has come.
    pub(crate) fn walked(&mut self, kind: Kind, facts: &Facts, text: &[u8], out: &mut Outbox) {
        let page = if facts.has_error {
            Err(Why::Unverified)
        } else {
            self.filtered(kind, "0", text, out)
        };
        let Ok(page) = page else { return self.walk_failed(kind, out) };
        self.release(kind, None, out);
        let Some(walk) = self.walks.get_mut(&kind) else { return };
        match page.cursor {
            None if walk.is_void && self.held.iter().any(|held| held.kind == kind) => {
                walk.is_void = false;
                walk.cursors.clear();
                self.ask_page(kind, None);
            }
            None => {
                self.walks.remove(&kind);
                self.release(kind, Some(&Why::NotListed), out);
            }
            Some(cursor) => {
                if cursor.len() > LONGEST_CURSOR {
                    return self.walk_failed(kind, out);
                }
                let is_new = walk.cursors.insert(cursor.clone());
                if !is_new || walk.cursors.len() > MOST_PAGES {
                    return self.walk_failed(kind, out);
                }
                self.ask_page(kind, Some(&cursor));
            }
        }
    }

    /// The list has changed while the guard reads it.
    pub(crate) fn void_walk(&mut self, kind: Kind) {
        if let Some(walk) = self.walks.get_mut(&kind) {
            walk.is_void = true;
        }
    }

    /// The server did not give its list: whoever waits for it is refused.
    pub(crate) fn walk_failed(&mut self, kind: Kind, out: &mut Outbox) {
        self.walks.remove(&kind);
        self.own.retain(|_, own| *own != Own::List(kind));
        self.release(kind, Some(&Why::Unverified), out);
    }

    pub(crate) fn give_up_late_walks(&mut self, out: &mut Outbox) {
        let late = |walk: &Walk| walk.deadline() <= self.now;
        let late: Vec<Kind> =
            self.walks.iter().filter(|(_, walk)| late(walk)).map(|(kind, _)| *kind).collect();
        for kind in late {
            self.walk_failed(kind, out);
        }
    }

    /// Lets go of those that can be decided; `otherwise` decides over the rest.
    fn release(&mut self, kind: Kind, otherwise: Option<&Why>, out: &mut Outbox) {
        let all = std::mem::take(&mut self.held);
        for held in all {
            let known = self.standings.get(kind, &held.name).is_some();
            if held.kind != kind || (!known && otherwise.is_none()) {
                self.held.push(held);
                continue;
            }
            let Ok(facts) = Envelope::read(&held.text) else { continue };
            if let (false, Some(why)) = (known, otherwise) {
                let method = facts.method.as_deref().unwrap_or_default();
                let subject = Subject::Item(kind, held.name);
                self.refuse(facts.id.as_deref(), subject, why, method, out);
            } else if self.passes_from_client(&facts, &held.text, out) {
                push_line(&held.text, &mut self.say_server);
            }
        }
    }

    /// The server has ended: whoever waits is told, and nothing is known any more.
    pub fn server_ended(&mut self, out: &mut Outbox) {
        let why = Why::ServerEnded;
        let sentence = "the server ended before it answered".to_owned();
        let waiting = std::mem::take(&mut self.pending).into_keys();
        let held = std::mem::take(&mut self.held).into_iter().filter_map(|held| held.id);
        let ids: Vec<String> = waiting.chain(held).collect();
        for id in ids {
            self.say_client.extend(refusal(&id, &self.rules, &why, "", &sentence));
        }
        self.own.clear();
        self.walks.clear();
        self.standings.clear();
        self.break_lines(out);
    }

    /// Another server has taken its place: it hears what the first one heard at the opening.
    pub fn server_restarted(&mut self, now: Duration, out: &mut Outbox) {
        self.now = now;
        let happening = Happening::Restarted;
        out.events.push(Event {
            happening,
            subject: Subject::Message,
            why: Some(Why::ServerEnded),
            method: String::new(),
            sentence: "the server ended and was started again".to_owned(),
        });
        match self.opening.clone().filter(|_| self.is_open) {
            Some(params) => {
                let id = self.own_id(Own::Opening);
                let line = format!(
                    "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"initialize\",\"params\":{params}}}\n"
                );
                self.say_server.extend(line.into_bytes());
            }
            None => self.tell_changes(),
        }
        self.settle(out);
    }

    /// Asks the server whether it is there, in the era that has a word for it.
    pub fn ping(&mut self, now: Duration, out: &mut Outbox) {
        self.now = now;
        if self.is_open && !self.own.values().any(|own| *own == Own::Ping) {
            let id = self.own_id(Own::Ping);
            let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n");
            self.say_server.extend(line.into_bytes());
        }
        self.settle(out);
    }

    /// Whether a question of ours whether it is there has no answer yet.
    #[must_use]
    pub fn is_silent(&self) -> bool {
        self.own.values().any(|own| *own == Own::Ping)
    }

    /// Names that the server has listed as they were approved.
    #[must_use]
    pub fn approved(&self) -> usize {
        self.standings.approved()
    }
}

/// What stands in `params._meta`, which newer clients send along with every request.
fn meta_of(text: &[u8]) -> Option<String> {
    let params = params_of(text)?;
    let limits: Limits = BATCH;
    let members = json::split_object(params.as_bytes(), limits).ok()??;
    let meta = members.into_iter().find(|member| member.name == "_meta")?;
    without_progress(meta.value)
}

/// Progress is reported to the request that asked for it, not to ours.
fn without_progress(meta: &str) -> Option<String> {
    let members = json::split_object(meta.as_bytes(), BATCH).ok()??;
    let kept = members.into_iter().filter(|member| member.name != "progressToken");
    let kept: Vec<String> =
        kept.map(|member| format!("{}:{}", quoted(&member.name), member.value)).collect();
    Some(format!("{{{}}}", kept.join(",")))
}
