//! A server from npm or PyPI, with everything that it depends on (spec 10.8).

use std::fmt;
use std::str::FromStr;

use crate::package::PackageSpec;

/// A package whose program is started.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PackageOrigin {
    /// The package, as written.
    pub package: PackageSpec,
    /// Packages that are installed beside it, as written.
    pub with: Vec<PackageSpec>,
    /// The program, where it is named.
    pub program: Option<String>,
    /// What starts it, where that is named.
    pub runtime: Option<RuntimeChoice>,
    /// From which files it starts.
    pub files: PackageTreeUse,
    /// What the program is started with.
    pub args: Vec<String>,
    /// The names of the variables that it sees, sorted.
    pub env: Vec<String>,
}

/// From which files a package starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PackageTreeUse {
    /// From the read-only tree that all projects share.
    #[default]
    Shared,
    /// From a copy of its own, which it may write to: some servers keep data beside their code.
    Copied,
}

/// The runtime that a person names for a package.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RuntimeChoice {
    /// Bun.
    Bun,
    /// Node.js.
    Node,
    /// A minor version of Python 3.
    Python {
        /// The number behind `3.`.
        minor: u32,
    },
}

/// What is not the name of a runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it is none of `bun`, `node` and `python3.N`")]
pub struct UnknownRuntime;

impl FromStr for RuntimeChoice {
    type Err = UnknownRuntime;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "bun" => Ok(Self::Bun),
            "node" => Ok(Self::Node),
            other => {
                let minor = other.strip_prefix("python3.").ok_or(UnknownRuntime)?;
                let minor = minor.parse().map_err(|_| UnknownRuntime)?;
                let choice = Self::Python { minor };
                // One way to write it.
                if choice.to_string() == other { Ok(choice) } else { Err(UnknownRuntime) }
            }
        }
    }
}

impl fmt::Display for RuntimeChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bun => f.write_str("bun"),
            Self::Node => f.write_str("node"),
            Self::Python { minor } => write!(f, "python3.{minor}"),
        }
    }
}

impl PackageOrigin {
    /// A package whose program gets nothing.
    #[must_use]
    pub fn of(package: PackageSpec) -> Self {
        Self {
            package,
            with: Vec::new(),
            program: None,
            runtime: None,
            files: PackageTreeUse::Shared,
            args: Vec::new(),
            env: Vec::new(),
        }
    }

    /// The same with its variables in order, each once.
    #[must_use]
    pub fn with_variables(mut self, mut env: Vec<String>) -> Self {
        env.sort_unstable();
        env.dedup();
        self.env = env;
        self
    }

    pub(super) fn variables(&self) -> Vec<&str> {
        self.env.iter().map(String::as_str).collect()
    }

    pub(super) fn members(&self) -> Vec<(&'static str, String)> {
        let with: Vec<String> = self.with.iter().map(ToString::to_string).collect();
        let runtime = self.runtime.map(|runtime| runtime.to_string());
        vec![
            ("package", self.package.to_string()),
            ("with", with.join("\n")),
            ("wanted_bin", self.program.clone().unwrap_or_default()),
            ("wanted_runtime", runtime.unwrap_or_default()),
            ("copy", if self.files == PackageTreeUse::Copied { "true" } else { "" }.to_owned()),
            ("args", self.args.join("\n")),
            ("env", self.env.join("\n")),
        ]
    }
}

impl fmt::Display for PackageOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.package)?;
        self.with.iter().try_for_each(|package| write!(f, " with {package}"))?;
        if let Some(program) = &self.program {
            write!(f, " {program}")?;
        }
        self.args.iter().try_for_each(|arg| write!(f, " {arg}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Origin;

    #[test]
    fn a_runtime_is_named_in_one_way() {
        for text in ["bun", "node", "python3.9", "python3.14"] {
            assert_eq!(text.parse::<RuntimeChoice>().unwrap().to_string(), text);
        }
        for other in ["Bun", "python", "python3", "python3.", "python3.011", "python2.7", "deno"] {
            assert_eq!(other.parse::<RuntimeChoice>(), Err(UnknownRuntime), "{other}");
        }
    }

    #[test]
    fn people_read_the_package_and_what_it_is_started_with() {
        let package = PackageOrigin {
            args: vec!["--verbose".to_owned(), ".".to_owned()],
            with: vec!["pypi:mcp<2".parse().unwrap()],
            ..PackageOrigin::of("pypi:mcp-server-git".parse().unwrap())
        };
        let origin = Origin::from(package.with_variables(vec!["B".to_owned(), "A".to_owned()]));
        assert_eq!(origin.to_string(), "pypi:mcp-server-git with pypi:mcp<2 --verbose .");
        assert_eq!(origin.variables(), ["A", "B"]);
        assert!(!origin.is_remote());
        assert!(origin.is_declared_as(&origin.clone()));
    }
}
