//! Variables and headers by their names. People type values there, and those may be secrets: what is wrong
//! is said after parsing, because the parser would repeat what was typed.

use std::convert::Infallible;
use std::str::FromStr;

use facets_model::VariableName;
use facets_ops::client_files::looks_like_secret;

/// What was typed for `--env`.
#[derive(Clone)]
pub(crate) struct VariableArgument(String);

/// What was typed for `--header`.
#[derive(Clone)]
pub(crate) struct HeaderArgument(String);

impl FromStr for VariableArgument {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self(text.to_owned()))
    }
}

impl FromStr for HeaderArgument {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self(text.to_owned()))
    }
}

impl std::fmt::Debug for VariableArgument {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("VariableArgument(…)")
    }
}

impl std::fmt::Debug for HeaderArgument {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("HeaderArgument(…)")
    }
}

impl VariableArgument {
    /// The name, once nothing is wrong with it.
    pub(crate) fn into_name(self) -> String {
        self.0
    }

    /// What is wrong with it, without the value. `verb` is what was typed.
    pub(super) fn problem(&self, verb: &str) -> Option<String> {
        let text = &self.0;
        if is_variable(text) {
            return None;
        }
        let example = match text.split_once('=') {
            Some((name, _)) if is_variable(name) => name,
            _ => "NAME",
        };
        Some(format!(
            "--env takes the name of a variable; its value comes from the environment: \
             {example}=… facet {verb} … --env {example}"
        ))
    }
}

impl HeaderArgument {
    /// The header and the variable that holds its value, once nothing is wrong with them.
    pub(crate) fn into_pair(self) -> (String, String) {
        let (name, variable) = self.0.split_once('=').unwrap_or((&self.0, ""));
        (name.to_owned(), variable.to_owned())
    }

    pub(super) fn problem(&self, verb: &str) -> Option<String> {
        let text = &self.0;
        let token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
        let is_header = |name: &str| !name.is_empty() && name.chars().all(token);
        let pair = text.split_once('=').filter(|(name, _)| is_header(name));
        if pair.is_some_and(|(_, variable)| is_variable(variable)) {
            return None;
        }
        // As curl takes it.
        let colon = || text.split_once(':').filter(|(name, _)| is_header(name));
        let name = pair.or_else(colon).map_or("NAME", |(name, _)| name);
        Some(format!(
            "--header takes the name of a header and the name of a variable; the whole value of the \
             header comes from the environment: MY_VALUE=… facet {verb} … --header {name}=MY_VALUE"
        ))
    }
}

/// Whether a text is the name of a variable, and no secret that looks like one.
fn is_variable(text: &str) -> bool {
    let is_set = || std::env::var_os(text).is_some();
    text.parse::<VariableName>().is_ok() && (!looks_like_secret(text) || is_set())
}
