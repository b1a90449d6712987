//! How a server is started, or where it is called.

use std::collections::BTreeMap;

use facets_digest::json::{quoted, write_list, write_string};
use facets_digest::{Digest, Hasher};

/// Exactly what is started or called.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Launch {
    /// A command, without a shell.
    Command {
        /// The program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// The names of the variables that it sees, sorted.
        env: Vec<String>,
    },
    /// A remote server.
    Url {
        /// Its address.
        url: String,
        /// Headers, and the variables that hold their values.
        headers: BTreeMap<String, String>,
    },
}

impl Launch {
    /// A command with its variables in order.
    #[must_use]
    pub fn command(command: String, args: Vec<String>, mut env: Vec<String>) -> Self {
        env.sort_unstable();
        env.dedup();
        Self::Command { command, args, env }
    }

    /// The members of a lock entry that say how it starts, as JSON.
    #[must_use]
    pub(crate) fn members(&self) -> Vec<(&'static str, String)> {
        let list = |items: &[String]| {
            let mut out = Vec::new();
            write_list(['[', ']'], items, &mut out, |item, out| write_string(item, out));
            String::from_utf8_lossy(&out).into_owned()
        };
        match self {
            Self::Command { command, args, env } => {
                vec![("command", quoted(command)), ("args", list(args)), ("env", list(env))]
            }
            Self::Url { url, headers } => {
                let pairs: Vec<(&String, &String)> = headers.iter().collect();
                let mut out = Vec::new();
                write_list(['{', '}'], &pairs, &mut out, |(name, variable), out| {
                    write_string(name, out);
                    out.push(b':');
                    write_string(variable, out);
                });
                let headers = String::from_utf8_lossy(&out).into_owned();
                vec![("url", quoted(url)), ("headers", headers)]
            }
        }
    }

    /// spec 8.2: the digest of exactly this
    #[must_use]
    pub fn digest(&self) -> Digest {
        let mut members = self.members();
        members.sort_unstable();
        let mut form = Vec::new();
        write_list(['{', '}'], &members, &mut form, |(name, value), out| {
            write_string(name, out);
            out.push(b':');
            out.extend_from_slice(value.as_bytes());
        });
        let mut hasher = Hasher::with_domain("launch");
        hasher.update(&form);
        hasher.finish()
    }
}

impl std::fmt::Display for Launch {
    /// For people: the command line or the address.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Command { command, args, .. } => {
                f.write_str(command)?;
                args.iter().try_for_each(|arg| write!(f, " {arg}"))
            }
            Self::Url { url, .. } => f.write_str(url),
        }
    }
}
