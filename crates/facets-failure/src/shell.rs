//! Advice that can be typed.

use std::path::Path;

/// A path as it can be typed into a shell.
#[must_use]
pub fn shell_word(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@:=,".contains(c);
    // Some shells take a word that begins with `=` for a program.
    if !text.is_empty() && !text.starts_with('=') && text.chars().all(plain) {
        text
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::shell_word;

    #[test]
    fn paths_are_quoted_where_a_shell_needs_it() {
        assert_eq!(shell_word("a/b.c".as_ref()), "a/b.c");
        assert_eq!(shell_word("a b".as_ref()), "'a b'");
        assert_eq!(shell_word("it's".as_ref()), r"'it'\''s'");
        assert_eq!(shell_word("".as_ref()), "''");
        assert_eq!(shell_word("a=b,c".as_ref()), "a=b,c");
        assert_eq!(shell_word("=ls".as_ref()), "'=ls'");
    }
}
