//! The two tokens that have an inside: numbers and strings.

use std::borrow::Cow;

use super::{JsonError, JsonErrorKind, Tokenizer};

/// `-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?`
impl<'a> Tokenizer<'a> {
    pub(super) fn number(&mut self) -> Result<&'a str, JsonError> {
        let start = self.at;
        self.skip_one_of(b"-");
        let first_digit = self.at;
        self.digits("a digit is missing after '-'", start)?;
        if self.at - first_digit > 1 && self.text.as_bytes()[first_digit] == b'0' {
            return Err(self.malformed("a leading zero", start));
        }
        if self.skip_one_of(b".") {
            self.digits("a digit is missing after '.'", start)?;
        }
        if self.skip_one_of(b"eE") {
            self.skip_one_of(b"+-");
            self.digits("a digit is missing in the exponent", start)?;
        }
        Ok(&self.text[start..self.at])
    }

    fn digits(&mut self, missing: &'static str, start: usize) -> Result<(), JsonError> {
        let first = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == first { Err(self.malformed(missing, start)) } else { Ok(()) }
    }

    fn skip_one_of(&mut self, wanted: &[u8]) -> bool {
        let found = self.peek().is_some_and(|byte| wanted.contains(&byte));
        self.at += usize::from(found);
        found
    }

    fn malformed(&self, reason: &'static str, start: usize) -> JsonError {
        self.error_at(JsonErrorKind::MalformedNumber { reason }, start)
    }
}

impl<'a> Tokenizer<'a> {
    /// Borrows the text between the quotes where nothing is escaped: nearly always.
    pub(super) fn string(&mut self) -> Result<Cow<'a, str>, JsonError> {
        let text = self.text;
        self.at += 1;
        let start = self.at;
        self.skip_plain();
        if self.peek() == Some(b'"') {
            self.at += 1;
            return Ok(Cow::Borrowed(&text[start..self.at - 1]));
        }
        let mut unescaped = text[start..self.at].to_owned();
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(Cow::Owned(unescaped));
                }
                Some(b'\\') => unescaped.push(self.escape()?),
                Some(control @ 0..0x20) => {
                    let kind = JsonErrorKind::ControlCharacter { found: control.into() };
                    return Err(self.error_at(kind, self.at));
                }
                Some(_) => {
                    let plain = self.at;
                    self.skip_plain();
                    unescaped.push_str(&text[plain..self.at]);
                }
                None => return Err(self.unexpected("the end of a string")),
            }
        }
    }

    fn skip_plain(&mut self) {
        /// As many bytes as processors compare at once.
        const BLOCK: usize = 32;
        let ends = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..0x20);
        let rest = &self.text.as_bytes()[self.at..];
        // Without an early way out of a block, all of its bytes are compared together.
        let has_end = |block: &&[u8]| block.iter().fold(false, |found, byte| found | ends(byte));
        let blocks = rest.chunks_exact(BLOCK).take_while(|block| !has_end(block)).count();
        let plain = rest[blocks * BLOCK..].iter().position(ends);
        self.at += plain.map_or(rest.len(), |plain| blocks * BLOCK + plain);
    }

    fn escape(&mut self) -> Result<char, JsonError> {
        let start = self.at;
        let escaped = self.text.as_bytes().get(start + 1);
        self.at += 2;
        Ok(match escaped {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(start),
            _ => return Err(self.error_at(JsonErrorKind::InvalidEscape, start)),
        })
    }

    fn unicode_escape(&mut self, start: usize) -> Result<char, JsonError> {
        let first = self.code_unit(start)?;
        let lone = |unit| JsonErrorKind::LoneSurrogate { unit };
        match first {
            0xD800..0xDC00 if self.rest().starts_with("\\u") => {
                let second_start = self.at;
                self.at += 2;
                let second = self.code_unit(second_start)?;
                let mut pair = char::decode_utf16([first, second]);
                match (pair.next(), pair.next()) {
                    (Some(Ok(character)), None) => Ok(character),
                    _ => Err(self.error_at(lone(first), start)),
                }
            }
            // Neither half stands for a character alone, so `from_u32` refuses both.
            _ => char::from_u32(first.into()).ok_or_else(|| self.error_at(lone(first), start)),
        }
    }

    /// Four hex digits. `u16::from_str_radix` alone would also take `+12f`.
    fn code_unit(&mut self, start: usize) -> Result<u16, JsonError> {
        let digits = self.text.as_bytes().get(self.at..self.at + 4).unwrap_or_default();
        self.at += 4;
        if digits.len() < 4 || !digits.iter().all(u8::is_ascii_hexdigit) {
            return Err(self.error_at(JsonErrorKind::InvalidEscape, start));
        }
        let value = digits.iter().fold(0, |value, &digit| {
            value * 16 + char::from(digit).to_digit(16).unwrap_or_default()
        });
        Ok(u16::try_from(value).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use crate::json::{Limits, Provenance, Value, parse};

    /// Texts are compared in blocks: whatever ends one may stand anywhere in a block, or behind the last.
    #[test]
    fn the_end_of_a_plain_text_is_found_wherever_it_stands() {
        let read = |text: &str| {
            let value = parse(text.as_bytes(), Provenance::Authored, Limits::DOCUMENT);
            value.map(|value| match value {
                Value::String(text) => text.into_owned(),
                _ => String::new(),
            })
        };
        for length in 0..130 {
            let plain = "x".repeat(length);
            assert_eq!(read(&format!("\"{plain}\"")).unwrap(), plain);
            let escaped = format!("\"{plain}\\n{plain}\"");
            assert_eq!(read(&escaped).unwrap(), format!("{plain}\n{plain}"));
            assert!(read(&format!("\"{plain}\u{1f}{plain}\"")).is_err(), "{length}");
            assert!(read(&format!("\"{plain}")).is_err(), "{length}");
            assert_eq!(read(&format!("\"{plain} \"")).unwrap(), format!("{plain} "));
        }
    }
}
