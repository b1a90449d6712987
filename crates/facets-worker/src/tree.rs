//! The processes below one process.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, wait};

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
        for pid in descendants(getpid()) {
            // It may be gone by now, which is just as well.
            let _ = kill_process(pid, Signal::KILL);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Reaps the dead, and says whether anybody is left.
fn has_children() -> bool {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) | Err(Errno::INTR) => {}
            Ok(None) => return true,
            Err(_) => return false,
        }
    }
}

/// Everything below a process that is not dead yet.
fn descendants(of: Pid) -> Vec<Pid> {
    let mut children: BTreeMap<i32, Vec<i32>> = BTreeMap::new();
    for (pid, parent) in processes() {
        children.entry(parent).or_default().push(pid);
    }
    let mut found = Vec::new();
    let mut open = vec![of.as_raw_nonzero().get()];
    while let Some(parent) = open.pop() {
        for child in children.remove(&parent).unwrap_or_default() {
            found.extend(Pid::from_raw(child));
            open.push(child);
        }
    }
    found
}

/// Kills every process of a session, and every one with this home, until none is left.
pub(crate) fn end_marked(session: u32, home: &Path) {
    let begin = Instant::now();
    let mark = [b"HOME=", home.as_os_str().as_bytes()].concat();
    let marked = |pid: i32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let in_session = stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(3));
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        in_session == Some(&session.to_string())
            || environment.split(|byte| *byte == 0).any(|v| v == mark)
    };
    loop {
        let living: Vec<i32> = processes().map(|(pid, _)| pid).filter(|pid| marked(*pid)).collect();
        if living.is_empty() || begin.elapsed() > PATIENCE {
            return;
        }
        for pid in living.into_iter().filter_map(Pid::from_raw) {
            let _ = kill_process(pid, Signal::KILL);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Every living process with its parent.
fn processes() -> impl Iterator<Item = (i32, i32)> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| {
        let pid: i32 = entry.file_name().to_str()?.parse().ok()?;
        let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
        // The name stands in brackets and may have brackets itself.
        let (_, rest) = stat.rsplit_once(") ")?;
        let mut fields = rest.split(' ');
        let state = fields.next()?;
        let parent = fields.next()?.parse().ok()?;
        (!matches!(state, "Z" | "X")).then_some((pid, parent))
    })
}
