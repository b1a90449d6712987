//! Who owns names and tokens.

use std::fmt;
use std::str::FromStr;

/// Why a text is not an owner.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OwnerError {
    /// Too few or too many characters.
    #[error("it has {found} characters; allowed: 1 to 64")]
    Length {
        /// How many it has.
        found: usize,
    },
    /// A character that an owner cannot have.
    #[error("the character {found:?} is not allowed; allowed: a-z 0-9 . _ -")]
    Character {
        /// The first such character.
        found: char,
    },
}

/// The owner of names and tokens: 1–64 of `[a-z0-9._-]`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Owner(String);

impl Owner {
    /// The owner as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Owner {
    type Err = OwnerError;

    fn from_str(text: &str) -> Result<Self, OwnerError> {
        let is_allowed = |c: char| matches!(c, 'a'..='z' | '0'..='9' | '.' | '_' | '-');
        if let Some(found) = text.chars().find(|&c| !is_allowed(c)) {
            return Err(OwnerError::Character { found });
        }
        match text.len() {
            1..=64 => Ok(Self(text.to_owned())),
            found => Err(OwnerError::Length { found }),
        }
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// Who does something, for the audit and for checks of ownership.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditWho {
    /// The owner of the token, or `operator`.
    pub owner: Owner,
    /// The token; without one it is the operator, who may do everything.
    pub token_id: Option<String>,
}

impl AuditWho {
    /// The person at the console of the registry.
    #[must_use]
    pub fn operator() -> Self {
        Self { owner: Owner("operator".to_owned()), token_id: None }
    }

    /// Whether no token is involved.
    #[must_use]
    pub fn is_operator(&self) -> bool {
        self.token_id.is_none()
    }

    /// Whether it may change what an owner has.
    pub(crate) fn may_act_for(&self, owner: &Owner) -> bool {
        self.is_operator() || self.owner == *owner
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owners_are_short_and_plain() {
        let long = "a".repeat(64);
        for good in ["a", "acme", "a.b_c-1", &long] {
            assert_eq!(good.parse::<Owner>().unwrap().as_str(), good);
        }
        assert_eq!("".parse::<Owner>(), Err(OwnerError::Length { found: 0 }));
        let longer = format!("{long}a");
        assert_eq!(longer.parse::<Owner>(), Err(OwnerError::Length { found: 65 }));
        for (bad, found) in [("Acme", 'A'), ("a b", ' '), ("a/b", '/'), ("é", 'é')] {
            assert_eq!(bad.parse::<Owner>(), Err(OwnerError::Character { found }));
        }
    }

    #[test]
    fn only_the_operator_acts_for_others() {
        let (acme, other) = ("acme".parse().unwrap(), "other".parse().unwrap());
        let who = AuditWho { owner: "acme".parse().unwrap(), token_id: Some("1".to_owned()) };
        assert!(who.may_act_for(&acme));
        assert!(!who.may_act_for(&other));
        assert!(AuditWho::operator().may_act_for(&other));
    }
}
