//! Ids, as one writes and another repeats them.

use facets_digest::json::{self, Limits, Provenance};

/// What is the same for two ids that are the same JSON value, however they are written.
#[must_use]
pub fn id_key(raw: &str) -> String {
    if is_plain(raw) {
        return raw.to_owned();
    }
    let limits = Limits { bytes: 16 << 10, depth: 64, values: 16 << 10 };
    match json::parse(raw.as_bytes(), Provenance::Captured, limits) {
        Ok(value) => String::from_utf8_lossy(&value.to_canonical()).into_owned(),
        Err(_) => raw.to_owned(),
    }
}

/// Whether there is no other way to write it.
fn is_plain(raw: &str) -> bool {
    let bytes = raw.as_bytes();
    let number = bytes.len() <= 15
        && bytes.iter().all(u8::is_ascii_digit)
        && (bytes.len() == 1 || bytes.first() != Some(&b'0'));
    let text = bytes.len() >= 2
        && bytes[0] == b'"'
        && bytes.iter().all(|byte| matches!(byte, 0x20..=0x7e) && *byte != b'\\');
    number || text
}

#[cfg(test)]
mod tests {
    use super::id_key;

    #[test]
    fn ids_are_compared_as_values_of_their_type() {
        assert_eq!(id_key("1"), id_key("1.0"));
        assert_eq!(id_key("10"), id_key("1e1"));
        assert_eq!(id_key("\"a\""), id_key("\"\\u0061\""));
        assert_eq!(id_key("{\"a\":1,\"b\":2}"), id_key("{ \"b\":2,\"a\":1}"));
        assert_ne!(id_key("1"), id_key("\"1\""));
        assert_ne!(id_key("9007199254740993"), id_key("9007199254740992"));
        assert_ne!(id_key("null"), id_key("\"null\""));
    }
}
