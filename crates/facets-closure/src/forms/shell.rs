//! Commands inside of a shell's. Only a plain list of words is read: everything else is a program of its own.

use super::command::{CommandForm, not_lockable, program_name};

const SHELL_TEXT: &str = "it is the text of a shell, which can do anything";

/// Programs that fetch what they run: text with one of them would have been worth locking.
const FETCHERS: [&str; 9] = ["npx", "npm", "bunx", "pnpx", "pnpm", "yarn", "uvx", "pipx", "uv"];

/// The words of a text without anything that a shell would read as more than words.
pub(super) fn plain_words(text: &str) -> Option<Vec<String>> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || " @/._-:+,=".contains(c);
    let words: Vec<String> =
        text.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect();
    let sets_variable = words.first().is_none_or(|first| first.contains('='));
    (text.chars().all(is_plain) && !sets_variable).then_some(words)
}

fn within(text: &str, form_of: impl Fn(&[String]) -> CommandForm) -> CommandForm {
    match plain_words(text) {
        // `exec` runs the same command in the place of the shell.
        Some(words) if words[0] == "exec" => form_of(&words[1..]),
        Some(words) => form_of(&words),
        None if mentions_fetcher(text) => not_lockable(SHELL_TEXT),
        None => CommandForm::Other,
    }
}

fn mentions_fetcher(text: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || "._-/\\".contains(c);
    let mut words = text.split(|c| !is_word(c));
    words.any(|word| FETCHERS.contains(&program_name(word).as_str()))
}

/// `cmd /c npx …`, `cmd /d /s /c "npx …"`
pub(super) fn cmd(words: &[String], form_of: impl Fn(&[String]) -> CommandForm) -> CommandForm {
    let is_switch = |word: &&String| word.starts_with('/') && word.len() == 2;
    let switches = words.iter().take_while(is_switch).count();
    let runs = words[..switches].iter().any(|word| word.eq_ignore_ascii_case("/c"));
    match &words[switches..] {
        _ if !runs => CommandForm::Other,
        [text] => within(text.trim_matches('"'), form_of),
        rest => form_of(rest),
    }
}

/// `sh -c TEXT`
pub(super) fn posix(words: &[String], form_of: impl Fn(&[String]) -> CommandForm) -> CommandForm {
    match words {
        [option, text] if matches!(option.as_str(), "-c" | "-lc" | "-ec") => within(text, form_of),
        [option, text, ..] if option.ends_with('c') && option.starts_with('-') => {
            if mentions_fetcher(text) {
                not_lockable(SHELL_TEXT)
            } else {
                CommandForm::Other
            }
        }
        _ => CommandForm::Other,
    }
}

/// `/usr/bin/env npx …`
pub(super) fn env(words: &[String], form_of: impl Fn(&[String]) -> CommandForm) -> CommandForm {
    match words.first() {
        Some(first) if first.starts_with('-') => CommandForm::Other,
        Some(first) if first.contains('=') => {
            let program = words.iter().find(|word| !word.contains('='));
            match program.map(|word| program_name(word)) {
                Some(name) if FETCHERS.contains(&name.as_str()) => {
                    not_lockable("it sets variables on the command line")
                }
                _ => CommandForm::Other,
            }
        }
        _ => form_of(words),
    }
}
