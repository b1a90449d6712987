//! How far downloads of an install have come: on a terminal only.

use std::collections::BTreeMap;
use std::io::{IsTerminal as _, Write as _};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use facets_face::style::WARN;
use facets_face::visible;
use facets_fetch::FetchProgress;
use facets_ops::install::InstallProgress;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

/// Until it is known what is fetched, and while nothing is.
const ASKING: &str = "{spinner} {msg}";
/// Of the whole: how many of how many.
const ALL: &str = "{bar:40} {pos} of {len} {msg}";
/// Of one: an item without a length has no bar.
const ONE: &str = "  {bar:20} {bytes}/{total_bytes} {msg}";
const ONE_WITHOUT_LENGTH: &str = "  {spinner} {bytes} {msg}";
/// Bars of single downloads at once: the rest is in the bar for the whole.
const SHOWN: usize = 8;

/// A bar for the whole, and one below it for each download that runs.
pub(crate) struct InstallBar {
    is_quiet: bool,
    is_hidden: bool,
    bars: MultiProgress,
    state: Mutex<BarState>,
}

#[derive(Default)]
struct BarState {
    /// None before anything is fetched, and while a question is asked.
    all: Option<ProgressBar>,
    names: Vec<String>,
    running: BTreeMap<usize, ProgressBar>,
}

impl InstallBar {
    /// Between the bars. Nothing depends on whether it could be written.
    fn say(&self, line: &str) {
        self.bars.suspend(|| drop(anstream::stderr().write_all(line.as_bytes())));
    }

    /// Hidden with `quiet`, and where standard error is no terminal.
    pub(crate) fn new(quiet: bool) -> Self {
        let is_hidden = quiet || !std::io::stderr().is_terminal();
        let bar = Self {
            is_quiet: quiet,
            is_hidden,
            bars: MultiProgress::new(),
            state: Mutex::default(),
        };
        if !is_hidden {
            let asking = bar.bars.add(ProgressBar::no_length());
            set_style(&asking, ASKING);
            asking.set_message("looking up versions");
            asking.enable_steady_tick(Duration::from_millis(200));
            bar.state().all = Some(asking);
        }
        bar
    }

    fn state(&self) -> MutexGuard<'_, BarState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Leaves empty lines, until something else is fetched.
    pub(crate) fn clear(&self) {
        let mut state = self.state();
        for bar in std::mem::take(&mut state.running).into_values().chain(state.all.take()) {
            bar.finish_and_clear();
        }
    }

    /// Shows the bar of one download, if there is room for it.
    fn with_bar(&self, file: usize, change: impl FnOnce(&ProgressBar)) {
        if self.is_hidden {
            return;
        }
        let mut state = self.state();
        if !state.running.contains_key(&file) {
            if state.all.is_none() || state.running.len() >= SHOWN {
                return;
            }
            let bar = self.bars.add(ProgressBar::no_length());
            set_style(&bar, ONE_WITHOUT_LENGTH);
            bar.set_message(state.names.get(file).cloned().unwrap_or_default());
            state.running.insert(file, bar);
        }
        if let Some(bar) = state.running.get(&file) {
            change(bar);
        }
    }
}

impl InstallProgress for InstallBar {
    fn begin(&self, items: &[String]) {
        if self.is_hidden {
            return;
        }
        self.clear();
        // A bar of nothing would be a full one.
        if items.is_empty() {
            return;
        }
        let all = self.bars.add(ProgressBar::new(items.len() as u64));
        set_style(&all, ALL);
        all.set_message("downloads");
        all.enable_steady_tick(Duration::from_millis(200));
        let mut state = self.state();
        state.names = items.iter().map(|item| visible(item)).collect();
        state.all = Some(all);
    }

    fn files(&self) -> &dyn FetchProgress {
        self
    }

    fn note(&self, text: &str) {
        if self.is_quiet {
            return;
        }
        self.say(&format!("note: {}\n", visible(text)));
    }

    fn warn(&self, text: &str) {
        self.say(&format!("{WARN}warning{WARN:#}: {}\n", visible(text)));
    }
}

impl FetchProgress for InstallBar {
    fn on_size(&self, file: usize, bytes: u64) {
        self.with_bar(file, |bar| {
            set_style(bar, ONE);
            bar.set_length(bytes);
        });
    }

    fn advance(&self, file: usize, bytes: u64) {
        self.with_bar(file, |bar| bar.inc(bytes));
    }

    fn restart(&self, file: usize) {
        self.with_bar(file, |bar| bar.set_position(0));
    }

    fn on_done(&self, file: usize) {
        let mut state = self.state();
        if let Some(bar) = state.running.remove(&file) {
            bar.finish_and_clear();
        }
        if let Some(all) = &state.all {
            all.inc(1);
        }
    }
}

fn set_style(bar: &ProgressBar, template: &str) {
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
}

impl Drop for InstallBar {
    fn drop(&mut self) {
        self.clear();
    }
}

#[cfg(test)]
mod tests {
    use indicatif::ProgressDrawTarget;

    use super::*;

    fn shown() -> InstallBar {
        let mut bar = InstallBar::new(true);
        bar.is_hidden = false;
        bar.bars.set_draw_target(ProgressDrawTarget::hidden());
        bar
    }

    #[test]
    fn running_downloads_have_bars_until_they_are_done() {
        let bar = shown();
        bar.begin(&["facet a 1.0.0".to_owned(), "server b 2.0.0".to_owned()]);
        bar.on_size(0, 10);
        bar.advance(0, 4);
        bar.advance(1, 1);
        let state = bar.state();
        assert_eq!(state.running.len(), 2);
        assert_eq!(state.running[&0].message(), "facet a 1.0.0");
        assert_eq!((state.running[&0].position(), state.running[&0].length()), (4, Some(10)));
        drop(state);
        bar.restart(0);
        assert_eq!(bar.state().running[&0].position(), 0);
        bar.on_done(0);
        let state = bar.state();
        assert_eq!(state.running.len(), 1);
        assert_eq!(state.all.as_ref().map(ProgressBar::position), Some(1));
    }

    #[test]
    fn nothing_is_shown_during_a_question_and_many_downloads_share_the_bar_of_the_whole() {
        let bar = shown();
        let items: Vec<String> = (0..20).map(|at| format!("facet f{at}")).collect();
        bar.begin(&items);
        (0..20).for_each(|at| bar.advance(at, 1));
        assert_eq!(bar.state().running.len(), SHOWN);
        bar.clear();
        bar.advance(3, 1);
        assert!(bar.state().running.is_empty() && bar.state().all.is_none());
        bar.begin(&[]);
        assert!(bar.state().all.is_none());
    }

    #[test]
    fn a_hidden_bar_keeps_nothing() {
        let bar = InstallBar::new(true);
        bar.begin(&["facet a".to_owned()]);
        bar.advance(0, 1);
        assert!(bar.state().running.is_empty() && bar.state().all.is_none());
    }
}
