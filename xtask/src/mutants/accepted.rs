//! The mutants that no test has to catch, each with its reason.

use std::collections::BTreeMap;
use std::fs;

use super::cargo_mutants::{Mutant, Tested};
use crate::Outcome;
use crate::run;

const FILE: &str = "xtask/mutants/accepted.md";

/// How often each name is accepted. One entry is for one mutant.
pub(super) struct Accepted(BTreeMap<String, usize>);

pub(super) fn read() -> Outcome<Accepted> {
    let path = run::root().join(FILE);
    let text = fs::read_to_string(&path)
        .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    parse(&text)
}

/// Entries are items ``- `NAME`: reason``; a reason may go on in indented lines, or begin there.
fn parse(text: &str) -> Outcome<Accepted> {
    let mut names = BTreeMap::new();
    for item in text.split("\n- ").skip(1) {
        let item = item.split("\n\n").next().unwrap_or_default();
        let entry = item.strip_prefix('`').and_then(|entry| entry.split_once("`:"));
        let Some((name, _)) = entry.filter(|(_, reason)| !reason.trim().is_empty()) else {
            return Err(format!("{FILE}: an entry is ``- `MUTANT`: reason``, not: {item}"));
        };
        *names.entry(name.to_owned()).or_default() += 1;
    }
    Ok(Accepted(names))
}

impl Accepted {
    /// Missed mutants that have no entry.
    pub(super) fn unexplained(&self, tested: &[Tested]) -> Vec<String> {
        let mut left = self.0.clone();
        let missed = tested.iter().filter(|tested| tested.is_missed());
        missed
            .filter(|tested| match left.get_mut(&tested.mutant.name()) {
                Some(count) if *count > 0 => {
                    *count -= 1;
                    false
                }
                _ => true,
            })
            .map(|tested| format!("MISSED {}", tested.mutant.full_name))
            .collect()
    }

    /// Entries of these crates that are for none of the mutants.
    pub(super) fn without_mutant(&self, crates: &[&str], mutants: &[&Mutant]) -> Vec<String> {
        let is_asked =
            |name: &str| crates.iter().any(|known| name.starts_with(&format!("crates/{known}/")));
        let mut problems = Vec::new();
        for (name, count) in self.0.iter().filter(|(name, _)| is_asked(name)) {
            let found = mutants.iter().filter(|mutant| mutant.name() == *name).count();
            if found < *count {
                problems
                    .push(format!("STALE {FILE} accepts {count} of `{name}`, there are {found}"));
            }
        }
        problems
    }
}

#[cfg(test)]
mod tests {
    use super::super::cargo_mutants::Verdict;
    use super::*;

    const TEXT: &str =
        "# Title\n\nText.\n\n- `crates/a/b.rs: replace + with - in c`: why\n  it is.\n";

    fn missed(line: usize) -> Tested {
        let full_name = format!("crates/a/b.rs:{line}:1: replace + with - in c");
        let mutant = Mutant { package: "a".into(), full_name };
        Tested { mutant, verdict: Verdict::Missed, seconds: 0.0 }
    }

    #[test]
    fn an_entry_accepts_one_mutant_and_no_more() {
        let accepted = parse(TEXT).unwrap_or(Accepted(BTreeMap::new()));
        assert!(accepted.unexplained(&[missed(1)]).is_empty());
        assert_eq!(
            accepted.unexplained(&[missed(1), missed(2)]),
            ["MISSED crates/a/b.rs:2:1: replace + with - in c"]
        );
    }

    #[test]
    fn an_entry_without_mutant_is_reported_for_its_crate_alone() {
        let accepted = parse(TEXT).unwrap_or(Accepted(BTreeMap::new()));
        assert_eq!(accepted.without_mutant(&["a"], &[]).len(), 1);
        assert!(accepted.without_mutant(&["a"], &[&missed(1).mutant]).is_empty());
        assert!(accepted.without_mutant(&["other"], &[]).is_empty());
    }

    #[test]
    fn an_entry_without_reason_is_refused() {
        for text in ["`crates/a/b.rs: replace + with - in c`:", "`crates/a/b.rs: x`", "x: why"] {
            assert!(parse(&format!("# Title\n\n- {text}\n\n## More\n")).is_err(), "{text}");
        }
    }
}
