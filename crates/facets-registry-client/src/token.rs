//! What a registry knows a publisher by.

use std::fmt;
use std::str::FromStr;

use crate::error::RegistryClientError;

/// The longest token that is sent.
const LONGEST: usize = 8192;

/// A token of a registry. It is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct RegistryToken(String);

impl RegistryToken {
    /// The token itself, to be sent or stored.
    #[must_use]
    pub fn secret(&self) -> &str {
        &self.0
    }
}

impl FromStr for RegistryToken {
    type Err = RegistryClientError;

    fn from_str(text: &str) -> Result<Self, RegistryClientError> {
        let refused = |problem| Err(RegistryClientError::Token { problem });
        match text {
            "" => refused("it is empty"),
            _ if text.len() > LONGEST => refused("it is longer than 8192 characters"),
            _ if !text.bytes().all(|byte| byte.is_ascii_graphic()) => {
                refused("it has a space, a line end, or a character that is not ASCII")
            }
            _ => Ok(Self(text.to_owned())),
        }
    }
}

impl fmt::Debug for RegistryToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RegistryToken(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_one_word_and_is_not_shown() {
        let token: RegistryToken = "fct_pub_abc".parse().unwrap();
        assert_eq!(token.secret(), "fct_pub_abc");
        assert!(!format!("{token:?}").contains("abc"));
        let long = "x".repeat(LONGEST + 1);
        for text in ["", "a b", "a\nb", "a\r\nX: y", "é", " a", &long] {
            let error = text.parse::<RegistryToken>().unwrap_err().to_string();
            assert!(error.starts_with("the token cannot be used: "), "{error}");
        }
    }
}
