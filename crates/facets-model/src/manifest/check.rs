//! Walks a tree and collects what is wrong, so that all of it can be reported at once.

use std::ops::Range;

use facets_digest::json::Position;

use super::words::Word;
use super::{FileRole, NamedFile, Outcome, Problem};
use crate::tree::{self, ManifestFormat, Node, NodeMember, NodeValue, Parsed};

/// Problems that are collected. Nobody reads more, and each costs a look for its line.
const MOST_PROBLEMS: usize = 1000;

/// A value and the path of members that leads to it.
#[derive(Clone, Debug)]
pub struct Place<'a> {
    /// The names on the way, as `servers.jira.image` or `files[2]`.
    pub path: String,
    /// The value.
    pub node: &'a Node,
}

impl<'a> Place<'a> {
    pub(crate) fn child(&self, name: &str, node: &'a Node) -> Self {
        Self { path: tree::join(&self.path, name), node }
    }
}

/// The members of one object, taken one after the other.
#[derive(Debug)]
pub struct Members<'a> {
    place: Place<'a>,
    list: &'a [NodeMember],
}

impl<'a> Members<'a> {
    /// A member that may be there.
    #[must_use]
    pub fn optional(&self, name: &str) -> Option<Place<'a>> {
        let member = self.list.iter().find(|member| member.name == name)?;
        Some(self.place.child(name, &member.node))
    }

    /// A member that must be there.
    pub fn required(
        &self,
        check: &mut Checker<'_>,
        name: &str,
        example: &str,
    ) -> Option<Place<'a>> {
        let found = self.optional(name);
        if found.is_none() {
            let place = self.place.child(name, self.place.node);
            let names: Vec<&str> = self.list.iter().map(|member| member.name.as_str()).collect();
            let fix = match (nearest(name, &names), check.format) {
                (Some(similar), _) => format!("rename \"{similar}\" to \"{name}\""),
                (None, ManifestFormat::Yaml) => format!("add {name}: {example}"),
                (None, _) => format!("add \"{name}\": {example}"),
            };
            let allowed = "this member is required";
            check.problem("manifest-missing-member", &place, "missing", allowed, &fix);
        }
        found
    }

    /// Each member with its place.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&'a NodeMember, Place<'a>)> + '_ {
        self.list.iter().map(|member| (member, self.place.child(&member.name, &member.node)))
    }

    /// Members that this version of facet does not know, to be kept.
    pub(super) fn unknown(&self, known: &[&str]) -> Vec<NodeMember> {
        let unknown = |member: &&NodeMember| !known.contains(&member.name.as_str());
        self.list.iter().filter(unknown).cloned().collect()
    }
}

/// Collects what is wrong with a text.
#[derive(Debug)]
pub struct Checker<'t> {
    text: &'t str,
    format: ManifestFormat,
    problems: Vec<Problem>,
    warnings: Vec<Problem>,
    files: Vec<NamedFile>,
}

impl<'t> Checker<'t> {
    /// Reads a text and lets `read` make a manifest of its root.
    pub fn run<T>(
        bytes: &'t [u8],
        format: ManifestFormat,
        read: impl FnOnce(&mut Self, &Place<'_>) -> Option<T>,
    ) -> Outcome<T> {
        let Parsed { text, format, root, problems } = match tree::parse(bytes, format) {
            Ok(parsed) => parsed,
            Err(fatal) => {
                return Outcome::unreadable(*fatal);
            }
        };
        let mut checker =
            Checker { text, format, problems, warnings: Vec::new(), files: Vec::new() };
        let manifest = read(&mut checker, &Place { path: String::new(), node: &root });
        checker.finish(manifest)
    }

    fn finish<T>(mut self, manifest: Option<T>) -> Outcome<T> {
        self.problems.sort_by_key(|problem| problem.position.offset);
        self.warnings.sort_by_key(|warning| warning.position.offset);
        let manifest = manifest.filter(|_| self.problems.is_empty());
        Outcome { manifest, problems: self.problems, warnings: self.warnings, files: self.files }
    }

    /// Notes a file that the manifest names, so that somebody can look whether it is there.
    pub(super) fn file(&mut self, path: String, role: FileRole, place: &Place<'_>) {
        let position = Position::of(self.text.as_bytes(), place.node.span.start);
        self.files.push(NamedFile { path, role, member: place.path.clone(), position });
    }

    /// Whether nothing is wrong so far.
    pub(super) fn is_clean(&self) -> bool {
        self.problems.is_empty()
    }

    /// A problem of a value.
    pub fn problem(
        &mut self,
        code: &'static str,
        place: &Place<'_>,
        found: &str,
        allowed: &str,
        fix: &str,
    ) {
        self.add(code, place, place.node.span.clone(), [found, allowed, fix]);
    }

    /// A problem inside the text of a string: of the byte `inside` of what it stands for.
    pub fn problem_inside(
        &mut self,
        code: &'static str,
        (place, inside): (&Place<'_>, usize),
        words: [&str; 3],
    ) {
        let offset = self.offset_inside(place, inside);
        self.add(code, place, offset..offset, words);
    }

    /// Something that is allowed, but probably not meant.
    pub(crate) fn warning(&mut self, code: &'static str, place: &Place<'_>, words: [&str; 3]) {
        if self.warnings.len() < MOST_PROBLEMS {
            let warning = self.describe(code, place, place.node.span.clone(), words);
            self.warnings.push(warning);
        }
    }

    /// Makes warnings of the problems found so far that have one of these codes.
    pub(crate) fn tolerate(&mut self, codes: &[&str]) {
        let tolerated = self.problems.extract_if(.., |problem| codes.contains(&problem.code));
        self.warnings.extend(tolerated);
    }

    /// Where a value begins.
    #[must_use]
    pub fn position(&self, place: &Place<'_>) -> Position {
        Position::of(self.text.as_bytes(), place.node.span.start)
    }

    /// Where a byte of a string stands in the file. Each line of the string is looked for as it
    /// is; one that is written with escapes has the place where the string begins.
    fn offset_inside(&self, place: &Place<'_>, inside: usize) -> usize {
        let span = place.node.span.clone();
        let NodeValue::String(value) = &place.node.value else { return span.start };
        let written = self.text.get(span.clone()).unwrap_or_default();
        let (mut cursor, mut begin) = (0, 0);
        for line in value.split_inclusive('\n') {
            let words = line.trim_end_matches('\n');
            let Some(found) = written[cursor..].find(words) else { return span.start };
            if inside < begin + line.len() || begin + line.len() == value.len() {
                return span.start + cursor + found + inside.saturating_sub(begin).min(words.len());
            }
            cursor += found + words.len();
            begin += line.len();
        }
        span.start
    }

    /// A problem of a member's name instead of its value.
    pub(super) fn name_problem(
        &mut self,
        code: &'static str,
        (member, place): (&NodeMember, &Place<'_>),
        found: &str,
        allowed: &str,
        fix: &str,
    ) {
        self.add(code, place, member.name_span.clone(), [found, allowed, fix]);
    }

    fn add(&mut self, code: &'static str, place: &Place<'_>, span: Range<usize>, words: [&str; 3]) {
        if self.problems.len() < MOST_PROBLEMS {
            let problem = self.describe(code, place, span, words);
            self.problems.push(problem);
        }
    }

    fn describe(
        &self,
        code: &'static str,
        place: &Place<'_>,
        span: Range<usize>,
        [found, allowed, fix]: [&str; 3],
    ) -> Problem {
        Problem {
            code,
            position: Position::of(self.text.as_bytes(), span.start),
            member: place.path.clone(),
            found: found.to_owned(),
            allowed: allowed.to_owned(),
            fix: fix.to_owned(),
        }
    }

    /// The members of an object.
    pub fn members<'a>(&mut self, place: &Place<'a>) -> Option<Members<'a>> {
        match &place.node.value {
            NodeValue::Object(list) => Some(Members { place: place.clone(), list }),
            _ => self.wrong_type(place, "an object"),
        }
    }

    /// The items of a list.
    pub fn items<'a>(&mut self, place: &Place<'a>) -> Option<Vec<Place<'a>>> {
        match &place.node.value {
            NodeValue::Array(items) => {
                let item = |(index, node)| Place { path: format!("{}[{index}]", place.path), node };
                Some(items.iter().enumerate().map(item).collect())
            }
            _ => self.wrong_type(place, "a list"),
        }
    }

    /// A string.
    pub fn string<'a>(&mut self, place: &Place<'a>) -> Option<&'a str> {
        match &place.node.value {
            NodeValue::String(text) => Some(text),
            _ => self.wrong_type(place, "a string"),
        }
    }

    pub(crate) fn boolean(&mut self, place: &Place<'_>) -> Option<bool> {
        match place.node.value {
            NodeValue::Bool(value) => Some(value),
            _ => self.wrong_type(place, "true or false"),
        }
    }

    /// A number.
    pub fn number(&mut self, place: &Place<'_>) -> Option<f64> {
        match place.node.value {
            NodeValue::Number(number) => Some(number),
            _ => self.wrong_type(place, "a number"),
        }
    }

    /// A string with a grammar of its own.
    pub(super) fn word<T: Word>(&mut self, place: &Place<'_>) -> Option<T> {
        let NodeValue::String(text) = &place.node.value else { return self.unquoted(place) };
        match text.parse::<T>() {
            Ok(word) => Some(word),
            Err(reason) => {
                let found = format!("{}: {reason}", shorten(text));
                self.problem(T::CODE, place, &found, T::ALLOWED, &T::fix(text));
                None
            }
        }
    }

    /// A member's name with a grammar of its own.
    pub(super) fn name<T: Word>(&mut self, member: &NodeMember, place: &Place<'_>) -> Option<T> {
        match member.name.parse::<T>() {
            Ok(word) => Some(word),
            Err(reason) => {
                let found = format!("the name {}: {reason}", shorten(&member.name));
                self.name_problem(
                    T::CODE,
                    (member, place),
                    &found,
                    T::ALLOWED,
                    &T::fix(&member.name),
                );
                None
            }
        }
    }

    /// Refuses members that are not in the list.
    pub fn closed(&mut self, members: &Members<'_>, known: &[&str]) {
        for (member, place) in members.entries() {
            if !known.contains(&member.name.as_str()) {
                let fix = match nearest(&member.name, known) {
                    Some(meant) => format!("write \"{meant}\""),
                    None => "remove it".to_owned(),
                };
                let found = format!("unknown member {}", shorten(&member.name));
                let allowed = known.join(", ");
                self.name_problem(
                    "manifest-unknown-member",
                    (member, &place),
                    &found,
                    &allowed,
                    &fix,
                );
            }
        }
    }

    /// Keeps unknown members, and warns of those that look like a slip of the pen.
    pub(super) fn open(&mut self, members: &Members<'_>, known: &[&str]) -> Vec<NodeMember> {
        let unknown = members.unknown(known);
        for member in &unknown {
            let Some(meant) = nearest(&member.name, known) else {
                continue;
            };
            if members.optional(meant).is_some() {
                continue;
            }
            let found = format!("unknown member {}", shorten(&member.name));
            let fix = format!("write \"{meant}\" if you mean that");
            let place = members.place.child(&member.name, &member.node);
            let warning = self.describe(
                "manifest-unknown-member",
                &place,
                member.name_span.clone(),
                [&found, "any name; unknown members are kept, but not used", &fix],
            );
            self.warnings.push(warning);
        }
        unknown
    }

    /// A version that lacks its quotes is the usual case.
    fn unquoted<T: Word>(&mut self, place: &Place<'_>) -> Option<T> {
        let written = self.written(place);
        match place.node.value {
            NodeValue::Number(_) if written.parse::<T>().is_err() => {
                let found = format!("the number {written}");
                let allowed = format!("a string in quotes: {}", T::ALLOWED);
                self.problem("manifest-wrong-type", place, &found, &allowed, &T::fix(written));
                None
            }
            _ => self.wrong_type(place, "a string"),
        }
    }

    /// A short text is easier to find when it is shown.
    fn kind_and_text(place: &Place<'_>) -> String {
        match &place.node.value {
            NodeValue::String(text) if text.chars().count() <= 40 => format!("the string {text:?}"),
            _ => place.node.kind().to_owned(),
        }
    }

    /// A value as it is written.
    pub(crate) fn written(&self, place: &Place<'_>) -> &'t str {
        self.text.get(place.node.span.clone()).unwrap_or_default().trim()
    }

    fn wrong_type<T>(&mut self, place: &Place<'_>, allowed: &str) -> Option<T> {
        // What was only warned about is tolerated where its type does not matter, and here it does.
        let is_tolerated =
            self.warnings.iter().any(|one| one.position.offset == place.node.span.start);
        if matches!(place.node.value, NodeValue::Refused) && !is_tolerated {
            return None;
        }
        let written = self.written(place);
        let scalar = matches!(place.node.value, NodeValue::Number(_) | NodeValue::Bool(_));
        let (found, fix) = match allowed {
            "a string" if scalar => (
                format!("the {} {written}", place.node.kind().trim_start_matches("a ")),
                format!("put it in quotes: \"{written}\""),
            ),
            _ => (Self::kind_and_text(place), format!("write {allowed}")),
        };
        self.problem("manifest-wrong-type", place, &found, allowed, &fix);
        None
    }
}

/// A text in quotes, but not all of a long one.
#[must_use]
pub fn shorten(text: &str) -> String {
    const SHOWN: usize = 100;
    let length = text.chars().count();
    if length <= SHOWN {
        return format!("{text:?}");
    }
    let start: String = text.chars().take(SHOWN).collect();
    format!("{start:?}… ({length} characters)")
}

/// The known name that a slip of one or two letters would have made into this one.
#[must_use]
pub fn nearest<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    let tolerance = if name.chars().count() < 5 { 1 } else { 2 };
    known
        .iter()
        .map(|candidate| (distance(name, candidate), *candidate))
        .filter(|(distance, _)| *distance <= tolerance)
        .min()
        .map(|(_, candidate)| candidate)
}

/// How many letters are added, dropped, replaced, or swapped with their neighbour.
fn distance(left: &str, right: &str) -> usize {
    // Names longer than any of ours are far from all of them.
    let letters =
        |text: &str| -> Vec<char> { text.chars().take(40).flat_map(char::to_lowercase).collect() };
    let (left, right) = (letters(left), letters(right));
    let mut table = vec![vec![0; right.len() + 1]; left.len() + 1];
    for i in 0..=left.len() {
        for j in 0..=right.len() {
            table[i][j] = match (i, j) {
                (i, 0) => i,
                (0, j) => j,
                (i, j) => {
                    let replaced = table[i - 1][j - 1] + usize::from(left[i - 1] != right[j - 1]);
                    let shifted = table[i - 1][j].min(table[i][j - 1]) + 1;
                    let swaps = i > 1
                        && j > 1
                        && left[i - 2] == right[j - 1]
                        && left[i - 1] == right[j - 2];
                    let swapped = if swaps { table[i - 2][j - 2] + 1 } else { usize::MAX };
                    replaced.min(shifted).min(swapped)
                }
            };
        }
    }
    table[left.len()][right.len()]
}
