//! The directories above the store: a user who can rename in one of them can replace the store.

use std::fs::{Metadata, read_to_string, symlink_metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use crate::error::{StoreError, unreadable};

/// Root can do everything anyway.
const ROOT: u32 = 0;
/// Permission bits: for the group, for all others, and that only owners rename and remove.
const GROUP_WRITES: u32 = 0o020;
const OTHERS_WRITE: u32 = 0o002;
const STICKY: u32 = 0o1000;

const FOREIGN: &str = "it is above the store and belongs to another user";
const WRITABLE: &str = "it is above the store, and other users can write to it";

/// Refuses a store below a directory in which another user can put something in the place of the next one. The
/// path has no links.
pub(crate) fn refuse_unsafe_ancestors(cache: &Path) -> Result<(), StoreError> {
    for path in cache.ancestors().skip(1) {
        let found = symlink_metadata(path).map_err(unreadable(path))?;
        if let Some(reason) = objection(&found) {
            return Err(StoreError::Untrusted { path: path.to_owned(), reason });
        }
    }
    Ok(())
}

/// What is wrong with a directory above the store. With the sticky bit others can add names and cannot take that
/// of the next directory, whose owner is looked at as well.
fn objection(found: &Metadata) -> Option<&'static str> {
    let user = rustix::process::geteuid().as_raw();
    let (owner, mode) = (found.uid(), found.mode());
    if owner != user && owner != ROOT && !is_unmapped(owner) {
        return Some(FOREIGN);
    }
    let is_shared = mode & OTHERS_WRITE != 0
        || (mode & GROUP_WRITES != 0 && !is_private_group(found.gid(), user));
    (is_shared && mode & STICKY == 0).then_some(WRITABLE)
}

/// Whether an owner is none of this user namespace: there, directories of the real root have a stand-in.
fn is_unmapped(owner: u32) -> bool {
    let stand_in = read_to_string("/proc/sys/kernel/overflowuid").ok();
    let is_stand_in = stand_in.and_then(|text| text.trim().parse().ok()) == Some(owner);
    let mapped = read_to_string("/proc/self/uid_map");
    is_stand_in && mapped.is_ok_and(|map| !maps(&map, owner))
}

/// Whether a map of users (first inside, first outside, count) has this one inside.
fn maps(map: &str, user: u32) -> bool {
    map.lines().any(|line| {
        let mut numbers = line.split_whitespace().map(str::parse::<u64>);
        let (Some(Ok(first)), Some(Ok(_)), Some(Ok(count))) =
            (numbers.next(), numbers.next(), numbers.next())
        else {
            return true;
        };
        let user = u64::from(user);
        first <= user && user - first < count
    })
}

/// Whether a group has this user and no other, as the group that many systems make for each user.
fn is_private_group(group: u32, user: u32) -> bool {
    let read = |path: &str| read_to_string(path).unwrap_or_default();
    group == rustix::process::getegid().as_raw()
        && has_no_other_member((&read("/etc/passwd"), &read("/etc/group")), group, user)
}

/// The same by the lists of users and groups.
fn has_no_other_member((users, groups): (&str, &str), group: u32, user: u32) -> bool {
    let field = |line: &str, index: usize| line.split(':').nth(index).unwrap_or("").to_owned();
    let (group, user) = (group.to_string(), user.to_string());
    let Some(own) = users.lines().find(|line| field(line, 2) == user) else { return false };
    let name = field(own, 0);
    let is_other = |line: &str| field(line, 3) == group && field(line, 2) != user;
    let mut listed = groups.lines().filter(|line| field(line, 2) == group).peekable();
    listed.peek().is_some()
        && !users.lines().any(is_other)
        && listed
            .all(|line| field(line, 3).split(',').all(|member| member.is_empty() || member == name))
}

#[cfg(test)]
mod tests {
    use std::fs::{Permissions, create_dir_all, set_permissions};
    use std::os::unix::fs::{PermissionsExt as _, chown};

    use super::*;

    #[test]
    fn a_directory_that_others_can_write_is_refused_unless_it_is_sticky() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let (shared, cache) = (top.join("shared"), top.join("shared/below/facet"));
        create_dir_all(&cache).unwrap();
        let look = |mode: u32| {
            set_permissions(&shared, Permissions::from_mode(mode)).unwrap();
            refuse_unsafe_ancestors(&cache)
        };
        for mode in [0o700, 0o755, 0o1777] {
            assert!(look(mode).is_ok(), "{mode:o}");
        }
        for mode in [0o777, 0o757] {
            let Err(StoreError::Untrusted { path, reason }) = look(mode) else {
                panic!("{mode:o}")
            };
            assert_eq!((path, reason), (shared.clone(), WRITABLE));
        }
    }

    #[test]
    fn a_directory_of_another_user_is_refused_also_below_a_sticky_one() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let (foreign, cache) = (top.join("foreign"), top.join("foreign/facet"));
        create_dir_all(&cache).unwrap();
        set_permissions(&top, Permissions::from_mode(0o1777)).unwrap();
        assert!(refuse_unsafe_ancestors(&cache).is_ok());
        // Only root can give something away.
        if chown(&foreign, Some(12345), None).is_ok() {
            let Err(StoreError::Untrusted { path, reason }) = refuse_unsafe_ancestors(&cache)
            else {
                panic!("a directory of another user is used")
            };
            assert_eq!((path, reason), (foreign, FOREIGN));
        }
    }

    #[test]
    fn the_group_of_one_user_is_told_from_shared_ones() {
        let users = "root:x:0:0::/root:/bin/sh\nada:x:1000:1000::/home/ada:/bin/sh\nbob:x:1001:100::/:/bin/sh\n";
        let groups = "root:x:0:\nada:x:1000:\nusers:x:100:\nstaff:x:50:ada,bob\n";
        let is_private = |group: u32, user: u32| has_no_other_member((users, groups), group, user);
        assert!(is_private(1000, 1000) && is_private(100, 1001));
        assert!(!is_private(50, 1000), "with another member");
        assert!(!is_private(100, 1000), "the first group of another user");
        assert!(!is_private(7, 1000), "a group that is not listed");
        assert!(!is_private(1000, 7), "a user who is not listed");
    }

    #[test]
    fn owners_outside_of_a_user_namespace_are_told_apart() {
        assert!(maps("         0          0 4294967295\n", 65534));
        assert!(!maps("      1000       1000          1\n", 65534));
        assert!(maps("0 1000 1\n1 100000 65536\n", 65534));
        assert!(maps("no numbers", 65534), "what cannot be read is no reason to trust");
    }
}
