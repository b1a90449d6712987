//! What an asset makes its client do.

use crate::marker::Marker;
use crate::names::spelled_out;

/// Something that an asset makes its client do: run a command, or permit one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Power {
    /// What is shown of it.
    pub marker: Marker,
    /// All of it: two that differ only behind what is shown are two.
    pub key: String,
}

impl Power {
    /// A power by what the text has.
    #[must_use]
    pub fn new(rule: &'static str, text: &str) -> Self {
        const MOST: usize = 60;
        let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let shown: String = line.chars().take(MOST).collect();
        let end = if shown.len() < line.len() { "…" } else { "" };
        let words = spelled_out(&format!("{shown}{end}"));
        Self { marker: Marker { rule, words }, key: text.to_owned() }
    }
}
