//! JSON that is written straight into the bytes of an answer.

use facets_digest::Digest;
use facets_digest::json::write_string;

use crate::timestamp;

/// Writes the members of one object.
pub(crate) struct ObjectWriter<'o> {
    out: &'o mut Vec<u8>,
    is_empty: bool,
}

impl<'o> ObjectWriter<'o> {
    /// Opens an object behind what is there.
    pub(crate) fn begin(out: &'o mut Vec<u8>) -> Self {
        out.push(b'{');
        Self { out, is_empty: true }
    }

    /// Closes it.
    pub(crate) fn end(self) {
        self.out.push(b'}');
    }

    /// A name, and then what the caller writes.
    pub(crate) fn member(&mut self, name: &str) -> &mut Vec<u8> {
        if !self.is_empty {
            self.out.push(b',');
        }
        self.is_empty = false;
        write_string(name, self.out);
        self.out.push(b':');
        self.out
    }

    pub(crate) fn text(&mut self, name: &str, value: &str) {
        let out = self.member(name);
        write_string(value, out);
    }

    /// A text, or no member at all.
    pub(crate) fn optional_text(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.text(name, value);
        }
    }

    /// A text, or `null`.
    pub(crate) fn nullable_text(&mut self, name: &str, value: Option<&str>) {
        match value {
            Some(value) => self.text(name, value),
            None => self.raw(name, b"null"),
        }
    }

    pub(crate) fn number(&mut self, name: &str, value: u64) {
        write_number(value, self.member(name));
    }

    pub(crate) fn switch(&mut self, name: &str, value: bool) {
        self.raw(name, if value { &b"true"[..] } else { &b"false"[..] });
    }

    /// A value that is JSON already.
    pub(crate) fn raw(&mut self, name: &str, value: &[u8]) {
        self.member(name).extend_from_slice(value);
    }

    pub(crate) fn digest(&mut self, name: &str, value: &Digest) {
        let out = self.member(name);
        out.push(b'"');
        write_digest(value, out);
        out.push(b'"');
    }

    /// Milliseconds since 1970, as a date.
    pub(crate) fn moment(&mut self, name: &str, milliseconds: i64) {
        let out = self.member(name);
        out.push(b'"');
        timestamp::write(milliseconds, out);
        out.push(b'"');
    }

    /// An object inside.
    pub(crate) fn object(&mut self, name: &str) -> ObjectWriter<'_> {
        ObjectWriter::begin(self.member(name))
    }

    /// A list whose items are written one by one.
    pub(crate) fn list<T>(
        &mut self,
        name: &str,
        items: impl IntoIterator<Item = T>,
        mut write: impl FnMut(T, &mut Vec<u8>),
    ) {
        let out = self.member(name);
        out.push(b'[');
        for (index, item) in items.into_iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            write(item, out);
        }
        out.push(b']');
    }
}

/// Appends decimal digits.
pub(crate) fn write_number(value: u64, out: &mut Vec<u8>) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    let mut rest = value;
    loop {
        at -= 1;
        // The remainder is below 10.
        digits[at] = b'0' + u8::try_from(rest % 10).unwrap_or_default();
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

/// Appends `sha256:` and the hex digits.
pub(crate) fn write_digest(digest: &Digest, out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    out.extend_from_slice(digest.algorithm().name().as_bytes());
    out.push(b':');
    for byte in digest.as_bytes() {
        out.extend([DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_written_in_order() {
        let mut out = Vec::new();
        let mut object = ObjectWriter::begin(&mut out);
        object.text("a\"", "b\n");
        object.optional_text("none", None);
        object.nullable_text("null", None);
        object.number("n", 0);
        object.number("most", u64::MAX);
        object.switch("yes", true);
        object.list("items", ["x", "y"], write_string);
        let mut inner = object.object("inner");
        inner.moment("at", 0);
        inner.end();
        object.object("empty").end();
        object.end();
        let expected = r#"{"a\"":"b\n","null":null,"n":0,"most":18446744073709551615,"yes":true,"items":["x","y"],"inner":{"at":"1970-01-01T00:00:00.000Z"},"empty":{}}"#;
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn digests_are_written_as_they_are_printed() {
        let (digest, mut out) = (Digest::of(b"x"), Vec::new());
        write_digest(&digest, &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), digest.to_string());
    }
}
