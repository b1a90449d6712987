//! Characters that a reader does not see.

/// Characters that show nothing, or change how others are shown.
#[must_use]
pub fn is_hidden(character: char) -> bool {
    matches!(character,
        '\u{0}'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Whether a character shows nothing in a name, or what the font makes of it: private ones, those
/// that are no characters, and those that control the layout of an old script or of music. Texts
/// may speak of these; nobody names a tool with them.
pub(crate) fn is_hidden_in_name(character: char) -> bool {
    let is_noncharacter = u32::from(character) & 0xfffe == 0xfffe;
    is_hidden(character)
        || is_noncharacter
        || matches!(character,
            '\u{70f}' | '\u{2d7f}' | '\u{e000}'..='\u{f8ff}' | '\u{fdd0}'..='\u{fdef}' | '\u{fffc}'
            | '\u{1107f}' | '\u{13430}'..='\u{1345f}' | '\u{16fe4}' | '\u{1d159}'
            | '\u{f0000}'..='\u{10ffff}')
}

/// Whether a character is a mark on another one, of any alphabet.
#[must_use]
pub fn is_mark(character: char) -> bool {
    unicode_normalization::char::is_combining_mark(character)
}
