//! Texts that a release was to replace.

/// How tools for releases mark what they replace.
const TEMPLATES: [(&str, &str); 4] = [("{{", "}}"), ("<<", ">>"), ("${", "}"), ("$(", ")")];

/// The first template in a text: `{{…}}`, `<<…>>`, `${…}` or `$(…)`.
#[must_use]
pub fn template_in(text: &str) -> Option<&str> {
    TEMPLATES.iter().find_map(|(open, close)| {
        let start = text.find(open)?;
        let inside = start + open.len();
        let length = text.get(inside..)?.find(close)?;
        text.get(start..inside + length + close.len())
    })
}

/// What stands where a hash belongs and is none yet: a template, zeros, or the word itself.
#[must_use]
pub fn placeholder_in(text: &str) -> Option<&str> {
    let hex = text.strip_prefix("sha256:").unwrap_or(text);
    let is_zero = hex.len() == 64 && hex.bytes().all(|digit| digit == b'0');
    let is_named = text.to_ascii_lowercase().contains("placeholder");
    template_in(text).or((is_zero || is_named).then_some(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_a_release_was_to_replace() {
        assert_eq!(template_in("v{{VERSION}}-x"), Some("{{VERSION}}"));
        assert_eq!(template_in("<<Version>>"), Some("<<Version>>"));
        assert_eq!(template_in("${VERSION}"), Some("${VERSION}"));
        assert_eq!(template_in("$(PackageVersion)"), Some("$(PackageVersion)"));
        for plain in ["1.0.0", "{port}", "a << b", "${", "$x", ""] {
            assert_eq!(template_in(plain), None, "{plain}");
        }
    }

    #[test]
    fn zeros_and_the_word_are_no_hash() {
        let zeros = "0".repeat(64);
        assert_eq!(placeholder_in(&zeros), Some(&*zeros));
        let long = format!("sha256:{zeros}");
        assert_eq!(placeholder_in(&long), Some(&*long));
        assert!(placeholder_in("PLACEHOLDER_SHA256").is_some());
        assert!(placeholder_in("{{MCPB_FILE_SHA256}}").is_some());
        assert_eq!(placeholder_in(&"a".repeat(64)), None);
    }
}
