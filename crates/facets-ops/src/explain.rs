//! `facet explain`: what a code means, and what to do.

use crate::OpsError;

const TEXT: &str = include_str!("../codes.md");

/// A code, explained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The code.
    pub code: &'static str,
    /// The explanation, in Markdown.
    pub text: &'static str,
}

/// Every explanation, in the order of the page.
pub fn explanations() -> impl Iterator<Item = Explanation> {
    TEXT.split("\n## ").skip(1).map(|section| {
        let (code, text) = section.split_once('\n').unwrap_or((section, ""));
        Explanation { code: code.trim(), text: text.trim() }
    })
}

/// Explains one code.
pub fn explain(code: &str) -> Result<Explanation, OpsError> {
    explanations().find(|explanation| explanation.code == code).ok_or_else(|| {
        let nearest = explanations()
            .map(|explanation| explanation.code)
            .max_by_key(|candidate| common_letters(candidate, code))
            .unwrap_or_default();
        OpsError::UnknownCode { code: code.to_owned(), nearest }
    })
}

/// How many pairs of neighbouring letters two words share, less what they do not.
fn common_letters(left: &str, right: &str) -> isize {
    let pairs = |text: &str| -> Vec<[u8; 2]> {
        text.to_ascii_lowercase().as_bytes().windows(2).map(|pair| [pair[0], pair[1]]).collect()
    };
    let (left, right) = (pairs(left), pairs(right));
    let shared = left.iter().filter(|pair| right.contains(pair)).count();
    (2 * shared).cast_signed() - (left.len() + right.len()).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_code_is_explained_and_nothing_else() {
        let codes: BTreeSet<&str> = [
            facets_digest::json::JsonErrorKind::CODES,
            facets_model::manifest::CODES,
            crate::build_check::CODES,
            OpsError::CODES,
            facets_mcp::CaptureError::CODES,
            &["usage", "output-failed"],
        ]
        .concat()
        .into_iter()
        .collect();
        let explained: BTreeSet<&str> = explanations().map(|e| e.code).collect();
        assert_eq!(explained, codes);
        assert_eq!(explanations().count(), codes.len(), "a code is explained twice");
        for explanation in explanations() {
            assert!(explanation.text.len() > 60, "{} says too little", explanation.code);
        }
    }

    #[test]
    fn an_unknown_code_leads_to_a_similar_one() {
        let nearest = |code: &str| match explain(code) {
            Err(OpsError::UnknownCode { nearest, .. }) => nearest,
            other => panic!("{other:?}"),
        };
        assert_eq!(nearest("json-duplicate"), "json-duplicate-member");
        assert_eq!(nearest("yaml-anchors"), "yaml-anchor");
        assert!(explain("json-too-deep").is_ok());
    }
}
