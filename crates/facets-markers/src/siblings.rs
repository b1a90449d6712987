//! Another tool of the same server, where the text says what to do with it.
//!
//! Tools of one server name each other for good reasons: an id comes *from* another tool, one
//! is *like* another. That is no marker. An order to call another tool is one, for it makes a
//! harmless tool steer a dangerous one.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::chunks::Chunk;
use crate::context::Context;
use crate::fold::Folded;
use crate::found::Found;

const RULE: &str = "marker-other-tool";

/// Words before a name that make it part of an order. How far back they may stand: [`NEAR`].
const STEERING: &[&str] = &[
    "after",
    "avoid",
    "before",
    "call",
    "calling",
    "execute",
    "executing",
    "feed",
    "give",
    "invoke",
    "invoking",
    "never",
    "once",
    "override",
    "overrides",
    "pass",
    "prefer",
    "rather",
    "replace",
    "replaces",
    "run",
    "running",
    "through",
    "trigger",
    "use",
    "using",
    "via",
    "when",
    "whenever",
];

/// Words before a name that only point to it; nearer than a steering word, they win.
const POINTING: &[&str] =
    &["as", "by", "following", "from", "in", "like", "of", "returned", "see", "similar", "unlike"];

/// Words before a name that make it part of an order, whatever stands between.
const TAMPERING: &[&str] = &["alter", "change", "intercept", "modify", "override", "replace"];

/// Words after a name that turn readers away from it.
const DISCREDITING: &[&str] =
    &["broken", "forbidden", "obsolete", "outdated", "unreliable", "untrusted", "wrong"];

/// Words after a name that make it part of an order.
const STEERED: &[&str] =
    &["called", "first", "instead", "invoked", "used", "executed", "runs", "must", "should"];

/// How many words around a name are looked at.
const NEAR: usize = 4;

/// How many bytes around a name are looked at.
const AROUND: usize = 48;

/// The other tools, and how they are looked for.
pub(crate) struct Siblings<'c> {
    names: &'c BTreeSet<String>,
    own: String,
}

impl<'c> Siblings<'c> {
    pub(crate) fn new(context: &Context<'c>) -> Self {
        Self { names: &context.tools.0, own: Folded::new(context.own).text().to_owned() }
    }

    /// Finds orders about other tools in a chunk.
    pub(crate) fn look(&self, folded: &Folded<'_>, chunk: &Chunk<'_>, found: &mut Found) {
        if self.names.is_empty() {
            return;
        }
        self.look_at(folded, &chunk.place, found);
        if !chunk.has_marks || !chunk.text.contains(['/', ':', '.', '=']) {
            return;
        }
        // `read_file/write_file`
        let mut at = chunk.place.start;
        for part in chunk.text.split(['/', ':', '.', '=']) {
            self.look_at(folded, &(at..at + part.len()), found);
            at += part.len() + 1;
        }
    }

    fn look_at(&self, folded: &Folded<'_>, place: &Range<usize>, found: &mut Found) {
        let text = folded.text();
        let name = text.get(place.clone()).unwrap_or_default();
        if name == self.own || !self.names.contains(name) {
            return;
        }
        let (before, after) = (end_of(text, place.start), start_of(text, place.end));
        let is_name = is_distinct(name) || is_quoted(before, after);
        if is_name && is_steered(before, after) {
            found.add_folded(RULE, folded, place, name);
        }
    }
}

/// A name that is no ordinary word.
fn is_distinct(name: &str) -> bool {
    !name.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// An ordinary word is a name if it is quoted, or followed by what it is.
fn is_quoted(before: &str, after: &str) -> bool {
    let quote = |c: char| matches!(c, '`' | '"' | '\'' | '\u{2018}'..='\u{201d}');
    before.ends_with(quote) && after.starts_with(quote)
        || after.starts_with(" tool")
        || after.starts_with(" function")
}

fn is_steered(before: &str, after: &str) -> bool {
    let (mut steering, mut pointing, mut tampering) = (None, None, false);
    let mut before_last = "";
    for (at, word) in words(last_sentence(before).rsplit(is_between)).take(NEAR).enumerate() {
        let instead = word == "instead" && before_last == "of";
        if instead || STEERING.contains(&word) {
            steering = steering.or(Some(if instead { 0 } else { at }));
        }
        if POINTING.contains(&word) {
            pointing = pointing.or(Some(at));
        }
        tampering |= TAMPERING.contains(&word);
        before_last = word;
    }
    let followed = |list: &[&str]| {
        words(first_sentence(after).split(is_between)).take(3).any(|word| list.contains(&word))
    };
    let ordered = match (steering, pointing) {
        (Some(steering), Some(pointing)) => steering <= pointing,
        (Some(_), None) => true,
        (None, Some(_)) => false,
        (None, None) => followed(STEERED),
    };
    ordered || tampering || followed(DISCREDITING)
}

fn words<'t>(parts: impl Iterator<Item = &'t str>) -> impl Iterator<Item = &'t str> {
    parts.filter(|part| !part.is_empty())
}

fn is_between(character: char) -> bool {
    !character.is_alphanumeric()
}

fn last_sentence(text: &str) -> &str {
    let stop = (0..text.len()).rev().find(|at| is_stop(text, *at));
    stop.and_then(|at| text.get(at + 1..)).unwrap_or(text)
}

fn first_sentence(text: &str) -> &str {
    let stop = (0..text.len()).find(|at| is_stop(text, *at));
    stop.and_then(|at| text.get(..at)).unwrap_or(text)
}

/// Whether a sentence ends here: a stop before a blank, or an empty line.
fn is_stop(text: &str, at: usize) -> bool {
    match text.as_bytes().get(at..) {
        Some([b'.' | b'!' | b'?' | b';', next, ..]) => next.is_ascii_whitespace(),
        Some([b'\n', b'\n', ..]) => true,
        _ => false,
    }
}

/// The end of the text before a place.
fn end_of(text: &str, place: usize) -> &str {
    let from = (place.saturating_sub(AROUND)..=place).find(|at| text.is_char_boundary(*at));
    text.get(from.unwrap_or(place)..place).unwrap_or_default()
}

/// The beginning of the text after a place.
fn start_of(text: &str, place: usize) -> &str {
    let end = (place.saturating_add(AROUND).min(text.len())).max(place);
    let end = (place..=end).rev().find(|at| text.is_char_boundary(*at));
    text.get(place..end.unwrap_or(place)).unwrap_or_default()
}
