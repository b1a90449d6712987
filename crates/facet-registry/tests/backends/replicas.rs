//! Two processes on one database and one bucket.

use std::thread;
use std::time::{Duration, Instant};

use crate::archives::{can_probe, server, slow_entry};
use crate::backend::{Backend, Site};
use crate::node::{FACETS, NO_WAIT, Node, SERVERS, probe_worker};
use crate::support::{PATIENCE, bearer, facet};

/// A process with the site that tells it from the others.
struct Replica {
    site: Site,
    node: Node,
}

impl Replica {
    fn start(site: Site, flags: &[&str]) -> Self {
        let node = Node::start(&site, flags);
        Self { site, node }
    }
}

/// Two replicas and a token that works on both; none where the services are not installed.
fn replicas(flags: &[&str]) -> Option<([Replica; 2], String)> {
    let first = Backend::services()?.site();
    let second = first.replica();
    // Both make the tables, at the same time.
    let (first, second) = thread::scope(|scope| {
        let second = scope.spawn(|| Replica::start(second, flags));
        (Replica::start(first, flags), second.join().unwrap())
    });
    let token = first.site.token("acme");
    Some(([first, second], token))
}

#[test]
fn what_one_replica_publishes_the_other_has() {
    let Some(([first, second], token)) = replicas(&[]) else { return };
    let archive = facet("demo", "1.0.0", "text");
    let document = first.node.publish_new((FACETS, "demo"), &archive, &token);
    assert_eq!(second.node.document("/v0/facets/demo/latest"), document);
    assert_eq!(second.node.get("/v0/facets/demo/1.0.0/archive").body, archive);
    assert_eq!(second.node.publish((FACETS, "demo"), &archive, &token).status, 200);
    let other = second.node.publish((FACETS, "demo"), &facet("demo", "1.0.0", "other"), &token);
    assert_eq!((other.status, &*other.code()), (409, "E_VERSION_EXISTS"));
    let stranger = second.site.token("other");
    let foreign = second.node.publish((FACETS, "demo"), &facet("demo", "2.0.0", "x"), &stranger);
    assert_eq!((foreign.status, &*foreign.code()), (403, "E_NOT_OWNER"));
    let yank = ("POST", "/v0/facets/demo/1.0.0/yank");
    let reason = br#"{"reason":"it leaks"}"#;
    let yanked = second.node.ask(yank, &[bearer(&token).as_pair()], reason);
    assert_eq!(yanked.status, 200, "{yanked:?}");
    assert_eq!(first.node.get("/v0/facets/demo/latest").status, 404);
    assert_eq!(first.node.document("/v0/facets/demo/1.0.0"), yanked.json());
    race(&first.node, &second.node, &token);
    assert_eq!(first.site.checked_versions(), 2);
    assert_eq!(second.site.checked_versions(), 2);
}

/// Different content of one version, sent to both at once.
fn race(first: &Node, second: &Node, token: &str) {
    let archives: Vec<Vec<u8>> =
        (0..10).map(|number| facet("race", "1.0.0", &format!("text {number}"))).collect();
    let mut statuses: Vec<u16> = thread::scope(|scope| {
        let nodes = [first, second].into_iter().cycle();
        let threads: Vec<_> = nodes
            .zip(&archives)
            .map(|(node, archive)| {
                scope.spawn(move || node.publish((FACETS, "race"), archive, token).status)
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    statuses.sort_unstable();
    assert_eq!(statuses, [vec![201_u16], vec![409; 9]].concat());
    let path = "/v0/facets/race/1.0.0/archive";
    assert_eq!(first.get(path).body, second.get(path).body);
}

#[test]
fn replicas_share_one_queue_and_finish_the_jobs_of_one_that_was_killed() {
    if !can_probe() {
        return;
    }
    let flags = [&NO_WAIT[..], &["--probes-at-once", "1"]].concat();
    let Some(([first, second], token)) = replicas(&flags) else { return };
    let jobs: Vec<String> = (0..4)
        .map(|number| {
            let name = format!("server-{number}");
            first.node.publish_queued(&name, &server(&name, "1.0.0", &slow_entry(700)), &token)
        })
        .collect();
    let mut have_worked = [false; 2];
    wait_for("both replicas probe", || {
        for (has_worked, replica) in have_worked.iter_mut().zip([&first, &second]) {
            *has_worked |= probe_worker(&replica.site).is_some();
        }
        (have_worked == [true; 2]).then_some(())
    });
    for job in &jobs {
        let status = second.node.follow(job, &token);
        assert_eq!(status["status"], "published", "{status}");
    }
    let archive = server("left-behind", "1.0.0", &slow_entry(3000));
    let job = first.node.publish_queued("left-behind", &archive, &token);
    let is_first = wait_for("one of them probes", || {
        let of_first = probe_worker(&first.site).map(|_| true);
        of_first.or_else(|| probe_worker(&second.site).map(|_| false))
    });
    let (killed, left) = if is_first { (first, second) } else { (second, first) };
    killed.node.kill();
    let status = left.node.follow(&job, &token);
    assert_eq!(status["status"], "published", "{status}");
    assert_eq!(left.node.get(&format!("{SERVERS}/left-behind/1.0.0/archive")).body, archive);
    assert_eq!(left.site.checked_versions(), 5);
}

/// What a look finds at last. Looks often: what it is about may be over soon.
fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let until = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < until, "{what}");
        thread::sleep(Duration::from_millis(20));
    }
}
