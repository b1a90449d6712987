//! Tokens as texts. The text is shown once, when a token is made; only its hash is stored.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use facets_digest::{Digest, Hasher};

use crate::error::RegistryError;
use crate::random::random_bytes;

/// How every token begins, so that scanners for leaked secrets find it.
const PREFIX: &str = "fct_pub_";

/// 32 bytes in base64 without padding.
const LENGTH: usize = 43;

/// A token: `fct_pub_` and 43 characters. Only [`fmt::Display`] shows it.
#[derive(Clone, PartialEq, Eq)]
pub struct TokenText(String);

impl TokenText {
    /// A new one, of 32 random bytes.
    pub(crate) fn generate() -> Result<Self, RegistryError> {
        Ok(Self(format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(random_bytes::<32>()?))))
    }

    /// A text that has the form of a token; nothing if it has another.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let random = text.strip_prefix(PREFIX).filter(|random| random.len() == LENGTH)?;
        let is_known = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        random.bytes().all(is_known).then(|| Self(text.to_owned()))
    }

    /// What is stored of it. The bytes are random, so a slow hash would add nothing.
    pub(crate) fn hash(&self) -> Digest {
        let mut hasher = Hasher::with_domain("registry-token");
        hasher.update(self.0.as_bytes());
        hasher.finish()
    }
}

impl fmt::Display for TokenText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for TokenText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenText(…)")
    }
}

/// Whether two hashes are the same, in a time that does not depend on where they differ.
pub(crate) fn is_same_hash(one: &Digest, other: &Digest) -> bool {
    let pairs = one.as_bytes().iter().zip(other.as_bytes());
    let differing = pairs.fold(0, |sum, (one, other)| sum | (one ^ other));
    std::hint::black_box(differing) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_token_has_the_usual_form_and_is_shown_only_on_purpose() {
        let token = TokenText::generate().unwrap();
        let text = token.to_string();
        assert!(text.starts_with("fct_pub_") && text.len() == 8 + 43, "{text}");
        assert_eq!(TokenText::parse(&text), Some(token.clone()));
        assert_eq!(format!("{token:?}"), "TokenText(…)");
        assert_ne!(TokenText::generate().unwrap(), token);
    }

    #[test]
    fn texts_of_another_form_are_no_tokens() {
        let random = "x".repeat(43);
        for text in [
            String::new(),
            random.clone(),
            format!("fct_pub_{random}x"),
            format!("fct_pub_{}", &random[1..]),
            format!("FCT_PUB_{random}"),
            format!("fct_pub_{}=", &random[1..]),
            format!("fct_pub_{}\n", &random[1..]),
        ] {
            assert_eq!(TokenText::parse(&text), None, "{text:?}");
        }
    }

    #[test]
    fn a_hash_is_the_same_only_if_every_byte_is() {
        let token = TokenText::generate().unwrap();
        let hash = token.hash();
        assert!(is_same_hash(&hash, &token.hash()));
        for index in 0..32 {
            let mut bytes: [u8; 32] = hash.as_bytes().try_into().unwrap();
            bytes[index] ^= 1;
            assert!(!is_same_hash(&hash, &Digest::from_sha256(bytes)), "{index}");
        }
        assert_ne!(hash, Digest::of(token.to_string().as_bytes()), "it has a domain line");
    }
}
