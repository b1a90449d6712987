//! Lists, page by page.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::error::CatalogError;

/// The most items of a page.
const MOST_ITEMS: u32 = 1000;
/// Longer than any key that a list has.
const LONGEST_KEY: usize = 1024;

/// A part of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T> {
    /// The items.
    pub items: Vec<T>,
    /// Where the next page begins, if there is one.
    pub next: Option<Cursor>,
}

/// The place behind the last item of a page. Opaque: only its list reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor(String);

impl Cursor {
    pub(crate) fn new(key: String) -> Self {
        Self(key)
    }

    /// The key of the last item.
    pub(crate) fn key(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&URL_SAFE_NO_PAD.encode(&self.0))
    }
}

impl FromStr for Cursor {
    type Err = CatalogError;

    fn from_str(text: &str) -> Result<Self, CatalogError> {
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| CatalogError::BadCursor)?;
        let key = String::from_utf8(bytes).map_err(|_| CatalogError::BadCursor)?;
        if key.is_empty() || key.len() > LONGEST_KEY || key.contains('\0') {
            return Err(CatalogError::BadCursor);
        }
        Ok(Self(key))
    }
}

/// The key behind which a page begins, or the one before all others.
pub(crate) fn key_of<'c>(after: Option<&'c Cursor>, first: &'c str) -> &'c str {
    after.map_or(first, Cursor::key)
}

/// How many items a page has: at least one, and not too many.
pub(crate) fn bounded(limit: u32) -> u32 {
    limit.clamp(1, MOST_ITEMS)
}

/// How many rows to ask for: one more tells whether there is another page.
pub(crate) fn rows_for(limit: u32) -> i64 {
    i64::from(bounded(limit)) + 1
}

/// Makes a page of the rows that [`rows_for`] asked for.
pub(crate) fn cut<T>(mut items: Vec<T>, limit: u32, key: impl Fn(&T) -> String) -> Page<T> {
    let most = usize::try_from(bounded(limit)).unwrap_or(usize::MAX);
    let has_more = items.len() > most;
    items.truncate(most);
    let next = items.last().filter(|_| has_more).map(|last| Cursor::new(key(last)));
    Page { items, next }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_text_that_comes_back() {
        let cursor = Cursor::new("@acme/demo".to_owned());
        let text = cursor.to_string();
        assert!(text.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{text}");
        assert_eq!(text.parse::<Cursor>().unwrap(), cursor);
    }

    #[test]
    fn other_texts_are_no_cursors() {
        let long = URL_SAFE_NO_PAD.encode("a".repeat(LONGEST_KEY + 1));
        let nul = URL_SAFE_NO_PAD.encode("a\0b");
        let bytes = URL_SAFE_NO_PAD.encode([0xff, 0xfe]);
        for bad in ["", "a", "a b", "YQ==", &long, &nul, &bytes] {
            assert!(matches!(bad.parse::<Cursor>(), Err(CatalogError::BadCursor)), "{bad}");
        }
    }

    #[test]
    fn a_page_has_a_cursor_only_if_there_are_more_items() {
        let key = |item: &u32| item.to_string();
        assert_eq!(cut(vec![1, 2], 2, key), Page { items: vec![1, 2], next: None });
        let next = Some(Cursor::new("2".to_owned()));
        assert_eq!(cut(vec![1, 2, 3], 2, key), Page { items: vec![1, 2], next });
        assert_eq!(cut(Vec::new(), 2, key), Page { items: Vec::new(), next: None });
        assert_eq!((rows_for(0), rows_for(30), rows_for(u32::MAX)), (2, 31, 1001));
    }
}
