//! The counts of each crate.

use std::fmt::Write as _;

use super::cargo_mutants::{Tested, Verdict};

/// What came of the mutants of one crate.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) name: String,
    mutants: usize,
    caught: usize,
    missed: usize,
    timed_out: usize,
    seconds: f64,
}

impl Row {
    pub(super) fn of(name: &str, tested: &[Tested]) -> Self {
        let own: Vec<&Tested> =
            tested.iter().filter(|tested| tested.mutant.package == name).collect();
        let count = |verdict| own.iter().filter(|tested| tested.verdict == verdict).count();
        Self {
            name: name.to_owned(),
            mutants: own.len(),
            caught: count(Verdict::Caught),
            missed: count(Verdict::Missed),
            timed_out: count(Verdict::TimedOut),
            seconds: own.iter().map(|tested| tested.seconds).sum(),
        }
    }

    fn viable(&self) -> usize {
        self.caught + self.missed + self.timed_out
    }

    /// In one sentence.
    pub(crate) fn summary(&self) -> String {
        let Self { name: _, mutants, caught, missed, timed_out, seconds } = self;
        format!(
            "{caught} of {} viable ones caught, {timed_out} timeouts, {missed} missed: {} percent ({mutants} mutants, {seconds:.0} s)",
            self.viable(),
            self.caught_percent()
        )
    }

    /// Tests that never end have noticed the mutant, too.
    pub(super) fn caught_percent(&self) -> usize {
        match self.viable() {
            0 => 100,
            viable => (self.caught + self.timed_out) * 100 / viable,
        }
    }
}

pub(crate) fn markdown(rows: &[Row]) -> String {
    let mut page = String::from(
        "| crate | mutants | viable | caught | missed | timeout | percent | seconds |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    for row in rows {
        let Row { name, mutants, caught, missed, timed_out, seconds } = row;
        let (viable, percent) = (row.viable(), row.caught_percent());
        let _ = writeln!(
            page,
            "| `{name}` | {mutants} | {viable} | {caught} | {missed} | {timed_out} | {percent} | {seconds:.0} |"
        );
    }
    page
}

#[cfg(test)]
mod tests {
    use super::super::cargo_mutants::Mutant;
    use super::*;

    fn tested(verdict: Verdict) -> Tested {
        let mutant = Mutant { package: "a".into(), full_name: String::new() };
        Tested { mutant, verdict, seconds: 1.0 }
    }

    #[test]
    fn the_percentage_is_of_viable_mutants_and_rounded_down() {
        use Verdict::{Caught, Missed, TimedOut, Unviable};
        let all = [Caught, TimedOut, Missed, Unviable].map(tested);
        let row = Row::of("a", &all);
        assert_eq!((row.viable(), row.caught_percent()), (3, 66));
        assert_eq!(Row::of("b", &all).viable(), 0);
    }
}
