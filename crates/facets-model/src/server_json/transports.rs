//! How a client reaches a server: transports of packages, and remotes.

use super::address::{host, is_web, scheme, template_names, without_templates};
use super::arguments::{check_variable, check_variables};
use super::values::list;
use crate::manifest::check::{Checker, Members, Place, shorten};

/// Members of a transport. The registry refuses others.
const KNOWN: &[&str] = &["type", "url", "headers", "variables"];

/// Checks the transport of a package. An address may mean what is `available` in the package.
pub(super) fn check_transport(check: &mut Checker<'_>, place: &Place<'_>, available: &[&str]) {
    let Some(members) = check.members(place) else { return };
    check.closed(&members, KNOWN);
    let variables = check_parts(check, &members);
    let Some(kind) = members.required(check, "type", "\"stdio\"") else { return };
    let Some(word) = check.string(&kind) else { return };
    match (word, members.optional("url")) {
        ("stdio", Some(url)) => check_no_address(check, &url),
        ("stdio", None) => {}
        ("streamable-http" | "sse", Some(url)) => {
            let Some(text) = check.string(&url) else { return };
            if text.is_empty() {
                return report_no_address(check, &url, word);
            }
            let own = variables.iter().map(String::as_str);
            let names: Vec<&str> = available.iter().copied().chain(own).collect();
            check_template(check, &url, text, &names);
        }
        ("streamable-http" | "sse", None) => {
            report_no_address(check, &place.child("url", place.node), word);
        }
        _ => check.problem(
            "unsupported-transport-type",
            &kind,
            &shorten(word),
            "stdio, streamable-http, sse",
            "write \"stdio\" for a server that is started and spoken to over its own pipes",
        ),
    }
}

/// Checks a remote.
pub(super) fn check_remote(check: &mut Checker<'_>, place: &Place<'_>) {
    let Some(members) = check.members(place) else { return };
    check.closed(&members, KNOWN);
    let variables = check_parts(check, &members);
    let Some(kind) = members.required(check, "type", "\"streamable-http\"") else { return };
    let Some(word) = check.string(&kind) else { return };
    if !matches!(word, "streamable-http" | "sse") {
        let fix = "write \"streamable-http\", or describe the server under \"packages\"";
        let allowed = "streamable-http, sse";
        let code = "unsupported-remote-transport-type";
        return check.problem(code, &kind, &shorten(word), allowed, fix);
    }
    let url = members.optional("url");
    let text = url.as_ref().and_then(|url| check.string(url));
    match (url, text) {
        (Some(url), Some(text)) if !text.is_empty() => {
            let names: Vec<&str> = variables.iter().map(String::as_str).collect();
            if check_template(check, &url, text, &names) {
                check_public(check, &url, text);
            }
        }
        (Some(_), None) => {}
        (url, _) => {
            let place = url.unwrap_or_else(|| place.child("url", place.node));
            let code = "remote-transport-url-required";
            let fix = "add the https address of the server";
            check.problem(code, &place, "no address", "an https address", fix);
        }
    }
}

/// Headers and variables; gives the names of the latter.
fn check_parts(check: &mut Checker<'_>, members: &Members<'_>) -> Vec<String> {
    for header in list(check, members, "headers") {
        check_variable(check, &header);
    }
    check_variables(check, members)
}

fn check_no_address(check: &mut Checker<'_>, url: &Place<'_>) {
    let Some(text) = check.string(url) else { return };
    if !text.is_empty() {
        let allowed = "no address: stdio has none";
        let code = "stdio-transport-url-not-empty";
        check.problem(code, url, &shorten(text), allowed, "remove \"url\", or change \"type\"");
    }
}

fn report_no_address(check: &mut Checker<'_>, place: &Place<'_>, word: &str) {
    let allowed = format!("the address of a server that speaks {word}");
    let fix = "add \"url\", for example \"http://localhost:3000/mcp\"";
    check.problem("streamable-transport-url-required", place, "no address", &allowed, fix);
}

/// Whether an address is one, and each name in it is defined.
fn check_template(check: &mut Checker<'_>, place: &Place<'_>, text: &str, names: &[&str]) -> bool {
    let undefined = template_names(text).into_iter().find(|name| !names.contains(name));
    if let Some(name) = undefined {
        let found = format!("{}: nothing defines {{{name}}}", shorten(text));
        let allowed = match names {
            [] => "no names in braces: none is defined here".to_owned(),
            names => format!("names that are defined: {}", names.join(", ")),
        };
        let fix = "define it: as an argument or environment variable of the package, or under \
                   \"variables\" of the remote";
        check.problem("invalid-templated-url", place, &found, &allowed, fix);
        return false;
    }
    // What a name stands for may also be the beginning of the address.
    let is_address = is_web(&without_templates(text)) || text.starts_with('{');
    if !is_address {
        let allowed = "an absolute http or https address";
        let fix = "write an address that begins with http:// or https://";
        check.problem("invalid-templated-url", place, &shorten(text), allowed, fix);
    }
    is_address
}

/// Remotes are for everybody.
fn check_public(check: &mut Checker<'_>, place: &Place<'_>, text: &str) {
    let written = without_templates(text);
    let is_secure = scheme(&written).is_some_and(|scheme| scheme.eq_ignore_ascii_case("https"));
    let host = host(&written).unwrap_or_default().to_ascii_lowercase();
    let is_local =
        matches!(host.as_str(), "localhost" | "127.0.0.1" | "::1") || host.ends_with(".localhost");
    if !is_secure || is_local {
        let allowed = "an https address that is not this machine's";
        let fix = "write the public https address of the server";
        check.problem("invalid-remote-url", place, &shorten(text), allowed, fix);
    }
}
