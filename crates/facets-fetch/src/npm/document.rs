//! What a registry says about one version of a package.

use std::fmt::Write as _;

use facets_digest::json::{self, Limits, Object, Provenance, Value};
use facets_model::FileIdentifier;
use url::Url;

use crate::address;
use crate::error::FetchError;
use crate::stated_hash::{StatedAlgorithm, StatedHash};
use crate::upstream::UpstreamFile;

/// How much of a foreign text is shown.
const MAX_SHOWN: usize = 80;

/// Where a registry describes all versions of a package: `{base}/@scope%2fname`.
#[must_use]
pub fn packument_url(registry: &Url, name: &str) -> Url {
    let mut path = format!("{}/", registry.path().trim_end_matches('/'));
    // These two would lead out of the registry.
    if !matches!(name, "." | "..") {
        push_encoded(name, &mut path);
    }
    let mut url = registry.clone();
    url.set_query(None);
    url.set_fragment(None);
    url.set_path(&path);
    url
}

/// What npm calls the file of a version: the last part of an address can be anything.
#[must_use]
pub fn tarball_name(name: &str, version: &str) -> String {
    let package = name.rsplit('/').next().unwrap_or(name);
    format!("{package}-{version}.tgz")
}

/// Where the registry of npm, and most that stand in for it, keep the file of a version.
#[must_use]
pub fn usual_tarball_url(registry: &Url, name: &str, version: &str) -> Url {
    let mut path = format!("{}/", registry.path().trim_end_matches('/'));
    for (index, part) in name.split('/').enumerate() {
        if index > 0 {
            path.push('/');
        }
        push_encoded(part, &mut path);
    }
    path.push_str("/-/");
    push_encoded(&tarball_name(name, version), &mut path);
    let mut url = registry.clone();
    url.set_query(None);
    url.set_fragment(None);
    url.set_path(&path);
    url
}

/// npm writes the `@` of a scope as it is, and escapes in lower case.
fn push_encoded(segment: &str, path: &mut String) {
    for byte in segment.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'@' => {
                path.push(char::from(byte));
            }
            // Writing into a string does not fail.
            other => _ = write!(path, "%{other:02x}"),
        }
    }
}

/// The tarball of one version, from the document of the whole package. The names and the version in it must be
/// those that were asked for.
pub fn parse_packument(
    bytes: &[u8],
    name: &str,
    version: &str,
    url: &Url,
) -> Result<UpstreamFile, FetchError> {
    let document = parse(bytes, url)?;
    let package = Document { object: as_object(&document, "the document", url)?, url };
    package.must_be("name", name)?;
    let versions = package.member("versions")?;
    let Some(found) = versions.object.get(version) else {
        return Err(FetchError::NotFound {
            what: format!("npm:{name}@{version}"),
            host: url.host_str().unwrap_or_default().to_owned(),
        });
    };
    Document { object: as_object(found, "the version", url)?, url }.tarball(name, version)
}

fn parse<'a>(bytes: &'a [u8], url: &Url) -> Result<Value<'a>, FetchError> {
    json::parse(bytes, Provenance::Captured, Limits::DOCUMENT)
        .map_err(|error| wrong(url, error.to_string()))
}

fn wrong(url: &Url, problem: impl Into<String>) -> FetchError {
    FetchError::Document { url: address::shown(url), problem: problem.into() }
}

fn as_object<'v, 't>(
    value: &'v Value<'t>,
    what: &str,
    url: &Url,
) -> Result<&'v Object<'t>, FetchError> {
    match value {
        Value::Object(object) => Ok(object),
        _ => Err(wrong(url, format!("{what} is not an object"))),
    }
}

/// A foreign text, shortened and without control characters.
fn shown(text: &str) -> String {
    let mut characters = text.chars();
    let start: String = characters.by_ref().take(MAX_SHOWN).collect();
    let rest = if characters.next().is_some() { "…" } else { "" };
    format!("{start:?}{rest}")
}

/// An object of a document, and where that is from.
struct Document<'v, 't> {
    object: &'v Object<'t>,
    url: &'v Url,
}

impl<'v, 't> Document<'v, 't> {
    fn member(&self, name: &str) -> Result<Document<'v, 't>, FetchError> {
        let value = self.object.get(name);
        let value = value.ok_or_else(|| wrong(self.url, format!("`{name}` is missing")))?;
        let object = as_object(value, &format!("`{name}`"), self.url)?;
        Ok(Document { object, url: self.url })
    }

    /// A text; nothing if there is none.
    fn text(&self, name: &str) -> Result<Option<&'v str>, FetchError> {
        match self.object.get(name) {
            Some(Value::String(text)) => Ok(Some(&**text)),
            None | Some(Value::Null) => Ok(None),
            Some(_) => Err(wrong(self.url, format!("`{name}` is not a string"))),
        }
    }

    fn required(&self, name: &str) -> Result<&'v str, FetchError> {
        self.text(name)?.ok_or_else(|| wrong(self.url, format!("`{name}` is missing")))
    }

    /// A registry that answers with another package is refused.
    fn must_be(&self, name: &str, expected: &str) -> Result<(), FetchError> {
        let found = self.required(name)?;
        if found == expected {
            return Ok(());
        }
        let problem = format!("`{name}` is {} instead of {}", shown(found), shown(expected));
        Err(wrong(self.url, problem))
    }

    fn tarball(&self, name: &str, version: &str) -> Result<UpstreamFile, FetchError> {
        self.must_be("name", name)?;
        self.must_be("version", version)?;
        let dist = self.member("dist")?;
        Ok(UpstreamFile {
            identifier: FileIdentifier::Npm { name: name.to_owned(), version: version.to_owned() },
            name: tarball_name(name, version),
            url: dist.tarball_url()?,
            size: None,
            stated: dist.stated()?,
            yanked: None,
        })
    }

    /// On the host that the registry names, whichever that is.
    fn tarball_url(&self) -> Result<Url, FetchError> {
        let text = self.required("tarball")?;
        let refused = |why: &str| wrong(self.url, format!("`dist.tarball` {why}"));
        // Not quoted: it may have credentials in it.
        let mut url = self.url.join(text).map_err(|_| refused("is no address"))?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err(refused("is not an http or https address"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(refused("has credentials in it"));
        }
        url.set_fragment(None);
        Ok(url)
    }

    /// Mirrors may leave out one or both; what is stated must be readable.
    fn stated(&self) -> Result<Vec<StatedHash>, FetchError> {
        let malformed = |place: &str| wrong(self.url, format!("`{place}` is malformed"));
        let mut stated = Vec::new();
        if let Some(text) = self.text("integrity")? {
            let place = "dist.integrity";
            let hashes = StatedHash::from_integrity(text, place);
            stated.extend(hashes.ok_or_else(|| malformed(place))?);
        }
        if let Some(text) = self.text("shasum")? {
            let place = "dist.shasum";
            let hash = StatedHash::from_hex(StatedAlgorithm::Sha1, text, place);
            stated.push(hash.ok_or_else(|| malformed(place))?);
        }
        Ok(stated)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use serde_json::json;

    use super::*;

    const SHA1: &str = "0123456789abcdef0123456789abcdef01234567";

    fn url(text: &str) -> Url {
        text.parse().unwrap()
    }

    fn at() -> Url {
        url("https://r.example/npm/@s%2fpad")
    }

    fn document(dist: &serde_json::Value) -> String {
        let version =
            json!({ "name": "@s/pad", "version": "1.0.0", "dist": dist, "deprecated": "x" });
        json!({ "name": "@s/pad", "versions": { "1.0.0": version } }).to_string()
    }

    fn read(dist: &serde_json::Value) -> Result<UpstreamFile, FetchError> {
        parse_packument(document(dist).as_bytes(), "@s/pad", "1.0.0", &at())
    }

    fn problem(result: Result<UpstreamFile, FetchError>) -> String {
        match result.unwrap_err() {
            FetchError::Document { url, problem } if url == at().as_str() => problem,
            other => other.to_string(),
        }
    }

    #[test]
    fn addresses_are_below_the_registry() {
        for (registry, name, expected) in [
            ("https://r.example/", "pad", "https://r.example/pad"),
            ("https://r.example", "@s/pad", "https://r.example/@s%2fpad"),
            ("https://r.example/a%2Fb/", "@s/pad", "https://r.example/a%2Fb/@s%2fpad"),
            ("https://r.example/npm?x", "pad", "https://r.example/npm/pad"),
            ("https://r.example/npm/", "..", "https://r.example/npm/"),
            ("https://r.example/npm/", "@s/..", "https://r.example/npm/@s%2f.."),
            ("https://r.example/npm/", "a/../?#", "https://r.example/npm/a%2f..%2f%3f%23"),
        ] {
            assert_eq!(packument_url(&url(registry), name).as_str(), expected);
        }
    }

    #[test]
    fn reads_the_tarball_with_every_stated_hash() {
        let sha1 = "sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA=";
        let sha512 = format!("sha512-{}==", "A".repeat(86));
        let integrity = format!("{sha1} md5-x {sha512}?opt");
        let tarball = "https://r.example/npm/@s/pad/-/pad-1.0.0.tgz";
        let dist = json!({ "tarball": tarball, "integrity": integrity, "shasum": SHA1 });
        let file = read(&dist).unwrap();
        assert_eq!(file.identifier.to_string(), "npm:@s/pad@1.0.0");
        assert_eq!(file.name, "pad-1.0.0.tgz");
        assert_eq!(file.url.as_str(), tarball);
        assert_eq!((file.size, &file.yanked), (None, &None));
        let stated: Vec<_> = file.stated.iter().map(|hash| (hash.algorithm, hash.place)).collect();
        assert_eq!(
            stated,
            [
                (StatedAlgorithm::Sha1, "dist.integrity"),
                (StatedAlgorithm::Sha512, "dist.integrity"),
                (StatedAlgorithm::Sha1, "dist.shasum"),
            ]
        );
        let bare = json!({ "tarball": tarball, "integrity": null });
        assert!(read(&bare).unwrap().stated.is_empty());
    }

    #[test]
    fn tarballs_may_lie_elsewhere() {
        for (tarball, expected) in [
            ("https://cdn.example/x.tgz#f", "https://cdn.example/x.tgz"),
            ("http://r.example/x?y", "http://r.example/x?y"),
            ("./-/x.tgz", "https://r.example/npm/-/x.tgz"),
            ("/x.tgz", "https://r.example/x.tgz"),
        ] {
            let file = read(&json!({ "tarball": tarball })).unwrap();
            assert_eq!((file.url.as_str(), &*file.name), (expected, "pad-1.0.0.tgz"));
        }
    }

    #[test]
    fn malformed_descriptions_are_refused() {
        let tarball = "https://r.example/x.tgz";
        let long = format!("sha512-{}", "A".repeat(1 << 20));
        for (dist, expected) in [
            (json!(null), "`dist` is not an object"),
            (json!({}), "`tarball` is missing"),
            (json!({ "tarball": 1 }), "`tarball` is not a string"),
            (
                json!({ "tarball": "file:///etc/passwd" }),
                "`dist.tarball` is not an http or https address",
            ),
            (json!({ "tarball": "data:,x" }), "`dist.tarball` is not an http or https address"),
            (json!({ "tarball": "https://u:p@h/" }), "`dist.tarball` has credentials in it"),
            (json!({ "tarball": "https://u:p@[" }), "`dist.tarball` is no address"),
            (
                json!({ "tarball": tarball, "integrity": "sha512-AAAA" }),
                "`dist.integrity` is malformed",
            ),
            (json!({ "tarball": tarball, "integrity": long }), "`dist.integrity` is malformed"),
            (json!({ "tarball": tarball, "integrity": [] }), "`integrity` is not a string"),
            (json!({ "tarball": tarball, "shasum": "" }), "`dist.shasum` is malformed"),
            (json!({ "tarball": tarball, "shasum": &SHA1[1..] }), "`dist.shasum` is malformed"),
        ] {
            assert_eq!(problem(read(&dist)), expected);
        }
        let good = document(&json!({ "tarball": tarball }));
        let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
        let twice = good.replacen('{', "{\"name\":\"@s/pad\",", 1);
        for text in ["", "[]", "\"x\"", &good[1..], deep.as_str(), twice.as_str()] {
            let refused = parse_packument(text.as_bytes(), "@s/pad", "1.0.0", &at());
            assert!(matches!(refused, Err(FetchError::Document { .. })), "{text}");
        }
        let missing =
            br#"{"name":"@s/pad","versions":{"1.0.0":{"name":"@s/pad","version":"1.0.0"}}}"#;
        let missing = parse_packument(missing, "@s/pad", "1.0.0", &at());
        assert_eq!(problem(missing), "`dist` is missing");
    }

    #[test]
    fn the_query_of_a_document_is_not_shown() {
        let at = url("https://cdn.example/pad?sig=S3CRET");
        let error = parse_packument(b"{}", "pad", "1.0.0", &at).unwrap_err().to_string();
        assert_eq!(error, "https://cdn.example/pad?…: `name` is missing");
    }

    #[test]
    fn another_package_is_refused() {
        let text = document(&json!({ "tarball": "https://r.example/x.tgz" }));
        for (name, expected) in [
            ("pad", "`name` is \"@s/pad\" instead of \"pad\""),
            ("@S/pad", "`name` is \"@s/pad\" instead of \"@S/pad\""),
        ] {
            let refused = parse_packument(text.as_bytes(), name, "1.0.0", &at());
            assert_eq!(problem(refused), expected);
        }
        let hostile = json!({ "name": "\u{1b}[2J".repeat(100), "versions": {} }).to_string();
        let shown = problem(parse_packument(hostile.as_bytes(), "@s/pad", "1.0.0", &at()));
        assert!(shown.len() < 400 && !shown.contains('\u{1b}'), "{shown}");
    }

    #[test]
    fn a_packument_has_the_version_or_not() {
        let version = |name: &str, version: &str| {
            let dist = json!({ "tarball": format!("https://r.example/{version}.tgz") });
            json!({ "name": name, "version": version, "dist": dist })
        };
        let versions = json!({
            "1.0.0": version("@s/pad", "1.0.0"),
            "2.0.0": version("evil", "2.0.0"),
            "3.0.0": version("@s/pad", "1.0.0"),
            "4.0.0": null,
        });
        let text = json!({ "name": "@s/pad", "versions": versions, "readme": "x" }).to_string();
        let read = |version: &str| parse_packument(text.as_bytes(), "@s/pad", version, &at());
        assert_eq!(read("1.0.0").unwrap().url.as_str(), "https://r.example/1.0.0.tgz");
        assert_eq!(problem(read("2.0.0")), "`name` is \"evil\" instead of \"@s/pad\"");
        assert_eq!(problem(read("3.0.0")), "`version` is \"1.0.0\" instead of \"3.0.0\"");
        assert_eq!(problem(read("4.0.0")), "the version is not an object");
        assert_eq!(problem(read("5.0.0")), "npm:@s/pad@5.0.0 was not found on r.example");
        let other = parse_packument(text.as_bytes(), "other", "1.0.0", &at());
        assert_eq!(problem(other), "`name` is \"@s/pad\" instead of \"other\"");
        let none = parse_packument(br#"{"name":"@s/pad"}"#, "@s/pad", "1.0.0", &at());
        assert_eq!(problem(none), "`versions` is missing");
    }
}
