//! Commands of a shell that fetch, hide or destroy something.

use std::ops::Range;

use super::fold::Folded;
use super::found::Found;

const RULE: &str = "marker-shell";

/// A command and an argument of it, next to each other.
const PAIRS: &[(&[&str], &[&str])] = &[
    (&["rm"], &["-rf", "-fr", "-r", "-f"]),
    (&["base64"], &["-d", "--decode"]),
    (&["sh", "bash", "zsh", "/bin/sh", "/bin/bash", "cmd", "cmd.exe"], &["-c", "/c", "-i", "-ic"]),
    (&["chmod"], &["+x", "777", "a+x", "u+x", "-r"]),
    (&["nc", "ncat", "netcat"], &["-e", "-c", "-lvp", "-nv"]),
    (&["python", "python3", "perl", "ruby", "node", "php"], &["-c", "-e", "-r"]),
    (&["powershell", "powershell.exe", "pwsh"], &["-enc", "-e", "-encodedcommand", "-nop", "-c"]),
    (&["dd"], &["if=/dev/zero", "if=/dev/random", "if=/dev/urandom"]),
    (&["crontab"], &["-e", "-l", "-"]),
];

/// What fetches something that a shell then runs.
const FETCHES: &[&str] = &["curl", "wget", "iwr", "invoke-webrequest", "fetch", "base64"];

/// What runs what it is given.
const RUNS: &[&str] =
    &["sh", "bash", "zsh", "dash", "python", "python3", "node", "perl", "ruby", "iex", "php"];

/// Commands that are run inside `$(…)` in order to learn something.
const INNER: &[&str] = &[
    "cat", "curl", "wget", "whoami", "id", "env", "printenv", "ls", "base64", "echo", "uname",
    "hostname", "find", "grep", "sh", "bash", "python", "python3", "nc", "head", "tail", "pwd",
];

/// How far apart the two ends of a pipe may be.
const PIPE: usize = 400;

/// Finds such commands.
pub(super) fn look(folded: &Folded<'_>, found: &mut Found) {
    let text = folded.text();
    let mut before: (&str, usize) = ("", 0);
    let mut fetched: Option<usize> = None;
    let mut piped = false;
    for (start, word) in split(text) {
        let trimmed = word.trim_matches(is_wrapping);
        let place = start..start + word.len();
        if PAIRS.iter().any(|(left, right)| left.contains(&before.0) && right.contains(&trimmed)) {
            add(folded, found, before.1..place.end);
        }
        if FETCHES.contains(&trimmed) {
            fetched = Some(start);
        }
        let target = word.rsplit_once('|').map(|(_, target)| target.trim_matches(is_wrapping));
        let target = target.or_else(|| piped.then_some(trimmed));
        let near = fetched.filter(|from| start - from < PIPE);
        let runs = target.is_some_and(|target| RUNS.contains(&target));
        if let Some(from) = near.filter(|_| runs) {
            add(folded, found, from..place.end);
        }
        piped = word.ends_with('|') || (piped && trimmed == "sudo");
        if let Some(at) = inner(word, text, start) {
            add(folded, found, start + at..place.end);
        }
        if word.contains("/dev/tcp/") {
            add(folded, found, place.clone());
        }
        before = (trimmed, start);
    }
}

fn add(folded: &Folded<'_>, found: &mut Found, place: Range<usize>) {
    let key = folded.text().get(place.clone()).unwrap_or_default();
    found.add_folded(RULE, folded, &place, key);
}

/// Words as they are typed: between blanks.
fn split(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..)?;
        let start = at + rest.find(|c: char| !c.is_ascii_whitespace())?;
        let rest = text.get(start..)?;
        let length = rest.find(|c: char| c.is_ascii_whitespace()).unwrap_or(rest.len());
        at = start + length;
        Some((start, rest.get(..length)?))
    })
}

fn is_wrapping(character: char) -> bool {
    matches!(
        character,
        '`' | '"'
            | '\''
            | '('
            | ')'
            | ';'
            | ','
            | '.'
            | ':'
            | '&'
            | '['
            | ']'
            | '<'
            | '>'
            | '$'
            | '\u{2018}'..='\u{201d}'
    ) || !character.is_ascii()
}

/// Where `$(command` or `eval(code` begins in a word.
fn inner(word: &str, text: &str, start: usize) -> Option<usize> {
    let at = word.find('(')?;
    let (before, after) = (word.get(..at)?, word.get(at + 1..)?);
    if before.ends_with('$') {
        let end = after.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(after.len());
        let ends = after.get(end..)?;
        let command = ends.is_empty() || ends.starts_with(')');
        return (command && INNER.contains(&after.get(..end)?)).then_some(at - 1);
    }
    let called =
        before.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '.' && c != '$').next()?;
    let empty =
        after.starts_with(')') || (after.is_empty() && text.get(start + word.len()..)?.is_empty());
    let is_eval =
        matches!(called, "eval" | "exec" | "os.system" | "subprocess.run" | "child_process.exec");
    (is_eval && !empty).then(|| at - called.len())
}
