//! Why a condition is refused.

/// What is wrong with an expression, and where in it.
#[derive(Debug)]
pub(crate) struct ConditionError {
    pub(crate) code: &'static str,
    pub(crate) offset: usize,
    pub(crate) found: String,
    pub(crate) allowed: String,
    pub(crate) fix: String,
}
