//! How far a publication has come: on a terminal only.

use std::io::IsTerminal as _;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use facets_ops::publish::{ProbeWait, PublishProgress};
use indicatif::{ProgressBar, ProgressStyle};

const UPLOADING: &str = "{bar:40} {bytes}/{total_bytes} {msg}";
const WAITING: &str = "{spinner} {msg} ({elapsed})";

/// A bar for the upload, then a line for what the registry is waiting for.
pub(crate) struct PublishBar {
    is_hidden: bool,
    /// None before the upload.
    bar: Mutex<Option<ProgressBar>>,
}

impl PublishBar {
    /// Hidden with `quiet`, and where standard error is no terminal.
    pub(crate) fn new(quiet: bool) -> Self {
        Self { is_hidden: quiet || !std::io::stderr().is_terminal(), bar: Mutex::default() }
    }

    fn bar(&self) -> MutexGuard<'_, Option<ProgressBar>> {
        self.bar.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PublishProgress for PublishBar {
    fn on_upload(&self, bytes: u64) {
        if self.is_hidden {
            return;
        }
        let bar = ProgressBar::new(bytes);
        set_style(&bar, UPLOADING);
        bar.set_message("uploading");
        bar.enable_steady_tick(Duration::from_millis(200));
        *self.bar() = Some(bar);
    }

    fn advance(&self, bytes: u64) {
        let bar = self.bar();
        let Some(bar) = bar.as_ref() else { return };
        bar.inc(bytes);
        if bar.length().is_some_and(|length| bar.position() >= length) {
            set_style(bar, WAITING);
            bar.set_message("uploaded; the registry is checking it");
        }
    }

    fn on_wait(&self, wait: ProbeWait) {
        let words = match wait {
            ProbeWait::Queued { ahead: None | Some(0) } => "queued on the registry".to_owned(),
            ProbeWait::Queued { ahead: Some(1) } => {
                "queued on the registry behind 1 other".to_owned()
            }
            ProbeWait::Queued { ahead: Some(ahead) } => {
                format!("queued on the registry behind {ahead} others")
            }
            ProbeWait::Running => "the registry is starting the server".to_owned(),
        };
        if let Some(bar) = self.bar().as_ref() {
            set_style(bar, WAITING);
            bar.set_message(words);
        }
    }
}

fn set_style(bar: &ProgressBar, template: &str) {
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
}

impl Drop for PublishBar {
    fn drop(&mut self) {
        if let Some(bar) = self.bar().take() {
            bar.finish_and_clear();
        }
    }
}
