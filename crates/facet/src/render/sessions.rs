//! `facet ps`, `facet stop` and `facet grant`.

use std::fmt::Write as _;

use facets_face::{Shown, plural, visible};
use facets_ops::consent::StartObstacle;
use facets_ops::grant::{
    GrantReport, Grants, PrivateHost, describe_opened, grants_words, undefended,
};
use facets_ops::sessions::{PsEntry, split_time};
use serde_json::{Value, json};

use super::opened;
use super::renderer::Renderer;

impl Renderer {
    pub(crate) fn sessions(&self, sessions: &[PsEntry]) -> Shown {
        self.show(|| Shown::styled(human(sessions)), || json!({ "sessions": list(sessions) }))
    }

    pub(crate) fn stopped(&self, name: &str, pids: &[u32]) -> Shown {
        let plural = if pids.len() == 1 { "session" } else { "sessions" };
        let text = format!("ended {} {plural} of {}\n", pids.len(), visible(name));
        self.show(|| Shown::styled(text), || json!({ "server": name, "ended": pids }))
    }
}

impl Renderer {
    /// What a server said: a terminal is not handed what it would act on.
    pub(crate) fn log(&self, name: &str, log: &[u8]) -> Shown {
        let text = String::from_utf8_lossy(log);
        let human = || text.lines().map(|line| visible(line) + "\n").collect();
        self.show(|| Shown::styled(human()), || log_json(name, &text))
    }

    pub(crate) fn granted(&self, report: &GrantReport, was_read: bool) -> Shown {
        let heading = if report.is_changed { "new grants of" } else { "grants of" };
        let page = report.page.as_ref().filter(|_| !was_read);
        let mut text =
            page.map(|page| super::approval::page(page, self.verbose)).unwrap_or_default();
        let _ = writeln!(
            text,
            "{heading} {}: {}",
            visible(&report.name),
            visible(&grants_words(&report.grants))
        );
        if let Some(files) = &report.opened {
            let _ = writeln!(text, "{}", visible(&describe_opened(files, &report.grants)));
        }
        for one in &report.private {
            let _ = writeln!(text, "{}", visible(&private_warning(one)));
        }
        for obstacle in &report.obstacles {
            let reason = visible(&obstacle.reason);
            let _ = writeln!(text, "warning: it does not start with these grants: {reason}");
        }
        let words = undefended(&report.grants).filter(|_| !report.is_remote);
        let talk = words.map(|words| format!("{words}\n"));
        let talk = talk.filter(|_| !self.quiet).unwrap_or_default();
        let grants = super::json::grants(&report.grants);
        let private = |one: &PrivateHost| json!({ "host": one.host, "addresses": one.addresses });
        let json = json!({
            "server": report.name,
            "changed": report.is_changed,
            "grants": grants,
            "opened": report.opened.as_ref().map(opened::json),
            "private": report.private.iter().map(private).collect::<Vec<_>>(),
            "blocked": report.obstacles.iter().map(|one| &one.reason).collect::<Vec<_>>(),
        });
        self.show(|| Shown { talk, ..Shown::styled(text) }, || json)
    }
}

/// The log as it was written, and each line with its time.
fn log_json(name: &str, text: &str) -> Value {
    let line = |line: &str| {
        let (time, text) = split_time(line);
        json!({ "time": time, "text": text })
    };
    let lines: Vec<Value> = text.lines().map(line).collect();
    let log: String = text.split_inclusive('\n').map(|line| split_time(line).1).collect();
    json!({ "server": name, "log": log, "lines": lines })
}

fn private_warning(one: &PrivateHost) -> String {
    let addresses: Vec<String> = one.addresses.iter().map(ToString::to_string).collect();
    format!(
        "warning: {} resolves to {}, a local, private or reserved address, and is blocked; \
         private:{} permits it",
        one.host,
        addresses.join(", "),
        one.host
    )
}

/// The page before something is granted.
pub(crate) fn wider_grants(name: &str, wider: &[&str], grants: &Grants) -> String {
    format!(
        "{} would be granted more: {}\nnew grants: {}\n",
        visible(name),
        wider.join(", "),
        visible(&grants_words(grants))
    )
}

/// The page before something is granted that a server does not start with.
pub(crate) fn grant_conflicts(name: &str, obstacles: &[StartObstacle]) -> String {
    let mut out = format!("{} would no longer start:\n", visible(name));
    for obstacle in obstacles {
        let _ = writeln!(out, "  {}", visible(&obstacle.reason));
    }
    out
}

fn human(sessions: &[PsEntry]) -> String {
    if sessions.is_empty() {
        return "no sessions\n".to_owned();
    }
    let mut out = String::new();
    for PsEntry { record, status } in sessions {
        let _ = writeln!(
            out,
            "{}  process {}, in {}",
            visible(&record.name),
            record.pid,
            visible(&record.project)
        );
        let _ = writeln!(out, "  runs: {}", visible(&record.launch));
        let Some(status) = status else {
            let _ = writeln!(out, "  no answer from its facet process");
            continue;
        };
        let state = match &status.unanswered {
            Some(sentence) => format!("{}; facet goes on waiting", visible(sentence)),
            None if status.is_silent => "the server does not answer a ping".to_owned(),
            None => "running".to_owned(),
        };
        let waiting = plural(status.waiting, "pending request");
        let restarts = usize::try_from(status.restarts).unwrap_or(usize::MAX);
        let restarts = plural(restarts, "restart");
        let _ = writeln!(out, "  state: {state}; {waiting}; {restarts}");
        for withheld in &status.withheld {
            let _ = writeln!(out, "  withheld: {}", visible(withheld));
        }
        if let Some(next) = &status.next {
            let _ = writeln!(out, "  next: {}", visible(next));
        }
    }
    out
}

fn list(sessions: &[PsEntry]) -> Vec<Value> {
    let session = |entry: &PsEntry| {
        let status = entry.status.as_ref().map(|status| {
            json!({
                "waiting": status.waiting,
                "approved": status.approved,
                "withheld": status.withheld,
                "next": status.next,
                "restarts": status.restarts,
                "silent": status.is_silent,
                "unanswered": status.unanswered,
            })
        });
        json!({
            "server": entry.record.name,
            "project": entry.record.project,
            "pid": entry.record.pid,
            "started": entry.record.started,
            "launch": entry.record.launch,
            "status": status,
        })
    };
    sessions.iter().map(session).collect()
}
