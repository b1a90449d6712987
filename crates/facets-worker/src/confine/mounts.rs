//! A view of the file system in which everything is read-only but what may be written.
//!
//! Landlock decides which files are opened. It does not see who changes the mode, the owner, the times
//! or the attributes of a file, for which no file is opened; on a read-only mount the kernel refuses it.

use std::io;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use nix::sched::CloneFlags;
use rustix::fs::{AtFlags, CWD, StatxFlags, statx};
use rustix::mount::{
    MountFlags, MountPropagationFlags, mount_bind_recursive, mount_change, mount_remount,
};
use rustix::process::fchdir;

use super::namespace::leave;
use super::place::Place;

/// Leaves the mounts of the user for a copy of them.
pub(super) fn enter() -> io::Result<()> {
    leave(CloneFlags::CLONE_NEWNS)?;
    // Nothing that happens here is seen outside, nor the other way round.
    Ok(mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?)
}

/// Makes everything else read-only, for this process and what it starts.
pub(super) fn protect(writable: &[Place]) -> io::Result<()> {
    for place in outermost(writable) {
        let place = place.by_descriptor();
        mount_bind_recursive(&place, &place)?;
    }
    let table = std::fs::read_to_string("/proc/self/mountinfo")?;
    let is_writable = |point: &Path| writable.iter().any(|place| point.starts_with(&place.path));
    for mount in table.lines().filter_map(Mount::parse) {
        if !mount.is_read_only && !is_writable(&mount.point) {
            mount.close()?;
        }
    }
    // The directory in which the server starts may be writable, and this process is still on the mount
    // below. Where it cannot be entered again, it is read-only.
    let here = std::env::current_dir().and_then(|here| Place::open(&here));
    let _ = here.and_then(|here| Ok(fchdir(here)?));
    Ok(())
}

/// Those that lie in no others: each becomes a mount of its own.
fn outermost(places: &[Place]) -> impl Iterator<Item = &Place> {
    let is_inner = |place: &Place| {
        let mut around = place.path.ancestors().skip(1);
        around.any(|up| places.iter().any(|other| other.path == up))
    };
    places.iter().filter(move |place| !is_inner(place))
}

/// A line of the kernel's table of mounts.
#[derive(Debug, PartialEq, Eq)]
struct Mount {
    number: u64,
    point: PathBuf,
    is_read_only: bool,
    /// What cannot be taken back in a namespace, and so has to be said again.
    flags: MountFlags,
}

impl Mount {
    fn parse(line: &str) -> Option<Self> {
        let mut fields = line.split(' ');
        let number = fields.next()?.parse().ok()?;
        let point = unescape(fields.nth(3)?);
        let options = fields.next()?;
        let mut flags = MountFlags::empty();
        let mut is_read_only = false;
        for option in options.split(',') {
            match option {
                "ro" => is_read_only = true,
                "nosuid" => flags |= MountFlags::NOSUID,
                "nodev" => flags |= MountFlags::NODEV,
                "noexec" => flags |= MountFlags::NOEXEC,
                _ => {}
            }
        }
        Some(Self { number, point, is_read_only, flags })
    }

    /// Makes it read-only, unless it cannot be reached here.
    fn close(&self) -> io::Result<()> {
        let flags = self.flags | MountFlags::BIND | MountFlags::RDONLY;
        match mount_remount(&self.point, flags, "") {
            Err(error) if self.is_reachable() => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// Whether its path leads to it, and not to another mount above it or nowhere.
    fn is_reachable(&self) -> bool {
        let found = statx(CWD, &self.point, AtFlags::NO_AUTOMOUNT, StatxFlags::MNT_ID);
        found.is_ok_and(|found| found.stx_mnt_id == self.number)
    }
}

/// The table has spaces, tabs, line feeds and backslashes of a path in three octal digits.
fn unescape(text: &str) -> PathBuf {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let digits = (*first == b'\\').then(|| behind.get(..3)).flatten();
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        if let Some(byte) = digits.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            bytes.push(byte);
            rest = &behind[3..];
        } else {
            bytes.push(*first);
            rest = behind;
        }
    }
    std::ffi::OsString::from_vec(bytes).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_table_has_a_number_a_point_and_flags() {
        let line =
            r"36 35 98:0 /mnt1 /mnt\0402\134x rw,nosuid,noatime master:1 - ext3 /dev/root rw";
        let mount = Mount::parse(line).unwrap();
        assert_eq!((mount.number, mount.point), (36, PathBuf::from("/mnt 2\\x")));
        assert_eq!((mount.is_read_only, mount.flags), (false, MountFlags::NOSUID));
        assert_eq!(Mount::parse("nonsense"), None);
    }
}
