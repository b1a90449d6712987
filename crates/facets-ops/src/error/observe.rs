//! What went wrong with a server, in words.

use facets_launch::{Ending, LaunchError};
use facets_mcp::{CaptureError, TransportError};
use facets_probe::ObserveError;

pub(super) fn code(error: &ObserveError) -> &'static str {
    match error {
        ObserveError::Capture { source, .. } => source.code(),
        ObserveError::SupervisorLost => "supervisor-lost",
        ObserveError::Launch(LaunchError::NoProgram { .. }) => "program-not-found",
        ObserveError::Launch(LaunchError::NoVariable { .. }) => "variable-not-set",
        ObserveError::Launch(LaunchError::Supervisor(_)) => "supervisor-failed",
        ObserveError::Launch(LaunchError::NotStarted { .. }) => "server-not-started",
    }
}

/// What was hoped for, and what the server said instead.
pub(super) fn expected_and_actual(error: &ObserveError) -> (Option<String>, Option<String>) {
    let both = |expected: &str, actual: String| (Some(expected.to_owned()), Some(actual));
    match error {
        ObserveError::SupervisorLost => both(
            "a server that leaves its supervisor alone",
            "the supervisor was killed or stopped; everything was ended".to_owned(),
        ),
        ObserveError::Launch(LaunchError::NoProgram { program, path }) => {
            let named_by_path = program.components().count() > 1;
            let found = if named_by_path {
                "no executable file at that place".to_owned()
            } else {
                format!("none of that name in {}", path.display())
            };
            both("an executable file", found)
        }
        ObserveError::Launch(LaunchError::NotStarted { reason, .. }) => {
            both("a program that starts", reason.clone())
        }
        ObserveError::Launch(other) => both("a server that starts", other.to_string()),
        ObserveError::Capture { source: CaptureError::Unstable { names, .. }, .. } => {
            both("the same list twice", format!("another {} the second time", names.join(", ")))
        }
        ObserveError::Capture { source, stderr, ending } => {
            let mut said = Vec::new();
            if let CaptureError::Transport { source: TransportError::Status { body, .. }, .. } =
                source
            {
                said.push(format!("it said: {}", last_lines(body)));
            }
            if let CaptureError::InvalidMessage { line, .. } = source {
                said.push(format!("the line begins: {line}"));
            }
            match ending {
                Some(Ending::Exited(code)) => said.push(format!("it ended with code {code}")),
                Some(Ending::Killed(signal)) => {
                    said.push(format!("it was ended by signal {signal}"))
                }
                _ => {}
            }
            if !stderr.trim().is_empty() {
                said.push(format!("it said: {}", last_lines(stderr)));
            }
            let said = (!said.is_empty()).then(|| said.join("; "));
            (Some("an MCP server that answers".to_owned()), said)
        }
    }
}

/// The end of what a server said: enough to see why.
fn last_lines(text: &str) -> String {
    const LINES: usize = 8;
    const CHARACTERS: usize = 1200;
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let tail = lines[lines.len().saturating_sub(LINES)..].join(" | ");
    let skipped = tail.chars().count().saturating_sub(CHARACTERS);
    tail.chars().skip(skipped).collect()
}
