//! A pattern as states and steps.

use super::parse::{self, LAST, Ranges, Tree};

/// More would take long to compare.
const MOST_STATES: usize = 3000;

#[derive(Clone, Debug)]
enum Step {
    /// Any one of these characters.
    Take(Ranges, u32),
    /// At once.
    Free(u32),
    /// Only before the first character.
    AtStart(u32),
    /// Only behind the last character.
    AtEnd(u32),
}

/// The states that a text may have led to, in order.
pub(crate) type States = Vec<u32>;

#[derive(Debug)]
pub(crate) struct Automaton {
    steps: Vec<Vec<Step>>,
    last: u32,
}

impl Automaton {
    pub(super) fn of(tree: &Tree) -> Option<Self> {
        let mut automaton = Self { steps: Vec::new(), last: 0 };
        let (before, after) = (automaton.state()?, automaton.state()?);
        // A pattern may match anywhere in a text.
        let anything = || Ranges::from([(0, LAST)]);
        automaton.step(before, Step::Take(anything(), before));
        automaton.step(after, Step::Take(anything(), after));
        automaton.last = after;
        automaton.build(tree, before, after)?;
        Some(automaton)
    }

    fn state(&mut self) -> Option<u32> {
        self.steps.push(Vec::new());
        (self.steps.len() <= MOST_STATES).then_some(u32::try_from(self.steps.len() - 1).ok()?)
    }

    fn step(&mut self, from: u32, step: Step) {
        self.steps[from as usize].push(step);
    }

    /// Leads from one state to another by what the tree matches.
    fn build(&mut self, tree: &Tree, from: u32, to: u32) -> Option<()> {
        match tree {
            Tree::Empty => self.step(from, Step::Free(to)),
            Tree::Start => self.step(from, Step::AtStart(to)),
            Tree::End => self.step(from, Step::AtEnd(to)),
            Tree::Class(ranges) => self.step(from, Step::Take(ranges.clone(), to)),
            Tree::Sequence(parts) => {
                let mut at = from;
                for (index, part) in parts.iter().enumerate() {
                    let next = if index + 1 == parts.len() { to } else { self.state()? };
                    self.build(part, at, next)?;
                    at = next;
                }
            }
            Tree::Either(branches) => {
                for branch in branches {
                    // Its own first state, so that a loop in one does not lead into another.
                    let start = self.state()?;
                    self.step(from, Step::Free(start));
                    self.build(branch, start, to)?;
                }
            }
            Tree::Repeat { of, min, max } => self.repeat(of, *min, *max, from, to)?,
        }
        Some(())
    }

    fn repeat(&mut self, of: &Tree, min: u32, max: Option<u32>, from: u32, to: u32) -> Option<()> {
        let mut at = self.state()?;
        self.step(from, Step::Free(at));
        for _ in 0..min {
            let next = self.state()?;
            self.build(of, at, next)?;
            at = next;
        }
        match max {
            None => {
                let again = self.state()?;
                self.build(of, at, again)?;
                self.step(again, Step::Free(at));
            }
            Some(max) => {
                for _ in min..max {
                    self.step(at, Step::Free(to));
                    let next = self.state()?;
                    self.build(of, at, next)?;
                    at = next;
                }
            }
        }
        self.step(at, Step::Free(to));
        Some(())
    }

    pub(super) fn ranges(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.steps.iter().flatten().flat_map(|step| match step {
            Step::Take(ranges, _) => ranges.clone(),
            _ => parse::Ranges::new(),
        })
    }

    /// Where a text begins.
    pub(crate) fn start(&self) -> States {
        self.close(vec![0], true, false)
    }

    /// Where one more character leads.
    pub(crate) fn advance(&self, states: &States, character: char) -> States {
        let code = u32::from(character);
        let mut next = States::new();
        for state in states {
            for step in &self.steps[*state as usize] {
                if let Step::Take(ranges, to) = step
                    && ranges.iter().any(|(first, last)| (*first..=*last).contains(&code))
                {
                    next.push(*to);
                }
            }
        }
        self.close(next, false, false)
    }

    /// Whether a text that led here may end here. `empty` tells that there was none.
    pub(crate) fn accepts(&self, states: &States, empty: bool) -> bool {
        self.close(states.clone(), empty, true).contains(&self.last)
    }

    /// How much there is to look at.
    pub(crate) fn size(&self) -> usize {
        self.steps.len()
    }

    fn close(&self, mut states: States, at_start: bool, at_end: bool) -> States {
        let mut seen = vec![false; self.steps.len()];
        states.retain(|state| !std::mem::replace(&mut seen[*state as usize], true));
        let mut next = 0;
        while next < states.len() {
            for step in &self.steps[states[next] as usize] {
                let to = match step {
                    Step::Free(to) => *to,
                    Step::AtStart(to) if at_start => *to,
                    Step::AtEnd(to) if at_end => *to,
                    _ => continue,
                };
                if !std::mem::replace(&mut seen[to as usize], true) {
                    states.push(to);
                }
            }
            next += 1;
        }
        states.sort_unstable();
        states
    }

    pub(crate) fn matches(&self, text: &str) -> bool {
        let mut states = self.start();
        for character in text.chars() {
            states = self.advance(&states, character);
        }
        self.accepts(&states, text.is_empty())
    }
}
