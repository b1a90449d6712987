//! The words by which a name is found.

use std::collections::BTreeSet;

use facets_model::ArtifactName;

/// Shorter words find too much.
const SHORTEST: usize = 2;
/// Longer words are cut.
const LONGEST: usize = 32;
/// The longest beginning of a word of a name that finds it.
const LONGEST_PREFIX: usize = 16;
/// So many words of a description count.
const MOST_OF_DESCRIPTION: usize = 32;
/// So many words of a query count.
pub(crate) const MOST_OF_QUERY: usize = 4;

/// Every word that finds a name: beginnings of its own words, and whole words of its description.
pub(crate) fn search_words(name: &ArtifactName, description: Option<&str>) -> BTreeSet<String> {
    let mut found: BTreeSet<String> =
        words(name.as_str()).flat_map(|word| prefixes(&word)).collect();
    found.extend(words(description.unwrap_or_default()).take(MOST_OF_DESCRIPTION));
    found
}

/// The words of a query, each once.
pub(crate) fn query_words(query: &str) -> Vec<String> {
    let mut found = Vec::new();
    for word in words(query) {
        if !found.contains(&word) {
            found.push(word);
        }
        if found.len() == MOST_OF_QUERY {
            break;
        }
    }
    found
}

/// Whether a query has more words than a search uses.
#[must_use]
pub fn has_too_many_words(query: &str) -> bool {
    words(query).collect::<BTreeSet<_>>().len() > MOST_OF_QUERY
}

/// Words in lower case, without those that are too short.
fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric())
        .map(|word| word.chars().flat_map(char::to_lowercase).take(LONGEST).collect::<String>())
        .filter(|word| word.chars().count() >= SHORTEST)
}

/// A word, and its beginnings.
fn prefixes(word: &str) -> Vec<String> {
    let letters = word.chars().count();
    let lengths = (SHORTEST..=LONGEST_PREFIX.min(letters)).chain([letters]);
    lengths.map(|length| word.chars().take(length).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str, description: &str) -> Vec<String> {
        search_words(&name.parse().unwrap(), Some(description)).into_iter().collect()
    }

    #[test]
    fn a_name_is_found_by_the_beginnings_of_its_words() {
        assert_eq!(found("@acme/code-a", ""), ["ac", "acm", "acme", "co", "cod", "code"]);
        let long = found(&"x".repeat(40), "");
        assert_eq!(long.len(), 16);
        assert_eq!(long.last().map(String::len), Some(32), "the whole word, cut");
    }

    #[test]
    fn a_description_counts_with_whole_words() {
        let words = found("ab", "Reviews CODE, for a Größe; 42!");
        assert_eq!(words, ["42", "ab", "code", "for", "größe", "reviews"]);
        let many: String = (0..100).map(|number| format!("w{number} ")).collect();
        assert_eq!(found("ab", &many).len(), 33);
    }

    #[test]
    fn a_query_has_a_few_words() {
        assert_eq!(query_words("  Code-Review code "), ["code", "review"]);
        assert_eq!(query_words("aa bb cc dd ee"), ["aa", "bb", "cc", "dd"]);
        assert!(query_words("a ! \0").is_empty());
    }
}
