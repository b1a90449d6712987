//! `build-manifest.json`: what a facet states about itself, which is compared with its content.

use std::collections::BTreeMap;

use facets_digest::Digest;
use facets_digest::json::{
    self, Limits, Object, Provenance, Value, write_pretty_list, write_string,
};

use crate::error::FacetError;
use crate::index::ArchivedFile;

/// The two files of a facet.
pub(super) const BUILD_MANIFEST: &str = "build-manifest.json";
pub(super) const ARCHIVE: &str = "archive.tar.gz";

/// The most that is read of it: a line for each of the most files there may be.
pub(super) const LARGEST: usize = 32 << 20;

/// A version of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FacetFormat {
    /// 0.1, which has no servers.
    Legacy,
    /// 0.2.
    Current,
}

/// What a facet states about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BuildManifest {
    pub(super) format: FacetFormat,
    pub(super) integrity: Digest,
    pub(super) files: BTreeMap<String, Digest>,
}

/// Reads a build manifest. Its members are fixed, so any other is refused.
pub(super) fn parse(bytes: &[u8]) -> Result<BuildManifest, FacetError> {
    let limits = Limits { bytes: LARGEST, depth: 8, values: 500_000 };
    let value = json::parse(bytes, Provenance::Authored, limits)
        .map_err(|error| FacetError::BuildManifest { problem: error.to_string() })?;
    let Value::Object(members) = &value else { return Err(refuse("not an object")) };
    let format = parse_format(members)?;
    let files_member = match format {
        FacetFormat::Current => "files",
        FacetFormat::Legacy => "assets",
    };
    let known = ["facetVersion", "archive", "integrity", files_member];
    if let Some(other) = members.members().iter().find(|one| !known.contains(&&*one.name)) {
        return Err(refuse(&format!("unknown member {:?}", other.name)));
    }
    if text(members, "archive")? != ARCHIVE {
        return Err(refuse("archive is not archive.tar.gz"));
    }
    let integrity = digest("integrity", text(members, "integrity")?)?;
    let Some(Value::Object(files)) = members.get(files_member) else {
        return Err(refuse(&format!("{files_member} is not an object")));
    };
    let files = files.members().iter().map(|one| {
        let Value::String(hash) = &one.value else { return Err(refuse("a hash is no string")) };
        Ok((one.name.clone().into_owned(), digest(&one.name, hash)?))
    });
    Ok(BuildManifest { format, integrity, files: files.collect::<Result<_, FacetError>>()? })
}

/// spec 4.1: an exact match, so that a newer format is refused and not half understood.
fn parse_format(members: &Object<'_>) -> Result<FacetFormat, FacetError> {
    let found = members.get("facetVersion").map(Value::to_canonical).unwrap_or_default();
    match &*found {
        b"0.2" => Ok(FacetFormat::Current),
        b"0.1" => Ok(FacetFormat::Legacy),
        _ => {
            let found: String = String::from_utf8_lossy(&found).chars().take(40).collect();
            Err(FacetError::FormatVersion { found })
        }
    }
}

fn refuse(problem: &str) -> FacetError {
    FacetError::BuildManifest { problem: problem.to_owned() }
}

fn text<'m>(members: &'m Object<'_>, name: &str) -> Result<&'m str, FacetError> {
    match members.get(name) {
        Some(Value::String(text)) => Ok(text),
        _ => Err(refuse(&format!("{name} is not a string"))),
    }
}

fn digest(member: &str, text: &str) -> Result<Digest, FacetError> {
    text.parse().map_err(|error| refuse(&format!("{member}: {error}")))
}

/// Writes the build manifest of format 0.2: two spaces, one final newline.
pub(super) fn write(integrity: Digest, files: &[ArchivedFile]) -> Vec<u8> {
    let string = |text: &str, out: &mut Vec<u8>| write_string(text, out);
    let members = ["facetVersion", "archive", "integrity", "files"];
    let mut out = Vec::new();
    write_pretty_list(['{', '}'], &members, 0, &mut out, |member, out| {
        string(member, out);
        out.extend_from_slice(b": ");
        match *member {
            "facetVersion" => out.extend_from_slice(b"0.2"),
            "archive" => string(ARCHIVE, out),
            "integrity" => string(&integrity.to_string(), out),
            _ => write_pretty_list(['{', '}'], files, 1, out, |file, out| {
                string(file.path.as_str(), out);
                out.extend_from_slice(b": ");
                string(&file.digest.to_string(), out);
            }),
        }
    });
    out.push(b'\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry_mode::EntryMode;

    #[test]
    fn what_is_written_is_read() {
        let (integrity, digest) = (Digest::of(b"tar"), Digest::of(b"{}"));
        let path = "facet.json".parse().unwrap();
        let files = [ArchivedFile { path, mode: EntryMode::Plain, size: 2, digest }];
        let text = String::from_utf8(write(integrity, &files)).unwrap();
        let expected = format!(
            "{{\n  \"facetVersion\": 0.2,\n  \"archive\": \"archive.tar.gz\",\n  \"integrity\": \
             \"{integrity}\",\n  \"files\": {{\n    \"facet.json\": \"{digest}\"\n  }}\n}}\n"
        );
        assert_eq!(text, expected);
        let read = parse(text.as_bytes()).unwrap();
        assert_eq!((read.format, read.integrity), (FacetFormat::Current, integrity));
        assert_eq!(read.files, BTreeMap::from([("facet.json".to_owned(), digest)]));
    }

    #[test]
    fn other_versions_and_members_are_refused() {
        let hash = Digest::of(b"");
        let good = format!(
            r#"{{"facetVersion":0.1,"archive":"archive.tar.gz","integrity":"{hash}","assets":{{}}}}"#
        );
        assert_eq!(parse(good.as_bytes()).unwrap().format, FacetFormat::Legacy);
        for (from, to) in [
            ("0.1", "0.3"),
            ("0.1", "1"),
            ("0.1", "\"0.1\""),
            ("assets", "files"),
            ("archive.tar.gz", "../x"),
            ("sha256", "SHA256"),
            ("{}", "[]"),
            ("{}", "{\"a\":1}"),
            ("\"archive\"", "\"other\":1,\"archive\""),
        ] {
            assert!(parse(good.replace(from, to).as_bytes()).is_err(), "{from} {to}");
        }
    }
}
