//! Blanks that push text out of sight.

use super::fold::Folded;
use super::found::Found;

const RULE: &str = "marker-long-blank";

/// Fewest blanks inside a line, at the beginning of a line, and fewest ends of lines.
const INSIDE: usize = 20;
const INDENT: usize = 60;
const LINES: usize = 8;

/// How much of the text after the blanks tells two of them apart.
const TELLING: usize = 40;

/// Finds long runs of blanks and empty lines with text after them.
pub(super) fn look(folded: &Folded<'_>, found: &mut Found) {
    let text = folded.text();
    let mut at = 0;
    while let Some(start) = text.get(at..).and_then(|rest| rest.find(is_blank)) {
        let start = at + start;
        let rest = text.get(start..).unwrap_or_default();
        let length = rest.find(|c| !is_blank(c)).unwrap_or(rest.len());
        at = start + length;
        let run = rest.get(..length).unwrap_or_default();
        if at < text.len() && start > 0 && is_long(run) {
            report(folded, start, at, found);
        }
    }
}

fn is_blank(character: char) -> bool {
    character.is_ascii_whitespace()
}

fn is_long(run: &str) -> bool {
    if run.len() < LINES {
        return false;
    }
    let lines = run.bytes().filter(|byte| *byte == b'\n').count();
    let last = run.rsplit('\n').next().map_or(0, str::len);
    lines >= LINES || last >= if lines > 0 { INDENT } else { INSIDE }
}

fn report(folded: &Folded<'_>, start: usize, end: usize, found: &mut Found) {
    let rest = folded.text().get(end..).unwrap_or_default();
    let told = rest.char_indices().nth(TELLING).map_or(rest.len(), |(at, _)| at);
    let key = rest.get(..told).unwrap_or_default();
    let note = format!("({} blanks) ", end - start);
    found.add_with_note(RULE, folded.range(&(end..end + told)), key, note);
}
