//! What a code means, and what to do.

use facets_failure::{CodeTable, Explanation};
use facets_model::server_json;

use crate::error::PublisherError;

/// What the codes of this crate mean.
const EXPLANATIONS: &str = include_str!("../codes.md");

/// The pages of all crates that can report something here, in the order in which they are listed.
const PAGES: &[&str] = &[
    EXPLANATIONS,
    facets_file_hashes::EXPLANATIONS,
    server_json::EXPLANATIONS,
    facets_fetch::EXPLANATIONS,
    facets_model::EXPLANATIONS,
    facets_digest::EXPLANATIONS,
    facets_files::EXPLANATIONS,
    facets_failure::EXPLANATIONS,
];

/// Every code that can be reported here.
pub(crate) fn codes() -> CodeTable {
    CodeTable::new(PAGES, [])
}

/// Explains one code.
pub(crate) fn explain(code: &str) -> Result<Explanation, PublisherError> {
    let unknown = |similar| PublisherError::UnknownCode { code: code.to_owned(), similar };
    codes().find(code).cloned().map_err(unknown)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use facets_failure::explanations;
    use facets_file_hashes::{FileHashesError, FileStatus};

    use super::*;

    fn codes_of(page: &'static str) -> BTreeSet<&'static str> {
        explanations(page).map(|one| one.code).collect()
    }

    #[test]
    fn this_crate_explains_its_own_codes() {
        let codes: BTreeSet<&str> = PublisherError::CODES.iter().copied().collect();
        assert_eq!(codes_of(EXPLANATIONS), codes);
    }

    #[test]
    fn every_result_of_a_file_is_explained() {
        let statuses = FileStatus::ALL.iter().map(|status| status.word());
        let statuses = statuses.filter(|word| *word != "ok");
        let codes: BTreeSet<&str> =
            FileHashesError::CODES.iter().copied().chain(statuses).collect();
        assert_eq!(codes_of(facets_file_hashes::EXPLANATIONS), codes);
    }

    #[test]
    fn no_code_is_explained_twice_or_in_a_few_words() {
        let table = codes();
        let codes: BTreeSet<&str> = table.all().iter().map(|one| one.code).collect();
        assert_eq!(table.all().len(), codes.len());
        for explanation in table.all() {
            assert!(explanation.text.len() > 60, "{} says too little", explanation.code);
        }
        assert!(explain("invalid-server-name").is_ok());
        assert!(explain("fetch-not-found").is_ok());
        assert!(explain("nothing-like-it").is_err());
    }
}
