//! What everybody may read.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// Deeper folders than that stay closed.
const DEEPEST: usize = 64;

/// What everybody may read of a folder: all of it, or the parts of it. That its owner, or a group, may
/// read a file is no reason for a server to.
pub(super) fn open_parts(folder: &Path) -> Vec<PathBuf> {
    let Ok(folder) = std::fs::canonicalize(folder) else { return Vec::new() };
    let mut parts = Vec::new();
    if collect_open_parts(&folder, 0, &mut parts) {
        return vec![folder];
    }
    parts
}

/// Whether all of a folder is open; if not, the parts that are.
fn collect_open_parts(folder: &Path, depth: usize, parts: &mut Vec<PathBuf>) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else { return false };
    let (mut open, mut is_whole) = (Vec::new(), true);
    for entry in entries.flatten() {
        let Ok(data) = entry.metadata() else { continue };
        let mode = data.permissions().mode();
        let is_open = match data.is_dir() {
            _ if data.is_symlink() => continue,
            true if mode & 0o5 == 0o5 && depth < DEEPEST => {
                collect_open_parts(&entry.path(), depth + 1, parts)
            }
            true => false,
            false => mode & 0o4 == 0o4,
        };
        is_whole &= is_open;
        open.extend(is_open.then(|| entry.path()));
    }
    if !is_whole {
        parts.extend(open);
    }
    is_whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_its_owner_or_a_group_may_read_stays_closed() {
        let place = tempfile::tempdir().unwrap();
        let top = std::fs::canonicalize(place.path()).unwrap();
        let put = |path: &str, mode: u32| {
            let path = top.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, "").unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        };
        put("a/file", 0o644);
        put("b/file", 0o755);
        for folder in ["a", "b"] {
            let mode = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(top.join(folder), mode).unwrap();
        }
        assert_eq!(open_parts(&top), std::slice::from_ref(&top));
        put("b/own", 0o400);
        put("b/group", 0o640);
        let mut parts = open_parts(&top);
        parts.sort();
        assert_eq!(parts, [top.join("a"), top.join("b/file")]);
    }
}
