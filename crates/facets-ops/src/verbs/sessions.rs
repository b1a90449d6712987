//! `facet ps`, `logs` and `stop`: the sessions of this user.

use std::path::Path;
use std::time::{Duration, Instant};

use facets_project::{Project, RunRecord, Runs};
use facets_run::Status;

use crate::client_files::locked_names;
use crate::error::{OpsError, ServerError};
pub use crate::session_log::split_time;
use crate::session_status::{END, parse_status};
use crate::unknown_server::not_among;

/// A session that is going on.
#[derive(Debug)]
pub struct PsEntry {
    /// What is known of it.
    pub record: RunRecord,
    /// How it stands; none if it does not answer.
    pub status: Option<Status>,
}

/// The sessions of this user that are going on, the newest first.
pub fn ps() -> Result<Vec<PsEntry>, OpsError> {
    let runs = Runs::of_this_user()?;
    let running = runs.all().into_iter().filter(|(_, is_running)| *is_running);
    let entry = |(record, _): (RunRecord, bool)| {
        let status = runs.ask(record.pid, "status").ok();
        PsEntry { status: status.and_then(|text| parse_status(&text)), record }
    };
    Ok(running.map(entry).collect())
}

/// What a server said beside the protocol, in its last session in this project.
pub fn logs(name: &str) -> Result<Vec<u8>, OpsError> {
    let runs = Runs::of_this_user()?;
    let here = Project::here()?.place().display().to_string();
    let mut all = runs.all().into_iter().map(|(record, _)| record);
    let found = all.find(|record| record.name == name && record.project == here);
    match found {
        Some(record) => Ok(runs.log(record.pid)),
        None => Err(without_session(name, |name| ServerError::NeverRan { name })),
    }
}

/// Why there is no session: a name that is not pinned here is more likely mistyped than not started.
fn without_session(name: &str, error: fn(String) -> ServerError) -> OpsError {
    let known = locked_names(Path::new("."));
    if known.contains(name) {
        return error(name.to_owned()).into();
    }
    not_among(name, known)
}

/// Hands over the lines of the last session of a server in this project, as they come, until the
/// session ends or `print` says that nobody wants more.
pub fn follow(name: &str, print: &mut dyn FnMut(&[u8]) -> bool) -> Result<(), OpsError> {
    const PAUSE: Duration = Duration::from_millis(100);
    let runs = Runs::of_this_user()?;
    let here = Project::here()?.place().display().to_string();
    let meant = |record: &RunRecord| record.name == name && record.project == here;
    let found = || runs.all().into_iter().find(|(record, _)| meant(record));
    let Some((record, _)) = found() else {
        return Err(without_session(name, |name| ServerError::NeverRan { name }));
    };
    let mut log = runs.follow(record.pid);
    loop {
        // Asked first: what is written before the end is read after it.
        let is_running = runs.is_running(&record);
        if !log.lines(print) {
            return Ok(());
        }
        if !is_running {
            log.rest(print);
            return Ok(());
        }
        std::thread::sleep(PAUSE);
    }
}

/// Ends the sessions of a server in this project, and waits for that.
pub fn stop(name: &str) -> Result<Vec<u32>, OpsError> {
    let runs = Runs::of_this_user()?;
    let here = Project::here()?.place().display().to_string();
    let meant = |record: &RunRecord| record.name == name && record.project == here;
    let running =
        || runs.all().into_iter().filter(|(record, is_running)| *is_running && meant(record));
    let pids: Vec<u32> = running().map(|(record, _)| record.pid).collect();
    if pids.is_empty() {
        return Err(without_session(name, |name| ServerError::NotRunning { name }));
    }
    for pid in &pids {
        let _ = runs.ask(*pid, "stop");
    }
    let begin = Instant::now();
    while running().any(|(record, _)| pids.contains(&record.pid)) {
        if begin.elapsed() > END {
            return Err(ServerError::DoesNotStop { name: name.to_owned() }.into());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(pids)
}
