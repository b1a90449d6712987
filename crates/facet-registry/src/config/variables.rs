//! Variables of the environment that look like settings and are none.

use facets_failure::similar_names;

use super::table::{SETTINGS, Setting};
use crate::error::ProgramError;

const PREFIX: &str = "FACET_REGISTRY_";

/// The configuration file, and for the command `facet` the registry that it talks to and how long it waits.
const OTHERS: &[&str] = &["CONFIG", "TIMEOUT", "URL"];

/// Refuses a variable that is no setting: it would have no effect, unnoticed.
fn check_variables(names: impl IntoIterator<Item = String>) -> Result<(), ProgramError> {
    let known: Vec<String> = SETTINGS.iter().map(Setting::variable).collect();
    for name in names {
        let Some(rest) = name.strip_prefix(PREFIX) else { continue };
        if OTHERS.contains(&rest) || is_of_kubernetes(rest) || known.contains(&name) {
            continue;
        }
        let similar = similar_names(&name, known.iter().map(String::as_str));
        let similar = similar.first().map(|name| (*name).to_owned());
        return Err(ProgramError::UnknownVariable { name, similar });
    }
    Ok(())
}

/// A service with the name `facet-registry` gives these to every container of its namespace.
fn is_of_kubernetes(rest: &str) -> bool {
    ["PORT", "SERVICE_HOST", "SERVICE_PORT"].contains(&rest)
        || rest.starts_with("PORT_")
        || rest.starts_with("SERVICE_PORT_")
}

/// The variables of this process.
pub(crate) fn check_environment() -> Result<(), ProgramError> {
    check_variables(std::env::vars_os().filter_map(|(name, _)| name.into_string().ok()))
}

#[cfg(test)]
mod tests {
    use facets_failure::Describe as _;

    use super::*;

    fn check(names: &[&str]) -> Result<(), ProgramError> {
        check_variables(names.iter().map(|name| (*name).to_owned()))
    }

    #[test]
    fn a_misspelt_variable_is_refused_with_the_right_one() {
        let error = check(&["HOME", "FACET_REGISTRY_PRIVAT"]).unwrap_err();
        assert_eq!(error.code(), "variable-unknown");
        assert_eq!(error.actual().as_deref(), Some("FACET_REGISTRY_PRIVAT"));
        assert!(error.expected().unwrap().contains("`FACET_REGISTRY_PRIVATE`"), "{error:?}");
        assert!(check(&["FACET_REGISTRY_"]).is_err());
    }

    #[test]
    fn variables_of_others_are_left_alone() {
        for setting in SETTINGS {
            assert!(check(&[&setting.variable()]).is_ok(), "{}", setting.name);
            let rest = setting.variable().replacen(PREFIX, "", 1);
            assert!(!is_of_kubernetes(&rest), "{rest}");
        }
        let others = [
            "FACET_REGISTRY_CONFIG",
            "FACET_REGISTRY_URL",
            "FACET_REGISTRY_TIMEOUT",
            "FACET_REGISTRY_SERVICE_HOST",
            "FACET_REGISTRY_SERVICE_PORT_HTTP",
            "FACET_REGISTRY_PORT",
            "FACET_REGISTRY_PORT_8080_TCP_ADDR",
            "FACET_TOKEN",
        ];
        assert!(check(&others).is_ok());
    }
}
