use std::ops::Range;

use facets_digest::json::MAX_SAFE_INTEGER;
use saphyr_parser::{Event, Parser, ScalarStyle, Span, StrInput};

use super::node::{MANIFEST_LIMITS, MemberList, Node, NodeMember, NodeValue, position};
use crate::manifest::Problem;

/// Reads one YAML document with the core schema (spec 3.1).
pub(super) fn parse(text: &str, problems: &mut Vec<Problem>) -> Result<Node, Box<Problem>> {
    check_characters(text)?;
    refuse_directives(text, problems);
    let mut builder = YamlBuilder {
        parser: Parser::new_from_str(text),
        text,
        offsets: CharacterOffsets::new(text),
        depth: 0,
        values: 0,
        problems,
    };
    let mut root = None;
    loop {
        let (event, span) = builder.next()?;
        match event {
            Event::StreamEnd => break,
            Event::DocumentStart(_) if root.is_some() => {
                builder.report(
                    "yaml-several-documents",
                    &span,
                    "a second document",
                    "one document",
                    "keep one document in the file, without `---` between two",
                );
                break;
            }
            Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd | Event::Nothing => {}
            event => root = Some(builder.node(event, &span)?),
        }
    }
    Ok(root.unwrap_or(Node { span: 0..0, value: NodeValue::Null }))
}

/// YAML 1.2.2, 5.1: what is not printable cannot stand in a file. A carriage return alone
/// would be a line end to YAML and to nobody else.
fn check_characters(text: &str) -> Result<(), Box<Problem>> {
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let allowed = match character {
            '\t' | '\n' | '\u{85}' => true,
            '\r' => characters.peek().is_some_and(|(_, next)| *next == '\n'),
            other => !other.is_control() && !matches!(other, '\u{fffe}' | '\u{ffff}'),
        };
        if !allowed {
            return Err(Box::new(Problem {
                code: "yaml-control-character",
                position: position(text, at),
                member: String::new(),
                found: format!("the character U+{:04X}", u32::from(character)),
                allowed: "printable text, with line ends \\n or \\r\\n".to_owned(),
                fix: "write it as an escape in double quotes".to_owned(),
            }));
        }
    }
    Ok(())
}

/// A directive before the document could change what tags and versions mean.
fn refuse_directives(text: &str, problems: &mut Vec<Problem>) {
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        match line.trim_start().chars().next() {
            None | Some('#') => {}
            Some('%') if line.starts_with('%') => problems.push(Problem {
                code: "yaml-directive",
                position: position(text, offset),
                member: String::new(),
                found: format!("the directive {:?}", line.trim_end()),
                allowed: "a document without directives".to_owned(),
                fix: "remove the line".to_owned(),
            }),
            Some(_) => return,
        }
        offset += line.len();
    }
}

/// A container's value and where it ends.
type ContainerResult = Result<(NodeValue, usize), Box<Problem>>;

struct YamlBuilder<'t, 'p> {
    parser: Parser<'t, StrInput<'t>>,
    text: &'t str,
    offsets: CharacterOffsets,
    depth: usize,
    values: usize,
    problems: &'p mut Vec<Problem>,
}

impl<'t> YamlBuilder<'t, '_> {
    fn next(&mut self) -> Result<(Event<'t>, Span), Box<Problem>> {
        match self.parser.next_event() {
            Some(Ok(next)) => Ok(next),
            Some(Err(error)) => {
                let at = self.offsets.byte(error.marker().index());
                Err(self.problem(
                    "yaml-syntax",
                    at,
                    error.info(),
                    "YAML 1.2",
                    "correct the YAML at this position",
                ))
            }
            None => Ok((Event::StreamEnd, Span::default())),
        }
    }

    /// Recursive, but never deeper than the limit on depth.
    fn node(&mut self, event: Event<'t>, span: &Span) -> Result<Node, Box<Problem>> {
        self.values += 1;
        if self.values > MANIFEST_LIMITS.values {
            return Err(self.limit(span, "yaml-too-many-values", MANIFEST_LIMITS.values));
        }
        let range = self.range(span);
        let value = match event {
            Event::Scalar(text, style, anchor, tag) => {
                let plain = style == ScalarStyle::Plain;
                let allowed = self.refuse_extras(anchor, tag.is_some(), span);
                if allowed { self.scalar(&text, plain, span) } else { NodeValue::Refused }
            }
            Event::SequenceStart(anchor, tag) => {
                self.refuse_extras(anchor, tag.is_some(), span);
                return self.container(span, range, Self::sequence);
            }
            Event::MappingStart(anchor, tag) => {
                self.refuse_extras(anchor, tag.is_some(), span);
                return self.container(span, range, Self::mapping);
            }
            Event::Alias(_) => {
                self.report(
                    "yaml-alias",
                    span,
                    "an alias `*…`",
                    "the value itself",
                    "write the value itself here",
                );
                NodeValue::Refused
            }
            _ => NodeValue::Refused,
        };
        Ok(Node { span: range, value })
    }

    fn container(
        &mut self,
        span: &Span,
        range: Range<usize>,
        read: fn(&mut Self) -> ContainerResult,
    ) -> Result<Node, Box<Problem>> {
        if self.depth >= MANIFEST_LIMITS.depth {
            return Err(self.limit(span, "yaml-too-deep", MANIFEST_LIMITS.depth));
        }
        self.depth += 1;
        let (value, end) = read(self)?;
        self.depth -= 1;
        Ok(Node { span: range.start..end.max(range.start), value })
    }

    fn sequence(&mut self) -> ContainerResult {
        let mut items = Vec::new();
        loop {
            let (event, span) = self.next()?;
            if event == Event::SequenceEnd {
                return Ok((NodeValue::Array(items), self.range(&span).end));
            }
            items.push(self.node(event, &span)?);
        }
    }

    fn mapping(&mut self) -> ContainerResult {
        let mut members = MemberList::default();
        loop {
            let (event, span) = self.next()?;
            if event == Event::MappingEnd {
                return Ok((NodeValue::Object(members.list), self.range(&span).end));
            }
            let plain = matches!(event, Event::Scalar(_, ScalarStyle::Plain, ..));
            let key = self.node(event, &span)?;
            let name = self.key_name(key, plain, &span);
            let (event, value_span) = self.next()?;
            let node = self.node(event, &value_span)?;
            let Some(name) = name else { continue };
            let member = NodeMember { name, name_span: self.range(&span), node };
            members.add(member, self.text, self.problems);
        }
    }

    fn key_name(&mut self, key: Node, plain: bool, span: &Span) -> Option<String> {
        match key.value {
            NodeValue::String(name) if name == "<<" && plain => {
                self.report(
                    "yaml-merge",
                    span,
                    "a merge key `<<`",
                    "the members themselves",
                    "write the merged members here",
                );
                None
            }
            NodeValue::String(name) => Some(name),
            NodeValue::Refused => None,
            _ => {
                let found = format!("{} as a member name", key.kind());
                self.report(
                    "yaml-key-not-string",
                    span,
                    &found,
                    "a string",
                    "put the name in quotes",
                );
                None
            }
        }
    }

    /// spec 3.1: anchors, aliases and tags are refused
    fn refuse_extras(&mut self, anchor: usize, tagged: bool, span: &Span) -> bool {
        if anchor > 0 {
            self.report(
                "yaml-anchor",
                span,
                "an anchor `&…`",
                "the value alone",
                "remove the anchor, and repeat the value where it is needed",
            );
        }
        if tagged {
            self.report(
                "yaml-tag",
                span,
                "a tag `!…`",
                "the value alone",
                "remove the tag; put the value in quotes if it is meant as text",
            );
        }
        anchor == 0 && !tagged
    }

    fn scalar(&mut self, text: &str, plain: bool, span: &Span) -> NodeValue {
        if !plain {
            return NodeValue::String(text.to_owned());
        }
        match resolve_plain(text) {
            Plain::Null => NodeValue::Null,
            Plain::Bool(value) => NodeValue::Bool(value),
            Plain::Number(number) if survives_printing(number) => NodeValue::Number(number),
            Plain::Text => NodeValue::String(text.to_owned()),
            Plain::Number(_) | Plain::LargeInteger => {
                self.report(
                    "yaml-number-out-of-range",
                    span,
                    &format!("the number {text}"),
                    "a finite number, integers up to ±(2^53−1)",
                    &format!("put it in quotes if it is meant as text: \"{text}\""),
                );
                NodeValue::Refused
            }
        }
    }

    fn report(&mut self, code: &'static str, span: &Span, found: &str, allowed: &str, fix: &str) {
        let at = self.range(span).start;
        let problem = self.problem(code, at, found, allowed, fix);
        self.problems.push(*problem);
    }

    fn limit(&self, span: &Span, code: &'static str, limit: usize) -> Box<Problem> {
        let at = self.offsets.byte(span.start.index());
        let allowed = format!("at most {limit}");
        self.problem(code, at, "more than the limit", &allowed, "make the manifest smaller")
    }

    fn problem(
        &self,
        code: &'static str,
        at: usize,
        found: &str,
        allowed: &str,
        fix: &str,
    ) -> Box<Problem> {
        Box::new(Problem {
            code,
            position: position(self.text, at),
            member: String::new(),
            found: found.to_owned(),
            allowed: allowed.to_owned(),
            fix: fix.to_owned(),
        })
    }

    fn range(&self, span: &Span) -> Range<usize> {
        self.offsets.byte(span.start.index())..self.offsets.byte(span.end.index())
    }
}

/// The parser counts characters, we count bytes.
struct CharacterOffsets {
    starts: Vec<usize>,
    length: usize,
}

impl CharacterOffsets {
    fn new(text: &str) -> Self {
        Self { starts: text.char_indices().map(|(at, _)| at).collect(), length: text.len() }
    }

    fn byte(&self, character: usize) -> usize {
        self.starts.get(character).copied().unwrap_or(self.length)
    }
}

enum Plain {
    Null,
    Bool(bool),
    Number(f64),
    LargeInteger,
    Text,
}

/// YAML 1.2.2, 10.3.2: what an unquoted scalar means. `yes`, `no`, `on`, `off` are text.
fn resolve_plain(text: &str) -> Plain {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Plain::Null,
        "true" | "True" | "TRUE" => return Plain::Bool(true),
        "false" | "False" | "FALSE" => return Plain::Bool(false),
        ".nan" | ".NaN" | ".NAN" => return Plain::Number(f64::NAN),
        _ => {}
    }
    let (negative, unsigned) = match text.as_bytes()[0] {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    if let ".inf" | ".Inf" | ".INF" = unsigned {
        return Plain::Number(f64::INFINITY);
    }
    let radix = [("0o", 8), ("0x", 16)];
    for (prefix, radix) in radix {
        match text.strip_prefix(prefix) {
            Some(digits) if all_digits(digits, radix) => return integer(digits, radix, false),
            _ => {}
        }
    }
    if all_digits(unsigned, 10) {
        return integer(unsigned, 10, negative);
    }
    if is_core_float(unsigned) {
        return text.parse().map_or(Plain::Text, Plain::Number);
    }
    Plain::Text
}

/// Between 2^53 and 10^21 a double is printed as an integer that no manifest may have.
fn survives_printing(number: f64) -> bool {
    let size = number.abs();
    size <= 9_007_199_254_740_991.0 || (size >= 1e21 && size.is_finite())
}

fn all_digits(text: &str, radix: u32) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_digit(radix))
}

fn integer(digits: &str, radix: u32, negative: bool) -> Plain {
    match u64::from_str_radix(digits, radix) {
        Ok(value) if value <= MAX_SAFE_INTEGER => {
            #[expect(clippy::cast_precision_loss, reason = "at most 2^53−1")]
            let number = value as f64;
            Plain::Number(if negative { -number } else { number })
        }
        _ => Plain::LargeInteger,
    }
}

/// `(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`
fn is_core_float(unsigned: &str) -> bool {
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits_or_nothing = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    digits_or_nothing(whole)
        && digits_or_nothing(fraction)
        && !(whole.is_empty() && fraction.is_empty())
        && exponent.is_none_or(|text| all_digits(text.strip_prefix(['-', '+']).unwrap_or(text), 10))
}
