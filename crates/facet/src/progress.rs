use std::io::IsTerminal as _;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use facets_digest::Progress;
use facets_face::visible;
use facets_ops::Input;
use facets_ops::check::CheckProgress;
use facets_ops::{StartProgress, StartStep};
use indicatif::{ProgressBar, ProgressState, ProgressStyle};

/// Less is done before a bar could be read.
const WORTH_SHOWING: u64 = 256 << 20;

/// A bar on standard error: on a terminal only, and only for long work.
pub(crate) struct Bar(Option<ProgressBar>);

impl Bar {
    pub(crate) fn for_files(inputs: &[Input], quiet: bool) -> Self {
        if quiet || !std::io::stderr().is_terminal() {
            return Self(None);
        }
        let size = |input: &Input| std::fs::metadata(input.path()).map_or(0, |data| data.len());
        let total: u64 = inputs.iter().map(size).sum();
        if total < WORTH_SHOWING {
            return Self(None);
        }
        let bar = ProgressBar::new(total);
        let template = "{bar:40} {bytes}/{total_bytes} {binary_bytes_per_sec} {eta}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Self(Some(bar))
    }

    /// For work whose size shows only while it is done.
    pub(crate) fn without_end(quiet: bool) -> Self {
        if quiet || !std::io::stderr().is_terminal() {
            return Self(None);
        }
        let bar = ProgressBar::no_length();
        if let Ok(style) = ProgressStyle::with_template("{spinner} scanned {bytes}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Self(Some(bar))
    }
}

impl Progress for Bar {
    fn advance(&self, bytes: u64) {
        if let Some(bar) = &self.0 {
            bar.inc(bytes);
        }
    }
}

/// How many servers have answered: on a terminal only.
pub(crate) struct Count {
    bar: ProgressBar,
}

impl Count {
    pub(crate) fn new(quiet: bool) -> Self {
        let bar = if quiet || !std::io::stderr().is_terminal() {
            ProgressBar::hidden()
        } else {
            ProgressBar::new(0)
        };
        if let Ok(style) = ProgressStyle::with_template("{spinner} {pos} of {len} servers {msg}") {
            bar.set_style(style);
        }
        Self { bar }
    }
}

impl CheckProgress for Count {
    fn begin(&self, servers: usize) {
        self.bar.set_length(servers as u64);
        self.bar.enable_steady_tick(Duration::from_millis(200));
    }

    fn done(&self, name: &str) {
        self.bar.set_message(visible(name));
        self.bar.inc(1);
    }
}

/// What is done with a server that is started, in one line: on a terminal only.
pub(crate) struct Spinner {
    is_hidden: bool,
    shown: Mutex<SpinnerLine>,
}

#[derive(Default)]
struct SpinnerLine {
    /// None while a question is asked.
    bar: Option<ProgressBar>,
    /// Which of how many servers it is about.
    position: String,
    /// Whether the server is looked at for the second time.
    is_again: bool,
}

impl Spinner {
    pub(crate) fn new(quiet: bool) -> Self {
        Self { is_hidden: quiet || !std::io::stderr().is_terminal(), shown: Mutex::default() }
    }

    pub(crate) fn hidden() -> Self {
        Self { is_hidden: true, shown: Mutex::default() }
    }

    fn shown(&self) -> MutexGuard<'_, SpinnerLine> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Leaves an empty line, until something else is done.
    pub(crate) fn clear(&self) {
        if let Some(bar) = self.shown().bar.take() {
            bar.finish_and_clear();
        }
    }
}

/// As `facet runtime install` shows it.
const FETCHING: &str = "{bar:40} {bytes}/{total_bytes} {binary_bytes_per_sec} {msg}";

/// The line for a step; what is waited for has its seconds, what is fetched its bytes.
fn style_of(step: StartStep) -> Option<ProgressStyle> {
    let at_most = match step {
        StartStep::Waiting { at_most } => at_most,
        // A bar without a length would be a full one.
        StartStep::Fetching { total: 1.., .. } => {
            return ProgressStyle::with_template(FETCHING).ok();
        }
        _ => return ProgressStyle::with_template("{spinner} {msg}").ok(),
    };
    let style = ProgressStyle::with_template("{spinner} {msg} ({seconds})").ok()?;
    let seconds = move |state: &ProgressState, out: &mut dyn std::fmt::Write| {
        // A server that ignores the first question has a few seconds more, for the second.
        let waited = state.elapsed().min(at_most);
        let _ = write!(out, "{} s of at most {} s", waited.as_secs(), at_most.as_secs());
    };
    Some(style.with_key("seconds", seconds))
}

impl StartProgress for Spinner {
    fn on_server(&self, number: usize, of: usize) {
        let position = if of > 1 { format!("[{number} of {of}] ") } else { String::new() };
        self.shown().position = position;
    }

    fn on_step(&self, name: &str, step: StartStep) {
        if self.is_hidden {
            return;
        }
        let name = visible(name);
        let words = match step {
            StartStep::Fetching { .. } => format!("fetching {name}"),
            StartStep::Resolving => format!("finding the packages of {name}"),
            StartStep::Starting => format!("starting {name}"),
            StartStep::LookingAgain => format!("starting {name} a second time, to compare"),
            StartStep::Waiting { .. } => format!("waiting for the first answer of {name}"),
            StartStep::Reading { what } => format!("reading the {what} of {name}"),
        };
        let mut shown = self.shown();
        match step {
            StartStep::Starting => shown.is_again = false,
            StartStep::LookingAgain => shown.is_again = true,
            StartStep::Resolving
            | StartStep::Fetching { .. }
            | StartStep::Waiting { .. }
            | StartStep::Reading { .. } => {}
        }
        let is_again = shown.is_again && !matches!(step, StartStep::LookingAgain);
        let again = if is_again { ", again" } else { "" };
        let words = format!("{}{words}{again}", shown.position);
        let bar = shown.bar.get_or_insert_with(|| {
            let bar = ProgressBar::new_spinner();
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        });
        if let Some(style) = style_of(step) {
            bar.set_style(style);
        }
        match step {
            StartStep::Fetching { received, total } => {
                bar.set_length(total);
                bar.set_position(received);
            }
            _ => bar.reset_elapsed(),
        }
        bar.set_message(words);
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        self.clear();
    }
}

impl Drop for Count {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
