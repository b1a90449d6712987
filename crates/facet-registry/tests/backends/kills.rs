//! kill -9 at random moments: what was acknowledged is there, and what is there is complete.

use std::thread;
use std::time::{Duration, Instant};

use facets_testkit::{Random, long_count};

use crate::archives::{SILENT, USUAL, can_probe, entry, server, slow_entry};
use crate::backend::{Backend, Site, on_both};
use crate::node::{NO_WAIT, Node, SERVERS, is_waiting, kill, probe_worker};
use crate::support::wait_until;
use crate::verifying::{Sent, verify_all};

/// Publishes that are under way at once.
const AT_ONCE: usize = 2;

/// One in so many is a server, the first of its group: those take long.
const SERVER_EVERY: usize = 4 * AT_ONCE;

/// How long publishes take, and a little more.
const FACETS_TAKE: usize = 30;
const SERVERS_TAKE: usize = 400;

#[test]
fn acknowledged_publishes_survive_kills_of_the_registry() {
    let with_servers = can_probe();
    on_both(|backend| kill_at_random(backend, with_servers));
}

fn kill_at_random(backend: &Backend, with_servers: bool) {
    let site = backend.site();
    let mut node = Node::start(&site, &[]);
    let token = site.token("acme");
    let mut sent = planned(long_count(500), with_servers);
    let mut random = Random::seeded(21);
    for group in sent.chunks_mut(AT_ONCE) {
        let is_killed = publish_group(&node, group, &token, &mut random);
        if is_killed {
            node.restart(&site);
        }
        // The last of a group, a facet, is sent again, as a client does that got no answer.
        if let Some(last) = group.last_mut().filter(|last| !last.acknowledged) {
            let reply = last.publish(&node, &token).unwrap();
            last.acknowledged = is_acknowledged(reply.status);
            assert!(last.acknowledged, "{reply:?}");
        }
    }
    // A job whose process was killed waits until its lease has ended.
    wait_until("the queue becomes empty", || node.is_idle());
    verify_at_last(&site, &node, &sent);
    for one in &sent {
        let reply = one.publish(&node, &token).unwrap();
        assert!(is_acknowledged(reply.status), "{}: {reply:?}", one.path());
    }
    assert_eq!(site.checked_versions(), sent.len() as u64);
}

/// Versions of a few names.
fn planned(count: usize, with_servers: bool) -> Vec<Sent> {
    let plan = |number: usize| {
        let (name, version) = (format!("name-{}", number % 5), format!("1.0.{number}"));
        if !with_servers || number % SERVER_EVERY != AT_ONCE {
            return Sent::facet(&name, version, &format!("text {number}"));
        }
        let archive = server(&name, &version, &entry(USUAL));
        Sent { base: SERVERS, name, version, archive, acknowledged: false }
    };
    (0..count).map(plan).collect()
}

/// Publishes all of a group at once, and mostly kills the registry meanwhile; whether it did.
fn publish_group(node: &Node, group: &mut [Sent], token: &str, random: &mut Random) -> bool {
    let has_server = group.iter().any(|one| one.base == SERVERS);
    let longest = if has_server { SERVERS_TAKE } else { FACETS_TAKE };
    let is_killed = !random.one_in(5);
    let delay = Duration::from_millis(random.below(longest) as u64);
    thread::scope(|scope| {
        for one in group {
            scope.spawn(move || {
                let Some(reply) = one.publish(node, token) else { return };
                one.acknowledged = is_acknowledged(reply.status);
                // Jobs of killed processes wait for the end of their leases, so that the queue of an owner may be full.
                assert!(one.acknowledged || matches!(reply.status, 202 | 429), "{reply:?}");
            });
        }
        if is_killed {
            thread::sleep(delay);
            node.kill();
        }
    });
    is_killed
}

fn is_acknowledged(status: u16) -> bool {
    matches!(status, 200 | 201)
}

fn verify_at_last(site: &Site, node: &Node, sent: &[Sent]) {
    let visible = verify_all(node, sent);
    assert_eq!(site.checked_versions(), visible as u64);
    site.report(&["gc", "--older-than", "0"]);
    assert_eq!(site.checked_versions(), visible as u64);
    // A process that has nothing in memory.
    let fresh = Node::start(site, &[]);
    assert_eq!(verify_all(&fresh, sent), visible);
}

#[test]
fn a_registry_that_is_told_to_end_gives_its_probes_back() {
    if can_probe() {
        on_both(end_while_probing);
    }
}

fn end_while_probing(backend: &Backend) {
    let site = backend.site();
    let (mut node, token) = (Node::start(&site, &NO_WAIT), site.token("acme"));
    let archive = server("silent", "1.0.0", SILENT);
    let job = node.publish_queued("silent", &archive, &token);
    // More often than an interrupted probe is tried again.
    for _ in 0..4 {
        wait_until("a worker probes it", || probe_worker(&site).is_some());
        let begin = Instant::now();
        node.terminate();
        assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
        assert!(probe_worker(&site).is_none());
        node.restart(&site);
        assert!(is_waiting(&node.status(&job, &token)));
    }
}

#[test]
fn a_publish_whose_probe_worker_is_killed_ends_well() {
    if can_probe() {
        on_both(kill_worker);
    }
}

fn kill_worker(backend: &Backend) {
    let site = backend.site();
    let (node, token) = (Node::start(&site, &[]), site.token("acme"));
    let archive = server("slow", "1.0.0", &slow_entry(1000));
    let reply = thread::scope(|scope| {
        let publish = scope.spawn(|| node.publish((SERVERS, "slow"), &archive, &token));
        wait_until("a worker probes it", || probe_worker(&site).is_some());
        if let Some(worker) = probe_worker(&site) {
            kill(&worker);
        }
        publish.join().unwrap()
    });
    assert_eq!(reply.status, 201, "{reply:?}");
    assert_eq!(node.get("/v0/source-servers/slow/1.0.0/archive").body, archive);
    assert_eq!(node.document("/health/ready")["probes"], "ok");
    assert_eq!(site.checked_versions(), 1);
}
