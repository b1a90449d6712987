//! Which registry is asked, and with which token.

use std::path::PathBuf;
use std::time::Duration;

use facets_model::HttpUrl;
use facets_registry_client::{
    RegistryAddress, RegistryClient, RegistryClientError, RegistryClientLimits, RegistryToken,
    TIMEOUT_VARIABLE,
};

use crate::credentials_file::CredentialsFile;
use crate::credentials_text::NewSection;
use crate::error::{OpsError, PublishError};

/// The registry, where no option names one.
const REGISTRY: &str = "FACET_REGISTRY_URL";
/// A token for that registry.
const TOKEN: &str = "FACET_TOKEN";
/// The most seconds that a user may wait for the next bytes of a registry.
const LONGEST_WAIT: u64 = 600;

/// Where a token is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenSource {
    /// `FACET_TOKEN`.
    Environment,
    /// The file of credentials.
    File(PathBuf),
}

/// A token, and where it is from.
pub(crate) struct FoundToken {
    pub(crate) token: RegistryToken,
    pub(crate) source: TokenSource,
}

/// The registry that is asked.
#[derive(Clone, Debug)]
pub(crate) struct RegistryChoice {
    pub(crate) address: RegistryAddress,
    /// What the environment says, if that is anything.
    environment: Option<String>,
    named_by: NamedBy,
}

/// Who named a registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NamedBy {
    /// An option, or the environment.
    User,
    /// A lock, which may be another person's.
    Lock,
}

impl RegistryChoice {
    /// The registry that was typed, or that of the environment; none if neither is there.
    pub(crate) fn find(typed: Option<&str>) -> Result<Option<Self>, OpsError> {
        Ok(Self::of(typed, variable(REGISTRY))?)
    }

    /// The same, where one is needed.
    pub(crate) fn require(typed: Option<&str>) -> Result<Self, OpsError> {
        Ok(Self::find(typed)?.ok_or(PublishError::NotConfigured)?)
    }

    fn of(
        typed: Option<&str>,
        environment: Option<String>,
    ) -> Result<Option<Self>, RegistryClientError> {
        let Some(text) = typed.or(environment.as_deref()) else { return Ok(None) };
        let address = text.parse::<RegistryAddress>()?;
        Ok(Some(Self { address, environment, named_by: NamedBy::User }))
    }

    /// The registry that a lock names.
    pub(crate) fn locked(url: &HttpUrl) -> Result<Self, OpsError> {
        Ok(Self::of_lock(url, variable(REGISTRY))?)
    }

    fn of_lock(url: &HttpUrl, environment: Option<String>) -> Result<Self, RegistryClientError> {
        let address = RegistryAddress::new(url)?;
        Ok(Self { address, environment, named_by: NamedBy::Lock })
    }

    /// Whether it is the registry of the environment; unknown if the environment names none.
    fn is_of_environment(&self) -> Option<bool> {
        let environment = self.environment.as_deref()?.parse::<RegistryAddress>();
        Some(environment.is_ok_and(|environment| environment == self.address))
    }

    /// The section that a new token for it goes into.
    pub(crate) fn new_section(&self) -> NewSection {
        match self.is_of_environment() {
            Some(true) => NewSection::Default,
            Some(false) | None => NewSection::Address,
        }
    }

    /// Whether `FACET_TOKEN` is for this registry: that of the environment, or the one that was typed where the
    /// environment names none. A lock cannot choose who gets it.
    fn takes_environment_token(&self) -> bool {
        self.is_of_environment().unwrap_or(self.named_by == NamedBy::User)
    }

    /// The token for it, if there is one.
    pub(crate) fn find_token(&self) -> Result<Option<FoundToken>, OpsError> {
        if let Some(text) = variable(TOKEN).filter(|_| self.takes_environment_token()) {
            let token = text.trim().parse::<RegistryToken>()?;
            return Ok(Some(FoundToken { token, source: TokenSource::Environment }));
        }
        let file = CredentialsFile::of_person()?;
        let token = file.token(&self.address)?;
        Ok(token.map(|token| FoundToken { token, source: TokenSource::File(file.path) }))
    }

    /// The same, where one is needed.
    pub(crate) fn require_token(&self) -> Result<FoundToken, OpsError> {
        if let Some(found) = self.find_token()? {
            return Ok(found);
        }
        let is_unused = has_token_variable() && !self.takes_environment_token();
        let token_for = is_unused.then(|| {
            let named = self.environment.as_deref().map(str::parse::<RegistryAddress>);
            let named = named.and_then(Result::ok).map(|address| address.to_string());
            named.unwrap_or_else(|| "another registry".to_owned())
        });
        Err(PublishError::NotLoggedIn { registry: self.address.to_string(), token_for }.into())
    }

    /// A client that reads, with a token if there is one.
    pub(crate) fn reader(&self, limits: RegistryClientLimits) -> Result<RegistryClient, OpsError> {
        let found = self.find_token()?;
        let token = found.as_ref().map(|found| &found.token);
        Ok(RegistryClient::new(self.address.clone(), token, limits)?)
    }

    /// A client that has a token for it.
    pub(crate) fn client(&self, token: &RegistryToken) -> Result<RegistryClient, OpsError> {
        let limits = registry_limits()?;
        Ok(RegistryClient::new(self.address.clone(), Some(token), limits)?)
    }
}

/// How long registries are waited for, by the environment.
pub(crate) fn registry_limits() -> Result<RegistryClientLimits, OpsError> {
    Ok(limits_of(variable(TIMEOUT_VARIABLE))?)
}

fn limits_of(seconds: Option<String>) -> Result<RegistryClientLimits, RegistryClientError> {
    let limits = RegistryClientLimits::default();
    let Some(text) = seconds else { return Ok(limits) };
    match text.parse::<u64>() {
        Ok(seconds @ 1..=LONGEST_WAIT) => Ok(limits.waiting(Duration::from_secs(seconds))),
        _ => Err(RegistryClientError::Config {
            place: TIMEOUT_VARIABLE.to_owned(),
            problem: format!("{text:?} is no number of seconds from 1 to {LONGEST_WAIT}"),
        }),
    }
}

/// Whether `FACET_TOKEN` is set.
pub(crate) fn has_token_variable() -> bool {
    variable(TOKEN).is_some()
}

/// A variable that is set and not empty.
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(typed: Option<&str>, environment: Option<&str>) -> RegistryChoice {
        RegistryChoice::of(typed, environment.map(str::to_owned)).unwrap().unwrap()
    }

    const ONE: &str = "https://one.example";
    const TWO: &str = "https://two.example";

    #[test]
    fn what_was_typed_comes_before_the_environment() {
        assert_eq!(choice(Some(ONE), Some(TWO)).address.to_string(), ONE);
        assert_eq!(choice(None, Some(TWO)).address.to_string(), TWO);
        assert!(RegistryChoice::of(None, None).unwrap().is_none());
        assert!(RegistryChoice::of(Some("http://one.example"), None).is_err());
        assert!(RegistryChoice::of(None, Some("one".to_owned())).is_err());
    }

    #[test]
    fn a_token_of_the_environment_goes_to_no_other_registry() {
        let takes = |typed: Option<&str>, environment: Option<&str>| {
            choice(typed, environment).takes_environment_token()
        };
        assert!(takes(None, Some(ONE)) && takes(Some(ONE), None));
        assert!(takes(Some("https://one.example:443/"), Some(ONE)));
        assert!(!takes(Some(ONE), Some(TWO)));
        // Which registry it is for cannot be told.
        assert!(!takes(Some(ONE), Some("one.example")));
    }

    #[test]
    fn a_registry_that_only_a_lock_names_gets_no_token_of_the_environment() {
        let takes = |environment: Option<&str>| {
            let url = ONE.parse().unwrap();
            let choice = RegistryChoice::of_lock(&url, environment.map(str::to_owned)).unwrap();
            choice.takes_environment_token()
        };
        assert!(takes(Some(ONE)));
        assert!(!takes(None) && !takes(Some(TWO)));
    }

    #[test]
    fn a_user_decides_how_long_registries_are_waited_for() {
        assert_eq!(limits_of(None).unwrap(), RegistryClientLimits::default());
        let limits = limits_of(Some("90".to_owned())).unwrap();
        assert_eq!((limits.connect.as_secs(), limits.read.as_secs()), (90, 90));
        for text in ["0", "601", "-1", "1.5", "soon", " 7"] {
            let error = limits_of(Some(text.to_owned())).unwrap_err();
            assert!(error.to_string().starts_with("FACET_REGISTRY_TIMEOUT: "), "{error}");
        }
    }

    #[test]
    fn the_default_registry_is_that_of_the_environment() {
        assert_eq!(choice(None, Some(ONE)).new_section(), NewSection::Default);
        assert_eq!(choice(Some(ONE), Some(ONE)).new_section(), NewSection::Default);
        assert_eq!(choice(Some(ONE), Some(TWO)).new_section(), NewSection::Address);
        assert_eq!(choice(Some(ONE), None).new_section(), NewSection::Address);
    }
}
