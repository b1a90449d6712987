//! Parts of addresses. The registry takes more than [`crate::HttpUrl`] does: fragments, templates.

/// The scheme, if the text begins with one.
pub(super) fn scheme(text: &str) -> Option<&str> {
    let (scheme, _) = text.split_once(':')?;
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    let starts = scheme.starts_with(|c: char| c.is_ascii_alphabetic());
    (starts && scheme.chars().all(is_part)).then_some(scheme)
}

/// The host, without user and port, if there is one.
pub(super) fn host(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let place = authority.rsplit('@').next()?;
    let host = match place.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((inside, _)) => inside,
        None => place.split(':').next()?,
    };
    (!host.is_empty()).then_some(host)
}

/// What stands behind the host.
pub(super) fn path(text: &str) -> &str {
    let rest = text.split_once("://").map_or("", |(_, rest)| rest);
    let path = rest.find('/').map_or("", |at| &rest[at..]);
    path.split(['?', '#']).next().unwrap_or_default()
}

/// Whether a text is an absolute web address without blanks.
pub(super) fn is_web(text: &str) -> bool {
    let known = scheme(text).is_some_and(|scheme| {
        scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
    });
    known && host(text).is_some() && !text.contains(|c: char| c.is_whitespace() || c.is_control())
}

/// The names in braces, in the order written.
pub(super) fn template_names(text: &str) -> Vec<&str> {
    let parts = text.split('{').skip(1);
    parts.filter_map(|part| part.split_once('}')).map(|(name, _)| name).collect()
}

/// The address with a word in the place of each name in braces.
pub(super) fn without_templates(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('{') {
        let Some((_, after)) = behind.split_once('}') else { break };
        out.push_str(before);
        out.push('1');
        rest = after;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_taken_apart() {
        let text = "https://u@a.example:8080/b/c?d#e";
        assert_eq!(
            (scheme(text), host(text), path(text)),
            (Some("https"), Some("a.example"), "/b/c")
        );
        assert_eq!(scheme("data:image/png;base64,AAAA"), Some("data"));
        assert_eq!(scheme("/relative"), None);
        assert_eq!(host("https://[::1]:3/x"), Some("::1"));
        assert_eq!(host("https:///x"), None);
        assert!(is_web("http://localhost:3000/mcp"));
        assert!(!is_web("https://a b/") && !is_web("ftp://a/") && !is_web("a/b"));
    }

    #[test]
    fn templates_are_found_and_replaced() {
        let text = "http://localhost:{--port}/{a}/x";
        assert_eq!(template_names(text), ["--port", "a"]);
        assert_eq!(without_templates(text), "http://localhost:1/1/x");
        assert_eq!(without_templates("{open"), "{open");
    }
}
