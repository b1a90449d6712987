//! What is left of a server whose supervisor is gone becomes a child of this process, and is ended.

use std::collections::BTreeSet;
use std::io;
use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::process::{getpid, set_child_subreaper};

/// The children that are not orphans of a server: supervisors, and those that this process had before
/// its first. The lock is held while a supervisor is started and entered, and while orphans are ended.
static OWN: Mutex<OwnChildren> =
    Mutex::new(OwnChildren { is_subreaper: false, pids: BTreeSet::new() });

struct OwnChildren {
    is_subreaper: bool,
    pids: BTreeSet<i32>,
}

fn own() -> MutexGuard<'static, OwnChildren> {
    OWN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn number(pid: u32) -> i32 {
    i32::try_from(pid).unwrap_or(i32::MAX)
}

/// Starts a supervisor. From the first one on this process is a subreaper.
pub(crate) fn start_supervisor(command: &mut Command) -> io::Result<Child> {
    let mut own = own();
    if !own.is_subreaper {
        own.pids.extend(facets_worker::children());
        set_child_subreaper(Some(getpid()))?;
        own.is_subreaper = true;
    }
    let supervisor = command.spawn()?;
    own.pids.insert(number(supervisor.id()));
    Ok(supervisor)
}

/// A supervisor has ended and was waited for: its number may become another's.
pub(crate) fn forget_supervisor(pid: u32) {
    own().pids.remove(&number(pid));
}

/// Ends everything that was reparented to this process.
pub(crate) fn end_orphans() {
    let own = own();
    facets_worker::end_reparented(&|pid| own.pids.contains(&pid));
}
