//! Single words of a message: numbers, ids, and names that are nearly others.

use facets_digest::json::{self, Limits, Provenance};

/// `true`, `false`, `null`, or a number as JSON has it.
pub(super) fn is_word_or_number(text: &[u8]) -> bool {
    if matches!(text, b"true" | b"false" | b"null") {
        return true;
    }
    let mut rest = text.strip_prefix(b"-").unwrap_or(text);
    let digits = |at_least_one: bool, rest: &mut &[u8]| {
        let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        *rest = &rest[count..];
        !at_least_one || count > 0
    };
    let has_zero = rest.first() == Some(&b'0');
    let before = rest.len();
    let mut fits = digits(true, &mut rest) && !(has_zero && before - rest.len() > 1);
    if let Some(after) = rest.strip_prefix(b".") {
        rest = after;
        fits &= digits(true, &mut rest);
    }
    if let Some(after) = rest.strip_prefix(b"e").or_else(|| rest.strip_prefix(b"E")) {
        rest = after.strip_prefix(b"+").or_else(|| after.strip_prefix(b"-")).unwrap_or(after);
        fits &= digits(true, &mut rest);
    }
    fits && rest.is_empty()
}

/// The bytes of numbers and of the three words.
pub(super) fn is_scalar(byte: u8) -> bool {
    const ARE: [bool; 256] = {
        let mut are = [false; 256];
        let mut at = 0_u8;
        while at < 128 {
            are[at as usize] = at.is_ascii_alphanumeric() || matches!(at, b'+' | b'-' | b'.');
            at += 1;
        }
        are
    };
    ARE[usize::from(byte)]
}

/// Whether a name is another one for readers that do not mind capitals, or that join words in
/// another way, such as `input_requests`. To some of them the long s, the sign of kelvin and the i
/// of Turkish are letters, too; and some stop at a zero.
#[must_use]
pub fn is_same_but_for_case(name: &str, lower: &str) -> bool {
    let fold = |letter: char| match letter {
        '\u{17f}' => 's',
        '\u{212a}' => 'k',
        '\u{130}' | '\u{131}' => 'i',
        other => other.to_ascii_lowercase(),
    };
    let name = name.split('\0').next().unwrap_or_default();
    let is_letter = |letter: &char| !matches!(letter, '_' | '-');
    name.chars().filter(is_letter).map(fold).eq(lower.chars().filter(is_letter))
}

/// The member that is the prototype of an object, to readers in JavaScript that copy members one
/// by one: whatever the object lacks is found in it.
pub const PROTOTYPE: &str = "__proto__";

/// Whether some reader takes a member for a known one that it is not.
#[must_use]
pub fn is_mistaken_for(name: &str, known: &str) -> bool {
    name != known && (name == PROTOTYPE || is_same_but_for_case(name, &known.to_ascii_lowercase()))
}

/// Whether a name of which only the beginning is known may be this one, without the signs that
/// join words: what comes behind a zero, and more such signs, do not count for some readers.
pub(super) fn may_be_same(beginning: &str, lower: &str) -> bool {
    let (letters, is_cut) = match beginning.split_once('\0') {
        Some((letters, _)) => (letters, true),
        None => (beginning, false),
    };
    let count = letters.chars().filter(|letter| !matches!(letter, '_' | '-')).count();
    match lower.char_indices().nth(count) {
        _ if is_cut => is_same_but_for_case(letters, lower),
        Some((end, _)) => is_same_but_for_case(letters, &lower[..end]),
        None => is_same_but_for_case(letters, lower),
    }
}

/// What stands between the quotes of a text that has one way to be read: no escapes, ASCII.
pub(super) fn plain_text(written: &[u8]) -> Option<&str> {
    let inner = written.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    let is_plain = inner.iter().all(|byte| matches!(byte, b' '..=b'~') && *byte != b'\\');
    is_plain.then(|| core::str::from_utf8(inner).ok())?
}

/// Whether it can be read strictly; an id may be any JSON.
pub(super) fn is_id(written: &[u8], longest: usize) -> bool {
    let is_number = written.len() <= 15 && written.iter().all(u8::is_ascii_digit);
    let limits = Limits { bytes: longest, depth: 64, values: longest };
    is_number
        || plain_text(written).is_some()
        || json::parse(written, Provenance::Captured, limits).is_ok()
}
