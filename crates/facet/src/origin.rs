//! What was typed becomes the origin of a server.

use std::collections::BTreeMap;
use std::ffi::OsString;

use facets_model::{
    AddressOrigin, ArtifactSource, CommandOrigin, LocalPath, Origin, SourceModeOrigin,
};
use facets_ops::{OpsError, ServerError};

use crate::args::{HeaderArgument, VariableArgument};
use crate::typed;

/// A command line, and the names of its variables.
pub(crate) fn of_words(
    words: Vec<OsString>,
    variables: Vec<VariableArgument>,
) -> Result<Origin, OpsError> {
    let words: Result<Vec<String>, _> = words.into_iter().map(OsString::into_string).collect();
    let mut words = words.map_err(|_| ServerError::NotText)?.into_iter();
    let command = words.next().unwrap_or_default();
    let variables = variables.into_iter().map(VariableArgument::into_name).collect();
    Ok(CommandOrigin::new(command, words.collect(), variables).into())
}

/// A directory that is built, or an archive.
pub(crate) fn of_path(word: &str) -> Result<Origin, OpsError> {
    let typed = if LocalPath::is_meant_by(word) { word.to_owned() } else { format!("./{word}") };
    // A directory is the same with and without a slash behind it.
    let path = match typed.trim_end_matches('/') {
        "" | "." | ".." => typed.as_str(),
        trimmed => trimmed,
    };
    let path: LocalPath = path.parse().map_err(|_| ServerError::NotText)?;
    Ok(SourceModeOrigin::new(ArtifactSource::Local { path }, Vec::new()).into())
}

/// An address, and its headers with the variables that hold their values. `before` are the words that
/// were typed before it.
pub(crate) fn of_address(
    url: &str,
    headers: Vec<HeaderArgument>,
    before: &[&str],
) -> Result<Origin, OpsError> {
    let next = || typed::with_scheme(before, url);
    let url = url.parse().map_err(|source| OpsError::BadUrl { source, next: next() })?;
    let mut named = BTreeMap::new();
    for (name, variable) in headers.into_iter().map(HeaderArgument::into_pair) {
        if named.insert(name.clone(), variable).is_some() {
            return Err(OpsError::HeaderTwice { name });
        }
    }
    Ok(AddressOrigin { url, headers: named }.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typed_path_cannot_be_taken_for_a_name_once_it_is_written() {
        for (typed, path) in [
            ("server", "./server"),
            ("./server/", "./server"),
            ("../server", "../server"),
            ("/srv/server", "/srv/server"),
            (".", "./."),
            ("..", "./.."),
            ("a.server.tar.gz", "./a.server.tar.gz"),
        ] {
            assert_eq!(of_path(typed).unwrap().to_string(), path, "{typed}");
        }
    }
}
