//! Looks every few milliseconds whether a server uses more than it may.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::launch_spec::ResourceLimits;
use crate::usage::{size_of_folder, usage_below};

/// How often is looked: a server gets hold of a few megabytes meanwhile.
const INTERVAL: Duration = Duration::from_millis(10);

/// A look at many files takes its time. Between two there is this many times that.
const RARER: u32 = 10;

/// Comes back when a server uses more than it may, with the reason.
pub(crate) fn wait_for_excess(limits: ResourceLimits, scratch: &Path) -> String {
    let mut next_measuring = Instant::now();
    loop {
        std::thread::sleep(INTERVAL);
        if let Some(reason) = excess_of_processes(limits) {
            return reason;
        }
        let begin = Instant::now();
        if begin >= next_measuring {
            if let Some(reason) = excess_of_files(limits, scratch) {
                return reason;
            }
            next_measuring = Instant::now() + begin.elapsed() * RARER;
        }
    }
}

fn excess_of_processes(limits: ResourceLimits) -> Option<String> {
    let used = usage_below();
    if used.resident > limits.resident {
        return Some(format!("it used more than {} of memory", shown(limits.resident)));
    }
    (used.tasks > u64::from(limits.tasks))
        .then(|| format!("it started more than {} processes and threads", limits.tasks))
}

fn excess_of_files(limits: ResourceLimits, scratch: &Path) -> Option<String> {
    match size_of_folder(scratch) {
        Ok(bytes) if bytes <= limits.written => None,
        Ok(_) => Some(format!("it wrote more than {}", shown(limits.written))),
        Err(error) => Some(format!("what it wrote cannot be measured: {error}")),
    }
}

fn shown(bytes: u64) -> String {
    if bytes >= 1 << 20 { format!("{} MiB", bytes >> 20) } else { format!("{bytes} bytes") }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENOUGH: ResourceLimits =
        ResourceLimits { resident: 1 << 40, tasks: 1 << 20, written: 1 << 20 };

    #[test]
    fn each_limit_names_itself() {
        let place = tempfile::tempdir().unwrap();
        assert_eq!(excess_of_processes(ENOUGH), None);
        assert_eq!(excess_of_files(ENOUGH, place.path()), None);
        std::fs::write(place.path().join("file"), vec![1; 2 << 20]).unwrap();
        let reason = excess_of_files(ENOUGH, place.path());
        assert_eq!(reason.as_deref(), Some("it wrote more than 1 MiB"));
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let memory = excess_of_processes(ResourceLimits { resident: 1, ..ENOUGH });
        let tasks = excess_of_processes(ResourceLimits { tasks: 0, ..ENOUGH });
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(memory.as_deref(), Some("it used more than 1 bytes of memory"));
        assert_eq!(tasks.as_deref(), Some("it started more than 0 processes and threads"));
    }
}
