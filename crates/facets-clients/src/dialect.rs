//! What the clients call the same things.

use crate::client::Client;
use crate::url_kind::UrlKind;

/// The words of one client.
#[derive(Debug)]
pub(crate) struct Dialect {
    /// Holds variables and their values.
    pub(crate) environment: &'static str,
    /// Holds headers and their values.
    pub(crate) headers: &'static str,
    /// Names an address, the one that wins first.
    pub(crate) addresses: &'static [(&'static str, UrlKind)],
    /// The type of what is started.
    pub(crate) local: &'static str,
    /// One list holds the program and its arguments.
    pub(crate) one_list: bool,
    /// A new entry must say its type.
    pub(crate) says_type: bool,
}

const COMMON: Dialect = Dialect {
    environment: "env",
    headers: "headers",
    addresses: &[("url", UrlKind::Http)],
    local: "stdio",
    one_list: false,
    says_type: false,
};

static CLAUDE: Dialect = COMMON;
static VSCODE: Dialect = Dialect { says_type: true, ..COMMON };
static GEMINI: Dialect =
    Dialect { addresses: &[("httpUrl", UrlKind::Http), ("url", UrlKind::Sse)], ..COMMON };
static CODEX: Dialect = Dialect { headers: "http_headers", ..COMMON };
static OPENCODE: Dialect = Dialect {
    environment: "environment",
    local: "local",
    one_list: true,
    says_type: true,
    ..COMMON
};

/// Codex: headers whose values are in variables.
pub(crate) const VARIABLE_HEADERS: &str = "env_http_headers";
/// Codex: the variable that holds the bearer token.
pub(crate) const BEARER_VARIABLE: &str = "bearer_token_env_var";
/// Codex: variables that are passed on.
pub(crate) const PASSED_VARIABLES: &str = "env_vars";

/// Members by which a client gets its own credentials for an address, in all dialects.
pub(crate) const SIGN_IN: &[&str] = &[
    "auth",
    "authProviderType",
    "bearer_token",
    "headersHelper",
    "http_headers_helper",
    "oauth",
    "oauth_resource",
    "targetAudience",
    "targetServiceAccount",
];

impl Client {
    pub(crate) fn dialect(self) -> &'static Dialect {
        match self {
            Self::ClaudeCode | Self::ClaudeDesktop | Self::Cursor => &CLAUDE,
            Self::Codex => &CODEX,
            Self::OpenCode => &OPENCODE,
            Self::VsCode => &VSCODE,
            Self::Gemini => &GEMINI,
        }
    }

    /// Members that say how a server is started or where it is called: what facet replaces.
    pub(crate) fn is_transport(self, member: &str) -> bool {
        let codex = [VARIABLE_HEADERS, BEARER_VARIABLE];
        matches!(member, "command" | "args" | "type")
            || self.dialect().addresses.iter().any(|(name, _)| *name == member)
            || (self == Self::Codex && codex.contains(&member))
    }

    /// Members that an [`crate::Entry`] has a place for.
    pub(crate) fn is_known(self, member: &str) -> bool {
        let dialect = self.dialect();
        self.is_transport(member)
            || matches!(member, "cwd" | "enabled" | "disabled")
            || member == dialect.environment
            || member == dialect.headers
            || (self == Self::Codex && member == PASSED_VARIABLES)
    }
}
