//! The files of a program, as a scan reads them from the disk.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use facets_files::{FileError, read_regular};
use facets_scan::{Files, FolderListing};

/// Larger files are not source that anybody wrote or bundled.
const MAX_SOURCE: u64 = 16 << 20;
/// Files of a tree without a manifest.
const MAX_LISTED: usize = 50_000;

/// The disk as it is. Only regular files are read, and none that is too large.
pub(crate) struct Disk;

impl Files for Disk {
    fn is_file(&self, path: &str) -> bool {
        Path::new(path).is_file()
    }

    fn real(&self, path: &str) -> String {
        let real = fs::canonicalize(path).ok().and_then(|real| real.to_str().map(str::to_owned));
        real.unwrap_or_else(|| path.to_owned())
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        read_regular(Path::new(path), MAX_SOURCE).map_err(|error| match error {
            FileError::TooLarge { .. } => format!("is larger than {} MiB", MAX_SOURCE >> 20),
            FileError::Unreadable { source, .. } => format!("cannot be read: {source}"),
            other => other.to_string(),
        })
    }

    fn has_first_line(&self, path: &str) -> bool {
        let mut begins = [0; 2];
        let read = |mut file: fs::File| file.read_exact(&mut begins);
        self.is_file(path) && fs::File::open(path).and_then(read).is_ok() && begins == *b"#!"
    }

    fn list(&self, folder: &str) -> FolderListing {
        let mut listing = FolderListing::default();
        let mut folders = vec![PathBuf::from(folder)];
        let mut left = MAX_LISTED;
        while let Some(folder) = folders.pop() {
            let entries = fs::read_dir(&folder)
                .and_then(|all| all.take(left + 1).collect::<Result<Vec<_>, _>>());
            let count = entries.as_ref().map_or(0, Vec::len);
            match entries {
                Ok(entries) => {
                    for entry in entries {
                        list_entry(&entry, &mut folders, &mut listing);
                    }
                }
                Err(error) => leave_out(&folder, format!("cannot be read: {error}"), &mut listing),
            }
            if count > left {
                leave_out(
                    &folder,
                    format!("was not read: more than {MAX_LISTED} files"),
                    &mut listing,
                );
                break;
            }
            left -= count;
        }
        listing.files.sort();
        listing
    }
}

fn list_entry(entry: &fs::DirEntry, folders: &mut Vec<PathBuf>, listing: &mut FolderListing) {
    let path = entry.path();
    let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
    match (fs::metadata(&path), path.to_str()) {
        _ if entry.file_name() == "node_modules" => {}
        (Ok(found), _) if found.is_dir() && is_link => {
            leave_out(&path, "is a link to a directory".to_owned(), listing);
        }
        (Ok(found), _) if found.is_dir() => folders.push(path),
        (Ok(found), Some(text)) if found.is_file() => listing.files.push(text.to_owned()),
        (Ok(found), None) if found.is_file() => {
            leave_out(&path, "has a name that is not UTF-8".to_owned(), listing);
        }
        // Nothing else can be started, nor can a link that leads nowhere.
        _ => {}
    }
}

fn leave_out(path: &Path, reason: String, listing: &mut FolderListing) {
    listing.unread.push((path.to_string_lossy().into_owned(), reason));
}
