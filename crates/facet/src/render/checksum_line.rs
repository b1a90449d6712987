//! Paths on lines of their own.

use std::fmt::Write as _;
use std::path::Path;

use facets_face::visible;

/// A path on a line of its own, as `sha256sum` writes it: a name that cannot stand as it is
/// has its characters escaped, and the whole line begins with a backslash.
pub(crate) fn checksum_line(digest: &str, path: &Path) -> String {
    let plain = path.to_str().filter(|text| !text.contains('\\') && visible(text) == *text);
    if let Some(path) = plain {
        return format!("{digest}  {path}\n");
    }
    let mut escaped = String::new();
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '\\' => escaped.push_str("\\\\"),
                '"' | '\'' => escaped.push(character),
                _ => escaped.extend(character.escape_debug()),
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(escaped, "\\x{byte:02x}");
        }
    }
    format!("\\{digest}  {escaped}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_path_can_forge_a_line() {
        assert_eq!(checksum_line("d", Path::new("a b")), "d  a b\n");
        assert_eq!(checksum_line("d", Path::new("a\nd  b")), "\\d  a\\nd  b\n");
        assert_eq!(checksum_line("d", Path::new("a\\n")), "\\d  a\\\\n\n");
        #[cfg(unix)]
        {
            use std::os::unix::ffi::OsStrExt as _;
            let bytes = std::ffi::OsStr::from_bytes(b"a\xffb");
            assert_eq!(checksum_line("d", Path::new(bytes)), "\\d  a\\xffb\n");
        }
    }
}
