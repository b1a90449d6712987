//! Words of names and sentences, and their English forms.

use facets_markers::plain_text;

/// The words of an identifier: split at everything that is no letter, and at inner capitals.
pub(super) fn split_name(name: &str) -> Vec<String> {
    let characters: Vec<char> = plain_text(name).chars().collect();
    let mut words: Vec<String> = Vec::new();
    let mut fresh = true;
    for (at, character) in characters.iter().enumerate() {
        if !character.is_alphabetic() {
            fresh = true;
            continue;
        }
        let before = at.checked_sub(1).and_then(|at| characters.get(at));
        let after = characters.get(at + 1);
        let small = |c: Option<&char>| c.is_some_and(|c| c.is_lowercase());
        // `readFile` and the end of `HTTPServer`.
        let inner = character.is_uppercase() && (small(before) || small(after));
        if fresh || inner {
            words.push(String::new());
        }
        fresh = false;
        if let Some(word) = words.last_mut() {
            word.extend(character.to_lowercase());
        }
    }
    words
}

/// The sentences of a text, each as its words.
pub(super) fn sentences(text: &str) -> Vec<Vec<String>> {
    let text = unwrapped(&plain_text(text)).to_lowercase();
    let ends = |c: char| matches!(c, '.' | '!' | '?' | ';' | ':' | '\n' | '\u{3002}');
    let words = |sentence: &str| {
        let words = sentence.split(|c: char| !c.is_alphabetic() && c != '\'');
        words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    text.split(ends).map(words).filter(|words: &Vec<String>| !words.is_empty()).collect()
}

/// Lines that only continue the one before are joined: where a line breaks means nothing.
fn unwrapped(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    for line in text.split('\n') {
        let continues = line.trim_start().starts_with(char::is_lowercase);
        if !joined.is_empty() {
            joined.push(if continues && !joined.ends_with('\n') { ' ' } else { '\n' });
        }
        joined.push_str(line);
    }
    joined
}

/// What an entry of a table stands for: `=word` for the word alone, `word` for its regular
/// forms too: delete, deletes, deleting, deleted; run, running; copy, copies.
pub(super) fn forms(entry: &str) -> Vec<String> {
    if let Some(exact) = entry.strip_prefix('=') {
        return vec![exact.to_owned()];
    }
    let mut forms: Vec<String> =
        ["", "s", "es", "ed", "ing"].map(|end| format!("{entry}{end}")).into();
    match entry.split_at_checked(entry.len().saturating_sub(1)) {
        Some((stem, "e")) => forms.extend(["ed", "ing"].map(|end| format!("{stem}{end}"))),
        Some((stem, "y")) => forms.extend(["ies", "ied"].map(|end| format!("{stem}{end}"))),
        // A last consonant may be doubled.
        Some((_, last)) => forms.extend(["ed", "ing"].map(|end| format!("{entry}{last}{end}"))),
        None => {}
    }
    forms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fall_apart_into_words() {
        assert_eq!(
            split_name("readFile2-HTTPServer_v2.x"),
            ["read", "file", "http", "server", "v", "x"]
        );
        assert_eq!(split_name("\u{435}xec_sh\u{200b}ell"), ["exec", "shell"]);
    }

    #[test]
    fn where_a_line_breaks_means_nothing() {
        let one = sentences("Shows which programs are installed here. Reads nothing.");
        assert_eq!(sentences("Shows which programs are\n   installed here. Reads\nnothing."), one);
        assert_eq!(sentences("First\nSecond\n\nthird").len(), 3);
    }

    #[test]
    fn forms_are_recognised_and_other_words_are_not() {
        for (word, base) in [
            ("delete", "delete"),
            ("deletes", "delete"),
            ("deleting", "delete"),
            ("deleted", "delete"),
            ("running", "run"),
            ("runs", "run"),
            ("copies", "copy"),
            ("pushes", "push"),
            ("dropped", "drop"),
            ("pays", "pay"),
            ("paying", "pay"),
        ] {
            assert!(forms(base).contains(&word.to_owned()), "{word} is a form of {base}");
        }
        for (word, base) in [
            ("runtime", "run"),
            ("truncate", "run"),
            ("format", "rm"),
            ("executor", "execute"),
            ("payload", "pay"),
            ("writer", "write"),
            ("deleter", "delete"),
            ("rms", "=rm"),
        ] {
            assert!(!forms(base).contains(&word.to_owned()), "{word} is no form of {base}");
        }
    }
}
