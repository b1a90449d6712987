//! A change that is interrupted behind any of its steps.

use std::collections::BTreeMap;

use facets_clients::Client;
use facets_lock::{AcceptedFindings, Lock, LockedFacet, LockedFacetSource};
use facets_model::{AssetBase, AssetKind};
use tempfile::TempDir;

use super::*;
use crate::change::{AssetChange, Change};
use crate::installed::{InstalledFacet, InstalledFile, InstalledRecord};
use crate::places::Bases;
use crate::prepare::Preparation;
use crate::receipt::Receipt;

type Contents<'c> = &'c [(&'c str, &'c str)];

const OLD: Contents<'static> = &[
    (".claude/skills/planning/SKILL.md", "old skill"),
    (".claude/skills/planning/gone/api.md", "old api"),
    (".claude/skills/planning/turn", "a file that becomes a folder"),
    (".claude/skills/planning/fold/inner", "in a folder that becomes a file"),
    (".codex/agents/reviewer.toml", "agent"),
    (".opencode/commands/gone.md", "old command"),
];
const NEW: Contents<'static> = &[
    (".claude/skills/planning/SKILL.md", "new skill"),
    (".claude/skills/planning/turn/deep", "below"),
    (".claude/skills/planning/fold", "file"),
    (".codex/agents/reviewer.toml", "agent"),
    (".agents/skills/added/SKILL.md", "added"),
];

struct Scene {
    folder: TempDir,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("project").join(STATE)).unwrap();
        let scene = Self { folder };
        let change = scene.change(&[], OLD, "0.1.0");
        let journal = scene.journal();
        journal.write(&scene.prepared(change)).unwrap();
        journal.complete().unwrap();
        scene
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    fn user(&self) -> UserDirectory {
        UserDirectory::at(self.folder.path().join("home"))
    }

    fn journal(&self) -> Journal {
        Journal::of(&self.root(), &self.root(), self.user()).unwrap()
    }

    fn prepared(&self, change: Change) -> Prepared {
        let (root, user) = (&self.root(), &self.user());
        let bases = Bases::of_project(root);
        Preparation { root, place: root, user, bases }.prepare(change).unwrap()
    }

    /// From some files to others, with everything that is recorded about them.
    fn change(&self, from: Contents<'_>, to: Contents<'_>, version: &str) -> Change {
        let find = |all: Contents<'_>, path: &str| {
            all.iter().find(|(known, _)| *known == path).map(|(_, text)| text.as_bytes().to_vec())
        };
        let gone = from.iter().filter(|(path, _)| find(to, path).is_none());
        let assets = to.iter().chain(gone).map(|(path, _)| AssetChange {
            base: AssetBase::Project,
            path: (*path).to_owned(),
            before: find(from, path).as_deref().map(Digest::of),
            content: find(to, path),
        });
        let (version, integrity) = (version.parse().unwrap(), Digest::of(version.as_bytes()));
        let file = |(path, text): &(&str, &str)| InstalledFile {
            base: AssetBase::Project,
            path: (*path).to_owned(),
            digest: Digest::of(text.as_bytes()),
            kind: AssetKind::Skill,
            name: "planning".parse().unwrap(),
            client: Client::ClaudeCode,
            is_found: false,
        };
        let files = to.iter().map(file).collect();
        let facet = InstalledFacet { version, integrity, entry: None, files };
        let in_receipt = LockedFacet {
            source: LockedFacetSource::Local { path: "./facet".to_owned() },
            version: facet.version.clone(),
            integrity,
            content_hash: None,
            assets: Vec::new(),
            servers: [].into(),
            accepted: AcceptedFindings::default(),
        };
        let receipt = Receipt::read(&self.root(), &self.user()).unwrap().unwrap();
        Change {
            manifest: Some(format!("{{ \"manifestVersion\": 0.2, \"x\": \"{integrity}\" }}\n")),
            lock: Some(Lock::empty()),
            surfaces: Vec::new(),
            closures: Vec::new(),
            assets: assets.collect(),
            installed: Some(InstalledRecord {
                facets: [("team-tools".to_owned(), facet)].into(),
                made_folders: Vec::new(),
            }),
            receipt: Some(receipt.with_facet("team-tools", &in_receipt).unwrap()),
        }
    }

    /// Every file and folder, apart from what only one facet at a time can have.
    fn snapshot(&self) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
        let mut found = BTreeMap::new();
        let mut folders = vec![self.folder.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let content = path.is_file().then(|| fs::read(&path).unwrap());
                if content.is_none() {
                    folders.push(path.clone());
                }
                found.insert(path.strip_prefix(self.folder.path()).unwrap().to_owned(), content);
            }
        }
        found
    }
}

/// Does one step as a facet does that is killed afterwards.
fn do_by_hand(journal: &Journal, change: &Prepared, index: usize) {
    let path = journal.path(&change.plan.steps[index].target, &change.plan);
    match &change.contents[index] {
        Some(content) => {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, content).unwrap();
        }
        None => fs::remove_file(&path).unwrap(),
    }
}

/// Records name the project, which is another one each time.
fn without_places(
    scene: &Scene,
    snapshot: BTreeMap<PathBuf, Option<Vec<u8>>>,
) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    let own = scene.root().to_string_lossy().into_owned();
    let mut same = BTreeMap::new();
    for (path, content) in snapshot {
        let parent = path.parent().unwrap();
        let keyed = parent.ends_with("installed") || parent.ends_with("receipts");
        let path = if keyed { parent.join("record") } else { path };
        let content = content
            .map(|bytes| String::from_utf8(bytes).unwrap().replace(&own, "PROJECT").into_bytes());
        same.insert(path, content);
    }
    same
}

#[test]
fn a_change_is_completed_whichever_steps_were_done_before_it_was_interrupted() {
    let scene = Scene::new();
    let prepared = scene.prepared(scene.change(OLD, NEW, "0.2.0"));
    let steps = prepared.plan.steps.len();
    scene.journal().write(&prepared).unwrap();
    scene.journal().complete().unwrap();
    let reference = without_places(&scene, scene.snapshot());
    let skill = reference.keys().filter(|path| path.ends_with("SKILL.md")).count();
    assert_eq!((skill, steps), (2, 13), "{reference:#?}");
    assert!(!reference.keys().any(|path| path.to_string_lossy().contains("gone")));
    // Steps that remove are done first, as facet does them: a file may stand where a folder was.
    for done in 0..=steps {
        let scene = Scene::new();
        let prepared = scene.prepared(scene.change(OLD, NEW, "0.2.0"));
        let journal = scene.journal();
        journal.write(&prepared).unwrap();
        let mut order: Vec<usize> = (0..steps).collect();
        order.sort_by_key(|index| prepared.contents[*index].is_some());
        for index in order.into_iter().take(done) {
            let fold = scene.root().join(".claude/skills/planning/fold");
            if !fold.join("inner").exists() {
                let _ = fs::remove_dir(&fold);
            }
            do_by_hand(&journal, &prepared, index);
        }
        let staged = scene.root().join(".claude/skills/planning/.facet-3.4711.tmp");
        fs::write(&staged, "half").unwrap();
        scene.journal().complete().unwrap();
        let now = without_places(&scene, scene.snapshot());
        assert_eq!(now, reference, "{done} steps");
    }
}

#[test]
fn what_the_user_did_before_an_interrupted_change_was_completed_stays() {
    let scene = Scene::new();
    let prepared = scene.prepared(scene.change(OLD, NEW, "0.2.0"));
    scene.journal().write(&prepared).unwrap();
    let root = scene.root();
    let (edited, kept) = (".claude/skills/planning/SKILL.md", ".opencode/commands/gone.md");
    let (free, deleted) = (".agents/skills/added/SKILL.md", ".codex/agents/reviewer.toml");
    fs::create_dir_all(root.join(".agents/skills/added")).unwrap();
    for path in [edited, kept, free] {
        fs::write(root.join(path), "mine").unwrap();
    }
    fs::remove_dir_all(root.join(deleted).parent().unwrap()).unwrap();
    scene.journal().complete().unwrap();
    for path in [edited, kept, free] {
        assert_eq!(fs::read_to_string(root.join(path)).unwrap(), "mine", "{path}");
    }
    assert!(!root.join(deleted).exists(), "also that it was removed");
    let api = root.join(".claude/skills/planning/gone");
    assert!(!api.exists(), "the other steps are done");
    assert_eq!(fs::read_to_string(root.join(".claude/skills/planning/fold")).unwrap(), "file");
    assert!(!Journal::is_pending(&root));
}

#[test]
fn a_link_that_appeared_meanwhile_leads_nowhere() {
    let scene = Scene::new();
    let prepared = scene.prepared(scene.change(OLD, NEW, "0.2.0"));
    scene.journal().write(&prepared).unwrap();
    let (root, aside) = (scene.root(), scene.folder.path().join("aside"));
    fs::rename(root.join(".claude"), &aside).unwrap();
    std::os::unix::fs::symlink(&aside, root.join(".claude")).unwrap();
    std::os::unix::fs::symlink(&aside, root.join(".agents")).unwrap();
    scene.journal().complete().unwrap();
    let skill = aside.join("skills/planning/SKILL.md");
    assert_eq!(fs::read_to_string(skill).unwrap(), "old skill");
    assert!(aside.join("skills/planning/gone/api.md").exists());
    assert!(!aside.join("skills/added").exists());
    assert!(!root.join(".opencode").exists(), "the other steps are done");
}

#[test]
fn a_receipt_that_the_reference_wrote_meanwhile_stays_and_an_edited_record_is_an_error() {
    let scene = Scene::new();
    let prepared = scene.prepared(scene.change(OLD, NEW, "0.2.0"));
    let journal = scene.journal();
    journal.write(&prepared).unwrap();
    let path = |file| journal.path(&Target::User(file), &prepared.plan);
    fs::write(path(UserFile::Receipt), "{}").unwrap();
    let record = fs::read(path(UserFile::Installed)).unwrap();
    fs::write(path(UserFile::Installed), "{}").unwrap();
    let failed = journal.complete().unwrap_err();
    assert!(matches!(failed, ProjectError::Interrupted { .. }), "{failed:?}");
    let skill = scene.root().join(".claude/skills/planning/SKILL.md");
    assert_eq!(fs::read_to_string(&skill).unwrap(), "old skill", "nothing is done");
    fs::write(path(UserFile::Installed), record).unwrap();
    journal.complete().unwrap();
    assert_eq!(fs::read_to_string(path(UserFile::Receipt)).unwrap(), "{}");
    assert_eq!(fs::read_to_string(&skill).unwrap(), "new skill");
}

#[test]
fn hundreds_of_files_are_written_like_a_few() {
    let scene = Scene::new();
    let paths: Vec<String> =
        (0..300).map(|number| format!(".claude/skills/many/{number}/file")).collect();
    let many: Vec<(&str, &str)> = paths
        .iter()
        .map(|path| (path.as_str(), path.as_str()))
        .chain(OLD.iter().copied())
        .collect();
    for (from, to) in [(OLD, many.as_slice()), (many.as_slice(), OLD)] {
        let prepared = scene.prepared(scene.change(from, to, "0.3.0"));
        scene.journal().write(&prepared).unwrap();
        scene.journal().complete().unwrap();
        for (path, content) in to {
            assert_eq!(fs::read_to_string(scene.root().join(path)).unwrap(), *content);
        }
    }
    assert!(!scene.root().join(".claude/skills/many").exists());
}
