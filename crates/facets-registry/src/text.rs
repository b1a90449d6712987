//! Texts of others, made fit to be stored and shown.

use facets_markers::characters_seen;

/// The beginning of a text, up to a number of characters.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

/// The beginning of a text, up to a number of bytes.
pub(crate) fn shortened_bytes(text: &str, most: usize) -> &str {
    let mut end = most.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// One line of a bounded length. A control character becomes a blank: one of them cannot be stored by every
/// database, and none should reach a terminal. Characters that a reader does not see, or that reorder others, are
/// left out.
pub(crate) fn one_line(text: &str, most: usize) -> String {
    let seen = characters_seen(text).filter_map(|(character, hides)| {
        if character.is_control() { Some(' ') } else { (!hides).then_some(character) }
    });
    let plain: String = seen.collect();
    shortened(plain.trim(), most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(shortened("héllo", 5), "héllo");
        assert_eq!(shortened("héllo", 2), "hé…");
        assert_eq!(shortened_bytes("héllo", 2), "h");
        assert_eq!(shortened_bytes("héllo", 3), "hé");
        assert_eq!(shortened_bytes("héllo", 30), "héllo");
    }

    #[test]
    fn control_characters_become_blanks() {
        assert_eq!(one_line(" a\0b\nc\u{1b}[m ", 100), "a b c [m");
        assert_eq!(one_line("abc", 2), "ab…");
    }

    #[test]
    fn hidden_characters_are_left_out_and_emoji_stay() {
        assert_eq!(one_line("a\u{202e}b\u{200b}c\u{2066}\u{feff}d\u{e0041}", 100), "abcd");
        assert_eq!(one_line("\u{200b}\u{200b}", 100), "");
        let emoji = "🏳\u{fe0f}\u{200d}🌈 é";
        assert_eq!(one_line(emoji, 100), emoji);
    }
}
