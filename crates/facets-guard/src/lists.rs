//! Lists and openings: what is delivered of them.

use std::collections::{BTreeMap, BTreeSet};

use facets_digest::Digest;
use facets_digest::json::{self, Provenance, RawMember, TokenKind, Tokenizer, Value, quoted};
use facets_markers::key_markers;
use facets_surface::{Definition, Kind};
use facets_wire::{MessageFacts, is_mistaken_for, notification, result_reply};

use crate::delivery::Delivery;
use crate::event::{Decision, Reason, Subject};
use crate::guard::Guard;
use crate::limits::PAGE;
use crate::outbox::Outbox;
use crate::pins::Match;
use crate::rules::OnDrift;
use crate::statuses::ItemStatus;

/// Longer addresses are not remembered: requests for them are judged as if they were not listed.
const LONGEST_NAME: usize = 2 << 10;
/// Items of one page.
const MAX_ITEMS: usize = 10_000;

/// A page as it is delivered.
pub(crate) struct Page {
    pub(crate) line: Vec<u8>,
    /// Where the list goes on.
    pub(crate) cursor: Option<String>,
}

impl Guard {
    /// Compares the items of a page with what was approved, and writes it anew.
    pub(crate) fn filter_page(
        &mut self,
        kind: Kind,
        id: &str,
        text: &[u8],
        out: &mut Outbox,
    ) -> Result<Page, Reason> {
        let message = split(text)?;
        let result = split(member(&message, "result").unwrap_or("{}").as_bytes())?;
        let Some(items) = member(&result, kind.list()) else { return Err(Reason::Malformed) };
        // Some servers write a list of nothing so.
        let items = if items == "null" { "[]" } else { items };
        let items = json::split_array(items.as_bytes(), PAGE).ok().flatten();
        let items = items.ok_or(Reason::Malformed)?;
        if items.len() > MAX_ITEMS {
            return Err(Reason::TooLarge);
        }
        let delivered = self.deliver_items(kind, &items, out);
        let list = format!("[{}]", delivered.join(","));
        let cursor = match member(&result, "nextCursor") {
            Some(raw) => match json::parse(raw.as_bytes(), Provenance::Captured, PAGE) {
                Ok(Value::String(text)) => Some(text.into_owned()),
                Ok(_) => None,
                Err(_) => return Err(Reason::Malformed),
            },
            None => None,
        };
        let meta = member(&result, "_meta").map(|raw| self.approved_meta(raw)).transpose()?;
        let meta = meta.flatten();
        let meta = meta.map(|meta| ("_meta", Some(meta.text)));
        let changes: Vec<_> = [(kind.list(), Some(list))].into_iter().chain(meta).collect();
        Ok(Page { line: rebuilt(id, &result, &[kind.list(), "_meta"], &changes), cursor })
    }

    /// The items that go on, in the form in which they do.
    fn deliver_items(&mut self, kind: Kind, items: &[&str], out: &mut Outbox) -> Vec<String> {
        let parsed: Vec<Option<Definition>> =
            items.iter().map(|item| Definition::parse(kind, item).ok()).collect();
        let mut forms: BTreeMap<&str, BTreeSet<Digest>> = BTreeMap::new();
        for item in parsed.iter().flatten() {
            forms.entry(item.name()).or_default().insert(item.digest());
        }
        let mut delivered = Vec::new();
        let mut seen = BTreeSet::new();
        for (item, raw) in parsed.iter().zip(items) {
            let Some(item) = item else {
                // Whoever cannot be read is not delivered, whatever else the user tolerates.
                let names = names_in(kind, raw);
                let any = names.first().cloned().unwrap_or_default();
                let pinned = names.into_iter().filter(|name| self.pins.contains(kind, name));
                let mut meant: BTreeSet<String> = pinned.collect();
                if meant.is_empty() {
                    meant.insert(any);
                }
                for name in meant {
                    self.withhold(Subject::Item(kind, name), Reason::Malformed, kind, out);
                }
                continue;
            };
            let is_alone = forms.get(item.name()).is_none_or(|forms| forms.len() == 1);
            // The same once more is nothing more.
            if is_alone && !seen.insert(item.name()) {
                continue;
            }
            delivered.extend(self.judge_item(item, raw, is_alone, out));
        }
        delivered
    }

    fn judge_item(
        &mut self,
        item: &Definition,
        raw: &str,
        is_alone: bool,
        out: &mut Outbox,
    ) -> Option<String> {
        let (kind, name) = (item.kind(), item.name());
        let reason = match self.pins.compare(item) {
            _ if !is_alone => Reason::Shadowed,
            Match::Same(pinned) => {
                let pinned = pinned.to_owned();
                return self.approve(kind, name, pinned, out);
            }
            Match::Varies => return self.deliver_volatile(name, out),
            Match::Differs(members) => Reason::Changed(members),
            Match::New => Reason::New,
        };
        let subject = Subject::Item(kind, name.to_owned());
        if self.rules.on_drift == OnDrift::Warn {
            self.report(Decision::Tolerated, subject, reason, kind.method(), out);
            return Some(raw.to_owned());
        }
        self.withhold(subject, reason, kind, out);
        None
    }

    /// Data that comes and goes is delivered without unapproved words, also in its address.
    fn deliver_volatile(&mut self, uri: &str, out: &mut Outbox) -> Option<String> {
        let reason = match self.statuses.get(Kind::Resource, uri) {
            Some(ItemStatus::Withheld(reason)) => reason.clone(),
            _ if !key_markers(uri).is_empty() => Reason::New,
            _ => return Some(format!("{{\"name\":{0},\"uri\":{0}}}", quoted(uri))),
        };
        let subject = Subject::Item(Kind::Resource, uri.to_owned());
        self.withhold(subject, reason, Kind::Resource, out);
        None
    }

    /// It is as it was approved, unless it was something else before in this session.
    fn approve(
        &mut self,
        kind: Kind,
        name: &str,
        pinned: String,
        out: &mut Outbox,
    ) -> Option<String> {
        match self.statuses.get(kind, name) {
            Some(ItemStatus::Withheld(reason)) if self.rules.on_drift != OnDrift::Warn => {
                let reason = reason.clone();
                self.withhold(Subject::Item(kind, name.to_owned()), reason, kind, out);
                None
            }
            _ => {
                self.statuses.set(kind, name, ItemStatus::Approved);
                Some(pinned)
            }
        }
    }

    fn withhold(&mut self, subject: Subject, reason: Reason, kind: Kind, out: &mut Outbox) {
        // What was approved is finite; of the rest only so much is remembered.
        let has_room = self.statuses.len() < 4 * MAX_ITEMS && subject.name().len() <= LONGEST_NAME;
        if let Subject::Item(kind, name) = &subject
            && (self.pins.contains(*kind, name) || (*kind == Kind::Resource && has_room))
        {
            self.statuses.set(*kind, name, ItemStatus::Withheld(reason.clone()));
        }
        self.report(Decision::Withheld, subject, reason, kind.method(), out);
    }

    pub(crate) fn note_announced(&mut self, result: &[RawMember<'_>]) {
        let capabilities = member(result, "capabilities").unwrap_or("{}");
        let Ok(members) = split(capabilities.as_bytes()) else { return };
        let kinds =
            [("tools", Kind::Tool), ("prompts", Kind::Prompt), ("resources", Kind::Resource)];
        let has = |name: &str| members.iter().any(|member| member.name == name);
        self.announced = kinds.iter().filter(|(name, _)| has(name)).map(|(_, k)| *k).collect();
    }

    /// A server that was started again has answered the opening that was repeated to it.
    pub(crate) fn on_reopening_reply(
        &mut self,
        facts: &MessageFacts,
        text: &[u8],
        out: &mut Outbox,
    ) {
        let drifts = facts.has_error || self.on_opening_reply("0", text, out) != Delivery::Pass;
        if drifts && self.rules.on_drift == OnDrift::Stop {
            out.stop.get_or_insert_with(|| "the server came back as another".to_owned());
        }
        self.send_to_server(&notification("notifications/initialized", ""));
        self.announce_changes();
    }

    /// Whatever the client knows of lists, it should ask again.
    pub(crate) fn announce_changes(&mut self) {
        for kind in self.announced.clone() {
            self.announce_change(kind);
        }
    }

    /// Says that a list has changed.
    pub(crate) fn announce_change(&mut self, kind: Kind) {
        let method = format!("notifications/{}/list_changed", kind.list());
        self.send_to_client(&notification(&method, ""));
    }
}

pub(crate) fn split(text: &[u8]) -> Result<Vec<RawMember<'_>>, Reason> {
    if text.len() > PAGE.bytes {
        return Err(Reason::TooLarge);
    }
    json::split_object(text, PAGE).ok().flatten().ok_or(Reason::Malformed)
}

pub(crate) fn member<'m>(members: &[RawMember<'m>], name: &str) -> Option<&'m str> {
    members.iter().find(|member| member.name == name).map(|member| member.value)
}

/// Every name of something that cannot be read as a whole; it may have anything twice.
fn names_in(kind: Kind, raw: &str) -> Vec<String> {
    let (mut names, mut depth, mut is_meant) = (Vec::new(), 0_usize, false);
    let Ok(mut tokens) = Tokenizer::new(raw.as_bytes(), PAGE) else { return names };
    while let Ok(token) = tokens.next() {
        let is_value = std::mem::take(&mut is_meant);
        match token.kind {
            TokenKind::ObjectStart | TokenKind::ArrayStart => depth += 1,
            TokenKind::ObjectEnd | TokenKind::ArrayEnd => depth -= 1,
            TokenKind::Name(name) => is_meant = depth == 1 && name == kind.key(),
            TokenKind::String(text) if is_value => names.push(text.into_owned()),
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    names
}

/// A reply with some members of its result replaced or left out. Names that some readers would
/// take for one of the `judged` members are left out as well.
pub(crate) fn rebuilt(
    id: &str,
    result: &[RawMember<'_>],
    judged: &[&str],
    changes: &[(&str, Option<String>)],
) -> Vec<u8> {
    let mut members = Vec::new();
    for member in result {
        let (name, value) = (&*member.name, member.value);
        let change = changes.iter().find(|(changed, _)| *changed == name);
        let value = match change {
            Some((_, value)) => value.as_deref(),
            None if judged.iter().any(|known| is_mistaken_for(name, known)) => None,
            None => Some(value),
        };
        members.extend(value.map(|value| format!("{}:{value}", quoted(name))));
    }
    result_reply(id, &format!("{{{}}}", members.join(","))).into_bytes()
}

#[cfg(test)]
mod tests {
    use core::time::Duration;

    use super::*;
    use crate::pins::Pins;
    use crate::rules::Rules;

    /// A guard of a server of which nothing was approved.
    fn guard() -> Guard {
        let rules = Rules {
            server: "s".to_owned(),
            directory: None,
            on_drift: OnDrift::Block,
            sampling: false,
            elicitation: false,
            nonce: "n".to_owned(),
            arguments: None,
            records_all: false,
            first_answer: Duration::ZERO,
        };
        Guard::new(Pins::of([]), rules)
    }

    #[test]
    fn unapproved_items_are_remembered_only_if_they_are_addresses_of_at_most_2_kib() {
        let mut guard = guard();
        for (kind, length, is_remembered) in [
            (Kind::Resource, 2048, true),
            (Kind::Resource, 2049, false),
            (Kind::Tool, 1, false),
            (Kind::Prompt, 1, false),
            (Kind::ResourceTemplate, 1, false),
        ] {
            let name = "x".repeat(length);
            let subject = Subject::Item(kind, name.clone());
            guard.withhold(subject, Reason::New, kind, &mut Outbox::default());
            let status = guard.statuses.get(kind, &name);
            assert_eq!(status.is_some(), is_remembered, "{kind:?} {length}");
        }
    }

    #[test]
    fn a_page_that_is_too_large_is_not_called_malformed() {
        let blanks = vec![b' '; PAGE.bytes + 1];
        assert_eq!(split(&blanks).err(), Some(Reason::TooLarge));
        assert_eq!(split(b" ").err(), Some(Reason::Malformed));
    }

    #[test]
    fn every_name_of_an_item_is_found_and_no_other_text() {
        let raw = r#"{"name":"a","x":{"name":"b"},"y":"c","name":7,"z":"d","name":"e"}"#;
        assert_eq!(names_in(Kind::Tool, raw), ["a", "e"]);
        assert_eq!(names_in(Kind::Resource, r#"{"name":"a","uri":"b"}"#), ["b"]);
    }
}
