/// Replaces comments and trailing commas by spaces, so that the strict reader can read the
/// rest and every place stays what it was.
///
/// An unfinished comment is left as it stands: the reader then points at it.
pub fn blank_comments(text: &str) -> String {
    let mut out = text.as_bytes().to_vec();
    // A comma behind a value that nothing but white space and comments has followed yet.
    let mut pending_comma = None;
    let mut after_value = false;
    let mut at = 0;
    while let Some(&byte) = out.get(at) {
        match byte {
            b'"' => {
                pending_comma = None;
                after_value = true;
                at = end_of_string(&out, at);
            }
            b'/' => match end_of_comment(&out, at) {
                Some(end) => {
                    blank(&mut out[at..end]);
                    at = end;
                }
                None => break,
            },
            b',' => {
                pending_comma = after_value.then_some(at);
                after_value = false;
                at += 1;
            }
            b'}' | b']' => {
                if let Some(comma) = pending_comma.take() {
                    out[comma] = b' ';
                }
                after_value = true;
                at += 1;
            }
            b' ' | b'\t' | b'\n' | b'\r' => at += 1,
            other => {
                pending_comma = None;
                after_value = !matches!(other, b'{' | b'[' | b':');
                at += 1;
            }
        }
    }
    // Only whole ASCII characters and whole comments were replaced.
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn end_of_comment(bytes: &[u8], start: usize) -> Option<usize> {
    let rest = &bytes[start..];
    if rest.starts_with(b"//") {
        let length = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
        return Some(start + length);
    }
    if rest.starts_with(b"/*") {
        let length = rest[2..].windows(2).position(|pair| pair == b"*/")?;
        return Some(start + 2 + length + 2);
    }
    None
}

/// Line ends stay, so that lines stay countable.
fn blank(bytes: &mut [u8]) {
    for byte in bytes.iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')) {
        *byte = b' ';
    }
}

#[cfg(test)]
mod tests {
    use super::blank_comments;

    #[test]
    fn blanks_comments_and_trailing_commas_in_place() {
        let cases = [
            ("{} // é", "{}      "),
            ("[1, /* x\n */ 2]", "[1,     \n    2]"),
            ("[1, // a\n]", "[1      \n]"),
            ("{\"a\": 1,}", "{\"a\": 1 }"),
            ("[\"//\", \"/*\", \"\\\"//\"]", "[\"//\", \"/*\", \"\\\"//\"]"),
            ("[,]", "[,]"),
            ("{\"a\":{,}, }", "{\"a\":{,}  }"),
            ("[1,,]", "[1,,]"),
            ("[[1,],]", "[[1 ] ]"),
            ("[1 /* open", "[1 /* open"),
            ("[1 / 2]", "[1 / 2]"),
            ("/*/ */1", "      1"),
        ];
        for (text, expected) in cases {
            assert_eq!(blank_comments(text), expected, "{text}");
        }
    }
}
