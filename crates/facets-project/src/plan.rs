//! What a journal says is to be done, and what it may say (spec 8.4).

use std::path::{Path, PathBuf};

use facets_digest::Digest;
use facets_model::AssetBase;
use serde_json::{Value, json};

use crate::asset_path::{is_asset_path, is_below};
use crate::files::is_ours;
use crate::places::Bases;
use crate::{installed, receipt};

/// A change, file by file.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) bases: Bases,
    pub(crate) steps: Vec<Step>,
    /// Folders that are removed if they are empty, inner ones first.
    pub(crate) folders: Vec<PlannedFolder>,
}

/// One file of a change.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) target: Target,
    pub(crate) before: Option<Digest>,
    pub(crate) after: Option<Digest>,
}

/// Which file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Target {
    /// One of facet's own in the project.
    Own(String),
    /// What this user keeps about the project.
    User(UserFile),
    /// A file of a client.
    Asset(AssetBase, String),
}

/// What a user keeps about a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum UserFile {
    /// The record of installed files.
    Installed,
    /// The receipt of the reference.
    Receipt,
}

/// A folder of clients.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PlannedFolder {
    pub(crate) base: AssetBase,
    pub(crate) path: String,
}

/// The word for the directory of the user, beside those of [`AssetBase`].
const FACET_DIR: &str = "facet-dir";

const VERSION: u64 = 2;

impl UserFile {
    pub(crate) const fn folder(self) -> &'static str {
        match self {
            Self::Installed => installed::FOLDER,
            Self::Receipt => receipt::FOLDER,
        }
    }

    /// Its name for the project at this place.
    pub(crate) fn name(self, place: &Path) -> String {
        match self {
            Self::Installed => installed::file_name(place),
            Self::Receipt => receipt::file_name(place),
        }
    }

    fn path(self, place: &Path) -> String {
        format!("{}/{}", self.folder(), self.name(place))
    }
}

impl Target {
    /// Only what facet writes is a target: a repository can bring a journal along.
    fn parse(base: &str, path: &str, place: &Path) -> Option<Self> {
        if base == FACET_DIR {
            let mut files = [UserFile::Installed, UserFile::Receipt].into_iter();
            return files.find(|file| file.path(place) == path).map(Self::User);
        }
        let base: AssetBase = base.parse().ok()?;
        if base == AssetBase::Project && is_ours(path) {
            return Some(Self::Own(path.to_owned()));
        }
        is_asset_path(base, path).then(|| Self::Asset(base, path.to_owned()))
    }

    /// Whether a plan that names it is read again.
    pub(crate) fn is_allowed(&self) -> bool {
        match self {
            Self::Own(path) => is_ours(path),
            Self::Asset(base, path) => is_asset_path(*base, path),
            Self::User(_) => true,
        }
    }

    fn words(&self, place: &Path) -> (&'static str, String) {
        match self {
            Self::Own(path) => (AssetBase::Project.word(), path.clone()),
            Self::Asset(base, path) => (base.word(), path.clone()),
            Self::User(file) => (FACET_DIR, file.path(place)),
        }
    }
}

impl Plan {
    /// The text of a plan for the project at this place. None if the path of a base is no text.
    pub(crate) fn to_text(&self, place: &Path) -> Option<String> {
        let mut bases = serde_json::Map::new();
        for (base, path) in self.bases.of_user() {
            bases.insert(base.word().to_owned(), json!(path.to_str()?));
        }
        let digest = |digest: &Option<Digest>| digest.map(|digest| digest.to_string());
        let step = |step: &Step| {
            let (base, path) = step.target.words(place);
            let (before, after) = (digest(&step.before), digest(&step.after));
            json!({ "base": base, "path": path, "before": before, "after": after })
        };
        let folder =
            |folder: &PlannedFolder| json!({ "base": folder.base.word(), "path": folder.path });
        let files: Vec<Value> = self.steps.iter().map(step).collect();
        let folders: Vec<Value> = self.folders.iter().map(folder).collect();
        let plan =
            json!({ "version": VERSION, "bases": bases, "files": files, "folders": folders });
        Some(plan.to_string())
    }

    /// A plan as this facet or an older one wrote it.
    pub(crate) fn parse(bytes: &[u8], root: &Path, place: &Path) -> Option<Self> {
        let plan: Value = serde_json::from_slice(bytes).ok()?;
        match plan["version"].as_u64()? {
            1 => Self::parse_first(&plan, root),
            VERSION => Self::parse_second(&plan, root, place),
            _ => None,
        }
    }

    /// Before there were bases: files of the project alone.
    fn parse_first(plan: &Value, root: &Path) -> Option<Self> {
        let steps = plan["files"].as_array()?.iter().map(|value| {
            let path = value["path"].as_str().filter(|path| is_ours(path))?;
            step(value, Target::Own(path.to_owned()))
        });
        let (bases, steps) = (Bases::of_project(root), steps.collect::<Option<_>>()?);
        Some(Self { bases, steps, folders: Vec::new() })
    }

    fn parse_second(plan: &Value, root: &Path, place: &Path) -> Option<Self> {
        let mut bases = Bases::of_project(root);
        for (word, path) in plan["bases"].as_object()? {
            let path = PathBuf::from(path.as_str()?);
            let base: AssetBase = word.parse().ok()?;
            if base == AssetBase::Project || !path.is_absolute() {
                return None;
            }
            bases = bases.with(base, path);
        }
        let steps = plan["files"].as_array()?.iter().map(|value| {
            let target = Target::parse(value["base"].as_str()?, value["path"].as_str()?, place)?;
            step(value, target)
        });
        let steps: Vec<Step> = steps.collect::<Option<_>>()?;
        let folders = plan["folders"].as_array()?.iter().map(|value| {
            let base: AssetBase = value["base"].as_str()?.parse().ok()?;
            let path = value["path"].as_str()?.to_owned();
            is_around_asset(&steps, base, &path).then_some(PlannedFolder { base, path })
        });
        let folders = folders.collect::<Option<_>>()?;
        let has_base = |step: &Step| match &step.target {
            Target::Asset(base, _) => bases.path(*base).is_some(),
            Target::Own(_) | Target::User(_) => true,
        };
        steps.iter().all(has_base).then_some(Self { bases, steps, folders })
    }

    /// Files of clients, with the number of their step.
    pub(crate) fn assets(&self) -> impl Iterator<Item = (usize, AssetBase, &str, &Step)> {
        self.steps.iter().enumerate().filter_map(|(index, step)| match &step.target {
            Target::Asset(base, path) => Some((index, *base, path.as_str(), step)),
            Target::Own(_) | Target::User(_) => None,
        })
    }
}

/// Whether a file of the change lies in a folder: no other one is removed.
fn is_around_asset(steps: &[Step], base: AssetBase, folder: &str) -> bool {
    steps.iter().any(|step| {
        matches!(&step.target, Target::Asset(of, path) if *of == base && is_below(path, folder))
    })
}

fn step(value: &Value, target: Target) -> Option<Step> {
    let digest = |name: &str| match &value[name] {
        Value::Null => Some(None),
        Value::String(text) => text.parse().ok().map(Some),
        _ => None,
    };
    Some(Step { target, before: digest("before")?, after: digest("after")? })
}
