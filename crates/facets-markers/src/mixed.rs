//! Words of names that have Latin letters, and beside them what does not belong there.
//!
//! Thousands of letters and signs look like a Latin letter to some reader in some font. A table of
//! them is never complete, so this is the other way round: what stands in honest words is known.

use unicode_normalization::UnicodeNormalization as _;

use crate::hidden::is_mark;
use crate::letters::is_ideograph;
use crate::signs::{is_pictograph, is_stroke, plain_strokes};

/// The parts of a name, each with the sign that ends it.
pub(crate) fn parts(name: &str) -> impl Iterator<Item = &str> {
    name.split_inclusive(ends_word)
}

/// Whether a part has Latin letters and something that is not honest beside them.
pub(crate) fn is_mixed(part: &str) -> bool {
    if part.is_ascii() {
        return false;
    }
    // Composed: letters with an accent, and syllables of Korean, are one character then. What is
    // no part of a syllable or letter counts as it is written, such as the sign for Kelvin.
    let composed: String = part.nfc().filter(|c| !ends_word(*c)).collect();
    let has_ideographs = composed.chars().any(is_east_asian);
    let is_zero_of_number = |c: char| c == IDEOGRAPHIC_ZERO && has_ideographs;
    let is_odd = |c: char| is_strange(c) && !ends_word(c) && !is_zero_of_number(c);
    let mut whole = part.chars().filter(|c| !is_mark(*c) && !is_part_of_syllable(*c));
    part.chars().any(is_latin)
        && (whole.any(is_odd) || composed.chars().any(is_odd) || plain_strokes(part) != part)
}

fn is_part_of_syllable(character: char) -> bool {
    matches!(character, '\u{1100}'..='\u{11ff}')
}

/// A circle among Latin letters, a digit among ideographs.
const IDEOGRAPHIC_ZERO: char = '\u{3007}';

/// Whether a character of a mixed part may be what does not belong there.
pub(crate) fn is_suspect(character: char) -> bool {
    is_strange(character) || is_stroke(character)
}

/// Whether a character does not belong beside Latin letters.
fn is_strange(character: char) -> bool {
    let is_accent = matches!(character, '\u{300}'..='\u{36f}');
    // Apostrophes that are letters, as in Uzbek and Hawaiian.
    let is_apostrophe = matches!(character, '\u{2bb}' | '\u{2bc}');
    let is_known = is_accent || is_apostrophe || is_pictograph(character);
    !(character.is_ascii() || is_known || is_latin(character) || is_east_asian(character))
}

/// Signs that honest names have around their words: all of ASCII, and the punctuation of texts in
/// Latin letters or ideographs.
fn ends_word(character: char) -> bool {
    if character.is_ascii() {
        return !character.is_ascii_alphanumeric();
    }
    matches!(character, '\u{a1}' | '\u{a7}' | '\u{ab}' | '\u{b7}' | '\u{bb}' | '\u{bf}'
        | '\u{2010}'..='\u{2015}' | '\u{2018}'..='\u{2026}' | '\u{2039}' | '\u{203a}'
        | '\u{3000}'..='\u{3003}' | '\u{3008}'..='\u{3011}' | '\u{3014}'..='\u{301f}'
        | '\u{30fb}' | '\u{ff01}'..='\u{ff0f}' | '\u{ff1a}'..='\u{ff20}'
        | '\u{ff3b}'..='\u{ff40}' | '\u{ff5b}'..='\u{ff65}')
}

/// A letter with which some living language is written in Latin.
fn is_latin(character: char) -> bool {
    match character {
        'a'..='z' | 'A'..='Z' => true,
        '\u{d7}' | '\u{f7}' => false,
        // Out of use, for phonetics alone, or a letter of few that looks like one of many.
        '\u{138}'
        | '\u{17f}'
        | '\u{184}'
        | '\u{185}'
        | '\u{18d}'
        | '\u{196}'
        | '\u{19c}'
        | '\u{1a6}'..='\u{1a8}'
        | '\u{1aa}'
        | '\u{1bb}'..='\u{1cc}'
        | '\u{1f1}'..='\u{1f3}'
        | '\u{21c}'
        | '\u{21d}'
        | '\u{221}'..='\u{223}'
        | '\u{234}'..='\u{239}'
        | '\u{241}'
        | '\u{242}'
        | '\u{245}'
        | '\u{1e9c}'
        | '\u{1e9d}'
        | '\u{1e9f}'
        | '\u{1efa}'..='\u{1eff}' => false,
        // Of phonetics, those that Azerbaijani and languages of Africa have.
        '\u{253}' | '\u{254}' | '\u{256}' | '\u{257}' | '\u{259}' | '\u{25b}' | '\u{272}' => true,
        _ => matches!(character, '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}'),
    }
}

/// Ideographs, kana and syllables of Korean: Latin words stand among them without a blank.
fn is_east_asian(character: char) -> bool {
    let is_line = character == '\u{4e28}';
    let is_syllable = matches!(character, '\u{ac00}'..='\u{d7a3}');
    let is_other = matches!(character, '\u{3005}' | '\u{3006}' | '\u{31f0}'..='\u{31ff}'
        | '\u{f900}'..='\u{faff}');
    (is_ideograph(character) && !is_mark(character) && !is_line) || is_syllable || is_other
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_mixed_somewhere(name: &str) -> bool {
        parts(name).any(is_mixed)
    }

    #[test]
    fn letters_and_signs_that_look_latin_are_strange_in_a_latin_word() {
        for strange in
            "𐐬𐓪ƄƖɯɣסهჿᖴᒪᗅᕼᛕ𐊠ⵝ∨∪⊤⨯│❘￨ꙇ°²ⅼℓ→×÷€ǀĸſ〇丨ㅣ\u{1175}\u{5c4}\u{64b}".chars().chain([
                '\u{653}', '\u{93c}', '\u{e31}', '\u{a66f}', '\u{2cef}', '\u{fb1e}', '\u{3099}',
                '\u{212a}', '\u{212b}', '\u{37e}',
            ])
        {
            for name in
                [format!("re{strange}d_it"), format!("{strange}it"), format!("at_x{strange}")]
            {
                assert!(is_mixed_somewhere(&name), "{name} {strange:?}");
            }
            // With nothing to be mixed with.
            for name in [format!("re_{strange}_it"), format!("re {strange}")] {
                assert!(!is_mixed_somewhere(&name), "{name} {strange:?}");
            }
        }
    }

    #[test]
    fn honest_words_are_not_mixed() {
        for name in [
            "café",
            "cafe\u{301}",
            "naïve",
            "Straße",
            "tìm_kiếm",
            "đọc_tệp",
            "kapı_aç",
            "Ətraflı",
            "ɓata_ƙasa",
            "oʻqish",
            "l’été",
            "«état»",
            "col·lecció",
            "read–file",
            "what’s new…",
            "查询SQL",
            "SQL查询（表）",
            "二〇二四report",
            "データAPI",
            "テ\u{3099}ータAPI",
            "step一_run",
            "API一覧",
            "SQL조회",
            "SQL\u{110c}\u{1169}",
            "🔍search",
            "search → find",
            "price_€",
            "x̂_hat",
            "get_файл",
        ] {
            assert!(!is_mixed_somewhere(name), "{name}");
        }
    }

    #[test]
    fn a_stroke_between_latin_words_is_strange() {
        for name in ["read一file", "readーfile", "readノfile", "read一一file"] {
            assert!(is_mixed_somewhere(name), "{name}");
        }
    }
}
