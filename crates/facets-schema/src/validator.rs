//! The second opinion, and the values it is asked about.

/// A second opinion on schemas: somebody else's validator.
pub trait Validator {
    /// Whether a schema (2020-12, as JSON) accepts a value (as JSON). Nothing if it cannot tell.
    fn accepts(&self, schema: &str, instance: &str) -> Option<bool>;

    /// Whether a pattern of a schema matches a text. Nothing if it cannot tell.
    fn matches(&self, pattern: &str, text: &str) -> Option<bool>;
}

/// Which values count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// The arguments of a call, which are an object.
    Arguments,
    /// Any value.
    Anything,
}
