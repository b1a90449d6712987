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
        let bar = if is_hidden { ProgressBar::hidden() } else { ProgressBar::new(0) };
        let template = "{bar:40} {bytes}/{total_bytes} {binary_bytes_per_sec} {msg}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        if !is_hidden {
            bar.enable_steady_tick(Duration::from_millis(200));
        }
        Self { bar, files: Mutex::default() }
    }

    fn change(&self, file: usize, change: impl FnOnce(&mut FileBytes)) {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        change(files.entry(file).or_default());
        let sum = |part: fn(&FileBytes) -> u64| files.values().map(part).sum::<u64>();
        self.bar.set_length(sum(|bytes| bytes.total.max(bytes.received)));
        self.bar.set_position(sum(|bytes| bytes.received));
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
