//! What happens to each installed file.

use std::collections::{BTreeMap, BTreeSet};

use facets_digest::Digest;
use facets_model::manifest::{Materialization, Override, ProjectFacet};
use facets_model::{AssetBase, AssetKind, AssetName};

use crate::effective::Namespace;
use crate::fix::{Fix, TakenNames};
use crate::problem::PlanProblem;
use crate::wanted::Wanted;

/// A file of an asset: one that this machine wrote for the project, or one that is to be there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct InstalledFileView {
    /// What its path begins at.
    pub base: AssetBase,
    /// Its path, relative, with slashes.
    pub path: String,
    /// The SHA-256 of its bytes.
    pub digest: Digest,
    /// The facet that it is of.
    pub facet: String,
    /// What it is part of.
    pub kind: AssetKind,
    /// The effective name of that asset.
    pub name: AssetName,
    /// The client that it is for.
    pub client: String,
}

/// What is at a path now. A path without anything is not listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnDisk {
    /// A regular file with this SHA-256.
    File(Digest),
    /// A folder, a link, or anything else that is not a file.
    NotAFile,
}

/// What is at each path now.
pub type DiskView = BTreeMap<(AssetBase, String), OnDisk>;

/// What happens to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssetStep {
    /// The file: as it is to be, or as it was recorded where it is no longer wanted.
    pub file: InstalledFileView,
    /// What happens to it.
    pub action: AssetAction,
}

/// What happens to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssetAction {
    /// It is written.
    Write(WriteReason),
    /// It has these bytes.
    Keep {
        /// Whether the record says that facet wrote it.
        is_recorded: bool,
    },
    /// The user edited it: it stays as it is.
    KeptEdited {
        /// The SHA-256 that it has.
        found: Digest,
    },
    /// The user's own file is there, or something that is not a file: nothing may be installed.
    InTheWay,
    /// It is no longer wanted, and removed.
    Remove,
    /// It is no longer wanted, but the user edited it: it stays, and is the user's own.
    KeptOnRemove,
    /// It is no longer wanted, and gone already: only the record of it goes.
    Forget,
}

/// Why a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteReason {
    /// There is none.
    New,
    /// It is as facet wrote it, and the asset changed.
    Changed {
        /// The SHA-256 that it has.
        from: Digest,
    },
    /// facet wrote it, and it is gone.
    Gone,
}

/// What happens to each file that was written before or is wanted now, by base and path.
#[must_use]
pub fn plan_assets(
    before: &[InstalledFileView],
    after: &[InstalledFileView],
    on_disk: &DiskView,
) -> Vec<AssetStep> {
    let records = by_place(before);
    let wanted = by_place(after);
    let places: BTreeSet<_> = records.keys().chain(wanted.keys()).copied().collect();
    let mut steps = Vec::new();
    for place in places {
        let (base, path) = place;
        let found = on_disk.get(&(base, path.to_owned())).copied();
        let recorded = records.get(&place).and_then(|all| all.first());
        let step = |file: &InstalledFileView, action| AssetStep { file: file.clone(), action };
        match (wanted.get(&place).map(Vec::as_slice), recorded) {
            (Some([first, others @ ..]), _) => {
                let action = wanted_action(first.digest, recorded.map(|file| file.digest), found);
                steps.push(step(first, action));
                // Two clients may share a file, but not one with other bytes.
                let others = others.iter().filter(|other| other.digest != first.digest);
                steps.extend(others.map(|other| step(other, AssetAction::InTheWay)));
            }
            (_, Some(recorded)) => {
                steps.push(step(recorded, unwanted_action(recorded.digest, found)))
            }
            (_, None) => {}
        }
    }
    steps
}

type FilePlace<'f> = (AssetBase, &'f str);

fn by_place(files: &[InstalledFileView]) -> BTreeMap<FilePlace<'_>, Vec<&InstalledFileView>> {
    let mut places: BTreeMap<FilePlace<'_>, Vec<&InstalledFileView>> = BTreeMap::new();
    let sorted: BTreeSet<&InstalledFileView> = files.iter().collect();
    for file in sorted {
        places.entry((file.base, &file.path)).or_default().push(file);
    }
    places
}

fn wanted_action(wanted: Digest, recorded: Option<Digest>, found: Option<OnDisk>) -> AssetAction {
    let is_recorded = recorded.is_some();
    match (found, recorded) {
        (None, None) => AssetAction::Write(WriteReason::New),
        (None, Some(_)) => AssetAction::Write(WriteReason::Gone),
        (Some(OnDisk::NotAFile), _) => AssetAction::InTheWay,
        (Some(OnDisk::File(found)), _) if found == wanted => AssetAction::Keep { is_recorded },
        (Some(OnDisk::File(_)), None) => AssetAction::InTheWay,
        (Some(OnDisk::File(found)), Some(recorded)) if found == recorded => {
            AssetAction::Write(WriteReason::Changed { from: found })
        }
        (Some(OnDisk::File(found)), Some(_)) => AssetAction::KeptEdited { found },
    }
}

fn unwanted_action(recorded: Digest, found: Option<OnDisk>) -> AssetAction {
    match found {
        None => AssetAction::Forget,
        Some(OnDisk::File(found)) if found == recorded => AssetAction::Remove,
        Some(OnDisk::File(_) | OnDisk::NotAFile) => AssetAction::KeptOnRemove,
    }
}

/// One problem for each asset that the user's own files are in the way of, with an alias to write.
#[must_use]
pub fn assets_in_the_way(wanted: &Wanted, steps: &[AssetStep]) -> Vec<PlanProblem> {
    let mut blocked: BTreeMap<(&str, AssetKind, &AssetName), BTreeSet<&str>> = BTreeMap::new();
    for AssetStep { file, action } in steps {
        if *action == AssetAction::InTheWay {
            let asset = (file.facet.as_str(), file.kind, &file.name);
            blocked.entry(asset).or_default().insert(&file.path);
        }
    }
    let mut taken: BTreeMap<Namespace, TakenNames> = BTreeMap::new();
    for AssetStep { file, .. } in steps {
        taken.entry(Namespace::of(file.kind)).or_default().insert(file.name.as_str());
    }
    let mut problems = Vec::new();
    for ((facet, kind, name), paths) in blocked {
        let taken = taken.entry(Namespace::of(kind)).or_default();
        problems.push(PlanProblem::InTheWay {
            facet: facet.to_owned(),
            kind,
            name: name.clone(),
            paths: paths.into_iter().map(str::to_owned).collect(),
            fixes: alias_for(wanted, facet, (kind, name), taken).into_iter().collect(),
        });
    }
    problems
}

fn alias_for(
    wanted: &Wanted,
    facet: &str,
    (kind, name): (AssetKind, &AssetName),
    taken: &mut TakenNames,
) -> Option<Fix> {
    let (facet, entry) = wanted.facets.iter().find(|(name, _)| name.as_str() == facet)?;
    let authored = authored_name(entry, kind, name);
    let alias = taken.free_alias(facet.as_str(), &authored)?;
    let added = Override {
        group: kind.group().to_owned(),
        authored,
        materialization: Materialization::Aliased(alias),
    };
    Some(Fix::with_overrides(facet, entry, &[added]))
}

/// The author's name of an asset, of its effective name.
fn authored_name(entry: &ProjectFacet, kind: AssetKind, name: &AssetName) -> String {
    let mut overrides = entry.overrides.iter().filter(|one| one.group == kind.group());
    let aliased = overrides.find(
        |one| matches!(&one.materialization, Materialization::Aliased(alias) if alias == name),
    );
    aliased.map_or_else(|| name.to_string(), |one| one.authored.clone())
}
