//! Every tampering is found by the right check, and nothing is stored.

use std::fs::File;

use facets_archive::{ArchiveLimits, SourceTree, pack_facet};
use facets_digest::Digest;
use facets_model::tree::ManifestFormat;
use facets_registry_client::WantedVersion;

use super::fake_registry::{FakeRegistry, FakeVersion, Served};
use super::world::{Made, World, facet, locked, of_registry, server, spec, why};
use crate::acquiring::ServerWish;

fn demo(version: &str) -> Made {
    facet("demo", version, "Go.\n")
}

/// A registry with one version of a facet, which does something wrong.
fn registry_that(change: impl Fn(&mut FakeVersion)) -> FakeRegistry {
    let registry = FakeRegistry::start();
    registry.publish(&demo("1.0.0"));
    registry.change("1.0.0", change);
    registry
}

/// Why a new, and why a locked facet is refused.
fn refusals(change: impl Fn(&mut FakeVersion)) -> [String; 2] {
    let registry = registry_that(change);
    let queries = [spec("1.0.0"), locked(&demo("1.0.0"), of_registry(&registry.url()))];
    queries.map(|query| {
        let world = World::new(Some(&registry.url()));
        let refused = why(world.facet("demo", query));
        assert_eq!(world.stored(), 0, "nothing is stored");
        refused
    })
}

fn flipped(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[700] ^= 1;
    bytes
}

#[test]
fn a_byte_that_changed_in_transit_is_found_by_the_transport_check() {
    let change =
        |entry: &mut FakeVersion| entry.served = Served::Bytes(flipped(&entry.made.archive));
    assert_eq!(refusals(change), ["install-mismatch transport"; 2]);
}

#[test]
fn the_archive_of_another_version_is_found() {
    let other = demo("2.0.0").archive;
    let sent = |entry: &mut FakeVersion| entry.served = Served::Bytes(other.clone());
    assert_eq!(refusals(sent), ["install-mismatch transport"; 2]);
    // With hashes that fit, the name and version inside give it away, or the lock does.
    let stated = |other: &Made| {
        let other = other.clone();
        move |entry: &mut FakeVersion| {
            entry.made.integrity = other.integrity;
            entry.made.content_hash = other.content_hash;
            entry.served = Served::Bytes(other.archive.clone());
        }
    };
    let expected = ["install-mismatch content", "install-mismatch lockfile"];
    assert_eq!(refusals(stated(&demo("2.0.0"))), expected);
    assert_eq!(refusals(stated(&facet("another", "1.0.0", "Go.\n"))), expected);
}

#[test]
fn a_wrong_integrity_is_found_by_the_content_check_and_a_locked_one_by_the_lockfile_check() {
    let change = |entry: &mut FakeVersion| entry.made.integrity = Digest::of(b"other");
    assert_eq!(refusals(change), ["install-mismatch content", "install-mismatch lockfile"]);
}

#[test]
fn a_body_that_ends_early_or_never_is_given_up() {
    let half = |entry: &mut FakeVersion| entry.served = Served::Half(entry.made.archive.clone());
    assert_eq!(refusals(half), ["registry-unreachable"; 2]);
    let endless = |entry: &mut FakeVersion| entry.served = Served::Endless;
    assert_eq!(refusals(endless), ["registry-too-large"; 2]);
}

#[test]
fn a_body_that_stalls_or_drips_is_given_up() {
    for (served, code) in [
        (Served::Stalled(demo("1.0.0").archive), "registry-unreachable"),
        (Served::Dripping, "registry-too-slow"),
    ] {
        let registry = registry_that(|entry| entry.served = served.clone());
        let mut world = World::new(Some(&registry.url()));
        world.patience = std::time::Duration::from_millis(250);
        assert_eq!(why(world.facet("demo", spec("1.0.0"))), code);
        assert_eq!(world.stored(), 0, "nothing is stored");
    }
}

#[test]
fn a_body_that_is_cut_off_is_asked_for_again() {
    let registry = registry_that(|entry| entry.served = Served::Half(entry.made.archive.clone()));
    let world = World::new(Some(&registry.url()));
    assert_eq!(why(world.facet("demo", spec("1.0.0"))), "registry-unreachable");
    assert_eq!(registry.downloads(), 3);
}

#[test]
fn a_bomb_is_refused_by_the_rule_that_it_breaks() {
    let folder = tempfile::tempdir().unwrap();
    super::world::write_facet(folder.path(), "demo", "1.0.0", "Go.\n");
    let zeros = File::create(folder.path().join("data.bin")).unwrap();
    zeros.set_len(ArchiveLimits::SPEC.ratio_from + (1 << 20)).unwrap();
    let tree = SourceTree::open(folder.path()).unwrap();
    let mut archive = Vec::new();
    let packed = pack_facet(&tree, ManifestFormat::Json, &ArchiveLimits::SPEC, &mut archive);
    let index = packed.unwrap().index;
    let made = Made {
        name: "demo".to_owned(),
        version: "1.0.0".to_owned(),
        integrity: index.integrity,
        content_hash: index.content_hash,
        archive,
    };
    let registry = FakeRegistry::start();
    registry.publish(&made);
    let world = World::new(Some(&registry.url()));
    assert_eq!(why(world.facet("demo", spec("1.0.0"))), "archive-ratio");
    assert_eq!(world.stored(), 0);
}

#[test]
fn a_lock_that_pins_other_bytes_is_found_by_the_lockfile_check() {
    let registry = registry_that(|_| {});
    let (good, other) = (demo("1.0.0"), facet("demo", "1.0.0", "Stop.\n"));
    let world = World::new(Some(&registry.url()));
    for wrong in [
        Made { integrity: other.integrity, ..good.clone() },
        Made { content_hash: other.content_hash, ..good.clone() },
    ] {
        let query = locked(&wrong, of_registry(&registry.url()));
        assert_eq!(why(world.facet("demo", query)), "install-mismatch lockfile");
    }
    assert_eq!(world.stored(), 0);
    // Also where the bytes are stored already.
    world.facet("demo", spec("1.0.0")).unwrap();
    let wrong = Made { integrity: other.integrity, ..good };
    let query = locked(&wrong, of_registry(&registry.url()));
    assert_eq!(why(world.facet("demo", query)), "install-mismatch lockfile");
}

#[test]
fn an_older_list_is_refused_unless_what_was_seen_is_yanked() {
    let registry = FakeRegistry::start();
    for version in ["1.0.0", "1.1.0", "1.2.0"] {
        registry.publish(&demo(version));
    }
    let world = World::new(Some(&registry.url()));
    world.facet("demo", spec("*")).unwrap();
    registry.change("1.2.0", |entry| entry.is_hidden = true);
    for wanted in ["*", "1.*"] {
        assert_eq!(why(world.facet("demo", spec(wanted))), "rollback", "{wanted}");
    }
    // What was seen is not what is asked for.
    world.facet("demo", spec("1.1.*")).unwrap();
    world.facet("demo", spec("1.0.0")).unwrap();
    // Another user has not seen it.
    World::new(Some(&registry.url())).facet("demo", spec("*")).unwrap();
    registry.change("1.2.0", |entry| entry.is_yanked = true);
    let found = world.facet("demo", spec("*")).unwrap();
    assert_eq!(found.resolved.version.to_string(), "1.1.0");
}

#[test]
fn a_version_that_disappears_is_a_rollback() {
    let registry = FakeRegistry::start();
    for version in ["1.0.0", "1.2.0"] {
        registry.publish(&demo(version));
    }
    let world = World::new(Some(&registry.url()));
    world.facet("demo", spec("*")).unwrap();
    registry.change("1.2.0", |entry| entry.made.name = "elsewhere".to_owned());
    assert_eq!(why(world.facet("demo", spec("*"))), "rollback");
    world.with(|acquirer| {
        let name = "demo".parse().unwrap();
        let spec = facets_model::manifest::VersionSpec::Latest;
        assert_eq!(why(acquirer.latest_facet(&name, &spec, None)), "rollback");
    });
}

#[test]
fn other_bytes_for_a_version_that_was_seen_are_refused() {
    let registry = registry_that(|_| {});
    let world = World::new(Some(&registry.url()));
    world.facet("demo", spec("1.0.0")).unwrap();
    let moved = facet("demo", "1.0.0", "Stop.\n");
    registry.change("1.0.0", |entry| {
        entry.made = moved.clone();
        entry.served = Served::Bytes(moved.archive.clone());
    });
    for wanted in ["1.0.0", "*"] {
        assert_eq!(why(world.facet("demo", spec(wanted))), "content-changed", "{wanted}");
    }
    let query = locked(&moved, of_registry(&registry.url()));
    assert_eq!(why(world.facet("demo", query)), "content-changed");
}

#[test]
fn what_failed_is_not_remembered() {
    let registry = FakeRegistry::start();
    registry.publish(&demo("1.0.0"));
    registry.publish(&demo("1.2.0"));
    registry.change("1.2.0", |entry| entry.served = Served::Bytes(flipped(&entry.made.archive)));
    let world = World::new(Some(&registry.url()));
    assert_eq!(why(world.facet("demo", spec("*"))), "install-mismatch transport");
    registry.change("1.2.0", |entry| entry.is_hidden = true);
    assert_eq!(world.facet("demo", spec("*")).unwrap().resolved.version.to_string(), "1.0.0");
}

#[test]
fn the_same_checks_hold_for_servers() {
    let wish = || ServerWish::Resolve {
        artifact: "jira".parse().unwrap(),
        wanted: WantedVersion::AtLeast("1.0.0".parse().unwrap()),
        pinned: None,
        near: None,
    };
    let refusal = |change: &dyn Fn(&mut FakeVersion)| {
        let registry = FakeRegistry::start();
        registry.publish(&server("jira", "1.0.0"));
        registry.change("1.0.0", change);
        let world = World::new(Some(&registry.url()));
        let refused = why(world.server(wish()));
        assert_eq!(world.stored(), 0);
        refused
    };
    let other = server("jira", "2.0.0");
    let bytes = |entry: &mut FakeVersion| entry.served = Served::Bytes(other.archive.clone());
    assert_eq!(refusal(&bytes), "install-mismatch transport");
    let integrity = |entry: &mut FakeVersion| entry.made.integrity = other.integrity;
    assert_eq!(refusal(&integrity), "install-mismatch content");
    let stated = |entry: &mut FakeVersion| {
        let version = entry.made.version.clone();
        entry.made = Made { version, ..other.clone() };
        entry.served = Served::Bytes(other.archive.clone());
    };
    assert_eq!(refusal(&stated), "install-mismatch content");
    let half = |entry: &mut FakeVersion| entry.served = Served::Half(entry.made.archive.clone());
    assert_eq!(refusal(&half), "registry-unreachable");
}

#[test]
fn a_registry_that_is_down_is_a_clear_error() {
    let url = FakeRegistry::start().url();
    let world = World::new(Some(&url));
    assert_eq!(why(world.facet("demo", spec("1.0.0"))), "registry-unreachable");
}
