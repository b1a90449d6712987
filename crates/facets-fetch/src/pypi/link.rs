//! Links of a page: where they lead, and which names pip takes from them.
//!
//! pip splits and joins addresses as Python does, which is not how browsers and this program do it. A link on
//! which the two differ is refused.

use url::Url;

use super::percent::{is_well_formed, percent_decoded};

/// Where a link leads, and its fragment. Nothing if pip would take no file from there. It also takes local files
/// and repositories (`git+https:`), which are not fetched here and so must not be passed over. An error says
/// why clients may read the link differently.
pub(super) fn resolve(base: &Url, link: &str) -> Result<Option<(Url, String)>, &'static str> {
    if let Some(problem) = text_problem(link).or_else(|| host_problem(link)) {
        return Err(problem);
    }
    let mut url = base.join(link).map_err(|_| "is not an address")?;
    if !is_web(&url) && url.scheme() != "file" && !url.scheme().contains('+') {
        return Ok(None);
    }
    if !is_well_formed(url.path()) {
        return Err("is percent-encoded in a malformed way");
    }
    let fragment = url.fragment().unwrap_or_default().to_owned();
    url.set_fragment(None);
    // Of a repository: the address may be shown. That of a local file has neither.
    if !url.username().is_empty() || url.password().is_some() {
        let cleared = url.set_username("").and_then(|()| url.set_password(None));
        cleared.map_err(|()| "has credentials in it")?;
    }
    Ok(Some((url, fragment)))
}

/// Characters that some versions of Python cut off or remove, and a backslash, which is a slash for browsers.
fn text_problem(link: &str) -> Option<&'static str> {
    let mut ends = [link.chars().next(), link.chars().next_back()].into_iter().flatten();
    if link.contains('\\') {
        Some("has a backslash")
    } else if link.contains(char::is_control) {
        Some("has a control character")
    } else if ends.any(|c| c.is_whitespace() || !c.is_ascii()) {
        Some("begins or ends with white space or a character beyond ASCII")
    } else {
        None
    }
}

/// What is wrong with `//HOST:PORT` of a link of the web; nothing if it has none.
fn host_problem(link: &str) -> Option<&'static str> {
    let (scheme, rest) = match link.split_once(':') {
        Some((scheme, rest)) if is_scheme(scheme) => (Some(scheme.to_ascii_lowercase()), rest),
        _ => (None, link),
    };
    let after = match (scheme.as_deref(), rest.strip_prefix("//")) {
        (Some("http" | "https") | None, Some(after)) => after,
        (Some("http" | "https"), None) => return Some("has no host"),
        _ => return None,
    };
    let authority = after.split(['/', '?', '#']).next().unwrap_or_default();
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b".-_:[]".contains(&byte);
    if authority.contains('@') {
        Some("has credentials in it")
    } else if authority.is_empty() || authority.starts_with(':') {
        Some("has no host")
    } else if !authority.bytes().all(is_allowed) {
        Some("has a malformed host")
    } else {
        None
    }
}

/// Whether a text before `:` is a scheme, and not the beginning of a path.
fn is_scheme(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
    text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.bytes().all(is_part)
}

/// Whether an address can be fetched at all.
pub(super) fn is_web(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https")
}

/// The names of a file by its address, as pip takes them. It decodes the whole path before it splits it; that
/// is the name of an archive of sources. The name of a wheel is decoded once more.
pub(super) fn linked_names(url: &Url) -> [String; 2] {
    let path = percent_decoded(url.path());
    let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    [name.to_owned(), percent_decoded(name)]
}

/// `egg=PROJECT-VERSION` of a link, which pip also finds in a query. The name of a project alone has no version.
pub(super) fn egg(url: &Url, fragment: &str) -> Option<String> {
    let query = url.query().unwrap_or_default().split('&').skip(1);
    let mut pairs = query.chain(fragment.split('&'));
    let egg = pairs.find_map(|pair| pair.strip_prefix("egg="))?;
    egg.contains('-').then(|| percent_decoded(egg))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn resolved(link: &str) -> Result<Option<String>, &'static str> {
        let base: Url = "https://a.example/simple/mcp/".parse().unwrap();
        Ok(resolve(&base, link)?.map(|(url, _)| url.to_string()))
    }

    #[test]
    fn ordinary_links_lead_where_they_say() {
        for (link, expected) in [
            ("mcp-1.zip#sha256=00", "https://a.example/simple/mcp/mcp-1.zip"),
            ("../../packages/ab/mcp-1.zip", "https://a.example/packages/ab/mcp-1.zip"),
            ("/files/mcp-1%2Bcpu.zip?x=%", "https://a.example/files/mcp-1%2Bcpu.zip?x=%"),
            ("//b.example/mcp-1.zip", "https://b.example/mcp-1.zip"),
            ("HTTP://B.example:8080/mcp-1.zip", "http://b.example:8080/mcp-1.zip"),
            ("http://[::1]:1/mcp-1.zip", "http://[::1]:1/mcp-1.zip"),
            ("https://b.example/a:b@c/mcp-1.zip", "https://b.example/a:b@c/mcp-1.zip"),
            ("/é/mcp-1.zip", "https://a.example/%C3%A9/mcp-1.zip"),
        ] {
            assert_eq!(resolved(link), Ok(Some(expected.to_owned())), "{link}");
        }
        for link in ["javascript:mcp-1.zip", "mailto:a@b.example", "data:,mcp-1.zip"] {
            assert_eq!(resolved(link), Ok(None), "{link}");
        }
    }

    #[test]
    fn links_that_clients_read_differently_are_refused() {
        for link in [
            "/files/a\\../mcp-1.zip",
            "http:///b.example/mcp-1.zip",
            "///b.example/mcp-1.zip",
            "http:mcp-1.zip",
            "https:/b.example/mcp-1.zip",
            "https://",
            "https://:80/mcp-1.zip",
            "https://b.example:x/mcp-1.zip",
            "http://[mcp-1.zip",
            "https://b%2eexample/mcp-1.zip",
            "https://é.example/mcp-1.zip",
            "\u{a0}/files/mcp-1.zip",
            " /files/mcp-1.zip",
            "/files/mcp-1.zip\u{a0}",
            "/files/mcp-1.zi\tp",
            "/files\0/mcp-1.zip",
            "é",
            "https://u:p@b.example/mcp-1.zip",
            "https://u@b.example/mcp-1.zip",
            "//@b.example/mcp-1.zip",
            "/files/%2%46/mcp-1.zip",
            "/files/%ff/mcp-1.zip",
        ] {
            assert!(resolved(link).is_err(), "{link:?}");
        }
    }

    #[test]
    fn names_are_decoded_before_and_after_the_path_is_split() {
        for (path, names) in [
            ("x/mcp-1.zip", ["mcp-1.zip"; 2]),
            ("x/mcp-1.zip/", ["mcp-1.zip"; 2]),
            ("x/mcp-1.zip%2F", ["mcp-1.zip"; 2]),
            ("x/mcp-1.zip/%2F", ["mcp-1.zip"; 2]),
            ("x%2Fmcp-1.zip", ["mcp-1.zip"; 2]),
            ("mc%2570-1.zip", ["mc%70-1.zip", "mcp-1.zip"]),
            ("", [""; 2]),
        ] {
            let url: Url = format!("https://a.example/{path}").parse().unwrap();
            assert_eq!(linked_names(&url), names, "{path}");
        }
    }
}
