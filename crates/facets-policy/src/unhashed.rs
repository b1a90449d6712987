//! What a policy makes of packages that state no hash.

use facets_drift::Severity;

use crate::grade::{Effect, Mark};
use crate::policy::{Policy, UNHASHED};

impl Policy {
    /// What a package counts as that states no hash, and what decided that.
    #[must_use]
    pub fn grade_unhashed(&self, package: &str) -> (Severity, Option<Mark>) {
        // spec 12.6: the first entry that matches decides
        let Some(entry) = self.packages.iter().find(|entry| entry.package.matches(package)) else {
            return (UNHASHED, None);
        };
        let mark = Mark {
            position: entry.position,
            effect: Effect::Regraded { from: UNHASHED },
            reason: entry.reason.clone(),
        };
        (entry.severity, (entry.severity != UNHASHED).then_some(mark))
    }
}
