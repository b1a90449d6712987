//! A server that is started by a command line.

use std::fmt;

/// A command line, without a shell.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CommandOrigin {
    /// The program.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// The names of the variables that it sees, sorted.
    pub env: Vec<String>,
}

impl CommandOrigin {
    /// A command line with its variables in order, each once.
    #[must_use]
    pub fn new(command: String, args: Vec<String>, mut env: Vec<String>) -> Self {
        env.sort_unstable();
        env.dedup();
        Self { command, args, env }
    }

    /// The program and its arguments.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.command.as_str()).chain(self.args.iter().map(String::as_str))
    }

    pub(super) fn variables(&self) -> Vec<&str> {
        self.env.iter().map(String::as_str).collect()
    }

    pub(super) fn members(&self) -> Vec<(&'static str, String)> {
        vec![
            ("command", self.command.clone()),
            ("args", self.args.join("\n")),
            ("env", self.env.join("\n")),
        ]
    }
}

impl fmt::Display for CommandOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.command)?;
        self.args.iter().try_for_each(|arg| write!(f, " {arg}"))
    }
}
