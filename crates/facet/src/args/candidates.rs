//! Names that a shell can complete, and names of a fixed list.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap_complete::CompletionCandidate;
use clap_complete::engine::ArgValueCandidates;
use facets_ops::client_files::Client;

/// The servers of the project that the shell is in.
pub(crate) fn server_names() -> ArgValueCandidates {
    ArgValueCandidates::new(|| candidates(facets_ops::list::server_names()))
}

/// Every code that `facet explain` knows.
pub(crate) fn code_names() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let codes = facets_ops::explain::codes();
        candidates(codes.all().iter().map(|explanation| explanation.code.to_owned()).collect())
    })
}

fn candidates(names: Vec<String>) -> Vec<CompletionCandidate> {
    names.into_iter().map(CompletionCandidate::new).collect()
}

/// A client by its name: a wrong one is answered with all of them.
pub(crate) fn client() -> impl TypedValueParser<Value = Client> {
    let names = PossibleValuesParser::new(Client::ALL.iter().map(|client| client.name()));
    names.try_map(|name| name.parse::<Client>())
}
