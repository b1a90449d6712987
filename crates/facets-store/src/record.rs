//! The stat record: the stamps of a large tree when all of it was hashed. While they stay the same, the tree is
//! not hashed again (spec 10.7.5 lists what that trusts).

use std::fs::File;
use std::io::Write as _;
use std::time::SystemTime;

use facets_digest::{Digest, Hasher};
use facets_files::read_to_limit;
use rustix::fs::{OFlags, fstatfs};

use crate::directory::{Directory, reading};
use crate::manifest::TreeManifest;
use crate::stamp::{Moment, Stamp};

/// The file of an entry that has it.
const RECORD: &str = "record";

/// Smaller trees are always hashed, which takes some 20 milliseconds at most.
const WORTH_RECORDING: u64 = 16 << 20;

/// Seconds within which two changes may have the same time, on the coarsest file system.
const GRANULE: i64 = 2;

/// File systems of a local disk, whose time of change no program can set: ext2 to ext4, XFS, Btrfs, F2FS.
const LOCAL: [i128; 4] = [0xEF53, 0x5846_5342, 0x9123_683E, 0xF2F5_2010];

/// Whether a tree may have a record.
pub(crate) fn is_worth_recording(entry: &Directory, manifest: &TreeManifest) -> bool {
    manifest.total() > WORTH_RECORDING
        && fstatfs(entry.handle()).is_ok_and(|found| LOCAL.contains(&i128::from(found.f_type)))
}

/// Whether all of a tree was hashed when it had these stamps.
pub(crate) fn is_recorded(entry: &Directory, manifest: &Digest, stamps: &[Stamp]) -> bool {
    let Ok(file) = entry.open_file(RECORD, reading()) else { return false };
    let is_ours = Stamp::of(&file).is_ok_and(|stamp| {
        stamp.is_file()
            && stamp.links == 1
            && stamp.owner == rustix::process::geteuid().as_raw()
            && stamp.permissions() == 0o600
    });
    let expected = text(manifest, stamps);
    let written = read_to_limit(file, expected.len() as u64).ok().flatten();
    is_ours && written.is_some_and(|bytes| bytes == expected.as_bytes())
}

/// A record that is begun before the tree is hashed.
pub(crate) struct NewRecord {
    file: File,
    /// When it was begun, by the clock of the file system.
    begun: Moment,
}

impl NewRecord {
    /// Ends the record that there is, and begins another; nothing where the store cannot be written.
    pub(crate) fn begin(entry: &Directory) -> Option<Self> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::NONBLOCK;
        let file = entry.open_file(RECORD, flags).ok()?;
        // Setting any time sets the time of change to now.
        file.set_modified(SystemTime::now()).ok()?;
        let begun = Stamp::of(&file).ok()?.changed;
        Some(Self { file, begun })
    }

    /// Writes it, if nothing of the tree was changed shortly before it was begun: a change that came after
    /// the hashing could have the same time then. If writing fails, the tree is hashed again the next time.
    pub(crate) fn write(mut self, manifest: &Digest, stamps: &[Stamp]) {
        let (seconds, nanoseconds) = self.begun;
        let latest = (seconds - GRANULE, nanoseconds);
        if stamps.iter().all(|stamp| stamp.changed < latest) {
            let _ = self.file.write_all(text(manifest, stamps).as_bytes());
        }
    }
}

/// All stamps in one digest.
fn text(manifest: &Digest, stamps: &[Stamp]) -> String {
    let mut hasher = Hasher::with_domain("stat-record");
    let mut lines = format!("{manifest}\n");
    for stamp in stamps {
        stamp.write_line(&mut lines);
    }
    hasher.update(lines.as_bytes());
    format!("{}\n", hasher.finish())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn entry() -> (tempfile::TempDir, Directory, Vec<Stamp>) {
        let folder = tempfile::tempdir().unwrap();
        let directory = Directory::open_path(folder.path()).unwrap();
        fs::write(folder.path().join("file"), "").unwrap();
        let stamps = vec![directory.stamp("file").unwrap()];
        (folder, directory, stamps)
    }

    /// As if it had been begun so many seconds later.
    fn begun_after(entry: &Directory, seconds: i64) -> NewRecord {
        let new = NewRecord::begin(entry).unwrap();
        NewRecord { begun: (new.begun.0 + seconds, new.begun.1), ..new }
    }

    #[test]
    fn a_record_holds_as_long_as_nothing_has_changed() {
        let (folder, directory, stamps) = entry();
        let digest = Digest::of(b"manifest");
        assert!(!is_recorded(&directory, &digest, &stamps));
        begun_after(&directory, 3).write(&digest, &stamps);
        assert!(is_recorded(&directory, &digest, &stamps));
        assert!(!is_recorded(&directory, &Digest::of(b"another"), &stamps));
        assert!(!is_recorded(&directory, &digest, &[]));
        let mut changed = stamps.clone();
        changed[0].changed.1 ^= 1;
        assert!(!is_recorded(&directory, &digest, &changed));
        fs::hard_link(folder.path().join("record"), folder.path().join("twin")).unwrap();
        assert!(!is_recorded(&directory, &digest, &stamps), "under a second name");
    }

    #[test]
    fn what_was_changed_just_before_is_not_recorded() {
        let (_folder, directory, stamps) = entry();
        let digest = Digest::of(b"manifest");
        begun_after(&directory, 3).write(&digest, &stamps);
        begun_after(&directory, 0).write(&digest, &stamps);
        assert!(!is_recorded(&directory, &digest, &stamps), "beginning ended the older one");
    }

    #[test]
    fn a_record_that_is_torn_or_longer_is_none() {
        let (folder, directory, stamps) = entry();
        let digest = Digest::of(b"manifest");
        begun_after(&directory, 3).write(&digest, &stamps);
        let path = folder.path().join("record");
        let whole = fs::read(&path).unwrap();
        let longer = [whole.clone(), b"x".to_vec()].concat();
        for bytes in [&whole[..whole.len() - 1], &longer[..], &[][..]] {
            fs::write(&path, bytes).unwrap();
            assert!(!is_recorded(&directory, &digest, &stamps));
        }
        fs::write(&path, &whole).unwrap();
        assert!(is_recorded(&directory, &digest, &stamps));
    }

    #[test]
    fn small_trees_are_always_hashed() {
        let (_folder, directory, _) = entry();
        assert!(!is_worth_recording(&directory, &TreeManifest::default()));
    }
}
