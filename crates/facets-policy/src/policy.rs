//! What a policy says.

use facets_digest::json::Position;
use facets_drift::{FindingType, Severity};

use crate::condition::Condition;
use crate::package_pattern::PackagePattern;
use crate::pattern::Pattern;

/// Findings that no policy lowers: they say that something else runs, that its signature is
/// gone, or that a name is not what it looks like.
pub const PROTECTED: [FindingType; 7] = [
    FindingType::NameConfusable,
    FindingType::LaunchChanged,
    FindingType::GrantWidened,
    FindingType::ContentChanged,
    FindingType::RuntimeChanged,
    FindingType::SignatureMissing,
    FindingType::SignerChanged,
];

/// What a package that states no hash counts as where no policy says otherwise: it fails.
pub const UNHASHED: Severity = Severity::Moderate;

/// Everything that a policy says, in the order of the file.
#[derive(Debug, Default)]
pub struct Policy {
    pub(crate) rules: Vec<PolicyRule>,
    pub(crate) tools: Vec<AllowList>,
    pub(crate) signers: Vec<RequiredSigner>,
    pub(crate) packages: Vec<UnhashedPackages>,
}

impl Policy {
    /// How many entries it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rules.len() + self.tools.len() + self.signers.len() + self.packages.len()
    }

    /// Whether it says nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Which servers an entry is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Servers {
    All,
    Named(String),
}

impl Servers {
    pub(crate) fn has(&self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Named(own) => own == name,
        }
    }
}

/// What some findings count as.
#[derive(Debug)]
pub(crate) struct PolicyRule {
    pub(crate) position: Position,
    pub(crate) servers: Servers,
    pub(crate) kind: Option<FindingType>,
    pub(crate) subject: Option<Pattern>,
    pub(crate) when: Option<Condition>,
    /// Markers that somebody has read and accepts.
    pub(crate) markers: Vec<&'static str>,
    pub(crate) severity: Severity,
    pub(crate) reason: Option<String>,
}

/// The tools that a server may have.
#[derive(Debug)]
pub(crate) struct AllowList {
    pub(crate) position: Position,
    pub(crate) servers: Servers,
    pub(crate) allow: Vec<(Pattern, Position)>,
}

/// Who must have signed.
#[derive(Debug)]
pub(crate) struct RequiredSigner {
    pub(crate) position: Position,
    pub(crate) servers: Servers,
    pub(crate) signer: String,
}

/// What some packages count as that state no hash.
#[derive(Debug)]
pub(crate) struct UnhashedPackages {
    pub(crate) position: Position,
    pub(crate) package: PackagePattern,
    pub(crate) severity: Severity,
    pub(crate) reason: Option<String>,
}
