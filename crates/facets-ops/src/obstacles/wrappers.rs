//! What starts behind a program that only starts another one: `env`, `nohup`, a shell with a command.

use std::path::Path;

use facets_launch::ProcessLaunch;

/// Wrappers around wrappers beyond this are nobody's.
const MOST: usize = 8;

/// Every command that a command line starts, as far as its words tell: the words of each.
pub(super) fn commands_of(process: &ProcessLaunch) -> Vec<Vec<String>> {
    let words = std::iter::once(&process.program).chain(&process.args);
    let words: Vec<String> = words.map(|word| word.to_string_lossy().into_owned()).collect();
    unwrapped(words, MOST)
}

/// A program by its name, without its folder and `.exe` or `.cmd`.
pub(super) fn program_name(word: &str) -> Option<&str> {
    Path::new(word).file_stem()?.to_str()
}

fn unwrapped(words: Vec<String>, most: usize) -> Vec<Vec<String>> {
    match wrapped(&words).filter(|_| most > 0) {
        Some(inner) => inner.into_iter().flat_map(|words| unwrapped(words, most - 1)).collect(),
        None => vec![words],
    }
}

/// The commands that the first word only starts; none if it is a program of its own.
fn wrapped(words: &[String]) -> Option<Vec<Vec<String>>> {
    let (program, rest) = words.split_first()?;
    match program_name(program)?.to_ascii_lowercase().as_str() {
        "nohup" | "exec" | "command" => Some(vec![behind_options(rest)]),
        "env" => Some(vec![behind_variables(rest)]),
        "sh" | "ash" | "bash" | "dash" | "ksh" | "zsh" => script_of(rest).map(commands_in),
        "cmd" => {
            let at = rest.iter().position(|word| word.eq_ignore_ascii_case("/c"))?;
            Some(commands_in(&rest[at + 1..].join(" ")))
        }
        _ => None,
    }
}

fn behind_options(words: &[String]) -> Vec<String> {
    words.iter().skip_while(|word| word.starts_with('-')).cloned().collect()
}

/// What `env` starts: behind its options and the variables that it sets.
fn behind_variables(words: &[String]) -> Vec<String> {
    const WITH_VALUE: [&str; 4] = ["-u", "--unset", "-C", "--chdir"];
    let mut left = words;
    while let Some((word, rest)) = left.split_first() {
        if word == "-S" || word == "--split-string" {
            return commands_in(&rest.join(" ")).into_iter().next().unwrap_or_default();
        }
        left = match word.as_str() {
            option if WITH_VALUE.contains(&option) => rest.get(1..).unwrap_or_default(),
            option if option.starts_with('-') => rest,
            variable if variable.contains('=') => rest,
            _ => return left.to_vec(),
        };
    }
    Vec::new()
}

/// The text that a shell is given to run: `-c`, also among other letters.
fn script_of(words: &[String]) -> Option<&str> {
    let mut options = words.iter().take_while(|word| word.starts_with(['-', '+']));
    let at = options.position(|word| !word.starts_with("--") && word.ends_with('c'))?;
    words.get(at + 1).map(String::as_str)
}

/// The simple commands of a shell script, without the variables that they set. Quotes hold words
/// together; anything else that a shell knows is read as a word.
fn commands_in(script: &str) -> Vec<Vec<String>> {
    let mut commands: Vec<Vec<String>> = vec![Vec::new()];
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    for letter in script.chars() {
        match (quote, letter) {
            (Some(open), end) if open == end => quote = None,
            (None, '"' | '\'') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, ';' | '&' | '|' | '\n' | '(' | ')') => {
                end_word(&mut commands, &mut word);
                commands.push(Vec::new());
            }
            (None, blank) if blank.is_whitespace() => end_word(&mut commands, &mut word),
            (_, other) => word.get_or_insert_default().push(other),
        }
    }
    end_word(&mut commands, &mut word);
    commands.retain(|words| !words.is_empty());
    commands
}

fn end_word(commands: &mut [Vec<String>], word: &mut Option<String>) {
    let (Some(word), Some(command)) = (word.take(), commands.last_mut()) else { return };
    let sets_variable = command.is_empty() && word.contains('=');
    if !sets_variable {
        command.push(word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands(words: &[&str]) -> Vec<String> {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        unwrapped(words, MOST).iter().map(|words| words.join(" ")).collect()
    }

    #[test]
    fn what_only_starts_another_program_is_left_out() {
        let cases: [(&[&str], &[&str]); 11] = [
            (&["env", "npx", "x"], &["npx x"]),
            (&["/usr/bin/env", "-i", "-u", "A", "B=1", "npx", "C=2"], &["npx C=2"]),
            (&["env", "-S", "npx -y x"], &["npx -y x"]),
            (&["nohup", "npx", "x"], &["npx x"]),
            (&["sh", "-c", "npx -y 'a b'"], &["npx -y a b"]),
            (&["bash", "-lc", "exec uvx x"], &["uvx x"]),
            (&["bash", "--norc", "-e", "-c", "A=1 exec npx x"], &["npx x"]),
            (&["bash", "-c", "cd /srv && exec npx x; true"], &["cd /srv", "npx x", "true"]),
            (&["cmd", "/c", "npx", "-y", "x"], &["npx -y x"]),
            (&["cmd.exe", "/d", "/C", "npx -y x"], &["npx -y x"]),
            (&["env", "A=1", "sh", "-c", "nohup env B=2 npx x"], &["npx x"]),
        ];
        for (words, inner) in cases {
            assert_eq!(commands(words), inner, "{words:?}");
        }
    }

    #[test]
    fn other_programs_are_themselves() {
        for words in [&["sh", "npx"][..], &["node", "-c", "npx"], &["bash", "script.sh", "-c", "x"]]
        {
            assert_eq!(commands(words), [words.join(" ")], "{words:?}");
        }
        assert_eq!(commands(&["env"]), [""]);
    }
}
