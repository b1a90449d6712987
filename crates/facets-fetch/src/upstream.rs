//! What the place that publishes a file says about it.

use facets_model::FileIdentifier;
use url::Url;

use crate::stated_hash::StatedHash;

/// A file, as the place that publishes it describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpstreamFile {
    /// What it is called in `file_hashes`. Of PyPI with its file name.
    pub identifier: FileIdentifier,
    /// Its name, without a path.
    pub name: String,
    /// Where it lies.
    pub url: Url,
    /// How long it is, if that is stated.
    pub size: Option<u64>,
    /// The hashes that are stated, of algorithms that are known.
    pub stated: Vec<StatedHash>,
    /// Whether its author has withdrawn it.
    pub yanked: Option<Yanked>,
}

/// Withdrawn by its author, who may say why.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Yanked {
    /// The reason.
    pub reason: Option<String>,
}
