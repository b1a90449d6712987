//! Arguments of `facet add`.

use std::ffi::OsString;
use std::path::PathBuf;

use facets_model::{PackageSpec, RuntimeChoice};

use super::examples;
use super::install::REGISTRY;
use super::level::Level;
use super::named_values::{HeaderArgument, VariableArgument};
use crate::local_source::is_local;
use crate::package_source::contradiction;
use crate::registry_source::registry_name;

#[derive(Debug, clap::Args)]
#[command(after_help = examples::ADD)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option that a person types")]
pub(crate) struct Add {
    /// The name of the server in this project
    pub(crate) name: String,
    /// npm:PACKAGE, pypi:PACKAGE, an http(s) URL, the directory of a server with a server.yaml, its
    /// .server.tar.gz, or NAME or NAME@VERSION of a server on a registry
    #[arg(value_name = "SOURCE", required_unless_present = "words")]
    pub(crate) url: Option<String>,
    /// The command to start, or the arguments of a package, after `--`
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) words: Vec<OsString>,
    /// Replace the pinned server of this name: shows what changed, then asks
    #[arg(long)]
    pub(crate) replace: bool,
    /// The same as --accept moderate
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Accept findings up to this severity without asking
    #[arg(long, value_enum, value_name = "LEVEL")]
    pub(crate) accept: Option<Level>,
    /// Pass this environment variable to the command or package
    #[arg(long = "env", short = 'e', value_name = "NAME")]
    pub(crate) variables: Vec<VariableArgument>,
    /// Install this package beside it: npm:NAME or pypi:NAME, with a version or without
    #[arg(long = "with", value_name = "PACKAGE")]
    pub(crate) with: Vec<PackageSpec>,
    /// Start this program of the package [default: the one that npx or uvx would start]
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) bin: Option<String>,
    /// Start the package with bun, node or python3.N [default: what it starts with]
    #[arg(long, value_name = "RUNTIME")]
    pub(crate) runtime: Option<RuntimeChoice>,
    /// Start the package from a copy of its own, which it may write to
    #[arg(long)]
    pub(crate) copy: bool,
    /// Leave out packages that were published in the last days
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u64).range(0..=3650))]
    pub(crate) min_age: Option<u64>,
    /// Keep a command such as npx or uvx as it is; pins no bytes of its packages
    #[arg(long, conflicts_with = "url")]
    pub(crate) as_command: bool,
    /// Send a header with the value of an environment variable
    #[arg(long = "header", value_name = "NAME=ENVVAR", conflicts_with = "words")]
    pub(crate) headers: Vec<HeaderArgument>,
    /// Start the server in this directory, relative to the project
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    #[arg(long, value_name = "URL", conflicts_with = "words", help = REGISTRY)]
    pub(crate) registry: Option<String>,
    /// Also scan the source of the server, now and at every check
    #[arg(long, value_name = "DIR|FILE")]
    pub(crate) source: Option<PathBuf>,
    /// Seconds to wait for its first answer, now and later [default: 30, 60 for npx, uvx, docker and the like]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=600))]
    pub(crate) timeout: Option<u64>,
}

impl Add {
    /// An option that means nothing for what is added.
    pub(super) fn misplaced_option(&self) -> Option<&'static str> {
        if let Some(package) = self.package() {
            return self.misplaced_with_package(&package);
        }
        if self.url.is_some() && !self.words.is_empty() {
            return Some(
                "a command after `--` cannot be used with a SOURCE, except arguments of a package",
            );
        }
        if self.url.is_some() && !self.variables.is_empty() {
            return Some("`--env` is for commands and packages");
        }
        if !self.with.is_empty() || self.bin.is_some() || self.runtime.is_some() || self.copy {
            return Some(
                "`--with`, `--bin`, `--runtime` and `--copy` are for npm: and pypi: packages",
            );
        }
        let is_local = self.url.as_deref().is_some_and(is_local);
        if self.url.as_deref().is_some_and(|word| registry_name(word).is_some()) {
            return self.misplaced_with_registry();
        }
        if self.registry.is_some() {
            return Some("`--registry` is for the name of a server on a registry");
        }
        let is_address = self.url.is_some() && !is_local;
        if is_local && self.source.is_some() {
            Some("`--source` is for commands and URLs: the source of this server is what is added")
        } else if is_local && !self.headers.is_empty() {
            Some("`--header` is for URLs")
        } else if is_address && self.cwd.is_some() {
            Some("`--cwd` cannot be used with a URL")
        } else {
            None
        }
    }

    /// The package that was typed, if it is one.
    pub(crate) fn package(&self) -> Option<PackageSpec> {
        self.url.as_deref()?.parse().ok()
    }

    /// The same for a package.
    fn misplaced_with_package(&self, package: &PackageSpec) -> Option<&'static str> {
        if !self.headers.is_empty() {
            Some("`--header` is for URLs")
        } else if self.registry.is_some() {
            Some(
                "`--registry` is for the name of a server on a registry of facet; npm's and pip's own configuration counts here",
            )
        } else if self.source.is_some() {
            Some("`--source` is for commands and URLs: the files of a package are scanned anyway")
        } else {
            contradiction(package, &self.with, self.runtime)
        }
    }

    /// The same for a server of a registry, whose manifest says how it starts.
    fn misplaced_with_registry(&self) -> Option<&'static str> {
        if self.source.is_some() {
            Some("`--source` is for commands and URLs: the source of this server is what is added")
        } else if !self.headers.is_empty() {
            Some("`--header` is for URLs")
        } else if self.cwd.is_some() {
            Some("`--cwd` cannot be used with a server of a registry")
        } else if self.replace {
            Some("`--replace` cannot be used with a server of a registry: run `facet remove` first")
        } else if self.timeout.is_some() {
            Some("`--timeout` cannot be used with a server of a registry")
        } else {
            None
        }
    }
}
