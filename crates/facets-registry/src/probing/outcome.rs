//! What comes of starting a server.

/// What a server declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeAnswer {
    /// The surface file, with what the source of the server can reach.
    pub surface_file: String,
}

/// Why nothing is known of what a server declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProbeFailure {
    /// The server is at fault.
    Refused {
        /// The word for `facet explain`.
        code: String,
        /// What is wrong.
        error: String,
        /// What the server wrote to standard error, shortened.
        printed: String,
    },
    /// The registry, or its machine, is at fault.
    Broken(String),
}

impl ProbeFailure {
    /// A refusal of a server that has written nothing.
    pub(super) fn refused(code: &str, error: String) -> Self {
        Self::Refused { code: code.to_owned(), error, printed: String::new() }
    }
}
