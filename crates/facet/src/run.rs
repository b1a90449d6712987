//! `facet run`: the client's two streams are ours, and what people are told goes to standard
//! error.

use std::collections::BTreeSet;
use std::io::{IsTerminal as _, Write as _};
use std::os::fd::AsFd as _;
use std::sync::{Arc, Mutex, PoisonError};

use facets_face::{Exit, Shown, visible};
use facets_files::FileError;
use facets_guard::Event;
use facets_ops::OpsError;
use facets_ops::check::Trust;
use facets_ops::run::{
    Decision, NoAttestations, OnDrift, RunListener, RunRequest, SessionEnd, SessionEnding,
    decision_line, run, run_http,
};
use facets_run::{ClientEnds, answer_with_error};

use crate::args::{DriftChoice, Run, Switch};
use crate::render::Renderer;

pub(crate) fn run_server(arguments: Run, renderer: &Renderer) -> Result<Shown, OpsError> {
    facets_worker::abort_on_panic();
    let request = RunRequest {
        name: arguments.name,
        trust: if arguments.trust_lock { Trust::Lock } else { Trust::Approvals },
        on_drift: match arguments.on_drift {
            DriftChoice::Block => OnDrift::Block,
            DriftChoice::Warn => OnDrift::Warn,
            DriftChoice::Stop => OnDrift::Stop,
        },
        log: arguments.log,
        restarts: arguments.restarts,
        is_confined: arguments.sandbox == Switch::On,
    };
    let listener: Arc<dyn RunListener> =
        Arc::new(StderrListener { is_quiet: renderer.is_quiet(), said: Mutex::default() });
    if let Some(address) = arguments.http {
        return run_http(&request, address, &NoAttestations, &listener)
            .map(|end| ended(&request.name, &end));
    }
    match run(&request, client()?, &NoAttestations, &listener) {
        Ok(end) => Ok(ended(&request.name, &end)),
        Err(error) => {
            // Most clients show an answer sooner than what stands on standard error.
            if let Ok(client) = client() {
                answer_with_error(&client, &renderer.refusal(&error));
            }
            // Standard output is the client's.
            Ok(renderer.failure_aside(&error))
        }
    }
}

fn client() -> Result<ClientEnds, OpsError> {
    let taken = std::io::stdin().as_fd().try_clone_to_owned();
    let given = std::io::stdout().as_fd().try_clone_to_owned();
    let failed =
        |source| OpsError::File(FileError::Unreadable { path: "standard input".into(), source });
    Ok(ClientEnds { input: taken.map_err(failed)?, output: given.map_err(failed)? })
}

fn ended(name: &str, end: &SessionEnd) -> Shown {
    let SessionEnding { words, exit_code, is_wanted } = SessionEnding::of(end);
    let words = match end {
        SessionEnd::Drift(_) => format!("the session ended: {words}"),
        _ => words,
    };
    let talk =
        if is_wanted { String::new() } else { format!("facet: {name}: {}\n", visible(&words)) };
    Shown { talk, ..Shown::exact(Vec::new()) }.with_exit(Exit::Code(exit_code))
}

/// Says on standard error what people should know.
struct StderrListener {
    is_quiet: bool,
    /// The same once more is in the log.
    said: Mutex<BTreeSet<String>>,
}

/// Beyond this it is no news that a server is not what was approved.
const MAX_SAID: usize = 1000;

impl RunListener for StderrListener {
    fn on_decision(&self, server: &str, event: &Event) {
        let of_interest = matches!(
            event.decision,
            Decision::Withheld
                | Decision::Tolerated
                | Decision::Refused
                | Decision::Denied
                | Decision::Restarted
                | Decision::Waiting
        );
        if of_interest {
            let line = format!("facet: {server}: {}", decision_line(event));
            let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
            let is_again = event.decision == Decision::Restarted;
            if is_again || (said.len() < MAX_SAID && said.insert(line.clone())) {
                say(&line);
            }
        }
    }

    fn on_stderr(&self, bytes: &[u8]) {
        let mut stderr = std::io::stderr();
        // As it would be without us, but a terminal is not handed what it would act on.
        let _ = if stderr.is_terminal() {
            stderr.write_all(for_terminal(bytes).as_bytes())
        } else {
            stderr.write_all(bytes)
        };
    }

    fn on_failed_start(&self, server: &str, reasons: &[String]) {
        for reason in reasons {
            say(&format!("facet: {server}: {reason}"));
        }
    }

    fn on_listen(&self, server: &str, address: std::net::SocketAddr) {
        say(&format!("facet: {server}: listening at http://{address}/mcp"));
    }

    fn on_start(&self, server: &str, enforced: &[String]) {
        if !self.is_quiet {
            for line in enforced {
                say(&format!("facet: {server}: {line}"));
            }
        }
    }
}

/// Text of a server with its line ends, and everything else that a terminal acts on made visible.
fn for_terminal(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let lines: Vec<String> = text.split('\n').map(visible).collect();
    lines.join("\n")
}

fn say(line: &str) {
    let _ = std::io::stderr().write_all(format!("{}\n", visible(line)).as_bytes());
}
