//! Versions as the registry takes them: any text that names one version.

use super::placeholder::template_in;
use crate::manifest::check::{Checker, Place, shorten};

/// The longest version.
const LONGEST: usize = 255;

/// Checks a version of the server or of a package.
pub(super) fn check_version(check: &mut Checker<'_>, place: &Place<'_>) {
    let Some(text) = check.string(place) else { return };
    let found = shorten(text);
    if text.is_empty() || text.chars().count() > LONGEST {
        check.problem(
            "server-json-bad-length",
            place,
            &found,
            "1 to 255 characters",
            "write the version, for example \"1.0.0\"",
        );
    } else if text == "latest" {
        check.problem(
            "reserved-version-string",
            place,
            &found,
            "one exact version; `latest` is reserved",
            "write the version that is published, for example \"1.0.0\"",
        );
    } else if looks_like_range(text) {
        check.problem(
            "version-looks-like-range",
            place,
            &found,
            "one exact version, not a range",
            "write the version that is published, for example \"1.0.0\"",
        );
    } else if let Some(template) = template_in(text) {
        let found = format!("the placeholder {}", shorten(template));
        let words = [&*found, "one exact version", "fill it in before you publish"];
        check.warning("server-json-placeholder", place, words);
    }
}

/// Whether a text is a range of versions, as the registry tells them.
fn looks_like_range(text: &str) -> bool {
    let text = text.trim();
    let is_part = |part: &str| is_numeric(part) || is_comparison(part) || is_wildcard(part);
    let is_span = text
        .split_once(" - ")
        .is_some_and(|(from, to)| is_numeric(from.trim()) && is_numeric(to.trim()));
    let is_choice = text.contains("||") && text.split("||").all(|part| is_part(part.trim()));
    is_comparison(text) || is_span || is_choice || is_wildcard(text)
}

/// A sign before a version.
fn is_comparison(text: &str) -> bool {
    let signs = ["^", "~", ">=", "<=", ">", "<", "="];
    let versions = signs.iter().filter_map(|sign| text.strip_prefix(*sign));
    versions.map(str::trim_start).any(is_numeric)
}

/// Two or three parts, of which one is open.
fn is_wildcard(text: &str) -> bool {
    let parts: Vec<&str> = text.strip_prefix('v').unwrap_or(text).split('.').collect();
    let is_open = |part: &&str| matches!(*part, "x" | "X" | "*");
    (2..=3).contains(&parts.len())
        && parts.iter().any(is_open)
        && parts.iter().all(|part| is_open(part) || is_digits(part))
}

/// Up to four numbers, and whatever a prerelease or a build is called.
fn is_numeric(text: &str) -> bool {
    let text = text.strip_prefix('v').unwrap_or(text);
    let (core, rest) = match text.find(['-', '+']) {
        Some(at) => text.split_at(at),
        None => (text, ""),
    };
    let parts: Vec<&str> = core.split('.').collect();
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+');
    parts.len() <= 4 && parts.into_iter().all(is_digits) && rest.chars().all(is_word)
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_told_from_versions() {
        for range in [
            "^1.2.3",
            "~1.2.3",
            ">=1.0.0",
            "<=1",
            "> 2.0",
            "<3",
            "=1.0",
            "1.2 || 1.3",
            "1.0 - 2.0",
            "1.x",
            "1.2.*",
            "v1.X",
            " ^1.0 ",
            "^1.0.0-beta.1",
            "^1 || 2.x",
        ] {
            assert!(looks_like_range(range), "{range}");
        }
        for version in [
            "1.0",
            "v1.0",
            "1.0.0",
            "2025-06-18",
            "2025.06.18",
            "0.4.0-beta",
            "1.0.0+build",
            "${VERSION}",
            "x",
            "*",
            "main",
            "1.0-2",
            "^main",
        ] {
            assert!(!looks_like_range(version), "{version}");
        }
    }
}
