//! Words whose letters are not what they look like.

use std::ops::Range;

use crate::hidden::is_hidden;

use crate::found::Found;
use crate::letters::{Look, is_combining, is_ideograph, look as look_of};
use crate::mixed;
use crate::rare_letters::is_rare_script;

const RULE: &str = "marker-confusable";

/// How many letters of each kind a word has.
#[derive(Clone, Copy, Default)]
struct Count {
    latin: usize,
    twin: usize,
    wide: usize,
    styled: usize,
    foreign: usize,
}

impl Count {
    fn add(&mut self, look: Look) {
        match look {
            Look::Latin => self.latin += 1,
            Look::Twin => self.twin += 1,
            Look::Wide => self.wide += 1,
            Look::Styled => self.styled += 1,
            Look::Foreign => self.foreign += 1,
            Look::Other => {}
        }
    }

    /// Mixed scripts, or letters drawn as symbols: never honest.
    fn is_mixed(self) -> bool {
        let letters = self.latin + self.twin + self.wide + self.styled;
        let mixed = self.latin > 0 && (self.twin > 0 && letters > 2 || self.wide > 0);
        self.foreign == 0 && (mixed || self.styled > 1 || (self.styled > 0 && self.latin > 1))
    }

    /// Written in one foreign alphabet, and readable as Latin: honest only among its own.
    fn is_disguised(self) -> bool {
        self.latin == 0 && self.foreign == 0 && (self.twin > 2 || self.wide > 2)
    }
}

/// Finds words that mix letters of several alphabets, or are disguised in one.
pub(crate) fn look(text: &str, found: &mut Found) {
    if text.is_ascii() {
        return;
    }
    let mut disguised = Vec::new();
    let mut at_home = Count::default();
    for word in words(text) {
        let letters = text.get(word.clone()).unwrap_or_default();
        let mut count = Count::default();
        letters.chars().for_each(|letter| count.add(look_of(letter)));
        at_home.foreign += count.foreign;
        if count.is_mixed() {
            found.add(RULE, word, letters);
        } else if count.is_disguised() {
            disguised.push((word, count.wide > 0));
        }
    }
    let wide_at_home = text.chars().any(is_ideograph);
    for (word, wide) in disguised {
        let honest = if wide { wide_at_home } else { at_home.foreign > 0 };
        if !honest {
            found.add(RULE, word.clone(), text.get(word).unwrap_or_default());
        }
    }
}

/// Whether a name has a word of Latin letters and others, or one that reads as Latin and is not.
/// A name is short and stands without context, so one such letter is enough.
pub(crate) fn is_mixed_name(name: &str) -> bool {
    if name.is_ascii() {
        return false;
    }
    if mixed::parts(name).any(mixed::is_mixed) {
        return true;
    }
    let count_of = |word: Range<usize>| {
        let mut count = Count::default();
        for letter in name.get(word).unwrap_or_default().chars() {
            count.add(look_of(letter));
            count.foreign += usize::from(is_rare_script(letter));
        }
        count
    };
    let counts: Vec<Count> = words(name).map(count_of).collect();
    let is_at_home = counts.iter().any(|count| count.foreign > 0);
    let has_ideographs = name.chars().any(is_ideograph);
    counts.iter().any(|count| {
        (count.twin > 0 && count.foreign == 0 && !is_at_home)
            || (count.wide > 0 && !has_ideographs)
            || count.styled > 0
    })
}

/// Runs of letters, with what hides between them.
fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut characters = text.char_indices().peekable();
    std::iter::from_fn(move || {
        let part = |c: char| c.is_alphabetic() && !is_ideograph(c);
        let (start, first) = characters.find(|(_, c)| part(*c))?;
        let mut end = start + first.len_utf8();
        let inside = |c: char| part(c) || is_hidden(c) || is_combining(c);
        while let Some((at, next)) = characters.next_if(|(_, c)| inside(*c)) {
            if part(next) {
                end = at + next.len_utf8();
            }
        }
        Some(start..end)
    })
}
