//! The processes below one process.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, wait, waitpid};

use crate::stage::SUPERVISE;

/// Longer than any tree needs to die that can die.
const PATIENCE: Duration = Duration::from_secs(10);

/// Kills everything below this process, again and again until the kernel says that it has
/// no children left.
///
/// Looking at `/proc` is not enough to know that: while the list is read, a process may be
/// born and its parent end, and then neither is seen. But whoever loses its parent becomes
/// our child, so the last descendant is gone when the last child is.
pub(crate) fn end_descendants() {
    let start = Instant::now();
    while has_children() && start.elapsed() < PATIENCE {
        kill_descendants();
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Kills everything that is below this process now, and waits for nothing.
pub(crate) fn kill_descendants() {
    for pid in descendants_of_this_process() {
        // It may be gone by now, which is just as well.
        let _ = kill_process(pid, Signal::KILL);
    }
}

/// Reaps dead children, and says whether any are left.
fn has_children() -> bool {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) | Err(Errno::INTR) => {}
            Ok(None) => return true,
            Err(_) => return false,
        }
    }
}

/// Everything below this process, dead or alive: what looks dead may have living threads, and children.
pub(crate) fn descendants_of_this_process() -> Vec<Pid> {
    let mut children: BTreeMap<i32, Vec<i32>> = BTreeMap::new();
    for ProcessStat { pid, parent, .. } in processes() {
        children.entry(parent).or_default().push(pid);
    }
    let mut found = Vec::new();
    let mut open = vec![getpid().as_raw_nonzero().get()];
    while let Some(parent) = open.pop() {
        for child in children.remove(&parent).unwrap_or_default() {
            found.extend(Pid::from_raw(child));
            open.push(child);
        }
    }
    found
}

/// The same from the lists that the kernel keeps, which is much faster than looking at every process; none where
/// it keeps no such lists. While they are read, processes come and go: one may be missed.
pub(crate) fn listed_descendants() -> Option<Vec<Pid>> {
    if !Path::new("/proc/thread-self/children").exists() {
        return None;
    }
    let mut open = listed_children(getpid().as_raw_nonzero().get());
    let mut found = Vec::new();
    while let Some(pid) = open.pop() {
        found.extend(Pid::from_raw(pid));
        open.extend(listed_children(pid));
    }
    Some(found)
}

/// The children of every thread of a process. One that has just ended has none.
fn listed_children(pid: i32) -> Vec<i32> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let lists = threads.filter_map(|one| fs::read_to_string(one.path().join("children")).ok());
    lists.flat_map(|list| pids(&list)).collect()
}

fn pids(list: &str) -> Vec<i32> {
    list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect()
}

/// The children of this process.
#[must_use]
pub fn children() -> Vec<i32> {
    children_of_this_process().map(|one| one.pid).collect()
}

/// Kills every child of this process that it did not start, and everything below those, until none is
/// left. A process without a parent becomes the child of the nearest ancestor that is a subreaper: if a
/// supervisor is killed, that is facet.
///
/// What facet starts itself stays in its session or is known by its number; a server is always in
/// another session, because its supervisor began one.
pub fn end_reparented(is_own: &dyn Fn(i32) -> bool) {
    let begin = Instant::now();
    let own = getpid().as_raw_nonzero().get();
    // From the same place as those of the others: it is 0 for all whose session began outside of the
    // namespace of processes, as in a container.
    let Some(ProcessStat { session, .. }) = stat_of(own) else { return };
    let is_orphan =
        |one: &ProcessStat| one.parent == own && one.session != session && !is_own(one.pid);
    let mut ended = Vec::new();
    while begin.elapsed() < PATIENCE {
        let orphans: Vec<Pid> = children_of_this_process()
            .filter(is_orphan)
            .filter_map(|one| Pid::from_raw(one.pid))
            .collect();
        if orphans.is_empty() {
            break;
        }
        // These first, and at once: their parent is facet now, and they may know how to find it.
        for orphan in &orphans {
            // It may be gone by now, which is just as well.
            let _ = kill_process(*orphan, Signal::KILL);
        }
        ended.extend(orphans);
        // What was below them is ours by now, or will be in the next turn.
        std::thread::sleep(Duration::from_millis(1));
    }
    for pid in ended {
        let _ = waitpid(Some(pid), WaitOptions::NOHANG);
    }
}

/// Whether one of the ancestors of this process is a supervisor: then a server has started it.
#[must_use]
pub fn is_supervised() -> bool {
    let all: BTreeMap<i32, i32> = processes().map(|one| (one.pid, one.parent)).collect();
    let mut pid = getpid().as_raw_nonzero().get();
    // Bounded, should the list be torn while it is read.
    for _ in 0..1000 {
        let Some(parent) = all.get(&pid).copied().filter(|parent| *parent > 0) else {
            return false;
        };
        let words = fs::read(format!("/proc/{parent}/cmdline")).unwrap_or_default();
        let first = words.split(|byte| *byte == 0).nth(1);
        if first == Some(SUPERVISE.as_bytes()) {
            return true;
        }
        pid = parent;
    }
    true
}

/// The living children of this process: from the kernel's list where it has one, which is much faster
/// than looking at every process.
fn children_of_this_process() -> Box<dyn Iterator<Item = ProcessStat>> {
    let tasks = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let lists = tasks.map(|task| fs::read_to_string(task.path().join("children")));
    match lists.collect::<Result<Vec<String>, _>>() {
        Ok(lists) if !lists.is_empty() => {
            let pids: Vec<i32> = lists.iter().flat_map(|list| pids(list)).collect();
            Box::new(pids.into_iter().filter_map(stat_of).filter(|one| one.is_alive))
        }
        _ => {
            let own = getpid().as_raw_nonzero().get();
            Box::new(processes().filter(move |one| one.is_alive && one.parent == own))
        }
    }
}

/// What the kernel says of a process.
#[derive(Debug, PartialEq, Eq)]
struct ProcessStat {
    pid: i32,
    parent: i32,
    session: i32,
    is_alive: bool,
}

/// Every process.
fn processes() -> impl Iterator<Item = ProcessStat> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| stat_of(entry.file_name().to_str()?.parse().ok()?))
}

fn stat_of(pid: i32) -> Option<ProcessStat> {
    parse_stat(pid, &read_of_process(pid, "stat")?)
}

/// What the kernel says in a file of a process. A process chooses its own name, also one that is not UTF-8.
pub(crate) fn read_of_process(pid: i32, file: &str) -> Option<String> {
    let bytes = fs::read(format!("/proc/{pid}/{file}")).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn parse_stat(pid: i32, stat: &str) -> Option<ProcessStat> {
    // The name stands in brackets and may have brackets itself.
    let (_, rest) = stat.rsplit_once(") ")?;
    let mut fields = rest.split(' ');
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let session = fields.nth(1)?.parse().ok()?;
    let threads: u32 = fields.nth(13)?.parse().ok()?;
    // The state is that of the first thread: if only that one has ended, the others run on.
    let is_alive = match state {
        "Z" | "X" => threads > 1,
        _ => true,
    };
    Some(ProcessStat { pid, parent, session, is_alive })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_lives_as_long_as_one_of_its_threads() {
        let stat = |state: &str, threads: u32| {
            let line = format!(
                "7 (a) b) {state} 5 6 4 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 {threads} 0 99 0 0"
            );
            parse_stat(7, &line).unwrap()
        };
        let alive = ProcessStat { pid: 7, parent: 5, session: 4, is_alive: true };
        assert_eq!(stat("S", 1), alive);
        assert_eq!(stat("Z", 2), alive);
        for threads in [0, 1] {
            assert!(!stat("Z", threads).is_alive && !stat("X", threads).is_alive);
        }
        assert_eq!(parse_stat(7, "7 (a) S 5"), None);
    }
}
