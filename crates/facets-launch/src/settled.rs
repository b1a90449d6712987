//! Where a path leads, whatever a server does.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

/// As many links as Linux follows.
const MOST_LINKS: usize = 40;

/// Where an absolute path leads, if whoever can write these folders has no say in it: neither the path nor
/// a link on its way passes through one of them. None also if it leads nowhere.
#[must_use]
pub fn settled_path(path: &Path, writable: &[PathBuf]) -> Option<PathBuf> {
    let is_writable = |place: &Path| writable.iter().any(|folder| place.starts_with(folder));
    let mut open = steps(path)?;
    let mut place = PathBuf::from("/");
    let mut links = 0;
    while let Some(step) = open.pop_front() {
        let next = match step {
            Step::Root => {
                place = PathBuf::from("/");
                continue;
            }
            Step::Up => {
                place.pop();
                continue;
            }
            Step::Into(name) => place.join(name),
        };
        if is_writable(&next) {
            return None;
        }
        if next.symlink_metadata().ok()?.is_symlink() {
            links += 1;
            if links > MOST_LINKS {
                return None;
            }
            let mut target = steps(&next.read_link().ok()?)?;
            target.append(&mut open);
            open = target;
        } else {
            place = next;
        }
    }
    Some(place)
}

/// One step along a path.
enum Step {
    Root,
    Up,
    Into(OsString),
}

/// None for what is no path on this system.
fn steps(path: &Path) -> Option<VecDeque<Step>> {
    let step = |part: Component<'_>| match part {
        Component::RootDir => Some(Some(Step::Root)),
        Component::CurDir => Some(None),
        Component::ParentDir => Some(Some(Step::Up)),
        Component::Normal(name) => Some(Some(Step::Into(name.to_owned()))),
        Component::Prefix(_) => None,
    };
    let steps: Option<Vec<Option<Step>>> = path.components().map(step).collect();
    steps.map(|steps| steps.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_path_through_what_a_server_can_write_is_not_settled() {
        let folder = tempfile::tempdir().unwrap();
        let top = std::fs::canonicalize(folder.path()).unwrap();
        for folder in ["data/inner", "lib", "other"] {
            std::fs::create_dir_all(top.join(folder)).unwrap();
        }
        for file in ["data/file", "lib/file", "other/file"] {
            std::fs::write(top.join(file), "").unwrap();
        }
        for (target, link) in [
            ("data/file", "into"),
            ("into", "twice"),
            ("../other/file", "data/out"),
            ("data/out", "through"),
            ("lib", "folder"),
            ("folder/file", "plain"),
            ("circle", "circle"),
            ("data", "data link"),
        ] {
            symlink(target, top.join(link)).unwrap();
        }
        symlink(top.join("lib/file"), top.join("absolute")).unwrap();
        let writable = [top.join("data")];
        let settled = |path: &str| settled_path(&top.join(path), &writable);
        for path in ["lib/file", "lib/../lib/./file", "folder/file", "plain", "absolute"] {
            assert_eq!(settled(path), Some(top.join("lib/file")), "{path}");
        }
        for path in [
            "data/file",
            "lib/../data/file",
            "into",
            "twice",
            "through",
            "data/../lib/file",
            "data/inner/../../lib/file",
            "data link/file",
            "circle",
            "nowhere",
            "lib/file/x",
        ] {
            assert_eq!(settled(path), None, "{path}");
        }
        assert_eq!(settled_path(&top.join("through"), &[]), Some(top.join("other/file")));
    }
}
