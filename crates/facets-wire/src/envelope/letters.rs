//! Single words of a message: numbers, and names that are nearly others.

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

/// Whether a name is another one for readers that do not mind capitals. To some of them the
/// long s, the sign of kelvin and the i of Turkish are letters, too; and some stop at a zero.
#[must_use]
pub fn is_same_but_for_case(name: &str, lower: &str) -> bool {
    let fold = |letter: char| match letter {
        '\u{17f}' => 's',
        '\u{212a}' => 'k',
        '\u{130}' | '\u{131}' => 'i',
        other => other.to_ascii_lowercase(),
    };
    let name = name.split('\0').next().unwrap_or_default();
    name.chars().map(fold).eq(lower.chars())
}
