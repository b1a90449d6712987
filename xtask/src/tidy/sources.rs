//! What stands in the files.

use std::process::Command;

use crate::Outcome;
use crate::run;

/// Tracked and new text files with an ending, with their contents.
pub(super) fn tracked_files(ending: &str) -> Outcome<Vec<(String, String)>> {
    let mut git = Command::new("git");
    git.args(["ls-files", "--cached", "--others", "--exclude-standard"]).current_dir(run::root());
    let listing = run::text(&mut git)?;
    let mut files = Vec::new();
    for path in listing.lines().filter(|path| path.ends_with(ending)) {
        // A file that was just removed is still listed; one that is no text does not matter.
        if let Ok(text) = std::fs::read_to_string(run::root().join(path)) {
            files.push((path.to_owned(), text));
        }
    }
    Ok(files)
}

/// Numbered lines before the tests of a file, without comments.
pub(super) fn production_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    // Tests are the last module of a file; anything else under that attribute counts.
    let tests = text.find("\n#[cfg(test)]\nmod tests {").unwrap_or(text.len());
    let lines = text[..tests].lines().enumerate().map(|(index, line)| (index + 1, line));
    lines.filter(|(_, line)| !line.trim_start().starts_with("//"))
}

/// Nobody else has the directories of this machine.
pub(super) fn check_machine_paths() -> Outcome<Vec<String>> {
    let root = run::root();
    let parent = root.parent().map(|path| format!("{}/", path.display()));
    let home = std::env::var("HOME").ok().map(|home| format!("{}/", home.trim_end_matches('/')));
    let local: Vec<String> =
        [parent, home].into_iter().flatten().filter(|path| path.len() > 3).collect();
    let mut complaints = Vec::new();
    for (path, text) in tracked_files("")? {
        for (index, line) in text.lines().enumerate() {
            if let Some(found) = local.iter().find(|local| line.contains(local.as_str())) {
                complaints
                    .push(format!("{path}:{}: the path `{found}` of this machine", index + 1));
            }
        }
    }
    Ok(complaints)
}
