//! The links of an HTML page: every `<a href>` and `<base href>`, and nothing else of it.
//!
//! One pass, whatever the text: what is not closed ends the reading.

/// The longest entity that is looked for, with its semicolon.
const MAX_ENTITY: usize = 12;

/// Elements whose content is text, whatever it looks like.
const TEXT_ELEMENTS: [&str; 8] =
    ["script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"];

/// Which element a link is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element {
    /// `<a>`
    Anchor,
    /// `<base>`
    Base,
}

/// A tag with `href`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Link {
    /// Which one.
    pub(super) element: Element,
    /// Where it leads, as written.
    pub(super) href: String,
    /// `data-yanked`.
    pub(super) yanked: Option<String>,
    /// `data-requires-python`.
    pub(super) requires_python: Option<String>,
}

/// Attributes of interest; of two with one name the first counts.
#[derive(Default)]
struct Attributes {
    href: Option<String>,
    yanked: Option<String>,
    requires_python: Option<String>,
}

impl Attributes {
    fn set(&mut self, name: &str, value: &str) {
        let place = match name.to_ascii_lowercase().as_str() {
            "href" => &mut self.href,
            "data-yanked" => &mut self.yanked,
            "data-requires-python" => &mut self.requires_python,
            _ => return,
        };
        place.get_or_insert_with(|| unescaped(value));
    }
}

/// The links of a page, in its order.
pub(super) struct Links<'a> {
    text: &'a str,
    /// Always between two characters.
    at: usize,
}

impl<'a> Links<'a> {
    /// Of this page.
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Passes bytes; as every byte that ends a run is ASCII, it ends between two characters.
    fn take(&mut self, run: impl Fn(u8) -> bool) -> &'a str {
        let start = self.at;
        while self.peek().is_some_and(&run) {
            self.at += 1;
        }
        self.text.get(start..self.at).unwrap_or_default()
    }

    /// Goes behind the next occurrence of a text; nothing if there is none.
    fn pass(&mut self, text: &str) -> Option<()> {
        self.at += self.rest().find(text)? + text.len();
        Some(())
    }

    /// The next tag of any name with its attributes; nothing at the end.
    fn tag(&mut self) -> Option<(&'a str, Attributes)> {
        loop {
            self.pass("<")?;
            match self.peek()? {
                b'!' if self.rest().starts_with("!--") => {
                    // `<!-->` is a comment already.
                    self.at += 1;
                    self.pass("-->")?;
                }
                b'!' | b'?' | b'/' => self.pass(">")?,
                byte if byte.is_ascii_alphabetic() => {
                    let name = self.take(|byte| !is_space(byte) && !matches!(byte, b'/' | b'>'));
                    return Some((name, self.attributes()?));
                }
                _ => {}
            }
        }
    }

    fn attributes(&mut self) -> Option<Attributes> {
        let mut attributes = Attributes::default();
        loop {
            self.take(|byte| is_space(byte) || byte == b'/');
            if self.peek()? == b'>' {
                self.at += 1;
                return Some(attributes);
            }
            let name = self.attribute_name();
            let value = self.value()?;
            attributes.set(name, value);
        }
    }

    /// At least one character, which may be `=`.
    fn attribute_name(&mut self) -> &'a str {
        let start = self.at;
        self.at += self.rest().chars().next().map_or(0, char::len_utf8);
        self.take(|byte| !is_space(byte) && !matches!(byte, b'/' | b'>' | b'='));
        self.text.get(start..self.at).unwrap_or_default()
    }

    fn value(&mut self) -> Option<&'a str> {
        self.take(is_space);
        if self.peek()? != b'=' {
            return Some("");
        }
        self.at += 1;
        self.take(is_space);
        let quote = self.peek()?;
        if !matches!(quote, b'"' | b'\'') {
            return Some(self.take(|byte| !is_space(byte) && byte != b'>'));
        }
        self.at += 1;
        let value = self.take(|byte| byte != quote);
        self.peek()?;
        self.at += 1;
        Some(value)
    }

    /// Goes to the end tag of an element of text.
    fn pass_text(&mut self, name: &str) -> Option<()> {
        loop {
            self.pass("</")?;
            let end = self.rest().get(..name.len());
            if end.is_some_and(|end| end.eq_ignore_ascii_case(name)) {
                return Some(());
            }
        }
    }
}

impl Iterator for Links<'_> {
    type Item = Link;

    fn next(&mut self) -> Option<Link> {
        loop {
            let (name, attributes) = self.tag()?;
            let element = match name {
                "a" | "A" => Element::Anchor,
                _ if name.eq_ignore_ascii_case("base") => Element::Base,
                _ if TEXT_ELEMENTS.iter().any(|element| element.eq_ignore_ascii_case(name)) => {
                    self.pass_text(name)?;
                    continue;
                }
                _ => continue,
            };
            let Attributes { href, yanked, requires_python } = attributes;
            if let Some(href) = href {
                return Some(Link { element, href, yanked, requires_python });
            }
        }
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'\x0c')
}

/// Decodes the entities that occur in addresses; any other text stays.
fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        let (c, length) = entity(after).unwrap_or(('&', 0));
        out.push(c);
        rest = after.get(length..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

/// The character of an entity after its `&`, and how long that is with the semicolon.
fn entity(text: &str) -> Option<(char, usize)> {
    let end = text.bytes().take(MAX_ENTITY).position(|byte| byte == b';')?;
    let c = match text.get(..end)? {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "plus" => '+',
        name => numbered(name)?,
    };
    Some((c, end + 1))
}

/// `#43` or `#x2B`.
fn numbered(name: &str) -> Option<char> {
    let digits = name.strip_prefix('#')?;
    let code = match digits.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16).ok()?,
        None => digits.parse().ok()?,
    };
    Some(char::from_u32(code).filter(|c| *c != '\0').unwrap_or(char::REPLACEMENT_CHARACTER))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn hrefs(text: &str) -> Vec<String> {
        Links::new(text).map(|link| link.href).collect()
    }

    #[test]
    fn attributes_are_read_in_every_form() {
        for text in [
            "<a href=\"x\">",
            "<A HREF='x'>",
            "<a href=x>",
            "<a\nclass=\"internal\" href = \"x\" rel=nofollow>",
            "<a hidden href=x >",
            "<a/href=x>",
            "<a title=\">\" href='x'>",
            "<a =x href=x>",
            "<a href=x href=y>",
            "<a é=ü href=\"x\" ü>",
            "a < b <a href=x>",
            "</a><!doctype html><?xml version='1'?><!-->-->< a href=n><a href=x>",
        ] {
            assert_eq!(hrefs(text), ["x"], "{text}");
        }
    }

    #[test]
    fn further_attributes_are_decoded() {
        let text = "<a href='a?b&amp;c&#43;d&#x2B;&copy;&' data-requires-python='&gt;=3.8,&lt;4' \
            data-yanked>";
        let link = Links::new(text).next().unwrap();
        assert_eq!(link.href, "a?b&c+d+&copy;&");
        assert_eq!(link.requires_python.as_deref(), Some(">=3.8,<4"));
        assert_eq!(link.yanked.as_deref(), Some(""));
        assert_eq!(link.element, Element::Anchor);
    }

    #[test]
    fn comments_and_texts_have_no_links() {
        for text in [
            "<!-- <a href=n> --><a href=x>",
            "<!--><a href=x>",
            "<script>'<a href=n>' </scrip></SCRIPT ><a href=x>",
            "<style><a href=n></style><title></a><a href=n></title><a href=x>",
            "<abbr href=n><a><link href=n><a href=x>",
        ] {
            assert_eq!(hrefs(text), ["x"], "{text}");
        }
    }

    #[test]
    fn unclosed_parts_end_the_reading() {
        for text in [
            "<a href=x><a href=n",
            "<a href=x><a href='n>",
            "<a href=x><!-- <a href=n>",
            "<a href=x><script><a href=n>",
            "<a href=x></a <a href=n",
            "<a href=x><",
            "<a href=x><a href=",
            "<a href=x><a href",
        ] {
            assert_eq!(hrefs(text), ["x"], "{text}");
        }
    }

    #[test]
    fn hostile_pages_take_one_pass() {
        for piece in
            ["<", "<a ", "<a href=", "<!", "<!--", "</", "<script>", "&", "<a href='", "<a \0=é"]
        {
            assert!(hrefs(&piece.repeat(1_000_000 / piece.len())).is_empty(), "{piece}");
        }
        let entities = format!("<a href='{}'>", "&#x".repeat(300_000));
        assert_eq!(hrefs(&entities).concat().len(), 900_000);
        assert_eq!(
            hrefs("<a href='&#0;&#xd800;&#x110000;&#99999999999;'>")[0].chars().count(),
            3 + 14
        );
    }
}
