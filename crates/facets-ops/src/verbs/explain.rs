//! `facet explain`: what a code means, and what to do.

use facets_failure::CodeTable;
pub use facets_failure::Explanation;
use facets_markers::{RULES, Rule};

use crate::error::OpsError;

/// The pages of all crates that can report something here, in the order in which they are listed.
const PAGES: &[&str] = &[
    facets_digest::EXPLANATIONS,
    facets_model::EXPLANATIONS,
    facets_files::EXPLANATIONS,
    facets_failure::EXPLANATIONS,
    crate::EXPLANATIONS,
    facets_launch::EXPLANATIONS,
    facets_mcp::EXPLANATIONS,
    facets_probe::EXPLANATIONS,
    facets_surface::EXPLANATIONS,
    facets_drift::EXPLANATIONS,
    facets_lock::EXPLANATIONS,
    facets_project::EXPLANATIONS,
    facets_policy::EXPLANATIONS,
    facets_clients::EXPLANATIONS,
];

/// Every code that can be reported here: those of the pages in their order, then the markers.
#[must_use]
pub fn codes() -> CodeTable {
    CodeTable::new(PAGES, RULES.iter().map(marker))
}

/// A rule explains itself by its examples.
fn marker(rule: &Rule) -> Explanation {
    Explanation { code: rule.code, text: rule.explanation().into() }
}

/// Explains one code.
pub fn explain(code: &str) -> Result<Explanation, OpsError> {
    let unknown = |similar| OpsError::UnknownCode { code: code.to_owned(), similar };
    codes().find(code).cloned().map_err(unknown)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use facets_failure::explanations;

    use super::*;

    fn codes_of(page: &'static str) -> Vec<&'static str> {
        let mut codes: Vec<&str> = explanations(page).map(|one| one.code).collect();
        codes.sort_unstable();
        codes
    }

    /// Each crate explains exactly the codes that it can report.
    #[test]
    fn every_crate_explains_its_own_codes() {
        let findings: Vec<&str> =
            facets_drift::FindingType::ALL.iter().map(|kind| kind.name()).collect();
        let of_commands =
            [OpsError::CODES, crate::ServerError::CODES, crate::verbs::build_check::CODES].concat();
        let of_policies = [facets_policy::CODES, facets_policy::PolicyError::CODES].concat();
        let of_everything = ["internal-error", "output-failed", "unknown-code", "usage"];
        let crates: &[(&'static str, &[&str])] = &[
            (facets_digest::EXPLANATIONS, facets_digest::json::JsonErrorKind::CODES),
            (facets_model::EXPLANATIONS, facets_model::manifest::CODES),
            (facets_files::EXPLANATIONS, facets_files::FileError::CODES),
            (facets_failure::EXPLANATIONS, &of_everything),
            (crate::EXPLANATIONS, &of_commands),
            (facets_launch::EXPLANATIONS, facets_launch::LaunchError::CODES),
            (facets_mcp::EXPLANATIONS, facets_mcp::CaptureError::CODES),
            (facets_probe::EXPLANATIONS, facets_probe::ObserveError::CODES),
            (facets_surface::EXPLANATIONS, facets_surface::CODES),
            (facets_drift::EXPLANATIONS, &findings),
            (facets_lock::EXPLANATIONS, facets_lock::LockError::CODES),
            (facets_project::EXPLANATIONS, facets_project::ProjectError::CODES),
            (facets_policy::EXPLANATIONS, &of_policies),
            (facets_clients::EXPLANATIONS, facets_clients::ClientError::CODES),
        ];
        assert_eq!(crates.len(), PAGES.len());
        for (page, codes) in crates {
            let mut codes = codes.to_vec();
            codes.sort_unstable();
            assert_eq!(codes_of(page), codes);
            assert!(PAGES.contains(page));
        }
    }

    #[test]
    fn no_code_is_explained_twice_or_in_a_few_words() {
        let table = codes();
        let codes: BTreeSet<&str> = table.all().iter().map(|one| one.code).collect();
        assert_eq!(table.all().len(), codes.len());
        for explanation in table.all() {
            assert!(explanation.text.len() > 60, "{} says too little", explanation.code);
        }
    }

    #[test]
    fn an_unknown_code_leads_to_a_similar_one() {
        let nearest = |code: &str| match explain(code) {
            Err(OpsError::UnknownCode { similar, .. }) => similar[0],
            other => panic!("{other:?}"),
        };
        assert_eq!(nearest("json-duplicate"), "json-duplicate-member");
        assert_eq!(nearest("yaml-anchors"), "yaml-anchor");
        assert!(explain("json-too-deep").is_ok());
    }
}
