//! Files that were verified, as the kernel knows them: looked at once more directly before the server takes over.

use std::fs::{File, Metadata};
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::fs::{Mode, OFlags, open};

/// A file or directory that was verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedPath {
    pub(crate) path: PathBuf,
    /// Device, inode and time of change.
    pub(crate) identity: String,
}

impl VerifiedPath {
    /// As it is now.
    pub fn now(path: &Path) -> io::Result<Self> {
        let identity = identity(&std::fs::symlink_metadata(path)?);
        Ok(Self { path: path.to_owned(), identity })
    }

    fn require(&self, found: &Metadata) -> io::Result<()> {
        if identity(found) == self.identity {
            return Ok(());
        }
        Err(io::Error::other(format!("{} was replaced after it was verified", self.path.display())))
    }
}

fn identity(found: &Metadata) -> String {
    format!("{}:{} {}.{}", found.dev(), found.ino(), found.ctime(), found.ctime_nsec())
}

/// How a program is started, if everything that was verified is still in its place. A program that was verified is
/// executed by its descriptor, which has to stay open until then: its path could lead elsewhere the next moment.
pub(crate) fn verified_command(
    program: &Path,
    verified: &[VerifiedPath],
) -> io::Result<(Command, Option<File>)> {
    for known in verified {
        known.require(&std::fs::symlink_metadata(&known.path)?)?;
    }
    let Some(known) = verified.iter().find(|known| known.path == program) else {
        return Ok((Command::new(program), None));
    };
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = File::from(open(program, flags, Mode::empty())?);
    known.require(&file.metadata()?)?;
    let mut command = Command::new(format!("/proc/self/fd/{}", file.as_raw_fd()));
    command.arg0(program);
    Ok((command, Some(file)))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_program_that_was_verified_is_executed_by_its_descriptor() {
        // These tests themselves.
        let program = fs::canonicalize(std::env::current_exe().unwrap()).unwrap();
        let verified = [VerifiedPath::now(&program).unwrap()];
        let (mut command, file) = verified_command(&program, &verified).unwrap();
        assert!(file.is_some());
        assert!(command.arg("--list").output().unwrap().status.success());
    }

    #[test]
    fn nothing_is_started_from_a_tree_that_was_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let tree = folder.path().join("tree");
        fs::create_dir(&tree).unwrap();
        let verified = [VerifiedPath::now(&tree).unwrap()];
        let start = || verified_command(Path::new("/bin/true"), &verified).map(|_| ());
        assert!(start().is_ok());
        fs::rename(&tree, folder.path().join("aside")).unwrap();
        assert!(start().is_err());
        fs::create_dir(&tree).unwrap();
        let refused = start().unwrap_err().to_string();
        assert!(refused.ends_with("was replaced after it was verified"), "{refused}");
    }
}
