//! Every rule over one text.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use crate::chunks::chunks;
use crate::context::Context;
use crate::fold::Folded;
use crate::found::{Found, Hit};
use crate::hidden::is_hidden;
use crate::marker::Marker;
use crate::siblings::Siblings;
use crate::{
    addresses, blanks, blobs, characters, confusable, letters, markup, matcher, paths, shell,
};

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
#[must_use]
pub fn plain_text(text: &str) -> String {
    let shown = text.chars().filter(|c| !is_hidden(*c) && !letters::is_combining(*c));
    let plain =
        shown.map(|c| if c.is_uppercase() { upper(letters::plain(c)) } else { letters::plain(c) });
    plain.collect()
}

fn upper(letter: char) -> char {
    letter.to_ascii_uppercase()
}
