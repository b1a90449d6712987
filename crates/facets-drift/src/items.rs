//! One definition against the one that was approved.

use std::cell::Cell;

use facets_digest::json::Value;
use facets_surface::{Definition, Kind};

use crate::annotations;
use crate::finding::{Compat, Finding, FindingType, Severity, SubjectKind};
use crate::marked_risk::assess_alone;
use crate::risk;
use crate::shown::shown;
use crate::text::{TextChange, classify};
use crate::texts::{Role, Text, evidence, texts};
use facets_markers::{Approved, ToolNames};
use facets_schema::{Domain, Question, SchemaChange, Validator, Verdict, compare_within, describe};

pub(crate) fn subject_kind(kind: Kind) -> SubjectKind {
    match kind {
        Kind::Tool => SubjectKind::Tool,
        Kind::Prompt => SubjectKind::Prompt,
        Kind::Resource => SubjectKind::Resource,
        Kind::ResourceTemplate => SubjectKind::Template,
    }
}

fn changed_type(kind: Kind) -> FindingType {
    match kind {
        Kind::Tool => FindingType::ToolChanged,
        Kind::Prompt => FindingType::PromptChanged,
        Kind::Resource => FindingType::ResourceChanged,
        Kind::ResourceTemplate => FindingType::TemplateChanged,
    }
}

/// What a comparison needs beside two definitions.
#[derive(Clone, Copy)]
pub(crate) struct Aids<'a> {
    /// The names that the server now gives to its tools.
    pub(crate) tools: &'a ToolNames,
    /// Confirms examples for schemas.
    pub(crate) validator: &'a dyn Validator,
    /// Steps that are left for proofs about schemas.
    pub(crate) steps: &'a Cell<usize>,
}

/// Everything that is different between two definitions of one thing.
pub(crate) fn compare_items(
    before: &Definition,
    after: &Definition,
    aids: Aids<'_>,
    out: &mut Vec<Finding>,
) {
    let (old, new) = (before.value(), after.value());
    let mut pair = Pair {
        kind: after.kind(),
        name: after.name(),
        old: &old,
        new: &new,
        schemas: [None, None],
    };
    if pair.kind == Kind::Tool {
        pair.schemas = SCHEMAS.map(|name| pair.compare_schemas(name, aids));
    }
    let start = out.len();
    for name in pair.member_names() {
        if name == pair.kind.key() {
            continue;
        }
        let (was, is) = (old.member(name), new.member(name));
        if was.map(Value::to_canonical) != is.map(Value::to_canonical) {
            pair.member(name, was, is, out);
        }
    }
    pair.texts(aids.tools, out);
    if pair.kind == Kind::Tool {
        risk_level(before, after, out);
        say_words_once(start, out);
    }
    // Hashes differ, so something is to be said (only how the key is written can be left).
    if out.len() == start && before.digest() != after.digest() && before.name() == after.name() {
        out.push(pair.finding((Severity::Moderate, Compat::Cosmetic), "written differently"));
    }
}

/// Of a schema in which only words differ, the words are said, not the schema as well.
fn say_words_once(start: usize, out: &mut Vec<Finding>) {
    let found = out.split_off(start);
    let worded = |schema: &str| {
        let inside = format!("{schema}.");
        found.iter().any(|finding| finding.member.starts_with(&inside))
    };
    let again = |finding: &Finding| {
        finding.severity == Severity::Safe
            && ["inputSchema", "outputSchema"].contains(&&*finding.member)
            && worded(&finding.member)
    };
    let keep: Vec<bool> = found.iter().map(|finding| !again(finding)).collect();
    let kept = found.into_iter().zip(keep).filter(|(_, keep)| *keep);
    out.extend(kept.map(|(finding, _)| finding));
}

struct Pair<'p, 'v> {
    kind: Kind,
    name: &'p str,
    old: &'p Value<'v>,
    new: &'p Value<'v>,
    /// What became of the two schemas, where both sides have them and they differ.
    schemas: [Option<SchemaChange>; 2],
}

/// Members of a tool that are schemas.
const SCHEMAS: [&str; 2] = ["inputSchema", "outputSchema"];

impl Pair<'_, '_> {
    fn finding(&self, grade: (Severity, Compat), sentence: impl Into<String>) -> Finding {
        let subject = (subject_kind(self.kind), self.name);
        Finding::new(changed_type(self.kind), subject, grade, sentence)
    }

    fn member_names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        for side in [self.old, self.new] {
            if let Value::Object(object) = side {
                names.extend(object.members().iter().map(|member| &*member.name));
            }
        }
        names.sort_unstable();
        names.dedup();
        names
    }

    fn member(
        &self,
        name: &str,
        was: Option<&Value<'_>>,
        is: Option<&Value<'_>>,
        out: &mut Vec<Finding>,
    ) {
        let finding = match (self.kind, name) {
            // Texts that only differ are looked at together, wherever they stand.
            (_, "description" | "title") if both_texts(was, is) => return,
            (Kind::Tool, "inputSchema" | "outputSchema") => self.schema(name, was, is),
            (Kind::Tool, "annotations") => return annotations::compare(self.name, was, is, out),
            (_, name) if is_case_variant(name) && is.is_some() => {
                let sentence =
                    format!("member `{name}` added, which some readers take for another one");
                self.finding((Severity::Critical, Compat::Risky), sentence)
            }
            (Kind::Tool, "description") => {
                let sentence = match (was, is) {
                    (_, None) => "description removed",
                    (None, _) => "description added",
                    _ => "description changed",
                };
                self.finding((Severity::Moderate, Compat::Risky), sentence)
            }
            (Kind::Tool, "execution") if is_default_execution(was) && is_default_execution(is) => {
                let sentence = "`execution` is written differently and means the same";
                self.finding((Severity::Safe, Compat::Cosmetic), sentence)
            }
            (Kind::Tool, _) => {
                let sentence = format!("`{name}` changed");
                self.finding((Severity::Moderate, Compat::Cosmetic), sentence)
            }
            (_, "arguments" | "mimeType") => {
                self.finding((Severity::Safe, Compat::Risky), format!("`{name}` changed"))
            }
            _ => self.finding((Severity::Safe, Compat::Cosmetic), format!("`{name}` changed")),
        };
        out.push(finding.of_member(name, was.map(shown), is.map(shown)));
    }

    fn compare_schemas(&self, name: &str, aids: Aids<'_>) -> Option<SchemaChange> {
        let (was, is) = (self.old.member(name)?, self.new.member(name)?);
        if was.to_canonical() == is.to_canonical() {
            return None;
        }
        let domain = if name == "inputSchema" { Domain::Arguments } else { Domain::Anything };
        let question = Question { domain, validator: aids.validator, steps: aids.steps };
        Some(compare_within(was, is, question))
    }

    fn schema_change(&self, name: &str) -> Option<&SchemaChange> {
        let index = SCHEMAS.iter().position(|schema| *schema == name)?;
        self.schemas[index].as_ref()
    }

    /// A schema that is another: proven to accept the same, or more, or less.
    fn schema(&self, name: &str, was: Option<&Value<'_>>, is: Option<&Value<'_>>) -> Finding {
        let is_input = name == "inputSchema";
        let Some(change) = self.schema_change(name) else {
            let sentence = match (is_input, was, is) {
                (true, ..) => describe(was, is),
                (_, None, _) => "output schema added".to_owned(),
                _ => "output schema removed".to_owned(),
            };
            let input = (Severity::Critical, Compat::Breaking);
            let output = (Severity::Moderate, Compat::Risky);
            return self.finding(if is_input { input } else { output }, sentence);
        };
        let mut finding = if is_input {
            self.finding(grade_input(change), input_sentence(change, was, is))
        } else {
            self.finding(grade_output(change), output_sentence(change))
        };
        finding.schema = Some(Box::new(change.clone()));
        finding
    }

    /// Texts that changed, and everything suspicious in any text that is new.
    fn texts(&self, tools: &ToolNames, out: &mut Vec<Finding>) {
        let key = self.kind.key();
        let (old, new) = (texts(self.old, key), texts(self.new, key));
        let approved = Approved::new(old.values().map(|text| text.text).collect());
        let only_words = self.schemas_with_other_words();
        for (place, text) in old.iter().filter(|(place, _)| !new.contains_key(*place)) {
            if is_word(place, &only_words) {
                let sentence = format!("text at `{place}` removed");
                let finding = self.finding((Severity::Moderate, Compat::Risky), sentence);
                out.push(finding.of_member(place.clone(), Some(text.text.to_owned()), None));
            }
        }
        for (place, text) in &new {
            let was = old.get(place).map(|was| was.text);
            if was == Some(text.text) {
                continue;
            }
            let evidence = evidence(&approved, *text, self.name, tools);
            let reworded =
                (text.role == Role::Prose && was.is_some()) || is_word(place, &only_words);
            if !reworded && evidence.is_empty() {
                continue;
            }
            let (grade, sentence) = self.grade_text(place, *text, was);
            let finding = self.finding(grade, sentence).with_evidence(evidence);
            let after = Some(text.text.to_owned());
            out.push(finding.of_member(place.clone(), was.map(str::to_owned), after));
        }
    }

    /// Schemas that are fine as schemas and say something else: there, words that come or go count.
    fn schemas_with_other_words(&self) -> Vec<String> {
        let fine = |name: &&&str| {
            let verdict = self.schema_change(name).map(|change| change.verdict);
            verdict == Some(Verdict::Equivalent)
                || (verdict == Some(Verdict::Narrower) && **name == "outputSchema")
        };
        SCHEMAS.iter().filter(fine).map(|name| format!("{name}.")).collect()
    }

    fn grade_text(
        &self,
        place: &str,
        text: Text<'_>,
        was: Option<&str>,
    ) -> ((Severity, Compat), String) {
        let what = match place {
            "description" | "title" => place.to_owned(),
            other => format!("text at `{other}`"),
        };
        let typo = was.is_some_and(|was| classify(was, text.text) == TextChange::Typo);
        let sentence = match (typo, was) {
            (true, _) => format!("{what} changed by no more than a typo"),
            (false, Some(_)) => format!("{what} changed"),
            (false, None) => format!("{what} added"),
        };
        let tool = self.kind == Kind::Tool;
        let grade = match (tool, typo) {
            (_, true) => (Severity::Safe, Compat::Cosmetic),
            // A title is for people; a description, wherever it stands, tells the model what to do.
            (true, false) if place == "title" => (Severity::Moderate, Compat::Cosmetic),
            (true, false) => (Severity::Moderate, Compat::Risky),
            (false, false) => (Severity::Safe, Compat::Cosmetic),
        };
        (grade, sentence)
    }
}

/// spec 7.2: what is not proven stays critical; an argument that is newly declared is critical
/// also where anything was accepted before.
fn grade_input(change: &SchemaChange) -> (Severity, Compat) {
    let grade = match change.verdict {
        Verdict::Equivalent if change.other_notes.is_empty() => (Severity::Safe, Compat::Cosmetic),
        Verdict::Equivalent => (Severity::Moderate, Compat::Risky),
        Verdict::Narrower => (Severity::Moderate, Compat::Breaking),
        Verdict::Wider => (Severity::Critical, Compat::Safe),
        Verdict::Incomparable | Verdict::CannotTell => (Severity::Critical, Compat::Breaking),
    };
    if change.new_arguments.is_empty() { grade } else { (Severity::Critical, grade.1) }
}

fn grade_output(change: &SchemaChange) -> (Severity, Compat) {
    match change.verdict {
        Verdict::Equivalent if change.other_notes.is_empty() => (Severity::Safe, Compat::Cosmetic),
        Verdict::Narrower => (Severity::Safe, Compat::Safe),
        _ => (Severity::Moderate, Compat::Risky),
    }
}

fn input_sentence(
    change: &SchemaChange,
    was: Option<&Value<'_>>,
    is: Option<&Value<'_>>,
) -> String {
    if change.verdict == Verdict::Equivalent {
        return match (change.new_arguments.as_slice(), change.other_notes.as_slice()) {
            ([], []) => "input schema is written differently and accepts the same".to_owned(),
            ([], notes) => format!("accepts the same arguments; changed: {}", notes.join(", ")),
            (new, _) => format!("accepted any argument before, and now names {}", new.join(", ")),
        };
    }
    let told = match change.verdict {
        Verdict::Narrower => "accepts less",
        Verdict::Wider => "accepts more",
        Verdict::Incomparable => "accepts other arguments",
        _ => "may accept more",
    };
    format!("{told}: {}", describe(was, is))
}

fn output_sentence(change: &SchemaChange) -> String {
    match change.verdict {
        Verdict::Equivalent if change.other_notes.is_empty() => {
            "output schema is written differently and means the same".to_owned()
        }
        Verdict::Equivalent => {
            format!("promises the same output; changed: {}", change.other_notes.join(", "))
        }
        Verdict::Narrower => "promises more about its output".to_owned(),
        Verdict::Wider => "promises less about its output".to_owned(),
        Verdict::Incomparable => "output schema changed".to_owned(),
        Verdict::CannotTell => "output schema may promise something else".to_owned(),
    }
}

/// Whether a place is one for words, in one of these schemas.
fn is_word(place: &str, schemas: &[String]) -> bool {
    let word = |segment: &str| {
        let name = segment.split('[').next().unwrap_or_default();
        facets_schema::WORDS.contains(&name.split('{').next().unwrap_or_default())
    };
    schemas.iter().any(|schema| place.starts_with(schema)) && place.split('.').any(word)
}

/// Without a word about tasks, a tool has none.
fn is_default_execution(execution: Option<&Value<'_>>) -> bool {
    execution.is_none_or(|value| value.to_canonical() == br#"{"taskSupport":"forbidden"}"#)
}

fn both_texts(was: Option<&Value<'_>>, is: Option<&Value<'_>>) -> bool {
    matches!((was, is), (Some(Value::String(_)), Some(Value::String(_))))
}

/// Members of the protocol; a reader that ignores case takes `Description` for one of them.
const MEMBERS: &[&str] = &[
    "name",
    "title",
    "description",
    "inputSchema",
    "outputSchema",
    "annotations",
    "icons",
    "_meta",
    "execution",
    "arguments",
    "uri",
    "uriTemplate",
    "mimeType",
    "size",
];

fn is_case_variant(name: &str) -> bool {
    !MEMBERS.contains(&name) && MEMBERS.iter().any(|known| known.eq_ignore_ascii_case(name))
}

fn risk_level(before: &Definition, after: &Definition, out: &mut Vec<Finding>) {
    let (old, new) = (risk::assess(before), risk::assess(after));
    if old.risk == new.risk {
        return;
    }
    let up = new.risk > old.risk;
    // A tool whose new text is suspicious is no safer for it, whatever its words promise.
    if !up && assess_alone(after).risk > new.risk {
        return;
    }
    let severity = if up { Severity::Critical } else { Severity::Info };
    let reasons = if up { &new.reasons } else { &old.reasons };
    let because = if up { "because" } else { "it was higher because" };
    let sentence = format!(
        "risk is {}, was {}: {because} {}",
        new.risk.name(),
        old.risk.name(),
        reasons.join(", ")
    );
    let subject = (SubjectKind::Tool, after.name());
    let grade = (severity, Compat::Safe);
    let finding = Finding::new(FindingType::RiskLevelChanged, subject, grade, sentence);
    let names = (Some(old.risk.name().to_owned()), Some(new.risk.name().to_owned()));
    out.push(finding.of_member("", names.0, names.1));
}
