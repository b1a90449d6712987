//! A publisher whose servers never answer.

use crate::archives::{SILENT, USUAL, can_probe, entry, server};
use crate::backend::{Backend, on_both};
use crate::node::{NO_WAIT, Node, is_waiting};

#[test]
fn servers_that_never_answer_do_not_stall_other_publishers() {
    if can_probe() {
        on_both(publish_beside_silent_servers);
    }
}

fn publish_beside_silent_servers(backend: &Backend) {
    let site = backend.site();
    let node = Node::start(&site, &NO_WAIT);
    let (hostile, token) = (site.token("mallory"), site.token("acme"));
    // More than can be probed at once, for twice as long as one probe takes.
    let silent: Vec<String> = (0..4)
        .map(|number| {
            let name = format!("silent-{number}");
            node.publish_queued(&name, &server(&name, "1.0.0", SILENT), &hostile)
        })
        .collect();
    let job = node.publish_queued("demo", &server("demo", "1.0.0", &entry(USUAL)), &token);
    let followed = node.follow(&job, &token);
    assert_eq!(followed["status"], "published", "{followed}");
    let states: Vec<_> = silent.iter().map(|job| node.status(job, &hostile)).collect();
    let waiting = states.iter().filter(|state| is_waiting(state)).count();
    assert!(waiting >= 3, "it waited for more than one of them: {states:?}");
    assert!(states.iter().all(|state| state["status"] != "published"), "{states:?}");
}
