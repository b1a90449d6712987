//! Arrays.

use crate::instance::Instance;
use crate::node::{Id, Node};

use super::goal::{Answer, Goal, Literal, Solver, Ways};

/// Longer arrays are no examples.
const LONGEST: usize = 100;

/// What is asked of an array.
#[derive(Default)]
struct Arrays {
    min: usize,
    max: Option<u64>,
    /// Every item from a place on, or at one place.
    from: Vec<(usize, Literal)>,
    at: Vec<(usize, Literal)>,
    /// Some item from a place on.
    some: Vec<(usize, Literal)>,
    /// The item at one place, which is there.
    there: Vec<(usize, Literal)>,
    unique: bool,
    twins: bool,
}

pub(super) fn array(solver: &mut Solver<'_>, literals: &[Literal], depth: usize) -> Answer {
    let arrays = Arrays::of(solver, literals);
    if arrays.max.is_some_and(|max| (arrays.min as u64) > max) {
        return Answer::Nothing;
    }
    if arrays.max == Some(0) {
        return solver.only(literals, Instance::Array(Vec::new()));
    }
    if arrays.min > LONGEST {
        return Answer::unknown("minItems");
    }
    if arrays.alike_from() >= LONGEST {
        return Answer::unknown("prefixItems");
    }
    arrays.build(solver, depth)
}

impl Arrays {
    fn of(solver: &Solver<'_>, literals: &[Literal]) -> Self {
        let mut arrays = Self::default();
        for literal in literals {
            match (solver.table.node(literal.node), literal.positive) {
                (Node::MinItems(min), true) => arrays.longer(*min),
                (Node::MaxItems(max), true) => arrays.shorter(*max),
                (Node::MinItems(min), false) => arrays.shorter(min - 1),
                (Node::MaxItems(max), false) => arrays.longer(max + 1),
                (Node::Unique, positive) => {
                    arrays.unique |= positive;
                    arrays.twins |= !positive;
                }
                (Node::Item(at, node), true) => arrays.at.push((*at, Literal::yes(*node))),
                (Node::Item(at, node), false) => {
                    arrays.there.push((*at, Literal::no(*node)));
                    arrays.longer(*at as u64 + 1);
                }
                (Node::ItemsFrom(from, node), true) => {
                    arrays.from.push((*from, Literal::yes(*node)));
                }
                (Node::ItemsFrom(from, node), false) => {
                    arrays.some.push((*from, Literal::no(*node)));
                    arrays.longer(*from as u64 + 1);
                }
                (Node::Contains { node, min, .. }, true) if *min > 0 => {
                    // The others of several, and a most, are seen to when the array is tried.
                    arrays.some.push((0, Literal::yes(*node)));
                    arrays.longer(*min);
                }
                (Node::Contains { node, min: 1, max: None }, false) => {
                    arrays.from.push((0, Literal::no(*node)));
                }
                // An array that is not empty has an item.
                (Node::Enum(values), false) => {
                    let empty = Instance::Array(Vec::new());
                    if values.iter().any(|value| *solver.table.value(*value) == empty) {
                        arrays.longer(1);
                    }
                }
                _ => {}
            }
        }
        if arrays.twins {
            arrays.longer(2);
        }
        arrays
    }

    fn longer(&mut self, min: u64) {
        self.min = self.min.max(usize::try_from(min).unwrap_or(usize::MAX));
    }

    fn shorter(&mut self, max: u64) {
        self.max = Some(self.max.map_or(max, |old| old.min(max)));
    }

    /// From this place on, all places are alike.
    fn alike_from(&self) -> usize {
        let at = self.at.iter().chain(&self.there).map(|(at, _)| at + 1);
        let from = self.from.iter().chain(&self.some).map(|(from, _)| *from);
        at.chain(from).max().unwrap_or_default()
    }

    /// What the item at a place must be.
    fn at(&self, place: usize) -> Goal {
        let all = self.from.iter().filter(|(from, _)| *from <= place);
        let one = self.at.iter().chain(&self.there).filter(|(at, _)| *at == place);
        all.chain(one).map(|(_, literal)| *literal).collect()
    }

    fn has_place(&self, place: usize) -> bool {
        self.max.is_none_or(|max| (place as u64) < max)
    }

    fn build(&self, solver: &mut Solver<'_>, depth: usize) -> Answer {
        let mut demands: Vec<Goal> = Vec::new();
        let mut unknown = None;
        for (from, literal) in &self.some {
            match self.place(solver, depth, *from, *literal, &demands) {
                Ok(place) => self.extend(&mut demands, place + 1)[place].push(*literal),
                Err(Answer::Nothing) => return Answer::Nothing,
                Err(other) => unknown = Some(other),
            }
        }
        self.extend(&mut demands, self.min);
        if self.twins {
            match self.place_twins(solver, depth, &mut demands) {
                Ok(twins) => return self.fill(solver, depth, &demands, Some(&twins)),
                Err(Answer::Nothing) => return Answer::Nothing,
                Err(other) => unknown = Some(other),
            }
        }
        if let Some(unknown) = unknown {
            return unknown;
        }
        self.fill(solver, depth, &demands, None)
    }

    fn extend<'d>(&self, demands: &'d mut Vec<Goal>, len: usize) -> &'d mut Vec<Goal> {
        while demands.len() < len {
            demands.push(self.at(demands.len()));
        }
        demands
    }

    /// A place for an item that must be somewhere.
    fn place(
        &self,
        solver: &mut Solver<'_>,
        depth: usize,
        from: usize,
        literal: Literal,
        taken: &[Goal],
    ) -> Result<usize, Answer> {
        let mut ways = Ways::new();
        // Behind the last special place all are alike; one that is not taken is tried first.
        let last = self.alike_from().max(from);
        let free = last.max(taken.len());
        let mut places: Vec<usize> = (from..=last).rev().collect();
        if free > last && self.has_place(free) {
            places.insert(0, free);
        }
        for place in places {
            if !self.has_place(place) {
                continue;
            }
            if self.at_before(solver, depth, place) {
                continue;
            }
            let mut goal = taken.get(place).cloned().unwrap_or_else(|| self.at(place));
            goal.push(literal);
            if ways.add(solver.goal(goal, depth + 1)).is_some() {
                return Ok(place);
            }
        }
        // A place that is taken may be shared; that it cannot be does not prove anything.
        Err(match ways.end() {
            Answer::Nothing if !taken.is_empty() => Answer::unknown("contains"),
            other => other,
        })
    }

    /// Whether some place before this one can have no item.
    fn at_before(&self, solver: &mut Solver<'_>, depth: usize, place: usize) -> bool {
        (0..place.min(self.alike_from() + 1)).any(|earlier| {
            let goal = self.at(earlier);
            !goal.is_empty() && matches!(solver.goal(goal, depth + 1), Answer::Nothing)
        })
    }

    /// Two places for the same item.
    fn place_twins(
        &self,
        solver: &mut Solver<'_>,
        depth: usize,
        demands: &mut Vec<Goal>,
    ) -> Result<(usize, usize, Instance), Answer> {
        if self.unique {
            return Err(Answer::Nothing);
        }
        let mut ways = Ways::new();
        let last = self.alike_from() + 1;
        for second in 1..=last {
            for first in 0..second {
                if !self.has_place(second) || self.at_before(solver, depth, second) {
                    continue;
                }
                let mut goal = self.at(first);
                goal.extend(self.at(second));
                if let Some(Answer::Found(value)) = ways.add(solver.goal(goal, depth + 1)) {
                    self.extend(demands, second + 1);
                    return Ok((first, second, value));
                }
            }
        }
        Err(ways.end())
    }

    /// An item for every place.
    fn fill(
        &self,
        solver: &mut Solver<'_>,
        depth: usize,
        demands: &[Goal],
        twins: Option<&(usize, usize, Instance)>,
    ) -> Answer {
        let mut items: Vec<Instance> = Vec::new();
        let mut perhaps = None;
        for (place, demand) in demands.iter().enumerate() {
            if let Some((first, second, value)) = twins
                && (place == *first || place == *second)
            {
                items.push(value.clone());
                continue;
            }
            let mut goal = demand.clone();
            if self.unique && !items.is_empty() {
                goal.push(Literal::no(others(solver, &items)));
            }
            match solver.goal(goal, depth + 1) {
                Answer::Found(value) => items.push(value),
                // Whether there is nothing at all, or nothing beside what was put elsewhere.
                Answer::Nothing
                    if place < self.min
                        && matches!(solver.goal(self.at(place), depth + 1), Answer::Nothing) =>
                {
                    return Answer::Nothing;
                }
                Answer::Nothing => return Answer::unknown("uniqueItems"),
                Answer::Unknown { keyword, perhaps: Some(value) } => {
                    items.push(value);
                    perhaps = Some(keyword);
                }
                unknown @ Answer::Unknown { .. } => return unknown,
            }
        }
        match perhaps {
            None => Answer::Found(Instance::Array(items)),
            Some(keyword) => Answer::Unknown { keyword, perhaps: Some(Instance::Array(items)) },
        }
    }
}

/// The demand to be one of these.
fn others(solver: &mut Solver<'_>, items: &[Instance]) -> Id {
    let mut values: Vec<_> =
        items.iter().map(|item| solver.table.add_value(item.clone())).collect();
    values.sort_unstable();
    values.dedup();
    solver.table.add(Node::Enum(values))
}
