//! `facet explain`: what a code means, and what to do.

use std::borrow::Cow;

use facets_markers::{RULES, Rule};

use crate::error::OpsError;

const TEXT: &str = include_str!("../../codes.md");

/// A code, explained.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The code.
    pub code: &'static str,
    /// The explanation, in Markdown.
    pub text: Cow<'static, str>,
}

/// Every explanation: those of the page in its order, then those of the markers.
pub fn explanations() -> impl Iterator<Item = Explanation> {
    let page = TEXT.split("\n## ").skip(1).map(|section| {
        let (code, text) = section.split_once('\n').unwrap_or((section, ""));
        Explanation { code: code.trim(), text: text.trim().into() }
    });
    page.chain(RULES.iter().map(marker))
}

/// A rule explains itself by its examples.
fn marker(rule: &Rule) -> Explanation {
    let shown = |text: &&str| format!("  {}\n", text.escape_debug());
    let hits: String = rule.hits.iter().take(2).map(shown).collect();
    let passes: String = rule.passes.iter().take(2).map(shown).collect();
    let text = format!(
        "A marker for {}. A text that tells a model what to do, or that shows people something else \
         than it shows a model, has such marks. One that is new since the approval makes its \
         finding critical; one that was approved does not.\n\nIt hits, for example,\n\n{hits}\n\
         and not\n\n{passes}",
        rule.looks_for
    );
    Explanation { code: rule.code, text: text.trim_end().to_owned().into() }
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
            crate::verbs::build_check::CODES,
            OpsError::CODES,
            crate::ServerError::CODES,
            crate::PolicyError::CODES,
            facets_policy::CODES,
            facets_lock::LockError::CODES,
            facets_project::ProjectError::CODES,
            facets_clients::ClientError::CODES,
            facets_mcp::CaptureError::CODES,
            &["usage", "output-failed"],
        ]
        .concat()
        .into_iter()
        .chain(facets_drift::FindingType::ALL.iter().map(|kind| kind.name()))
        .chain(RULES.iter().map(|rule| rule.code))
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
