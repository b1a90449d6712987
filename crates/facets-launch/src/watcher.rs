//! Watches a supervisor: one that is killed or stopped ends everything at once.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::process::Child;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, pidfd_open, pidfd_send_signal, waitid,
};

use crate::reaper;

/// A thread that waits for the end of a supervisor.
#[derive(Debug)]
pub(crate) struct Watcher {
    thread: Option<JoinHandle<()>>,
    is_lost: Arc<AtomicBool>,
}

impl Watcher {
    pub(crate) fn start(supervisor: &Child) -> io::Result<Self> {
        let process = pidfd_open(Pid::from_child(supervisor), PidfdFlags::empty())?;
        let is_lost = Arc::new(AtomicBool::new(false));
        let theirs = Arc::clone(&is_lost);
        let thread = std::thread::Builder::new().spawn(move || {
            if !ends_in_good_order(&process) {
                theirs.store(true, Ordering::SeqCst);
                reaper::end_orphans();
            }
        })?;
        Ok(Self { thread: Some(thread), is_lost })
    }

    /// Whether the supervisor has ended, and everything was done that follows, within some time.
    pub(crate) fn is_done(&self, within: Duration) -> bool {
        let begin = Instant::now();
        let is_finished = || self.thread.as_ref().is_none_or(JoinHandle::is_finished);
        while !is_finished() {
            if begin.elapsed() >= within {
                return false;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        true
    }

    /// Waits for its end; whether the supervisor was killed or stopped.
    pub(crate) fn join(&mut self) -> bool {
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        self.is_lost.load(Ordering::SeqCst)
    }
}

/// Comes back when the supervisor has ended. It is left for its parent to be waited for.
fn ends_in_good_order(process: &OwnedFd) -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::STOPPED | WaitIdOptions::NOWAIT;
    loop {
        match waitid(WaitId::PidFd(process.as_fd()), options) {
            // A stopped one supervises nothing, and hears nothing.
            Ok(Some(status)) if status.stopped() => {
                let _ = pidfd_send_signal(process, Signal::KILL);
                std::thread::sleep(Duration::from_millis(1));
            }
            Ok(Some(status)) => return status.exited(),
            Ok(None) | Err(Errno::INTR) => {}
            // Its parent has waited for it already.
            Err(_) => return true,
        }
    }
}
