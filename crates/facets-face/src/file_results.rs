//! What came of the files of a `server.json`.

use std::fmt::Write as _;
use std::path::Path;

use anstyle::Style;
use facets_file_hashes::{FileResult, FileStatus, HashVerdict};
use serde_json::{Value, json};

use crate::shown::Exit;
use crate::style::{BAD, GOOD, WARN};
use crate::text::{plural, visible};

impl From<HashVerdict> for Exit {
    fn from(verdict: HashVerdict) -> Self {
        match verdict {
            HashVerdict::Verified => Self::Yes,
            HashVerdict::Refuted => Self::No,
            HashVerdict::Unknown => Self::Unjudged,
        }
    }
}

/// How the word for a result is set apart.
#[must_use]
pub fn style_of(result: &FileResult) -> Style {
    match result.status {
        FileStatus::Ok => GOOD,
        FileStatus::Unreachable => WARN,
        _ => BAD,
    }
}

/// A result for people: the word, the file, and why it is not ok.
pub fn line(result: &FileResult, style: Style, out: &mut String) {
    let word = result.status.word();
    let _ = writeln!(out, "{style}{word:<18}{style:#} {}", visible(&result.identifier));
    if result.is_ok() {
        return;
    }
    let parts = [
        ("expected", result.expected.as_ref()),
        ("actual", result.actual.as_ref()),
        ("reason", result.detail.as_ref()),
    ];
    for (label, text) in parts {
        if let Some(text) = text {
            let _ = writeln!(out, "    {:<9} {}", format!("{label}:"), visible(text));
        }
    }
}

/// How many files there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileCounts {
    /// All of them.
    pub total: usize,
    /// Those that are ok.
    pub ok: usize,
    /// Those without a hash that are accepted all the same.
    pub accepted: usize,
}

/// What all results say together, in a line.
#[must_use]
pub fn summary(file: &Path, counts: FileCounts, exit: Exit) -> String {
    let FileCounts { total, ok, accepted } = counts;
    let file = visible(&file.display().to_string());
    let files = plural(total, "file");
    match exit {
        _ if total == 0 => {
            format!("{BAD}nothing was checked{BAD:#}: {file} has no hash and no file\n")
        }
        Exit::Yes if accepted == 0 => format!("{GOOD}verified{GOOD:#}: {files} of {file}\n"),
        Exit::Yes if ok == 0 => {
            format!(
                "{WARN}accepted without a hash{WARN:#}: {files} of {file}; nothing was compared\n"
            )
        }
        Exit::Yes => format!(
            "{GOOD}verified{GOOD:#}: {ok} of {files} in {file}; {accepted} accepted without a hash\n"
        ),
        Exit::Unjudged => {
            let away = plural(total - ok - accepted, "file");
            format!("{WARN}could not check{WARN:#}: {away} of {total} in {file}\n")
        }
        Exit::No | Exit::Code(_) => {
            format!("{BAD}not verified{BAD:#}: {ok} of {files} in {file} are ok\n")
        }
    }
}

/// What else is worth knowing, a line each.
#[must_use]
pub fn notes(notes: &[String]) -> String {
    notes.iter().map(|note| format!("note: {}\n", visible(note))).collect()
}

/// A result for programs.
#[must_use]
pub fn json_of(result: &FileResult) -> Value {
    json!({
        "identifier": result.identifier,
        "status": result.status.word(),
        "expected": result.expected,
        "actual": result.actual,
        "detail": result.detail,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_tells_what_was_compared_from_what_was_accepted() {
        let shown = |ok: usize, accepted: usize, exit: Exit| {
            let counts = FileCounts { total: 3, ok, accepted };
            anstream::adapter::strip_str(&summary(Path::new("s.json"), counts, exit)).to_string()
        };
        assert_eq!(shown(3, 0, Exit::Yes), "verified: 3 files of s.json\n");
        assert_eq!(
            shown(2, 1, Exit::Yes),
            "verified: 2 of 3 files in s.json; 1 accepted without a hash\n"
        );
        assert_eq!(
            shown(0, 3, Exit::Yes),
            "accepted without a hash: 3 files of s.json; nothing was compared\n"
        );
        assert_eq!(shown(1, 1, Exit::Unjudged), "could not check: 1 file of 3 in s.json\n");
        assert_eq!(shown(2, 0, Exit::No), "not verified: 2 of 3 files in s.json are ok\n");
    }
}
