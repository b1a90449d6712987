//! The text of a `.npmrc`, in the dialect of ini that npm reads.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use facets_digest::json::{self, Limits, Provenance, Value};

use crate::error::FetchError;

const MAX_LINES: usize = 10_000;
/// Bytes of all values of one file, with their variables replaced.
const MAX_EXPANDED: usize = 4 << 20;
/// One string, and nothing else.
const QUOTED: Limits = Limits { bytes: 1 << 20, depth: 1, values: 2 };

/// One setting, and where it stands. Has no `Debug`: most of them are secrets.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Setting {
    /// The value; of a list each item.
    pub(super) values: Vec<String>,
    /// The file with its line, or the variable.
    pub(super) place: String,
}

/// Settings by their names.
pub(super) type NpmSettings = BTreeMap<String, Setting>;

impl Setting {
    /// The last value as written.
    pub(super) fn last(&self) -> &str {
        self.values.last().map_or("", String::as_str)
    }

    /// The last value, unless it says that there is none.
    pub(super) fn text(&self) -> Option<&str> {
        Some(self.last()).filter(|text| is_something(text))
    }

    /// Every value that says something.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.values.iter().map(String::as_str).filter(|text| is_something(text))
    }

    /// The error that names this setting by its place.
    pub(super) fn refused(&self, problem: impl Into<String>) -> FetchError {
        FetchError::Config { place: self.place.clone(), problem: problem.into() }
    }
}

fn is_something(text: &str) -> bool {
    !matches!(text, "" | "null" | "undefined" | "false")
}

/// Reads the settings of one file.
pub(super) fn parse(
    text: &str,
    file: &Path,
    variables: &BTreeMap<String, String>,
) -> Result<NpmSettings, FetchError> {
    let text = text.replace("\r\n", "\n");
    let mut settings = NpmSettings::new();
    let mut lists = BTreeSet::new();
    let mut budget = MAX_EXPANDED;
    for (index, line) in text.split(['\n', '\r']).enumerate() {
        let place = format!("{}:{}", file.display(), index + 1);
        let refused = |problem: String| FetchError::Config { place: place.clone(), problem };
        if index >= MAX_LINES && !line.is_empty() {
            return Err(refused(format!("more than {MAX_LINES} lines")));
        }
        let pair = match statement(line) {
            Statement::Pair(pair) => pair,
            Statement::Nothing => continue,
            // What follows belongs to the section, where npm looks for nothing.
            Statement::Section => break,
        };
        let mut expanded = |text: &str| {
            let expanded = expand(text, variables, budget);
            let expanded = expanded.ok_or_else(|| refused("expands to too many bytes".into()))?;
            budget -= expanded.len();
            Ok::<_, FetchError>(expanded)
        };
        let (name, value) = (expanded(&pair.name)?, expanded(trim(&pair.value))?);
        if pair.is_list {
            lists.insert(name.clone());
        }
        let setting = Setting { values: vec![value], place };
        insert(&mut settings, lists.contains(&name), name, setting);
    }
    Ok(settings)
}

/// A later value replaces an earlier one, and is added to a list.
fn insert(settings: &mut NpmSettings, is_list: bool, name: String, setting: Setting) {
    match settings.get_mut(&name) {
        Some(earlier) if is_list => {
            earlier.values.extend(setting.values);
            earlier.place = setting.place;
        }
        _ => {
            settings.insert(name, setting);
        }
    }
}

struct Pair {
    name: String,
    is_list: bool,
    value: String,
}

enum Statement {
    Nothing,
    Section,
    Pair(Pair),
}

fn statement(line: &str) -> Statement {
    let trimmed = trim(line);
    if trimmed.is_empty() || trimmed.starts_with([';', '#']) {
        return Statement::Nothing;
    }
    let section = line.strip_prefix('[').and_then(|rest| trim(rest).strip_suffix(']'));
    if section.is_some_and(|section| !section.contains(']')) {
        return Statement::Section;
    }
    // A name alone is switched on.
    let (name, value) = line.split_once('=').unwrap_or((line, "true"));
    if name.is_empty() {
        return Statement::Nothing;
    }
    let name = unquoted(name);
    let listed = name.strip_suffix("[]").filter(|name| !name.is_empty());
    Statement::Pair(Pair {
        is_list: listed.is_some(),
        name: listed.map_or_else(|| name.clone(), str::to_owned),
        value: unquoted(value),
    })
}

/// JavaScript counts the byte order mark among white space.
fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}')
}

/// Quotes make a JSON string; without them a comment may follow, and `\` keeps `;`, `#` and `\`.
fn unquoted(text: &str) -> String {
    let text = trim(text);
    let is_quoted = |quote: char| text.starts_with(quote) && text.ends_with(quote);
    if is_quoted('"') {
        return json_string(text).unwrap_or_else(|| text.to_owned());
    }
    if is_quoted('\'') {
        let inner = text.get(1..text.len().max(2) - 1).unwrap_or_default();
        return json_string(inner).unwrap_or_else(|| inner.to_owned());
    }
    trim(&before_comment(text)).to_owned()
}

fn json_string(text: &str) -> Option<String> {
    match json::parse(text.as_bytes(), Provenance::Captured, QUOTED) {
        Ok(Value::String(text)) => Some(text.into_owned()),
        _ => None,
    }
}

fn before_comment(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            ';' | '#' => break,
            '\\' => match characters.next() {
                Some(escaped @ ('\\' | ';' | '#')) => kept.push(escaped),
                Some(other) => kept.extend(['\\', other]),
                None => kept.push('\\'),
            },
            other => kept.push(other),
        }
    }
    kept
}

/// Replaces `${NAME}` and `${NAME?}`. One that is not set stays, with `?` it vanishes; a backslash
/// before it keeps it. Nothing if the result has more bytes than `limit`.
pub(super) fn expand(
    text: &str,
    variables: &BTreeMap<String, String>,
    limit: usize,
) -> Option<String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, from)) = rest.find("${").map(|at| rest.split_at(at)) {
        let Some(reference) = Reference::read(from) else {
            out.push_str(before);
            out.push_str(&from[..2]);
            rest = &from[2..];
            continue;
        };
        let plain = before.trim_end_matches('\\');
        let escapes = before.len() - plain.len();
        out.push_str(plain);
        out.push_str(&"\\".repeat(escapes / 2));
        let value = variables.get(reference.name).map(String::as_str);
        out.push_str(match value {
            _ if escapes % 2 == 1 => reference.written,
            Some(value) => value,
            None if reference.is_optional => "",
            None => reference.written,
        });
        rest = &from[reference.written.len()..];
        if out.len() > limit {
            return None;
        }
    }
    out.push_str(rest);
    (out.len() <= limit).then_some(out)
}

struct Reference<'a> {
    written: &'a str,
    name: &'a str,
    is_optional: bool,
}

impl<'a> Reference<'a> {
    /// Of a text that begins with `${`.
    fn read(text: &'a str) -> Option<Self> {
        let body = text.strip_prefix("${")?;
        let (name, rest) = body.split_at(body.find(['$', '{', '}', '?'])?);
        let is_optional = rest.starts_with("?}");
        if name.is_empty() || !(is_optional || rest.starts_with('}')) {
            return None;
        }
        let length = "${}".len() + name.len() + usize::from(is_optional);
        Some(Self { written: &text[..length], name, is_optional })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn variables() -> BTreeMap<String, String> {
        let pairs = [("TOKEN", "t0ken"), ("EMPTY", "")];
        pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).into()
    }

    /// Names, values and lines.
    fn parsed(text: &str) -> Vec<(String, String, String)> {
        let settings =
            parse(text, Path::new("/f"), &variables()).map_err(|error| error.to_string());
        let settings = settings.unwrap().into_iter();
        settings.map(|(name, setting)| (name, setting.values.join("|"), setting.place)).collect()
    }

    fn value(text: &str) -> String {
        let settings = parsed(text);
        assert_eq!(settings.len(), 1, "{text}");
        settings[0].1.clone()
    }

    #[test]
    fn reads_names_and_values_with_their_lines() {
        let text =
            "\u{feff}registry = https://a.example/ \r\n\r\n ; no\n#no\nkey\r@s:registry=x=y\n";
        let expected = [
            ("@s:registry", "x=y", "/f:6"),
            ("key", "true", "/f:5"),
            ("registry", "https://a.example/", "/f:1"),
        ];
        let expected = expected.map(|(a, b, c)| (a.to_owned(), b.to_owned(), c.to_owned()));
        assert_eq!(parsed(text), expected);
    }

    #[test]
    fn comments_end_values_unless_they_are_escaped_or_quoted() {
        for (text, expected) in [
            ("a = b ; c", "b"),
            ("a = b # c", "b"),
            (r"a = b\;c\#d\\e\f", r"b;c#d\e\f"),
            ("a = b\\", "b\\"),
            ("a = \"b ; c\"", "b ; c"),
            (r#"a = "b\nc""#, "b\nc"),
            ("a = 'b # c'", "b # c"),
            ("a = '\"b\"'", "b"),
            ("a = '", ""),
            ("a = \"", "\""),
            (r#"a = "b\x""#, r#""b\x""#),
            ("a =", ""),
            ("'a b' = c", "c"),
        ] {
            assert_eq!(value(text), expected, "{text}");
        }
    }

    #[test]
    fn brackets_make_lists() {
        assert_eq!(value("ca[] = a\nca[] = b\nca = c"), "a|b|c");
        assert_eq!(value("ca = a\nca[] = b"), "a|b");
        assert_eq!(value("ca = a\nca = b"), "b");
        assert_eq!(parsed("[]=x\n")[0].0, "[]");
    }

    #[test]
    fn sections_hide_what_follows() {
        assert_eq!(parsed("a=1\n[section] \nb=2\n[]\nc=3").len(), 1);
        assert_eq!(parsed("[x]y=1")[0].0, "[x]y");
    }

    #[test]
    fn variables_are_replaced_in_names_and_values() {
        for (text, expected) in [
            ("a=${TOKEN}", "t0ken"),
            ("a=x${TOKEN}y${TOKEN?}z", "xt0kenyt0kenz"),
            ("a=${EMPTY}", ""),
            ("a=${UNSET}", "${UNSET}"),
            ("a=${UNSET?}", ""),
            ("a=${${TOKEN}}", "${t0ken}"),
            ("a=${TOKEN", "${TOKEN"),
            ("a=${}", "${}"),
            ("a=${TOKEN?x}", "${TOKEN?x}"),
            ("a=$TOKEN", "$TOKEN"),
            (r"a='\${TOKEN}'", "${TOKEN}"),
            (r"a='\\${TOKEN}'", "\\t0ken"),
        ] {
            assert_eq!(value(text), expected, "{text}");
        }
        assert_eq!(parsed("//h/${TOKEN}/:_auth=x")[0].0, "//h/t0ken/:_auth");
    }

    #[test]
    fn hostile_files_are_bounded() {
        let control = ("\0".to_owned(), "true".to_owned(), "/f:3".to_owned());
        assert_eq!(parsed("=x\n==\n\0\n"), [control]);
        let long = "x".repeat(1 << 20);
        assert_eq!(value(&format!("a={long}")), long);
        assert_eq!(value(&format!("a={}", "${".repeat(1 << 18))).len(), 1 << 19);
        assert_eq!(parsed(&"a=b\n".repeat(MAX_LINES)).len(), 1);
        let refused = |text: &str, variables: &BTreeMap<String, String>| {
            parse(text, Path::new("/f"), variables).err().unwrap().to_string()
        };
        let lines = refused(&"a=b\n".repeat(MAX_LINES + 1), &variables());
        assert_eq!(lines, "/f:10001: more than 10000 lines");
        let bomb = [("B".to_owned(), "s3cret".repeat(10_000))].into();
        let expanded = refused(&format!("a={}", "${B}".repeat(1000)), &bomb);
        assert_eq!(expanded, "/f:1: expands to too many bytes");
    }
}
