//! Names that are easily taken for each other.

use facets_model::ArtifactName;

/// The scope of a name, without `@`.
pub(crate) fn scope_of(name: &ArtifactName) -> Option<&str> {
    name.as_str().strip_prefix('@')?.split_once('/').map(|(scope, _)| scope)
}

/// What two names share that are easily taken for each other.
pub(crate) fn lookalike(name: &ArtifactName) -> String {
    match name.as_str().strip_prefix('@').and_then(|scoped| scoped.split_once('/')) {
        Some((scope, slug)) => format!("@{}/{}", plain(scope), plain(slug)),
        None => plain(name.as_str()),
    }
}

/// A part of a name without hyphens, with letters for the digits that look like them.
pub(crate) fn plain(part: &str) -> String {
    let letters = part.chars().filter(|&c| c != '-');
    letters
        .map(|c| match c {
            '0' => 'o',
            '1' => 'l',
            other => other,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> String {
        lookalike(&name.parse().unwrap())
    }

    #[test]
    fn hyphens_zeros_and_ones_make_no_difference() {
        assert_eq!(key("code-review"), key("codereview"));
        assert_eq!(key("foo"), key("fo0"));
        assert_eq!(key("tool"), key("too1"));
        assert_ne!(key("tool"), key("tools"));
    }

    #[test]
    fn a_scope_is_compared_apart_from_the_name() {
        assert_eq!(key("@ac-me/tool"), key("@acme/too1"));
        assert_ne!(key("@acme/tool"), key("@ac/metool"));
        assert_ne!(key("@acme/tool"), key("acmetool"));
        assert_eq!(scope_of(&"@acme/tool".parse().unwrap()), Some("acme"));
        assert_eq!(scope_of(&"tool".parse().unwrap()), None);
    }
}
