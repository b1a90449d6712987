//! A server that is called at an address.

use std::collections::BTreeMap;
use std::fmt;

use crate::url::HttpUrl;

/// A remote server.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AddressOrigin {
    /// Its address.
    pub url: HttpUrl,
    /// Headers, and what their values come from: the name of a variable that holds the whole value, or
    /// `Bearer` and the name of one that holds a token.
    pub headers: BTreeMap<String, String>,
}

/// What begins the source of a header whose variable holds a token alone. A name of a variable has no
/// blank, so nothing else begins like this.
const BEARER: &str = "Bearer ";

/// Where the value of a header comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeaderSource<'s> {
    /// The variable.
    pub variable: &'s str,
    /// Whether it holds a token, which is sent behind the word `Bearer`.
    pub is_bearer: bool,
}

impl<'s> HeaderSource<'s> {
    /// Reads what stands in [`AddressOrigin::headers`].
    #[must_use]
    pub fn parse(written: &'s str) -> Self {
        match written.strip_prefix(BEARER) {
            Some(variable) => Self { variable, is_bearer: true },
            None => Self { variable: written, is_bearer: false },
        }
    }

    /// The value that is sent, of the value that the variable has.
    #[must_use]
    pub fn value(self, held: &str) -> String {
        if self.is_bearer { format!("{BEARER}{held}") } else { held.to_owned() }
    }
}

/// As it stands in [`AddressOrigin::headers`].
impl fmt::Display for HeaderSource<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.value(self.variable))
    }
}

impl AddressOrigin {
    pub(super) fn variables(&self) -> Vec<&str> {
        self.headers.values().map(|written| HeaderSource::parse(written).variable).collect()
    }

    pub(super) fn members(&self) -> Vec<(&'static str, String)> {
        let headers = self.headers.iter().map(|(name, variable)| format!("{name}={variable}"));
        let headers: Vec<String> = headers.collect();
        vec![("url", self.url.to_string()), ("headers", headers.join("\n"))]
    }
}

impl fmt::Display for AddressOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.url.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_has_the_value_of_a_variable_or_the_word_bearer_and_that() {
        let whole = HeaderSource::parse("TOKEN");
        assert_eq!((whole.value("Basic x"), whole.to_string()), ("Basic x".into(), "TOKEN".into()));
        let token = HeaderSource::parse("Bearer TOKEN");
        assert_eq!((token.variable, token.value("x")), ("TOKEN", "Bearer x".to_owned()));
        assert_eq!(token.to_string(), "Bearer TOKEN");
    }
}
