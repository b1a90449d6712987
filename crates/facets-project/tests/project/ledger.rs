//! The ledger: decisions by project and name, each on what was seen, and kept until they are ended.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::support::Written;
use facets_digest::{Digest, Hasher};
use facets_lock::{Extent, Grants, Lock, LockedServer, Pin};
use facets_project::{Ledger, Project, ProjectError};
use facets_surface::{Also, Definition, Kind};
use facets_testkit::repository_root;

const PLACE: &str = "/project";

struct Fixture {
    written: Written,
    greeter: LockedServer,
}

impl Fixture {
    /// Of a user who has decided nothing.
    fn new() -> Self {
        let written = Written::by("ff83894", "settled");
        fs::remove_dir_all(written.folder.path().join("home")).unwrap();
        let greeter = written.lock().server("greeter").unwrap().clone();
        Self { written, greeter }
    }

    fn ledger(&self, place: &str) -> Ledger {
        Ledger::of(Path::new(place), &self.written.user()).unwrap()
    }

    fn folder(&self, place: &str) -> PathBuf {
        let key = Digest::of(place.as_bytes()).hex();
        self.written.folder.path().join("home/ledger").join(key)
    }

    fn file(&self, place: &str, name: &str) -> PathBuf {
        self.folder(place).join(format!("{}.json", Digest::of(name.as_bytes()).hex()))
    }

    /// Approves the server as it is, under a name.
    fn approve(&self, place: &str, name: &str) {
        let ledger = self.ledger(place);
        let seen = ledger.grants(name).unwrap();
        let approved = ledger.approve(
            (name, &self.greeter, None),
            seen.as_ref(),
            &Grants::ALL,
            Also::default(),
        );
        assert!(approved.unwrap());
    }

    fn is_approved(&self, place: &str, name: &str) -> bool {
        self.ledger(place).approval(name, &self.greeter, None).unwrap().is_some()
    }
}

fn offline() -> Grants {
    Grants { network: Extent::None, ..Grants::ALL }
}

#[test]
fn an_approval_is_of_one_entry_under_one_name_in_one_project() {
    let fixture = Fixture::new();
    assert!(!fixture.is_approved(PLACE, "greeter"));
    fixture.approve(PLACE, "greeter");
    assert!(fixture.is_approved(PLACE, "greeter"));
    assert!(!fixture.is_approved(PLACE, "other"));
    assert!(!fixture.is_approved("/other", "greeter"));
    let ledger = fixture.ledger(PLACE);
    let mut others = vec![fixture.greeter.clone(); 4];
    others[0].settings.timeout = Some(7);
    others[1].surface.digest = Digest::of(b"another");
    others[2].surface.file_digest = Digest::of(b"another");
    others[3].source = Some("src".to_owned());
    for other in &others {
        assert!(ledger.approval("greeter", other, None).unwrap().is_none(), "{other:?}");
    }
    let other_grants = LockedServer { grants: offline(), ..fixture.greeter.clone() };
    assert!(ledger.approval("greeter", &other_grants, None).unwrap().is_some());
}

/// spec 8.5: keyed by project, name, launch, bytes and surface
#[test]
fn an_approval_of_an_artifact_is_of_its_bytes() {
    let fixture = Fixture::new();
    let path = repository_root().join("testdata/source-mode/facets.lock");
    let lock = Lock::parse(&fs::read(path).unwrap()).unwrap();
    let notes = lock.server("notes").unwrap();
    let ledger = fixture.ledger(PLACE);
    ledger.approve(("notes", notes, None), None, &notes.grants, Also::default()).unwrap();
    let approval = ledger.approval("notes", notes, None).unwrap().unwrap();
    assert_eq!(approval.bytes, notes.pin.bytes());
    assert!(approval.bytes.is_some());
    let mut pin = notes.pin.artifact().unwrap().clone();
    pin.content_hash = Digest::of(b"another");
    let other = LockedServer { pin: Pin::Artifact(Box::new(pin)), ..notes.clone() };
    assert!(ledger.approval("notes", &other, None).unwrap().is_none());
    fixture.approve(PLACE, "greeter");
    assert_eq!(ledger.record("greeter").unwrap().unwrap().approved[0].bytes, None);
}

#[test]
fn a_decision_is_written_only_if_the_latest_one_was_seen() {
    let fixture = Fixture::new();
    let ledger = fixture.ledger(PLACE);
    assert!(ledger.decide("greeter", None, &Grants::ALL).unwrap());
    assert!(!ledger.decide("greeter", None, &offline()).unwrap());
    assert_eq!(ledger.grants("greeter").unwrap(), Some(Grants::ALL));
    let entry = ("greeter", &fixture.greeter, None);
    let stale = ledger.approve(entry, Some(&offline()), &offline(), Also::default());
    assert!(!stale.unwrap());
    assert!(!fixture.is_approved(PLACE, "greeter"));
    assert!(ledger.approve(entry, Some(&Grants::ALL), &offline(), Also::default()).unwrap());
    assert!(fixture.is_approved(PLACE, "greeter"));
    assert_eq!(ledger.grants("greeter").unwrap(), Some(offline()));
}

#[test]
fn revoking_ends_approvals_and_keeps_grants_and_ending_keeps_nothing() {
    let fixture = Fixture::new();
    for name in ["greeter", "other"] {
        fixture.approve(PLACE, name);
    }
    let ledger = fixture.ledger(PLACE);
    ledger.revoke("greeter").unwrap();
    assert!(!fixture.is_approved(PLACE, "greeter"));
    assert_eq!(ledger.grants("greeter").unwrap(), Some(Grants::ALL));
    ledger.end("greeter").unwrap();
    assert_eq!(ledger.record("greeter").unwrap(), None);
    assert!(fixture.is_approved(PLACE, "other"));
}

#[test]
fn nothing_is_made_by_ending_what_was_never_decided() {
    let fixture = Fixture::new();
    let ledger = fixture.ledger(PLACE);
    ledger.revoke("greeter").unwrap();
    ledger.end("greeter").unwrap();
    assert!(!fixture.folder(PLACE).exists());
    assert!(ledger.records().is_empty());
}

#[test]
fn a_record_that_cannot_be_removed_is_an_error() {
    let fixture = Fixture::new();
    fs::create_dir_all(fixture.file(PLACE, "greeter")).unwrap();
    for folder in ["home", "home/ledger"] {
        let private = fs::Permissions::from_mode(0o700);
        fs::set_permissions(fixture.written.folder.path().join(folder), private).unwrap();
    }
    let failed = fixture.ledger(PLACE).end("greeter").unwrap_err();
    assert!(matches!(failed, ProjectError::Io { what: "remove", .. }), "{failed:?}");
}

#[test]
fn a_record_that_cannot_be_read_is_refused_and_not_taken_for_none() {
    let fixture = Fixture::new();
    fixture.approve(PLACE, "greeter");
    fixture.approve(PLACE, "other");
    let path = fixture.file(PLACE, "greeter");
    let text = fs::read_to_string(&path).unwrap();
    for broken in [
        String::new(),
        text.replace("\"ledgerVersion\":1", "\"ledgerVersion\":2"),
        text.replace("\"name\":\"greeter\"", "\"name\":7"),
        text.replace("\"bytes\":null", "\"bytes\":\"sha256:00\""),
        text.replace("\"source\":null", "\"source\":7"),
        text.replace("\"subprocess\":true", "\"subprocess\":7"),
        text.replace("\"launch\":\"sha256:", "\"launch\":\"sha512:"),
    ] {
        assert_ne!(broken, text);
        fs::write(&path, &broken).unwrap();
        let ledger = fixture.ledger(PLACE);
        for refused in [
            ledger.record("greeter").unwrap_err(),
            ledger.decide("greeter", None, &Grants::ALL).unwrap_err(),
            ledger.revoke("greeter").unwrap_err(),
        ] {
            assert!(matches!(refused, ProjectError::Ledger { .. }), "{broken}: {refused:?}");
        }
        let names: Vec<String> = ledger.records().into_iter().map(|record| record.name).collect();
        assert_eq!(names, ["other"]);
    }
}

#[test]
fn what_was_decided_is_listed_by_project_and_name() {
    let fixture = Fixture::new();
    for (place, name) in [("/b", "one"), ("/a", "two"), ("/a", "one")] {
        fixture.approve(place, name);
    }
    // A facet was killed over the one, and the other is none of its files.
    fs::rename(fixture.folder("/b"), fixture.folder("/b").with_extension("new-4711")).unwrap();
    fs::copy(fixture.file("/a", "one"), fixture.folder("/a").join("copy.txt")).unwrap();
    let all = Ledger::all(&fixture.written.user()).unwrap();
    let listed: Vec<(&str, &str)> =
        all.iter().map(|record| (&*record.project, &*record.name)).collect();
    assert_eq!(listed, [("/a", "one"), ("/a", "two")]);
    let ledger = Ledger::of_record(&all[0], &fixture.written.user());
    ledger.end("one").unwrap();
    assert_eq!(fixture.ledger("/a").records().len(), 1);
}

#[test]
fn elsewhere_is_the_same_entry_and_name_in_other_projects_the_latest_first() {
    let fixture = Fixture::new();
    for (place, name) in
        [(PLACE, "greeter"), ("/older", "greeter"), ("/newer", "greeter"), ("/other", "other")]
    {
        fixture.approve(place, name);
    }
    let mut another = fixture.greeter.clone();
    another.settings.timeout = Some(7);
    let changed = fixture.ledger("/changed");
    assert!(
        changed.approve(("greeter", &another, None), None, &Grants::ALL, Also::default()).unwrap()
    );
    // As if one had been approved long ago.
    let path = fixture.file("/older", "greeter");
    let record = fixture.ledger("/older").record("greeter").unwrap().unwrap();
    let seconds = record.approved[0].seconds.to_string();
    fs::write(&path, fs::read_to_string(&path).unwrap().replace(&seconds, "1")).unwrap();
    let found = fixture.ledger(PLACE).elsewhere("greeter", &fixture.greeter, None).unwrap();
    let places: Vec<&str> = found.iter().map(|record| &*record.project).collect();
    assert_eq!(places, ["/newer", "/older"]);
}

#[test]
fn a_ledger_that_others_can_read_is_refused() {
    let fixture = Fixture::new();
    fixture.approve(PLACE, "greeter");
    let ledger = fixture.written.folder.path().join("home/ledger");
    fs::set_permissions(&ledger, fs::Permissions::from_mode(0o750)).unwrap();
    let refused = Ledger::of(Path::new(PLACE), &fixture.written.user()).unwrap_err();
    assert!(matches!(refused, ProjectError::Untrusted { .. }), "{refused:?}");
}

#[test]
fn variants_of_one_entry_add_up() {
    let fixture = Fixture::new();
    let ledger = fixture.ledger(PLACE);
    let variant = |name: &str| {
        let raw = format!("{{\"name\":\"{name}\",\"inputSchema\":{{\"type\":\"object\"}}}}");
        let items = vec![Definition::parse(Kind::Tool, &raw).unwrap()];
        Also { instructions: vec![format!("use {name}")], items }
    };
    let mut seen = None;
    for name in ["one", "two"] {
        let entry = ("greeter", &fixture.greeter, None);
        assert!(ledger.approve(entry, seen.as_ref(), &Grants::ALL, variant(name)).unwrap());
        seen = Some(Grants::ALL);
    }
    let record = ledger.record("greeter").unwrap().unwrap();
    let [approval] = record.approved.as_slice() else { panic!("{record:?}") };
    let mut instructions = approval.variant.instructions.clone();
    instructions.sort();
    assert_eq!(instructions, ["use one", "use two"]);
    assert_eq!(approval.variant.items.len(), 2);
    assert!(fixture.is_approved(PLACE, "greeter"), "whatever else it declares");
}

/// Approvals of an older facet, as if they had been given where the project lies now.
struct Older {
    written: Written,
    project: Project,
    folder: PathBuf,
}

impl Older {
    fn new() -> Self {
        let written = Written::by("2f02447", "settled");
        let folder = written.folder.path().join("home/approvals");
        let project = Project::at(&written.project(), written.user()).unwrap();
        let was = written.place.to_str().unwrap();
        let here = project.place().to_str().unwrap();
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let text = fs::read_to_string(&path).unwrap().replace(was, here);
            fs::remove_file(&path).unwrap();
            write_older(&folder, &text);
        }
        Self { written, project, folder }
    }

    fn greeter(&self) -> LockedServer {
        self.written.lock().server("greeter").unwrap().clone()
    }

    /// What was decided when the project is first read.
    fn taken_over(&self) -> Option<Grants> {
        self.project.read(&|_| false).unwrap();
        let ledger = self.project.ledger().unwrap();
        let approval = ledger.approval("greeter", &self.greeter(), None).unwrap();
        let grants = ledger.grants("greeter").unwrap();
        assert_eq!(approval.is_some(), grants.is_some());
        grants
    }
}

fn write_older(folder: &Path, text: &str) -> PathBuf {
    let mut hasher = Hasher::with_domain("approval");
    hasher.update(text.as_bytes());
    let path = folder.join(hasher.finish().hex());
    fs::write(&path, text).unwrap();
    path
}

#[test]
fn an_older_approval_counts_with_its_grants() {
    let older = Older::new();
    assert_eq!(older.taken_over(), Some(older.greeter().grants));
    // One for an address was for every project, and ends with that.
    assert_eq!(fs::read_dir(&older.folder).unwrap().count(), 2);
}

#[test]
fn an_older_approval_that_is_not_as_its_name_says_does_not_count() {
    let older = Older::new();
    for entry in fs::read_dir(&older.folder).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text + " ").unwrap();
    }
    assert_eq!(older.taken_over(), None);
}

#[test]
fn older_approvals_that_were_ended_do_not_come_back() {
    let older = Older::new();
    older.project.ledger().unwrap().ignore_older().unwrap();
    assert_eq!(older.taken_over(), None);
    let older = Older::new();
    Ledger::end_all_older(&older.written.user()).unwrap();
    assert_eq!(fs::read_dir(&older.folder).unwrap().count(), 0);
    assert_eq!(older.taken_over(), None);
}

#[test]
fn without_older_approvals_reading_a_project_makes_no_ledger() {
    let fixture = Fixture::new();
    let written = &fixture.written;
    Project::at(&written.project(), written.user()).unwrap().read(&|_| false).unwrap();
    assert!(!written.folder.path().join("home").exists());
}

/// The newest decision on the same start in the same place, and of equally old ones what all allow.
#[test]
fn grants_of_older_approvals_are_those_of_the_newest() {
    let older = Older::new();
    let launch = older.greeter().launch_digest().to_string();
    let own = |path: &PathBuf| fs::read_to_string(path).unwrap().contains(&launch);
    let mut entries = fs::read_dir(&older.folder).unwrap().map(|entry| entry.unwrap().path());
    let path = entries.find(own).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let at = |path: &Path, seconds: u64| {
        let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
        fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
    };
    let with = |from: &str, to: &str| {
        let changed = text.replace(from, to);
        assert_ne!(changed, text);
        write_older(&older.folder, &changed)
    };
    at(&path, 20);
    // Older, of another start, and of another place: none of them is asked.
    at(&with("\"sampling\":true", "\"sampling\":false"), 10);
    at(&with(&launch, &Digest::of(b"another").to_string()), 40);
    at(&with("\"directory\":\"", "\"directory\":\"/elsewhere"), 40);
    // Newer, and two of them.
    at(&with("\"elicitation\":true", "\"elicitation\":false"), 30);
    at(&with("\"filesystem\":\"all\"", "\"filesystem\":\"none\""), 30);
    let expected =
        Grants { elicitation: false, filesystem: Extent::None, ..older.greeter().grants };
    assert_eq!(older.taken_over(), Some(expected));
}
