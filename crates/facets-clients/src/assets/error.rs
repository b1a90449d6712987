//! Why an asset cannot be written for a client.

use facets_failure::Describe;
use facets_model::PathError;

use crate::client::Client;

/// Why an asset cannot be written for a client. An asset is named as `skill planning`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AssetError {
    /// The client reads no text assets.
    #[error("{} has no folders for skills, agents and commands", client.title())]
    NoFolders {
        /// Which.
        client: Client,
    },
    /// The text is no UTF-8.
    #[error("the text of {asset} is not UTF-8: byte {offset}")]
    NotText {
        /// Which asset.
        asset: String,
        /// Where the first wrong byte stands.
        offset: usize,
    },
    /// Nobody can say what the author's front matter means.
    #[error("front matter of {asset} is invalid: line {line}, column {column}: {problem}")]
    FrontMatter {
        /// Which asset.
        asset: String,
        /// The line of the file, from 1 on.
        line: usize,
        /// The column, from 1 on.
        column: usize,
        /// What is wrong.
        problem: String,
    },
    /// A file would have a name that some system reads differently.
    #[error("{asset} cannot be written to {path:?}: {reason}")]
    Path {
        /// Which asset.
        asset: String,
        /// Where it would lie.
        path: String,
        /// Why it cannot.
        reason: PathError,
    },
    /// Two files of a skill would be one file, or a file and a folder.
    #[error("{asset} has two files with the name {path:?}")]
    PathTaken {
        /// Which asset.
        asset: String,
        /// The second of the two.
        path: String,
    },
    /// Only a skill is a folder.
    #[error("{asset} has files beside its text; only skills can")]
    Companions {
        /// Which asset.
        asset: String,
    },
}

impl AssetError {
    /// Every code that [`Self::code`] can give.
    pub const CODES: &'static [&'static str] = &[
        "client-without-folders",
        "asset-not-text",
        "asset-front-matter",
        "asset-path",
        "asset-path-taken",
        "asset-companions",
    ];
}

impl Describe for AssetError {
    fn code(&self) -> &'static str {
        match self {
            Self::NoFolders { .. } => "client-without-folders",
            Self::NotText { .. } => "asset-not-text",
            Self::FrontMatter { .. } => "asset-front-matter",
            Self::Path { .. } => "asset-path",
            Self::PathTaken { .. } => "asset-path-taken",
            Self::Companions { .. } => "asset-companions",
        }
    }

    fn expected(&self) -> Option<String> {
        let expected = match self {
            Self::NoFolders { .. } => "claude-code, codex or opencode",
            Self::NotText { .. } => "UTF-8",
            Self::FrontMatter { .. } => {
                "a YAML 1.2 mapping between two lines `---`, without anchors, aliases and tags"
            }
            Self::Path { .. } => "a name that is a file on every system",
            Self::PathTaken { .. } => "names that differ by more than case",
            Self::Companions { .. } => "one file",
        };
        Some(expected.to_owned())
    }

    fn actual(&self) -> Option<String> {
        Some(self.to_string())
    }
}
