//! Who a token belongs to.

use url::Url;

use crate::answer::{AnswerMembers, parse_json};
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
    /// Reads the body of an answer.
    pub fn parse(url: &Url, body: &[u8]) -> Result<Self, RegistryClientError> {
        let value = parse_json(url, body)?;
        let members = AnswerMembers::new(url, &value);
        let username = members.text("username")?.to_owned();
        Ok(Self { username, scopes: members.optional_texts("scopes")? })
    }
}
