//! A server that is still starting is not one that does not answer.

use core::time::Duration;

/// When a server was started, and when it answered something for the first time.
#[derive(Debug)]
pub(crate) struct FirstAnswer {
    started: Duration,
    answered: Option<Duration>,
    /// How long it may take.
    patience: Duration,
    /// The first request of the client, and when it came.
    asked: Option<(String, Duration)>,
}

impl FirstAnswer {
    pub(crate) fn new(patience: Duration) -> Self {
        Self { started: Duration::ZERO, answered: None, patience, asked: None }
    }

    /// Another server has taken its place.
    pub(crate) fn on_restart(&mut self, now: Duration) {
        *self = Self { started: now, ..Self::new(self.patience) };
    }

    /// The client has asked something.
    pub(crate) fn on_request(&mut self, method: &str, now: Duration) {
        if self.answered.is_none() {
            self.asked.get_or_insert_with(|| (method.to_owned(), now));
        }
    }

    /// What it was asked first, and when, as long as it has answered nothing.
    pub(crate) fn awaited(&self) -> Option<(&str, Duration)> {
        let asked = self.asked.as_ref().filter(|_| self.answered.is_none());
        asked.map(|(method, at)| (method.as_str(), *at))
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
    fn the_first_request_is_awaited_until_anything_is_answered() {
        let mut first = FirstAnswer::new(SECOND);
        assert_eq!(first.awaited(), None);
        first.on_request("initialize", SECOND);
        first.on_request("tools/list", SECOND * 2);
        assert_eq!(first.awaited(), Some(("initialize", SECOND)));
        first.on_reply(SECOND * 3);
        first.on_request("tools/call", SECOND * 4);
        assert_eq!(first.awaited(), None);
        first.on_restart(SECOND * 5);
        assert_eq!(first.awaited(), None);
        first.on_request("tools/call", SECOND * 6);
        assert_eq!(first.awaited(), Some(("tools/call", SECOND * 6)));
    }

    #[test]
    fn a_short_patience_takes_nothing_away() {
        assert_eq!(FirstAnswer::new(SECOND).deadline(SECOND, SECOND * 20), SECOND * 21);
    }
}
