//! Several files, changed together: written down first, then done (spec 8.4).

use std::fs;
use std::path::{Path, PathBuf};

use facets_digest::Digest;
use facets_files::{sync_folder, write_synced};
use facets_lock::{CLOSURES, SURFACES};

use crate::asset_steps::{AssetSteps, SYNCED_ONE_BY_ONE, planned_content};
use crate::error::ProjectError;
use crate::files::{
    STATE, check_folder, io, is_staged, make_folder, read, read_own, sweep_staged, write, write_own,
};
use crate::folder::Folder;
use crate::marks::Marks;
use crate::plan::{Plan, Step, Target, UserFile};
use crate::user_directory::UserDirectory;

/// A change, and the contents that its steps write.
pub(crate) struct Prepared {
    pub(crate) plan: Plan,
    pub(crate) contents: Vec<Option<Vec<u8>>>,
}

/// A change that is written down and not yet done.
pub(crate) struct Journal {
    root: PathBuf,
    place: PathBuf,
    user: UserDirectory,
    marks: Marks,
}

/// The folder of the journal. It appears whole, by a rename.
const NAME: &str = "journal";

impl Journal {
    /// Whether a change of a project was interrupted.
    pub(crate) fn is_pending(root: &Path) -> bool {
        fs::symlink_metadata(root.join(STATE).join(NAME)).is_ok()
    }

    /// The journal of a project, named so in messages, that really lies at this place.
    pub(crate) fn of(root: &Path, place: &Path, user: UserDirectory) -> Result<Self, ProjectError> {
        let marks = Marks::of(place, &user)?;
        Ok(Self { root: root.to_owned(), place: place.to_owned(), user, marks })
    }

    /// Writes a change down. From here on it will be done.
    pub(crate) fn write(&self, change: &Prepared) -> Result<(), ProjectError> {
        let Prepared { plan, contents } = change;
        if let Some(strange) = plan.steps.iter().find(|step| !step.target.is_allowed()) {
            let path = self.path(&strange.target, plan);
            return Err(ProjectError::Untrusted { path, reason: "facet has no such file" });
        }
        let unnamed = || {
            let reason = "the path of a directory is not valid UTF-8";
            ProjectError::Untrusted { path: self.place.clone(), reason }
        };
        let text = plan.to_text(&self.place).ok_or_else(unnamed)?;
        let state = self.root.join(STATE);
        let staged = state.join(format!("{NAME}.{}", std::process::id()));
        let _ = fs::remove_dir_all(&staged);
        let written = self.stage(&staged, text.as_bytes(), contents);
        if written.is_err() {
            // A disk that is full has room again.
            let _ = fs::remove_dir_all(&staged);
        }
        written?;
        Ok(sync_folder(&state)?)
    }

    /// Writes everything beside the journal, and makes that the journal.
    fn stage(
        &self,
        staged: &Path,
        text: &[u8],
        contents: &[Option<Vec<u8>>],
    ) -> Result<(), ProjectError> {
        make_folder(staged)?;
        write_contents(staged, contents)?;
        write_synced(&staged.join("plan.json"), text)?;
        sync_folder(staged)?;
        self.marks.set(Digest::of(text))?;
        let folder = self.folder();
        fs::rename(staged, &folder).map_err(io("write", &folder))
    }

    /// Does what is written down; what was done already is done again.
    pub(crate) fn complete(&self) -> Result<(), ProjectError> {
        let folder = self.folder();
        check_folder(&folder)?;
        let plan = self.plan()?;
        let mut left = Vec::new();
        for (index, step) in plan.steps.iter().enumerate() {
            if self.is_left(step, &plan)? {
                left.push((index, step));
            }
        }
        for (index, step) in left {
            self.do_step(index, step, &plan)?;
        }
        AssetSteps::of(&plan, &folder).complete()?;
        self.sweep_user(&plan);
        sync_folder(&self.root)?;
        self.forget()?;
        self.marks.clear();
        Ok(())
    }

    /// Removes what an interrupted facet left.
    pub(crate) fn sweep(&self) {
        sweep(&self.root);
        sweep_staged(&self.root.join(STATE), ".gitignore");
        self.marks.sweep();
    }

    fn folder(&self) -> PathBuf {
        self.root.join(STATE).join(NAME)
    }

    fn path(&self, target: &Target, plan: &Plan) -> PathBuf {
        match target {
            Target::Own(path) => self.root.join(path),
            Target::User(file) => self.user.unchecked(file.folder()).join(file.name(&self.place)),
            Target::Asset(base, path) => plan.bases.path(*base).unwrap_or(&self.root).join(path),
        }
    }

    /// Whether a file of facet is still as before. One that is neither old nor new ends the change before
    /// anything is written.
    fn is_left(&self, step: &Step, plan: &Plan) -> Result<bool, ProjectError> {
        let path = self.path(&step.target, plan);
        let now = match step.target {
            Target::Asset(..) => return Ok(false),
            Target::Own(_) => read(&path)?,
            Target::User(_) => read_own(&path)?,
        };
        let now = now.map(|bytes| Digest::of(&bytes));
        match &step.target {
            _ if now == step.after => Ok(false),
            _ if now == step.before => Ok(true),
            // The reference wrote a newer one.
            Target::User(UserFile::Receipt) => Ok(false),
            _ => Err(ProjectError::Interrupted { path }),
        }
    }

    fn do_step(&self, index: usize, step: &Step, plan: &Plan) -> Result<(), ProjectError> {
        let path = self.path(&step.target, plan);
        let Some(digest) = step.after else {
            return fs::remove_file(&path).map_err(io("remove", &path));
        };
        let content = planned_content(&self.folder(), index, digest)?;
        match &step.target {
            Target::Own(own) => {
                self.make_parents(own)?;
                write(&path, &content)
            }
            Target::User(file) => {
                self.user.made(file.folder())?;
                write_own(&path, &content)
            }
            Target::Asset(..) => Ok(()),
        }
    }

    fn make_parents(&self, path: &str) -> Result<(), ProjectError> {
        let mut folder = self.root.clone();
        for part in Path::new(path).parent().into_iter().flat_map(Path::components) {
            folder.push(part);
            make_folder(&folder)?;
        }
        Ok(())
    }

    /// Removes what an interrupted facet left beside the user's files about this project.
    fn sweep_user(&self, plan: &Plan) {
        for step in &plan.steps {
            let Target::User(file) = step.target else { continue };
            let (folder, name) = (self.user.unchecked(file.folder()), file.name(&self.place));
            sweep_staged(&folder, &name);
        }
    }

    /// Done: first out of the way by one step, then removed.
    fn forget(&self) -> Result<(), ProjectError> {
        let folder = self.folder();
        let done = self.root.join(STATE).join(format!("{NAME}.{}.done", std::process::id()));
        fs::rename(&folder, &done).map_err(io("remove", &folder))?;
        let _ = fs::remove_dir_all(&done);
        Ok(sync_folder(&self.root.join(STATE))?)
    }

    fn plan(&self) -> Result<Plan, ProjectError> {
        let path = self.folder().join("plan.json");
        let unusable = || ProjectError::Interrupted { path: path.clone() };
        let bytes = read(&path)?.ok_or_else(unusable)?;
        // A repository can bring a journal along; only what this user began is completed.
        if !self.marks.has(Digest::of(&bytes))? {
            return Err(ProjectError::ForeignJournal { path: self.folder() });
        }
        Plan::parse(&bytes, &self.root, &self.place).ok_or_else(unusable)
    }
}

/// Contents by the number of their step, on the disk before the journal appears.
fn write_contents(folder: &Path, contents: &[Option<Vec<u8>>]) -> Result<(), ProjectError> {
    let written = contents.iter().enumerate().filter_map(|(index, content)| {
        content.as_ref().map(|content| (folder.join(index.to_string()), content))
    });
    if contents.len() <= SYNCED_ONE_BY_ONE {
        return Ok(written.into_iter().try_for_each(|(path, bytes)| write_synced(&path, bytes))?);
    }
    for (path, content) in written {
        fs::write(&path, content).map_err(io("write", &path))?;
    }
    // One wait for all of them: hundreds of waits take seconds.
    match Folder::open(folder)? {
        Some(folder) => folder.sync_file_system(),
        None => Err(io("write", folder)(std::io::ErrorKind::NotFound.into())),
    }
}

/// Removes what an interrupted facet left in a project, and nothing that only looks like it.
fn sweep(root: &Path) {
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
    for folder in [root.join("."), root.join(SURFACES), root.join(CLOSURES)] {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.file_name().to_str().is_some_and(is_staged) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

#[cfg(test)]
mod tests;
