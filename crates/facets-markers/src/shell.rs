//! Commands of a shell that fetch, hide or destroy something.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use crate::fold::Folded;
use crate::found::Found;

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

/// Functions that run what they are given.
const EVALUATES: &[&str] =
    &["eval", "exec", "os.system", "subprocess.run", "child_process.exec", "execsync"];

/// How far apart the two ends of a pipe may be.
const PIPE: usize = 400;

/// What a word is in the tables.
#[derive(Clone, Copy, Default)]
struct Meaning {
    /// The row of [`PAIRS`] whose command it is.
    pair: Option<usize>,
    fetches: bool,
    runs: bool,
}

/// Those words, by their first byte.
static MEANINGS: LazyLock<Vec<BTreeMap<&str, Meaning>>> = LazyLock::new(|| {
    let mut by_first = vec![BTreeMap::new(); 256];
    for (word, meaning) in meanings() {
        by_first[usize::from(word.as_bytes()[0])].insert(word, meaning);
    }
    by_first
});

fn meanings() -> BTreeMap<&'static str, Meaning> {
    let mut meanings: BTreeMap<&str, Meaning> = BTreeMap::new();
    for (row, (commands, _)) in PAIRS.iter().enumerate() {
        for word in *commands {
            meanings.entry(word).or_default().pair = Some(row);
        }
    }
    for word in FETCHES {
        meanings.entry(word).or_default().fetches = true;
    }
    for word in RUNS {
        meanings.entry(word).or_default().runs = true;
    }
    meanings
}

fn meaning(word: &str) -> Meaning {
    let by_first = word.bytes().next().and_then(|first| MEANINGS.get(usize::from(first)));
    by_first.and_then(|words| words.get(word)).copied().unwrap_or_default()
}

/// Finds such commands.
pub(crate) fn look(folded: &Folded<'_>, found: &mut Found) {
    let mut before: (Meaning, usize) = (Meaning::default(), 0);
    let mut fetched: Option<usize> = None;
    let mut piped = false;
    for (start, word) in split(folded.text()) {
        let end = start + word.len();
        let trimmed = trim(word);
        let here = meaning(trimmed);
        if before.0.pair.is_some_and(|row| PAIRS[row].1.contains(&trimmed)) {
            add(folded, found, before.1..end);
        }
        let after_pipe = word.rsplit_once('|').map(|(_, target)| trim(target));
        let target = after_pipe.map_or(piped && here.runs, |target| meaning(target).runs);
        let near = fetched.filter(|from| target && start - from < PIPE);
        if let Some(from) = near {
            add(folded, found, from..end);
        }
        piped = word.ends_with('|') || (piped && trimmed == "sudo");
        if here.fetches {
            fetched = Some(start);
        }
        // An ordinary word has been looked at enough.
        if !word.bytes().any(|byte| matches!(byte, b'(' | b'/')) {
            before = (here, start);
            continue;
        }
        inner(word, |place| add(folded, found, start + place.start..start + place.end));
        before = (here, start);
    }
}

fn add(folded: &Folded<'_>, found: &mut Found, place: Range<usize>) {
    let key = folded.text().get(place.clone()).unwrap_or_default();
    found.add_folded(RULE, folded, &place, key);
}

/// Words as they are typed: between blanks.
fn split(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + bytes.get(at..)?.iter().position(|byte| !byte.is_ascii_whitespace())?;
        let rest = bytes.get(start..)?;
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        at = start + length;
        Some((start, text.get(start..at)?))
    })
}

/// A word without what quotes, ends or surrounds it.
fn trim(word: &str) -> &str {
    let plain = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let is_plain = plain(word.as_bytes().first()) && plain(word.as_bytes().last());
    if is_plain { word } else { word.trim_matches(is_wrapping) }
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

/// Calls back with the places of `$(command` and `eval(code` in a word.
fn inner(word: &str, mut each: impl FnMut(Range<usize>)) {
    for (at, _) in word.match_indices('(') {
        let (before, after) = (&word[..at], &word[at + 1..]);
        if before.ends_with('$') {
            let length = after.bytes().take(16).take_while(u8::is_ascii_alphanumeric).count();
            let ends = after.as_bytes().get(length).is_none_or(|byte| *byte == b')');
            if ends && INNER.contains(&&after[..length]) {
                each(at - 1..at + 1 + length);
            }
            continue;
        }
        let name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'$' | b'_');
        let length = before.bytes().rev().take(24).take_while(name).count();
        if EVALUATES.contains(&&before[at - length..]) && !after.starts_with(')') {
            each(at - length..at + 1);
        }
    }
    if let Some(at) = word.find("/dev/tcp/") {
        each(at..word.len());
    }
}
