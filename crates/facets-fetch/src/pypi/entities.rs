//! Character references of HTML, as far as they occur in addresses.

/// The longest name that is looked for, with its semicolon.
const MAX_NAME: usize = 12;

/// Those that are ASCII, and may stand in an address.
const ENTITIES: [(&str, char); 24] = [
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("plus", '+'),
    ("period", '.'),
    ("lowbar", '_'),
    ("UnderBar", '_'),
    ("sol", '/'),
    ("bsol", '\\'),
    ("num", '#'),
    ("colon", ':'),
    ("semi", ';'),
    ("comma", ','),
    ("excl", '!'),
    ("quest", '?'),
    ("equals", '='),
    ("percnt", '%'),
    ("commat", '@'),
    ("ast", '*'),
    ("Hat", '^'),
    ("Tab", '\t'),
    ("NewLine", '\n'),
];

/// Names that Python also reads without a semicolon, most versions even at the beginning of a longer word.
const WITHOUT_SEMICOLON: [&str; 106] = [
    "AElig", "AMP", "Aacute", "Acirc", "Agrave", "Aring", "Atilde", "Auml", "COPY", "Ccedil",
    "ETH", "Eacute", "Ecirc", "Egrave", "Euml", "GT", "Iacute", "Icirc", "Igrave", "Iuml", "LT",
    "Ntilde", "Oacute", "Ocirc", "Ograve", "Oslash", "Otilde", "Ouml", "QUOT", "REG", "THORN",
    "Uacute", "Ucirc", "Ugrave", "Uuml", "Yacute", "aacute", "acirc", "acute", "aelig", "agrave",
    "amp", "aring", "atilde", "auml", "brvbar", "ccedil", "cedil", "cent", "copy", "curren", "deg",
    "divide", "eacute", "ecirc", "egrave", "eth", "euml", "frac12", "frac14", "frac34", "gt",
    "iacute", "icirc", "iexcl", "igrave", "iquest", "iuml", "laquo", "lt", "macr", "micro",
    "middot", "nbsp", "not", "ntilde", "oacute", "ocirc", "ograve", "ordf", "ordm", "oslash",
    "otilde", "ouml", "para", "plusmn", "pound", "quot", "raquo", "reg", "sect", "shy", "sup1",
    "sup2", "sup3", "szlig", "thorn", "times", "uacute", "ucirc", "ugrave", "uml", "uuml",
    "yacute", "yen", "yuml",
];

/// Decodes an address. An error if parsers may read one of its references as other text than here.
pub(super) fn decoded_address(text: &str) -> Result<String, &'static str> {
    let is_certain = text.split('&').skip(1).all(is_certain);
    is_certain.then(|| unescaped(text)).ok_or("has a character reference that is not supported")
}

/// Whether the text after a `&` is a reference to a printable character of ASCII, or none for any parser.
fn is_certain(after: &str) -> bool {
    if let Some((c, _)) = entity(after) {
        return matches!(c, ' '..='~');
    }
    let behind_name = after.trim_start_matches(|c: char| c.is_ascii_alphanumeric());
    let is_named = WITHOUT_SEMICOLON.iter().any(|name| after.starts_with(*name));
    !behind_name.starts_with(';') && !after.starts_with('#') && !is_named
}

/// Decodes the references that may stand in an address; any other text stays.
pub(super) fn unescaped(text: &str) -> String {
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

/// The character of a reference after its `&`, and how long that is with the semicolon.
fn entity(text: &str) -> Option<(char, usize)> {
    if let Some(number) = text.strip_prefix('#') {
        return numbered(number).map(|(c, length)| (c, 1 + length));
    }
    let end = text.bytes().take(MAX_NAME).position(|byte| byte == b';')?;
    let name = text.get(..end)?;
    let (_, c) = ENTITIES.iter().find(|(known, _)| *known == name)?;
    Some((*c, end + 1))
}

/// `43` or `x2B`. The semicolon may be missing.
fn numbered(text: &str) -> Option<(char, usize)> {
    let (digits, radix) = match text.strip_prefix(['x', 'X']) {
        Some(digits) => (digits, 16),
        None => (text, 10),
    };
    let count = digits.chars().take_while(|c| c.is_digit(radix)).count();
    let code = u32::from_str_radix(digits.get(..count)?, radix).ok()?;
    let c = char::from_u32(code).filter(|c| *c != '\0').unwrap_or(char::REPLACEMENT_CHARACTER);
    let semicolon = usize::from(digits.get(count..)?.starts_with(';'));
    Some((c, text.len() - digits.len() + count + semicolon))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_decoded_with_or_without_a_semicolon() {
        for (text, expected) in [
            ("a?b&amp;c&#43;d&#x2B;e", "a?b&c+d+e"),
            ("mcp-1&period;0&#46tar&#x2egz", "mcp-1.0.tar.gz"),
            ("&lowbar;&sol;&quot;&apos;", "_/\"'"),
            ("&copy;&;&amp&", "&copy;&;&amp&"),
            ("&#;&#x;&#xg", "&#;&#x;&#xg"),
            ("é&é;", "é&é;"),
        ] {
            assert_eq!(unescaped(text), expected, "{text}");
        }
        // Beyond Unicode, and beyond numbers.
        assert_eq!(unescaped("&#0;&#xd800;&#x110000;&#99999999999;").chars().count(), 3 + 14);
        assert_eq!(unescaped(&"&#x".repeat(300_000)).len(), 900_000);
    }

    #[test]
    fn addresses_with_references_that_parsers_read_differently_are_refused() {
        for (text, expected) in [
            ("a?b&amp;c&#43;d&#x2B;", "a?b&c+d+"),
            ("a?Expires=1&Signature=x&b.c;&", "a?Expires=1&Signature=x&b.c;&"),
            ("mcp-1&period;0&#46tar&#x2egz#sha256=00", "mcp-1.0.tar.gz#sha256=00"),
        ] {
            assert_eq!(decoded_address(text).as_deref(), Ok(expected), "{text}");
        }
        for text in [
            "&fjlig;",
            "&eacute;",
            "&eacute",
            "&unknown;",
            "&amp",
            "a?b&copy=1",
            "a?b&region=x",
            "&nbsp;x",
            "&Tab;",
            "&#10;",
            "&#1;",
            "&#x80;",
            "&#xfdd0;",
            "&#99999999999;",
            "&#",
        ] {
            assert!(decoded_address(text).is_err(), "{text}");
        }
    }
}
