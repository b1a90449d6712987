//! Strings of some length that match some patterns and not others.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::evaluate::length;
use crate::instance::Instance;
use crate::node::{Node, PatternId};
use crate::regex::{Automaton, States, representatives};

use super::goal::{Answer, Literal, Solver};

/// Longer strings are no examples.
const LONGEST: u64 = 5000;

/// What is asked of a string.
struct Strings {
    min: u64,
    max: u64,
    patterns: Vec<(PatternId, bool)>,
    excluded: BTreeSet<String>,
}

pub(super) fn string(solver: &Solver<'_>, literals: &[Literal]) -> Answer {
    let strings = Strings::of(solver, literals);
    if strings.min > strings.max {
        return Answer::Nothing;
    }
    if strings.max == 0 {
        let fits = strings.fits(solver, "");
        return match fits {
            Some(true) => found(String::new()),
            Some(false) => Answer::Nothing,
            None => Answer::unknown("pattern"),
        };
    }
    if strings.patterns.is_empty() {
        return strings.by_length();
    }
    strings.by_patterns(solver)
}

fn found(text: String) -> Answer {
    Answer::Found(Instance::String(text))
}

impl Strings {
    fn of(solver: &Solver<'_>, literals: &[Literal]) -> Self {
        let mut strings =
            Self { min: 0, max: u64::MAX, patterns: Vec::new(), excluded: BTreeSet::new() };
        for literal in literals {
            match (solver.table.node(literal.node), literal.positive) {
                (Node::MinLength(min), true) => strings.min = strings.min.max(*min),
                (Node::MaxLength(max), true) => strings.max = strings.max.min(*max),
                (Node::MinLength(min), false) => {
                    // No length is below zero, and such a demand is never made.
                    strings.max = strings.max.min(min.saturating_sub(1));
                }
                (Node::MaxLength(max), false) => strings.min = strings.min.max(max + 1),
                (Node::Pattern(pattern), positive) => strings.patterns.push((*pattern, positive)),
                (Node::Enum(values), false) => {
                    strings.excluded.extend(values.iter().filter_map(|value| {
                        match solver.table.value(*value) {
                            Instance::String(text) => Some(text.clone()),
                            _ => None,
                        }
                    }));
                }
                _ => {}
            }
        }
        strings
    }

    fn has_length(&self, text: &str) -> bool {
        (self.min..=self.max).contains(&length(text)) && !self.excluded.contains(text)
    }

    fn fits(&self, solver: &Solver<'_>, text: &str) -> Option<bool> {
        if !self.has_length(text) {
            return Some(false);
        }
        let mut known = true;
        for (pattern, positive) in &self.patterns {
            match solver.evaluator().matches(*pattern, text) {
                Some(matches) if matches != *positive => return Some(false),
                Some(_) => {}
                None => known = false,
            }
        }
        known.then_some(true)
    }

    /// Whether the validator, too, takes a text for one that fits. That is no proof.
    fn seems_to_fit(&self, solver: &Solver<'_>, text: &str) -> bool {
        let as_asked = |(pattern, positive): &(PatternId, bool)| {
            let pattern = solver.table.pattern(*pattern);
            let matches = match &pattern.automaton {
                Some(automaton) => Some(automaton.matches(text)),
                None => solver.validator.matches(&pattern.source, text),
            };
            matches == Some(*positive)
        };
        self.has_length(text) && self.patterns.iter().all(as_asked)
    }

    /// Without patterns there are always more strings than excluded ones.
    fn by_length(&self) -> Answer {
        if self.min > LONGEST {
            return Answer::unknown("minLength");
        }
        // Long enough that there are more of them than are excluded.
        let enough = u64::from(self.excluded.len().checked_ilog(26).unwrap_or_default()) + 1;
        let size = usize::try_from(self.min.max(enough.min(self.max))).unwrap_or(1);
        for number in 0..=self.excluded.len() {
            // Letters as digits, so that each number is another string.
            let mut digits = number;
            let mut text = vec!['x'; size];
            for place in text.iter_mut().rev() {
                *place = char::from(b'a' + u8::try_from((23 + digits) % 26).unwrap_or(0));
                digits /= 26;
            }
            let text: String = text.into_iter().collect();
            if self.has_length(&text) {
                return found(text);
            }
        }
        Answer::unknown("enum")
    }

    fn by_patterns(&self, solver: &Solver<'_>) -> Answer {
        let automata: Vec<(&Automaton, bool)> = self
            .patterns
            .iter()
            .filter_map(|(id, positive)| {
                Some((solver.table.pattern(*id).automaton.as_ref()?, *positive))
            })
            .collect();
        // Fewer demands first: if even they leave nothing, nothing is left.
        let product = Product { solver, automata: &automata, strings: self };
        let shortest = product.search(false);
        let complete = automata.len() == self.patterns.len();
        let answer = match shortest {
            Answer::Found(Instance::String(text)) if complete && self.has_length(&text) => {
                return found(text);
            }
            Answer::Found(_) => product.search(true),
            other => other,
        };
        match answer {
            Answer::Found(Instance::String(text)) if !complete => {
                let mut tries = vec![text];
                tries.extend(
                    self.patterns
                        .iter()
                        .flat_map(|(id, _)| letters(&solver.table.pattern(*id).source)),
                );
                tries.extend(EXAMPLES.iter().map(|text| (*text).to_owned()));
                let text = tries.into_iter().find(|text| self.seems_to_fit(solver, text));
                let perhaps = text.map(Instance::String);
                Answer::Unknown { keyword: "pattern".to_owned(), perhaps }
            }
            other => other,
        }
    }
}

/// The runs of plain letters in a pattern, alone and together: what it forbids is among them.
fn letters(pattern: &str) -> Vec<String> {
    let is_special = |c: char| "\\^$.*+?()[]{}|".contains(c);
    let runs: Vec<&str> = pattern
        .split(is_special)
        .map(|run| run.trim_start_matches(['=', '!', ':', '<']))
        .filter(|run| !run.is_empty())
        .take(20)
        .collect();
    let mut texts = vec![runs.concat()];
    texts.extend(runs.into_iter().map(str::to_owned));
    texts
}

/// Texts for patterns that nobody looks into.
const EXAMPLES: &[&str] = &[
    "x",
    "",
    "a",
    "A",
    "0",
    "1",
    "-",
    "_",
    ".",
    "/",
    " ",
    "ab",
    "Ab1",
    "a1",
    "12",
    "123",
    "abc",
    "abc-def",
    "a.b",
    "a/b",
    "a b",
    "user@example.com",
    "https://example.com/",
    "example.com",
    "2024-01-01",
    "2024-01-01T00:00:00Z",
    "00:00",
    "127.0.0.1",
    "::1",
    "Aa1!Aa1!",
    "#ffffff",
    "00000000-0000-4000-8000-000000000000",
    "x\ny",
    "é",
    "../x",
    "+1",
    "1.5",
    "true",
    "{}",
];

/// Several automata side by side.
struct Product<'p> {
    solver: &'p Solver<'p>,
    automata: &'p [(&'p Automaton, bool)],
    strings: &'p Strings,
}

/// Where a text has led to: the states of every automaton, what it is a beginning of among the
/// excluded texts, and how long it is as far as that matters.
type Place = (Vec<States>, Option<usize>, u64);

impl Product<'_> {
    /// The shortest string, breadth first. `exactly`: lengths and excluded texts count, too.
    fn search(&self, exactly: bool) -> Answer {
        let excluded: Vec<&str> = if exactly {
            self.strings.excluded.iter().map(String::as_str).collect()
        } else {
            Vec::new()
        };
        let machines: Vec<&Automaton> = self.automata.iter().map(|(machine, _)| *machine).collect();
        let alphabet = representatives(&machines, &excluded);
        let cost = 1 + machines.iter().map(|machine| machine.size()).sum::<usize>() / 10;
        let trie = Trie::of(&excluded);
        let start: Place = (machines.iter().map(|m| m.start()).collect(), Some(0), 0);
        let mut seen = BTreeSet::from([start.clone()]);
        let mut queue = VecDeque::from([(start, String::new())]);
        while let Some(((states, beginning, count), text)) = queue.pop_front() {
            if self.accepts(&states, text.is_empty())
                && !(exactly && trie.is_excluded(beginning))
                && (!exactly || count >= self.strings.min)
            {
                return found(text);
            }
            if exactly && count >= self.strings.max {
                continue;
            }
            for character in &alphabet {
                if self.solver.budget.spend(cost).is_none() {
                    return Answer::unknown("pattern");
                }
                let next: Vec<States> = machines
                    .iter()
                    .zip(&states)
                    .map(|(machine, states)| machine.advance(states, *character))
                    .collect();
                let beginning = beginning.and_then(|at| trie.next(at, *character));
                let place = (next, beginning, self.counted(count, exactly));
                if !seen.contains(&place) {
                    seen.insert(place.clone());
                    let mut longer = text.clone();
                    longer.push(*character);
                    queue.push_back((place, longer));
                }
            }
        }
        Answer::Nothing
    }

    /// Lengths beyond every bound are all the same.
    fn counted(&self, count: u64, exactly: bool) -> u64 {
        let Strings { min, max, .. } = self.strings;
        match (exactly, *max) {
            (false, _) => 0,
            (true, u64::MAX) => (count + 1).min(*min),
            (true, _) => count + 1,
        }
    }

    fn accepts(&self, states: &[States], empty: bool) -> bool {
        let mut all = self.automata.iter().zip(states);
        all.all(|((machine, positive), states)| machine.accepts(states, empty) == *positive)
    }
}

/// Texts by their beginnings.
struct Trie {
    next: BTreeMap<(usize, char), usize>,
    ends: BTreeSet<usize>,
}

impl Trie {
    fn of(texts: &[&str]) -> Self {
        let mut trie = Self { next: BTreeMap::new(), ends: BTreeSet::new() };
        for text in texts {
            let mut at = 0;
            for character in text.chars() {
                let fresh = trie.next.len() + 1;
                at = *trie.next.entry((at, character)).or_insert(fresh);
            }
            trie.ends.insert(at);
        }
        trie
    }

    fn next(&self, at: usize, character: char) -> Option<usize> {
        self.next.get(&(at, character)).copied()
    }

    fn is_excluded(&self, at: Option<usize>) -> bool {
        at.is_some_and(|at| self.ends.contains(&at))
    }
}
