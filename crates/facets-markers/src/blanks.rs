//! Blanks that push text out of sight.

use crate::fold::Folded;
use crate::found::Found;

const RULE: &str = "marker-long-blank";

/// Fewest blanks inside a line, at the beginning of a line, and fewest ends of lines.
const INSIDE: usize = 20;
const INDENT: usize = 60;
const LINES: usize = 8;

/// How much of the text after the blanks tells two of them apart.
const TELLING: usize = 40;

/// Finds long runs of blanks and empty lines with text after them.
pub(crate) fn look(folded: &Folded<'_>, found: &mut Found) {
    let text = folded.text();
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(start) =
        bytes.get(at..).and_then(|rest| rest.iter().position(u8::is_ascii_whitespace))
    {
        let start = at + start;
        let length = bytes[start..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        at = start + length;
        if at < text.len() && start > 0 && is_long(&bytes[start..at]) {
            report(folded, start, at, found);
        }
    }
}

fn is_long(run: &[u8]) -> bool {
    if run.len() < LINES {
        return false;
    }
    let lines = run.iter().filter(|byte| **byte == b'\n').count();
    let last = run.rsplit(|byte| *byte == b'\n').next().map_or(0, <[u8]>::len);
    lines >= LINES || last >= if lines > 0 { INDENT } else { INSIDE }
}

fn report(folded: &Folded<'_>, start: usize, end: usize, found: &mut Found) {
    let rest = folded.text().get(end..).unwrap_or_default();
    let told = rest.char_indices().nth(TELLING).map_or(rest.len(), |(at, _)| at);
    let key = rest.get(..told).unwrap_or_default();
    let note = format!("({} blanks) ", end - start);
    found.add_with_note(RULE, folded.range(&(end..end + told)), key, note);
}
