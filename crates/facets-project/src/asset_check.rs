//! Whether files of clients can be changed as decided: known before anything is written.

use std::collections::BTreeSet;
use std::path::PathBuf;

use facets_digest::Digest;
use facets_model::AssetBase;

use crate::asset_path::{folders_around, is_asset_path, is_below};
use crate::change::AssetChange;
use crate::error::ProjectError;
use crate::folder::{Folder, Found};
use crate::places::Bases;

const NOT_PLAIN: &str = "it is a link, or not a regular file";

/// The files of clients in a change.
pub(crate) struct AssetCheck<'c> {
    bases: &'c Bases,
    assets: &'c [AssetChange],
    removed: BTreeSet<(AssetBase, &'c str)>,
}

impl<'c> AssetCheck<'c> {
    /// Refuses paths that no asset has, and those that cannot all exist.
    pub(crate) fn of(bases: &'c Bases, assets: &'c [AssetChange]) -> Result<Self, ProjectError> {
        let mut written = BTreeSet::new();
        let mut removed = BTreeSet::new();
        let refused = |asset: &AssetChange, reason| {
            Err(ProjectError::Untrusted { path: path(bases, asset), reason })
        };
        for asset in assets {
            if !is_asset_path(asset.base, &asset.path) {
                return refused(asset, "facet has no such file");
            }
            let which = if asset.content.is_some() { &mut written } else { &mut removed };
            which.insert((asset.base, asset.path.as_str()));
        }
        if written.len() + removed.len() < assets.len() || !written.is_disjoint(&removed) {
            let twice = |asset: &&AssetChange| {
                assets
                    .iter()
                    .filter(|other| (other.base, &other.path) == (asset.base, &asset.path))
                    .count()
                    > 1
            };
            if let Some(asset) = assets.iter().find(twice) {
                return refused(asset, "it is changed twice");
            }
        }
        let is_in_file = |asset: &&AssetChange| {
            asset.content.is_some()
                && folders_around(&asset.path).any(|folder| written.contains(&(asset.base, folder)))
        };
        match assets.iter().find(is_in_file) {
            Some(asset) => refused(asset, "it lies in what is a file"),
            None => Ok(Self { bases, assets, removed }),
        }
    }

    pub(crate) fn all(&self) -> Result<(), ProjectError> {
        self.assets.iter().try_for_each(|asset| self.one(asset))
    }

    fn one(&self, asset: &AssetChange) -> Result<(), ProjectError> {
        let after = asset.content.as_deref().map(Digest::of);
        let changed = || Err(ProjectError::AssetChanged { path: path(self.bases, asset) });
        let Some(folder) = self.parent(asset)? else {
            let is_expected = asset.before.is_none() || after.is_none();
            return if is_expected { Ok(()) } else { changed() };
        };
        folder.check_writable()?;
        let name = asset.path.rsplit('/').next().unwrap_or_default();
        match folder.find(name)? {
            found if found.is(asset.before) || found.is(after) => Ok(()),
            Found::Other if self.is_emptied(asset) => Ok(()),
            Found::Other => {
                Err(ProjectError::Untrusted { path: path(self.bases, asset), reason: NOT_PLAIN })
            }
            _ => changed(),
        }
    }

    /// The folder around a file; none if it does not exist yet.
    fn parent(&self, asset: &AssetChange) -> Result<Option<Folder>, ProjectError> {
        let root = self.bases.path(asset.base).map_or(Ok(None), Folder::open)?;
        let Some(mut parent) = root else { return Ok(None) };
        for folder in folders_around(&asset.path) {
            let name = folder.rsplit('/').next().unwrap_or(folder);
            let entered = match parent.enter(name) {
                // A file that goes makes room for a folder.
                Err(ProjectError::Untrusted { .. })
                    if self.removed.contains(&(asset.base, folder)) =>
                {
                    None
                }
                other => other?,
            };
            let Some(inner) = entered else {
                parent.check_writable()?;
                return Ok(None);
            };
            parent = inner;
        }
        Ok(Some(parent))
    }

    /// Whether files go that lie in a folder of this name.
    fn is_emptied(&self, asset: &AssetChange) -> bool {
        let is_inside =
            |(base, path): &(AssetBase, &str)| *base == asset.base && is_below(path, &asset.path);
        asset.before.is_none() && self.removed.iter().any(is_inside)
    }
}

fn path(bases: &Bases, asset: &AssetChange) -> PathBuf {
    bases.path(asset.base).map_or_else(PathBuf::new, |base| base.join(&asset.path))
}

/// The content of a file of an asset, reached through no link; none if there is none.
pub(crate) fn read_asset(
    bases: &Bases,
    base: AssetBase,
    path: &str,
) -> Result<Option<Vec<u8>>, ProjectError> {
    let Some(root) = bases.path(base) else { return Ok(None) };
    let untrusted = |reason| Err(ProjectError::Untrusted { path: root.join(path), reason });
    if !is_asset_path(base, path) {
        return untrusted("facet has no such file");
    }
    let mut parent = Folder::open(root)?;
    for folder in folders_around(path) {
        let Some(around) = parent else { return Ok(None) };
        parent = around.enter(folder.rsplit('/').next().unwrap_or(folder))?;
    }
    let Some(parent) = parent else { return Ok(None) };
    match parent.find(path.rsplit('/').next().unwrap_or(path))? {
        Found::Nothing => Ok(None),
        Found::File(content) => Ok(Some(content)),
        Found::Other => untrusted(NOT_PLAIN),
    }
}
