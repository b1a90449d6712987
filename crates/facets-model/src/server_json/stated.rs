//! Hashes that a file states.

use facets_digest::Digest;

use super::placeholder::placeholder_in;
use crate::manifest::check::{Checker, Place, shorten};

/// Reads `sha256:` and 64 hex digits; the error says what is wrong.
pub(super) fn parse_stated(text: &str) -> Result<Digest, String> {
    if let Some(placeholder) = placeholder_in(text) {
        return Err(format!("the placeholder {}", shorten(placeholder)));
    }
    text.parse::<Digest>().map_err(|reason| format!("{}: {reason}", shorten(text)))
}

/// Checks a hash of `file_hashes`.
pub(super) fn check_stated(check: &mut Checker<'_>, place: &Place<'_>) {
    let Some(text) = check.string(place) else { return };
    if let Err(found) = parse_stated(text) {
        report(check, place, &found, "sha256: and 64 lower-case hex digits");
    }
}

/// Checks `fileSha256`: the digits alone.
pub(super) fn check_stated_hex(check: &mut Checker<'_>, place: &Place<'_>) {
    let Some(text) = check.string(place) else { return };
    let found = match parse_stated(&format!("sha256:{text}")) {
        Ok(_) => return,
        Err(_) if placeholder_in(text).is_some() => format!("the placeholder {}", shorten(text)),
        Err(_) => shorten(text),
    };
    report(check, place, &found, "64 lower-case hex digits, without anything before them");
}

fn report(check: &mut Checker<'_>, place: &Place<'_>, found: &str, allowed: &str) {
    let is_placeholder = found.starts_with("the placeholder");
    let code = if is_placeholder { "server-json-placeholder" } else { "server-json-bad-hash" };
    check.problem(code, place, found, allowed, "run `mcp-publisher hash-gen`");
}
