//! The page of a project, in either form.

use url::Url;

use super::simple::{SimpleFile, document};
use super::{SIMPLE_HTML, SIMPLE_JSON, simple_html, simple_json};
use crate::error::FetchError;

/// Reads the page of a project that came from `url`, in the form that the header `Content-Type` names.
pub fn parse_simple(
    content_type: &str,
    bytes: &[u8],
    url: &Url,
    project: &str,
) -> Result<Vec<SimpleFile>, FetchError> {
    let media_type = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match media_type.as_str() {
        SIMPLE_JSON => simple_json::parse(bytes, url, project),
        SIMPLE_HTML | "text/html" | "application/xhtml+xml" => simple_html::parse(bytes, url),
        other => {
            let shown: String = other.escape_debug().take(100).collect();
            Err(document(url, format!("`{shown}` is not the type of an index page")))
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn the_content_type_decides_how_a_page_is_read() {
        let url: Url = "https://a.example/simple/mcp/?token=hunter2".parse().unwrap();
        let html = b"<a href='mcp-1.0.tar.gz'>";
        let json = br#"{"meta":{"api-version":"1.0"},"name":"mcp","files":[]}"#;
        for html_type in
            ["text/html", "Text/HTML; charset=utf-8", SIMPLE_HTML, "application/xhtml+xml"]
        {
            assert_eq!(parse_simple(html_type, html, &url, "mcp").unwrap().len(), 1, "{html_type}");
        }
        let json_type = format!("{SIMPLE_JSON} ;x=y");
        assert_eq!(parse_simple(&json_type, json, &url, "mcp").unwrap(), []);
        for other in ["", "application/json", "application/octet-stream", "text/html\u{1b}"] {
            let error = parse_simple(other, html, &url, "mcp").unwrap_err().to_string();
            assert!(error.starts_with("https://a.example/simple/mcp/: "), "{error}");
            assert!(!error.contains(['\u{1b}', '?']), "{error:?}");
        }
    }
}
