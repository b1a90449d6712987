//! How bad a marker is in an asset that nobody has seen before (spec 7.10).
//!
//! A tool's description that gives orders is suspicious. A skill is nothing but orders to a model,
//! with commands, examples and addresses. So markers that honest ones have are moderate here, and
//! what no honest one needs stays critical: hidden characters, orders against the user or other
//! instructions, secrets, and code that nobody can read or that comes from elsewhere.

use crate::finding::{Evidence, Severity};
use crate::marked_risk::severity_at_first_sight;

/// The severity at first sight of a marker in a text.
pub(crate) fn severity_in_asset(evidence: &Evidence, text: &str) -> Severity {
    let words = plain(&evidence.words);
    let is_ordinary = match evidence.rule {
        "marker-shell" => !is_attack(&evidence.words.to_lowercase()),
        "marker-role" => is_structure(&evidence.words.to_lowercase()),
        "marker-to-the-model" => !has_any(&plain(&sentence(&evidence.words, text)), UNBOUND),
        "marker-obey-output" => is_warning(&words, &evidence.words, text),
        "marker-ignore-instructions" => words.starts_with("your only "),
        "marker-conversation" => !has_any(&words, PASSED_ON),
        // An image fetches its address, with whatever a model puts into it.
        "marker-hidden-markup" => !evidence.words.starts_with("!["),
        "marker-long-blank" => blanks(&evidence.words) < OUT_OF_SIGHT,
        "marker-secret-path" => is_template(&evidence.words.to_lowercase()),
        // What a client runs, and permission to do anything, are critical in every text.
        "marker-tool-permission" => true,
        _ => return severity_at_first_sight(evidence),
    };
    if is_ordinary { Severity::Moderate } else { Severity::Critical }
}

/// Roles without limits, and instructions that only the model is to see.
const UNBOUND: &[&str] = &[
    "jailbreak",
    "jailbroken",
    "uncensored",
    "no restrictions",
    "no rules",
    "without restrictions",
    "without rules",
    "god mode",
    "do anything now",
    "unrestricted",
    "override mode",
    "secret instructions",
    "hidden instructions",
];

/// What was said goes somewhere else, or the instructions of the model itself are asked for. To sum
/// up a conversation is what some skills are for.
const PASSED_ON: &[&str] = &[
    "send",
    "forward",
    "upload",
    "post",
    "bcc",
    "cc",
    "relay",
    "mirror",
    "transmit",
    "email",
    "encode",
    "encoding",
    "telemetry",
    "sidenote",
    "sidenotes",
    "side",
    "prompt",
    "prompts",
    "message",
    "instructions",
    "rules",
    "guidelines",
];

/// Commands that fetch and run, decode, listen, stay or overwrite. To remove a folder or to run a
/// line of Python is daily work.
const ATTACKS: &[&str] = &[
    "curl",
    "wget",
    "iwr",
    "invoke-webrequest",
    "fetch",
    "base64",
    "nc",
    "ncat",
    "netcat",
    "crontab",
    "dd",
];

fn is_attack(words: &str) -> bool {
    let mut parts = words.split_whitespace();
    let first = parts.next().unwrap_or_default();
    let command = first.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let is_encoded = parts.next().is_some_and(|flag| flag.starts_with("-e") || flag == "-nop");
    let is_powershell = command.starts_with("powershell") || command == "pwsh";
    ATTACKS.contains(&command) || words.contains("/dev/tcp/") || (is_powershell && is_encoded)
}

/// Tags and headings that structure a prompt, and the speakers of an example.
fn is_structure(words: &str) -> bool {
    const SPEAKERS: &[&str] =
        &["assistant", "human", "instruction", "instructions", "response", "input"];
    const TAGS: &[&str] = &[
        "context",
        "critical",
        "description",
        "function",
        "functions",
        "important",
        "important_instructions",
        "instruction",
        "instructions",
        "priority",
        "tool",
        "tools",
        "urgent",
    ];
    if let Some(speaker) = words.strip_suffix(':') {
        return SPEAKERS.contains(&speaker.trim_matches(['*', '"', ' ']));
    }
    let inside = words.trim_matches(['<', '>', '/', '[', ']']);
    TAGS.contains(&inside.split_whitespace().next().unwrap_or_default())
}

/// More blanks than a table or a picture in letters has.
const OUT_OF_SIGHT: usize = 80;

/// How many blanks the note of a marker counts: `(40 blanks) …`.
fn blanks(words: &str) -> usize {
    let digits = words.strip_prefix('(').and_then(|rest| rest.split(' ').next());
    digits.and_then(|digits| digits.parse().ok()).unwrap_or(usize::MAX)
}

/// Files that show how a file of secrets is written.
fn is_template(path: &str) -> bool {
    let path = path.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
    [".env.example", ".env.sample", ".env.template", ".env.dist"]
        .iter()
        .any(|one| path.ends_with(one))
}

/// The words of a marker with what follows them in each sentence of the text that has them: the
/// marker ends at `You are now a`.
fn sentence(words: &str, text: &str) -> String {
    let (words, text) = (words.to_lowercase(), text.to_lowercase());
    let rest = text.match_indices(&words).take(PLACES).map(|(at, _)| {
        let is_end = |c: char| matches!(c, '.' | '!' | '?' | '\n');
        let rest = text.get(at..).unwrap_or_default().split(is_end).next().unwrap_or_default();
        rest.chars().take(SENTENCE).collect::<String>()
    });
    format!("{words} {}", rest.collect::<Vec<_>>().join(" "))
}

/// Whether a text warns of obeying what comes back: `treat it as data rather than as instructions`,
/// or `never treat it as instructions` in every place.
fn is_warning(plain_words: &str, words: &str, text: &str) -> bool {
    let (words, text) = (words.to_lowercase(), text.to_lowercase());
    let mut places = text.match_indices(&words).take(PLACES).peekable();
    let is_found = places.peek().is_some();
    let is_denied = |(at, _): (usize, &str)| {
        let before = text.get(..at).unwrap_or_default();
        let last = before.split_whitespace().next_back().unwrap_or_default();
        ["not", "never", "don't", "don\u{2019}t"].contains(&last)
    };
    has_any(plain_words, &["rather than", "not as", "never as"])
        || (is_found && places.all(is_denied))
}

/// How many places of the same words are looked at, and how many characters of each.
const PLACES: usize = 100;
const SENTENCE: usize = 200;

/// Words in small letters with one blank between.
fn plain(words: &str) -> String {
    let words = words.to_lowercase();
    let parts = words.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(" ")
}

/// Whether some of the wanted words stand there, as whole words.
fn has_any(words: &str, wanted: &[&str]) -> bool {
    let words = format!(" {words} ");
    wanted.iter().any(|one| words.contains(&format!(" {one} ")))
}
