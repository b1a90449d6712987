//! Texts as strings of YAML and TOML.

use std::fmt::Write as _;

/// A double-quoted string of YAML on one line, which is also JSON.
///
/// Three hyphens never stand in a row: some clients end a front matter at them wherever they are.
pub(super) fn yaml_string(text: &str) -> String {
    let mut out = String::from('"');
    let mut hyphens = 0;
    for character in text.chars() {
        hyphens = if character == '-' { hyphens + 1 } else { 0 };
        if hyphens == 3 {
            out.push_str("\\u002d");
            hyphens = 0;
        } else {
            escape(character, &mut out);
        }
    }
    out.push('"');
    out
}

/// A basic string of TOML on one line.
pub(super) fn toml_string(text: &str) -> String {
    let mut out = String::from('"');
    text.chars().for_each(|character| escape(character, &mut out));
    out.push('"');
    out
}

/// A basic string of TOML with the lines of the text, so that people can read it.
pub(super) fn toml_lines(text: &str) -> String {
    // A line end directly behind the quotes is no part of the string.
    let mut out = String::from("\"\"\"\n");
    for character in text.chars() {
        match character {
            '\n' | '\t' => out.push(character),
            other => escape(other, &mut out),
        }
    }
    out.push_str("\"\"\"");
    out
}

/// Whether a character cannot stand in a string as it is: a control, the ends of lines that only
/// some readers know, a byte order mark, and what is no character.
pub(super) fn is_escaped(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

fn escape(character: char, out: &mut String) {
    match character {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        other if is_escaped(other) => {
            // All of them have at most four digits.
            let _ = write!(out, "\\u{:04x}", u32::from(other));
        }
        other => out.push(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_escaped_as_little_as_they_must() {
        let text = "a \"b\" \\ é 💡\t\r\n\0\u{7f}\u{85}\u{2028}\u{feff}";
        let escaped = "a \\\"b\\\" \\\\ é 💡\\t\\r\\n\\u0000\\u007f\\u0085\\u2028\\ufeff";
        assert_eq!(yaml_string(text), format!("\"{escaped}\""));
        assert_eq!(toml_string(text), format!("\"{escaped}\""));
        assert_eq!(toml_lines("a\n\t\"\"\"\r\n"), "\"\"\"\na\n\t\\\"\\\"\\\"\\r\n\"\"\"");
    }

    #[test]
    fn hyphens_that_could_end_a_front_matter_are_escaped() {
        assert_eq!(yaml_string("a--b"), "\"a--b\"");
        assert_eq!(yaml_string("---"), "\"--\\u002d\"");
        assert_eq!(yaml_string("-------"), "\"--\\u002d--\\u002d-\"");
        assert_eq!(toml_string("---"), "\"---\"");
    }
}
