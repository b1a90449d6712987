//! Variables in the entries of clients: facet runs in the same environment as they set up, and they are
//! meant for the server alone.

use facets_clients::Entry;
use facets_launch::FOR_SERVER;

/// What begins the names of variables that change programs before they begin: also those of facet.
const OF_THE_LOADER: [&str; 2] = ["LD_", "DYLD_"];

/// What begins the names of variables that are facet's own.
const OF_FACET: &str = "FACET_";

/// Whether a variable must not be taken over from an entry.
pub(crate) fn is_refused(variable: &str) -> bool {
    OF_THE_LOADER.iter().any(|prefix| variable.starts_with(prefix))
        || variable.starts_with(OF_FACET)
}

/// What the variables of an entry are called from now on.
pub(crate) fn renamed_variables(entry: &Entry) -> Vec<(String, String)> {
    let is_new = |name: &&String| !name.starts_with(FOR_SERVER);
    let names = entry.env.iter().map(|(name, _)| name).filter(is_new);
    names.map(|name| (name.clone(), format!("{FOR_SERVER}{name}"))).collect()
}

/// The variable that holds a header's value from now on.
pub(crate) fn variable_for(server: &str, header: &str) -> String {
    format!("{}{}", header_prefix(server), as_variable(header))
}

/// What begins the variables that hold headers of a server.
pub(crate) fn header_prefix(server: &str) -> String {
    format!("{OF_FACET}{}_", as_variable(server))
}

fn as_variable(text: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    text.chars().map(letter).collect()
}

/// Whether only the client can say what a text stands for.
pub(crate) fn has_placeholder(text: &str) -> bool {
    ["${", "{env:", "{file:"].iter().any(|sign| text.contains(sign))
}
