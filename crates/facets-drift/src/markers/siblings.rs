//! Another tool of the same server, where the text says what to do with it.
//!
//! Tools of one server name each other for good reasons: an id comes *from* another tool, one
//! is *like* another. That is no marker. An order to call another tool is one, for it makes a
//! harmless tool steer a dangerous one.

use std::cell::LazyCell;
use std::collections::BTreeSet;
use std::ops::Range;

use super::Context;
use super::chunks::chunks;
use super::fold::Folded;
use super::found::Found;
use super::words::Words;

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

/// Words after a name that make it part of an order.
const STEERED: &[&str] =
    &["called", "first", "instead", "invoked", "used", "executed", "runs", "must", "should"];

/// How many words around a name are looked at.
const NEAR: usize = 4;

/// How many bytes around a name are looked at.
const AROUND: usize = 48;

/// Finds orders about other tools.
pub(super) fn look(folded: &Folded<'_>, context: &Context<'_>, found: &mut Found) {
    if context.tools.iter().all(|name| *name == context.own) {
        return;
    }
    // Servers may have thousands of tools, and few texts that give orders.
    let names = LazyCell::new(|| names(context));
    let text = folded.text();
    for chunk in chunks(text) {
        for place in parts(text, chunk) {
            let part = text.get(place.clone()).unwrap_or_default();
            let (before, after) = (end_of(text, place.start), start_of(text, place.end));
            let is_name = is_distinct(part) || is_quoted(before, after);
            if is_name && is_steered(before, after) && names.contains(part) {
                found.add_folded(RULE, folded, &place, part);
            }
        }
    }
}

fn names(context: &Context<'_>) -> BTreeSet<String> {
    let fold = |name: &&str| Folded::new(name).text().to_owned();
    let own = fold(&context.own);
    context.tools.iter().map(fold).filter(|name| *name != own).collect()
}

/// A chunk, and its parts if it has several: `read_file/write_file`.
fn parts(text: &str, chunk: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let whole = chunk.clone();
    let mut at = chunk.start;
    let parts = text.get(chunk).unwrap_or_default().split(['/', ':', '.', '=']);
    let parts = parts.map(move |part| {
        let place = at..at + part.len();
        at = place.end + 1;
        place
    });
    std::iter::once(whole.clone()).chain(parts.filter(move |part| *part != whole))
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
    let before: Vec<_> = Words::new(before).collect();
    let sentence = before.last().map_or(0, |word| word.sentence);
    let same = before.iter().rev().take_while(|word| word.sentence == sentence);
    let near = same.map(|word| word.text).take(NEAR);
    let instead = before.len() > 1 && before[before.len() - 2].text == "instead";
    for word in near {
        if STEERING.contains(&word) || (instead && word == "of") {
            return true;
        }
        if POINTING.contains(&word) {
            return false;
        }
    }
    let after = Words::new(after).take_while(|word| word.sentence == 0).take(3);
    after.map(|word| word.text).any(|word| STEERED.contains(&word))
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
