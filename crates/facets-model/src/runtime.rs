/// A program that starts servers, or that finds out which packages a server needs. Each is a promise about security,
/// so there is a list and it is short (spec 3.2, 10.8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RuntimeName {
    /// Bun.
    Bun,
    /// Node.js.
    Node,
    /// The program that resolves packages of npm.
    Npm,
    /// Python, as it is found on a machine.
    Python,
    /// The program that resolves packages of PyPI.
    Uv,
}

impl RuntimeName {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Bun, Self::Node, Self::Npm, Self::Python, Self::Uv];

    /// Those that facet fetches. Python is that of the machine.
    pub const MANAGED: [Self; 4] = [Self::Bun, Self::Node, Self::Npm, Self::Uv];

    /// Those that a source-mode server can name.
    pub const OF_SOURCE_MODE: [Self; 1] = [Self::Bun];

    /// How manifests and locks write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bun => "bun",
            Self::Node => "node",
            Self::Npm => "npm",
            Self::Python => "python",
            Self::Uv => "uv",
        }
    }

    /// The runtime of a name, if there is one.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|runtime| runtime.name() == name)
    }

    /// The runtime of a name, if a source-mode server can name it.
    #[must_use]
    pub fn of_source_mode(name: &str) -> Option<Self> {
        Self::OF_SOURCE_MODE.into_iter().find(|runtime| runtime.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_runtime_is_known_by_its_exact_name() {
        for runtime in RuntimeName::ALL {
            assert_eq!(RuntimeName::of(runtime.name()), Some(runtime));
        }
        for other in ["Bun", "bun ", "deno", ""] {
            assert_eq!(RuntimeName::of(other), None, "{other:?}");
        }
    }

    #[test]
    fn a_source_mode_server_names_bun_alone() {
        assert_eq!(RuntimeName::of_source_mode("bun"), Some(RuntimeName::Bun));
        for other in ["node", "python", "npm", "uv"] {
            assert_eq!(RuntimeName::of_source_mode(other), None, "{other:?}");
        }
    }
}
