//! Characters that show nothing, or change how others are shown.

use std::ops::Range;

use crate::found::Found;
use crate::hidden::is_hidden;
use crate::letters::is_ideograph;
use crate::presentation::{is_keycap, is_symbol};

/// What a hidden character is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Invisible,
    Bidi,
    Tag,
    Variation,
    Terminal,
}

impl Use {
    fn of(character: char) -> Self {
        match character {
            '\u{1b}' | '\u{9b}' => Self::Terminal,
            '\u{61c}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' => Self::Bidi,
            '\u{e0000}'..='\u{e007f}' => Self::Tag,
            '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => Self::Variation,
            _ => Self::Invisible,
        }
    }

    fn rule(self) -> &'static str {
        match self {
            Self::Invisible => "marker-invisible",
            Self::Bidi => "marker-bidi",
            Self::Tag => "marker-tag-characters",
            Self::Variation => "marker-variation-selector",
            Self::Terminal => "marker-terminal-escape",
        }
    }
}

/// Finds hidden characters that have no honest use where they stand.
pub(crate) fn look(text: &str, found: &mut Found) {
    let controls = |byte: u8| byte.is_ascii_control() && !matches!(byte, b'\n' | b'\t' | b'\r');
    if text.is_ascii() && !text.bytes().any(controls) {
        return;
    }
    let right_to_left = text.chars().any(is_right_to_left);
    let mut before = ' ';
    let mut characters = text.char_indices().peekable();
    while let Some((start, character)) = characters.next() {
        if character.is_ascii_graphic() || !is_hidden(character) {
            before = character;
            continue;
        }
        let kind = Use::of(character);
        let mut end = start + character.len_utf8();
        while let Some((at, next)) =
            characters.next_if(|(_, next)| is_hidden(*next) && Use::of(*next) == kind)
        {
            end = at + next.len_utf8();
        }
        let run = text.get(start..end).unwrap_or_default();
        let next = characters.peek().map_or(' ', |(_, next)| *next);
        if !is_honest(kind, run, before, next, right_to_left) {
            report(kind, text, start..end, found);
        }
    }
}

fn report(kind: Use, text: &str, run: Range<usize>, found: &mut Found) {
    let key = text.get(run.clone()).unwrap_or_default();
    if kind == Use::Terminal {
        // What the terminal is told stands after the escape.
        let rest = text.get(run.end..).unwrap_or_default();
        let told = rest.char_indices().nth(8).map_or(rest.len(), |(at, _)| at);
        let told = run.start..run.end + told;
        return found.add(kind.rule(), told.clone(), text.get(told).unwrap_or_default());
    }
    found.add(kind.rule(), run, key);
}

/// Emoji and some scripts need hidden characters; there they are honest.
fn is_honest(kind: Use, run: &str, before: char, next: char, right_to_left: bool) -> bool {
    let mut characters = run.chars();
    let (first, more) = (characters.next().unwrap_or(' '), characters.next().is_some());
    match kind {
        Use::Variation => {
            !more && (is_symbol(before) || is_keycap(before, next) || is_ideograph(before))
        }
        // A flag of a region: at most six letters, and an end.
        Use::Tag => before == '\u{1f3f4}' && run.chars().count() <= 7 && run.ends_with('\u{e007f}'),
        Use::Bidi => !more && right_to_left && matches!(first, '\u{61c}' | '\u{200e}' | '\u{200f}'),
        Use::Invisible => !more && joins(first, before, next),
        Use::Terminal => false,
    }
}

/// Joiners between emoji, and between letters of scripts that are written with them.
fn joins(joiner: char, before: char, next: char) -> bool {
    match joiner {
        '\u{200d}' if is_symbol(before) => is_symbol(next),
        '\u{200c}' | '\u{200d}' => needs_joiners(before),
        '\u{180b}'..='\u{180f}' => matches!(before, '\u{1800}'..='\u{18af}'),
        _ => false,
    }
}

fn needs_joiners(character: char) -> bool {
    matches!(character, '\u{600}'..='\u{8ff}' | '\u{900}'..='\u{dff}' | '\u{1000}'..='\u{109f}'
        | '\u{1780}'..='\u{18af}')
}

fn is_right_to_left(character: char) -> bool {
    matches!(character, '\u{590}'..='\u{60f}' | '\u{61d}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}'
        | '\u{fe70}'..='\u{fefc}')
}
