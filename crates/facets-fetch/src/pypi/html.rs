//! The links of an HTML page: every `<a href>` and `<base href>`, and nothing else of it.
//!
//! One pass, whatever the text: what is not closed ends the reading. pip reads with the parser of its Python,
//! and those differ on where comments and texts end. A link that one of them finds counts.

use super::entities::unescaped;

/// Elements whose content is text for every parser, whatever it looks like.
const RAW_ELEMENTS: [&str; 2] = ["script", "style"];

/// Elements whose content is text for newer parsers alone.
const DISPUTED_ELEMENTS: [&str; 8] =
    ["textarea", "title", "xmp", "iframe", "noembed", "noframes", "noscript", "plaintext"];

/// How far the parsers of pip agree about a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Agreement {
    /// On everything so far.
    Full,
    /// They differ on where something ended: from there on nothing is passed over.
    Disputed,
    /// It cannot be said any more which links there are.
    Lost,
}

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
    /// Where it leads, as written: with its character references.
    pub(super) href: String,
    /// `data-yanked`.
    pub(super) yanked: Option<String>,
    /// `data-requires-python`.
    pub(super) requires_python: Option<String>,
}

/// Attributes of interest. As in pip, of two with one name the last counts, but the first `href` of a base.
#[derive(Default)]
struct Attributes {
    first_href: Option<String>,
    href: Option<String>,
    yanked: Option<String>,
    requires_python: Option<String>,
}

impl Attributes {
    fn set(&mut self, name: &str, value: &str) {
        match name.to_ascii_lowercase().as_str() {
            "href" => self.href = Some(value.to_owned()),
            "data-yanked" => self.yanked = Some(unescaped(value)),
            "data-requires-python" => self.requires_python = Some(unescaped(value)),
            _ => return,
        }
        if self.first_href.is_none() {
            self.first_href.clone_from(&self.href);
        }
    }
}

/// The links of a page, in its order.
pub(super) struct Links<'a> {
    text: &'a str,
    /// Always between two characters.
    at: usize,
    agreement: Agreement,
}

impl<'a> Links<'a> {
    /// Of this page.
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0, agreement: Agreement::Full }
    }

    /// Whether links may have been missed.
    pub(super) fn is_lost(&self) -> bool {
        self.agreement == Agreement::Lost
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
                byte if byte.is_ascii_alphabetic() => {
                    let name = self.take(|byte| !is_blank(byte) && !matches!(byte, b'/' | b'>'));
                    return Some((name, self.checked_attributes()?));
                }
                _ if self.agreement == Agreement::Disputed => {}
                b'!' if self.rest().starts_with("!--") => self.pass_comment()?,
                b'!' if self.rest().starts_with("![") => self.agreement = Agreement::Disputed,
                b'!' | b'?' => self.pass(">")?,
                b'/' => self.pass_end_tag()?,
                _ => {}
            }
        }
    }

    /// Parsers end a comment at `-->`, at `-- >`, at `--!>`, or even at `<!-->`.
    fn pass_comment(&mut self) -> Option<()> {
        let inner = self.rest().get("!--".len()..)?;
        let before = |at: usize| inner.get(..at).unwrap_or_default();
        let is_end =
            |at: usize| before(at).trim_end().ends_with("--") || before(at).ends_with("--!");
        let is_short = inner.starts_with('>') || inner.starts_with("->");
        let end = inner.match_indices('>').map(|(at, _)| at).find(|at| is_end(*at));
        match end {
            Some(end) if !is_short && before(end).ends_with("--") => {
                self.at += "!--".len() + end + 1;
            }
            None if !is_short => return None,
            _ => self.agreement = Agreement::Disputed,
        }
        Some(())
    }

    /// Newer parsers read attributes here, which may have a `>`.
    fn pass_end_tag(&mut self) -> Option<()> {
        let end = self.rest().find('>')?;
        if self.rest().get(..end)?.contains(['"', '\'']) {
            self.agreement = Agreement::Disputed;
            return Some(());
        }
        self.at += end + 1;
        Some(())
    }

    /// In what may be text for some parsers, attributes with a `<` may hide a tag from the others.
    fn checked_attributes(&mut self) -> Option<Attributes> {
        let start = self.at;
        let attributes = self.attributes();
        let end = if attributes.is_some() { self.at } else { self.text.len() };
        let has_tag = || self.text.get(start..end).is_some_and(|tag| tag.contains('<'));
        if self.agreement == Agreement::Disputed && has_tag() {
            self.agreement = Agreement::Lost;
            return None;
        }
        attributes
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
        self.take(|byte| byte == b'=');
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

    /// Goes to the end tag of an element of text, if all parsers agree where that is.
    fn pass_text(&mut self, name: &str) -> Option<()> {
        if self.agreement == Agreement::Disputed {
            return Some(());
        }
        // For Python such an element has no content.
        if self.text.get(..self.at)?.ends_with("/>") {
            self.agreement = Agreement::Disputed;
            return Some(());
        }
        let rest = self.rest();
        let mut ends = rest.match_indices("</").map(|(at, _)| at);
        let end = ends.find(|at| end_tag(rest, *at, name) != EndTag::Other)?;
        let has_comment = rest.get(..end)?.contains("<!--");
        if has_comment || end_tag(rest, end, name) == EndTag::Disputed {
            self.agreement = Agreement::Disputed;
        } else {
            self.at += end;
        }
        Some(())
    }

    /// Text without a `<` is the same for all parsers.
    fn note_text(&mut self, name: &str) {
        let rest = self.rest();
        let next = rest.find('<');
        if next.is_some_and(|at| end_tag(rest, at, name) != EndTag::Plain) {
            self.agreement = Agreement::Disputed;
        }
    }
}

/// Whether the end tag of an element stands somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EndTag {
    /// For every parser.
    Plain,
    /// For some of them.
    Disputed,
    /// Something else stands there.
    Other,
}

/// Reads what begins with `</` at a place of a text.
fn end_tag(text: &str, at: usize, name: &str) -> EndTag {
    let Some(after) = text.get(at..).and_then(|text| text.strip_prefix("</")) else {
        return EndTag::Other;
    };
    let trimmed = after.trim_start();
    let found = trimmed.get(..name.len());
    if !found.is_some_and(|found| found.eq_ignore_ascii_case(name)) {
        return EndTag::Other;
    }
    let after_name = trimmed.get(name.len()..).unwrap_or_default();
    if after_name.starts_with(|c: char| !c.is_whitespace() && !matches!(c, '/' | '>')) {
        return EndTag::Other;
    }
    let is_closed = after_name.trim_start().starts_with('>');
    if is_closed && trimmed.len() == after.len() { EndTag::Plain } else { EndTag::Disputed }
}

impl Iterator for Links<'_> {
    type Item = Link;

    fn next(&mut self) -> Option<Link> {
        loop {
            let (name, attributes) = self.tag()?;
            let is_one_of = |list: &[&str]| list.iter().any(|one| one.eq_ignore_ascii_case(name));
            let Attributes { first_href, href, yanked, requires_python } = attributes;
            let (element, href) = match name {
                "a" | "A" => (Element::Anchor, href),
                // Parsers that do not find it resolve every link differently.
                _ if name.eq_ignore_ascii_case("base") && self.agreement == Agreement::Disputed => {
                    self.agreement = Agreement::Lost;
                    return None;
                }
                _ if name.eq_ignore_ascii_case("base") => (Element::Base, first_href),
                _ if is_one_of(&RAW_ELEMENTS) => {
                    self.pass_text(name)?;
                    continue;
                }
                _ if is_one_of(&DISPUTED_ELEMENTS) => {
                    self.note_text(name);
                    continue;
                }
                _ => continue,
            };
            if let Some(href) = href {
                return Some(Link { element, href, yanked, requires_python });
            }
        }
    }
}

/// What ends the name of a tag.
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'\x0c')
}

/// What stands between attributes: for Python more than for HTML.
fn is_space(byte: u8) -> bool {
    is_blank(byte) || matches!(byte, b'\x0b' | b'\x1c'..=b'\x1f')
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn hrefs(text: &str) -> Vec<String> {
        Links::new(text).map(|link| link.href).collect()
    }

    fn is_lost(text: &str) -> bool {
        let mut links = Links::new(text);
        while links.next().is_some() {}
        links.is_lost()
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
            "<a href=y href=x>",
            "<a title=y\x0bhref==x>",
            "<a é=ü href=\"x\" ü>",
            "a < b <a href=x>",
            "</a><!doctype html><?xml version='1'?><!-->-->< a href=n><a href=x>",
        ] {
            assert_eq!(hrefs(text), ["x"], "{text}");
        }
    }

    #[test]
    fn further_attributes_are_decoded() {
        let text = "<a href='a?b&amp;c' data-requires-python='&gt;=3.8,&lt;4' data-yanked>";
        let link = Links::new(text).next().unwrap();
        assert_eq!(link.href, "a?b&amp;c");
        assert_eq!(link.requires_python.as_deref(), Some(">=3.8,<4"));
        assert_eq!(link.yanked.as_deref(), Some(""));
        assert_eq!(link.element, Element::Anchor);
    }

    #[test]
    fn comments_and_texts_have_no_links() {
        for text in [
            "<!-- <a href=n> --><a href=x>",
            "<!--><a href=x>",
            "<script>'<a href=n>' </scrip></scripts></SCRIPT ><a href=x>",
            "<style><a href=n></style><title>n</TITLE ><!-- <a href=n> --><a href=x>",
            "<!----><!-- - -- <a href=n> ---><a href=x>",
            "<abbr href=n><a><link href=n><a href=x>",
        ] {
            assert_eq!(hrefs(text), ["x"], "{text}");
        }
    }

    #[test]
    fn a_link_counts_if_one_parser_finds_it() {
        for text in [
            "<title><a href=x></title>",
            "<TEXTAREA><a href=x></textarea>",
            "<iframe><a href=x></iframe>",
            "<noscript><a href=x></noscript>",
            "<xmp><a href=x></xmp>",
            "<noembed><a href=x></noembed><plaintext>",
            "<plaintext><a href=x>",
            "<title><!--</title><a href=x>-->",
            "<title><script></title><a href=x></script>",
            "<!-- -- ><a href=x>",
            "<!-- --!><a href=x>-->",
            "<!--><a href=x>-->",
            "<!---><a href=x>-->",
            "<!-- --!> <script> --> <a href=x> </script>",
            "<script></ script ><a href=x></script>",
            "<script></script y><a href=x></script>",
            "<script><!-- <script></script> --><a href=x></script>",
            "<script/><a href=x></script>",
            "<![CDATA[ > <!-- ]]> <a href=x> -->",
            "</b y='><!--'> <a href=x> -->",
        ] {
            assert_eq!(hrefs(text), ["x"], "{text}");
            assert!(!is_lost(text), "{text}");
        }
    }

    #[test]
    fn a_page_is_lost_if_an_attribute_may_hide_a_link_or_a_base_may_be_text() {
        for text in [
            "<title><b y='</title><a href=x>'>",
            "<title><b y='</title><a href=x>",
            "<!-- --!><b y='--><a href=x>'>",
            "<title><base href=x></title><a href=x>",
        ] {
            assert!(is_lost(text), "{text}");
        }
        assert!(!is_lost("<title>x</title><b y='<a href=n>'><a href=x>"));
    }

    #[test]
    fn the_first_address_of_a_base_and_the_last_of_a_link_count() {
        assert_eq!(hrefs("<base href=x href=y><a href=x href=y>"), ["x", "y"]);
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
            let disputed = format!("<title><b></title>{}", piece.repeat(1_000_000 / piece.len()));
            assert!(hrefs(&disputed).is_empty(), "{piece}");
            assert!(hrefs(&piece.repeat(1_000_000 / piece.len())).is_empty(), "{piece}");
        }
    }
}
