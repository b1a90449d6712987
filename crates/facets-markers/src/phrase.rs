//! A phrase as the tables write it.

/// The rule that a phrase belongs to, and its steps.
pub(crate) type Phrase = (&'static str, &'static str);
