//! Which addresses a template stands for.

use crate::address::{Reading, inner_schemes, leads_to_a_host, new_roots, origin, readings};

/// Parts of a template; more are nobody's who means well.
const MAX_PARTS: usize = 64;

/// A URI template (RFC 6570), as a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Template {
    parts: Vec<TemplatePart>,
    /// The names that a query may have, if expressions alone make it, and none of them takes any.
    query: Option<Vec<String>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum TemplatePart {
    /// As it is written, and decoded.
    Literal(Vec<Reading>),
    /// A value, by the operator of its expression.
    Value(Operator),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    /// `{x}`: within a segment of a path, or nothing; `{x:3}`: so many letters at the most.
    Simple(Option<usize>),
    /// `{+x}`: anything.
    Reserved,
    /// `{.x}` and `{;x}`: within a segment, behind this sign, or nothing.
    Within(char),
    /// `{/x}`: segments, or nothing.
    Path,
    /// `{?x}`, `{&x}` and `{#x}`: anything behind this sign, or nothing.
    Behind(char),
}

impl Operator {
    fn of(expression: &str) -> Option<Self> {
        Some(match expression.chars().next()? {
            '+' => Self::Reserved,
            sign @ ('.' | ';') => Self::Within(sign),
            '/' => Self::Path,
            sign @ ('?' | '&' | '#') => Self::Behind(sign),
            _ => {
                let prefix = expression.split_once(':').map(|(_, length)| length.parse().ok());
                Self::Simple(prefix.flatten())
            }
        })
    }
}

impl Template {
    /// Reads a template; one that is none matches only itself.
    pub(crate) fn parse(text: &str) -> Self {
        Self::expressions(text).unwrap_or_else(|| Self { parts: vec![literal(text)], query: None })
    }

    fn expressions(text: &str) -> Option<Self> {
        let (mut parts, mut names) = (Vec::new(), Some(Vec::new()));
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            let (expression, behind) = after.split_once('}')?;
            let operator = Operator::of(expression)?;
            parts.extend([literal(before), TemplatePart::Value(operator)]);
            names = match operator {
                Operator::Behind('?' | '&') => with_names(names, expression),
                // It may bring a query of its own.
                Operator::Reserved => None,
                _ => names,
            };
            rest = behind;
            if before.contains('?') {
                names = None;
            }
            if parts.len() > MAX_PARTS {
                return None;
            }
        }
        parts.push(literal(rest));
        Some(Self { parts, query: names.filter(|_| !rest.contains('?')) })
    }

    /// Whether an address can come of it, without leaving where the template points, whether its
    /// reader decodes it or not.
    pub(crate) fn matches(&self, uri: &str) -> bool {
        let Some(readings) = readings(uri) else { return false };
        let mut rounds = readings.iter().enumerate();
        let mut first = readings.first().map(Reading::both).into_iter().flatten();
        first.all(|reading| self.has_its_query(reading))
            && rounds.all(|(round, reading)| {
                self.matches_reading(&reading.written, |texts| &reading_of(texts, round).written)
                    && self.matches_reading(&reading.plain, |texts| &reading_of(texts, round).plain)
            })
    }

    /// Whether one reading of an address matches the same reading of the literals.
    fn matches_reading(&self, uri: &str, literal: impl Fn(&[Reading]) -> &str) -> bool {
        // Where in the address the parts so far may have ended.
        let mut ends = vec![false; uri.len() + 1];
        ends[0] = true;
        for part in &self.parts {
            ends = match part {
                TemplatePart::Literal(texts) => after_literal(uri, &ends, literal(texts)),
                TemplatePart::Value(Operator::Simple(Some(longest))) => {
                    after_prefix(uri, &ends, *longest)
                }
                TemplatePart::Value(operator) => after_value(uri, &ends, *operator),
            };
        }
        let said = self.shown(literal);
        // Only a value right behind the scheme may be an address of its own.
        let holds_address = said.contains("://{}");
        // A path within the path is one of its own to some servers, and so is a drive.
        ends[uri.len()]
            && empty_segments(uri, holds_address) <= empty_segments(&said, holds_address)
            && new_roots(uri) <= new_roots(&said)
            && (holds_address || inner_schemes(uri) <= inner_schemes(&said))
            && is_of_its_host(uri, &said)
    }

    /// What the template says, with `{}` for what it does not.
    fn shown(&self, literal: impl Fn(&[Reading]) -> &str) -> String {
        let shown = |part: &TemplatePart| match part {
            TemplatePart::Literal(texts) => literal(texts).to_owned(),
            TemplatePart::Value(_) => "{}".to_owned(),
        };
        self.parts.iter().map(shown).collect()
    }

    /// Whether every name in the query is one of the template's.
    fn has_its_query(&self, uri: &str) -> bool {
        let Some(names) = &self.query else { return true };
        let query = uri.split('#').next().and_then(|uri| uri.split_once('?'));
        let Some((_, query)) = query else { return true };
        query.split(['&', ';']).all(|pair| {
            let name = pair.split('=').next().unwrap_or_default();
            names.iter().any(|known| known == name)
        })
    }
}

/// The names of an expression of a query as well; none if it takes any.
fn with_names(names: Option<Vec<String>>, expression: &str) -> Option<Vec<String>> {
    let mut names = names?;
    for name in expression.get(1..)?.split(',') {
        if name.ends_with('*') {
            return None;
        }
        names.push(name.split(':').next().unwrap_or_default().to_owned());
    }
    Some(names)
}

/// A value must not make another host of what the template says of it, nor the name of a user
/// there.
fn is_of_its_host(uri: &str, said: &str) -> bool {
    let (said, authority) = (origin(said), origin(uri));
    let fixed = said.split("{}").next().unwrap_or_default();
    let named = fixed.split_once("//").map_or("", |(_, named)| named);
    let is_more = |sign: char| authority.matches(sign).count() > said.matches(sign).count();
    // What the template begins a host with is no name of a user, whatever the scheme.
    if !named.is_empty() && is_more('@') {
        return false;
    }
    if !leads_to_a_host(uri) && !leads_to_a_host(said) && !named.contains(['.', ':']) {
        return true;
    }
    if is_more('@') || authority.contains(char::is_whitespace) {
        return false;
    }
    // Where the host is only a value, it may be any.
    let is_any = named.is_empty() || named.ends_with('@');
    if !said.ends_with("{}") {
        let has_brackets = is_more('[') || is_more(']') || is_more(':');
        return matches_around(said, authority) && !has_brackets;
    }
    let Some(value) = authority.strip_prefix(fixed) else { return false };
    let is_word = !value.contains(['.', ':', '@', '[', '%']);
    match fixed.chars().last() {
        _ if is_any || value.is_empty() => true,
        // A value may end a host that says so, with a word of its own; or be its port.
        Some('-' | '.' | '_') => is_word,
        Some(':') => value.bytes().all(|byte| byte.is_ascii_digit()),
        _ => false,
    }
}

/// Whether a text has what stands around the `{}` of another, in its order.
fn matches_around(said: &str, text: &str) -> bool {
    let mut pieces = said.split("{}");
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let pieces: Vec<&str> = pieces.collect();
    let Some((last, middle)) = pieces.split_last() else { return rest.is_empty() };
    for piece in middle {
        let Some((_, after)) = rest.split_once(piece) else { return false };
        rest = after;
    }
    rest.ends_with(last)
}

/// How often a path begins anew inside an address.
fn empty_segments(uri: &str, holds_address: bool) -> usize {
    let path = uri.split(['?', '#']).next().unwrap_or_default();
    let most = if holds_address { usize::MAX } else { 1 };
    path.replacen("://", ":", most).matches("//").count()
}

/// A literal as it is written, and as its readers decode it.
fn literal(text: &str) -> TemplatePart {
    TemplatePart::Literal(readings(text).unwrap_or_else(|| vec![Reading::of(text)]))
}

/// The reading of a round; one that has no more layers stays as it is. There is always a first.
fn reading_of(texts: &[Reading], round: usize) -> &Reading {
    &texts[round.min(texts.len() - 1)]
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

/// What ends a segment. A backslash does for some readers.
fn ends_segment(byte: u8) -> bool {
    matches!(byte, b'/' | b'\\' | b'?' | b'#')
}

/// So many letters of a segment at the most.
fn after_prefix(uri: &str, ends: &[bool], longest: usize) -> Vec<bool> {
    let mut after = ends.to_vec();
    // How many letters are left of the value that began last, which may go on for longest.
    let mut left = 0;
    for (at, letter) in uri.char_indices() {
        if ends[at] {
            left = longest;
        }
        let fits = left > 0 && (!letter.is_ascii() || !ends_segment(letter as u8));
        left = if fits { left - 1 } else { 0 };
        after[at + letter.len_utf8()] |= fits;
    }
    after
}

fn after_value(uri: &str, ends: &[bool], operator: Operator) -> Vec<bool> {
    let bytes = uri.as_bytes();
    let fits = |byte: u8| match operator {
        Operator::Simple(_) | Operator::Within(_) => !ends_segment(byte),
        Operator::Path => byte == b'/' || !ends_segment(byte),
        Operator::Reserved | Operator::Behind(_) => byte != b'\\',
    };
    let sign = match operator {
        Operator::Within(sign) | Operator::Behind(sign) => u8::try_from(sign).ok(),
        Operator::Path => Some(b'/'),
        Operator::Simple(_) | Operator::Reserved => None,
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
        // The sign itself is not of the value.
        is_open = (begins && sign.is_some()) || ((is_open || begins) && fits(*byte));
    }
    after
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_match_what_they_stand_for() {
        let yes = [
            ("file:///project/{path}", "file:///project/a.txt"),
            ("file:///project/{path}", "file:///project/a%20b.txt"),
            ("file:///project/{path}", "file:///project/%C3%BC"),
            ("file:///project/{+path}", "file:///project/a/b.txt"),
            ("file:///my%20project/{path}", "file:///my%20project/a"),
            ("file://{+path}", "file:///home/me/a.txt"),
            ("file://{path}", "file://a.txt"),
            ("demo://{a}/{b}", "demo://x/y"),
            ("demo://list{?page,size}", "demo://list?page=1&size=2"),
            ("demo://list{?page}", "demo://list?page=a%2Fb"),
            ("demo://list{?page}", "demo://list"),
            ("demo://x{/rest*}", "demo://x/a/b"),
            ("demo://x{.kind}", "demo://x.json"),
            ("demo://plain", "demo://plain"),
            ("demo://{a}-{b}", "demo://1-2-3"),
            ("demo://ü/{x}", "demo://ü/ß"),
            ("note://by-name/{name}", "note://by-name/"),
            ("https://{tenant}.example.com/{x}", "https://acme.example.com/y"),
            ("https://me@host/{x}", "https://me@host/y"),
            ("proxy://{+url}", "proxy://https://a.example/x"),
            ("gmail://{account}/inbox", "gmail://bob@example.com/inbox"),
            ("npm://{+package}", "npm://@types/node"),
            ("docs://v{version}/guide", "docs://v1.2/guide"),
            ("db://table-{name}", "db://table-public.users"),
            ("log://at-{time}", "log://at-12:30"),
            ("app://docs/{id:3}", "app://docs/abc"),
            ("app://docs/{id:3}", "app://docs/üäö"),
            ("app://{a:2}{b:2}", "app://wxyz"),
            ("file:///home/jos\u{e9}/{+path}", "file:///home/jos\u{e9}/a\u{2215}b"),
            ("app://docs{?page,size}", "app://docs?size=3"),
            ("app://docs{?all*}", "app://docs?any=3"),
            ("app://docs?a=1{&page}", "app://docs?a=1&page=2"),
            ("https://docs.example/api{#section}", "https://docs.example/api#x"),
            ("https://host-{x}", "https://host-7"),
            ("http://localhost:{port}/status", "http://localhost:8080/status"),
            ("ssh://git@{host}/{+repo}", "ssh://git@a.example/x/y"),
            ("search://x{?q}", "search://x?q=..."),
            ("file:///C:/project/{+path}", "file:///C:/project/a"),
            ("docs://site/{+path}", "docs://site/a?page=2"),
        ];
        for (template, uri) in yes {
            assert!(Template::parse(template).matches(uri), "{template} {uri}");
        }
    }

    /// Templates, and addresses that are none of theirs.
    const LEADING_OUT: &[(&str, &str)] = &[
        ("file:///project/{path}", "file:///project/a/b"),
        ("file:///project/{path}", "file:///other/a"),
        ("file:///project/{path}", "FILE:///project/a"),
        ("file:///project/{+path}", "file:///project/../etc/passwd"),
        ("file:///project/{+path}", "file:///project/%2e%2e/etc/passwd"),
        ("file:///project/{+path}", "file:///project/%252e%252E/etc/passwd"),
        ("file:///project/{+path}", "file:///project/a%2f..%2f..%2fetc"),
        ("file:///project/{+path}", "file:///project/%c0%ae%c0%ae/etc"),
        ("file:///project/{+path}", "file:///project/\u{ff0e}\u{ff0e}/etc"),
        ("file:///project/{+path}", "file:///project/.\u{200b}./etc"),
        ("file:///project/{+path}", "file:///project/%EF%BC%8E./etc"),
        ("file:///project/{+path}", "file:///project/%2e\u{ff0e}/etc"),
        ("file:///project/{+path}", "file:///project/.. /etc"),
        ("file:///project/{+path}", "file:///project/%u002e%u002e/etc"),
        ("file:///project/{+path}", "file:///project//etc/passwd"),
        ("file:///project/{+path}", "file:///project/%2Fetc/passwd"),
        ("file:///project/{path}", "file:///project/%2Fetc%2Fpasswd"),
        ("file:///project/{path}", "file:///project/a%2Fb"),
        ("file:///project/{path}", "file:///project/a\u{2215}b"),
        ("file:///project/{path}", "file:///project/a%c0%afb"),
        ("file:///project/{path}", "file:///project/a%3Fb"),
        ("file:///project/{path}", "file:///project/..%5c..%5cetc"),
        ("file:///project/{path}", "file:///project/a\\b"),
        ("file:///project/{path}", "file:///project/a\u{0}b"),
        ("file:///project/{path}", "file:///project/%2525252525"),
        ("file:///project/{path}", "file:///project/%ff"),
        ("demo://x{/rest*}", "demo://x/a\\..\\b"),
        ("demo://list{?page}", "demo://list/x"),
        ("https://host{+x}", "https://host@evil.example/"),
        ("https://host{+x}", "https://host%40evil.example/"),
        ("https://host{+x}", "https://host.evil.example/"),
        ("https://host{+x}?by=me@x", "https://host@evil.example/?by=me@x"),
        ("https://host{x}", "https://host.evil.example"),
        ("https://host-{x}", "https://host-:80"),
        ("demo://{broken", "demo://x"),
        ("https://api.example{+path}", "https://api.example\\@evil.example/"),
        ("https://api.example.co{+path}", "https://api.example.com/x"),
        ("https://api.example.co{x}", "https://api.example.com"),
        ("https://{+tenant}.example.com/{x}", "https://evil.example/a.example.com/y"),
        ("https://{tenant}.example.com/{x}", "https://evil.example .example.com/y"),
        ("https://docs.example/api{#section}", "https://docs.example/api/admin"),
        ("sftp://files{.x}/a", "sftp://files.evil.example/a"),
        ("git+ssh://host{+x}", "git+ssh://host.evil.example/a"),
        ("file:///project{/path*}", "file:///project//etc/passwd"),
        ("file:///project{/path*}", "file:///project/%2Fetc%2Fpasswd"),
        ("notes:{+path}", "notes:../secret"),
        ("app://docs/view?file={+file}", "app://docs/view?file=../secret"),
        ("app://docs/view{?file}", "app://docs/view?file=..%2Fsecret"),
        ("app://docs{?page}", "app://docs?admin=yes"),
        ("app://docs{?page}", "app://docs\u{ff1f}admin=yes"),
        ("file:///project/{+path}", "file:///project/file:///etc/passwd"),
        ("file:///project/{+path}", "file:///project/~root/.ssh/id_rsa"),
        ("file:///project/{+path}", "file:///project/C|/Windows"),
        ("file:///project/{+path}", "file:///project/abc:/Windows"),
        ("file:///project/{+path}", "file:///project/.../x"),
        ("smtps://mail{n}/outbox", "smtps://mail@evil.example/outbox"),
        ("any://mail{n}/outbox", "any://mail@evil.example/outbox"),
        ("app://docs{?page}", "app://docs?page=1;admin=true"),
        ("https://{tenant}.example.com/{x}", "https://[::1].example.com/y"),
        ("mariadb://db.internal{+x}", "mariadb://db.internal.evil.example/x"),
        ("any://db.internal{+x}", "any://db.internal.evil.example/x"),
        ("jdbc:mysql://db.internal{+x}", "jdbc:mysql://db.internal@evil.example/x"),
        ("http://localhost:{port}/x", "http://localhost:80@evil.example/x"),
        ("app://docs/{id:3}", "app://docs/abcd"),
        ("file:///project/{+path}", "file:///project/C:/Windows"),
        ("file:///project/{path}", "file:///project/c%3Asecret"),
        ("https://api.example.com/{+path}", "https://api.example.com\u{2215}@evil.example/x"),
        ("https://api.example.com/{+path}", "https://api.example.com\u{2215}x.evil.example/y"),
        ("https://api.example.com{?q}", "https://api.example.com\u{ff1f}q=@evil.example"),
        ("https://example.com/{+path}", "https://ex\u{430}mple.com/x"),
        ("file:///home/jose/{+path}", "file:///home/jos\u{e9}/.ssh/id_rsa"),
        ("file:///home/jos\u{e9}/{+path}", "file:///home/jose/.ssh/id_rsa"),
        ("docs://files/{+path}", "docs://files/https:evil.example/x"),
        ("app://docs/view?file={+file}", "app://docs/view?file=+../secret"),
        ("trino://wh{+x}", "trino://wh.evil.example/x"),
        ("app://{a:2}-{b:1}", "app://x-yz"),
        ("app://docs/{id:3}", "app://docs/a/b"),
        ("demo://x{.kind}", "demo://xjson"),
        ("demo://x{;version}", "demo://x2"),
        ("https://{tenant}.example.com/{x}", "https://[a.example.com/y"),
        ("https://{tenant}.example.com/{x}", "https://a].example.com/y"),
        ("https://{tenant}.example.com/{x}", "https://evil.example:80.example.com/y"),
    ];

    #[test]
    fn templates_match_nothing_that_leads_out_of_them() {
        for (template, uri) in LEADING_OUT {
            assert!(!Template::parse(template).matches(uri), "{template} {uri}");
        }
    }

    /// spec 11.2: more than 32 expressions make it a plain text
    #[test]
    fn a_template_has_at_most_32_values() {
        for (count, is_template) in [(32, true), (33, false)] {
            let template = Template::parse(&format!("app://x/{}", "{a}/".repeat(count)));
            let uri = format!("app://x/{}", "b/".repeat(count));
            assert_eq!(template.matches(&uri), is_template, "{count}");
        }
    }
}
