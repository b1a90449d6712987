//! How far downloads are: on a terminal only.

use std::collections::BTreeMap;
use std::io::IsTerminal as _;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use facets_fetch::FetchProgress;
use indicatif::{ProgressBar, ProgressStyle};

/// One bar on standard error for all files.
pub struct DownloadBar {
    bar: ProgressBar,
    files: Mutex<BTreeMap<usize, FileBytes>>,
}

/// Until it is known how much there is to fetch.
const ASKING: &str = "{spinner} asking the package registries";
const FETCHING: &str = "{bar:40} {bytes}/{total_bytes} {binary_bytes_per_sec} {msg}";

/// Bytes of one file.
#[derive(Clone, Copy, Default)]
struct FileBytes {
    total: u64,
    received: u64,
}

impl DownloadBar {
    /// Hidden with `quiet`, and where standard error is no terminal.
    #[must_use]
    pub fn new(quiet: bool) -> Self {
        let is_hidden = quiet || !std::io::stderr().is_terminal();
        // A bar without a length would be a full one.
        let bar = if is_hidden { ProgressBar::hidden() } else { ProgressBar::no_length() };
        set_style(&bar, ASKING);
        if !is_hidden {
            bar.enable_steady_tick(Duration::from_millis(200));
        }
        Self { bar, files: Mutex::default() }
    }

    /// Leaves an empty line: nothing is fetched any more.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }

    fn change(&self, file: usize, change: impl FnOnce(&mut FileBytes)) {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        change(files.entry(file).or_default());
        let sum = |part: fn(&FileBytes) -> u64| files.values().map(part).sum::<u64>();
        let total = sum(|bytes| bytes.total.max(bytes.received));
        if total == 0 {
            return;
        }
        if self.bar.length().is_none() {
            set_style(&self.bar, FETCHING);
        }
        self.bar.set_length(total);
        self.bar.set_position(sum(|bytes| bytes.received));
    }
}

fn set_style(bar: &ProgressBar, template: &str) {
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
}

impl FetchProgress for DownloadBar {
    fn on_size(&self, file: usize, bytes: u64) {
        self.change(file, |of| of.total = bytes);
    }

    fn advance(&self, file: usize, bytes: u64) {
        self.change(file, |of| of.received += bytes);
    }

    fn restart(&self, file: usize) {
        self.change(file, |of| of.received = 0);
    }
}

impl Drop for DownloadBar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
