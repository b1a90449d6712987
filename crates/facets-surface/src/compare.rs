//! What became of the tools of a server, by their hashes alone.

use std::cmp::Ordering;

use facets_digest::json::compare_utf16;

use crate::contract::{ContractDigest, ServerContract};
use crate::part::Part;

/// Two servers, or one at two times. Every list is sorted by the UTF-16 code units of names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison<'c> {
    /// Only in the second.
    pub added: Vec<&'c str>,
    /// Only in the first.
    pub removed: Vec<&'c str>,
    /// In both, with the parts that differ.
    pub changed: Vec<(&'c str, Vec<Part>)>,
    /// In both, and the same.
    pub unchanged: Vec<&'c str>,
}

impl Comparison<'_> {
    /// Whether anything is different.
    #[must_use]
    pub fn is_same(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.changed.is_empty()
    }
}

/// Walks two sorted lists side by side: O(k) in the number of tools.
#[must_use]
pub fn compare_contracts<'c>(
    before: &'c ServerContract,
    after: &'c ServerContract,
) -> Comparison<'c> {
    let (mut old, mut new) = (before.tools(), after.tools());
    let mut result = Comparison::default();
    loop {
        match (old.split_first(), new.split_first()) {
            (None, None) => return result,
            (Some((first, rest)), None) => {
                result.removed.push(&first.0);
                old = rest;
            }
            (None, Some((first, rest))) => {
                result.added.push(&first.0);
                new = rest;
            }
            (Some(((left, before), old_rest)), Some(((right, after), new_rest))) => {
                match if left == right { Ordering::Equal } else { compare_utf16(left, right) } {
                    Ordering::Less => {
                        result.removed.push(left);
                        old = old_rest;
                    }
                    Ordering::Greater => {
                        result.added.push(right);
                        new = new_rest;
                    }
                    Ordering::Equal => {
                        if before.digest == after.digest {
                            result.unchanged.push(left);
                        } else {
                            result.changed.push((left, differing(before, after)));
                        }
                        (old, new) = (old_rest, new_rest);
                    }
                }
            }
        }
    }
}

fn differing(before: &ContractDigest, after: &ContractDigest) -> Vec<Part> {
    let parts = Part::ALL.into_iter();
    parts.filter(|part| before.parts[*part as usize] != after.parts[*part as usize]).collect()
}
