//! What an entry shall start from now on.

/// What an entry shall start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guarded {
    /// `facet`, or where it lies.
    pub program: String,
    /// `run`, the server's name, and what else there is.
    pub args: Vec<String>,
    /// Headers of the entry, and the variables that hold their values from now on.
    pub headers: Vec<(String, String)>,
    /// Variables of the entry, and what they are called from now on: there they mean something to the
    /// server alone.
    pub variables: Vec<(String, String)>,
}

impl Guarded {
    /// The program and its arguments.
    pub(crate) fn words(&self) -> impl Iterator<Item = String> {
        std::iter::once(&self.program).chain(&self.args).cloned()
    }
}

/// A header and the variable it moves to; or a variable and its new name.
pub(crate) type Move = (String, String);
