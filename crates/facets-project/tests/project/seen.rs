//! Versions that were seen are remembered, by all facets of a user.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;

use facets_digest::Digest;
use facets_project::{ProjectError, Seen, SeenVersion, UserDirectory};

const REGISTRY: &str = "https://registry.example.com";

fn hashes(of: &str) -> SeenVersion {
    SeenVersion { integrity: Digest::of(of.as_bytes()), content_hash: None }
}

fn with_bytes(of: &str, bytes: &str) -> SeenVersion {
    SeenVersion { content_hash: Some(Digest::of(bytes.as_bytes())), ..hashes(of) }
}

/// The one record below a folder.
fn record(user: &std::path::Path) -> PathBuf {
    let registry = fs::read_dir(user.join("seen")).unwrap().next().unwrap().unwrap().path();
    let mut files = fs::read_dir(registry).unwrap().map(|entry| entry.unwrap().path());
    files.find(|path| path.extension().is_some_and(|end| end == "json")).unwrap()
}

#[test]
fn what_was_seen_of_a_name_is_of_that_name_kind_and_registry() {
    let folder = tempfile::tempdir().unwrap();
    let user = UserDirectory::at(folder.path().join("home"));
    let seen = Seen::of(&user, REGISTRY);
    assert!(seen.versions("facets", "demo").unwrap().versions.is_empty());
    assert!(!folder.path().join("home").exists(), "looking makes nothing");
    for version in ["1.10.0", "1.9.0", "2.0.0-rc.1"] {
        let version = version.parse().unwrap();
        assert!(seen.remember("facets", "demo", &version, &hashes("a")).unwrap());
    }
    let versions = seen.versions("facets", "demo").unwrap();
    assert_eq!(versions.versions.len(), 3);
    assert_eq!(versions.highest().unwrap().to_string(), "2.0.0-rc.1");
    assert!(seen.versions("servers", "demo").unwrap().versions.is_empty());
    assert!(seen.versions("facets", "other").unwrap().versions.is_empty());
    let other = Seen::of(&user, "https://other.example.com");
    assert!(other.versions("facets", "demo").unwrap().versions.is_empty());
    let mode = fs::metadata(record(&folder.path().join("home"))).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn the_first_hashes_of_a_version_stay() {
    let folder = tempfile::tempdir().unwrap();
    let seen = Seen::of(&UserDirectory::at(folder.path().join("home")), REGISTRY);
    let version = "1.0.0".parse().unwrap();
    let remember =
        |hashes: &SeenVersion| seen.remember("facets", "demo", &version, hashes).unwrap();
    assert!(remember(&hashes("a")));
    assert!(!remember(&hashes("b")));
    assert!(remember(&with_bytes("a", "x")), "more is known now");
    assert!(remember(&hashes("a")));
    assert!(!remember(&with_bytes("a", "y")));
    let known = &seen.versions("facets", "demo").unwrap().versions[&version];
    assert_eq!(*known, with_bytes("a", "x"));
}

#[test]
fn a_record_that_facet_did_not_write_is_an_error_and_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    let seen = Seen::of(&UserDirectory::at(home.clone()), REGISTRY);
    let version = "1.0.0".parse().unwrap();
    seen.remember("facets", "demo", &version, &with_bytes("a", "x")).unwrap();
    let path = record(&home);
    let text = fs::read_to_string(&path).unwrap();
    for (from, to) in [
        ("\"seenVersion\":1", "\"seenVersion\":2"),
        ("registry.example", "other.example"),
        ("\"facets\"", "\"servers\""),
        ("\"demo\"", "\"other\""),
        ("\"1.0.0\"", "\"one\""),
        ("sha256:", "md5:"),
        ("{\"integrity\"", "{\"hash\""),
        (":\"sha256", ":1,\"x\":\"sha256"),
    ] {
        let changed = text.replace(from, to);
        assert_ne!(changed, text, "{from}");
        fs::write(&path, &changed).unwrap();
        let refused = seen.versions("facets", "demo").unwrap_err();
        assert!(matches!(refused, ProjectError::Seen { .. }), "{from}: {refused:?}");
        assert!(seen.remember("facets", "demo", &version, &hashes("a")).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), changed);
    }
    fs::write(&path, &text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
    let refused = seen.versions("facets", "demo").unwrap_err();
    assert!(matches!(refused, ProjectError::Untrusted { .. }), "{refused:?}");
    let aside = folder.path().join("aside");
    fs::rename(&path, &aside).unwrap();
    symlink(&aside, &path).unwrap();
    let refused = seen.versions("facets", "demo").unwrap_err();
    assert!(matches!(refused, ProjectError::Untrusted { .. }), "{refused:?}");
}

#[test]
fn facets_that_remember_at_once_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let user = UserDirectory::at(folder.path().join("home"));
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let seen = Seen::of(&user, REGISTRY);
            scope.spawn(move || {
                for number in 0..10 {
                    let version = format!("{thread}.{number}.0").parse().unwrap();
                    assert!(seen.remember("facets", "demo", &version, &hashes("a")).unwrap());
                }
            });
        }
    });
    let seen = Seen::of(&user, REGISTRY).versions("facets", "demo").unwrap();
    assert_eq!(seen.versions.len(), 40);
}
