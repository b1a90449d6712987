//! Which folders of clients a change makes, and which it leaves empty.

use std::collections::BTreeSet;

use facets_model::AssetBase;

use crate::asset_path::{folders_around, is_below, is_own_folder};
use crate::change::AssetChange;
use crate::error::ProjectError;
use crate::folder::Folder;
use crate::installed::InstalledRecord;
use crate::places::Bases;
use crate::plan::PlannedFolder;

/// Files of clients that a change writes and removes.
#[derive(Debug, Default)]
pub(crate) struct AssetPaths {
    written: Vec<(AssetBase, String)>,
    removed: Vec<(AssetBase, String)>,
}

impl AssetPaths {
    pub(crate) fn of(assets: &[AssetChange]) -> Self {
        let mut paths = Self::default();
        for asset in assets {
            let which = match asset.content {
                Some(_) => &mut paths.written,
                None => &mut paths.removed,
            };
            which.push((asset.base, asset.path.clone()));
        }
        paths
    }

    /// The bases of all of them.
    pub(crate) fn bases(&self) -> impl Iterator<Item = AssetBase> {
        self.written.iter().chain(&self.removed).map(|(base, _)| *base)
    }

    /// The folders that are to be removed if nothing is left in them: those of one asset, and those that
    /// facet has made. Inner ones come first.
    pub(crate) fn left_folders(&self, made: &[(AssetBase, String)]) -> Vec<PlannedFolder> {
        let around_written = self.written.iter().flat_map(|(base, path)| {
            folders_around(path).chain([""]).map(|folder| (*base, folder))
        });
        let needed: BTreeSet<(AssetBase, &str)> = around_written.collect();
        let mut folders = BTreeSet::new();
        for (base, path) in &self.removed {
            let is_made = |folder: &str| made.iter().any(|(b, path)| b == base && path == folder);
            let around = folders_around(path).chain([""]);
            let going = around.filter(|folder| is_own_folder(folder) || is_made(folder));
            folders
                .extend(going.map(|folder| PlannedFolder { base: *base, path: folder.to_owned() }));
        }
        let mut folders: Vec<PlannedFolder> = folders
            .into_iter()
            .filter(|of| !needed.contains(&(of.base, of.path.as_str())))
            .collect();
        folders.sort_by_key(|folder| std::cmp::Reverse(folder.path.len()));
        folders
    }

    /// The folders that facet has made and that still hold something of it, with those that this change
    /// will make. Those of one asset need no record: no one else's files belong there.
    pub(crate) fn made_folders(
        &self,
        bases: &Bases,
        before: &[(AssetBase, String)],
        after: &InstalledRecord,
    ) -> Result<Vec<(AssetBase, String)>, ProjectError> {
        let mut made: BTreeSet<(AssetBase, String)> = before.iter().cloned().collect();
        for (base, path) in &self.written {
            made.extend(missing_folders(bases, *base, path)?);
        }
        let files = after.files().map(|file| (file.base, file.path.as_str()));
        let written = self.written.iter().map(|(base, path)| (*base, path.as_str()));
        let holding: Vec<(AssetBase, &str)> = files.chain(written).collect();
        made.retain(|(base, folder)| {
            holding.iter().any(|(of, path)| of == base && is_below(path, folder))
        });
        Ok(made.into_iter().collect())
    }
}

/// The folders around an asset that do not exist yet and are not of it alone.
fn missing_folders(
    bases: &Bases,
    base: AssetBase,
    path: &str,
) -> Result<Vec<(AssetBase, String)>, ProjectError> {
    let root = match bases.path(base) {
        Some(root) => Folder::open(root)?,
        None => None,
    };
    let mut missing = Vec::new();
    if root.is_none() {
        missing.push((base, String::new()));
    }
    let mut inside = root;
    for folder in folders_around(path).filter(|folder| !is_own_folder(folder)) {
        let name = folder.rsplit('/').next().unwrap_or(folder);
        inside = match inside {
            Some(parent) => parent.enter(name)?,
            None => None,
        };
        if inside.is_none() {
            missing.push((base, folder.to_owned()));
        }
    }
    Ok(missing)
}
