//! Levels of risk.

/// A level of risk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Risk {
    /// It reads or computes.
    Low,
    /// It changes something, sends something, or gives something out.
    Medium,
    /// It runs code, moves money, or destroys what cannot be brought back.
    High,
}

impl Risk {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Low => "LOW",
            Self::Medium => "MEDIUM",
            Self::High => "HIGH",
        }
    }
}
