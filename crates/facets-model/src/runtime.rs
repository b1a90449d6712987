/// What starts a source-mode server. Each is a promise about security, so there is a list and it is short
/// (spec 3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RuntimeName {
    /// Bun.
    Bun,
}

impl RuntimeName {
    /// All of them.
    pub const ALL: [Self; 1] = [Self::Bun];

    /// How manifests and locks write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bun => "bun",
        }
    }

    /// The runtime of a name, if there is one.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|runtime| runtime.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_runtime_is_known_by_its_exact_name() {
        assert_eq!(RuntimeName::of("bun"), Some(RuntimeName::Bun));
        for other in ["Bun", "bun ", "node", ""] {
            assert_eq!(RuntimeName::of(other), None, "{other:?}");
        }
    }
}
