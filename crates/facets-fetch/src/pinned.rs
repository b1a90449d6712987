//! Files whose hashes are known before anything is asked: wherever they come from, they are those or none.

use facets_model::FileIdentifier;
use url::Url;

use crate::npm;
use crate::stated_hash::StatedHash;
use crate::upstream::UpstreamFile;

/// A file, and what is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PinnedFile {
    /// What it is called.
    pub identifier: FileIdentifier,
    /// What it was when it was locked. All of these are compared.
    pub stated: Vec<StatedHash>,
    /// How long it is, if that is known.
    pub size: Option<u64>,
}

impl PinnedFile {
    /// Where a registry of npm keeps the file: no document has to be asked for.
    pub(crate) fn usual_place(&self, name: &str, version: &str, registry: &Url) -> UpstreamFile {
        UpstreamFile {
            identifier: self.identifier.clone(),
            name: npm::tarball_name(name, version),
            url: npm::usual_tarball_url(registry, name, version),
            size: self.size,
            stated: self.stated.clone(),
            yanked: None,
        }
    }

    /// The file as upstream describes it, with what is known: all of it is compared.
    pub(crate) fn compared(&self, mut file: UpstreamFile) -> UpstreamFile {
        // First what was locked: it is named where both differ.
        let stated = std::mem::take(&mut file.stated);
        file.stated.clone_from(&self.stated);
        file.stated.extend(stated);
        file.size = self.size.or(file.size);
        file
    }
}
