#![doc = include_str!("../README.md")]

mod condition;
mod condition_error;
mod error;
mod grade;
mod package_pattern;
mod pattern;
mod policy;
mod read;
#[cfg(test)]
mod tests;
mod typed;
mod unhashed;

/// Every code that a problem of a policy can have, beside those of manifests and notations.
pub const CODES: &[&str] = &[
    "policy-bad-condition",
    "policy-bad-severity",
    "policy-bad-type",
    "policy-condition-too-large",
    "policy-duplicate-entry",
    "policy-no-reason",
    "policy-protected-type",
];

pub use error::PolicyError;
pub use grade::{Effect, Facts, Graded, Judge, Mark, PolicyScope, Unmatched};
pub use policy::{PROTECTED, Policy, UNHASHED};
pub use read::parse_policy;

/// What the codes of this crate mean.
pub const EXPLANATIONS: &str = include_str!("../codes.md");
