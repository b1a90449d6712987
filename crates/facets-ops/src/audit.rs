//! One line of JSON for every decision.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use facets_digest::json::quoted;
use facets_files::FileError;
use facets_guard::{Event, Reason};

use crate::error::OpsError;

/// A file to which lines are appended, each in one piece.
pub(crate) struct AuditLog {
    file: File,
}

impl AuditLog {
    pub(crate) fn open(path: &Path) -> Result<Self, OpsError> {
        let file = OpenOptions::new().create(true).append(true).open(path);
        let file = file.map_err(|source| {
            OpsError::File(FileError::Unwritable { path: path.to_owned(), source })
        })?;
        Ok(Self { file })
    }

    /// A line that cannot be written is no reason to end a session.
    pub(crate) fn write(&mut self, server: &str, event: &Event) {
        let line = line(server, event, SystemTime::now());
        let _ = self.file.write_all(line.as_bytes());
    }
}

fn line(server: &str, event: &Event, at: SystemTime) -> String {
    let mut members = vec![
        ("time", quoted(&timestamp(at))),
        ("server", quoted(server)),
        ("decision", quoted(event.decision.word())),
        ("subject", quoted(event.subject.word())),
    ];
    let optional = [
        ("name", event.subject.name()),
        ("method", &event.method),
        ("reason", event.reason.as_ref().map_or("", Reason::word)),
        ("message", &event.sentence),
        ("next", &event.next),
    ];
    members.extend(
        optional
            .iter()
            .filter(|(_, text)| !text.is_empty())
            .map(|(name, text)| (*name, quoted(text))),
    );
    if let Some(Reason::Changed(changed)) = &event.reason {
        let changed: Vec<String> = changed.iter().map(|member| quoted(member)).collect();
        members.push(("members", format!("[{}]", changed.join(","))));
    }
    let members: Vec<String> =
        members.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
    format!("{{{}}}\n", members.join(","))
}

/// A time as RFC 3339 has it, in UTC, with milliseconds.
pub(crate) fn timestamp(at: SystemTime) -> String {
    let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
    let (days, seconds) = (since.as_secs() / 86_400, since.as_secs() % 86_400);
    let (year, month, day) = date(days);
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}.{:03}Z",
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60,
        since.subsec_millis()
    )
}

/// The date that many days after 1970-01-01. A year begins in March here, so that the day
/// that is not always there comes last.
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let era = days / 146_097;
    let of_era = days % 146_097;
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (era * 400 + year + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn times_are_written_in_utc() {
        let at = |seconds: u64| timestamp(UNIX_EPOCH + Duration::from_millis(seconds * 1000 + 7));
        assert_eq!(at(0), "1970-01-01T00:00:00.007Z");
        assert_eq!(at(951_782_400), "2000-02-29T00:00:00.007Z");
        assert_eq!(at(1_794_787_199), "2026-11-15T23:59:59.007Z");
        assert_eq!(at(4_107_542_400), "2100-03-01T00:00:00.007Z");
    }
}
