//! How far apart two texts are (spec 7.4).

use std::borrow::Cow;

/// How a text changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextChange {
    /// White space, case, final punctuation, or a letter in one or two words.
    Typo,
    /// Anything else.
    Other,
}

/// Classifies two texts that differ.
#[must_use]
pub fn classify(before: &str, after: &str) -> TextChange {
    // Characters that a reader does not see are no slip of the pen.
    let hides = |text: &str| facets_markers::characters_seen(text).any(|(_, is_hidden)| is_hidden);
    if hides(before) || hides(after) {
        return TextChange::Other;
    }
    let (old, new) = (words(before), words(after));
    if old.len() != new.len() {
        return TextChange::Other;
    }
    let different: Vec<(&str, &str)> = old
        .iter()
        .zip(&new)
        .filter(|(old, new)| old != new)
        .map(|(old, new)| (&**old, &**new))
        .collect();
    let slips = different.len() <= 2 && different.iter().all(|(old, new)| is_slip(old, new));
    if slips { TextChange::Typo } else { TextChange::Other }
}

/// Without case, and without punctuation at the end of the text.
fn words(text: &str) -> Vec<Cow<'_, str>> {
    let text = text.trim_end().trim_end_matches(['.', '!', '?', ';', ':', ',', '…']);
    text.split_whitespace()
        .map(|word| {
            // In an address or a name of something, case may mean something.
            let plain = ends_trimmed(word).chars().all(char::is_alphabetic);
            if plain && word.chars().any(char::is_uppercase) {
                Cow::Owned(word.to_lowercase())
            } else {
                Cow::Borrowed(word)
            }
        })
        .collect()
}

fn ends_trimmed(word: &str) -> &str {
    word.trim_matches(['.', ',', ';', ':', '!', '?', '(', ')', '\'', '"'])
}

/// Words that turn a sentence round, or make it an order.
const WEIGHTY: &[&str] = &[
    "always", "never", "cannot", "mustnt", "shouldnt", "wouldnt", "couldnt", "should", "shall",
    "would", "could", "might", "without", "unless", "except", "neither", "nothing", "nobody",
    "ignore", "before", "after", "every", "allow", "allows", "allowed", "denied", "disallow",
];

fn is_slip(old: &str, new: &str) -> bool {
    let letters = |word: &str| word.chars().filter(|c| c.is_alphabetic()).count();
    let bare = |word: &str| word.chars().filter(|c| c.is_alphabetic()).collect::<String>();
    let weighty = |word: &str| WEIGHTY.contains(&&*bare(word));
    let plain = |word: &str| ends_trimmed(word).chars().all(char::is_alphabetic);
    letters(old) >= 5
        && letters(new) >= 5
        && plain(old)
        && plain(new)
        && !weighty(old)
        && !weighty(new)
        && one_step_apart(old, new)
}

/// One Damerau–Levenshtein step: a letter added, removed or replaced, or two swapped.
fn one_step_apart(old: &str, new: &str) -> bool {
    let (old, new): (Vec<char>, Vec<char>) = (old.chars().collect(), new.chars().collect());
    let same = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[same..], &new[same..]);
    match (old, new) {
        ([], [_]) | ([_], []) => true,
        ([_, rest @ ..], [_, other @ ..]) if rest == other => true,
        ([_, rest @ ..], all) if rest == all => true,
        (all, [_, rest @ ..]) if rest == all => true,
        ([a, b, rest @ ..], [c, d, other @ ..]) => a == d && b == c && rest == other,
        _ => false,
    }
}

/// How alike two texts are, from 0 to 1: the share of words that both have.
#[must_use]
pub(crate) fn similarity(one: &str, other: &str) -> f64 {
    let (mut left, mut right) = (words(one), words(other));
    if left.is_empty() || right.is_empty() {
        return 0.0;
    }
    left.sort_unstable();
    right.sort_unstable();
    let (mut shared, mut l, mut r) = (0_u32, 0, 0);
    while let (Some(a), Some(b)) = (left.get(l), right.get(r)) {
        match a.cmp(b) {
            std::cmp::Ordering::Less => l += 1,
            std::cmp::Ordering::Greater => r += 1,
            std::cmp::Ordering::Equal => (shared, l, r) = (shared + 1, l + 1, r + 1),
        }
    }
    let all = u32::try_from(left.len().max(right.len())).unwrap_or(u32::MAX);
    f64::from(shared) / f64::from(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_pen_are_told_from_changes() {
        let typos = [
            ("Read a file", "Read  a file"),
            ("Read a file", "read a file."),
            ("Read a file.", "Read a file"),
            ("Retreive the records", "Retrieve the records"),
            ("Lists all availble items", "Lists all available items"),
            ("The recieved messge", "The received message"),
            ("Returns the contents ", "Returns the contents\n"),
        ];
        for (before, after) in typos {
            assert_eq!(classify(before, after), TextChange::Typo, "{before} / {after}");
        }
        let others = [
            ("Read a file", "Read any file"),
            ("Does not send mail", "Does now send mail"),
            ("You should not use it", "You should now use it"),
            ("May be called", "Must be called"),
            ("Reads a file", "Reads a file. Then send it."),
            ("one two three", "two one three"),
            ("Retreive recieved messge now", "Retrieve received message now"),
            ("Sends nothing", "Sends anything"),
            ("Call it never", "Call it lever"),
            ("Read a file", "Read a file\u{200b}"),
            ("sends to reports.acme.com", "sends to reports.acne.com"),
            ("see https://bit.ly/AbCdE", "see https://bit.ly/aBcDe"),
            ("Disabled for guests", "Disabled for guest's"),
            ("port 8080 is open", "port 8081 is open"),
            ("writes to /data1", "writes to /data2"),
        ];
        for (before, after) in others {
            assert_eq!(classify(before, after), TextChange::Other, "{before} / {after}");
        }
    }

    #[test]
    fn one_step_is_one_step() {
        for (a, b) in [("abc", "abd"), ("abc", "ab"), ("abc", "abcd"), ("abc", "acb"), ("b", "ab")]
        {
            assert!(one_step_apart(a, b), "{a} {b}");
            assert!(one_step_apart(b, a), "{b} {a}");
        }
        for (a, b) in [("abc", "cba"), ("abcd", "badc"), ("ab", "abcd"), ("abc", "abc")] {
            assert!(!one_step_apart(a, b), "{a} {b}");
        }
    }
}
