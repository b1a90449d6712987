//! Names that a shell can complete, and names of a fixed list.

use std::fs;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap_complete::CompletionCandidate;
use clap_complete::engine::ArgValueCandidates;
use facets_lock::Lock;
use facets_model::ArtifactName;
use facets_ops::client_files::Client;
use facets_project::{LOCK, project_around};

/// More than any lock has.
const MAX_LOCK: u64 = 64 << 20;

/// The servers of the project that the shell is in.
pub(crate) fn server_names() -> ArgValueCandidates {
    ArgValueCandidates::new(|| candidates(facets_ops::list::server_names()))
}

/// The facets and servers of the project that the shell is in.
pub(crate) fn installed_names() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let mut names = facet_names();
        names.extend(facets_ops::list::server_names());
        candidates(names)
    })
}

/// The facets that are locked here, as far as they can be read.
fn facet_names() -> Vec<String> {
    let here = std::env::current_dir().unwrap_or_default();
    let lock = project_around(&here).unwrap_or(here).join(LOCK);
    // A shell does not wait for a file that never ends.
    let is_small = fs::metadata(&lock).is_ok_and(|data| data.is_file() && data.len() <= MAX_LOCK);
    let bytes = is_small.then(|| fs::read(&lock).ok()).flatten();
    let Some(lock) = bytes.and_then(|bytes| Lock::parse(&bytes).ok()) else { return Vec::new() };
    // What a shell is offered may be run by it: a lock can hold anything under `facets`.
    let is_name = |name: &&String| name.parse::<ArtifactName>().is_ok();
    lock.facets().keys().filter(is_name).cloned().collect()
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

/// The same of a client with folders for skills, agents and commands.
pub(crate) fn asset_client() -> impl TypedValueParser<Value = Client> {
    let names = facets_clients::assets::CLIENTS.iter().map(|client| client.name());
    PossibleValuesParser::new(names).try_map(|name| name.parse::<Client>())
}
