use std::cmp::Ordering;

/// Orders two texts by their UTF-16 code units, as RFC 8785 sorts member names.
///
/// UTF-8 sorts by code point. The two orders disagree in one case only: UTF-16 puts
/// U+10000 and above (surrogates, 0xD800 and up) before U+E000 to U+FFFF. In UTF-8 those
/// begin with 0xF0 and up, and 0xEE or 0xEF, and only first bytes are that large; so
/// looking at the first byte that differs is enough.
#[must_use]
pub fn compare_utf16(left: &str, right: &str) -> Ordering {
    let differing = left.bytes().zip(right.bytes()).find(|(l, r)| l != r);
    match differing {
        None => left.len().cmp(&right.len()),
        Some((l, r)) if l >= 0xEE && r >= 0xEE && (l >= 0xF0) != (r >= 0xF0) => r.cmp(&l),
        Some((l, r)) => l.cmp(&r),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn puts_surrogate_pairs_before_the_private_use_area() {
        assert_eq!(compare_utf16("\u{1F4A1}", "\u{FF5E}"), Ordering::Less);
        assert_eq!(compare_utf16("\u{E000}", "\u{10FFFF}"), Ordering::Greater);
        assert_eq!(compare_utf16("\u{D7FF}", "\u{10000}"), Ordering::Less);
        assert_eq!(compare_utf16("a", "ab"), Ordering::Less);
        assert_eq!(compare_utf16("", ""), Ordering::Equal);
    }

    proptest! {
        #[test]
        fn agrees_with_code_units(left in "[a\u{7f}\u{80}\u{d7ff}\u{e000}\u{ffff}\u{10000}\u{10ffff}]{0,6}",
                                  right in "[a\u{7f}\u{80}\u{d7ff}\u{e000}\u{ffff}\u{10000}\u{10ffff}]{0,6}") {
            prop_assert_eq!(compare_utf16(&left, &right), left.encode_utf16().cmp(right.encode_utf16()));
        }
    }
}
