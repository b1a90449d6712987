//! `facet login` and `facet logout`: the token for a registry is checked, stored, and forgotten.

use std::path::PathBuf;

use facets_registry_client::{RegistryClientError, RegistryToken};

use crate::credentials_file::CredentialsFile;
use crate::error::{OpsError, PublishError};
use crate::input::Input;
use crate::outside_servers::refuse_inside_server;
use crate::registry_choice::{RegistryChoice, has_token_variable};

/// More than any token has.
const MAX_TOKEN: u64 = 64 << 10;

/// Whom to ask for a token.
pub trait TokenPrompt {
    /// The token for a registry, typed without being shown; none if there is no terminal, or nothing was typed.
    fn ask(&self, registry: &str) -> Option<String>;
}

/// Which registry to log in to, and with what.
#[derive(Debug)]
pub struct LoginRequest {
    /// The registry; none is that of the environment.
    pub registry: Option<String>,
    /// Where the token is read from; none is a terminal.
    pub token: Option<Input>,
}

/// What was stored.
#[derive(Debug)]
pub struct LoginReport {
    /// The registry.
    pub registry: String,
    /// Who the token belongs to.
    pub username: String,
    /// What it may do.
    pub scopes: Vec<String>,
    /// Where it was stored.
    pub file: PathBuf,
}

/// Asks a registry whom a token belongs to, and stores it if the registry knows it.
pub fn login(request: &LoginRequest, prompt: &dyn TokenPrompt) -> Result<LoginReport, OpsError> {
    refuse_inside_server()?;
    let choice = RegistryChoice::require(request.registry.as_deref())?;
    // Before anything is typed: a file that cannot be used is found at once.
    let mut file = CredentialsFile::of_person_to_write()?;
    let token = read_token(request, &choice, prompt)?;
    let identity = choice.client(&token)?.whoami().map_err(|error| rejected(&choice, error))?;
    file.store(&choice.address, &token, choice.new_section())?;
    Ok(LoginReport {
        registry: choice.address.to_string(),
        username: identity.username,
        scopes: identity.scopes,
        file: file.path,
    })
}

/// A registry advises to log in, which is what is being done.
fn rejected(choice: &RegistryChoice, error: RegistryClientError) -> OpsError {
    let is_unauthorized = error.problem().is_some_and(|problem| problem.status == 401);
    if is_unauthorized {
        return PublishError::TokenRejected { registry: choice.address.to_string() }.into();
    }
    error.into()
}

fn read_token(
    request: &LoginRequest,
    choice: &RegistryChoice,
    prompt: &dyn TokenPrompt,
) -> Result<RegistryToken, OpsError> {
    let registry = choice.address.to_string();
    let text = match &request.token {
        Some(input) => {
            let bytes = input.read(MAX_TOKEN)?;
            // What is not UTF-8 is no token, either.
            Some(String::from_utf8_lossy(&bytes).into_owned())
        }
        None => prompt.ask(&registry),
    };
    match text.as_deref().map(str::trim).filter(|text| !text.is_empty()) {
        Some(text) => Ok(text.parse::<RegistryToken>()?),
        None => Err(PublishError::NoToken { registry }.into()),
    }
}

/// Which registry to log out of.
#[derive(Debug)]
pub struct LogoutRequest {
    /// The registry; none is that of the environment.
    pub registry: Option<String>,
}

/// What was forgotten.
#[derive(Debug)]
pub struct LogoutReport {
    /// The registry.
    pub registry: String,
    /// Whether there was a token.
    pub was_logged_in: bool,
    /// The file that has the others.
    pub file: PathBuf,
    /// Whether `FACET_TOKEN` is still set.
    pub has_variable: bool,
}

/// Forgets the token for a registry on this machine. The registry is not asked: a token is revoked there.
pub fn logout(request: &LogoutRequest) -> Result<LogoutReport, OpsError> {
    refuse_inside_server()?;
    let choice = RegistryChoice::require(request.registry.as_deref())?;
    let mut file = CredentialsFile::of_person()?;
    let was_logged_in = file.forget(&choice.address)?;
    let has_variable = has_token_variable();
    Ok(LogoutReport {
        registry: choice.address.to_string(),
        was_logged_in,
        file: file.path,
        has_variable,
    })
}
