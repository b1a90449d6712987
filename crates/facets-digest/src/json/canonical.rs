use super::Value;
use crate::Digest;

impl Value<'_> {
    /// The RFC 8785 form: no white space, members by UTF-16 code units, one spelling for
    /// every string and number.
    #[must_use]
    pub fn to_canonical(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.write_canonical(&mut out);
        out
    }

    /// SHA-256 of the canonical form.
    #[must_use]
    pub fn canonical_digest(&self) -> Digest {
        Digest::of(&self.to_canonical())
    }

    /// Appends the canonical form to a preimage.
    pub fn write_canonical(&self, out: &mut Vec<u8>) {
        match self {
            Self::Null => out.extend_from_slice(b"null"),
            Self::Bool(true) => out.extend_from_slice(b"true"),
            Self::Bool(false) => out.extend_from_slice(b"false"),
            Self::Number(number) => number.write_to(out),
            Self::String(text) => write_string(text, out),
            Self::Array(items) => write_list(['[', ']'], items, out, Value::write_canonical),
            Self::Object(object) => write_list(['{', '}'], object.members(), out, |member, out| {
                write_string(&member.name, out);
                out.push(b':');
                member.value.write_canonical(out);
            }),
        }
    }
}

/// Appends items between brackets, with commas and nothing else.
pub fn write_list<T>(
    [start, end]: [char; 2],
    items: &[T],
    out: &mut Vec<u8>,
    write: impl Fn(&T, &mut Vec<u8>),
) {
    out.push(start as u8);
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write(item, out);
    }
    out.push(end as u8);
}

/// A string in quotes.
#[must_use]
pub fn quoted(text: &str) -> String {
    let mut out = Vec::new();
    write_string(text, &mut out);
    // Text in, text out: nothing is lost.
    String::from_utf8_lossy(&out).into_owned()
}

/// Appends a string in quotes, with only the escapes that JSON cannot do without.
pub fn write_string(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    let mut clean = 0;
    for (at, byte) in text.bytes().enumerate() {
        if byte >= 0x20 && byte != b'"' && byte != b'\\' {
            continue;
        }
        out.extend_from_slice(&text.as_bytes()[clean..at]);
        write_escape(byte, out);
        clean = at + 1;
    }
    out.extend_from_slice(&text.as_bytes()[clean..]);
    out.push(b'"');
}

fn write_escape(byte: u8, out: &mut Vec<u8>) {
    let short = match byte {
        b'"' | b'\\' => byte,
        0x08 => b'b',
        0x09 => b't',
        0x0A => b'n',
        0x0C => b'f',
        0x0D => b'r',
        _ => {
            const DIGITS: &[u8; 16] = b"0123456789abcdef";
            out.extend_from_slice(b"\\u00");
            out.extend([DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
            return;
        }
    };
    out.extend([b'\\', short]);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 8785, 3.2.2.2: what has a short escape uses it, all else below U+0020 is `\u00xx`.
    #[test]
    fn escapes_control_characters_quotes_and_backslashes_alone() {
        let text: String = ('\0'..' ').chain("\"\\/\u{7f}é💡".chars()).collect();
        let expected = concat!(
            r#""\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007\b\t\n\u000b\f\r\u000e\u000f"#,
            r"\u0010\u0011\u0012\u0013\u0014\u0015\u0016\u0017\u0018\u0019\u001a\u001b\u001c\u001d\u001e\u001f",
            "\\\"\\\\/\u{7f}é💡\""
        );
        assert_eq!(quoted(&text), expected);
    }
}
