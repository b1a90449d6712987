//! What a code means, and what to do.

use std::borrow::Cow;

use crate::similar_name::similar_names;

/// A code, explained.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The code.
    pub code: &'static str,
    /// The explanation, in Markdown.
    pub text: Cow<'static, str>,
}

/// The explanations of a page, in its order: each section of second level is one.
pub fn explanations(page: &'static str) -> impl Iterator<Item = Explanation> {
    page.split("\n## ").skip(1).map(|section| {
        let (code, text) = section.split_once('\n').unwrap_or((section, ""));
        Explanation { code: code.trim(), text: text.trim().into() }
    })
}

/// Every code that a binary can report: the pages of the crates that it stands on.
#[derive(Clone, Debug)]
pub struct CodeTable {
    all: Vec<Explanation>,
}

impl CodeTable {
    /// Assembles pages in this order, and explanations that are made otherwise behind them.
    pub fn new(pages: &[&'static str], more: impl IntoIterator<Item = Explanation>) -> Self {
        let pages = pages.iter().flat_map(|page| explanations(page));
        Self { all: pages.chain(more).collect() }
    }

    /// All of them.
    #[must_use]
    pub fn all(&self) -> &[Explanation] {
        &self.all
    }

    /// The explanation of a code, whichever of `-` and `_` it is written with; else codes that look
    /// like it, the most similar first.
    pub fn find(&self, code: &str) -> Result<&Explanation, Vec<&'static str>> {
        let plain = |code: &str| code.replace('_', "-");
        let wanted = plain(code);
        self.all
            .iter()
            .find(|explanation| plain(explanation.code) == wanted)
            .ok_or_else(|| self.similar(code))
    }

    fn similar(&self, code: &str) -> Vec<&'static str> {
        similar_names(code, self.all.iter().map(|explanation| explanation.code))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# Codes\n\nIntroduction.\n\n## file-missing\n\nFirst.\n\nMore.\n\n## name-bad\n\nSecond.\n";

    #[test]
    fn a_page_is_cut_at_its_headings() {
        let table = CodeTable::new(&[PAGE], []);
        assert_eq!(table.all().len(), 2);
        assert_eq!(&*table.find("file-missing").unwrap().text, "First.\n\nMore.");
        assert_eq!(&*table.find("name-bad").unwrap().text, "Second.");
        assert_eq!(table.find("name_bad").unwrap().code, "name-bad");
    }

    #[test]
    fn an_unknown_code_leads_to_a_similar_one() {
        let table = CodeTable::new(&[PAGE], []);
        assert_eq!(table.find("missing-file"), Err(vec!["file-missing"]));
        assert_eq!(table.find("something-else"), Err(Vec::new()));
    }
}
