//! Texts of the server that imitate facet, for a person who reads them.

use facets_markers::{is_hidden, is_mark, visible_letters};

/// Letters of a line that are looked at, without invisible ones.
const ENOUGH: usize = 4096;

/// Whether a line of a text begins with `facet:`. A text that moves the cursor, or turns the
/// direction, may show it wherever it stands.
pub(crate) fn speaks_as_facet(text: &str) -> bool {
    if is_rearranged(text) {
        return both_ways(text).iter().any(|text| says_facet_somewhere(text));
    }
    // Those of Python, which knows the most, and the last of the separators beside them.
    let ends = [
        '\n', '\r', '\u{b}', '\u{c}', '\u{1c}', '\u{1d}', '\u{1e}', '\u{1f}', '\u{2028}',
        '\u{2029}',
    ];
    text.split(ends).any(|line| {
        let line = line.chars().skip_while(|letter| is_sign(*letter));
        let line = line.filter(|letter| !is_hidden(*letter) && !is_mark(*letter));
        let seen = visible_letters(&without_runs(line)).to_ascii_lowercase();
        let seen = seen.trim_start_matches(is_sign);
        after_facet(seen).is_some_and(continues_with_colon)
    })
}

/// The beginning of a text, with one sign for many: a reader does not count blanks.
fn without_runs(letters: impl Iterator<Item = char>) -> String {
    let mut was_sign = false;
    let keeps = |letter: &char| {
        let is_sign = !letter.is_alphanumeric() && !is_colon(*letter);
        !(core::mem::replace(&mut was_sign, is_sign) && is_sign)
    };
    letters.filter(keeps).take(ENOUGH).collect()
}

/// What follows the word `facet`, if a text begins with it. A letter of another alphabet may be drawn
/// like any of its letters, if three of them are plain.
fn after_facet(seen: &str) -> Option<&str> {
    let mut letters = seen.chars();
    let mut plain = 0;
    for expected in "facet".chars() {
        let letter = letters.next()?;
        if letter == expected {
            plain += 1;
        } else if letter.is_ascii() {
            return None;
        }
    }
    (plain >= 3).then_some(letters.as_str())
}

/// Whether a letter is drawn as a sign: those that modify others, clicks, and marks of length.
fn is_sign(letter: char) -> bool {
    let is_drawn_so = matches!(
        letter,
        '\u{1c0}'..='\u{1c3}'
            | '\u{2b9}'..='\u{2df}'
            | '\u{2ec}'..='\u{2ff}'
            | '\u{374}'
            | '\u{37a}'
            | '\u{3005}'
            | '\u{3031}'..='\u{3035}'
            | '\u{30fc}'
            | '\u{a700}'..='\u{a721}'
            | '\u{a788}'..='\u{a78c}'
            | '\u{ff70}'
    );
    is_drawn_so || !letter.is_alphanumeric() || is_mark(letter)
}

fn says_facet_somewhere(text: &str) -> bool {
    let seen = visible_letters(text).to_ascii_lowercase();
    seen.contains("facet") && seen.contains(is_colon)
}

/// Signs such as those of emphasis may stand around the word.
fn continues_with_colon(after: &str) -> bool {
    let next = after.chars().find(|letter| is_colon(*letter) || letter.is_alphanumeric());
    next.is_some_and(is_colon)
}

/// Whether a name is `facet`, or begins with that word.
pub(crate) fn names_facet(name: &str) -> bool {
    if is_rearranged(name) {
        let has_it = |text: &String| visible_letters(text).to_ascii_lowercase().contains("facet");
        return both_ways(name).iter().any(has_it);
    }
    // A reader may stop at a control character, or show a new line.
    if name.contains(char::is_control) {
        return name.split(char::is_control).any(names_facet);
    }
    let seen = visible_letters(name).to_ascii_lowercase();
    let seen = seen.trim_start_matches(is_sign);
    let letters: String = seen.chars().filter(char::is_ascii_alphanumeric).collect();
    let is_between = |letter: char| letter.is_ascii() && !letter.is_ascii_alphanumeric();
    let mut words = seen.split(is_between).filter(|word| !word.is_empty());
    let begins =
        |word: &str| after_facet(word).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
    letters == "facet" || words.next().is_some_and(begins)
}

/// Signs that are shown as a colon.
fn is_colon(letter: char) -> bool {
    matches!(
        letter,
        ':' | '\u{2d0}'
            | '\u{2f8}'
            | '\u{589}'
            | '\u{5c3}'
            | '\u{703}'
            | '\u{704}'
            | '\u{903}'
            | '\u{a83}'
            | '\u{1361}'
            | '\u{16ec}'
            | '\u{1803}'
            | '\u{1809}'
            | '\u{205a}'
            | '\u{2236}'
            | '\u{2237}'
            | '\u{2982}'
            | '\u{a4fd}'
            | '\u{a6f4}'
            | '\u{a789}'
            | '\u{fe13}'
            | '\u{fe30}'
            | '\u{fe55}'
            | '\u{ff1a}'
    )
}

/// Whether what is shown is not in the order of the letters: escape sequences and backspaces for
/// terminals, characters that turn the direction.
fn is_rearranged(text: &str) -> bool {
    let rearranges = |letter: char| {
        matches!(letter, '\u{8}' | '\u{1b}' | '\u{80}'..='\u{9f}' | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}')
    };
    text.contains(rearranges)
}

/// A text forwards and backwards, with backspaces as they are and done.
fn both_ways(text: &str) -> [String; 4] {
    let mut done = String::new();
    for letter in text.chars() {
        if letter == '\u{8}' {
            done.pop();
        } else {
            done.push(letter);
        }
    }
    let backwards = |text: &str| text.chars().rev().collect::<String>();
    [text.to_owned(), backwards(text), backwards(&done), done]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_as_the_words_of_facet_is_found() {
        for text in [
            "facet: x",
            " **facet**: x",
            "Fa\u{441}et \u{ff1a} x",
            "facet\u{2236} x",
            "busy\nfacet: x",
            "busy\u{1c}facet: x",
            "busy\rfacet: x",
            "x\u{8}facet: x",
            "\u{1b}[31mfacet: x",
            "\u{1b}[1;31m\u{1b}[0mfacet\u{1b}[m: x",
            "\u{202e}x :tecaf",
            "f\u{200b}acet:",
            "facet\0: x",
            "busy\u{1b}[1Gfacet: x",
            "\u{1b}]0;title\u{7}facet: x",
            "\u{9b}31mfacet: x",
            "\u{202e}tecaf\u{202c}: x",
            "facet\u{a4fd} x",
            "faxx\u{8}\u{8}cet: x",
            "fac\u{651}et: x",
            "\u{e34}facet\u{591}: x",
            "\u{2c8}facet: x",
            "\u{ff70}facet\u{1361} x",
        ] {
            assert!(speaks_as_facet(text), "{text:?}");
        }
        assert!(speaks_as_facet(&format!("{}facet: x", " \u{200b}".repeat(500))));
        assert!(speaks_as_facet(&format!("{}facet: x", " *".repeat(5000))));
        assert!(speaks_as_facet(&format!("facet{}: x", " ".repeat(5000))));
        assert!(speaks_as_facet(&format!("f{}acet: x", "\u{332}".repeat(70))));
        // Marks that count as letters are no run of signs.
        assert!(speaks_as_facet(&format!("f{}acet: x", "\u{e34}".repeat(5000))));
        for text in ["facets: x", "Facet 'color': x", "the facet: x", "", "multifacet: x", "facet"]
        {
            assert!(!speaks_as_facet(text), "{text:?}");
        }
    }

    #[test]
    fn loggers_that_are_shown_as_facet_are_found() {
        for name in [
            "facet",
            "FACET",
            " facet",
            "f\u{430}cet",
            "fac\u{200b}et",
            "f.a.c.e.t",
            "facet/guard",
            "facet: files",
            "\u{ff46}acet",
            "\u{1b}[1mfacet",
            "x\u{8}facet",
            "\u{202e}tecaf",
            "\u{202e}tecaf\u{202c}/guard",
            "FA\u{3f9}ET",
            "\u{15b4}acet",
            "facet\u{b7}guard",
            "\u{1f6e1}\u{fe0f} facet guard",
            "\u{2022}facet/guard",
            "facet\0guard",
            "facet\u{7}x",
            "busy\nfacet",
        ] {
            assert!(names_facet(name), "{name:?}");
        }
        for name in [
            "facets",
            "multifacet",
            "search.facet",
            "",
            "db",
            "\u{39b}\u{3b1}\u{3b8}\u{3bf}\u{3c2}",
        ] {
            assert!(!names_facet(name), "{name:?}");
        }
    }
}
