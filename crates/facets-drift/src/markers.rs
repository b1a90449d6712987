//! Words that have no place in a declaration (spec 7.4).
//!
//! A declaration says what a tool does. A poisoned one speaks to the model: it gives orders,
//! hides something, asks for secrets, names places to send them to. The rules are a table
//! ([`RULES`]); each has a code, what it looks for, and examples both ways. No rule proves
//! anything: a hit is something that a person should read before approving it.
//!
//! Words are looked for in the folded text: without invisible characters, in lower case, with
//! look-alike letters as the letters they look like. All rules take time linear in the text.

mod addresses;
mod blanks;
mod blobs;
mod characters;
mod chunks;
mod confusable;
mod fold;
mod found;
mod languages;
mod letters;
mod lists;
mod markup;
mod matcher;
mod paths;
mod phrases;
mod rules;
mod shell;
mod siblings;
mod words;

use std::cell::OnceCell;
use std::collections::BTreeSet;

use chunks::chunks;
use fold::Folded;
use found::{Found, Hit};
pub use rules::RULES;
use siblings::Siblings;

/// A rule: its code, what it looks for, and examples both ways.
///
/// The examples stand in a tool of a server whose other tools are `read_file` and `send_email`.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Its code.
    pub code: &'static str,
    /// What it looks for.
    pub looks_for: &'static str,
    /// Texts that it hits.
    pub hits: &'static [&'static str],
    /// Texts that no rule hits, though they come close to this one.
    pub passes: &'static [&'static str],
}

/// A hit: the rule, and the words of the text that hit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marker {
    /// The code of the rule.
    pub rule: &'static str,
    /// The words, at most about 60 characters, invisible ones written as `\u{…}`.
    pub words: String,
}

/// What else a text stands among.
#[derive(Clone, Copy, Debug)]
pub struct Context<'c> {
    /// The tool (or prompt…) that the text belongs to; its own name is no marker.
    pub own: &'c str,
    /// All tools of the server.
    pub tools: &'c ToolNames,
}

/// The names of the tools of a server, made ready to be looked for once.
#[derive(Clone, Debug, Default)]
pub struct ToolNames(BTreeSet<String>);

impl ToolNames {
    /// No names: nothing is another tool.
    pub const NONE: &'static Self = &Self(BTreeSet::new());

    /// These names, in any order.
    #[must_use]
    pub fn new(names: &[&str]) -> Self {
        Self(names.iter().map(|name| Folded::new(name).text().to_owned()).collect())
    }
}

/// Texts that were approved, looked at once if at all.
#[derive(Debug)]
pub struct Approved<'a> {
    texts: Vec<&'a str>,
    keys: OnceCell<BTreeSet<(&'static str, String)>>,
}

impl<'a> Approved<'a> {
    /// These texts.
    #[must_use]
    pub fn new(texts: Vec<&'a str>) -> Self {
        Self { texts, keys: OnceCell::new() }
    }

    /// Markers of a new text that these texts do not have.
    #[must_use]
    pub fn new_in(&self, after: &str, context: &Context<'_>) -> Vec<Marker> {
        let mut new = hits(after, context);
        if new.is_empty() {
            return Vec::new();
        }
        let keys = self.keys.get_or_init(|| {
            let hits = self.texts.iter().flat_map(|text| hits(text, context));
            hits.map(|hit| (hit.rule, hit.key)).collect()
        });
        new.retain(|hit| !keys.contains(&(hit.rule, hit.key.clone())));
        new.into_iter().map(|hit| hit.marker(after)).collect()
    }
}

/// All markers of a text, in the order of their first place, no twins.
#[must_use]
pub fn markers(text: &str, context: &Context<'_>) -> Vec<Marker> {
    hits(text, context).into_iter().map(|hit| hit.marker(text)).collect()
}

/// Markers of the new text that the approved texts did not have: a marker already approved is
/// no drift. Addresses are the same if their scheme and host are.
#[must_use]
pub fn new_markers(before: &[&str], after: &str, context: &Context<'_>) -> Vec<Marker> {
    Approved::new(before.to_vec()).new_in(after, context)
}

fn hits(text: &str, context: &Context<'_>) -> Vec<Hit> {
    found(text, context).into_hits()
}

fn found(text: &str, context: &Context<'_>) -> Found {
    let mut found = Found::default();
    characters::look(text, &mut found);
    confusable::look(text, &mut found);
    blobs::look(text, &mut found);
    let folded = Folded::new(text);
    matcher::look(&folded, &mut found);
    let siblings = Siblings::new(context);
    for chunk in chunks(folded.text()) {
        if chunk.has_marks {
            addresses::look(&folded, &chunk, &mut found);
            paths::look(&folded, &chunk, &mut found);
        }
        siblings.look(&folded, &chunk, &mut found);
    }
    shell::look(&folded, &mut found);
    markup::look(&folded, &mut found);
    blanks::look(&folded, &mut found);
    found
}

/// A text with look-alike letters as the letters they look like, in the case they have, and
/// without what hides in it.
pub(crate) fn plain_text(text: &str) -> String {
    let shown = text.chars().filter(|c| !facets_model::is_hidden(*c) && !letters::is_combining(*c));
    let plain =
        shown.map(|c| if c.is_uppercase() { upper(letters::plain(c)) } else { letters::plain(c) });
    plain.collect()
}

fn upper(letter: char) -> char {
    letter.to_ascii_uppercase()
}
