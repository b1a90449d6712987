//! The rules of the whole file: everything beside packages and remotes.

use super::address::{host, scheme};
use super::names::{CURRENT_SCHEMA, FILE_HASHES, PUBLISHER_PROVIDED};
use super::packages::check_package;
use super::placeholder::template_in;
use super::repository::check_repository;
use super::stated::check_stated;
use super::transports::check_remote;
use super::values::{check_choice, check_length, list};
use super::version_text::check_version;
use crate::manifest::check::{Checker, Members, Place, shorten};

/// Members of a server. The registry refuses others.
const KNOWN: &[&str] = &[
    "$schema",
    "name",
    "title",
    "description",
    "version",
    "repository",
    "websiteUrl",
    "icons",
    "packages",
    "remotes",
    "_meta",
    // Refused by the official registry, and meant for others: a warning of its own.
    FILE_HASHES,
];

/// Schemas that were published, the current one last.
const PUBLISHED: &[&str] =
    &["draft", "2025-07-09", "2025-09-16", "2025-09-29", "2025-10-11", "2025-10-17", "2025-12-11"];

const CURRENT: &str = "2025-12-11";

/// Bytes that the registry takes of what a publisher provides.
const MOST_PROVIDED: usize = 4096;

const MEDIA_TYPES: &[&str] =
    &["image/png", "image/jpeg", "image/jpg", "image/svg+xml", "image/webp"];

/// Checks a file by its root.
pub(super) fn server(check: &mut Checker<'_>, root: &Place<'_>) {
    let Some(members) = check.members(root) else { return };
    check.closed(&members, KNOWN);
    check_schema(check, root, &members);
    if let Some(place) = members.required(check, "name", "\"io.github.OWNER/REPOSITORY\"") {
        check_name(check, &place);
    }
    if let Some(place) = members.required(check, "description", "\"What the server does\"") {
        check_length(check, &place, 100);
    }
    if let Some(place) = members.optional("title") {
        check_title(check, &place);
    }
    if let Some(place) = members.required(check, "version", "\"1.0.0\"") {
        check_version(check, &place);
    }
    if let Some(place) = members.optional("repository") {
        check_repository(check, &place);
    }
    if let Some(place) = members.optional("websiteUrl") {
        check_website(check, &place);
    }
    for icon in list(check, &members, "icons") {
        check_icon(check, &icon);
    }
    for package in list(check, &members, "packages") {
        check_package(check, &package);
    }
    for remote in list(check, &members, "remotes") {
        check_remote(check, &remote);
    }
    check_hashes(check, &members);
    if let Some(place) = members.optional("_meta") {
        check_meta(check, &place);
    }
}

fn check_schema(check: &mut Checker<'_>, root: &Place<'_>, members: &Members<'_>) {
    let fix = format!("write \"$schema\": \"{CURRENT_SCHEMA}\"");
    let Some(place) = members.optional("$schema") else {
        let place = root.child("$schema", root.node);
        let allowed = "this member is required";
        check.problem("schema-field-required", &place, "missing", allowed, &fix);
        return;
    };
    let Some(text) = check.string(&place) else { return };
    let allowed = format!("a published schema; the current one is {CURRENT_SCHEMA}");
    let id = text
        .split_once("/schemas/")
        .and_then(|(_, rest)| rest.split_once("/server.schema.json"))
        .map(|(id, _)| id)
        .filter(|id| !id.is_empty() && !id.contains('/'));
    let code = match id {
        None if text.is_empty() => "schema-field-required",
        None => "schema-version-extraction-error",
        Some(CURRENT) => return,
        Some(id) if PUBLISHED.contains(&id) => {
            let found = format!("the older schema {id}");
            check.warning("schema-version-deprecated", &place, [&found, &allowed, &fix]);
            return;
        }
        Some(_) => "schema-version-not-available",
    };
    check.problem(code, &place, &shorten(text), &allowed, &fix);
}

fn check_name(check: &mut Checker<'_>, place: &Place<'_>) {
    let Some(text) = check.string(place) else { return };
    let Some(reason) = name_problem(text) else { return };
    let found = match template_in(text) {
        Some(template) => format!("the placeholder {}", shorten(template)),
        None => format!("{}: {reason}", shorten(text)),
    };
    check.problem(
        "invalid-server-name",
        place,
        &found,
        "NAMESPACE/NAME, 3 to 200 of A-Z, a-z, 0-9, '.', '-' (in the name also '_'); each part of \
         two or more, beginning and ending with a letter or digit",
        "write a name such as \"io.github.OWNER/REPOSITORY\"",
    );
}

/// Why a text is no name of a server.
fn name_problem(text: &str) -> Option<&'static str> {
    if !(3..=200).contains(&text.len()) {
        return Some("it has fewer than 3 or more than 200 characters");
    }
    let Some((namespace, name)) = text.split_once('/') else { return Some("it has no '/'") };
    if name.contains('/') {
        return Some("it has more than one '/'");
    }
    let is_part = |part: &str, also: char| {
        let inside = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-') || c == also;
        let at_end = |c: char| c.is_ascii_alphanumeric();
        part.len() >= 2
            && part.chars().all(inside)
            && part.starts_with(at_end)
            && part.ends_with(at_end)
    };
    if !is_part(namespace, '.') {
        return Some("the namespace is malformed");
    }
    (!is_part(name, '_')).then_some("the part behind '/' is malformed")
}

fn check_title(check: &mut Checker<'_>, place: &Place<'_>) {
    let Some(text) = check.string(place) else { return };
    if !text.is_empty() && text.trim().is_empty() {
        check.problem(
            "title-whitespace-only",
            place,
            "only white space",
            "1 to 100 characters, not only white space",
            "write a title, or remove the member",
        );
        return;
    }
    check_length(check, place, 100);
}

/// Codes for an address that is not absolute, and for one that is not https.
type AddressCodes = (&'static str, &'static str);

fn check_https(check: &mut Checker<'_>, place: &Place<'_>, codes: AddressCodes) {
    let Some(text) = check.string(place) else { return };
    let allowed = "an absolute https address";
    let fix = "write an address that begins with https://";
    match scheme(text) {
        Some(scheme) if scheme.eq_ignore_ascii_case("https") && host(text).is_some() => {}
        Some(scheme) if !scheme.eq_ignore_ascii_case("https") => {
            let found = format!("{}: the scheme is {scheme}", shorten(text));
            check.problem(codes.1, place, &found, allowed, fix);
        }
        _ => check.problem(codes.0, place, &shorten(text), allowed, fix),
    }
}

fn check_website(check: &mut Checker<'_>, place: &Place<'_>) {
    check_https(check, place, ("website-url-must-be-absolute", "website-url-invalid-scheme"));
}

fn check_icon(check: &mut Checker<'_>, place: &Place<'_>) {
    let Some(members) = check.members(place) else { return };
    check.closed(&members, &["src", "mimeType", "sizes", "theme"]);
    if let Some(src) = members.required(check, "src", "\"https://example.com/icon.png\"") {
        check_https(check, &src, ("icon-src-must-be-absolute", "icon-src-invalid-scheme"));
        check_length(check, &src, 255);
    }
    if let Some(place) = members.optional("mimeType") {
        check_choice(check, &place, MEDIA_TYPES);
    }
    if let Some(place) = members.optional("theme") {
        check_choice(check, &place, &["light", "dark"]);
    }
    for size in list(check, &members, "sizes") {
        let Some(text) = check.string(&size) else { continue };
        let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        let is_size = |(width, height)| is_number(width) && is_number(height);
        if text != "any" && !text.split_once('x').is_some_and(is_size) {
            let code = "server-json-bad-value";
            check.problem(code, &size, &shorten(text), "48x48, or any", "write \"48x48\"");
        }
    }
}

fn check_hashes(check: &mut Checker<'_>, members: &Members<'_>) {
    let Some(place) = members.optional(FILE_HASHES) else { return };
    check.warning(
        "server-json-top-level-hashes",
        &place,
        [
            "`file_hashes` at the top",
            "the official registry refuses it there; other registries and `verify` read it",
            "keep it; for the official registry it has to be moved into `_meta`",
        ],
    );
    let Some(entries) = check.members(&place) else { return };
    for (_, entry) in entries.entries() {
        check_stated(check, &entry);
    }
}

fn check_meta(check: &mut Checker<'_>, place: &Place<'_>) {
    let Some(members) = check.members(place) else { return };
    for (member, entry) in members.entries() {
        if member.name != PUBLISHER_PROVIDED {
            let found = format!("the member {}", shorten(&member.name));
            let words = [&*found, PUBLISHER_PROVIDED, "remove it: the registry does not keep it"];
            check.warning("server-json-meta", &entry, words);
        }
    }
    let Some(provided) = members.optional(PUBLISHER_PROVIDED) else { return };
    if check.members(&provided).is_none() {
        return;
    }
    let length = compact_length(check.written(&provided));
    if length > MOST_PROVIDED {
        let found = format!("{length} bytes");
        let allowed = format!("at most {MOST_PROVIDED} bytes as JSON");
        check.problem("server-json-meta", &provided, &found, &allowed, "remove what is not needed");
    }
}

/// How long a JSON text is without white space between its parts.
fn compact_length(text: &str) -> usize {
    let (mut length, mut in_string, mut is_escaped) = (0, false, false);
    for byte in text.bytes() {
        let is_blank = matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        length += usize::from(in_string || !is_blank);
        match byte {
            b'"' if !is_escaped => in_string = !in_string,
            b'\\' if in_string && !is_escaped => {
                is_escaped = true;
                continue;
            }
            _ => {}
        }
        is_escaped = false;
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_two_parts_with_firm_ends() {
        for good in ["io.github.a-b/cd", "com.100hires/100hires", "a1/b_2", "io.x/a.b-c_d"] {
            assert_eq!(name_problem(good), None, "{good}");
        }
        for bad in
            ["", "ab", "weather-mcp", "a/b/c", "io.x./y1", "io.x/w", "x/yy", "a_b/cc", "io.x/-a"]
        {
            assert!(name_problem(bad).is_some(), "{bad}");
        }
    }

    #[test]
    fn white_space_counts_in_strings_only() {
        assert_eq!(compact_length("{ \"a b\" : [1, 2] }"), "{\"a b\":[1,2]}".len());
        assert_eq!(compact_length("{\"\\\" \": 1}"), "{\"\\\" \":1}".len());
    }
}
