//! A rule, and a hit of one.

/// A rule: its code, what it looks for, and examples both ways.
///
/// The examples stand in a tool of a server whose other tools are `read_file` and `send_email`.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Its code.
    pub code: &'static str,
    /// What it looks for.
    pub looks_for: &'static str,
    /// Texts that it hits.
    pub hits: &'static [&'static str],
    /// Texts that no rule hits, though they come close to this one.
    pub passes: &'static [&'static str],
}

/// A hit: the rule, and the words of the text that hit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marker {
    /// The code of the rule.
    pub rule: &'static str,
    /// The words, at most about 60 characters, invisible ones written as `\u{…}`.
    pub words: String,
}
