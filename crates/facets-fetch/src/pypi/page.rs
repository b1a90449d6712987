//! The page of a project, in either form.

use url::Url;

use super::simple::{SimpleFile, document};
use super::{SIMPLE_HTML, SIMPLE_JSON, simple_html, simple_json};
use crate::error::FetchError;

/// The spellings of UTF-8, and of ASCII, which is a part of it.
const CHARSETS: [&str; 4] = ["utf-8", "utf8", "us-ascii", "ascii"];

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
        SIMPLE_HTML | "text/html" | "application/xhtml+xml" if has_utf_8(content_type) => {
            simple_html::parse(bytes, url)
        }
        SIMPLE_HTML | "text/html" | "application/xhtml+xml" => {
            Err(document(url, "the charset of the page is not UTF-8"))
        }
        other => {
            let shown: String = other.escape_debug().take(100).collect();
            Err(document(url, format!("`{shown}` is not the type of an index page")))
        }
    }
}

/// pip decodes HTML as the header says, and as UTF-8 without a charset. Python also takes one in parts
/// (`charset*0=`), and of two the first.
fn has_utf_8(content_type: &str) -> bool {
    let lower = content_type.to_ascii_lowercase();
    match lower.matches("charset").count() {
        0 => true,
        1 => lower.split(';').skip(1).any(is_utf_8),
        _ => false,
    }
}

fn is_utf_8(parameter: &str) -> bool {
    let Some((name, value)) = parameter.split_once('=') else { return false };
    name.trim() == "charset" && CHARSETS.contains(&value.trim().trim_matches(['"', '\'']))
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

    #[test]
    fn html_of_another_charset_is_refused() {
        let url: Url = "https://a.example/simple/mcp/".parse().unwrap();
        let read = |kind: &str| parse_simple(kind, b"<a href='mcp-1.0.tar.gz'>", &url, "mcp");
        for charset in ["utf-8", "UTF-8", "\"utf-8\"", "us-ascii", "US-ASCII; x=y", "utf8"] {
            assert!(read(&format!("text/html; charset={charset}")).is_ok(), "{charset}");
            assert!(read(&format!("{SIMPLE_HTML};Charset = {charset}")).is_ok(), "{charset}");
        }
        for parameters in [
            "charset=utf-7",
            "charset=unicode_escape",
            "charset=iso-8859-1",
            "charset=utf-16",
            "charset=",
            "charset",
            "charset=utf-8; charset=utf-7",
            "charset*=utf-8",
            "charset*0=utf-; charset*1=7",
        ] {
            let error = read(&format!("text/html; {parameters}")).unwrap_err().to_string();
            assert!(error.ends_with("the charset of the page is not UTF-8"), "{parameters}");
        }
    }
}
