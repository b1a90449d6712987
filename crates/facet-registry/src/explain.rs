//! What a code means, and what to do.

use facets_failure::{CodeTable, Explanation};

use crate::error::ProgramError;

/// What the codes of this crate mean.
const EXPLANATIONS: &str = include_str!("../codes.md");

/// The pages of all crates that can report something here, in the order in which they are listed.
const PAGES: &[&str] = &[
    EXPLANATIONS,
    facets_registry::EXPLANATIONS,
    facets_catalog::EXPLANATIONS,
    facets_blobs::EXPLANATIONS,
    facets_failure::EXPLANATIONS,
];

/// Every code that can be reported here.
pub(crate) fn codes() -> CodeTable {
    CodeTable::new(PAGES, [])
}

/// Explains one code.
pub(crate) fn explain(code: &str) -> Result<Explanation, ProgramError> {
    let unknown = |similar| ProgramError::UnknownCode { code: code.to_owned(), similar };
    codes().find(code).cloned().map_err(unknown)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use facets_failure::explanations;
    use facets_registry::PROBLEM_CODES;

    use super::*;

    #[test]
    fn this_crate_explains_its_own_codes() {
        let explained: Vec<&str> = explanations(EXPLANATIONS).map(|one| one.code).collect();
        assert_eq!(explained, ProgramError::CODES);
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
    fn every_code_of_an_answer_is_explained() {
        for (code, _) in PROBLEM_CODES {
            assert!(explain(code).is_ok(), "{code}");
        }
        assert!(explain("nothing-like-it").is_err());
    }
}
