//! The note of a tree about the archive that it was unpacked from. Who has read both need not read the archive to
//! its end again to know what it holds (spec 10.7.4).

use std::io::Write as _;

use facets_digest::Digest;
use facets_files::read_to_limit;
use rustix::fs::OFlags;

use crate::directory::{Directory, reading};
use crate::stamp::Stamp;

/// The file of an entry that has it.
const NOTE: &str = "origin";

/// Whether the tree of an entry was found to be the content of an archive, when it had this manifest.
pub(crate) fn is_noted(entry: &Directory, archive: &Digest, manifest: &Digest) -> bool {
    let Ok(file) = entry.open_file(NOTE, reading()) else { return false };
    let is_ours = Stamp::of(&file).is_ok_and(|stamp| {
        stamp.is_file()
            && stamp.links == 1
            && stamp.owner == rustix::process::geteuid().as_raw()
            && stamp.permissions() == 0o600
    });
    let expected = text(archive, manifest);
    let written = read_to_limit(file, expected.len() as u64).ok().flatten();
    is_ours && written.is_some_and(|bytes| bytes == expected.as_bytes())
}

/// Writes the note. If that fails or is interrupted, the archive is read again the next time.
pub(crate) fn note(entry: &Directory, archive: &Digest, manifest: &Digest) {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::NONBLOCK;
    if let Ok(mut file) = entry.open_file(NOTE, flags) {
        let _ = file.write_all(text(archive, manifest).as_bytes());
    }
}

/// spec 1.5: the line that every preimage of ours begins with
fn text(archive: &Digest, manifest: &Digest) -> String {
    format!("facets:origin:v1\n{archive}\n{manifest}\n")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_note_is_about_one_archive_and_one_manifest() {
        let folder = tempfile::tempdir().unwrap();
        let entry = Directory::open_path(folder.path()).unwrap();
        let [one, two, three] = [b"1", b"2", b"3"].map(|bytes| Digest::of(bytes));
        assert!(!is_noted(&entry, &one, &two));
        note(&entry, &one, &two);
        assert!(is_noted(&entry, &one, &two));
        assert!(!is_noted(&entry, &three, &two) && !is_noted(&entry, &one, &three));
        note(&entry, &three, &two);
        assert!(is_noted(&entry, &three, &two) && !is_noted(&entry, &one, &two));
    }

    #[test]
    fn a_note_that_is_torn_longer_or_has_a_second_name_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let entry = Directory::open_path(folder.path()).unwrap();
        let (archive, manifest) = (Digest::of(b"archive"), Digest::of(b"manifest"));
        note(&entry, &archive, &manifest);
        let path = folder.path().join(NOTE);
        let whole = fs::read(&path).unwrap();
        let longer = [whole.clone(), b"x".to_vec()].concat();
        for bytes in [&whole[..whole.len() - 1], &longer[..], &[][..]] {
            fs::write(&path, bytes).unwrap();
            assert!(!is_noted(&entry, &archive, &manifest));
        }
        fs::write(&path, &whole).unwrap();
        assert!(is_noted(&entry, &archive, &manifest));
        fs::hard_link(&path, folder.path().join("twin")).unwrap();
        assert!(!is_noted(&entry, &archive, &manifest));
    }
}
