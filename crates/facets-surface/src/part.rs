//! The four parts of a contract.

use facets_digest::json::{write_list, write_string};

/// One of the four parts of a contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// What the model is told.
    Surface,
    /// What it is not told: output, rules, guardrails.
    Behavior,
    /// What it costs.
    TokenEconomics,
    /// What its code can reach.
    Entitlements,
}

impl Part {
    /// All four, in the order in which they are hashed.
    pub const ALL: [Self; 4] =
        [Self::Surface, Self::Behavior, Self::TokenEconomics, Self::Entitlements];

    /// The member of a contract.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Surface => "surface",
            Self::Behavior => "behavior",
            Self::TokenEconomics => "tokenEconomics",
            Self::Entitlements => "entitlements",
        }
    }

    /// Its members, all of which are always there, in canonical order.
    #[must_use]
    pub const fn members(self) -> &'static [&'static str] {
        match self {
            Self::Surface => &["actions", "description", "inputSchema", "name", "tags", "title"],
            Self::Behavior => &[
                "affordances",
                "annotations",
                "concurrency",
                "execution",
                "guardrails",
                "middleware",
                "outputSchema",
                "presenters",
                "stateSync",
                "systemRules",
            ],
            Self::TokenEconomics => {
                &["declarationTokens", "inflationRisk", "outputFields", "unboundedCollection"]
            }
            Self::Entitlements => {
                &["codeEvaluation", "crypto", "filesystem", "network", "raw", "subprocess"]
            }
        }
    }

    pub(crate) const fn domain(self) -> &'static str {
        match self {
            Self::Surface => "contract-surface",
            Self::Behavior => "contract-behavior",
            Self::TokenEconomics => "contract-tokenEconomics",
            Self::Entitlements => "contract-entitlements",
        }
    }
}

/// Writes the members of a part, each by what its name asks for.
pub(crate) fn write_object(part: Part, write: impl Fn(&str, &mut Vec<u8>)) -> Vec<u8> {
    let mut out = Vec::new();
    write_list(['{', '}'], part.members(), &mut out, |name, out| {
        write_string(name, out);
        out.push(b':');
        write(name, out);
    });
    out
}
