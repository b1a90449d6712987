//! How the sessions of one process stand, told to other processes of this user.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use facets_digest::json::{self, Limits, Provenance, Value, quoted, write_list, write_string};
use facets_project::RunEntry;
use facets_run::{Control, Status};

use crate::error::OpsError;
use crate::supervisor_failure::supervisor_failed;

/// How long whoever knocks may take to say what it wants.
const PATIENCE: Duration = Duration::from_secs(1);
/// How long a session may take to end.
pub(crate) const END: Duration = Duration::from_secs(15);

/// The sessions of one process.
#[derive(Clone, Debug, Default)]
pub(crate) struct Controls(Arc<Mutex<SessionControls>>);

#[derive(Debug, Default)]
struct SessionControls {
    controls: Vec<Control>,
    is_stopped: bool,
}

impl Controls {
    fn all(&self) -> MutexGuard<'_, SessionControls> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn add(&self, control: Control) {
        let mut all = self.all();
        // Whoever asked for the end did not know of this one.
        if all.is_stopped {
            control.stop();
        }
        all.controls.retain(Control::is_alive);
        all.controls.push(control);
    }

    fn stop(&self) {
        let mut all = self.all();
        all.is_stopped = true;
        all.controls.iter().for_each(Control::stop);
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.all().is_stopped
    }

    /// Waits until the sessions have ended, for as long as they may take.
    pub(crate) fn wait_for_end(&self) {
        let begin = Instant::now();
        while begin.elapsed() < END && self.all().controls.iter().any(Control::is_alive) {
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// All sessions together.
    fn status(&self) -> Status {
        let mut whole = Status::default();
        for one in self.all().controls.iter().filter(|control| control.is_alive()) {
            let status = one.status();
            whole.waiting += status.waiting;
            whole.approved += status.approved;
            whole.restarts += status.restarts;
            whole.is_silent |= status.is_silent;
            whole.withheld.extend(status.withheld);
            whole.next = whole.next.or(status.next);
            whole.unanswered = whole.unanswered.or(status.unanswered);
        }
        whole.withheld.sort();
        whole.withheld.dedup();
        whole
    }
}

/// Answers whoever asks how a session stands, as long as it lasts.
pub(crate) fn answer_status_requests(
    entry: &Arc<RunEntry>,
    controls: &Controls,
) -> Result<(), OpsError> {
    let listener = entry.listener.try_clone().map_err(supervisor_failed)?;
    let control = controls.clone();
    let thread = std::thread::Builder::new().spawn(move || {
        for stream in listener.incoming().flatten() {
            // One who does not speak is not waited for.
            let _ = reply(&stream, &control);
        }
    });
    thread.map(drop).map_err(supervisor_failed)
}

fn reply(stream: &UnixStream, control: &Controls) -> std::io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut word = String::new();
    BufReader::new(std::io::Read::take(stream, 64)).read_line(&mut word)?;
    if word.trim() == "stop" {
        control.stop();
    }
    (&mut &*stream).write_all(status_json(&control.status()).as_bytes())
}

fn status_json(status: &Status) -> String {
    let mut withheld = Vec::new();
    write_list(['[', ']'], &status.withheld, &mut withheld, |text, out| write_string(text, out));
    let or_null = |text: Option<&str>| text.map_or_else(|| "null".to_owned(), quoted);
    let next = or_null(status.next.as_deref());
    let unanswered = or_null(status.unanswered.as_deref());
    format!(
        "{{\"approved\":{},\"next\":{next},\"restarts\":{},\"silent\":{},\
         \"unanswered\":{unanswered},\"waiting\":{},\"withheld\":{}}}",
        status.approved,
        status.restarts,
        status.is_silent,
        status.waiting,
        String::from_utf8_lossy(&withheld)
    )
}

pub(crate) fn parse_status(text: &str) -> Option<Status> {
    let value = json::parse(text.as_bytes(), Provenance::Authored, Limits::DEFINITION).ok()?;
    let Value::Object(object) = value else { return None };
    let number = |name: &str| match object.get(name) {
        Some(value @ Value::Number(_)) => {
            String::from_utf8(value.to_canonical()).ok()?.parse().ok()
        }
        _ => None,
    };
    let withheld = match object.get("withheld") {
        Some(Value::Array(items)) => items.iter().filter_map(|item| match item {
            Value::String(text) => Some(text.to_string()),
            _ => None,
        }),
        _ => return None,
    };
    // A session of an older facet does not say everything.
    let text = |name: &str| match object.get(name) {
        Some(Value::String(text)) => Some(text.to_string()),
        _ => None,
    };
    Some(Status {
        waiting: number("waiting")?,
        approved: number("approved")?,
        withheld: withheld.collect(),
        next: text("next"),
        unanswered: text("unanswered"),
        restarts: u32::try_from(number("restarts")?).ok()?,
        is_silent: matches!(object.get("silent"), Some(Value::Bool(true))),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_read_as_it_was_told() {
        let status = Status {
            waiting: 1,
            approved: 2,
            withheld: vec!["tool \"x\": changed".to_owned()],
            next: Some("facet check s".to_owned()),
            restarts: 3,
            is_silent: true,
            unanswered: Some("the server has not answered initialize for 4 s".to_owned()),
        };
        assert_eq!(parse_status(&status_json(&status)), Some(status));
        let nothing = Status::default();
        assert_eq!(parse_status(&status_json(&nothing)), Some(nothing));
    }

    #[test]
    fn an_older_session_does_not_say_everything() {
        let older = r#"{"approved":2,"restarts":0,"silent":false,"waiting":0,"withheld":["a"]}"#;
        let status = parse_status(older).unwrap();
        assert_eq!((status.approved, status.next, status.unanswered), (2, None, None));
    }
}
