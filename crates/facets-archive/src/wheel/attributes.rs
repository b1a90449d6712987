//! What an entry is, by its name and the attributes of the system that made it.

use crate::entry_mode::EntryMode;
use crate::error::WheelError;

/// Systems whose permissions count: Unix and macOS.
const UNIX: [u16; 2] = [3, 19];
/// DOS, in the lower half of the attributes.
const DOS_DIRECTORY: u32 = 0x10;

/// Unix, in the upper half.
const TYPE: u32 = 0o170_000;
const REGULAR: u32 = 0o100_000;
const DIRECTORY: u32 = 0o040_000;
/// Programs that would run as their owner or its group.
const SET_ID: u32 = 0o6000;

/// What an accepted entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WheelEntryKind {
    File(EntryMode),
    /// It says only that there is a directory.
    Directory,
}

/// Judges the attributes of an entry; a name with a slash at its end is that of a directory.
pub(super) fn kind_of(
    entry: &str,
    is_directory: bool,
    made_by: u16,
    attributes: u32,
) -> Result<WheelEntryKind, WheelError> {
    let refuse = |kind| Err(WheelError::EntryType { entry: entry.to_owned(), kind });
    // Not all readers look at the system, so the type counts on each.
    let mode = attributes >> 16;
    match mode & TYPE {
        REGULAR if is_directory => return refuse("a file with the name of a directory"),
        DIRECTORY if !is_directory => return refuse("a directory with the name of a file"),
        0 | REGULAR | DIRECTORY => {}
        other => return refuse(type_name(other)),
    }
    if !is_directory && attributes & DOS_DIRECTORY != 0 {
        return refuse("a directory with the name of a file");
    }
    if mode & SET_ID != 0 {
        return Err(WheelError::Mode { entry: entry.to_owned(), mode: mode & 0o7777 });
    }
    if is_directory {
        return Ok(WheelEntryKind::Directory);
    }
    let has_permissions = UNIX.contains(&(made_by >> 8));
    let bits = if has_permissions { mode } else { 0 };
    Ok(WheelEntryKind::File(EntryMode::of_bits(bits.into())))
}

fn type_name(bits: u32) -> &'static str {
    match bits {
        0o120_000 => "a symbolic link",
        0o020_000 | 0o060_000 => "a device",
        0o010_000 => "a pipe",
        0o140_000 => "a socket",
        _ => "of an unknown type",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ON_UNIX: u16 = 0x0314;
    const ON_DOS: u16 = 0x0014;

    fn kind(name: &str, made_by: u16, mode: u32, dos: u32) -> Result<WheelEntryKind, WheelError> {
        kind_of(name, name.ends_with('/'), made_by, mode << 16 | dos)
    }

    fn refused_as(name: &str, mode: u32, dos: u32) -> &'static str {
        let refused = [ON_UNIX, ON_DOS].map(|system| kind(name, system, mode, dos));
        match refused {
            [Err(WheelError::EntryType { kind, .. }), Err(WheelError::EntryType { .. })] => kind,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn files_are_programs_if_a_unix_says_that_their_owner_may_execute_them() {
        let plain = Ok(WheelEntryKind::File(EntryMode::Plain));
        let program = Ok(WheelEntryKind::File(EntryMode::Executable));
        for mode in [0, 0o600, 0o644, 0o100_644, 0o100_655, 0o101_644] {
            assert_eq!(kind("a", ON_UNIX, mode, 0), plain, "{mode:o}");
        }
        for mode in [0o755, 0o100_755, 0o100_700] {
            assert_eq!(kind("a", ON_UNIX, mode, 0x21), program, "{mode:o}");
            assert_eq!(kind("a", 0x1314, mode, 0), program, "{mode:o} on macOS");
            assert_eq!(kind("a", ON_DOS, mode, 0), plain, "{mode:o} on DOS");
            assert_eq!(kind("a", 0x0a14, mode, 0), plain, "{mode:o} on NTFS");
        }
    }

    #[test]
    fn directories_have_a_slash_and_no_type_that_contradicts_it() {
        let directory = Ok(WheelEntryKind::Directory);
        for (mode, dos) in [(0o040_755, 0x10), (0, 0x10), (0, 0), (0o755, 0)] {
            assert_eq!(kind("a/", ON_UNIX, mode, dos), directory, "{mode:o}");
            assert_eq!(kind("a/", ON_DOS, mode, dos), directory, "{mode:o}");
        }
        assert_eq!(refused_as("a/", 0o100_644, 0), "a file with the name of a directory");
        assert_eq!(refused_as("a", 0o040_755, 0), "a directory with the name of a file");
        assert_eq!(refused_as("a", 0o100_644, 0x10), "a directory with the name of a file");
    }

    #[test]
    fn links_devices_and_the_like_are_refused_on_every_system() {
        let types = [0o120_777, 0o020_644, 0o060_644, 0o010_644, 0o140_644, 0o160_644];
        let names = types.map(|mode| refused_as("a", mode, 0));
        let link = "a symbolic link";
        let expected = [link, "a device", "a device", "a pipe", "a socket", "of an unknown type"];
        assert_eq!(names, expected);
        assert_eq!(refused_as("a/", 0o120_777, 0x10), link);
    }

    #[test]
    fn programs_that_would_run_as_their_owner_are_refused() {
        for mode in [0o104_755, 0o102_755] {
            let refused = kind("a", ON_UNIX, mode, 0);
            let expected = WheelError::Mode { entry: "a".to_owned(), mode: mode & 0o7777 };
            assert_eq!(refused, Err(expected));
        }
    }
}
