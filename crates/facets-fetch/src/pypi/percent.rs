//! Percent-encoding, undone.

/// Decodes `%XX`; a sign without two digits stays, and bytes that are no UTF-8 are replaced.
pub(super) fn percent_decoded(text: &str) -> String {
    String::from_utf8_lossy(&decoded_bytes(text)).into_owned()
}

/// Whether every sign has its two digits and the bytes are UTF-8: clients encode anything else anew.
pub(super) fn is_well_formed(text: &str) -> bool {
    let is_complete = |after: &str| match after.as_bytes() {
        [high, low, ..] => digit(*high).is_some() && digit(*low).is_some(),
        _ => false,
    };
    text.split('%').skip(1).all(is_complete) && std::str::from_utf8(&decoded_bytes(text)).is_ok()
}

fn decoded_bytes(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        if let (b'%', &[high, low, ref further @ ..]) = (first, after) {
            if let (Some(high), Some(low)) = (digit(high), digit(low)) {
                bytes.push(high << 4 | low);
                rest = further;
            } else {
                bytes.push(first);
                rest = after;
            }
        } else {
            bytes.push(first);
            rest = after;
        }
    }
    bytes
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_two_digits_after_the_sign_are_decoded() {
        for (encoded, decoded) in [
            ("", ""),
            ("a%40b", "a@b"),
            ("%c3%A9", "é"),
            ("100%", "100%"),
            ("%4", "%4"),
            ("%zz%41", "%zzA"),
            ("%%41", "%A"),
            ("%ff", "\u{fffd}"),
        ] {
            assert_eq!(percent_decoded(encoded), decoded, "{encoded}");
        }
    }

    #[test]
    fn encodings_without_digits_or_beyond_utf_8_are_malformed() {
        for text in ["", "a/b", "%c3%A9", "a%2Fb%25"] {
            assert!(is_well_formed(text), "{text}");
        }
        for text in ["%", "100%", "%4", "%zz", "%%41", "%2%46", "%ff", "%c3"] {
            assert!(!is_well_formed(text), "{text}");
        }
    }
}
