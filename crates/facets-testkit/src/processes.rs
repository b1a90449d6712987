//! Who is still running.

use std::fs;

/// A process.
#[derive(Clone, Debug)]
pub struct Process {
    /// Its number.
    pub id: String,
    /// Its command line, with blanks between the words.
    pub command: String,
    /// The variables that it was started with.
    pub environment: String,
}

/// Every process but this one that is alive.
#[must_use]
pub fn processes() -> Vec<Process> {
    let own = std::process::id().to_string();
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let id = entry.file_name().to_string_lossy().into_owned();
        if id.parse::<u32>().is_err() || id == own {
            continue;
        }
        let text = |file: &str| {
            let bytes = fs::read(entry.path().join(file)).unwrap_or_default();
            String::from_utf8_lossy(&bytes).replace('\0', " ")
        };
        let is_dead =
            text("stat").rsplit_once(") ").is_none_or(|(_, rest)| rest.starts_with(['Z', 'X']));
        if !is_dead {
            found.push(Process { id, command: text("cmdline"), environment: text("environ") });
        }
    }
    found
}
