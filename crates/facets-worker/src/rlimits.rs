//! Limits that the kernel keeps for each process, also for root.

use std::io;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::launch_spec::ResourceLimits;

/// Files and pipes that one process has open.
const OPEN_FILES: u64 = 1024;

/// Seconds of a processor, should the supervisor be too busy to end a process in time.
const PROCESSOR: u64 = 120;

/// Limits this process and what it starts, for good.
pub(crate) fn restrict(limits: ResourceLimits) -> io::Result<()> {
    for (resource, most) in [
        (Resource::Fsize, limits.written),
        // A crash is expected here; an image of the memory would only fill the disk.
        (Resource::Core, 0),
        (Resource::Nofile, OPEN_FILES),
        (Resource::Cpu, PROCESSOR),
    ] {
        // One that is lower already stays: only root could raise it.
        let most = getrlimit(resource).maximum.map_or(most, |now| now.min(most));
        setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })?;
    }
    Ok(())
}
