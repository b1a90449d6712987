//! A server that is called at an address.

use std::collections::BTreeMap;
use std::fmt;

use crate::url::HttpUrl;

/// A remote server.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AddressOrigin {
    /// Its address.
    pub url: HttpUrl,
    /// Headers, and the variables that hold their values.
    pub headers: BTreeMap<String, String>,
}

impl AddressOrigin {
    pub(super) fn variables(&self) -> Vec<&str> {
        self.headers.values().map(String::as_str).collect()
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
