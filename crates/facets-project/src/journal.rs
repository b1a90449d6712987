//! Several files, changed together: written down first, then done (spec 8.4).

use std::fs;
use std::path::{Path, PathBuf};

use facets_digest::Digest;
use facets_files::{sync_folder, write_synced};
use facets_lock::SURFACES;
use serde_json::{Value, json};

use crate::error::ProjectError;
use crate::files::{STATE, check_folder, io, is_ours, is_staged, make_folder, read, write};
use crate::marks::Marks;

/// One file of a change: its path from the project on, and its new content, or none.
pub(crate) struct FileChange {
    pub(crate) path: String,
    pub(crate) content: Option<Vec<u8>>,
}

/// A change that is written down and not yet done.
pub(crate) struct Journal {
    root: PathBuf,
}

/// The folder of the journal. It appears whole, by a rename.
const NAME: &str = "journal";

impl Journal {
    /// The journal of a project, if a change was interrupted.
    pub(crate) fn pending(root: &Path) -> Option<Self> {
        let folder = root.join(STATE).join(NAME);
        fs::symlink_metadata(folder).is_ok().then(|| Self { root: root.to_owned() })
    }

    /// Writes a change down. From here on it will be done.
    pub(crate) fn write(
        root: &Path,
        marks: &Marks,
        files: &[FileChange],
    ) -> Result<Self, ProjectError> {
        if let Some(strange) = files.iter().find(|file| !is_ours(&file.path)) {
            let path = root.join(&strange.path);
            return Err(ProjectError::Untrusted { path, reason: "facet has no such file" });
        }
        let state = root.join(STATE);
        let staged = state.join(format!("{NAME}.{}", std::process::id()));
        let _ = fs::remove_dir_all(&staged);
        make_folder(&staged)?;
        let mut plan = Vec::new();
        for (index, file) in files.iter().enumerate() {
            let before = read(&root.join(&file.path))?.map(|bytes| Digest::of(&bytes).to_string());
            let after = file.content.as_ref().map(|bytes| Digest::of(bytes).to_string());
            if let Some(content) = &file.content {
                write_synced(&staged.join(index.to_string()), content)?;
            }
            plan.push(json!({ "path": file.path, "before": before, "after": after }));
        }
        let plan = json!({ "version": 1, "files": plan }).to_string();
        write_synced(&staged.join("plan.json"), plan.as_bytes())?;
        sync_folder(&staged)?;
        marks.set(Digest::of(plan.as_bytes()))?;
        let folder = state.join(NAME);
        fs::rename(&staged, &folder).map_err(io("write", &folder))?;
        sync_folder(&state)?;
        Ok(Self { root: root.to_owned() })
    }

    /// Does what is written down; what was done already is done again.
    pub(crate) fn complete(&self, marks: &Marks) -> Result<(), ProjectError> {
        let folder = self.folder();
        check_folder(&folder)?;
        for (index, step) in self.plan(marks)?.into_iter().enumerate() {
            let path = self.root.join(&step.path);
            let now = read(&path)?.map(|bytes| Digest::of(&bytes));
            if now == step.after {
                continue;
            }
            // Somebody changed it meanwhile: neither the old nor the new.
            if now != step.before {
                return Err(ProjectError::Interrupted { path });
            }
            match step.after {
                None => fs::remove_file(&path).map_err(io("remove", &path))?,
                Some(digest) => {
                    let content = read(&folder.join(index.to_string()))?.unwrap_or_default();
                    if Digest::of(&content) != digest {
                        return Err(ProjectError::Interrupted { path: folder });
                    }
                    self.make_parents(&step.path)?;
                    write(&path, &content)?;
                }
            }
        }
        sync_folder(&self.root)?;
        self.forget()?;
        marks.clear();
        Ok(())
    }

    fn folder(&self) -> PathBuf {
        self.root.join(STATE).join(NAME)
    }

    fn make_parents(&self, path: &str) -> Result<(), ProjectError> {
        let mut folder = self.root.clone();
        for part in Path::new(path).parent().into_iter().flat_map(Path::components) {
            folder.push(part);
            make_folder(&folder)?;
        }
        Ok(())
    }

    /// Done: first out of the way by one step, then removed.
    fn forget(&self) -> Result<(), ProjectError> {
        let folder = self.folder();
        let done = self.root.join(STATE).join(format!("{NAME}.{}.done", std::process::id()));
        fs::rename(&folder, &done).map_err(io("remove", &folder))?;
        let _ = fs::remove_dir_all(&done);
        Ok(sync_folder(&self.root.join(STATE))?)
    }

    fn plan(&self, marks: &Marks) -> Result<Vec<Step>, ProjectError> {
        let path = self.folder().join("plan.json");
        let unusable = || ProjectError::Interrupted { path: path.clone() };
        let bytes = read(&path)?.ok_or_else(unusable)?;
        // A repository can bring a journal along; only what this user began is completed.
        if !marks.has(Digest::of(&bytes))? {
            return Err(ProjectError::ForeignJournal { path: self.folder() });
        }
        let plan: Value = serde_json::from_slice(&bytes).map_err(|_| unusable())?;
        if plan["version"] != 1 {
            return Err(unusable());
        }
        let steps = plan["files"].as_array().ok_or_else(unusable)?.iter().map(step);
        steps.collect::<Option<_>>().ok_or_else(unusable)
    }
}

struct Step {
    path: String,
    before: Option<Digest>,
    after: Option<Digest>,
}

fn step(value: &Value) -> Option<Step> {
    let digest = |name: &str| match &value[name] {
        Value::Null => Some(None),
        Value::String(text) => text.parse().ok().map(Some),
        _ => None,
    };
    let path = value["path"].as_str().filter(|path| is_ours(path))?.to_owned();
    Some(Step { path, before: digest("before")?, after: digest("after")? })
}

/// Removes what an interrupted facet left, and nothing that only looks like it.
pub(crate) fn sweep(root: &Path) {
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let left = |name: &str| {
        let process = name.strip_prefix("journal.");
        process.is_some_and(|process| number(process.strip_suffix(".done").unwrap_or(process)))
    };
    for entry in fs::read_dir(root.join(STATE)).into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_some_and(left) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
    for folder in [root.join("."), root.join(SURFACES)] {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.file_name().to_str().is_some_and(is_staged) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}
