//! Texts of others, which may be of any length.

/// The first characters of a text.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    let length = text.chars().count();
    if length <= most {
        return text.to_owned();
    }
    let start: String = text.chars().take(most).collect();
    format!("{start}… ({length} characters)")
}

/// The first of several names.
pub(crate) fn listed(names: &[&str]) -> String {
    const SHOWN: usize = 10;
    const CHARACTERS: usize = 200;
    let first: Vec<String> =
        names.iter().take(SHOWN).map(|name| shortened(name, CHARACTERS)).collect();
    match names.len().checked_sub(SHOWN) {
        None | Some(0) => first.join(", "),
        Some(more) => format!("{} and {more} more", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_and_long_lists_are_cut() {
        assert_eq!(shortened("é", 1), "é");
        let long = shortened(&"x".repeat(3_000_000), 200);
        assert_eq!(long, format!("{}… (3000000 characters)", "x".repeat(200)));
        let names: Vec<String> = (0..12).map(|number| format!("f{number}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        assert_eq!(listed(&names[..2]), "f0, f1");
        assert!(listed(&names[..10]).ends_with(", f9"));
        assert!(listed(&names).ends_with(", f9 and 2 more"));
    }
}
