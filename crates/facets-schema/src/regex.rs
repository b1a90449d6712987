//! Patterns of schemas as automata, so that two of them can be compared.
//!
//! What has no automaton (looking around, references back, word boundaries, properties of
//! Unicode) is compared by its text alone.

mod automaton;
mod parse;

use std::collections::BTreeSet;

use parse::LAST;

pub(crate) use automaton::{Automaton, States};

/// One pattern.
#[derive(Debug)]
pub(crate) struct Pattern {
    pub(crate) source: String,
    /// Nothing if the pattern is more than an automaton can say.
    pub(crate) automaton: Option<Automaton>,
}

impl Pattern {
    pub(crate) fn new(source: &str) -> Self {
        let automaton = parse::parse(source).and_then(|tree| Automaton::of(&tree));
        Self { source: source.to_owned(), automaton }
    }
}

const SURROGATES: (u32, u32) = (0xD800, 0xDFFF);

/// One character for each class of characters that the automata and texts cannot tell apart;
/// the most readable first.
pub(crate) fn representatives(automata: &[&Automaton], texts: &[&str]) -> Vec<char> {
    let mut starts = BTreeSet::from([0, SURROGATES.0, SURROGATES.1 + 1]);
    for automaton in automata {
        for (first, last) in automaton.ranges() {
            starts.insert(first);
            starts.insert(last + 1);
        }
    }
    for character in texts.iter().flat_map(|text| text.chars()) {
        starts.insert(u32::from(character));
        starts.insert(u32::from(character) + 1);
    }
    starts.retain(|start| *start <= LAST);
    let starts: Vec<u32> = starts.into_iter().collect();
    let mut chosen: Vec<char> = starts
        .iter()
        .enumerate()
        .filter_map(|(index, first)| {
            let last = starts.get(index + 1).map_or(LAST, |next| next - 1);
            readable(*first, last)
        })
        .collect();
    chosen.sort_by_key(|character| {
        (!character.is_ascii_alphanumeric(), !character.is_ascii_graphic())
    });
    chosen
}

/// The nicest character of a range.
fn readable(first: u32, last: u32) -> Option<char> {
    let inside = |character: char| (first..=last).contains(&u32::from(character));
    let nice = ('a'..='z').chain('A'..='Z').chain('0'..='9').chain('!'..='~').find(|c| inside(*c));
    nice.or_else(|| char::from_u32(first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_what_they_should() {
        let cases: &[(&str, &[&str], &[&str])] = &[
            ("^a+$", &["a", "aaa"], &["", "b", "ab", "ba"]),
            ("a", &["a", "xax"], &["", "x"]),
            ("^(a|bc)*$", &["", "a", "bca"], &["b", "abb"]),
            ("^[a-c-]{2,3}$", &["ab", "a-c"], &["a", "abca", "ad"]),
            (r"^\d{4}-\d{2}$", &["2024-01"], &["2024-1", "x2024-01"]),
            (r"^[^\s/]+$", &["a.b"], &["", "a b", "a/b", "\u{feff}"]),
            ("^$|^x", &["", "xy"], &["y"]),
            (r"^\u0041\x42$", &["AB"], &["ab"]),
            ("^.{2}$", &["ab", "é😀"], &["a", "a\n"]),
            ("(?:^a|b$)", &["ax", "xb"], &["xa", "bx"]),
            ("", &["", "a"], &[]),
            ("^(?<year>[0-9]+)?$", &["", "12"], &["a"]),
        ];
        for (source, yes, no) in cases {
            let pattern = Pattern::new(source);
            let automaton = pattern.automaton.as_ref().expect(source);
            for text in *yes {
                assert!(automaton.matches(text), "{source} on {text:?}");
            }
            for text in *no {
                assert!(!automaton.matches(text), "{source} on {text:?}");
            }
        }
    }

    #[test]
    fn what_is_no_automaton_has_none() {
        for source in [
            "(?=a)",
            "(?!a)",
            "(?<=a)b",
            r"(a)\1",
            r"\bword",
            r"\p{L}",
            "[[a]]",
            "a{2",
            "(",
            "*",
            "[b-a]",
            r"\k<n>",
            "(a{100}){100}{100}",
        ] {
            assert!(Pattern::new(source).automaton.is_none(), "{source}");
        }
    }
}
