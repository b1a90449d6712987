//! What a server declares, as it is read before the first yes: every description, with what is
//! suspicious in it directly below.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use facets_digest::json::Value;
use facets_drift::risk::Risk;
use facets_drift::{FirstLook, MarkerLook, MarkersBySubject, SubjectKind, ToolLook, text_at};
use facets_face::{plural, visible};
use facets_surface::{Definition, Kind, Surface};
use serde_json::json;

use super::drift;

const BAD: Style = AnsiColor::Red.on_default().bold();
const WARN: Style = AnsiColor::Yellow.on_default();
const GOOD: Style = AnsiColor::Green.on_default();
const STRONG: Style = Style::new().bold();
const QUIET: Style = Style::new().dimmed();

/// Lines and characters of a text that are shown before it is folded.
const LINES: usize = 4;
const CHARACTERS: usize = 400;
/// Markers of one thing, and things without markers of one kind, that are shown before the rest is
/// counted.
const MARKERS: usize = 12;
const ITEMS: usize = 200;

/// A surface, what is suspicious in it, and how much of it is shown.
pub(super) struct FirstSight<'p> {
    surface: &'p Surface,
    look: &'p FirstLook,
    markers: MarkersBySubject<'p>,
    is_verbose: bool,
}

impl<'p> FirstSight<'p> {
    pub(super) fn new(surface: &'p Surface, look: &'p FirstLook, is_verbose: bool) -> Self {
        Self { surface, look, markers: look.markers_by_subject(), is_verbose }
    }

    /// What it says to the model beside its tools, and what is suspicious about the server itself.
    pub(super) fn instructions(&self, out: &mut String) {
        if let Some(text) = &self.surface.instructions {
            let _ = writeln!(out, "\n{STRONG}it tells the model{STRONG:#}");
            self.folded(text, "  ", out);
        }
        self.server_markers(out);
    }

    /// What is suspicious in the instructions, and in what the server says of itself.
    pub(super) fn server_markers(&self, out: &mut String) {
        let found = self.markers_of(SubjectKind::Server, "");
        if found.is_empty() {
            return;
        }
        if self.surface.instructions.is_none() {
            let _ = writeln!(out, "\n{STRONG}the server itself{STRONG:#}");
        }
        self.marker_lines(found, "  ", out);
    }

    /// Every tool, the most dangerous first.
    pub(super) fn tools(&self, out: &mut String) {
        let tools = self.surface.items(Kind::Tool).iter();
        let tools: BTreeMap<&str, &Definition> = tools.map(|tool| (tool.name(), tool)).collect();
        for (risk, style) in [(Risk::High, BAD), (Risk::Medium, WARN), (Risk::Low, GOOD)] {
            let of_risk = |tool: &&ToolLook| tool.assessment.risk == risk;
            let looks: Vec<&ToolLook> = self.look.tools.iter().filter(of_risk).collect();
            if looks.is_empty() {
                continue;
            }
            let count = plural(looks.len(), "tool");
            let _ = writeln!(out, "\n{style}{} risk{style:#}: {count}", risk.name());
            // Those with markers stand first.
            let most = if self.is_verbose { usize::MAX } else { ITEMS };
            for look in looks.iter().take(most) {
                let _ = writeln!(out, "  {STRONG}{}{STRONG:#}", visible(&look.name));
                for reason in &look.assessment.reasons {
                    let _ = writeln!(out, "    {QUIET}risk: {}{QUIET:#}", visible(reason));
                }
                if let Some(tool) = tools.get(&*look.name) {
                    self.item(tool, "    ", out);
                }
            }
            more(looks.len(), most, out);
        }
    }

    /// What it offers beside its tools.
    pub(super) fn others(&self, out: &mut String) {
        for kind in [Kind::Prompt, Kind::Resource, Kind::ResourceTemplate] {
            let items = self.worst_first(kind);
            if items.is_empty() {
                continue;
            }
            let _ = writeln!(out, "\n{STRONG}{}{STRONG:#}", kind.list());
            let most = if self.is_verbose { usize::MAX } else { ITEMS };
            for item in items.iter().take(most) {
                let _ = writeln!(out, "  {STRONG}{}{STRONG:#}", visible(item.name()));
                self.item(item, "    ", out);
            }
            more(items.len(), most, out);
        }
    }

    /// The definitions of a kind, those with the worst markers first.
    pub(super) fn worst_first(&self, kind: Kind) -> Vec<&'p Definition> {
        let mut items: Vec<&Definition> = self.surface.items(kind).iter().collect();
        let worst = |item: &&Definition| {
            let found = self.markers_of(kind_of(kind), item.name());
            found.iter().map(|marker| marker.severity).max()
        };
        items.sort_by_key(|item| std::cmp::Reverse(worst(item)));
        items
    }

    /// What is suspicious in what this client is not given.
    pub(super) fn for_other_clients(&self, out: &mut String) {
        let kinds = [Kind::Tool, Kind::Prompt, Kind::Resource, Kind::ResourceTemplate];
        let items = kinds.iter().flat_map(|kind| self.surface.items(*kind));
        let shown: BTreeSet<(SubjectKind, &str)> =
            items.map(|item| (kind_of(item.kind()), item.name())).collect();
        let left = self
            .markers
            .iter()
            .filter(|(subject, _)| subject.0 != SubjectKind::Server && !shown.contains(*subject));
        let mut heading = Some(format!("\n{STRONG}declared to other clients{STRONG:#}\n"));
        for ((kind, name), found) in left {
            out.push_str(&heading.take().unwrap_or_default());
            let _ = writeln!(out, "  {} {STRONG}{}{STRONG:#}", kind.name(), visible(name));
            self.marker_lines(found, "    ", out);
        }
    }

    /// The description, and every other text with a marker; below each, its markers.
    fn item(&self, item: &Definition, indent: &str, out: &mut String) {
        if let Some(Value::String(text)) = item.value().member("description") {
            self.folded(text, indent, out);
        }
        self.item_markers(item, indent, out);
    }

    /// What is suspicious in a definition, beside the texts that it stands in.
    pub(super) fn item_markers(&self, item: &Definition, indent: &str, out: &mut String) {
        let found = self.markers_of(kind_of(item.kind()), item.name());
        let mut by_member: Vec<(&str, Vec<&MarkerLook>)> = Vec::new();
        let most = if self.is_verbose { usize::MAX } else { MARKERS };
        for marker in found.iter().take(most) {
            match by_member.iter_mut().find(|(member, _)| *member == marker.member) {
                Some((_, markers)) => markers.push(marker),
                None => by_member.push((&marker.member, vec![marker])),
            }
        }
        // The description was just shown.
        by_member.sort_by_key(|(member, _)| *member != "description");
        for (member, markers) in by_member {
            if member != "description" {
                let _ = writeln!(out, "{indent}{QUIET}{}:{QUIET:#}", visible(member));
                let text = text_at(item, member).unwrap_or_default();
                self.folded(&text, &format!("{indent}  "), out);
            }
            for marker in markers {
                marker_line(marker, indent, out);
            }
        }
        if found.len() > most {
            let more = plural(found.len() - most, "more marker");
            let _ = writeln!(out, "{indent}{QUIET}… {more}; -v shows all{QUIET:#}");
        }
    }

    fn markers_of<'s>(&'s self, kind: SubjectKind, name: &'s str) -> &'s [&'s MarkerLook] {
        self.markers.get(&(kind, name)).map_or(&[], Vec::as_slice)
    }

    fn marker_lines(&self, found: &[&MarkerLook], indent: &str, out: &mut String) {
        let most = if self.is_verbose { usize::MAX } else { MARKERS };
        for marker in found.iter().take(most) {
            marker_line(marker, indent, out);
        }
        if found.len() > most {
            let more = plural(found.len() - most, "more marker");
            let _ = writeln!(out, "{indent}{QUIET}… {more}; -v shows all{QUIET:#}");
        }
    }

    pub(super) fn folded(&self, text: &str, indent: &str, out: &mut String) {
        folded(text, indent, self.is_verbose, out);
    }
}

fn more(count: usize, most: usize, out: &mut String) {
    if count > most {
        let _ = writeln!(out, "  {QUIET}… {} more; -v shows all{QUIET:#}", count - most);
    }
}

/// The beginning of a text, or all of it.
pub(super) fn folded(text: &str, indent: &str, is_verbose: bool, out: &mut String) {
    let end = if is_verbose { text.len() } else { fold(text) };
    for line in text[..end].lines() {
        let _ = writeln!(out, "{indent}{}", visible(line));
    }
    let rest = text[end..].trim();
    if rest.is_empty() {
        return;
    }
    let more = match rest.lines().count() {
        1 => plural(rest.chars().count(), "more character"),
        lines => format!("{lines} more lines"),
    };
    let _ = writeln!(out, "{indent}{QUIET}… {more}; -v shows all{QUIET:#}");
}

/// Where a text is folded: behind so many lines, or in the middle of one that is too long.
fn fold(text: &str) -> usize {
    let lines = text.match_indices('\n').nth(LINES - 1).map_or(text.len(), |(at, _)| at);
    let characters = text.char_indices().nth(CHARACTERS).map_or(text.len(), |(at, _)| at);
    lines.min(characters)
}

/// As `check` shows why a finding is worse than its type, with how bad it is at first sight.
fn marker_line(marker: &MarkerLook, indent: &str, out: &mut String) {
    let style = drift::style(marker.severity);
    let _ = writeln!(
        out,
        "{indent}{style}{:<8} !{style:#} \"{}\" {QUIET}[{}]{QUIET:#}",
        marker.severity.name(),
        visible(&marker.evidence.readable_words()),
        marker.evidence.rule
    );
}

fn kind_of(kind: Kind) -> SubjectKind {
    match kind {
        Kind::Tool => SubjectKind::Tool,
        Kind::Prompt => SubjectKind::Prompt,
        Kind::Resource => SubjectKind::Resource,
        Kind::ResourceTemplate => SubjectKind::Template,
    }
}

pub(super) fn json_of_markers(look: &FirstLook) -> Vec<serde_json::Value> {
    let one = |marker: &MarkerLook| {
        json!({
            "subject": { "kind": marker.subject_kind.name(), "name": marker.subject },
            "member": marker.member,
            "severity": marker.severity.name(),
            "rule": marker.evidence.rule,
            "words": marker.evidence.words,
        })
    };
    look.markers.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_folded_and_short_ones_are_not() {
        assert_eq!(fold("a\nb\nc\nd"), 7);
        assert_eq!(fold("a\nb\nc\nd\ne"), 7);
        assert_eq!(fold(&"é".repeat(500)), 800);
        assert_eq!(fold(""), 0);
    }

    #[test]
    fn what_is_folded_is_counted() {
        let shown = |text: &str, is_verbose: bool| {
            let mut out = String::new();
            folded(text, "  ", is_verbose, &mut out);
            anstream::adapter::strip_str(&out).to_string()
        };
        assert_eq!(
            shown("a\nb\nc\nd\ne\nf\n", false),
            "  a\n  b\n  c\n  d\n  … 2 more lines; -v shows all\n"
        );
        assert_eq!(shown("a\nb\nc\nd\n\n", false), "  a\n  b\n  c\n  d\n");
        assert!(shown(&"a".repeat(420), false).ends_with("  … 20 more characters; -v shows all\n"));
        assert_eq!(shown("a\nb\nc\nd\ne\n", true), "  a\n  b\n  c\n  d\n  e\n");
    }
}
