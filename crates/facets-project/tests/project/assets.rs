//! Files of clients change with the project, and those of the user stay theirs.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use facets_clients::Client;
use facets_digest::Digest;
use facets_failure::Describe as _;
use facets_model::{AssetBase, AssetKind};
use facets_project::{
    AssetChange, AssetPlaces, Change, InstalledFacet, InstalledFile, InstalledRecord, Project,
    ProjectError, UserDirectory,
};
use serde_json::json;
use tempfile::TempDir;

const SKILL: &str = ".claude/skills/planning/SKILL.md";
const COMPANION: &str = ".claude/skills/planning/references/api.md";

struct Scene {
    folder: TempDir,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["project", "person"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        Self { folder }
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    fn user(&self) -> UserDirectory {
        UserDirectory::at(self.folder.path().join("facet"))
    }

    fn project(&self) -> Project {
        Project::at(&self.root(), self.user()).unwrap()
    }

    /// The project of the user, whose assets lie in a home.
    fn of_user(&self, home: &str) -> Project {
        let places = AssetPlaces::in_home(&self.folder.path().join(home));
        Project::at(&self.user().project().unwrap(), self.user()).unwrap().with_places(places)
    }

    fn record_path(&self, project: &Project) -> PathBuf {
        let key = Digest::of(project.place().as_os_str().as_encoded_bytes()).hex();
        self.folder.path().join("facet/installed").join(format!("{key}.json"))
    }
}

fn write(base: AssetBase, path: &str, before: Option<&str>, content: Option<&str>) -> AssetChange {
    AssetChange {
        base,
        path: path.to_owned(),
        before: before.map(|before| Digest::of(before.as_bytes())),
        content: content.map(|content| content.as_bytes().to_vec()),
    }
}

fn in_project(path: &str, before: Option<&str>, content: Option<&str>) -> AssetChange {
    write(AssetBase::Project, path, before, content)
}

fn record(files: &[(AssetBase, &str, &str)]) -> InstalledRecord {
    let file = |(base, path, content): &(AssetBase, &str, &str)| InstalledFile {
        base: *base,
        path: (*path).to_owned(),
        digest: Digest::of(content.as_bytes()),
        kind: AssetKind::Skill,
        name: "planning".parse().unwrap(),
        client: Client::ClaudeCode,
        is_found: false,
    };
    let facet = InstalledFacet {
        version: "0.1.0".parse().unwrap(),
        entry: None,
        integrity: Digest::of(b"archive"),
        files: files.iter().map(file).collect(),
    };
    InstalledRecord { facets: [("team-tools".to_owned(), facet)].into(), made_folders: Vec::new() }
}

fn change(
    project: &Project,
    assets: Vec<AssetChange>,
    installed: Option<InstalledRecord>,
) -> Result<(), ProjectError> {
    project.change(|_| Ok(Change { assets, installed, ..Change::default() }))
}

/// Two files of a skill, and what is recorded about them.
fn install(project: &Project) {
    let assets = vec![in_project(SKILL, None, Some("s")), in_project(COMPANION, None, Some("c"))];
    let files = [(AssetBase::Project, SKILL, "s"), (AssetBase::Project, COMPANION, "c")];
    change(project, assets, Some(record(&files))).unwrap();
}

fn remove(project: &Project) {
    let assets = vec![in_project(SKILL, Some("s"), None), in_project(COMPANION, Some("c"), None)];
    change(project, assets, Some(InstalledRecord::default())).unwrap();
}

#[test]
fn what_was_installed_goes_again_with_the_folders_that_facet_made() {
    let scene = Scene::new();
    let project = scene.project();
    assert!(project.installed().unwrap().is_empty());
    install(&project);
    assert_eq!(project.read_asset(AssetBase::Project, SKILL).unwrap().unwrap(), b"s");
    let installed = project.installed().unwrap();
    assert_eq!(installed.files().count(), 2);
    let made = [".claude", ".claude/skills"].map(|path| (AssetBase::Project, path.to_owned()));
    assert_eq!(installed.made_folders, made);
    let path = scene.record_path(&project);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    remove(&project);
    assert!(!scene.root().join(".claude").exists());
    assert!(!path.exists(), "nothing is left to record");
    assert!(project.read_asset(AssetBase::Project, SKILL).unwrap().is_none());
}

#[test]
fn folders_of_the_user_and_what_lies_in_them_stay() {
    let scene = Scene::new();
    let project = scene.project();
    fs::create_dir_all(scene.root().join(".claude/skills")).unwrap();
    install(&project);
    assert!(project.installed().unwrap().made_folders.is_empty());
    remove(&project);
    assert_eq!(fs::read_dir(scene.root().join(".claude/skills")).unwrap().count(), 0);
    fs::remove_dir_all(scene.root().join(".claude")).unwrap();
    install(&project);
    let own = scene.root().join(".claude/settings.json");
    let note = scene.root().join(".claude/skills/planning/references/note.md");
    for path in [&own, &note] {
        fs::write(path, "mine").unwrap();
    }
    remove(&project);
    assert!(own.exists() && note.exists());
    assert!(!scene.root().join(SKILL).exists());
}

#[test]
fn a_folder_that_facet_made_is_known_until_nothing_of_facet_is_in_it() {
    let scene = Scene::new();
    let project = scene.project();
    install(&project);
    let agent = ".claude/agents/reviewer.md";
    let files = [(AssetBase::Project, agent, "a")];
    let assets = vec![
        in_project(SKILL, Some("s"), None),
        in_project(COMPANION, Some("c"), None),
        in_project(agent, None, Some("a")),
    ];
    change(&project, assets, Some(record(&files))).unwrap();
    assert!(!scene.root().join(".claude/skills").exists());
    let made = [".claude", ".claude/agents"].map(|path| (AssetBase::Project, path.to_owned()));
    assert_eq!(project.installed().unwrap().made_folders, made);
    let assets = vec![in_project(agent, Some("a"), None)];
    change(&project, assets, Some(InstalledRecord::default())).unwrap();
    assert!(!scene.root().join(".claude").exists());
}

#[test]
fn assets_of_a_user_lie_in_their_places_and_no_project_writes_there() {
    let scene = Scene::new();
    let project = scene.of_user("person");
    let files = [
        (AssetBase::Home, ".claude/skills/planning/SKILL.md"),
        (AssetBase::ConfigHome, "opencode/commands/ship-it.md"),
        (AssetBase::CodexHome, "agents/reviewer.toml"),
    ];
    let assets: Vec<AssetChange> =
        files.iter().map(|(base, path)| write(*base, path, None, Some("x"))).collect();
    let installed = record(&files.map(|(base, path)| (base, path, "x")));
    change(&project, assets.clone(), Some(installed)).unwrap();
    let person = scene.folder.path().join("person");
    for path in [
        ".claude/skills/planning/SKILL.md",
        ".config/opencode/commands/ship-it.md",
        ".codex/agents/reviewer.toml",
    ] {
        assert_eq!(fs::read_to_string(person.join(path)).unwrap(), "x", "{path}");
    }
    for asset in &assets {
        let refused = change(&scene.project(), vec![asset.clone()], None).unwrap_err();
        assert!(matches!(refused, ProjectError::Untrusted { .. }), "{refused:?}");
    }
    let refused = change(&project, vec![in_project(SKILL, None, Some("x"))], None).unwrap_err();
    assert!(matches!(refused, ProjectError::Untrusted { .. }), "{refused:?}");
    let assets = files.iter().map(|(base, path)| write(*base, path, Some("x"), None)).collect();
    change(&project, assets, Some(InstalledRecord::default())).unwrap();
    assert_eq!(fs::read_dir(&person).unwrap().count(), 0, "also the bases that facet made");
}

#[test]
fn a_file_that_is_not_as_it_was_when_the_change_was_decided_refuses_all_of_it() {
    let scene = Scene::new();
    let project = scene.project();
    install(&project);
    fs::write(scene.root().join(COMPANION), "mine").unwrap();
    let other = ".claude/agents/a.md";
    for assets in [
        vec![in_project(other, None, Some("a")), in_project(COMPANION, Some("c"), Some("new"))],
        vec![in_project(other, None, Some("a")), in_project(COMPANION, Some("c"), None)],
        vec![in_project(other, None, Some("a")), in_project(COMPANION, None, Some("new"))],
        vec![in_project(".claude/agents/b.md", Some("gone"), Some("b"))],
        vec![in_project(".codex/agents/b.toml", Some("gone"), Some("b"))],
    ] {
        let refused = change(&project, assets, None).unwrap_err();
        assert!(matches!(refused, ProjectError::AssetChanged { .. }), "{refused:?}");
        assert_eq!(refused.code(), "asset-changed-meanwhile");
    }
    assert!(!scene.root().join(other).exists());
    assert_eq!(fs::read_to_string(scene.root().join(COMPANION)).unwrap(), "mine");
    // What was done already is no contradiction.
    let done = vec![in_project(SKILL, None, Some("s")), in_project(other, Some("a"), None)];
    change(&project, done, None).unwrap();
}

#[test]
fn paths_that_no_asset_has_and_changes_that_contradict_each_other_are_refused() {
    let scene = Scene::new();
    let project = scene.project();
    let inner = ".claude/skills/planning/SKILL.md/inner";
    for assets in [
        vec![in_project("../escape", None, Some("x"))],
        vec![in_project(".git/hooks/pre-commit", None, Some("x"))],
        vec![in_project(".claude/settings.json", None, Some("x"))],
        vec![in_project("facets.lock", None, Some("x"))],
        vec![in_project(SKILL, None, Some("x")), in_project(SKILL, None, Some("y"))],
        vec![in_project(SKILL, None, Some("x")), in_project(SKILL, None, None)],
        vec![in_project(SKILL, None, Some("x")), in_project(inner, None, Some("y"))],
    ] {
        let refused = change(&project, assets, None).unwrap_err();
        assert!(matches!(refused, ProjectError::Untrusted { .. }), "{refused:?}");
    }
    assert!(project.read_asset(AssetBase::Project, "facets.lock").is_err());
    assert_eq!(fs::read_dir(scene.root()).unwrap().count(), 1, "only what facet keeps");
}

#[test]
fn links_in_the_path_of_an_asset_are_refused() {
    let scene = Scene::new();
    let project = scene.project();
    let aside = scene.folder.path().join("aside");
    fs::create_dir_all(aside.join("planning")).unwrap();
    let skill = || vec![in_project(SKILL, None, Some("x"))];
    let refuse = |what: &str| {
        let refused = change(&project, skill(), None).unwrap_err();
        assert_eq!(refused.code(), "project-untrusted-file", "{what}: {refused:?}");
        let refused = project.read_asset(AssetBase::Project, SKILL).unwrap_err();
        assert_eq!(refused.code(), "project-untrusted-file", "{what}: {refused:?}");
    };
    symlink(&aside, scene.root().join(".claude")).unwrap();
    refuse("the folder of the client");
    fs::remove_file(scene.root().join(".claude")).unwrap();
    fs::create_dir(scene.root().join(".claude")).unwrap();
    symlink(&aside, scene.root().join(".claude/skills")).unwrap();
    refuse("the folder of skills");
    fs::remove_file(scene.root().join(".claude/skills")).unwrap();
    fs::create_dir_all(scene.root().join(SKILL).parent().unwrap()).unwrap();
    symlink(aside.join("file"), scene.root().join(SKILL)).unwrap();
    refuse("the file");
    fs::remove_file(scene.root().join(SKILL)).unwrap();
    fs::create_dir(scene.root().join(SKILL)).unwrap();
    refuse("a folder in its place");
    assert_eq!(fs::read_dir(aside.join("planning")).unwrap().count(), 0);
}

#[test]
fn a_record_that_is_not_of_this_project_or_of_this_user_is_an_error() {
    let scene = Scene::new();
    let project = scene.project();
    install(&project);
    let path = scene.record_path(&project);
    let text = fs::read_to_string(&path).unwrap();
    for other in [text.replace("/project\"", "/other\""), "{}".to_owned(), String::new()] {
        fs::write(&path, other).unwrap();
        let refused = project.installed().unwrap_err();
        assert_eq!(refused.code(), "installed-unreadable");
        let refused = change(&project, vec![in_project(SKILL, Some("s"), None)], None).unwrap_err();
        assert!(matches!(refused, ProjectError::Installed { .. }), "{refused:?}");
    }
    assert!(scene.root().join(SKILL).exists());
    fs::write(&path, &text).unwrap();
    let untrusted = |what: &str| {
        let refused = project.installed().unwrap_err();
        assert!(matches!(refused, ProjectError::Untrusted { .. }), "{what}: {refused:?}");
    };
    fs::set_permissions(&path, fs::Permissions::from_mode(0o620)).unwrap();
    untrusted("the group can write it");
    let aside = scene.folder.path().join("aside");
    fs::rename(&path, &aside).unwrap();
    symlink(&aside, &path).unwrap();
    untrusted("a link");
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    untrusted("a folder");
    let folder = path.parent().unwrap();
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
    untrusted("a folder that came from elsewhere");
}

/// A journal of this user that is not yet done.
fn interrupted(scene: &Scene, project: &Project, plan: &serde_json::Value, contents: &[&str]) {
    let journal = project.place().join(".facets/journal");
    fs::create_dir_all(&journal).unwrap();
    for (index, content) in contents.iter().enumerate() {
        fs::write(journal.join(index.to_string()), content).unwrap();
    }
    let plan = plan.to_string();
    fs::write(journal.join("plan.json"), &plan).unwrap();
    let marks = scene.folder.path().join("facet/journals");
    fs::create_dir_all(&marks).unwrap();
    fs::set_permissions(scene.folder.path().join("facet"), fs::Permissions::from_mode(0o700))
        .unwrap();
    let key = Digest::of(project.place().as_os_str().as_encoded_bytes()).hex();
    fs::write(marks.join(key), Digest::of(plan.as_bytes()).to_string()).unwrap();
}

fn step(base: &str, path: &str) -> serde_json::Value {
    json!({ "base": base, "path": path, "before": null, "after": Digest::of(b"x").to_string() })
}

#[test]
fn an_interrupted_change_of_a_user_is_completed_where_it_began() {
    let scene = Scene::new();
    let began = scene.folder.path().join("person");
    let project = scene.of_user("elsewhere");
    let plan = json!({
        "version": 2,
        "bases": { "codex-home": began.join(".codex") },
        "files": [step("codex-home", "agents/reviewer.toml")],
        "folders": [],
    });
    interrupted(&scene, &project, &plan, &["x"]);
    project.read(&|_| false).unwrap();
    assert_eq!(fs::read_to_string(began.join(".codex/agents/reviewer.toml")).unwrap(), "x");
    assert!(!scene.folder.path().join("elsewhere").exists());
}

#[test]
fn a_journal_names_only_files_that_facet_writes() {
    let scene = Scene::new();
    let project = scene.project();
    let home = json!({ "home": scene.folder.path().join("person") });
    let skill = step("project", SKILL);
    let other = format!("installed/{}.json", Digest::of(b"other").hex());
    for (bases, files, folders) in [
        (home.clone(), json!([step("home", ".bashrc")]), json!([])),
        (home.clone(), json!([step("home", ".claude/skills/../../.bashrc")]), json!([])),
        (home.clone(), json!([step("config-home", "opencode/agents/a.md")]), json!([])),
        (json!({ "home": "relative" }), json!([step("home", SKILL)]), json!([])),
        (json!({ "project": "/tmp" }), json!([skill]), json!([])),
        (json!({}), json!([step("facet-dir", &other)]), json!([])),
        (json!({}), json!([step("facet-dir", "ledger/a")]), json!([])),
        (json!({}), json!([step("root", "etc/passwd")]), json!([])),
        (json!({}), json!([skill]), json!([{ "base": "project", "path": ".git" }])),
        (json!({}), json!([skill]), json!([{ "base": "home", "path": "" }])),
    ] {
        let plan = json!({ "version": 2, "bases": bases, "files": files, "folders": folders });
        interrupted(&scene, &project, &plan, &["x"]);
        let refused = project.read(&|_| false).unwrap_err();
        assert!(matches!(refused, ProjectError::Interrupted { .. }), "{plan}: {refused:?}");
    }
    assert_eq!(fs::read_dir(scene.folder.path().join("person")).unwrap().count(), 0);
    assert!(!scene.root().join(".claude").exists());
}

#[test]
fn a_receipt_is_written_with_the_change_and_one_that_is_not_understood_stays() {
    let scene = Scene::new();
    let project = scene.project();
    let receipt = project.receipt().unwrap().unwrap();
    let change = Change { receipt: Some(receipt.clone()), ..Change::default() };
    project.change::<ProjectError>(|_| Ok(change)).unwrap();
    let place = project.place();
    let hash = Digest::of(place.as_os_str().as_encoded_bytes()).hex();
    let path = scene.folder.path().join(format!("facet/receipts/project-{}.json", &hash[..12]));
    assert_eq!(fs::read_to_string(&path).unwrap(), receipt.text());
    assert_eq!(project.receipt().unwrap(), Some(receipt));
    // The reference makes its folder for everybody to read.
    let readable = fs::Permissions::from_mode(0o755);
    fs::set_permissions(path.parent().unwrap(), readable).unwrap();
    fs::write(&path, "{ \"version\": 0.3 }").unwrap();
    assert_eq!(project.receipt().unwrap(), None);
    assert!(Path::exists(&path));
}
