//! What operators do: check, collect, back up.

use bytes::Bytes;
use facets_digest::Digest;

use crate::backend::{Backend, Site, on_both};
use crate::node::{FACETS, Node};
use crate::support::facet;

#[test]
fn collection_removes_orphans_and_nothing_else() {
    on_both(collect);
}

fn collect(backend: &Backend) {
    let site = backend.site();
    let (node, token) = (Node::start(&site, &[]), site.token("acme"));
    let archive = facet("demo", "1.0.0", "text");
    node.publish_new((FACETS, "demo"), &archive, &token);
    // Refused at the very end, after its archive was stored.
    let similar = facet("dem0", "1.0.0", "text");
    let refused = node.publish((FACETS, "dem0"), &similar, &site.token("other"));
    assert_eq!((refused.status, &*refused.code()), (403, "E_NAME_TOO_SIMILAR"));
    plant(&site, Bytes::from_static(b"a publish that was killed"));
    let young = site.report(&["gc"]);
    assert_eq!((&young["removed"], &young["kept"]), (&0.into(), &3.into()));
    assert_eq!(site.checked_versions(), 1);
    assert_eq!(site.collect(2), 1);
    assert_eq!(site.checked_versions(), 1);
    // A process that has nothing in memory.
    let fresh = Node::start(&site, &[]);
    assert_eq!(fresh.get("/v0/facets/demo/1.0.0/archive").body, archive);
    // What was collected can be published, also by the process that stored it before.
    node.publish_new((FACETS, "dem0"), &similar, &token);
    assert_eq!(site.checked_versions(), 2);
}

/// Stores a blob that the catalog does not know.
fn plant(site: &Site, bytes: Bytes) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let blobs = site.open_blobs();
    runtime.block_on(blobs.put_bytes(&Digest::of(&bytes), bytes)).unwrap();
}

#[test]
fn a_registry_starts_on_its_backup() {
    on_both(back_up);
}

fn back_up(backend: &Backend) {
    let site = backend.site();
    let (node, token) = (Node::start(&site, &[]), site.token("acme"));
    let archive = facet("demo", "1.0.0", "text");
    let document = node.publish_new((FACETS, "demo"), &archive, &token);
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("data");
    let words = ["backup", target.to_str().unwrap()];
    if site.database().is_some() {
        let refused = site.run(&words);
        assert_eq!(refused.exit, 2, "{}", refused.stderr);
        assert!(refused.stderr.contains("pg_dump"), "{}", refused.stderr);
        return;
    }
    assert_eq!(site.report(&words)["blobs"], 1);
    node.publish_new((FACETS, "demo"), &facet("demo", "2.0.0", "later"), &token);
    drop(node);
    let saved = Site::restored(folder);
    let node = Node::start(&saved, &[]);
    assert_eq!(node.document("/v0/facets/demo/latest"), document);
    assert_eq!(node.get("/v0/facets/demo/1.0.0/archive").body, archive);
    // Tokens and owners are in it, too.
    node.publish_new((FACETS, "demo"), &facet("demo", "1.1.0", "next"), &token);
    assert_eq!(saved.checked_versions(), 2);
}
