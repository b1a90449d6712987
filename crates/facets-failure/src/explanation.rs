//! What a code means, and what to do.

use std::borrow::Cow;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_cut_at_its_headings() {
        let page = "# Codes\n\nIntroduction.\n\n## a-b\n\nFirst.\n\nMore.\n\n## c\n\nSecond.\n";
        let found: Vec<Explanation> = explanations(page).collect();
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].code, &*found[0].text), ("a-b", "First.\n\nMore."));
        assert_eq!((found[1].code, &*found[1].text), ("c", "Second."));
    }
}
