use std::io::IsTerminal as _;
use std::time::Duration;

use facets_digest::Progress;
use facets_ops::Input;
use facets_ops::check::CheckProgress;
use indicatif::{ProgressBar, ProgressStyle};

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
        self.bar.set_message(crate::render::visible(name));
        self.bar.inc(1);
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
