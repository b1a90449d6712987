//! Requests whose answers may have come under an id that nobody used.

use core::time::Duration;
use std::collections::{BTreeMap, VecDeque};

/// How long the right answer may still take.
const PATIENCE: Duration = Duration::from_mins(1);
/// Ids that were answered or given up, which may well be answered once more.
const REMEMBERED: usize = 4096;

/// What the server may have answered wrongly.
#[derive(Debug, Default)]
pub(crate) struct StrayReplies {
    /// The oldest first. Every call comes by here, and hardly anybody looks.
    done: VecDeque<String>,
    deadlines: BTreeMap<String, Duration>,
}

impl StrayReplies {
    /// An id that was answered, or that nobody waits for any more.
    pub(crate) fn mark_done(&mut self, key: String) {
        self.deadlines.remove(&key);
        if self.done.len() >= REMEMBERED {
            self.done.pop_front();
        }
        self.done.push_back(key);
    }

    /// An answer under an id that is not waited for: if nobody ever used it, it was meant for
    /// somebody who waits.
    pub(crate) fn stray<'k>(
        &mut self,
        key: &str,
        waiting: impl Iterator<Item = &'k String>,
        now: Duration,
    ) {
        if !self.done.iter().any(|done| done == key) {
            for key in waiting {
                self.deadlines.entry(key.clone()).or_insert(now + PATIENCE);
            }
        }
    }

    /// Those whose time is over.
    pub(crate) fn late(&mut self, now: Duration) -> Vec<String> {
        let late = self.deadlines.iter().filter(|(_, deadline)| **deadline <= now);
        let late: Vec<String> = late.map(|(key, _)| key.clone()).collect();
        self.deadlines.retain(|_, deadline| *deadline > now);
        late
    }

    pub(crate) fn deadline(&self) -> Option<Duration> {
        self.deadlines.values().min().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_answered_ids_are_remembered_and_older_ones_forgotten() {
        let mut replies = StrayReplies::default();
        for id in 0..=REMEMBERED {
            replies.mark_done(id.to_string());
        }
        let waiting = ["waiting".to_owned()];
        for id in [REMEMBERED, 1] {
            replies.stray(&id.to_string(), waiting.iter(), Duration::ZERO);
            assert_eq!(replies.deadline(), None, "{id}");
        }
        replies.stray("0", waiting.iter(), Duration::ZERO);
        assert_eq!(replies.deadline(), Some(PATIENCE));
    }
}
