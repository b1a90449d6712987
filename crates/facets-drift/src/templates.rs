//! Resource templates that lead elsewhere.

use std::collections::{BTreeMap, BTreeSet};

use facets_surface::Definition;

use crate::finding::{Compat, Finding, FindingType, Severity, SubjectKind};
use crate::items::{Aids, compare_items};
use crate::renames::Renames;
use crate::shown::shown;

/// A template is known by its address; one whose address changed, by its `name`.
pub(crate) fn find_pairs<'s>(
    removed: Vec<&'s Definition>,
    added: Vec<&'s Definition>,
) -> Renames<'s> {
    let mut by_name: BTreeMap<String, Vec<&Definition>> = BTreeMap::new();
    for item in &added {
        by_name.entry(name(item)).or_default().push(*item);
    }
    let mut result = Renames { pairs: Vec::new(), removed: Vec::new(), added };
    for old in removed {
        let new = by_name.get_mut(&name(old)).filter(|found| found.len() == 1);
        match new.and_then(Vec::pop) {
            Some(new) => result.pairs.push((old, new)),
            None => result.removed.push(old),
        }
    }
    let paired: BTreeSet<&str> = result.pairs.iter().map(|(_, new)| new.name()).collect();
    result.added.retain(|item| !paired.contains(item.name()));
    result
}

fn name(item: &Definition) -> String {
    let value = item.value();
    value.member("name").map(shown).unwrap_or_default()
}

pub(crate) fn compare(old: &Definition, new: &Definition, aids: Aids<'_>, out: &mut Vec<Finding>) {
    let (before, after) = (old.name(), new.name());
    let known = variables(before);
    let fresh: Vec<String> =
        variables(after).into_iter().filter(|name| !known.contains(name)).collect();
    let (severity, sentence) = if origin(before) != origin(after) {
        let sentence = "address changed to another scheme or host".to_owned();
        (Severity::Critical, sentence)
    } else if let Some(first) = fresh.first() {
        (Severity::Critical, format!("variable `{first}` added to the address"))
    } else {
        (Severity::Safe, "address changed on the same host".to_owned())
    };
    let subject = (SubjectKind::Template, after);
    let grade = (severity, Compat::Risky);
    let finding = Finding::new(FindingType::TemplateChanged, subject, grade, sentence);
    let sides = (Some(before.to_owned()), Some(after.to_owned()));
    out.push(finding.of_member("uriTemplate", sides.0, sides.1));
    let start = out.len();
    compare_items(old, new, aids, out);
    // That the address is another was said.
    let said = |finding: &Finding| finding.member.is_empty() && finding.evidence.is_empty();
    if out[start..].iter().all(said) {
        out.truncate(start);
    }
}

/// Scheme and host; a variable in either is part of them.
fn origin(template: &str) -> (&str, &str) {
    let Some((scheme, rest)) = template.split_once(':') else { return ("", "") };
    let host = rest
        .strip_prefix("//")
        .map_or("", |rest| rest.split(['/', '?', '#']).next().unwrap_or_default());
    (scheme, host)
}

/// The names in braces, each with the operator that says how it is filled in: `{+path}` takes
/// what `{path}` does not.
fn variables(template: &str) -> Vec<String> {
    let mut found = Vec::new();
    for expression in template.split('{').skip(1).filter_map(|part| part.split('}').next()) {
        let names = expression.trim_start_matches(|c: char| "+#./;?&=,!@|".contains(c));
        let operator = &expression[..expression.len() - names.len()];
        for name in names.split(',') {
            found.push(format!("{operator}{}", name.split([':', '*']).next().unwrap_or_default()));
        }
    }
    found
}
