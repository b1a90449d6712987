//! How much the processes below this one use, and how much their scratch directory takes.

use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use crate::tree::{descendants_of_this_process, listed_descendants, read_of_process};

/// More files than an artifact may have. To count more of them takes too long.
const MOST_FILES: usize = 250_000;

/// What a number of processes use together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TreeUsage {
    /// Bytes of memory that are resident. What two processes share counts twice.
    pub(crate) resident: u64,
    /// Processes and threads.
    pub(crate) tasks: u64,
}

/// What everything below this process uses.
pub(crate) fn usage_below() -> TreeUsage {
    let below = listed_descendants().unwrap_or_else(descendants_of_this_process);
    let mut used = TreeUsage::default();
    for pid in below {
        // One that has ended meanwhile uses nothing.
        let status = read_of_process(pid.as_raw_nonzero().get(), "status").unwrap_or_default();
        let TreeUsage { resident, tasks } = parse_status(&status);
        used.resident += resident;
        used.tasks += tasks;
    }
    used
}

/// Of a process that has ended and was not waited for, no memory is left.
fn parse_status(status: &str) -> TreeUsage {
    let number = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        let word = line.and_then(|line| line.split_whitespace().next());
        word.and_then(|word| word.parse::<u64>().ok()).unwrap_or_default()
    };
    TreeUsage { resident: number("VmRSS") << 10, tasks: number("Threads") }
}

/// Bytes that a directory takes on the disk, with all that is in it. An error if it cannot be measured, because a
/// directory inside is locked or has too many files.
pub(crate) fn size_of_folder(top: &Path) -> io::Result<u64> {
    let (mut bytes, mut files) = (0_u64, 0_usize);
    let mut open = vec![top.to_owned()];
    while let Some(folder) = open.pop() {
        let Some(entries) = unless_gone(fs::read_dir(&folder))? else { continue };
        for entry in entries {
            let Some(entry) = unless_gone(entry)? else { continue };
            // Of a link itself, and not of what it leads to.
            let Some(data) = unless_gone(entry.metadata())? else { continue };
            bytes = bytes.saturating_add(data.blocks().saturating_mul(512));
            files += 1;
            if files > MOST_FILES {
                return Err(io::Error::other(format!("more than {MOST_FILES} files")));
            }
            open.extend(data.is_dir().then(|| entry.path()));
        }
    }
    Ok(bytes)
}

/// While a directory is measured, what is in it may be removed or replaced.
fn unless_gone<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn memory_and_threads_stand_in_the_status_of_a_process() {
        let status = "Name:\ta\nVmRSS:\t    2048 kB\nRssAnon:\t 1 kB\nThreads:\t7\n";
        assert_eq!(parse_status(status), TreeUsage { resident: 2 << 20, tasks: 7 });
        let ended = parse_status("Name:\ta\nState:\tZ (zombie)\nThreads:\t1\n");
        assert_eq!(ended, TreeUsage { resident: 0, tasks: 1 });
        assert_eq!(parse_status(""), TreeUsage::default());
    }

    #[test]
    fn a_child_counts_with_its_memory() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let used = usage_below();
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(used.tasks >= 1 && used.resident > 0, "{used:?}");
    }

    #[test]
    fn a_directory_is_measured_without_following_links() {
        let place = tempfile::tempdir().unwrap();
        let top = place.path().join("top");
        fs::create_dir_all(top.join("inner/deeper")).unwrap();
        fs::write(top.join("inner/deeper/file"), vec![1; 100_000]).unwrap();
        symlink("/usr", top.join("link")).unwrap();
        let bytes = size_of_folder(&top).unwrap();
        assert!((100_000..1_000_000).contains(&bytes), "{bytes}");
        assert_eq!(size_of_folder(&place.path().join("absent")).unwrap(), 0);
    }
}
