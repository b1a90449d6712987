//! The log of a session: each line with its time.

use std::time::SystemTime;

use facets_project::RunLog;

use crate::audit::timestamp;

/// Where the words of a session go: what its server writes to standard error, and what facet says.
#[derive(Debug)]
pub(crate) struct SessionLog {
    log: RunLog,
    /// Whether the last line has no end yet.
    is_line_begun: bool,
}

impl SessionLog {
    pub(crate) fn new(log: RunLog) -> Self {
        Self { log, is_line_begun: false }
    }

    /// What the server wrote, in whatever pieces it comes.
    pub(crate) fn append(&mut self, bytes: &[u8]) {
        let bytes = timed(bytes, &mut self.is_line_begun, &timestamp(SystemTime::now()));
        self.log.append(&bytes);
    }

    /// A line of facet's own, which begins none of the server's.
    pub(crate) fn say(&mut self, text: &str) {
        let end = if self.is_line_begun { "\n" } else { "" };
        self.append(format!("{end}facet: {text}\n").as_bytes());
    }
}

/// The same with the time before each line that begins in it.
fn timed(bytes: &[u8], is_line_begun: &mut bool, time: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() + time.len() + 1);
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        if !*is_line_begun {
            out.extend_from_slice(time.as_bytes());
            out.push(b' ');
        }
        out.extend_from_slice(line);
        *is_line_begun = !line.ends_with(b"\n");
    }
    out
}

/// A line of a log: its time, and what was written. Logs of older sessions have no times.
#[must_use]
pub fn split_time(line: &str) -> (Option<&str>, &str) {
    const FORM: &[u8] = b"0000-00-00T00:00:00.000Z";
    let Some((time, text)) = line.split_once(' ') else { return (None, line) };
    let fits = |(form, byte): (&u8, &u8)| match form {
        b'0' => byte.is_ascii_digit(),
        sign => sign == byte,
    };
    let is_time = time.len() == FORM.len() && FORM.iter().zip(time.as_bytes()).all(fits);
    if is_time { (Some(time), text) } else { (None, line) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_has_the_time_at_which_it_began() {
        let mut is_begun = false;
        let mut log = String::new();
        for (bytes, time) in [("one\ntw", "1"), ("o\n", "2"), ("", "3"), ("\nthree", "4")] {
            let timed = timed(bytes.as_bytes(), &mut is_begun, time);
            log.push_str(&String::from_utf8_lossy(&timed));
        }
        assert_eq!(log, "1 one\n1 two\n4 \n4 three");
        assert!(is_begun);
    }

    #[test]
    fn the_time_of_a_line_is_told_from_what_was_written() {
        let time = timestamp(SystemTime::now());
        assert_eq!(split_time(&format!("{time} a b")), (Some(time.as_str()), "a b"));
        assert_eq!(split_time(&format!("{time} ")), (Some(time.as_str()), ""));
        for line in ["", "a b", "2026-11-15 b", "2026-11-15T09:30:00.00xZ b", time.as_str()] {
            assert_eq!(split_time(line), (None, line));
        }
    }
}
