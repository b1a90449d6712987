//! A server that is still starting is not one that does not answer.

use core::time::Duration;

/// When a server was started, and when it answered something for the first time.
#[derive(Debug)]
pub(crate) struct FirstAnswer {
    started: Duration,
    answered: Option<Duration>,
    /// How long it may take.
    patience: Duration,
}

impl FirstAnswer {
    pub(crate) fn new(patience: Duration) -> Self {
        Self { started: Duration::ZERO, answered: None, patience }
    }

    /// Another server has taken its place.
    pub(crate) fn on_restart(&mut self, now: Duration) {
        *self = Self { started: now, answered: None, patience: self.patience };
    }

    /// It has answered something.
    pub(crate) fn on_reply(&mut self, now: Duration) {
        self.answered.get_or_insert(now);
    }

    /// spec 11.2: until when something is waited for that may take a while, from the first answer of
    /// the server on
    pub(crate) fn deadline(&self, begun: Duration, patience: Duration) -> Duration {
        match self.answered {
            Some(answered) => begun.max(answered) + patience,
            None => (begun + patience).max(self.started + self.patience),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn time_counts_from_the_first_answer() {
        let mut first = FirstAnswer::new(SECOND * 60);
        let deadline = |first: &FirstAnswer| first.deadline(SECOND * 5, SECOND * 20);
        assert_eq!(deadline(&first), SECOND * 60);
        first.on_reply(SECOND * 40);
        first.on_reply(SECOND * 50);
        assert_eq!(deadline(&first), SECOND * 60);
        assert_eq!(first.deadline(SECOND * 70, SECOND * 20), SECOND * 90);
        first.on_restart(SECOND * 100);
        assert_eq!(first.deadline(SECOND * 101, SECOND * 20), SECOND * 160);
        assert_eq!(first.deadline(SECOND * 150, SECOND * 20), SECOND * 170);
    }

    #[test]
    fn a_short_patience_takes_nothing_away() {
        assert_eq!(FirstAnswer::new(SECOND).deadline(SECOND, SECOND * 20), SECOND * 21);
    }
}
