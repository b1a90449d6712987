//! The rules of a package.

use super::arguments::{check_argument, check_variable};
use super::package_rules::{Kind, check_kind};
use super::transports::check_transport;
use super::values::list;
use super::version_text::check_version;
use crate::manifest::check::{Checker, Place, shorten};

/// Members of a package. The registry refuses others.
const KNOWN: &[&str] = &[
    "registryType",
    "registryBaseUrl",
    "identifier",
    "version",
    "fileSha256",
    "runtimeHint",
    "transport",
    "runtimeArguments",
    "packageArguments",
    "environmentVariables",
];

/// Checks a package.
pub(super) fn check_package(check: &mut Checker<'_>, place: &Place<'_>) {
    let Some(members) = check.members(place) else { return };
    check.closed(&members, KNOWN);
    let kind = members
        .required(check, "registryType", "\"npm\"")
        .and_then(|place| package_kind(check, &place));
    let identifier = members.required(check, "identifier", "\"@scope/package\"");
    let identifier = identifier.filter(|place| is_identifier(check, place));
    if let Some(version) = members.optional("version") {
        check_version(check, &version);
    }
    if let Some(hint) = members.optional("runtimeHint") {
        check.string(&hint);
    }
    if let Some(kind) = kind {
        check_kind(check, kind, &members, identifier.as_ref());
    }
    let mut available: Vec<&str> = Vec::new();
    for name in ["runtimeArguments", "packageArguments"] {
        for argument in list(check, &members, name) {
            available.extend(check_argument(check, &argument));
        }
    }
    for variable in list(check, &members, "environmentVariables") {
        available.extend(check_variable(check, &variable));
    }
    if let Some(transport) = members.required(check, "transport", "{\"type\": \"stdio\"}") {
        check_transport(check, &transport, &available);
    }
}

fn package_kind(check: &mut Checker<'_>, place: &Place<'_>) -> Option<Kind> {
    let text = check.string(place)?;
    let kind = Kind::parse(text);
    if kind.is_none() {
        let found = format!("the registry type {}", shorten(text));
        let fix = match Kind::parse(&text.to_ascii_lowercase()) {
            Some(_) => format!("write \"{}\"", text.to_ascii_lowercase()),
            None => "write the type of the registry that has the package".to_owned(),
        };
        check.problem("server-json-package", place, &found, Kind::WORDS, &fix);
    }
    kind
}

/// Whether an identifier is worth a closer look.
fn is_identifier(check: &mut Checker<'_>, place: &Place<'_>) -> bool {
    let Some(text) = check.string(place) else { return false };
    if text.is_empty() {
        let fix = "write the name of the package";
        check.problem("server-json-bad-length", place, "nothing", "the name of a package", fix);
    } else if text.contains(' ') {
        let allowed = "a name without spaces";
        let fix = "write the name as the package registry has it";
        check.problem("package-name-has-spaces", place, &shorten(text), allowed, fix);
    } else {
        return true;
    }
    false
}
