//! The hash that a registry of npm states about a package.

use std::fmt;
use std::str::FromStr;

/// How strong hashes begin, and how many characters of base64 follow; the strongest first.
const STRONG: [(&str, usize); 3] = [("sha512-", 88), ("sha384-", 64), ("sha256-", 44)];

/// Broken against a forger: such a hash alone proves nothing.
const WEAK: (&str, usize) = ("sha1-", 28);

/// One hash in the form of subresource integrity, such as `sha512-BASE64`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Integrity(String);

impl Integrity {
    /// The text, as npm writes it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether two different files cannot have it.
    #[must_use]
    pub fn is_strong(&self) -> bool {
        !self.0.starts_with(WEAK.0)
    }
}

impl FromStr for Integrity {
    type Err = ();

    /// The strongest of the hashes that a text has.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let words = || text.split_ascii_whitespace();
        let kinds = STRONG.into_iter().chain([WEAK]);
        let mut found = kinds.filter_map(|kind| words().find(|word| is_hash(word, kind)));
        found.next().map(|word| Self(word.to_owned())).ok_or(())
    }
}

fn is_hash(word: &str, (kind, length): (&str, usize)) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let hash = word.strip_prefix(kind);
    hash.is_some_and(|hash| hash.len() == length && hash.bytes().all(is_digit))
}

impl fmt::Display for Integrity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strongest_hash_counts() {
        let (strong, weak) =
            (format!("sha512-{}==", "A".repeat(86)), "sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA=");
        let both: Integrity = format!("{weak} {strong}").parse().unwrap();
        assert_eq!(both.as_str(), strong);
        assert!(both.is_strong());
        assert!(!weak.parse::<Integrity>().unwrap().is_strong());
        for bad in ["", "sha512-", "sha512-AAAA", "md5-AAAA", &strong.replace('A', "!")] {
            assert_eq!(bad.parse::<Integrity>(), Err(()), "{bad}");
        }
    }
}
