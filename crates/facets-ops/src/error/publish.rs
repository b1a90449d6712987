//! Why nothing could be published, taken back, or asked of a registry.

use std::path::{Path, PathBuf};

use facets_digest::Digest;
use facets_failure::{Describe, LineColumn, Note, Stderr, shell_word};
use facets_registry_client::RegistryClientError;

/// Why nothing could be published, taken back, or asked of a registry.
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    /// No registry was named.
    #[error("no registry is configured")]
    NotConfigured,
    /// There is no token for a registry.
    #[error("not logged in to {registry}")]
    NotLoggedIn {
        /// The registry.
        registry: String,
        /// The registry that `FACET_TOKEN` is for, if that is another one.
        token_for: Option<String>,
    },
    /// A login without a token.
    #[error("no token was given for {registry}")]
    NoToken {
        /// The registry.
        registry: String,
    },
    /// A login with a token that the registry refuses.
    #[error("{registry} does not accept this token")]
    TokenRejected {
        /// The registry.
        registry: String,
    },
    /// The version is published with other content.
    #[error("{what} is published on {registry} with other content")]
    VersionExists {
        /// Name and version.
        what: String,
        /// The registry.
        registry: String,
        /// The integrity that is published.
        published: Digest,
        /// The integrity that was to be published.
        own: Digest,
    },
    /// The manifest says that it must not be published.
    #[error("{name} is marked private in its manifest")]
    Private {
        /// The facet.
        name: String,
    },
    /// The registry has both kinds under a name.
    #[error("{what} is a facet and a server on {registry}")]
    KindAmbiguous {
        /// Name and version.
        what: String,
        /// The registry.
        registry: String,
    },
    /// The registry has neither kind under a name.
    #[error("{what} is not published on {registry}")]
    NotPublished {
        /// Name and version.
        what: String,
        /// The registry.
        registry: String,
    },
    /// Others can read the tokens of this user.
    #[error("{} can be read or changed by other users", path.display())]
    CredentialsExposed {
        /// The file.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// A link in the place of the file of tokens: it could lead to a file of another user.
    #[error("{} is a symbolic link", path.display())]
    CredentialsLink {
        /// The link.
        path: PathBuf,
    },
    /// The file of tokens cannot be understood.
    #[error("{} is not a valid file of credentials: {problem}", path.display())]
    CredentialsInvalid {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong, without secrets.
        problem: &'static str,
    },
    /// The registry was of no help.
    #[error("{0}")]
    Client(#[from] RegistryClientError),
}

impl PublishError {
    /// Every code, beside those of the client.
    pub const CODES: &'static [&'static str] = &[
        "credentials-exposed",
        "credentials-invalid",
        "publish-private",
        "registry-not-configured",
        "registry-not-logged-in",
        "yank-ambiguous-kind",
    ];

    fn client(&self) -> Option<&RegistryClientError> {
        match self {
            Self::Client(error) => Some(error),
            _ => None,
        }
    }
}

impl Describe for PublishError {
    fn code(&self) -> &'static str {
        match self {
            Self::NotConfigured => "registry-not-configured",
            Self::NotLoggedIn { .. } | Self::NoToken { .. } => "registry-not-logged-in",
            Self::TokenRejected { .. } => "registry-unauthorized",
            Self::VersionExists { .. } => "registry-version-exists",
            Self::Private { .. } => "publish-private",
            Self::KindAmbiguous { .. } => "yank-ambiguous-kind",
            Self::NotPublished { .. } => "registry-not-found",
            Self::CredentialsExposed { .. } => "credentials-exposed",
            Self::CredentialsLink { .. } => "file-not-regular",
            Self::CredentialsInvalid { .. } => "credentials-invalid",
            Self::Client(error) => error.code(),
        }
    }

    fn expected(&self) -> Option<String> {
        let expected = match self {
            Self::NotConfigured => {
                "--registry URL, or FACET_REGISTRY_URL in the environment; `facet-registry serve` \
                 starts a registry on this machine"
            }
            Self::NotLoggedIn { .. } => "a token, stored by `facet login` or in FACET_TOKEN",
            Self::NoToken { .. } => {
                "a token at a terminal, with --token-stdin, or with --token-file"
            }
            Self::TokenRejected { .. } => {
                "a token of this registry that was not revoked and has not expired"
            }
            Self::VersionExists { published, .. } => {
                return Some(format!("integrity {published}, which is published"));
            }
            Self::Private { .. } => "a facet without `private: true`",
            Self::KindAmbiguous { .. } => "--kind facet or --kind server",
            Self::NotPublished { .. } => "a published version",
            Self::CredentialsExposed { .. } | Self::CredentialsLink { .. } => {
                "a file of yours with permissions 600"
            }
            Self::CredentialsInvalid { .. } => "[default] or [URL], then token=TOKEN",
            Self::Client(error) => return error.expected(),
        };
        Some(expected.to_owned())
    }

    fn actual(&self) -> Option<String> {
        let actual = match self {
            Self::NotConfigured => "neither of them",
            Self::NotLoggedIn { token_for: Some(other), .. } => {
                return Some(format!("FACET_TOKEN, which is for {other} (FACET_REGISTRY_URL)"));
            }
            Self::NotLoggedIn { token_for: None, .. } | Self::NoToken { .. } => "none",
            Self::TokenRejected { .. } => "another one; nothing was stored",
            Self::VersionExists { own, .. } => {
                return Some(format!("integrity {own}; nothing was published"));
            }
            Self::Private { .. } => "`private: true`; nothing was sent",
            Self::KindAmbiguous { .. } => "both kinds; nothing was changed",
            Self::NotPublished { .. } => "none",
            Self::CredentialsExposed { mode, .. } => {
                return Some(format!("permissions {:03o}; no token was read", mode & 0o777));
            }
            Self::CredentialsLink { .. } => "a symbolic link; no token was read",
            Self::CredentialsInvalid { .. } => return None,
            Self::Client(error) => return error.actual(),
        };
        Some(actual.to_owned())
    }

    fn file(&self) -> Option<&Path> {
        match self {
            Self::CredentialsExposed { path, .. }
            | Self::CredentialsLink { path }
            | Self::CredentialsInvalid { path, .. } => Some(path),
            _ => None,
        }
    }

    fn place(&self) -> Option<LineColumn> {
        match self {
            Self::CredentialsInvalid { line, .. } => Some(LineColumn { line: *line, column: 1 }),
            _ => None,
        }
    }

    fn next(&self) -> String {
        match self {
            Self::NotConfigured => "facet-registry serve".to_owned(),
            Self::NotLoggedIn { registry, .. } => format!("facet login --registry {registry}"),
            Self::NoToken { registry } => {
                format!("facet login --registry {registry} --token-file FILE")
            }
            Self::CredentialsExposed { path, .. } => format!("chmod 600 {}", shell_word(path)),
            other => match other.client() {
                Some(error) => error.next(),
                None => format!("facet explain {}", other.code()),
            },
        }
    }

    fn error_output(&self) -> Option<Stderr> {
        self.client().and_then(Describe::error_output)
    }

    fn notes(&self) -> Vec<Note> {
        match self {
            Self::VersionExists { .. } => {
                let text = "raise the version in the manifest, and publish again".to_owned();
                vec![Note { label: "fix", text }]
            }
            other => other.client().map(Describe::notes).unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conflict_names_both_integrities_and_what_to_do() {
        let (published, own) = (Digest::of(b"published"), Digest::of(b"own"));
        let error = PublishError::VersionExists {
            what: "demo 1.0.0".to_owned(),
            registry: "https://r.example".to_owned(),
            published,
            own,
        };
        let failure = error.describe();
        assert_eq!(failure.code, "registry-version-exists");
        assert!(failure.expected.unwrap().contains(&published.to_string()));
        assert!(failure.actual.unwrap().contains(&own.to_string()));
        assert!(failure.notes[0].text.contains("raise the version"));
    }

    #[test]
    fn a_login_that_is_refused_does_not_propose_a_login() {
        let registry = "https://r.example".to_owned();
        let failure = PublishError::TokenRejected { registry }.describe();
        assert_eq!(failure.code, "registry-unauthorized");
        assert!(!format!("{failure:?}").contains("facet login"), "{failure:?}");
    }

    #[test]
    fn a_registry_that_is_not_configured_is_named_in_three_ways() {
        let failure = PublishError::NotConfigured.describe();
        let text = format!("{} {}", failure.expected.unwrap(), failure.next);
        for way in ["--registry", "FACET_REGISTRY_URL", "facet-registry serve"] {
            assert!(text.contains(way), "{way}");
        }
    }
}
