//! Who a token belongs to.

use facets_digest::json::Value;
use url::Url;

use crate::answer::AnswerMembers;
use crate::error::RegistryClientError;

/// Who a token belongs to, as the registry says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegistryIdentity {
    /// The owner of the token.
    pub username: String,
    /// What the token may do, such as `publish:*`; empty if the registry does not say.
    pub scopes: Vec<String>,
}

impl RegistryIdentity {
    pub(crate) fn read(url: &Url, value: &Value<'_>) -> Result<Self, RegistryClientError> {
        let members = AnswerMembers::new(url, value);
        let username = members.text("username")?.to_owned();
        Ok(Self { username, scopes: members.optional_texts("scopes")? })
    }
}
