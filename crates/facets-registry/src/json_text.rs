//! JSON that is written member by member.

use facets_digest::json::write_string;

/// An object on its way to a text.
pub(crate) struct JsonText {
    out: Vec<u8>,
}

impl JsonText {
    pub(crate) fn object() -> Self {
        Self { out: Vec::from(*b"{") }
    }

    fn name(&mut self, name: &str) {
        if self.out.len() > 1 {
            self.out.push(b',');
        }
        write_string(name, &mut self.out);
        self.out.push(b':');
    }

    pub(crate) fn text(&mut self, name: &str, value: &str) {
        self.name(name);
        write_string(value, &mut self.out);
    }

    /// A text, or nothing at all.
    pub(crate) fn optional_text(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.text(name, value);
        }
    }

    pub(crate) fn number(&mut self, name: &str, value: u64) {
        self.raw(name, &value.to_string());
    }

    /// A value that is JSON already.
    pub(crate) fn raw(&mut self, name: &str, value: &str) {
        self.name(name);
        self.out.extend_from_slice(value.as_bytes());
    }

    pub(crate) fn finish(mut self) -> String {
        self.out.push(b'}');
        // Texts in, a text out: nothing is lost.
        String::from_utf8_lossy(&self.out).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_separated_and_escaped() {
        assert_eq!(JsonText::object().finish(), "{}");
        let mut out = JsonText::object();
        out.text("a\"", "b\n");
        out.optional_text("none", None);
        out.number("n", 7);
        out.raw("r", "[1]");
        assert_eq!(out.finish(), r#"{"a\"":"b\n","n":7,"r":[1]}"#);
    }
}
