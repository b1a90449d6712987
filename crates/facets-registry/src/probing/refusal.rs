//! Which failures are those of a server, and how they are told.

use std::io;

use facets_archive::ArchiveError;
use facets_failure::{Describe, Stderr};
use facets_probe::{ObserveError, ScanError};
use facets_worker::ENDED_FOR;

use super::outcome::ProbeFailure;

/// A failure of this machine.
pub(super) fn broken(what: &str) -> impl FnOnce(io::Error) -> ProbeFailure {
    move |error| ProbeFailure::Broken(format!("{what}: {error}"))
}

/// An archive that could not be unpacked.
pub(super) fn of_archive(error: &ArchiveError) -> ProbeFailure {
    // The registry has validated it: other bytes now are a damage of its own.
    let is_damaged =
        ["archive-content-hash-mismatch", "archive-integrity-mismatch"].contains(&error.code());
    match error {
        ArchiveError::Unreadable { .. }
        | ArchiveError::Unwritable { .. }
        | ArchiveError::Unpack(_) => ProbeFailure::Broken(sentence(error)),
        error if is_damaged => ProbeFailure::Broken(sentence(error)),
        error => ProbeFailure::refused(error.code(), sentence(error)),
    }
}

/// Source that could not be scanned.
pub(super) fn of_scan(error: &ScanError) -> ProbeFailure {
    match error {
        ScanError::Manifest { .. } => ProbeFailure::refused(error.code(), sentence(error)),
        ScanError::File(_) | ScanError::Launch(_) => ProbeFailure::Broken(sentence(error)),
    }
}

/// A server that could not be looked at.
pub(super) fn of_observation(error: &ObserveError) -> ProbeFailure {
    if let ObserveError::Launch(error) = error {
        return ProbeFailure::Broken(sentence(error));
    }
    let stderr = error.error_output().unwrap_or_default();
    let excess = stderr.lines().find_map(|line| line.strip_prefix(ENDED_FOR));
    let text = match excess {
        Some(reason) => format!("the server was ended: {reason}"),
        None => sentence(error),
    };
    ProbeFailure::Refused { code: error.code().to_owned(), error: text, printed: printed(&stderr) }
}

/// What happened, and what was there.
fn sentence(error: &dyn Describe) -> String {
    match error.actual() {
        Some(actual) => format!("{error}: {actual}"),
        None => error.to_string(),
    }
}

/// The first and the last lines.
fn printed(stderr: &Stderr) -> String {
    let Stderr { first, omitted, last } = stderr.shortened();
    let gap = (omitted > 0).then(|| format!("… {omitted} more lines …"));
    let lines: Vec<String> = first.into_iter().chain(gap).chain(last).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use facets_archive::UnpackError;
    use facets_launch::LaunchError;
    use facets_mcp::{CaptureError, TransportError};

    use super::*;

    fn closed(stderr: &str) -> ObserveError {
        let source = TransportError::Closed;
        let source = CaptureError::Transport { method: "initialize", source };
        ObserveError::Capture { source, stderr: Stderr::of(stderr), ending: None }
    }

    #[test]
    fn a_server_that_fails_is_refused_with_what_it_printed() {
        let refused = of_observation(&closed("one\n\ntwo\n"));
        let ProbeFailure::Refused { code, error, printed } = refused else { panic!("{refused:?}") };
        assert_eq!((code.as_str(), printed.as_str()), ("server-closed", "one\ntwo"));
        assert!(error.contains("closed its output"), "{error}");
    }

    #[test]
    fn a_server_that_used_too_much_is_refused_with_the_limit() {
        let stderr = format!("hello\n{ENDED_FOR}it used more than 1 MiB of memory\n");
        let refused = of_observation(&closed(&stderr));
        let ProbeFailure::Refused { error, printed, .. } = refused else { panic!("{refused:?}") };
        assert_eq!(error, "the server was ended: it used more than 1 MiB of memory");
        assert!(printed.starts_with("hello\n"), "{printed}");
    }

    #[test]
    fn failures_of_this_machine_are_no_refusals() {
        let full = || io::Error::from(io::ErrorKind::StorageFull);
        let failures = [
            of_observation(&LaunchError::Supervisor(full()).into()),
            of_archive(&ArchiveError::Unreadable { source: full() }),
            of_archive(&UnpackError::Changed.into()),
            of_scan(&ScanError::Launch(LaunchError::Supervisor(full()))),
        ];
        for failure in failures {
            assert!(matches!(failure, ProbeFailure::Broken(_)), "{failure:?}");
        }
    }
}
