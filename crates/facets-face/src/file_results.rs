//! What came of the files of a `server.json`.

use std::collections::BTreeMap;
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

/// How much of a result is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Why it is not ok.
    Reasons,
    /// Also the host that was asked, and the hashes of what is ok.
    Everything,
}

impl Detail {
    /// What `--verbose` asks for.
    #[must_use]
    pub fn of(verbose: bool) -> Self {
        if verbose { Self::Everything } else { Self::Reasons }
    }
}

/// A result for people: the word, the file, and why it is not ok.
pub fn line(result: &FileResult, style: Style, detail: Detail, out: &mut String) {
    let word = result.status.word();
    let _ = writeln!(out, "{style}{word:<18}{style:#} {}", visible(&result.identifier));
    if result.is_ok() && detail == Detail::Reasons {
        return;
    }
    let parts = [
        ("expected", result.expected.as_ref().filter(|_| !result.is_ok())),
        ("actual", result.actual.as_ref()),
        ("reason", result.detail.as_ref()),
        ("from", result.from.as_ref().filter(|_| detail == Detail::Everything)),
    ];
    for (label, text) in parts {
        if let Some(text) = text {
            let _ = writeln!(out, "    {:<9} {}", format!("{label}:"), visible(text));
        }
    }
}

/// How many files there are: each once, however many results it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileCounts {
    /// All of them.
    pub total: usize,
    /// Those that are ok.
    pub ok: usize,
    /// Those without a hash that are accepted all the same.
    pub accepted: usize,
}

impl FileCounts {
    /// Counts the files of results, each with whether it is accepted without a hash.
    #[must_use]
    pub fn of<'r>(results: impl IntoIterator<Item = (&'r FileResult, bool)>) -> Self {
        let mut files: BTreeMap<&str, FileState> = BTreeMap::new();
        for (result, is_accepted) in results {
            let state = match (result.is_ok(), is_accepted) {
                (true, _) => FileState::Ok,
                (false, true) => FileState::Accepted,
                (false, false) => FileState::Bad,
            };
            let known = files.entry(result.file.as_str()).or_insert(state);
            *known = state.max(*known);
        }
        let count = |state| files.values().filter(|one| **one == state).count();
        let (ok, accepted) = (count(FileState::Ok), count(FileState::Accepted));
        Self { total: files.len(), ok, accepted }
    }
}

/// What a file is by all its results: the worst of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum FileState {
    Ok,
    Accepted,
    Bad,
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
            let verb = if ok == 1 || total == 1 { "is" } else { "are" };
            format!("{BAD}not verified{BAD:#}: {ok} of {files} in {file} {verb} ok\n")
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
        "from": result.from,
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
        assert_eq!(shown(1, 0, Exit::No), "not verified: 1 of 3 files in s.json is ok\n");
        let one = FileCounts { total: 1, ok: 0, accepted: 0 };
        let line = summary(Path::new("s.json"), one, Exit::No);
        let line = anstream::adapter::strip_str(&line).to_string();
        assert_eq!(line, "not verified: 0 of 1 file in s.json is ok\n");
    }

    fn result(identifier: &str, file: &str, status: FileStatus) -> FileResult {
        FileResult {
            identifier: identifier.to_owned(),
            file: file.to_owned(),
            status,
            expected: None,
            actual: Some("sha256:ab".to_owned()),
            detail: None,
            from: Some("e.example".to_owned()),
            unhashed: None,
        }
    }

    #[test]
    fn a_file_with_several_results_is_one_file() {
        let results = [
            result("pypi:A==1", "pypi:a==1/a.whl", FileStatus::Ok),
            result("pypi:a==1.0", "pypi:a==1/a.whl", FileStatus::Ok),
            result("npm:b@1", "npm:b@1", FileStatus::Ok),
            result("packages[0].fileSha256", "npm:b@1", FileStatus::Mismatch),
            result("npm:c@1", "npm:c@1", FileStatus::Missing),
        ];
        let counts = FileCounts::of(results.iter().map(|one| (one, one.identifier == "npm:c@1")));
        assert_eq!(counts, FileCounts { total: 3, ok: 1, accepted: 1 });
    }

    #[test]
    fn who_was_asked_is_said_on_request() {
        let shown = |detail| {
            let mut out = String::new();
            line(&result("npm:b@1", "npm:b@1", FileStatus::Ok), Style::new(), detail, &mut out);
            out
        };
        assert_eq!(shown(Detail::of(false)).lines().count(), 1);
        let all = shown(Detail::of(true));
        assert!(all.contains("    from:     e.example\n"), "{all}");
        assert!(all.contains("    actual:   sha256:ab\n"), "{all}");
    }
}
