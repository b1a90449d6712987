//! Which addresses a template stands for, and which lead out of where they seem to lie.

/// Rounds of percent encoding that are looked through.
const ROUNDS: usize = 4;
/// Parts of a template; more are nobody's who means well.
const MAX_PARTS: usize = 64;

/// A URI template (RFC 6570), as a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Template {
    parts: Vec<TemplatePart>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum TemplatePart {
    Literal(String),
    /// A value, by the operator of its expression.
    Value(Operator),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    /// `{x}`: within a segment of a path, or nothing.
    Simple,
    /// `{+x}` and `{#x}`: anything.
    Reserved,
    /// `{.x}` and `{;x}`: within a segment, behind this sign, or nothing.
    Within(char),
    /// `{/x}`: segments, or nothing.
    Path,
    /// `{?x}` and `{&x}`: a query behind this sign, or nothing.
    Query(char),
}

impl Template {
    /// Reads a template; one that is none matches only itself.
    pub(crate) fn parse(text: &str) -> Self {
        Self::expressions(text)
            .unwrap_or_else(|| Self { parts: vec![TemplatePart::Literal(text.to_owned())] })
    }

    fn expressions(text: &str) -> Option<Self> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((literal, after)) = rest.split_once('{') {
            let (expression, behind) = after.split_once('}')?;
            let operator = match expression.chars().next()? {
                '+' => Operator::Reserved,
                '#' => Operator::Reserved,
                sign @ ('.' | ';') => Operator::Within(sign),
                '/' => Operator::Path,
                sign @ ('?' | '&') => Operator::Query(sign),
                _ => Operator::Simple,
            };
            parts
                .extend([TemplatePart::Literal(literal.to_owned()), TemplatePart::Value(operator)]);
            rest = behind;
            if parts.len() > MAX_PARTS {
                return None;
            }
        }
        parts.push(TemplatePart::Literal(rest.to_owned()));
        Some(Self { parts })
    }

    /// Whether an address can come of it, without leaving where the template points.
    pub(crate) fn matches(&self, uri: &str) -> bool {
        // Where in the address the parts so far may have ended.
        let mut ends = vec![false; uri.len() + 1];
        ends[0] = true;
        for part in &self.parts {
            ends = match part {
                TemplatePart::Literal(text) => after_literal(uri, &ends, text),
                TemplatePart::Value(operator) => after_value(uri, &ends, *operator),
            };
        }
        ends[uri.len()] && !leads_out(uri) && self.is_of_its_host(uri)
    }

    /// A value must not turn what the template says into the name of a user at another host.
    fn is_of_its_host(&self, uri: &str) -> bool {
        let literals =
            |part: &TemplatePart| matches!(part, TemplatePart::Literal(text) if text.contains('@'));
        !origin(uri).contains('@') || self.parts.iter().any(literals)
    }
}

fn after_literal(uri: &str, ends: &[bool], text: &str) -> Vec<bool> {
    let mut after = vec![false; ends.len()];
    for (at, _) in ends.iter().enumerate().filter(|(_, is_end)| **is_end) {
        if uri.as_bytes()[at..].starts_with(text.as_bytes()) {
            after[at + text.len()] = true;
        }
    }
    after
}

fn after_value(uri: &str, ends: &[bool], operator: Operator) -> Vec<bool> {
    let bytes = uri.as_bytes();
    let fits = |byte: u8| match operator {
        Operator::Simple | Operator::Within(_) => !matches!(byte, b'/' | b'?' | b'#'),
        Operator::Path => !matches!(byte, b'?' | b'#'),
        Operator::Reserved | Operator::Query(_) => true,
    };
    let sign = match operator {
        Operator::Within(sign) | Operator::Query(sign) => u8::try_from(sign).ok(),
        Operator::Path => Some(b'/'),
        Operator::Simple | Operator::Reserved => None,
    };
    let mut after = vec![false; ends.len()];
    // What began before goes on as long as the bytes fit.
    let mut is_open = false;
    for at in 0..ends.len() {
        after[at] = is_open;
        // Whatever stands for nothing is left out.
        after[at] |= ends[at];
        let Some(byte) = bytes.get(at) else { break };
        let begins = ends[at] && sign.is_none_or(|sign| sign == *byte);
        is_open = (is_open || begins) && fits(*byte);
    }
    after
}

/// Whether a path has steps to its parent, however often they are encoded, or bytes that no
/// address has.
pub(crate) fn leads_out(uri: &str) -> bool {
    let mut bytes = uri.as_bytes().to_vec();
    for _ in 0..ROUNDS {
        let is_dots = |segment: &[u8]| matches!(segment, b"." | b"..");
        let mut segments = bytes.split(|byte| matches!(byte, b'/' | b'\\' | b'?' | b'#' | b';'));
        if bytes.iter().any(|byte| *byte < 0x20 || *byte == 0x7f) || segments.any(is_dots) {
            return true;
        }
        match decoded(&bytes) {
            Some(decoded) => bytes = decoded,
            None => return false,
        }
    }
    // Nobody encodes that often who has nothing to hide.
    true
}

/// Without one layer of percent encoding; none if there is no such layer.
fn decoded(bytes: &[u8]) -> Option<Vec<u8>> {
    let hex = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let pair = (hex(bytes.get(at + 1)), hex(bytes.get(at + 2)));
        if let (b'%', (Some(high), Some(low))) = (*byte, pair) {
            out.push(u8::try_from(high * 16 + low).unwrap_or_default());
            at += 3;
        } else {
            out.push(*byte);
            at += 1;
        }
    }
    (out.len() < bytes.len()).then_some(out)
}

/// An address up to its last segment.
pub(crate) fn folder(uri: &str) -> &str {
    let path = &uri[..uri.find(['?', '#']).unwrap_or(uri.len())];
    &path[..path.rfind(['/', ':']).map_or(0, |at| at + 1)]
}

/// Scheme and authority of an address: where it leads, whatever comes behind.
pub(crate) fn origin(uri: &str) -> &str {
    let Some((scheme, rest)) = uri.split_once(':') else { return "" };
    let authority = match rest.strip_prefix("//") {
        Some(after) => 2 + after.find(['/', '?', '#', '\\']).unwrap_or(after.len()),
        None => 0,
    };
    &uri[..scheme.len() + 1 + authority]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_match_what_they_stand_for() {
        let yes = [
            ("file:///project/{path}", "file:///project/a.txt"),
            ("file:///project/{+path}", "file:///project/a/b.txt"),
            ("demo://{a}/{b}", "demo://x/y"),
            ("demo://list{?page,size}", "demo://list?page=1&size=2"),
            ("demo://list{?page}", "demo://list"),
            ("demo://x{/rest*}", "demo://x/a/b"),
            ("demo://x{.kind}", "demo://x.json"),
            ("demo://plain", "demo://plain"),
            ("demo://{a}-{b}", "demo://1-2-3"),
            ("demo://ü/{x}", "demo://ü/ß"),
            ("note://by-name/{name}", "note://by-name/"),
        ];
        for (template, uri) in yes {
            assert!(Template::parse(template).matches(uri), "{template} {uri}");
        }
        let no = [
            ("file:///project/{path}", "file:///project/a/b"),
            ("file:///project/{path}", "file:///other/a"),
            ("file:///project/{path}", "FILE:///project/a"),
            ("file:///project/{+path}", "file:///project/../etc/passwd"),
            ("file:///project/{+path}", "file:///project/%2e%2e/etc/passwd"),
            ("file:///project/{+path}", "file:///project/%252e%252E/etc/passwd"),
            ("file:///project/{+path}", "file:///project/a%2f..%2f..%2fetc"),
            ("file:///project/{path}", "file:///project/..%5c..%5cetc"),
            ("file:///project/{path}", "file:///project/a\u{0}b"),
            ("file:///project/{path}", "file:///project/%2525252525"),
            ("demo://list{?page}", "demo://list/x"),
            ("https://host{+x}", "https://host@evil.example/"),
            ("demo://{broken", "demo://x"),
        ];
        for (template, uri) in no {
            assert!(!Template::parse(template).matches(uri), "{template} {uri}");
        }
    }

    #[test]
    fn a_folder_is_all_but_the_last_segment() {
        assert_eq!(folder("file:///project/a.txt"), "file:///project/");
        assert_eq!(folder("mem:x"), "mem:");
        assert_eq!(folder("x://a/b?c/d"), "x://a/");
    }

    #[test]
    fn an_origin_is_scheme_and_authority() {
        assert_eq!(origin("http://a.example:80/x?y"), "http://a.example:80");
        assert_eq!(origin("file:///x"), "file://");
        assert_eq!(origin("mem:x/y"), "mem:");
        assert_eq!(origin("nothing"), "");
    }
}
