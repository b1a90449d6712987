//! Which registry something comes from: the one that is configured, if that is the locked one.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use facets_model::HttpUrl;
use facets_registry_client::{RegistryAddress, RegistryClient, RegistryClientLimits};

use crate::error::{AcquireError, OpsError, PublishError};
use crate::registry_choice::RegistryChoice;

/// The registries of one command, each with one client.
pub(super) struct RegistryOrigins {
    /// What was typed, or is in the environment.
    configured: Option<RegistryChoice>,
    /// Whether the configured one may replace a locked one.
    accepts_other: bool,
    /// What is asked about names that are not locked, where none is configured.
    usual: Option<HttpUrl>,
    limits: RegistryClientLimits,
    clients: Mutex<BTreeMap<RegistryAddress, Arc<RegistryClient>>>,
}

impl RegistryOrigins {
    pub(super) fn new(
        configured: Option<RegistryChoice>,
        accepts_other: bool,
        usual: Option<HttpUrl>,
        limits: RegistryClientLimits,
    ) -> Self {
        let clients = Mutex::new(BTreeMap::new());
        Self { configured, accepts_other, usual, limits, clients }
    }

    /// The registry that a thing comes from, which may be locked to one.
    pub(super) fn client(
        &self,
        subject: &str,
        locked: Option<&HttpUrl>,
        near: Option<&HttpUrl>,
    ) -> Result<Arc<RegistryClient>, OpsError> {
        let choice = self.choose(subject, locked, near)?;
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = clients.get(&choice.address) {
            return Ok(Arc::clone(client));
        }
        let client = Arc::new(choice.reader(self.limits.clone())?);
        clients.insert(choice.address, Arc::clone(&client));
        Ok(client)
    }

    /// Where that is, as a lock has it. The spelling of the lock stays.
    pub(super) fn address(
        &self,
        subject: &str,
        locked: Option<&HttpUrl>,
        near: Option<&HttpUrl>,
    ) -> Result<HttpUrl, OpsError> {
        let choice = self.choose(subject, locked, near)?;
        let is_same = |url: &&HttpUrl| {
            RegistryAddress::new(url).is_ok_and(|address| address == choice.address)
        };
        if let Some(locked) = locked.filter(is_same) {
            return Ok(locked.clone());
        }
        let text = choice.address.to_string();
        text.parse().map_err(|_| OpsError::Internal { subject: format!("the address {text}") })
    }

    fn choose(
        &self,
        subject: &str,
        locked: Option<&HttpUrl>,
        near: Option<&HttpUrl>,
    ) -> Result<RegistryChoice, OpsError> {
        let Some(configured) = &self.configured else {
            let known = locked.or(near).or(self.usual.as_ref());
            return RegistryChoice::locked(known.ok_or(PublishError::NotConfigured)?);
        };
        if let Some(locked) = locked.filter(|_| !self.accepts_other) {
            let pinned = RegistryChoice::locked(locked)?;
            if pinned.address != configured.address {
                return Err(AcquireError::RegistryChanged {
                    subject: subject.to_owned(),
                    locked: pinned.address.to_string(),
                    configured: configured.address.to_string(),
                }
                .into());
            }
        }
        Ok(configured.clone())
    }
}

#[cfg(test)]
mod tests {
    use facets_failure::Describe as _;

    use super::*;

    const ONE: &str = "http://127.0.0.1:1";
    const TWO: &str = "http://127.0.0.1:2";

    fn url(text: &str) -> HttpUrl {
        text.parse().unwrap()
    }

    fn chosen(
        configured: Option<&str>,
        accepts_other: bool,
        usual: Option<&str>,
        locked: Option<&str>,
    ) -> Result<String, &'static str> {
        let configured = configured.map(|text| RegistryChoice::find(Some(text)).unwrap().unwrap());
        let limits = RegistryClientLimits::default();
        let origins = RegistryOrigins::new(configured, accepts_other, usual.map(url), limits);
        let choice = origins.choose("facet demo", locked.map(url).as_ref(), None);
        choice.map(|choice| choice.address.to_string()).map_err(|error| error.code())
    }

    #[test]
    fn a_locked_registry_is_replaced_only_if_that_was_accepted() {
        assert_eq!(chosen(Some(ONE), false, None, Some(ONE)).as_deref(), Ok(ONE));
        assert_eq!(chosen(Some("http://127.0.0.1:1/"), false, None, Some(ONE)).as_deref(), Ok(ONE));
        assert_eq!(chosen(Some(TWO), false, None, Some(ONE)), Err("registry-changed"));
        assert_eq!(chosen(Some(TWO), true, None, Some(ONE)).as_deref(), Ok(TWO));
        assert_eq!(chosen(Some(TWO), false, Some(ONE), None).as_deref(), Ok(TWO));
    }

    #[test]
    fn without_a_configured_registry_the_locked_one_is_asked() {
        assert_eq!(chosen(None, false, None, Some(ONE)).as_deref(), Ok(ONE));
        assert_eq!(chosen(None, true, Some(TWO), Some(ONE)).as_deref(), Ok(ONE));
        assert_eq!(chosen(None, false, Some(TWO), None).as_deref(), Ok(TWO));
        assert_eq!(chosen(None, false, None, None), Err("registry-not-configured"));
        assert_eq!(chosen(None, false, None, Some("http://r.example")), Err("registry-address"));
    }

    #[test]
    fn each_registry_has_one_client() {
        let origins = RegistryOrigins::new(None, false, None, RegistryClientLimits::default());
        let client = |text: &str| origins.client("facet demo", Some(&url(text)), None).unwrap();
        assert!(Arc::ptr_eq(&client(ONE), &client("http://127.0.0.1:1/")));
        assert!(!Arc::ptr_eq(&client(ONE), &client(TWO)));
        let address = |locked: Option<&str>, near: &str| {
            origins.address("facet demo", locked.map(url).as_ref(), Some(&url(near))).unwrap()
        };
        let spelled = "http://127.0.0.1:1/";
        assert_eq!(address(Some(spelled), TWO), url(spelled));
        assert_eq!(address(None, spelled), url(ONE));
    }
}
