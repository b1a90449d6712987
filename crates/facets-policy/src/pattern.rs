//! Names with `*` for any run of characters.

use std::fmt;

/// A name, or many.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Pattern(String);

impl Pattern {
    pub(crate) fn new(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// Takes time in the product of both lengths at most: only the last star is tried again.
    pub(crate) fn matches(&self, name: &str) -> bool {
        let (pattern, name): (Vec<char>, Vec<char>) =
            (self.0.chars().collect(), name.chars().collect());
        let (mut at, mut read) = (0, 0);
        let mut star = None;
        while read < name.len() {
            match pattern.get(at) {
                Some('*') => {
                    star = Some((at, read));
                    at += 1;
                }
                Some(letter) if *letter == name[read] => {
                    at += 1;
                    read += 1;
                }
                _ => match star {
                    Some((place, from)) => {
                        star = Some((place, from + 1));
                        at = place + 1;
                        read = from + 1;
                    }
                    None => return false,
                },
            }
        }
        pattern[at..].iter().all(|letter| *letter == '*')
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    #[test]
    fn a_star_stands_for_any_run() {
        for (pattern, name, expected) in [
            ("get_time", "get_time", true),
            ("get_time", "get_times", false),
            ("get_*", "get_", true),
            ("get_*", "forget_it", false),
            ("*_time", "get_time_time", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("*", "", true),
            ("", "", true),
            ("", "a", false),
            ("é*", "é💡", true),
            ("**", "x", true),
        ] {
            assert_eq!(Pattern::new(pattern).matches(name), expected, "{pattern} {name}");
        }
        let long = "a".repeat(20_000);
        assert!(!Pattern::new(&format!("{}b", "a*".repeat(100))).matches(&long));
    }
}
