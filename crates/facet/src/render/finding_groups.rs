//! The same change in several tools, said once.

use std::collections::BTreeMap;

use facets_drift::{Evidence, Finding, FindingType, SubjectKind};

/// Names that are listed before the rest is counted.
const NAMES: usize = 3;
/// A value of this length may be shown in part: two of them may differ where nobody sees it.
const CUT: usize = 4000;

/// A finding, and everything that it is about.
pub(super) struct FindingGroup<'f, T> {
    /// The first of them.
    pub(super) first: &'f T,
    names: Vec<&'f str>,
}

/// What makes two findings the same change.
type ChangeKey<'f> = (
    (FindingType, SubjectKind, &'f str),
    (Option<&'f str>, Option<&'f str>),
    (&'f str, &'f str, &'f str),
    &'f [Evidence],
);

/// Findings in their order, those about the same change of several things as one.
pub(super) fn grouped<'f, T>(
    all: &'f [T],
    finding: impl Fn(&'f T) -> &'f Finding,
    is_same: impl Fn(&'f T, &'f T) -> bool,
) -> Vec<FindingGroup<'f, T>> {
    let mut groups: Vec<FindingGroup<'f, T>> = Vec::new();
    let mut known: BTreeMap<ChangeKey<'f>, Vec<usize>> = BTreeMap::new();
    for one in all {
        let found = finding(one);
        let name = found.subject.as_str();
        let Some(key) = key(found) else {
            groups.push(FindingGroup { first: one, names: vec![name] });
            continue;
        };
        let places = known.entry(key).or_default();
        let same = places.iter().copied().find(|at| {
            let first = groups[*at].first;
            finding(first).schema == found.schema && is_same(first, one)
        });
        if let Some(at) = same {
            groups[at].names.push(name);
        } else {
            places.push(groups.len());
            groups.push(FindingGroup { first: one, names: vec![name] });
        }
    }
    groups
}

/// Nothing where the name is the change itself, or where not all of the change is known.
fn key(found: &Finding) -> Option<ChangeKey<'_>> {
    use FindingType::{
        AssetChanged, PromptChanged, ResourceChanged, RiskLevelChanged, TemplateChanged,
        ToolChanged,
    };
    let is_change = [
        ToolChanged,
        PromptChanged,
        ResourceChanged,
        TemplateChanged,
        RiskLevelChanged,
        AssetChanged,
    ]
    .contains(&found.kind)
        || found.kind == FindingType::ProfileVaries;
    let is_cut = |side: &Option<String>| side.as_ref().is_some_and(|text| text.len() >= CUT);
    let is_whole = !is_cut(&found.before) && !is_cut(&found.after);
    let is_named = found.subject_kind != SubjectKind::Server;
    (is_change && is_whole && is_named).then(|| {
        (
            (found.kind, found.subject_kind, found.member.as_str()),
            (found.before.as_deref(), found.after.as_deref()),
            (found.sentence.as_str(), found.severity.name(), found.compat.name()),
            found.evidence.as_slice(),
        )
    })
}

impl<T> FindingGroup<'_, T> {
    /// How many findings it stands for.
    pub(super) fn count(&self) -> usize {
        self.names.len()
    }

    /// What it is about: `tool a`, or `tools a, b, and 3 more`; nothing for the server.
    pub(super) fn subject(
        &self,
        kind: SubjectKind,
        is_whole: bool,
        name: impl Fn(&str) -> String,
    ) -> String {
        let most = if is_whole || self.names.len() <= NAMES { self.names.len() } else { NAMES - 1 };
        let mut listed: Vec<String> = self.names.iter().take(most).map(|one| name(one)).collect();
        let more = self.names.len() - most;
        if more > 0 {
            listed.push(format!("and {more} more"));
        }
        match (kind, self.names.len()) {
            (SubjectKind::Server, _) => String::new(),
            (kind, 1) => format!("{} {}: ", kind.name(), listed.join(", ")),
            (kind, _) => format!("{}s {}: ", kind.name(), listed.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use facets_drift::{Compat, Severity};

    use super::*;

    fn change(kind: FindingType, name: &str, after: &str) -> Finding {
        let subject = (SubjectKind::Tool, name);
        let finding = Finding::new(kind, subject, (Severity::Moderate, Compat::Risky), "changed");
        finding.of_member("description", None, Some(after.to_owned()))
    }

    fn subjects(all: &[Finding]) -> Vec<String> {
        let groups = grouped(all, |one| one, |_, _| true);
        groups.iter().map(|one| one.subject(SubjectKind::Tool, false, str::to_owned)).collect()
    }

    #[test]
    fn the_same_change_is_said_once_with_the_tools_listed() {
        let changed = |name: &str, after: &str| change(FindingType::ToolChanged, name, after);
        let three = ["a", "b", "c"].map(|name| changed(name, "x"));
        assert_eq!(subjects(&three), ["tools a, b, c: "]);
        let five = ["a", "b", "c", "d", "e"].map(|name| changed(name, "x"));
        assert_eq!(subjects(&five), ["tools a, b, and 3 more: "]);
        let two = [changed("a", "x"), changed("b", "y"), changed("c", "x")];
        assert_eq!(subjects(&two), ["tools a, c: ", "tool b: "]);
    }

    #[test]
    fn a_name_that_is_the_change_is_never_counted_away() {
        let added = ["a", "b", "c", "d"].map(|name| change(FindingType::ToolAdded, name, "x"));
        assert_eq!(subjects(&added), ["tool a: ", "tool b: ", "tool c: ", "tool d: "]);
        let long = "x".repeat(CUT);
        let cut = ["a", "b"].map(|name| change(FindingType::ToolChanged, name, &long));
        assert_eq!(subjects(&cut).len(), 2);
    }
}
