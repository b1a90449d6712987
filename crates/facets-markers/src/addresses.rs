//! Places that something could be sent to, or come from: URLs and e-mail addresses.

use std::ops::Range;

use crate::chunks::Chunk;
use crate::fold::Folded;
use crate::found::Found;

const URL: &str = "marker-url";
const EMAIL: &str = "marker-email";

/// Schemes of addresses with `//`. Others, such as a server's own, are names only.
const SCHEMES: &[&str] = &[
    "http", "https", "hxxp", "hxxps", "ws", "wss", "ftp", "ftps", "sftp", "ssh", "file", "smb",
    "gopher", "ldap", "ldaps", "tcp", "udp", "telnet", "git",
];

/// Hosts that nobody can send anything to: kept for examples, the own machine, and those that
/// only publish standards.
const HARMLESS: &[&str] = &[
    "example.com",
    "example.org",
    "example.net",
    "example.edu",
    "localhost",
    "127.0.0.1",
    "0.0.0.0",
    "json-schema.org",
    "schema.org",
    "www.w3.org",
    "www.rfc-editor.org",
    "datatracker.ietf.org",
    "tools.ietf.org",
    "spdx.org",
    "modelcontextprotocol.io",
];

/// Last labels that exist for examples and tests only.
const HARMLESS_LABELS: &[&str] = &["example", "test", "invalid", "localhost", "local", "tld"];

/// Last labels by which a host without a scheme is known.
const LABELS: &[&str] = &[
    "ai", "app", "biz", "cc", "club", "cn", "co", "com", "de", "dev", "eu", "fr", "gg", "icu",
    "info", "io", "link", "live", "me", "net", "online", "org", "pw", "ru", "sh", "shop", "site",
    "space", "tech", "tk", "to", "top", "uk", "us", "ws", "xyz", "zip",
];

/// Endings of files that look like e-mail addresses: `icon@2x.png`.
const FILES: &[&str] = &["gif", "jpeg", "jpg", "js", "json", "mjs", "png", "svg", "ts", "webp"];

/// Finds URLs, hosts with a path or port, and e-mail addresses.
pub(crate) fn look(folded: &Folded<'_>, chunk: &Chunk<'_>, found: &mut Found) {
    let Chunk { text, place, .. } = chunk;
    let from = |at: &Range<usize>| place.start + at.start..place.start + at.end;
    let mut seen = urls(text, |at| {
        let key = text.get(at.clone()).unwrap_or_default();
        found.add_folded(URL, folded, &(from(&at).start..place.end), key);
    });
    if let Some(key) = pseudo_url(text) {
        found.add_folded(URL, folded, place, key);
        seen = true;
    }
    if seen {
        return;
    }
    if let Some(host) = bare_host(text) {
        found.add_folded(URL, folded, place, host);
    }
    emails(text, |at| {
        let key = text.get(at.clone()).unwrap_or_default();
        found.add_folded(EMAIL, folded, &from(&at), key);
    });
}

/// Calls back with the place of scheme and host of each URL; says whether there are any.
fn urls(chunk: &str, mut each: impl FnMut(Range<usize>)) -> bool {
    let mut seen = false;
    for (at, _) in chunk.match_indices("://") {
        let before = chunk.get(..at).unwrap_or_default();
        let scheme = before.bytes().rev().take(8).take_while(u8::is_ascii_alphabetic).count();
        let start = at - scheme;
        let scheme = before.get(start..).unwrap_or_default();
        let rest = chunk.get(at + 3..).unwrap_or_default();
        let authority = authority(rest);
        let names_nothing =
            rest.is_empty() || rest.starts_with("...") || rest.starts_with('\u{2026}');
        seen = true;
        if SCHEMES.contains(&scheme) && !names_nothing && !is_harmless(authority) {
            each(start..at + 3 + authority.len());
        }
    }
    seen
}

/// Up to the path. A file URL has none; then the path's first part tells.
fn authority(rest: &str) -> &str {
    let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
    let end = if end == 0 { rest.len().min(1) } else { end };
    rest.get(..end).unwrap_or_default()
}

/// `data:` with a type, `javascript:` with code: addresses that carry what they name.
fn pseudo_url(chunk: &str) -> Option<&str> {
    if let Some(rest) = chunk.strip_prefix("javascript:") {
        return (!rest.is_empty() && !rest.starts_with('/')).then_some("javascript:");
    }
    if chunk.strip_prefix("vbscript:").is_some_and(|rest| !rest.is_empty()) {
        return Some("vbscript:");
    }
    let rest = chunk.strip_prefix("data:")?;
    let (kind, _) = rest.split_once('/')?;
    let known = ["text", "image", "application", "audio", "video", "font"].contains(&kind);
    known.then(|| chunk.get(..chunk.len().min(40)).unwrap_or("data:"))
}

/// A host without scheme: `www.`, or with a known last label (or digits) and a path or port.
fn bare_host(chunk: &str) -> Option<&str> {
    let start = chunk.rfind(|c: char| !c.is_ascii()).map_or(0, |at| {
        at + chunk.get(at..).and_then(|c| c.chars().next()).map_or(0, char::len_utf8)
    });
    let chunk = chunk.get(start..)?;
    let end = chunk.find(['/', ':', '?', '#']).unwrap_or(chunk.len());
    let (host, rest) = chunk.split_at_checked(end)?;
    let last = host.rsplit('.').next()?;
    let www = host.starts_with("www.") && host.split('.').count() > 2;
    let numbers = last.bytes().all(|byte| byte.is_ascii_digit());
    let points = match rest.as_bytes() {
        [b':', port, ..] => port.is_ascii_digit(),
        [b'/', first, ..] => first.is_ascii_alphabetic() || www,
        [b'?', _, ..] => true,
        _ => host == "169.254.169.254",
    };
    let known = www || (points && (numbers || LABELS.binary_search(&last).is_ok()));
    (known && is_host(host, numbers) && !is_harmless(host)).then_some(host)
}

fn is_host(host: &str, numbers: bool) -> bool {
    let is_name = |part: &str| {
        !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
    };
    let mut parts = host.split('.');
    if numbers {
        return parts.clone().count() == 4 && parts.all(|part| part.parse::<u8>().is_ok());
    }
    host.contains('.') && parts.all(is_name)
}

/// Calls back with the place of each e-mail address.
fn emails(chunk: &str, mut each: impl FnMut(Range<usize>)) {
    let mut from = 0;
    for (at, _) in chunk.match_indices('@') {
        let before = chunk.get(from..at).unwrap_or_default();
        from = at + 1;
        let after = chunk.get(from..).unwrap_or_default();
        let name =
            |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'%' | b'+' | b'-');
        let local = before.bytes().rev().take_while(name).count();
        let domain =
            after.bytes().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-'));
        let domain = after.get(..domain.count()).unwrap_or_default();
        let is_remote = after.get(domain.len()..).is_some_and(|rest| rest.starts_with(':'))
            && before.ends_with("git");
        if local > 0 && is_mail_domain(domain) && !is_remote {
            each(at - local..from + domain.len());
        }
    }
}

fn is_mail_domain(domain: &str) -> bool {
    let Some((name, last)) = domain.rsplit_once('.') else { return false };
    !name.is_empty()
        && last.len() > 1
        && last.bytes().all(|byte| byte.is_ascii_alphabetic())
        && !FILES.contains(&last)
        && !is_harmless(domain)
}

fn is_harmless(authority: &str) -> bool {
    let host = authority.split_once(':').map_or(authority, |(host, _)| host);
    let last = host.rsplit('.').next().unwrap_or_default();
    !authority.contains('@')
        && (HARMLESS_LABELS.contains(&last)
            || HARMLESS.iter().any(|harmless| {
                let rest = host.strip_suffix(harmless);
                rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
            }))
}
