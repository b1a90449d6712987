//! The interpreter that a server runs on: packages and their wheels depend on it.

use std::fmt;
use std::str::FromStr;

use facets_model::PlatformName;

/// A minor version of Python 3: bytecode and compiled modules of one do not load in another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PythonVersion {
    /// The number behind `3.`.
    pub minor: u32,
}

impl fmt::Display for PythonVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "3.{}", self.minor)
    }
}

impl FromStr for PythonVersion {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let minor = text.strip_prefix("3.").ok_or(())?;
        let is_number =
            !minor.is_empty() && minor.len() <= 3 && minor.bytes().all(|b| b.is_ascii_digit());
        let is_plain = minor == "0" || !minor.starts_with('0');
        if is_number && is_plain {
            minor.parse().map(|minor| Self { minor }).map_err(|_| ())
        } else {
            Err(())
        }
    }
}

/// An interpreter and the machine that it runs on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PythonTarget {
    /// Its version.
    pub python: PythonVersion,
    /// The machine.
    pub platform: PlatformName,
    /// The version of its C library (`2.36` of glibc, `1.2` of musl), or of macOS.
    pub system: (u32, u32),
}
