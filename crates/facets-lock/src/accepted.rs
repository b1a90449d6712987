//! Critical findings that somebody accepted when an entry was pinned (spec 8.8).

use facets_digest::json::{compare_utf16, quoted};

use crate::error::LockError;
use crate::members::EntryMembers;
use crate::raw;

/// The member that has them.
pub(crate) const MEMBER: &str = "accepted";

/// The only severity that is written down: what is less bad, `--yes` accepts, too.
const SEVERITY: &str = "critical";

/// A critical finding that somebody accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcceptedFinding {
    /// What `facet explain` has a page about: the rule of a marker, or the type of the finding.
    pub code: String,
    /// What it is about: `tool greet`, `skill planning`, or `server`.
    pub subject: String,
}

/// The critical findings that were accepted with an entry: sorted by subject and code, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AcceptedFindings(Vec<AcceptedFinding>);

impl AcceptedFindings {
    /// Whether nothing critical was accepted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Each of them, in order.
    #[must_use]
    pub fn all(&self) -> &[AcceptedFinding] {
        &self.0
    }

    /// Those of both.
    #[must_use]
    pub fn with(&self, others: &Self) -> Self {
        self.0.iter().chain(others.0.iter()).cloned().collect()
    }

    /// Those that the other has not.
    #[must_use]
    pub fn without(&self, others: &Self) -> Self {
        self.0.iter().filter(|one| !others.0.contains(one)).cloned().collect()
    }

    /// Reads the member of an entry; absent is none.
    pub(crate) fn read(entry: &EntryMembers<'_>) -> Result<Self, LockError> {
        if entry.raw(MEMBER).is_none() {
            return Ok(Self::default());
        }
        let objects = entry.objects(MEMBER)?;
        if objects.is_empty() {
            return Err(entry.bad(MEMBER, "absent, or a list of accepted findings"));
        }
        let mut findings: Vec<AcceptedFinding> = Vec::with_capacity(objects.len());
        for object in &objects {
            object.closed(&["code", "severity", "subject"])?;
            let (code, subject) = (object.text("code")?, object.text("subject")?);
            let is_code =
                |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
            if code.is_empty() || !code.chars().all(is_code) {
                return Err(object.bad("code", "the code of a finding"));
            }
            if object.text("severity")? != SEVERITY {
                return Err(object.bad("severity", "`critical`"));
            }
            let finding = AcceptedFinding { code, subject };
            if findings.last().is_some_and(|before| !before.order(&finding).is_lt()) {
                return Err(object.bad("subject", "behind the one before it: sorted, each once"));
            }
            findings.push(finding);
        }
        Ok(Self(findings))
    }

    /// The member as it is written; none if nothing was accepted.
    pub(crate) fn member(&self) -> Option<(&'static str, String)> {
        let findings: Vec<String> = self.0.iter().map(AcceptedFinding::to_json).collect();
        (!findings.is_empty()).then(|| (MEMBER, raw::list(&findings)))
    }
}

impl FromIterator<AcceptedFinding> for AcceptedFindings {
    fn from_iter<I: IntoIterator<Item = AcceptedFinding>>(findings: I) -> Self {
        let mut findings: Vec<AcceptedFinding> = findings.into_iter().collect();
        findings.sort_by(AcceptedFinding::order);
        findings.dedup();
        Self(findings)
    }
}

impl AcceptedFinding {
    fn order(&self, other: &Self) -> std::cmp::Ordering {
        compare_utf16(&self.subject, &other.subject)
            .then_with(|| compare_utf16(&self.code, &other.code))
    }

    fn to_json(&self) -> String {
        let members = [
            ("code", quoted(&self.code)),
            ("severity", quoted(SEVERITY)),
            ("subject", quoted(&self.subject)),
        ];
        raw::with_unknown(&members, &[], None)
    }
}
