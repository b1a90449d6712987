//! Percent-decoding, strictly: what cannot be decoded is refused and not passed on.

use std::borrow::Cow;

/// Why a text cannot be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PercentError {
    /// `%` without two hex digits behind it.
    Escape,
    /// The bytes are no UTF-8.
    Encoding,
    /// NUL, a line end, or another control character.
    Control,
}

impl PercentError {
    /// What is wrong, for a sentence.
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Self::Escape => "`%` without two hex digits behind it",
            Self::Encoding => "bytes that are not UTF-8",
            Self::Control => "a control character",
        }
    }
}

/// What `+` stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Plus {
    /// Itself, in a path.
    Literal,
    /// A blank, in a query.
    Blank,
}

/// Decodes one segment of a path, or one name or value of a query.
pub(crate) fn decode(text: &str, plus: Plus) -> Result<Cow<'_, str>, PercentError> {
    let is_plain = !text.bytes().any(|byte| byte == b'%' || (byte == b'+' && plus == Plus::Blank));
    let decoded = if is_plain {
        Cow::Borrowed(text)
    } else {
        let bytes = decode_bytes(text.as_bytes(), plus)?;
        Cow::Owned(String::from_utf8(bytes).map_err(|_| PercentError::Encoding)?)
    };
    if decoded.chars().any(char::is_control) { Err(PercentError::Control) } else { Ok(decoded) }
}

fn decode_bytes(text: &[u8], plus: Plus) -> Result<Vec<u8>, PercentError> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, behind @ ..] = rest {
        rest = behind;
        match first {
            b'%' => {
                let [high, low, behind @ ..] = rest else { return Err(PercentError::Escape) };
                out.push(hex(*high)? * 16 + hex(*low)?);
                rest = behind;
            }
            b'+' if plus == Plus::Blank => out.push(b' '),
            other => out.push(*other),
        }
    }
    Ok(out)
}

fn hex(digit: u8) -> Result<u8, PercentError> {
    match digit {
        b'0'..=b'9' => Ok(digit - b'0'),
        b'a'..=b'f' => Ok(digit - b'a' + 10),
        b'A'..=b'F' => Ok(digit - b'A' + 10),
        _ => Err(PercentError::Escape),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_decoded_once() {
        let decoded = |text| decode(text, Plus::Literal).map(Cow::into_owned);
        assert_eq!(decoded("%40scope").as_deref(), Ok("@scope"));
        assert_eq!(decoded("a+b").as_deref(), Ok("a+b"));
        assert_eq!(decoded("%2541").as_deref(), Ok("%41"));
        assert_eq!(decoded("%c3%A9").as_deref(), Ok("é"));
        assert_eq!(decode("a+b%2B", Plus::Blank).as_deref(), Ok("a b+"));
    }

    #[test]
    fn what_is_no_text_is_refused() {
        let refused = |text| decode(text, Plus::Literal).unwrap_err();
        for text in ["%", "%4", "%4g", "a%", "%%41", "% 41"] {
            assert_eq!(refused(text), PercentError::Escape, "{text}");
        }
        for text in ["%ff", "%c3", "%ed%a0%80", "%c0%80"] {
            assert_eq!(refused(text), PercentError::Encoding, "{text}");
        }
        for text in ["%00", "a%0ab", "%7f", "%c2%80"] {
            assert_eq!(refused(text), PercentError::Control, "{text}");
        }
    }
}
