//! What a text stands among.

use std::collections::BTreeSet;

use crate::fold::Folded;

/// What else a text stands among.
#[derive(Clone, Copy, Debug)]
pub struct Context<'c> {
    /// The tool (or prompt…) that the text belongs to; its own name is no marker.
    pub own: &'c str,
    /// All tools of the server.
    pub tools: &'c ToolNames,
}

/// The names of the tools of a server, made ready to be looked for once.
#[derive(Clone, Debug, Default)]
pub struct ToolNames(pub(crate) BTreeSet<String>);

impl ToolNames {
    /// No names: nothing is another tool.
    pub const NONE: &'static Self = &Self(BTreeSet::new());

    /// These names, in any order.
    #[must_use]
    pub fn new(names: &[&str]) -> Self {
        Self(names.iter().map(|name| Folded::new(name).text().to_owned()).collect())
    }
}
