//! Facets and servers of an honest registry.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;

use facets_failure::Describe as _;
use facets_lock::LockedFacetSource;
use facets_model::ArtifactPath;
use facets_model::manifest::{FacetSource, VersionSpec};
use facets_plan::FacetQuery;
use facets_registry_client::{PublishedKind, WantedVersion};

use super::fake_registry::FakeRegistry;
use super::world::{World, facet, locked, of_registry, server, spec, why};
use crate::acquiring::ServerWish;
use crate::acquiring::comparing::LockedBytes;
use crate::acquiring::registry_ask::RegistryAsk;

fn registry_with(versions: &[&str]) -> FakeRegistry {
    let registry = FakeRegistry::start();
    for version in versions {
        registry.publish(&facet("@acme/demo", version, "Go.\n"));
    }
    registry
}

fn floor(text: &str) -> ServerWish {
    ServerWish::Resolve {
        artifact: "jira".parse().unwrap(),
        wanted: WantedVersion::AtLeast(text.parse().unwrap()),
        pinned: None,
        near: None,
    }
}

#[test]
fn a_facet_is_resolved_read_and_stored_with_all_its_files() {
    let registry = registry_with(&["1.0.0", "1.2.0", "1.10.0", "2.0.0"]);
    let world = World::new(Some(&registry.url()));
    for (wanted, version) in
        [("1.0.0", "1.0.0"), ("1.2.*", "1.2.0"), ("1.*", "1.10.0"), ("*", "2.0.0")]
    {
        let found = world.facet("@acme/demo", spec(wanted)).unwrap();
        assert_eq!(found.resolved.version.to_string(), version, "{wanted}");
        assert_eq!(found.resolved.source, of_registry(&registry.url()));
        let made = facet("@acme/demo", version, "Go.\n");
        assert_eq!(found.resolved.integrity, made.integrity);
        assert_eq!(found.resolved.content_hash, Some(made.content_hash));
        let paths: Vec<&str> = found.contents.keys().map(ArtifactPath::as_str).collect();
        assert_eq!(paths, ["commands/go.md", "data.bin", "facet.json"]);
        assert_eq!(found.contents[&"data.bin".parse().unwrap()], b"\xff\x00\xfe");
        assert_eq!(found.resolved.files.len(), 3);
    }
    assert_eq!((world.stored(), registry.downloads()), (4, 4));
    assert_eq!(why(world.facet("@acme/demo", spec("3.*"))), "registry-not-found");
}

#[test]
fn what_is_locked_and_stored_needs_no_registry() {
    let registry = registry_with(&["1.0.0"]);
    let made = facet("@acme/demo", "1.0.0", "Go.\n");
    let query = || locked(&made, of_registry(&registry.url()));
    let mut world = World::new(None);
    world.is_offline = true;
    let missing = world.facet("@acme/demo", query()).unwrap_err();
    assert_eq!(missing.code(), "offline");
    assert_eq!(missing.to_string(), "facet @acme/demo 1.0.0 is not stored on this machine");
    assert!(registry.requests().is_empty());
    world.is_offline = false;
    world.facet("@acme/demo", query()).unwrap();
    let asked = registry.requests().len();
    world.is_offline = true;
    let found = world.facet("@acme/demo", query()).unwrap();
    assert_eq!(found.resolved.source, of_registry(&registry.url()));
    assert_eq!(registry.requests().len(), asked);
    assert_eq!(why(world.facet("@acme/demo", spec("1.0.0"))), "registry-not-configured");
}

#[test]
fn another_registry_than_the_locked_one_is_refused_until_it_is_accepted() {
    let (first, second) = (registry_with(&["1.0.0"]), registry_with(&["1.0.0"]));
    let made = facet("@acme/demo", "1.0.0", "Go.\n");
    let query = || locked(&made, of_registry(&first.url()));
    let mut world = World::new(Some(&second.url()));
    assert_eq!(why(world.facet("@acme/demo", query())), "registry-changed");
    let moved = || FacetQuery::Resolve {
        source: FacetSource::Registry(VersionSpec::Latest),
        registry: Some(first.url().parse().unwrap()),
    };
    assert_eq!(why(world.facet("@acme/demo", moved())), "registry-changed");
    assert!(first.requests().is_empty() && second.requests().is_empty());
    world.accepts_other_registry = true;
    let found = world.facet("@acme/demo", query()).unwrap();
    assert_eq!(found.resolved.source, of_registry(&second.url()));
    world.facet("@acme/demo", moved()).unwrap();
    assert!(first.requests().is_empty());
    // Where none is configured, the locked one is asked.
    world.registry = None;
    world.empty_store();
    let found = world.facet("@acme/demo", query()).unwrap();
    assert_eq!(found.resolved.source, of_registry(&first.url()));
}

#[test]
fn a_modified_copy_in_the_store_is_fetched_again() {
    let registry = registry_with(&["1.0.0"]);
    let made = facet("@acme/demo", "1.0.0", "Go.\n");
    let mut world = World::new(None);
    let query = || locked(&made, of_registry(&registry.url()));
    world.facet("@acme/demo", query()).unwrap();
    let modify = || {
        let path = world.store().get_file(&made.content_hash).unwrap().unwrap().path().to_owned();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        let mut bytes = fs::read(&path).unwrap();
        bytes[600] ^= 1;
        fs::write(&path, bytes).unwrap();
    };
    modify();
    world.facet("@acme/demo", query()).unwrap();
    assert_eq!(registry.downloads(), 2);
    assert_eq!(world.notes.0.lock().unwrap().len(), 1);
    modify();
    world.is_offline = true;
    assert_eq!(why(world.facet("@acme/demo", query())), "store-tampered");
}

#[test]
fn many_facets_are_fetched_once_each_however_many_ask() {
    let registry = FakeRegistry::start();
    let names: Vec<String> = (0..20).map(|number| format!("demo-{number}")).collect();
    for name in &names {
        registry.publish(&facet(name, "1.0.0", "Go.\n"));
    }
    let world = World::new(Some(&registry.url()));
    let queries: BTreeMap<_, _> =
        names.iter().map(|name| (name.parse().unwrap(), spec("latest"))).collect();
    std::thread::scope(|scope| {
        for _ in 0..5 {
            scope.spawn(|| {
                world.with(|acquirer| assert_eq!(acquirer.facets(&queries).unwrap().len(), 20))
            });
        }
    });
    assert_eq!((registry.downloads(), world.stored()), (20, 20));
}

#[test]
fn a_server_is_the_highest_release_at_or_above_its_floor() {
    let registry = FakeRegistry::start();
    for version in ["1.0.0", "1.4.0", "2.1.0", "2.1.5", "2.2.0-rc.1"] {
        registry.publish(&server("jira", version));
    }
    registry.change("2.1.5", |entry| entry.is_yanked = true);
    let world = World::new(Some(&registry.url()));
    let found = world.server(floor("1.0.0")).unwrap();
    assert_eq!(found.archive.manifest.version.to_string(), "2.1.0");
    let document = found.document.unwrap();
    assert_eq!(document.content_hash, server("jira", "2.1.0").content_hash);
    assert!(world.store().get_file(&document.content_hash).unwrap().is_some());
    assert_eq!(found.registry.as_str(), registry.url());
    let candidate = world.server(floor("2.2.0-rc.1")).unwrap();
    assert_eq!(candidate.archive.manifest.version.to_string(), "2.2.0-rc.1");
}

#[test]
fn a_locked_server_needs_its_registry_once() {
    let registry = FakeRegistry::start();
    let made = server("jira", "1.4.0");
    registry.publish(&made);
    registry.publish(&server("jira", "2.0.0"));
    let mut world = World::new(None);
    let url = registry.url().parse().unwrap();
    let locked = |integrity| LockedBytes {
        version: "1.4.0".parse().unwrap(),
        integrity,
        content_hash: Some(made.content_hash),
    };
    let acquire = |world: &World, locked: &LockedBytes| {
        let ask = RegistryAsk {
            kind: PublishedKind::Server,
            name: &"jira".parse().unwrap(),
            wanted: &WantedVersion::Exact(locked.version.clone()),
            locked: Some(locked),
            pinned: Some(&url),
            near: None,
        };
        world.with(|acquirer| acquirer.locked_server(0, &ask, locked))
    };
    let (good, wrong) = (locked(made.integrity), locked(made.content_hash));
    assert_eq!(why(acquire(&world, &wrong)), "install-mismatch lockfile");
    world.is_offline = true;
    assert_eq!(why(acquire(&world, &good)), "offline");
    world.is_offline = false;
    assert!(acquire(&world, &good).unwrap().document.is_some());
    world.is_offline = true;
    let found = acquire(&world, &good).unwrap();
    assert_eq!(found.archive.index.content_hash, made.content_hash);
    assert!(found.document.is_none());
    assert_eq!(why(acquire(&world, &wrong)), "install-mismatch lockfile");
    assert_eq!(registry.downloads(), 1);
}

#[test]
fn only_documents_are_fetched_to_see_what_is_new() {
    let registry = registry_with(&["1.0.0", "1.2.0"]);
    registry.publish(&server("jira", "1.4.0"));
    let world = World::new(Some(&registry.url()));
    world.with(|acquirer| {
        let (name, other) = ("@acme/demo".parse().unwrap(), "other".parse().unwrap());
        let facet = acquirer.latest_facet(&name, &VersionSpec::Prefix(vec![1]), None).unwrap();
        assert_eq!(facet.unwrap().version.to_string(), "1.2.0");
        assert!(acquirer.latest_facet(&other, &VersionSpec::Latest, None).unwrap().is_none());
        let latest = WantedVersion::Latest;
        let server = acquirer.latest_server(&"jira".parse().unwrap(), &latest, None).unwrap();
        assert_eq!(server.unwrap().version.to_string(), "1.4.0");
        assert!(acquirer.latest_server(&name, &latest, None).unwrap().is_none());
    });
    assert_eq!(registry.downloads(), 0);
}

#[test]
fn no_token_goes_to_a_registry_that_only_a_lock_names() {
    let registry = Arc::new(registry_with(&["1.0.0"]));
    let made = facet("@acme/demo", "1.0.0", "Go.\n");
    World::new(None).facet("@acme/demo", locked(&made, of_registry(&registry.url()))).unwrap();
    assert!(registry.requests().iter().all(|one| !one.headers.contains_key("authorization")));
}

#[test]
fn a_local_facet_is_built_from_the_project_each_time() {
    let world = World::new(None);
    super::world::write_facet(&world.project().join("facets/loc"), "loc", "1.0.0", "Go.\n");
    let resolve = || FacetQuery::Resolve {
        source: FacetSource::Local("facets/loc".parse().unwrap()),
        registry: None,
    };
    let found = world.facet("loc", resolve()).unwrap();
    let source = LockedFacetSource::Local { path: "./facets/loc".to_owned() };
    assert_eq!(found.resolved.source, source);
    let made = facet("loc", "1.0.0", "Go.\n");
    assert_eq!(found.resolved.integrity, made.integrity);
    world.facet("loc", locked(&made, source.clone())).unwrap();
    assert_eq!(why(world.facet("other", resolve())), "install-mismatch content");
    super::world::write_facet(&world.project().join("facets/loc"), "loc", "1.0.0", "Stop.\n");
    assert_eq!(why(world.facet("loc", locked(&made, source))), "install-mismatch lockfile");
    assert_ne!(world.facet("loc", resolve()).unwrap().resolved.integrity, made.integrity);
}
