//! How many steps a comparison may take.

use std::cell::Cell;

/// Steps that one comparison may take; what takes more is not told.
pub(crate) const STEPS: usize = 400_000;

/// Steps that all comparisons of a server may take: a thousand costly schemas are not told, either.
pub const STEPS_OF_A_SERVER: usize = 10 * STEPS;

/// Counts down.
pub(crate) struct Budget {
    all: usize,
    left: Cell<usize>,
    spent: Cell<bool>,
}

impl Budget {
    pub(crate) const fn new(steps: usize) -> Self {
        Self { all: steps, left: Cell::new(steps), spent: Cell::new(false) }
    }

    pub(crate) fn is_left(&self) -> bool {
        !self.spent.get()
    }

    /// Takes from a larger budget what was spent of this one.
    pub(crate) fn charge(&self, from: &Cell<usize>) {
        from.set(from.get().saturating_sub(self.all - self.left.get()));
    }

    /// Nothing if there is not that much left; then there is nothing left at all.
    pub(crate) fn spend(&self, steps: usize) -> Option<()> {
        let left = self.left.get().checked_sub(steps);
        self.left.set(left.unwrap_or_default());
        self.spent.set(self.spent.get() || left.is_none());
        left.map(drop)
    }
}
