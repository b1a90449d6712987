use clap::Subcommand;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use facets_model::RuntimeName;

use super::examples;

#[derive(Debug, clap::Args)]
#[command(after_help = examples::RUNTIME)]
pub(crate) struct RuntimeArguments {
    #[command(subcommand)]
    pub(crate) command: Option<RuntimeCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RuntimeCommand {
    /// List the runtimes for this machine, and which are installed
    List,
    /// Fetch runtimes from the npm registry of your configuration, and verify them
    Install {
        /// The runtime; bun if none is given
        #[arg(value_parser = runtime_name())]
        name: Option<RuntimeName>,
    },
    /// Remove runtimes; they are fetched again when a server needs them
    Remove {
        /// The runtime; all of them if none is given
        #[arg(value_parser = runtime_name())]
        name: Option<RuntimeName>,
    },
}

/// A runtime by its name: a wrong one is answered with all of them.
fn runtime_name() -> impl TypedValueParser<Value = RuntimeName> {
    let names = PossibleValuesParser::new(RuntimeName::MANAGED.map(RuntimeName::name));
    names.try_map(|name| RuntimeName::of(&name).ok_or("no such runtime"))
}
