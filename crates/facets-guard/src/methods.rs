//! Methods that decide, and those that a reader may take for one of them.

use std::borrow::Cow;

use facets_markers::visible_letters;

/// The one of `known` that a method is, or that it may be taken for: but for capitals, blanks,
/// signs, invisible characters, letters of other alphabets, and zeros or anything behind one.
pub(crate) fn meant_method(method: &str, known: &[&'static str]) -> Option<&'static str> {
    let same = known.iter().copied().find(|known| *known == method);
    same.or_else(|| {
        let readings = readings(method);
        let is_like = |known: &str| readings.iter().any(|one| letters(one).eq(letters(known)));
        known.iter().copied().find(|known| is_like(known))
    })
}

/// Whether a method belongs to a family, such as `sampling/`, for some reader.
pub(crate) fn is_of_family(method: &str, family: &str) -> bool {
    readings(method).iter().any(|reading| {
        let mut rest = reading.trim_start_matches(|letter: char| !letter.is_ascii_alphanumeric());
        for letter in family.chars() {
            let Some(after) = rest.strip_prefix([letter, letter.to_ascii_uppercase()]) else {
                return false;
            };
            rest = after;
        }
        !rest.starts_with(|letter: char| letter.is_ascii_alphanumeric())
    })
}

/// A method as readers see it: those that end it at a zero, and those that drop it.
fn readings(method: &str) -> [Cow<'_, str>; 2] {
    let visible =
        |text: &str| if text.is_ascii() { text.to_owned() } else { visible_letters(text) };
    if method.is_ascii() && !method.contains('\0') {
        return [Cow::Borrowed(method), Cow::Borrowed("")];
    }
    let cut = method.split('\0').next().unwrap_or_default();
    [Cow::Owned(visible(cut)), Cow::Owned(visible(&method.replace('\0', "")))]
}

fn letters(text: &str) -> impl Iterator<Item = char> {
    let plain = text.chars().filter(char::is_ascii_alphanumeric);
    plain.map(|letter| letter.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 2] = ["tools/call", "sampling/createMessage"];

    #[test]
    fn a_method_in_other_letters_is_meant() {
        for (method, meant) in [
            ("tools/call", "tools/call"),
            ("Tools/Call", "tools/call"),
            ("tools/call ", "tools/call"),
            ("\ttools/call\u{a0}", "tools/call"),
            ("tools//call", "tools/call"),
            ("tools\\call", "tools/call"),
            ("tools/call\0/x", "tools/call"),
            ("\0tools/ca\0ll", "tools/call"),
            ("t\u{43e}ols/call", "tools/call"),
            ("tools/ca\u{200b}ll", "tools/call"),
            ("\u{ff54}ools/call", "tools/call"),
            ("sampling/createmessage", "sampling/createMessage"),
            ("\u{17f}ampling/createMe\u{17f}sage", "sampling/createMessage"),
            ("sampl\u{131}ng/create_message", "sampling/createMessage"),
        ] {
            assert_eq!(meant_method(method, &KNOWN), Some(meant), "{method:?}");
        }
        let padded = format!("{}tools/call", "/ \u{200b}".repeat(300));
        assert_eq!(meant_method(&padded, &KNOWN), Some("tools/call"));
        for method in ["tools/list", "tools/calls", "tool/call", "sampling", "", "x/tools/call"] {
            assert_eq!(meant_method(method, &KNOWN), None, "{method:?}");
        }
    }

    #[test]
    fn a_family_is_what_a_method_begins_with() {
        for method in ["sampling/createMessage", " Sampling/other", "s\u{430}mpling/x"] {
            assert!(is_of_family(method, "sampling"), "{method:?}");
        }
        for method in ["notifications/sampling", "sample", "", "roots/list", "samplingRate/changed"]
        {
            assert!(!is_of_family(method, "sampling"), "{method:?}");
        }
    }
}
