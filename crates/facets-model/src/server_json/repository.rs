//! Where the source of a server is.

use super::placeholder::template_in;
use crate::manifest::check::{Checker, Place, shorten};

/// Checks the member `repository`.
pub(super) fn check_repository(check: &mut Checker<'_>, place: &Place<'_>) {
    let Some(members) = check.members(place) else { return };
    check.closed(&members, &["url", "source", "id", "subfolder"]);
    let source =
        members.required(check, "source", "\"github\"").and_then(|place| check.string(&place));
    if let Some(url) = members.required(check, "url", "\"https://github.com/OWNER/REPOSITORY\"") {
        check_url(check, &url, source.unwrap_or("github"));
    }
    if let Some(id) = members.optional("id") {
        check.string(&id);
    }
    if let Some(subfolder) = members.optional("subfolder") {
        check_subfolder(check, &subfolder);
    }
}

fn check_url(check: &mut Checker<'_>, place: &Place<'_>, source: &str) {
    let Some(text) = check.string(place) else { return };
    if is_repository(source, text) {
        return;
    }
    let found = match template_in(text) {
        Some(template) => format!("the placeholder {}", shorten(template)),
        None => format!("{} for the source {}", shorten(text), shorten(source)),
    };
    check.problem(
        "invalid-repository-url",
        place,
        &found,
        "https://github.com/OWNER/REPOSITORY with the source \"github\", or the same of gitlab",
        "write the address of the repository alone, without anything behind it",
    );
}

/// `^https?://(www\.)?(github|gitlab)\.com/[\w.-]+/[\w.-]+/?$`
fn is_repository(source: &str, url: &str) -> bool {
    let host = match source {
        "github" => "github.com/",
        "gitlab" => "gitlab.com/",
        _ => return false,
    };
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let rest = rest.map(|rest| rest.strip_prefix("www.").unwrap_or(rest));
    let Some(path) = rest.and_then(|rest| rest.strip_prefix(host)) else { return false };
    let path = path.strip_suffix('/').unwrap_or(path);
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    let is_part = |part: &str| !part.is_empty() && part.chars().all(is_word);
    path.split_once('/').is_some_and(|(owner, name)| is_part(owner) && is_part(name))
}

fn check_subfolder(check: &mut Checker<'_>, place: &Place<'_>) {
    let Some(text) = check.string(place) else { return };
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    let is_segment = |segment: &str| !matches!(segment, "" | "." | "..");
    if !text.chars().all(is_allowed) || !text.split('/').all(is_segment) {
        check.problem(
            "invalid-subfolder-path",
            place,
            &shorten(text),
            "a relative path of A-Z, a-z, 0-9, '-', '_', '.' and single '/', without '.' and '..'",
            "write the path from the root of the repository, for example \"src/server\"",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_repositories_end_with_the_repository() {
        for (source, url) in [
            ("github", "https://github.com/example/weather-mcp"),
            ("github", "http://www.github.com/a_b/c.git/"),
            ("gitlab", "https://gitlab.com/a/b"),
        ] {
            assert!(is_repository(source, url), "{url}");
        }
        for (source, url) in [
            ("gitlab", "https://github.com/a/b"),
            ("bitbucket", "https://bitbucket.org/a/b"),
            ("github", "https://github.com/a/b/tree/main"),
            ("github", "https://github.com/a"),
            ("github", "git@github.com:a/b"),
            ("github", "https://github.com.evil.example/a/b"),
        ] {
            assert!(!is_repository(source, url), "{url}");
        }
    }
}
