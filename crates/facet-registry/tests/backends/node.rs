//! A process of a registry, and what is asked of it.

use std::fs;
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use facets_testkit::{Process, processes};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::backend::Site;
use crate::support::{PATIENCE, Reply, bearer, request, send, start_serving};

/// Where facets and servers are found.
pub(crate) const FACETS: &str = "/v0/facets";
pub(crate) const SERVERS: &str = "/v0/source-servers";

/// `serve` on a free port, without limits on rates.
pub(crate) const SERVE: [&str; 9] =
    ["serve", "--listen", "127.0.0.1:0", "--log", "off", "--read-rate", "0", "--write-rate", "0"];

/// A flag with which no publisher waits for a probe.
pub(crate) const NO_WAIT: [&str; 2] = ["--probe-wait", "0"];

/// A running registry. It is killed when this is dropped.
pub(crate) struct Node {
    child: Child,
    address: String,
}

impl Node {
    /// Starts a registry, with these flags more.
    pub(crate) fn start(site: &Site, flags: &[&str]) -> Self {
        let mut command = site.program();
        let started = Self::try_start(command.args(SERVE).args(flags));
        started.unwrap_or_else(|| panic!("{command:?} ended"))
    }

    /// Starts a registry by any command; none if it ends before it listens.
    pub(crate) fn try_start(command: &mut Command) -> Option<Self> {
        let (child, url) = start_serving(command)?;
        let address = url.strip_prefix("http://").unwrap().to_owned();
        Some(Self { child, address })
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Ends it as a crash does.
    pub(crate) fn kill(&self) {
        kill_process(Pid::from_child(&self.child), Signal::KILL).unwrap();
    }

    /// Asks it to end, and waits until it has.
    pub(crate) fn terminate(&mut self) {
        kill_process(Pid::from_child(&self.child), Signal::TERM).unwrap();
        let _ = self.child.wait();
    }

    /// Another process in place of this one, which was killed.
    pub(crate) fn restart(&mut self, site: &Site) {
        let _ = self.child.wait();
        *self = Self::start(site, &[]);
    }

    /// Sends a request; no answer if the process is gone.
    pub(crate) fn try_ask(
        &self,
        (method, path): (&str, &str),
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Option<Reply> {
        send(&self.address, &request(method, path, headers, body))
    }

    pub(crate) fn ask(&self, call: (&str, &str), headers: &[(&str, &str)], body: &[u8]) -> Reply {
        self.try_ask(call, headers, body).unwrap_or_else(|| panic!("no answer to {call:?}"))
    }

    pub(crate) fn get(&self, path: &str) -> Reply {
        self.ask(("GET", path), &[], b"")
    }

    pub(crate) fn get_with(&self, path: &str, headers: &[(&str, &str)]) -> Reply {
        self.ask(("GET", path), headers, b"")
    }

    /// A document that has to be there.
    pub(crate) fn document(&self, path: &str) -> Value {
        let reply = self.get(path);
        assert_eq!(reply.status, 200, "{path}: {reply:?}");
        reply.json()
    }

    /// All items of a list, page by page; none of a name that does not exist.
    pub(crate) fn list(&self, path: &str, member: &str) -> Vec<Value> {
        let mut found = Vec::new();
        let mut next = path.to_owned();
        loop {
            let reply = self.get(&next);
            if reply.status == 404 {
                return found;
            }
            let page = reply.json();
            found.extend(page[member].as_array().unwrap().iter().cloned());
            match page["next_cursor"].as_str() {
                Some(cursor) => next = format!("{path}&cursor={cursor}"),
                None => return found,
            }
        }
    }

    /// Publishes an archive below a base; no answer if the process is gone.
    pub(crate) fn try_publish(
        &self,
        (base, name): (&str, &str),
        archive: &[u8],
        token: &str,
    ) -> Option<Reply> {
        let path = format!("{base}/{name}/versions");
        self.try_ask(("POST", &path), &[bearer(token).as_pair()], archive)
    }

    pub(crate) fn publish(&self, artifact: (&str, &str), archive: &[u8], token: &str) -> Reply {
        let reply = self.try_publish(artifact, archive, token);
        reply.unwrap_or_else(|| panic!("no answer to a publish of {artifact:?}"))
    }

    /// Publishes an archive that has to be new; its document.
    pub(crate) fn publish_new(&self, artifact: (&str, &str), archive: &[u8], token: &str) -> Value {
        let reply = self.publish(artifact, archive, token);
        assert_eq!(reply.status, 201, "{artifact:?}: {reply:?}");
        reply.json()
    }

    /// Publishes a server that has to wait; where its status is.
    pub(crate) fn publish_queued(&self, name: &str, archive: &[u8], token: &str) -> String {
        let reply = self.publish((SERVERS, name), archive, token);
        assert_eq!(reply.status, 202, "{name}: {reply:?}");
        let answer = reply.json();
        assert_eq!(answer["status"], "QUEUED", "{answer}");
        let address = answer["status_url"].as_str().unwrap().to_owned();
        assert_eq!(reply.header("location"), Some(&*address));
        address
    }

    /// How far a publish is.
    pub(crate) fn status(&self, address: &str, token: &str) -> Value {
        let reply = self.get_with(address, &[bearer(token).as_pair()]);
        assert_eq!(reply.status, 200, "{address}: {reply:?}");
        reply.json()
    }

    /// The status of a publish at its end.
    pub(crate) fn follow(&self, address: &str, token: &str) -> Value {
        let until = Instant::now() + PATIENCE;
        loop {
            let status = self.status(address, token);
            if !is_waiting(&status) {
                return status;
            }
            assert!(Instant::now() < until, "{status}");
            thread::sleep(Duration::from_millis(100));
        }
    }

    /// Whether no server waits to be probed, or is being probed.
    pub(crate) fn is_idle(&self) -> bool {
        let page = String::from_utf8(self.get("/metrics").body).unwrap();
        let jobs = page.lines().filter_map(|line| line.strip_prefix("facet_registry_probe_jobs{"));
        let counts: Vec<&str> = jobs.filter_map(|line| line.rsplit(' ').next()).collect();
        assert_eq!(counts.len(), 2, "{page}");
        counts.iter().all(|count| *count == "0")
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Whether a publish has not ended yet.
pub(crate) fn is_waiting(status: &Value) -> bool {
    status["status"] == "queued" || status["status"] == "running"
}

/// The process that probes a server for a registry, if one does just now.
pub(crate) fn probe_worker(site: &Site) -> Option<Process> {
    let probes = fs::canonicalize(site.data()).unwrap().join("work").display().to_string();
    let is_worker = |process: &Process| {
        process.command.contains(" probe-worker ") && process.command.contains(&probes)
    };
    processes().into_iter().find(is_worker)
}

/// Kills a process that a registry of this test has started.
pub(crate) fn kill(process: &Process) {
    let id = process.id.parse().ok().and_then(Pid::from_raw);
    // It may have ended just now.
    let _ = kill_process(id.unwrap(), Signal::KILL);
}
