//! Variables that a package may be given.

use facets_model::PackageOrigin;
use facets_runtime::is_variable_of_bun;

use crate::entry_variables::is_refused;
use crate::error::{OpsError, PackageStartError};

/// Variables that begin so choose code, or another registry.
const CHOOSING: [&str; 6] = ["NODE_", "PYTHON", "NPM_CONFIG_", "UV_", "PIP_", "PIPX_"];

/// Of these, what only tells a program in which surroundings it runs.
const HARMLESS: [&str; 2] = ["NODE_ENV", "NODE_EXTRA_CA_CERTS"];

/// spec 10.8: no variable decides which code runs
pub(crate) fn require_harmless(origin: &PackageOrigin) -> Result<(), OpsError> {
    match origin.env.iter().find(|name| is_choosing(name) || is_refused(name)) {
        Some(name) => Err(PackageStartError::Variable { variable: name.clone() }.into()),
        None => Ok(()),
    }
}

fn is_choosing(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    let is_harmless = HARMLESS.contains(&name) || name.starts_with("PYTHONIO");
    !is_harmless
        && (is_variable_of_bun(name) || CHOOSING.iter().any(|prefix| upper.starts_with(prefix)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_that_choose_code_are_known() {
        for name in ["NODE_OPTIONS", "PYTHONPATH", "npm_config_registry", "UV_INDEX", "LD_PRELOAD"]
        {
            assert!(is_choosing(name), "{name}");
        }
        for name in ["NODE_ENV", "TOKEN", "PIPELINE", "HOME", "PYTHONIOENCODING"] {
            assert!(!is_choosing(name), "{name}");
        }
    }
}
