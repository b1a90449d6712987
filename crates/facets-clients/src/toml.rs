//! Finds keys and values in TOML that was found valid, and where they stand.

use std::ops::Range;

use toml_edit::Document;
use toml_edit::Key;
use toml_edit::Value;

use crate::error::ClientError;

/// One part of a key.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) name: String,
    pub(crate) span: Range<usize>,
}

/// What an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `[a.b]`
    Table,
    /// `[[a.b]]`
    ArrayOfTables,
    /// `a.b = 1` on lines of its own.
    Line,
    /// `a.b = 1` between braces.
    Inline,
}

/// A table's head, or a key with its value.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) kind: Kind,
    /// The whole path, with the parts that stand in the head of the table or before the brace.
    pub(crate) path: Vec<Part>,
    /// From the first bracket or the first part of the key to the last byte.
    pub(crate) span: Range<usize>,
    /// Of a head: empty.
    pub(crate) value: Range<usize>,
}

impl Item {
    pub(crate) fn is_head(&self) -> bool {
        matches!(self.kind, Kind::Table | Kind::ArrayOfTables)
    }

    pub(crate) fn starts_with(&self, place: &[String]) -> bool {
        self.path.len() >= place.len()
            && self.path.iter().zip(place).all(|(part, name)| part.name == *name)
    }
}

/// Every head and every line of a text.
pub(crate) fn items(text: &str) -> Result<Vec<Item>, ClientError> {
    Document::parse(text).map_err(|error| {
        let offset = error.span().map_or(text.len(), |span| span.start);
        // Its own message shows the line, and with it what may be a secret.
        ClientError::syntax(text, offset, error.message())
    })?;
    let mut scanner = Scanner { text, at: 0 };
    let mut head: Vec<Part> = Vec::new();
    let mut found = Vec::new();
    loop {
        scanner.skip_trivia();
        let start = scanner.at;
        let Some(byte) = scanner.peek() else { return Ok(found) };
        if byte == b'[' {
            let array = scanner.rest().starts_with("[[");
            scanner.at += if array { 2 } else { 1 };
            head = scanner.key()?;
            scanner.at += if array { 2 } else { 1 };
            let kind = if array { Kind::ArrayOfTables } else { Kind::Table };
            let span = start..scanner.at;
            found.push(Item { kind, path: head.clone(), span, value: start..start });
        } else {
            found.push(scanner.pair(Kind::Line, &head)?);
        }
    }
}

/// What stands between the braces of an item's value; nothing if it has none.
pub(crate) fn inside(text: &str, item: &Item) -> Result<Option<Vec<Item>>, ClientError> {
    if !text[item.value.clone()].starts_with('{') {
        return Ok(None);
    }
    let mut scanner = Scanner { text, at: item.value.start + 1 };
    let mut found = Vec::new();
    loop {
        scanner.skip_trivia();
        match scanner.peek() {
            Some(b',') => scanner.at += 1,
            Some(b'}') | None => return Ok(Some(found)),
            Some(_) => found.push(scanner.pair(Kind::Inline, &item.path)?),
        }
    }
}

/// The comments of a stretch that begins outside of strings.
pub(crate) fn comments(text: &str, stretch: &Range<usize>) -> Vec<Range<usize>> {
    let mut scanner = Scanner { text, at: stretch.start };
    let mut found = Vec::new();
    while scanner.at < stretch.end {
        let start = scanner.at;
        match scanner.peek() {
            Some(b'"' | b'\'') => scanner.skip_string(),
            Some(b'#') => {
                scanner.skip_comment();
                found.push(start..scanner.at);
            }
            _ => scanner.at += 1,
        }
    }
    found
}

/// What a value is, without its place.
pub(crate) fn value(text: &str, span: &Range<usize>) -> Result<Value, ClientError> {
    // The whole text was read before.
    text[span.clone()]
        .parse()
        .map_err(|_| ClientError::syntax(text, span.start, "a value was expected"))
}

/// Where the line ends that an offset is on, without its line end.
pub(crate) fn end_of_line(text: &str, offset: usize) -> usize {
    let length = text[offset..].find('\n').unwrap_or(text.len() - offset);
    let end = offset + length;
    if text[offset..end].ends_with('\r') { end - 1 } else { end }
}

/// A text as a TOML string.
pub(crate) fn quoted(text: &str) -> String {
    facets_digest::json::quoted(text).replace('\u{7f}', "\\u007F")
}

/// A name as one part of a key.
pub(crate) fn key(name: &str) -> String {
    let bare = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if !name.is_empty() && name.bytes().all(bare) { name.to_owned() } else { quoted(name) }
}

struct Scanner<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Scanner<'t> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip_spaces(&mut self) {
        while let Some(b' ' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    fn skip_trivia(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\n' | b'\r') => self.at += 1,
                Some(b'#') => self.skip_comment(),
                _ => return,
            }
        }
    }

    fn skip_comment(&mut self) {
        self.at = end_of_line(self.text, self.at);
    }

    /// A key and its value, inside of a table.
    fn pair(&mut self, kind: Kind, above: &[Part]) -> Result<Item, ClientError> {
        let start = self.at;
        let mut path = above.to_vec();
        path.extend(self.key()?);
        // The equals sign.
        self.at += 1;
        self.skip_trivia();
        let value = self.skip_value();
        Ok(Item { kind, path, span: start..value.end, value })
    }

    /// Parts with points between; stands before what follows the key.
    fn key(&mut self) -> Result<Vec<Part>, ClientError> {
        let mut parts = Vec::new();
        loop {
            self.skip_spaces();
            let start = self.at;
            if let Some(b'"' | b'\'') = self.peek() {
                self.skip_string();
            } else {
                let stops = |character: char| " \t.=]".contains(character) || character == '\n';
                self.at += self.rest().find(stops).unwrap_or(self.rest().len());
            }
            let span = start..self.at;
            let name = part_name(&self.text[span.clone()]);
            let missing = || ClientError::syntax(self.text, start, "a key was expected");
            parts.push(Part { name: name.ok_or_else(missing)?, span });
            self.skip_spaces();
            if self.peek() != Some(b'.') {
                return Ok(parts);
            }
            self.at += 1;
        }
    }

    fn skip_value(&mut self) -> Range<usize> {
        let start = self.at;
        let mut open = 0_usize;
        loop {
            match self.peek() {
                None => break,
                Some(b'"' | b'\'') => self.skip_string(),
                Some(b'#') => self.skip_comment(),
                Some(b'[' | b'{') => {
                    open += 1;
                    self.at += 1;
                    continue;
                }
                Some(b']' | b'}') => {
                    open = open.saturating_sub(1);
                    self.at += 1;
                }
                Some(_) if open > 0 => self.at += 1,
                Some(_) => self.skip_scalar(),
            }
            if open == 0 {
                break;
            }
        }
        start..self.at
    }

    /// Dates may have a space inside.
    fn skip_scalar(&mut self) {
        let rest = self.rest();
        let end = rest.find([',', ']', '}', '#', '\n', '\r']).unwrap_or(rest.len());
        self.at += rest[..end].trim_end_matches([' ', '\t']).len();
    }

    fn skip_string(&mut self) {
        let rest = self.rest().as_bytes();
        let quote = rest[0];
        let long = rest.len() > 2 && rest[1] == quote && rest[2] == quote;
        let mut at = if long { 3 } else { 1 };
        while let Some(&byte) = rest.get(at) {
            if byte == b'\\' && quote == b'"' {
                at += 2;
            } else if byte == quote && !long {
                at += 1;
                break;
            } else if rest[at..].starts_with(&[quote; 3]) {
                at += 3;
                // Up to two quotes may stand right before the three that end it.
                let more = rest[at..].iter().take(2).take_while(|byte| **byte == quote).count();
                at += more;
                break;
            } else {
                at += 1;
            }
        }
        self.at += at.min(rest.len());
    }
}

fn part_name(written: &str) -> Option<String> {
    let [key] = <[Key; 1]>::try_from(Key::parse(written).ok()?).ok()?;
    Some(key.get().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(text: &str) -> Vec<(String, &str)> {
        let path = |item: &Item| {
            item.path.iter().map(|part| part.name.as_str()).collect::<Vec<_>>().join("/")
        };
        let items = items(text).unwrap();
        items.iter().map(|item| (path(item), &text[item.value.clone()])).collect()
    }

    #[test]
    fn finds_heads_lines_and_values() {
        let text = "# top\na = 1 # one\n'b.c' . d = 1979-05-27 07:32:00 # day\n[x.\"y z\"]\nk = [ # [\n \"]\", '}', # ]\n]\n\n[[t]]\nm = \"\"\"a\"b\"\"\"\"\"\nn = '''#'''\no={p=1,q.r=\"}\"}";
        assert_eq!(
            listed(text),
            [
                ("a".to_owned(), "1"),
                ("b.c/d".to_owned(), "1979-05-27 07:32:00"),
                ("x/y z".to_owned(), ""),
                ("x/y z/k".to_owned(), "[ # [\n \"]\", '}', # ]\n]"),
                ("t".to_owned(), ""),
                ("t/m".to_owned(), "\"\"\"a\"b\"\"\"\"\""),
                ("t/n".to_owned(), "'''#'''"),
                ("t/o".to_owned(), "{p=1,q.r=\"}\"}"),
            ]
        );
        let last = items(text).unwrap().pop().unwrap();
        let inner = inside(text, &last).unwrap().unwrap();
        let spans: Vec<&str> = inner.iter().map(|item| &text[item.span.clone()]).collect();
        assert_eq!(spans, ["p=1", "q.r=\"}\""]);
        let comments = comments(text, &(0..text.len()));
        let comments: Vec<&str> = comments.iter().map(|span| &text[span.clone()]).collect();
        assert_eq!(comments, ["# top", "# one", "# day", "# [", "# ]"]);
    }

    #[test]
    fn says_where_a_text_is_wrong_without_showing_it() {
        let error = items("a = 1\ntoken = \"hush hush").unwrap_err().to_string();
        assert!(error.ends_with("at line 2, column 19"), "{error}");
        assert!(!error.contains("hush"), "{error}");
        let error = items("a = 1\na = 2").unwrap_err().to_string();
        assert!(error.contains("duplicate key") && error.contains("line 2"), "{error}");
    }

    #[test]
    fn writes_strings_and_keys_that_read_back() {
        for text in ["", "a", "a b", "\"\\\n\u{7f}é💡", "a.b"] {
            let line = format!("{} = {}", key(text), quoted(text));
            let read = items(&line).unwrap().pop().unwrap();
            assert_eq!(read.path[0].name, text);
            assert_eq!(value(&line, &read.value).unwrap().as_str(), Some(text));
        }
    }
}
