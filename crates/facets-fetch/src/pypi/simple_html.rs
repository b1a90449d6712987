//! The page of a project as HTML (PEP 503).

use url::Url;

use super::entities::decoded_address;
use super::html::{Element, Link, Links};
use super::index_hashes::IndexHashes;
use super::link::{egg, is_web, linked_names, resolve};
use super::names::is_distribution;
use super::simple::{MAX_FILES, SimpleFile, document, refused_link};
use crate::error::FetchError;
use crate::upstream::Yanked;

/// Reads every link to a file that is called like a wheel or an archive of sources.
pub(super) fn parse(bytes: &[u8], page: &Url) -> Result<Vec<SimpleFile>, FetchError> {
    let text = String::from_utf8_lossy(bytes);
    let mut base = None;
    let mut anchors = Vec::new();
    let mut links = Links::new(&text);
    for link in links.by_ref() {
        match link.element {
            Element::Base if base.is_none() => base = Some(base_of(&link.href, page)?),
            Element::Base => {}
            Element::Anchor if anchors.len() == MAX_FILES => {
                return Err(document(page, format!("the page has more than {MAX_FILES} links")));
            }
            Element::Anchor => anchors.push(link),
        }
    }
    if links.is_lost() {
        return Err(document(page, "the page is malformed, so that pip may find any link on it"));
    }
    let base = base.as_ref().unwrap_or(page);
    anchors.into_iter().filter_map(|link| file(link, base, page).transpose()).collect()
}

/// The base that links begin at.
fn base_of(href: &str, page: &Url) -> Result<Url, FetchError> {
    match resolved(href, page, page)? {
        Some((url, _)) if is_web(&url) => Ok(url),
        _ => Err(document(page, "`<base>` leads to neither https nor http")),
    }
}

/// Where a link leads, and its fragment; nothing if pip would take no file from there.
fn resolved(href: &str, base: &Url, page: &Url) -> Result<Option<(Url, String)>, FetchError> {
    let target = decoded_address(href).and_then(|link| resolve(base, &link));
    target.map_err(|problem| refused_link(page, problem))
}

/// The file that a link leads to; nothing if it leads elsewhere.
fn file(link: Link, base: &Url, page: &Url) -> Result<Option<SimpleFile>, FetchError> {
    let Some((url, fragment)) = resolved(&link.href, base, page)? else { return Ok(None) };
    let [name, name_of_wheel] = linked_names(&url);
    let egg = egg(&url, &fragment);
    if !is_distribution(&name) && !is_distribution(&name_of_wheel) && egg.is_none() {
        return Ok(None);
    }
    let mut hashes = IndexHashes::default();
    hashes.add_fragment(&fragment, &url)?;
    let (uncompared, hashes) = (hashes.uncompared(), hashes.comparable);
    let yanked =
        link.yanked.map(|reason| Yanked { reason: Some(reason).filter(|text| !text.is_empty()) });
    let requires_python = link.requires_python.filter(|text| !text.is_empty());
    let size = None;
    Ok(Some(SimpleFile { name, url, hashes, uncompared, size, yanked, requires_python, egg }))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::stated_hash::StatedAlgorithm;

    const HASH: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    fn read(html: &str) -> Result<Vec<SimpleFile>, FetchError> {
        let page: Url = "https://a.example/team/simple/mcp/".parse().unwrap();
        parse(html.as_bytes(), &page)
    }

    fn urls(html: &str) -> Vec<String> {
        read(html).unwrap().iter().map(|file| file.url.to_string()).collect()
    }

    #[test]
    fn reads_warehouse() {
        let html = format!(
            "<!DOCTYPE html>\n<html>\n  <head>\n    <meta name=\"pypi:repository-version\" \
             content=\"1.4\">\n    <title>Links for mcp</title>\n  </head>\n  <body>\n    \
             <h1>Links for mcp</h1>\n<a href=\"https://files.example/packages/ab/mcp-1.0-py3-none-\
             any.whl#sha256={HASH}\" data-requires-python=\"&gt;=3.10\" data-dist-info-metadata=\
             \"sha256=00\" data-core-metadata=\"sha256=00\">mcp-1.0-py3-none-any.whl</a><br />\n\
             <a href=\"https://files.example/packages/cd/mcp-1.0.tar.gz#sha256={HASH}\" \
             data-yanked=\"broken &amp; unsafe\">mcp-1.0.tar.gz</a><br />\n</body>\n</html>\n\
             <!--SERIAL 1-->"
        );
        let files = read(&html).unwrap();
        assert_eq!(files.len(), 2);
        assert_eq!(files[0].name, "mcp-1.0-py3-none-any.whl");
        let expected = "https://files.example/packages/ab/mcp-1.0-py3-none-any.whl";
        assert_eq!(files[0].url.as_str(), expected);
        assert_eq!(files[0].requires_python.as_deref(), Some(">=3.10"));
        assert_eq!(files[0].yanked, None);
        assert_eq!(files[0].hashes[0].algorithm, StatedAlgorithm::Sha256);
        assert_eq!((files[0].hashes[0].hex().as_str(), files[0].hashes[0].place), (HASH, "index"));
        assert_eq!(files[1].yanked, Some(Yanked { reason: Some("broken & unsafe".to_owned()) }));
        assert_eq!((files[1].requires_python.as_deref(), files[1].size), (None, None));
    }

    #[test]
    fn reads_devpi_artifactory_and_autoindex() {
        let devpi = format!(
            "<h1>root/pypi: links for mcp</h1><form action=\"/refresh\"></form>\
             <a href=\"../../+f/012/mcp-1.0.zip#sha256={HASH}\" data-yanked=\"\">mcp</a><br/>"
        );
        assert_eq!(urls(&devpi), ["https://a.example/team/+f/012/mcp-1.0.zip"]);
        assert_eq!(read(&devpi).unwrap()[0].yanked, Some(Yanked::default()));
        let artifactory = format!(
            "<a href=\"../../packages/mcp-1.0.tar.gz#sha256={HASH}\" rel=\"internal\" \
             data-requires-python=\"\">mcp-1.0.tar.gz</a>"
        );
        assert_eq!(urls(&artifactory), ["https://a.example/team/packages/mcp-1.0.tar.gz"]);
        assert_eq!(read(&artifactory).unwrap()[0].requires_python, None);
        let autoindex = "<html>\r\n<head><title>Index of /mcp/</title></head>\r\n<body>\r\n\
            <h1>Index of /mcp/</h1><hr><pre><a href=\"../\">../</a>\r\n<a href=\"?C=N;O=D\">Name</a>\
            <a href=\"mcp-1.0%2Blocal-py3-none-any.whl\">mcp-1.0+local-py3-none-any..&gt;</a> \
            01-Jan-2026 00:00  1024\r\n<a href=\".listing\">x</a></pre><hr></body></html>";
        let files = read(autoindex).unwrap();
        assert_eq!(files.len(), 1);
        assert_eq!(files[0].name, "mcp-1.0+local-py3-none-any.whl");
        assert_eq!(files[0].hashes, []);
    }

    #[test]
    fn the_first_base_counts_for_every_link() {
        let html = "<a href=mcp-1.zip><base href='https://b.example/x/'><base href='/y/'>";
        assert_eq!(urls(html), ["https://b.example/x/mcp-1.zip"]);
        let html = "<BASE HREF='/y/'><a href=mcp-1.zip><a href='//c.example/mcp-1.zip'>";
        assert_eq!(urls(html), ["https://a.example/y/mcp-1.zip", "https://c.example/mcp-1.zip"]);
        for base in ["javascript:x", "file:///dir/", "https://u:p@b.example/", "http://["] {
            let html = format!("<base href='{base}'><a href='/mcp-1.zip'>");
            assert!(matches!(read(&html), Err(FetchError::Document { .. })), "{base}");
        }
    }

    #[test]
    fn links_that_are_no_addresses_are_passed_over() {
        let html = "<a href='javascript:mcp-1.zip'>\
            <a href='&#106;avascript:mcp-1.zip'><a href='data:mcp-1.zip'>\
            <a href='mailto:mcp-1.zip'><a href=''><a href='mcp-1.exe'>\
            <a href='?mcp-1.zip'>";
        assert!(urls(html).is_empty());
    }

    #[test]
    fn links_count_wherever_pip_may_find_them() {
        for html in [
            "<title><a href='mcp-1.zip'></title>",
            "<noscript><a href='mcp-1.zip'></noscript>",
            "<a href='mcp-1.zip/'>",
            "<a href='file:///mcp-1.zip'>",
            "<a href='git+https://b.example/mcp-1.zip'>",
            "<a href='https://b.example/mcp-1&period;zip'>",
        ] {
            assert_eq!(read(html).unwrap()[0].name, "mcp-1.zip", "{html}");
        }
        let egg = read("<a href='latest#egg=mcp-1'><a href='latest#egg=mcp'>").unwrap();
        assert_eq!((egg.len(), egg[0].egg.as_deref()), (1, Some("mcp-1")));
        let error = read("<title><b y='</title><a href=mcp-1.zip>'>").unwrap_err();
        assert!(matches!(error, FetchError::Document { .. }));
    }

    #[test]
    fn links_that_pip_may_read_differently_are_refused() {
        for href in [
            "https://u:p@b.example/mcp-1.zip",
            "http:///b.example/mcp-1.zip",
            "a\\../mcp-1.zip",
            "a&bsol;../mcp-1.zip",
            "\u{a0}/mcp-1.zip",
            "&nbsp;/mcp-1.zip",
            "&eacute;/mcp-1.zip",
            "/&fjlig;/mcp-1.zip",
            "/mcp-1.zip&#xfdd0;",
            "a\0mcp-1.zip",
        ] {
            let error = read(&format!("<a href='{href}'>")).unwrap_err().to_string();
            let expected = "https://a.example/team/simple/mcp/: a link on the page ";
            assert!(error.starts_with(expected), "{href:?}: {error}");
        }
    }

    #[test]
    fn names_of_links_are_those_of_pip() {
        let names = |html: &str| read(html).unwrap()[0].name.clone();
        assert_eq!(names("<a href='x/..%2f..%2Fmcp-1.zip'>"), "mcp-1.zip");
        assert_eq!(names("<a href='mcp-1-py3-none-any.whl/%2F'>"), "mcp-1-py3-none-any.whl");
        assert_eq!(names("<a href='mcp-1-py3-none-any.wh%256C'>"), "mcp-1-py3-none-any.wh%6C");
        assert_eq!(names("<a href='a%5Cmcp-1.zip'>"), "a\\mcp-1.zip");
        assert_eq!(names("<a href='a&#x2f;mcp-1.zip'>"), "mcp-1.zip");
        assert!(read(&"<".repeat(1_000_000)).unwrap().is_empty());
        let page: Url = "https://a.example/".parse().unwrap();
        assert!(parse(b"\xff\xfe<a href=x\xff.exe>", &page).unwrap().is_empty());
    }

    #[test]
    fn malformed_hashes_and_too_many_links_are_refused() {
        for fragment in ["sha256=", "sha256=abc", "egg=x&sha512=00", "SHA256=zz"] {
            let html = format!("<a href='mcp-1.zip#{fragment}'>");
            assert!(matches!(read(&html), Err(FetchError::Document { .. })), "{fragment}");
        }
        for fragment in ["md5=abc", "", "egg=mcp", "sha256"] {
            let html = format!("<a href='mcp-1.zip#{fragment}'>");
            assert_eq!(read(&html).unwrap()[0].hashes, [], "{fragment}");
        }
        assert!(read(&"<a href=x>".repeat(MAX_FILES)).unwrap().is_empty());
        let error = read(&"<a href=x>".repeat(MAX_FILES + 1)).unwrap_err();
        assert!(matches!(error, FetchError::Document { .. }));
    }
}
