//! Which files of a wheel are installed, and where: the rules of the wheel format.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Seek as _;

use facets_archive::{ArchiveLimits, ArchivedFile, EntryMode, TakeFile, visit_wheel};
use facets_closure::PackageFlag;
use facets_digest::Digest;
use facets_store::StoredFile;

use crate::error::PackageError;
use crate::machine_code::is_machine_code;

/// Signatures of the list itself, which nothing lists.
const UNLISTED: [&str; 3] = ["RECORD", "RECORD.jws", "RECORD.p7s"];

/// Takes a file: where it goes, whether it is a program, and its content.
pub(crate) type TakeInstalled<'t, E> = dyn FnMut(&str, EntryMode, &[u8]) -> Result<(), E> + 't;

/// Hands every installed file of a wheel on, after all of the wheel was compared with its own list.
pub(crate) fn visit_installed<E: From<PackageError>>(
    stored: &StoredFile,
    wheel: &str,
    take: &mut TakeInstalled<'_, E>,
) -> Result<(), E> {
    check_record(stored, wheel)?;
    let mut result = Ok(());
    let mut each = |file: &ArchivedFile, content: &[u8]| -> Result<(), PackageError> {
        if let (Ok(()), Some(path)) = (&result, installed_path(file.path.as_str())) {
            result = take(&path, file.mode, content);
        }
        Ok(())
    };
    read_wheel_with(stored, wheel, &mut each)?;
    result
}

/// What sets a wheel apart.
pub(crate) fn wheel_flags(
    stored: &StoredFile,
    wheel: &str,
) -> Result<BTreeSet<PackageFlag>, PackageError> {
    let mut is_native = false;
    visit_installed(stored, wheel, &mut |path: &str,
                                         _,
                                         content: &[u8]|
     -> Result<(), PackageError> {
        is_native |= is_machine_code(path, content);
        Ok(())
    })?;
    Ok(is_native.then_some(PackageFlag::Native).into_iter().collect())
}

fn read_wheel_with(
    mut stored: &StoredFile,
    wheel: &str,
    take: &mut TakeFile<'_, PackageError>,
) -> Result<(), PackageError> {
    let unreadable = |_| PackageError::Wheel {
        wheel: wheel.to_owned(),
        problem: "it cannot be read from the store".to_owned(),
    };
    stored.rewind().map_err(unreadable)?;
    visit_wheel(&mut stored, &ArchiveLimits::SPEC, take)
        .map(drop)
        .map_err(|error| error.of_package(wheel))
}

/// Where a file goes; none if it is not installed. Scripts are started by their entry points instead, and bytecode is
/// compiled here.
fn installed_path(path: &str) -> Option<String> {
    if path.split('/').any(|part| part == "__pycache__") {
        return None;
    }
    let Some((top, rest)) = path.split_once('/') else { return Some(path.to_owned()) };
    if !top.ends_with(".data") {
        return Some(path.to_owned());
    }
    let (scheme, rest) = rest.split_once('/')?;
    matches!(scheme, "purelib" | "platlib" | "data").then(|| rest.to_owned())
}

/// Every file is in the list of the wheel, with its hash.
fn check_record(stored: &StoredFile, wheel: &str) -> Result<(), PackageError> {
    let mut found: BTreeMap<String, Digest> = BTreeMap::new();
    let mut record = None;
    let mut each = |file: &ArchivedFile, content: &[u8]| -> Result<(), PackageError> {
        let path = file.path.as_str();
        let name = dist_info_name(path);
        if name == Some("RECORD") {
            record = Some(String::from_utf8_lossy(content).into_owned());
        }
        if name.is_none_or(|name| !UNLISTED.contains(&name)) {
            found.insert(path.to_owned(), file.digest);
        }
        Ok(())
    };
    read_wheel_with(stored, wheel, &mut each)?;
    let wrong = |problem: String| PackageError::Wheel { wheel: wheel.to_owned(), problem };
    let record = record.ok_or_else(|| wrong("it has no RECORD".to_owned()))?;
    let listed = read_record(&record);
    for (path, digest) in &found {
        match listed.get(path.as_str()) {
            Some(Some(hash)) if hash == digest => {}
            Some(Some(hash)) => {
                return Err(wrong(format!("{path} is {digest}, and its RECORD lists {hash}")));
            }
            Some(None) => return Err(wrong(format!("its RECORD has no SHA-256 of {path}"))),
            None => return Err(wrong(format!("its RECORD does not list {path}"))),
        }
    }
    Ok(())
}

/// The name of a file directly in the metadata of a wheel.
fn dist_info_name(path: &str) -> Option<&str> {
    let (folder, name) = path.split_once('/')?;
    (folder.ends_with(".dist-info") && !name.contains('/')).then_some(name)
}

/// Paths and their SHA-256, where that is what is listed. Of a path with quotes, both are doubled.
fn read_record(text: &str) -> BTreeMap<String, Option<Digest>> {
    let mut listed = BTreeMap::new();
    for line in text.lines() {
        let (path, rest) = match line.strip_prefix('"') {
            Some(quoted) => match quoted.split_once("\",") {
                Some((path, rest)) => (path.replace("\"\"", "\""), rest),
                None => continue,
            },
            None => match line.split_once(',') {
                Some((path, rest)) => (path.to_owned(), rest),
                None => continue,
            },
        };
        let hash = rest.split(',').next().unwrap_or_default();
        listed.insert(path, hash.strip_prefix("sha256=").and_then(digest_of));
    }
    listed
}

/// A SHA-256 in the alphabet of addresses, without padding.
fn digest_of(encoded: &str) -> Option<Digest> {
    let mut bits: u32 = 0;
    let mut count = 0;
    let mut hex = String::new();
    for c in encoded.trim_end_matches('=').bytes() {
        let value = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'-' | b'+' => 62,
            b'_' | b'/' => 63,
            _ => return None,
        };
        bits = (bits << 6 | u32::from(value)) & 0xffff;
        count += 6;
        if count >= 8 {
            count -= 8;
            let _ = write!(hex, "{:02x}", (bits >> count) & 0xff);
        }
    }
    format!("sha256:{hex}").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_lists_paths_and_hashes_of_two_alphabets() {
        let empty = Digest::of(b"");
        let listed = read_record(
            "a/b.py,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,0\r\n\
             \"c,\"\"d\"\".py\",sha256=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=,0\n\
             e.py,md5=AAAA,3\nx.dist-info/RECORD,,\n",
        );
        assert_eq!(listed["a/b.py"], Some(empty));
        assert_eq!(listed["c,\"d\".py"], Some(empty));
        assert_eq!(listed["e.py"], None);
        assert_eq!(listed["x.dist-info/RECORD"], None);
    }

    #[test]
    fn files_go_where_installers_put_them_and_bytecode_stays_out() {
        let to = |path: &str| installed_path(path);
        assert_eq!(to("a/b.py").as_deref(), Some("a/b.py"));
        assert_eq!(to("a-1.data/purelib/a/b.py").as_deref(), Some("a/b.py"));
        assert_eq!(to("a-1.data/platlib/a.so").as_deref(), Some("a.so"));
        assert_eq!(to("a-1.data/data/share/x").as_deref(), Some("share/x"));
        assert_eq!(to("a-1.data/scripts/run"), None);
        assert_eq!(to("a-1.data/headers/a.h"), None);
        assert_eq!(to("a/__pycache__/b.cpython-311.pyc"), None);
    }
}
