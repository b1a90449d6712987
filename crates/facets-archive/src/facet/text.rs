//! Texts for an assistant, judged while they are read.

/// The largest text: what an assistant reads as one is never near this.
pub(super) const LARGEST: u64 = 16 << 20;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Tells, part by part, whether a file is a text.
#[derive(Debug, Default)]
pub(super) struct TextProbe {
    /// The first three bytes.
    start: Vec<u8>,
    /// A character that is not complete yet.
    carry: Vec<u8>,
    size: u64,
    is_invalid: bool,
    has_text: bool,
}

impl TextProbe {
    pub(super) fn update(&mut self, part: &[u8]) {
        let missing = BYTE_ORDER_MARK.len() - self.start.len();
        self.start.extend(part.iter().take(missing));
        self.size += part.len() as u64;
        if self.is_invalid || self.size > LARGEST {
            return;
        }
        self.carry.extend_from_slice(part);
        let (valid, is_invalid) = match std::str::from_utf8(&self.carry) {
            Ok(text) => (text.len(), false),
            Err(error) => (error.valid_up_to(), error.error_len().is_some()),
        };
        self.is_invalid = is_invalid;
        let text = std::str::from_utf8(&self.carry[..valid]).unwrap_or_default();
        // A byte order mark is white space to the reference.
        self.has_text |= text.contains(|c: char| !c.is_whitespace() && c != '\u{feff}');
        self.carry.drain(..valid);
    }

    /// A mark that readers drop, and that is part of the bytes all the same.
    pub(super) fn has_byte_order_mark(&self) -> bool {
        self.start == BYTE_ORDER_MARK
    }

    /// Why the file is no text; nothing if it is one.
    pub(super) fn problem(&self) -> Option<&'static str> {
        if self.size > LARGEST {
            Some("it is larger than 16 MiB")
        } else if self.is_invalid || !self.carry.is_empty() {
            Some("it is not UTF-8")
        } else if self.has_text {
            None
        } else {
            Some("it is blank")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(content: &[u8], part: usize) -> Option<&'static str> {
        let mut probe = TextProbe::default();
        content.chunks(part).for_each(|part| probe.update(part));
        probe.problem()
    }

    #[test]
    fn texts_are_told_from_other_files_wherever_the_parts_are_cut() {
        for part in [1, 2, 3, 100] {
            assert_eq!(problem("# é 💡\n".as_bytes(), part), None);
            assert_eq!(problem("\u{feff}# hi\n".as_bytes(), part), None);
            assert_eq!(problem(b"  \n\t", part), Some("it is blank"));
            assert_eq!(problem("\u{feff} \n".as_bytes(), part), Some("it is blank"));
            assert_eq!(problem(b"", part), Some("it is blank"));
            assert_eq!(problem(b"\xff\xfe hi", part), Some("it is not UTF-8"));
            assert_eq!(problem(b"hi \xe2\x82", part), Some("it is not UTF-8"));
        }
    }
}
