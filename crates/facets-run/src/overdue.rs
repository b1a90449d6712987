//! A first answer that takes longer than it should: said once, and waited for all the same.

use std::time::Duration;

use facets_guard::{Guard, Outbox};

/// Whether the first answer of a server is overdue.
#[derive(Debug)]
pub(crate) struct OverdueAnswer {
    limit: Duration,
    is_said: bool,
}

impl OverdueAnswer {
    pub(crate) fn new(limit: Duration) -> Self {
        Self { limit, is_said: false }
    }

    /// When it will be, in the time of the session.
    pub(crate) fn deadline(&self, guard: &Guard) -> Option<Duration> {
        let awaited = guard.first_awaited().filter(|_| !self.is_said);
        awaited.map(|(_, since)| since + self.limit)
    }

    /// Says it if it is; whether it was said now. Everything passes unchanged (spec 11.3), so the request
    /// is not answered in the server's place.
    pub(crate) fn check(&mut self, guard: &Guard, now: Duration, out: &mut Outbox) -> bool {
        let is_overdue = self.deadline(guard).is_some_and(|deadline| deadline <= now);
        if is_overdue {
            self.is_said = true;
            guard.record_waiting(self.limit, out);
        }
        is_overdue
    }

    /// What others are told while it lasts.
    pub(crate) fn sentence(&self, guard: &Guard) -> Option<String> {
        guard.no_answer_yet(self.limit).filter(|_| self.is_said)
    }
}
