//! The digests of MCP Fusion (Vurb) 3.17.2, bit for bit (spec 6.6). A compatibility mode:
//! nothing of ours is hashed this way.

mod contract;
mod hmac;
mod js;
mod lockfile;
mod prompt;
mod rules;

pub use contract::{
    Digests, FusionComparison, FusionContracts, FusionDigest, FusionServerDigest, compare,
    digest_contracts,
};
pub use hmac::{sign, verify_signature};
pub use js::{Js, canonicalize, parse};
pub use lockfile::{
    FusionLockfile, FusionLockfileCheck, FusionTool, Mismatch, check_lockfile, compare_lockfiles,
    parse_lockfile, write_lockfile,
};
pub use prompt::{Prompt, PromptArgument};
pub use rules::{egress_digest, rules_fingerprint};

use facets_digest::Digest;
use facets_digest::json::JsonError;

/// Why something has no digest in this mode.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FusionError {
    /// Not JSON, or JSON with a lone surrogate.
    #[error("{0}")]
    Json(#[from] JsonError),
    /// Something is missing or has another type than the reference needs.
    #[error("{place} is not {expected}")]
    Shape {
        /// What.
        place: String,
        /// What it must be.
        expected: &'static str,
    },
    /// The order of these names is another in another locale.
    #[error(
        "the order of the arguments of the prompt {prompt:?} depends on the locale ({argument:?})"
    )]
    LocaleOrder {
        /// The prompt.
        prompt: String,
        /// The argument that is not just a-z and 0-9.
        argument: String,
    },
    /// A lockfile where contracts are expected.
    #[error("it is a lockfile: use `facet digest compare`")]
    Lockfile,
    /// A lockfile of a format that we do not know.
    #[error("it is not a lockfile of version 1")]
    NotALockfile,
}

/// SHA-256 as the reference writes it: hex without a prefix.
fn sha256(text: &str) -> String {
    Digest::of(text.as_bytes()).hex()
}
