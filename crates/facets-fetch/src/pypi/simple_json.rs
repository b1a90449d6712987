//! The page of a project as JSON (PEP 691).

use facets_digest::json::{self, Limits, Number, Provenance, Value};
use url::Url;

use super::index_hashes::IndexHashes;
use super::link::{egg, resolve};
use super::names::normalized_name;
use super::simple::{MAX_FILES, SimpleFile, document, refused_link};
use crate::error::FetchError;
use crate::upstream::Yanked;

/// Reads every file that is listed. Members that are not known are passed over.
pub(super) fn parse(
    bytes: &[u8],
    page: &Url,
    project: &str,
) -> Result<Vec<SimpleFile>, FetchError> {
    let value = json::parse(bytes, Provenance::Captured, Limits::DOCUMENT)
        .map_err(|error| document(page, error.to_string()))?;
    check_version(&value, page)?;
    let other =
        text(&value, "name").filter(|name| normalized_name(name) != normalized_name(project));
    if other.is_some() {
        return Err(document(page, "the page is that of another project"));
    }
    let Some(Value::Array(files)) = value.member("files") else {
        return Err(document(page, "`files` is not a list"));
    };
    if files.len() > MAX_FILES {
        return Err(document(page, format!("the page has more than {MAX_FILES} files")));
    }
    files.iter().filter_map(|value| file(value, page).transpose()).collect()
}

/// PEP 629: a reader of one major version must refuse others.
fn check_version(value: &Value<'_>, page: &Url) -> Result<(), FetchError> {
    let version = value.member("meta").and_then(|meta| text(meta, "api-version"));
    match version.map(|version| version.split('.').next().unwrap_or_default()) {
        None | Some("1") => Ok(()),
        Some(_) => Err(document(page, "the page is written for another version of the API than 1")),
    }
}

/// A file; nothing if its address cannot be fetched.
fn file(value: &Value<'_>, page: &Url) -> Result<Option<SimpleFile>, FetchError> {
    let (Some(name), Some(link)) = (text(value, "filename"), text(value, "url")) else {
        return Err(document(page, "a file without `filename` or `url`"));
    };
    let resolved = resolve(page, link).map_err(|problem| refused_link(page, problem))?;
    let Some((url, fragment)) = resolved else { return Ok(None) };
    let mut hashes = hashes(value, &url)?;
    // pip compares it, too.
    hashes.add_fragment(&fragment, &url)?;
    let egg = egg(&url, &fragment);
    let requires_python = text(value, "requires-python").filter(|text| !text.is_empty());
    Ok(Some(SimpleFile {
        name: name.to_owned(),
        url,
        uncompared: hashes.uncompared(),
        hashes: hashes.comparable,
        size: size(value),
        yanked: yanked(value),
        requires_python: requires_python.map(str::to_owned),
        egg,
    }))
}

fn hashes(value: &Value<'_>, url: &Url) -> Result<IndexHashes, FetchError> {
    let mut hashes = IndexHashes::default();
    let Some(Value::Object(stated)) = value.member("hashes") else { return Ok(hashes) };
    for member in stated.members() {
        let Value::String(hex) = &member.value else {
            return Err(document(url, "a hash that is no text"));
        };
        hashes.add(&member.name, hex, url)?;
    }
    Ok(hashes)
}

fn size(value: &Value<'_>) -> Option<u64> {
    match value.member("size") {
        Some(Value::Number(Number::Integer(digits))) => digits.parse().ok(),
        _ => None,
    }
}

/// `true`, or the reason.
fn yanked(value: &Value<'_>) -> Option<Yanked> {
    match value.member("yanked") {
        Some(Value::Bool(true)) => Some(Yanked::default()),
        Some(Value::String(reason)) if !reason.is_empty() => {
            Some(Yanked { reason: Some(reason.to_string()) })
        }
        _ => None,
    }
}

/// A member that is a text.
fn text<'v>(value: &'v Value<'_>, name: &str) -> Option<&'v str> {
    match value.member(name) {
        Some(Value::String(text)) => Some(text.as_ref()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::stated_hash::{StatedAlgorithm, StatedHash};

    const HASH: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    fn read(text: &str) -> Result<Vec<SimpleFile>, FetchError> {
        let page: Url = "https://a.example/simple/mcp/".parse().unwrap();
        parse(text.as_bytes(), &page, "mcp")
    }

    fn page(files: &str) -> String {
        format!(r#"{{"meta":{{"api-version":"1.0"}},"name":"MCP","files":[{files}]}}"#)
    }

    #[test]
    fn reads_files_and_passes_over_members_that_are_not_known() {
        let text = format!(
            r#"{{"meta":{{"api-version":"1.4","_last-serial":7,"tracks":[]}},"name":"mcp",
            "versions":["1.0"],"project-status":{{"status":"active"}},"files":[
            {{"filename":"mcp-1.0.tar.gz","url":"https://files.example/ab/mcp-1.0.tar.gz#x",
              "hashes":{{"sha256":"{HASH}","md5":"0","blake2b":"1"}},"requires-python":">=3.10",
              "size":1234,"upload-time":"2026-01-01T00:00:00Z","yanked":false,"provenance":null,
              "core-metadata":{{"sha256":"2"}}}},
            {{"filename":"mcp-1.0-py3-none-any.whl","url":"../../f/mcp.whl","hashes":{{}},
              "yanked":"unsafe","requires-python":null,"size":-1}}]}}"#
        );
        let files = read(&text).unwrap();
        assert_eq!(files.len(), 2);
        assert_eq!(files[0].name, "mcp-1.0.tar.gz");
        assert_eq!(files[0].url.as_str(), "https://files.example/ab/mcp-1.0.tar.gz");
        assert_eq!(files[0].requires_python.as_deref(), Some(">=3.10"));
        assert_eq!((files[0].size, &files[0].yanked), (Some(1234), &None));
        let expected = StatedHash::from_hex(StatedAlgorithm::Sha256, HASH, "index").unwrap();
        assert_eq!(files[0].hashes, [expected]);
        assert_eq!(files[1].url.as_str(), "https://a.example/f/mcp.whl");
        assert_eq!(files[1].yanked, Some(Yanked { reason: Some("unsafe".to_owned()) }));
        assert_eq!((files[1].size, files[1].requires_python.as_deref()), (None, None));
        assert_eq!(files[1].hashes, []);
    }

    #[test]
    fn yanked_is_a_truth_or_a_reason() {
        let yanked = |value: &str| {
            let file = format!(r#"{{"filename":"mcp-1.zip","url":"mcp-1.zip","yanked":{value}}}"#);
            read(&page(&file)).unwrap().remove(0).yanked
        };
        assert_eq!(yanked("true"), Some(Yanked::default()));
        for value in ["false", "null", "\"\"", "0"] {
            assert_eq!(yanked(value), None, "{value}");
        }
    }

    #[test]
    fn addresses_that_cannot_be_fetched_are_passed_over() {
        for url in ["javascript:mcp-1.zip", "data:,mcp-1.zip", "mailto:mcp-1.zip"] {
            let file = format!(r#"{{"filename":"mcp-1.zip","url":"{url}"}}"#);
            assert!(read(&page(&file)).unwrap().is_empty(), "{url}");
        }
        // pip takes it, so that it needs a hash, which cannot be made here.
        let file = r#"{"filename":"mcp-1.zip","url":"file:///mcp-1.zip"}"#;
        assert_eq!(read(&page(file)).unwrap()[0].url.as_str(), "file:///mcp-1.zip");
    }

    #[test]
    fn hashes_of_the_address_count_and_unsupported_ones_are_noted() {
        let one = |url: &str, hashes: &str| {
            let file = format!(r#"{{"filename":"mcp-1.zip","url":"{url}","hashes":{{{hashes}}}}}"#);
            read(&page(&file)).unwrap().remove(0)
        };
        let file = one("mcp-1.zip", r#""md5":"00""#);
        assert_eq!((file.hashes.len(), file.uncompared.as_deref()), (0, Some("md5")));
        let file = one("mcp-1.zip#md5=00", "");
        assert_eq!(file.uncompared.as_deref(), Some("md5"));
        let file = one(&format!("mcp-1.zip#sha256={HASH}"), r#""blake2b":"00""#);
        assert_eq!((file.hashes.len(), file.uncompared), (1, None));
        let stated = format!(r#""sha256":"{HASH}""#);
        let file = one(&format!("mcp-1.zip#sha256={}", HASH.replace('0', "1")), &stated);
        assert_eq!(file.hashes.len(), 2);
    }

    #[test]
    fn malformed_pages_are_refused() {
        for text in [
            String::new(),
            "[]".to_owned(),
            "{}".to_owned(),
            r#"{"files":{}}"#.to_owned(),
            r#"{"files":[],"files":[]}"#.to_owned(),
            r#"{"meta":{"api-version":"2.0"},"files":[]}"#.to_owned(),
            r#"{"name":"other","files":[]}"#.to_owned(),
            page("1"),
            page(r#"{"filename":"mcp-1.zip"}"#),
            page(r#"{"filename":1,"url":"mcp-1.zip"}"#),
            page(r#"{"filename":"mcp-1.zip","url":"http://["}"#),
            page(r#"{"filename":"mcp-1.zip","url":"a\\../mcp-1.zip"}"#),
            page(r#"{"filename":"mcp-1.zip","url":"https://u:p@b.example/mcp-1.zip"}"#),
            page(r#"{"filename":"mcp-1.zip","url":"mcp-1.zip#sha256=00"}"#),
            page(r#"{"filename":"mcp-1.zip","url":"mcp-1.zip","hashes":{"sha256":"00"}}"#),
            page(r#"{"filename":"mcp-1.zip","url":"mcp-1.zip","hashes":{"sha256":1}}"#),
            page(&format!("{}0", "0,".repeat(MAX_FILES))),
        ] {
            let refused = matches!(read(&text), Err(FetchError::Document { .. }));
            assert!(refused, "{}", text.get(..80).unwrap_or(&text));
        }
    }
}
