//! Names as they are seen. What an eye, or a model, takes for one name is one skeleton.

use unicode_normalization::UnicodeNormalization as _;

use crate::confusable::is_mixed_name;
use crate::hidden::{is_hidden_in_name, is_mark};
use crate::letters::{accented, bears_marks, drawn, is_combining, lower_case, twin, two_letters};
use crate::mixed::{is_mixed, is_suspect, parts};
use crate::rare_letters::rare_twin;
use crate::signs::{is_pictograph, join_spelled_words, join_words};

/// What is left of a name for a reader, in three ways of reading: by its letters, whatever their
/// case, by their shapes, where `I` is an `l`, and by these in small letters. Names that share one
/// of them resemble each other.
///
/// One way would not do: if `i` is `I`, and `I` is `l`, then `mail` is `mall`.
#[must_use]
pub fn skeletons(name: &str) -> [String; 3] {
    let seen = visible_letters(name);
    let shapes = seen.replace(['I', '1', '|'], "l").replace('0', "O");
    let shapes = shapes.replace("rn", "m").replace("vv", "w");
    // A line has the shape of a letter, and is a sign to clients.
    let letters = seen.replace('1', "l").replace('0', "o").to_lowercase();
    let shapes = join_words(&shapes);
    // A pair of capitals is a capital as well.
    let small = shapes.to_lowercase().replace("vv", "w");
    [join_words(&letters), shapes, small]
}

/// Whether a reader takes one name for the other, though they differ.
#[must_use]
pub fn resembles(name: &str, other: &str) -> bool {
    let pairs = skeletons(name).into_iter().zip(skeletons(other));
    name != other && pairs.into_iter().any(|(one, other)| one == other)
}

/// A text without invisible characters, and with plain letters for those that look like them. Case,
/// digits and signs stay what they are: they tell addresses apart.
#[must_use]
pub fn visible_letters(text: &str) -> String {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.to_owned();
    }
    // Before: forms for compatibility lose the shape of some letters. After: marks are off.
    letters_seen(letters_seen(text.chars()).nfkd())
}

/// What is seen of characters: marks stay behind letters whose alphabet has such marks. With one,
/// a letter is not taken for a Latin one.
fn letters_seen(characters: impl Iterator<Item = char>) -> String {
    let shown = characters.filter(|c| !is_hidden_in_name(*c) && !is_combining(*c));
    let mut shown = shown.peekable();
    let mut seen = String::new();
    let mut keeps_marks = false;
    while let Some(character) = shown.next() {
        if !is_mark(character) {
            keeps_marks = bears_marks(character);
            let is_marked = keeps_marks && shown.peek().is_some_and(|next| is_mark(*next));
            match two_letters(character) {
                Some(letters) => seen.push_str(letters),
                None => seen.push(if is_marked { character } else { taken_for(character) }),
            }
        } else if keeps_marks {
            seen.push(character);
        }
    }
    seen
}

/// A name in lower case, with its words joined in one way: how honest servers that know nothing
/// of each other still differ. They have no signs that only look like those of ASCII.
#[must_use]
pub fn plain_spelling(name: &str) -> String {
    join_spelled_words(&name.to_ascii_lowercase())
}

/// What is wrong with a name by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disguise {
    /// It has invisible characters, or ones that change how others are shown.
    Invisible,
    /// A word of it has letters of several alphabets, signs among its letters, or letters that
    /// only look like others.
    Alphabets,
}

/// What is wrong with a name by itself, also if it resembles no other.
#[must_use]
pub fn disguise(name: &str) -> Option<Disguise> {
    let unseen = |c: char| is_hidden_in_name(c) || (c.is_whitespace() && c != ' ');
    if name.chars().any(unseen) {
        Some(Disguise::Invisible)
    } else {
        is_mixed_name(name).then_some(Disguise::Alphabets)
    }
}

/// A name in which each character that is not what it looks like is written as `\u{…}`.
#[must_use]
pub fn spelled_out(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for part in parts(name) {
        let is_mixed = is_mixed(part);
        let mut bearer = ' ';
        for character in part.chars() {
            if is_plain(character, bearer) && !(is_mixed && is_suspect(character)) {
                out.push(character);
            } else {
                out.extend(character.escape_unicode());
            }
            if !is_mark(character) {
                bearer = character;
            }
        }
    }
    out
}

/// Whether a character is what it looks like; a mark, behind the letter that bears it.
fn is_plain(character: char, bearer: char) -> bool {
    if character.is_ascii() {
        return !character.is_ascii_control();
    }
    if is_hidden_in_name(character) || is_combining(character) {
        return false;
    }
    if is_mark(character) {
        return bears_marks(bearer);
    }
    let is_letter = character.is_alphanumeric() || is_pictograph(character);
    is_letter && taken_for(character) == character && two_letters(character).is_none()
}

/// The letter or digit that a character is taken for, in its case.
fn taken_for(character: char) -> char {
    if character.is_ascii() || two_letters(character).is_some() {
        return character;
    }
    // Letters of flags are shown as letters where there is no such flag.
    if let '\u{1f1e6}'..='\u{1f1ff}' = character {
        let index = u32::from(character) - 0x1_f1e6;
        return char::from_u32(u32::from('A') + index).unwrap_or(character);
    }
    let alike = drawn(character)
        .or_else(|| twin(character))
        .or_else(|| rare_twin(character))
        // A capital is drawn like its small letter more often than not.
        .or_else(|| twin(lower_case(character)))
        .or_else(|| rare_twin(lower_case(character)))
        .or_else(|| accented(lower_case(character)));
    match alike {
        // It has the shape of both, and is no capital of either.
        Some('l') if character == '\u{4c0}' => 'l',
        Some(letter) if character.is_uppercase() => letter.to_ascii_uppercase(),
        Some(letter) => letter,
        None => character,
    }
}

#[cfg(test)]
mod tests;
