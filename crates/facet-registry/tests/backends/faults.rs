//! Services that fail and come back. Each has services of its own: the others are used by other tests.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use facets_testkit::{ObjectStorage, Postgres};

use crate::backend::Site;
use crate::node::Node;
use crate::support::{Reply, wait_until};
use crate::verifying::{Sent, verify_all};

/// A flag with which every read asks the store.
const NO_CACHE: [&str; 2] = ["--cache-size", "1"];

/// How often facets are published all the time.
const PAUSE: Duration = Duration::from_millis(50);

/// A client that publishes one facet after the other, whatever happens.
#[derive(Default)]
struct Publisher {
    sent: Mutex<Vec<Sent>>,
    refused: AtomicUsize,
    is_done: AtomicBool,
}

impl Publisher {
    fn run(&self, node: &Node, token: &str) {
        for number in 0.. {
            if self.is_done.load(Ordering::Relaxed) {
                return;
            }
            let mut one = Sent::facet("demo", format!("1.0.{number}"), &format!("text {number}"));
            let reply = one.publish(node, token).unwrap();
            one.acknowledged = reply.status == 201;
            if !one.acknowledged {
                require_unavailable(&reply);
                self.refused.fetch_add(1, Ordering::Relaxed);
            }
            self.sent.lock().unwrap().push(one);
            thread::sleep(PAUSE);
        }
    }

    /// Waits until the registry has published another facet.
    fn wait_for_success(&self) {
        let count = || self.sent.lock().unwrap().iter().filter(|one| one.acknowledged).count();
        let before = count();
        wait_until("facets are published", || count() > before);
    }

    /// Waits until the registry has refused another facet.
    fn wait_for_refusal(&self) {
        let before = self.refused.load(Ordering::Relaxed);
        wait_until("facets are refused", || self.refused.load(Ordering::Relaxed) > before);
    }
}

/// Ends the publisher, also when the test fails: its thread is waited for.
struct DoneOnDrop<'p>(&'p Publisher);

impl Drop for DoneOnDrop<'_> {
    fn drop(&mut self) {
        self.0.is_done.store(true, Ordering::Relaxed);
    }
}

/// The registry waits for something, and says when to try again.
fn require_unavailable(reply: &Reply) {
    assert_eq!((reply.status, &*reply.code()), (503, "E_UNAVAILABLE"));
    let seconds = reply.header("retry-after").unwrap();
    assert!(seconds.parse::<u32>().unwrap() > 0, "{seconds}");
}

/// The process lives, and says what it waits for. It asks itself every second only.
fn require_not_ready(node: &Node, part: &str) {
    wait_until("the registry is not ready", || {
        let ready = node.get("/health/ready");
        ready.status == 503 && ready.json()[part] == "unavailable"
    });
    assert_eq!(node.get("/health/live").status, 200);
}

/// Publishes facets while something fails, is looked at, and comes back.
fn publish_through(site: &Site, node: &Node, outage: impl FnOnce(&Publisher)) {
    let token = site.token("acme");
    let publisher = Publisher::default();
    thread::scope(|scope| {
        let _done = DoneOnDrop(&publisher);
        scope.spawn(|| publisher.run(node, &token));
        publisher.wait_for_success();
        outage(&publisher);
        publisher.wait_for_success();
    });
    wait_until("the registry is ready again", || node.get("/health/ready").status == 200);
    let sent = publisher.sent.into_inner().unwrap();
    let visible = verify_all(node, &sent);
    assert_eq!(site.checked_versions(), visible as u64);
    site.report(&["gc", "--older-than", "0"]);
    assert_eq!(site.checked_versions(), visible as u64);
}

#[test]
fn a_blob_store_that_fails_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let Some(mut storage) = ObjectStorage::start(folder.path()) else { return };
    let site = Site::new(None, Some(storage.url("outage")));
    let node = Node::start(&site, &NO_CACHE);
    publish_through(&site, &node, |publisher| {
        storage.kill();
        publisher.wait_for_refusal();
        require_not_ready(&node, "blobs");
        require_unavailable(&node.get("/v0/facets/demo/1.0.0/archive"));
        assert_eq!(node.document("/v0/facets/demo/1.0.0")["version"], "1.0.0");
        storage.resume();
        // It answers before it finds its volumes.
        let archive = || node.get("/v0/facets/demo/1.0.0/archive").status;
        wait_until("archives are read again", || archive() == 200);
    });
}

#[test]
fn a_database_that_fails_is_waited_for() {
    let Some(postgres) = Postgres::start() else { return };
    let site = Site::new(Some(postgres.create_database("outage")), None);
    let node = Node::start(&site, &[]);
    publish_through(&site, &node, |publisher| {
        postgres.crash();
        publisher.wait_for_refusal();
        require_not_ready(&node, "catalog");
        for path in ["/v0/facets", "/v0/facets/demo/1.0.0", "/v0/facets/demo/1.0.0/archive"] {
            require_unavailable(&node.get(path));
        }
        postgres.restart();
        wait_until("the list is read again", || node.get("/v0/facets").status == 200);
    });
}
