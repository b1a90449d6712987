//! Objects.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::instance::Instance;
use crate::node::{Id, Node, PatternId, Types};

use super::goal::{Answer, Goal, Literal, Solver, Ways};

/// Larger objects are no examples.
const LARGEST: u64 = 200;
/// Patterns whose combinations are told apart.
const MOST_PATTERNS: usize = 4;

/// Some member that must be there.
#[derive(Clone, Copy)]
enum Sought {
    /// With a name that matches.
    Matching(PatternId, Literal),
    /// With a name that others do not cover; by its place in the list of others.
    Other(usize, Literal),
    /// With a name that fails.
    Named(Id),
}

impl Sought {
    /// What its value must be.
    const fn value(self) -> Option<Literal> {
        match self {
            Self::Matching(_, literal) | Self::Other(_, literal) => Some(literal),
            Self::Named(_) => None,
        }
    }
}

/// Names that others do not cover.
struct Others {
    names: Rc<[Rc<str>]>,
    patterns: Vec<PatternId>,
}

/// What is asked of an object.
#[derive(Default)]
struct Objects {
    min: u64,
    max: Option<u64>,
    there: BTreeMap<Rc<str>, Goal>,
    absent: BTreeSet<Rc<str>>,
    properties: BTreeMap<Rc<str>, Goal>,
    matching: Vec<(PatternId, Id)>,
    others: Vec<(Others, Option<Id>)>,
    names: Vec<Id>,
    some: Vec<Sought>,
    /// Names that any demand speaks of.
    known: BTreeSet<Rc<str>>,
    patterns: BTreeSet<PatternId>,
}

pub(super) fn object(solver: &mut Solver<'_>, literals: &[Literal], depth: usize) -> Answer {
    let objects = Objects::of(solver, literals);
    let needed = objects.there.len() as u64;
    if objects.max.is_some_and(|max| objects.min.max(needed) > max) {
        return Answer::Nothing;
    }
    if objects.there.keys().any(|name| objects.absent.contains(name)) {
        return Answer::Nothing;
    }
    if objects.max == Some(0) {
        return solver.only(literals, Instance::Object(BTreeMap::new()));
    }
    if objects.min > LARGEST {
        return Answer::unknown("minProperties");
    }
    let mut builder = Builder { objects: &objects, depth, members: BTreeMap::new(), perhaps: None };
    if let Err(answer) = builder.run(solver) {
        return answer;
    }
    let value = Instance::Object(builder.members);
    match builder.perhaps {
        None => Answer::Found(value),
        Some(keyword) => Answer::Unknown { keyword, perhaps: Some(value) },
    }
}

impl Objects {
    fn of(solver: &Solver<'_>, literals: &[Literal]) -> Self {
        let mut objects = Self::default();
        for literal in literals {
            objects.add(solver, *literal);
        }
        objects
    }

    fn add(&mut self, solver: &Solver<'_>, literal: Literal) {
        match (solver.table.node(literal.node), literal.positive) {
            (Node::MinProperties(min), true) => self.min = self.min.max(*min),
            (Node::MaxProperties(max), true) => self.at_most(*max),
            (Node::MinProperties(min), false) => self.at_most(min - 1),
            (Node::MaxProperties(max), false) => self.min = self.min.max(max + 1),
            (Node::Required(name), true) => {
                self.known.insert(name.clone());
                self.there.entry(name.clone()).or_default();
            }
            (Node::Required(name), false) => {
                self.known.insert(name.clone());
                self.absent.insert(name.clone());
            }
            (Node::Property(name, node), positive) => {
                self.known.insert(name.clone());
                let demands = if positive { &mut self.properties } else { &mut self.there };
                let literal = Literal { node: *node, positive };
                demands.entry(name.clone()).or_default().push(literal);
            }
            (Node::Matching(pattern, node), positive) => {
                self.patterns.insert(*pattern);
                if positive {
                    self.matching.push((*pattern, *node));
                } else {
                    self.some.push(Sought::Matching(*pattern, Literal::no(*node)));
                }
            }
            (Node::Others { names, patterns, node }, positive) => {
                self.known.extend(names.iter().cloned());
                self.patterns.extend(patterns);
                let others = Others { names: names.clone(), patterns: patterns.clone() };
                if !positive {
                    self.some.push(Sought::Other(self.others.len(), Literal::no(*node)));
                }
                self.others.push((others, positive.then_some(*node)));
            }
            // An object that is not empty has a member.
            (Node::Enum(values), false) => {
                let empty = Instance::Object(BTreeMap::new());
                if values.iter().any(|value| *solver.table.value(*value) == empty) {
                    self.min = self.min.max(1);
                }
            }
            (Node::Names(node), true) => self.names.push(*node),
            (Node::Names(node), false) => self.some.push(Sought::Named(*node)),
            _ => {}
        }
    }

    fn at_most(&mut self, max: u64) {
        self.max = Some(self.max.map_or(max, |old| old.min(max)));
    }

    /// What the value of a name must be, as far as is sure. `matches` tells of patterns.
    fn value(&self, name: Option<&str>, matches: &dyn Fn(PatternId) -> Option<bool>) -> Goal {
        let mut goal: Goal =
            name.and_then(|name| self.properties.get(name)).cloned().unwrap_or_default();
        let matching = self.matching.iter().filter(|(pattern, _)| matches(*pattern) == Some(true));
        goal.extend(matching.map(|(_, node)| Literal::yes(*node)));
        for (others, node) in &self.others {
            if let Some(node) = node
                && others.covers(name, matches) == Some(false)
            {
                goal.push(Literal::yes(*node));
            }
        }
        goal
    }
}

impl Others {
    /// Whether a name is one of these; a fresh one is none of any list.
    fn covers(
        &self,
        name: Option<&str>,
        matches: &dyn Fn(PatternId) -> Option<bool>,
    ) -> Option<bool> {
        let listed =
            name.is_some_and(|name| self.names.binary_search_by(|one| (**one).cmp(name)).is_ok());
        if listed {
            return Some(true);
        }
        let mut sure = true;
        for pattern in &self.patterns {
            match matches(*pattern) {
                Some(true) => return Some(true),
                Some(false) => {}
                None => sure = false,
            }
        }
        sure.then_some(false)
    }
}

struct Builder<'b> {
    objects: &'b Objects,
    depth: usize,
    members: BTreeMap<String, Instance>,
    /// The keyword that leaves a doubt about a value.
    perhaps: Option<String>,
}

/// An answer that ends the search.
type End<T = ()> = Result<T, Answer>;

impl Builder<'_> {
    fn run(&mut self, solver: &mut Solver<'_>) -> End {
        for (name, goal) in &self.objects.there {
            if self.is_allowed(solver, name) == Some(false) {
                return Err(Answer::Nothing);
            }
            let mut goal = goal.clone();
            goal.extend(self.value_of(solver, name));
            match solver.goal(goal, self.depth + 1) {
                Answer::Found(value) => self.put(name, value, None),
                Answer::Unknown { keyword, perhaps: Some(value) } => {
                    self.put(name, value, Some(keyword));
                }
                end => return Err(end),
            }
        }
        for some in &self.objects.some {
            self.place(solver, *some)?;
        }
        self.fill(solver)
    }

    fn put(&mut self, name: &str, value: Instance, doubt: Option<String>) {
        self.members.insert(name.to_owned(), value);
        if doubt.is_some() {
            self.perhaps = doubt;
        }
    }

    /// Whether the demands on names allow a name.
    fn is_allowed(&self, solver: &Solver<'_>, name: &str) -> Option<bool> {
        let name = Instance::String(name.to_owned());
        let evaluator = solver.evaluator();
        let mut sure = true;
        for node in &self.objects.names {
            match evaluator.holds(*node, &name) {
                Some(false) => return Some(false),
                Some(true) => {}
                None => sure = false,
            }
        }
        sure.then_some(true)
    }

    /// What the value of a name must be.
    fn value_of(&self, solver: &Solver<'_>, name: &str) -> Goal {
        let evaluator = solver.evaluator();
        self.objects.value(Some(name), &|pattern| evaluator.matches(pattern, name))
    }

    /// Finds a member of which only something is known.
    fn place(&mut self, solver: &mut Solver<'_>, some: Sought) -> End {
        let mut ways = Ways::new();
        let full = self.objects.max.is_some_and(|max| self.objects.there.len() as u64 >= max);
        // A name that somebody wrote down says more than one that nobody did.
        if !full && self.among_known(solver, some, false, &mut ways) {
            return Ok(());
        }
        let signs = if full { Vec::new() } else { self.signs()? };
        for signs in signs {
            match self.fresh(solver, &signs, Some(some)) {
                Ok((name, value)) => {
                    self.put(&name, value, None);
                    return Ok(());
                }
                Err(answer) => {
                    ways.add(answer);
                }
            }
        }
        if self.among_known(solver, some, true, &mut ways) {
            return Ok(());
        }
        // A fresh name that was used up for another member may be all there is.
        let used = self.members.keys().any(|name| !self.objects.known.contains(name.as_str()));
        match ways.end() {
            Answer::Unknown { keyword, .. } => Err(Answer::unknown(&keyword)),
            Answer::Nothing if used => Err(Answer::unknown("size")),
            other => Err(other),
        }
    }

    /// Looks among the names that demands speak of: those that must be there, or the others.
    fn among_known(
        &mut self,
        solver: &mut Solver<'_>,
        some: Sought,
        there: bool,
        ways: &mut Ways,
    ) -> bool {
        for name in &self.objects.known {
            let demands = self.objects.there.get(name);
            if self.objects.absent.contains(name)
                || demands.is_some() != there
                || !self.may_be(solver, name, some)
            {
                continue;
            }
            let mut goal = self.value_of(solver, name);
            goal.extend(demands.into_iter().flatten());
            goal.extend(some.value());
            // One that was put there for another reason must not be taken away again.
            let taken = self.members.contains_key(&**name) && !there;
            match solver.goal(goal, self.depth + 1) {
                Answer::Found(value) if !taken => {
                    self.put(name, value, None);
                    return true;
                }
                Answer::Found(_) => ways.add(Answer::unknown("size")),
                other => ways.add(other),
            };
        }
        false
    }

    /// Whether the member that is looked for may have a known name.
    fn may_be(&self, solver: &Solver<'_>, name: &str, some: Sought) -> bool {
        let evaluator = solver.evaluator();
        let matches = |pattern| evaluator.matches(pattern, name);
        let fits = match some {
            Sought::Matching(pattern, _) => matches(pattern) != Some(false),
            Sought::Other(index, _) => {
                self.objects.others[index].0.covers(Some(name), &matches) != Some(true)
            }
            Sought::Named(node) => {
                evaluator.holds(node, &Instance::String(name.to_owned())) != Some(true)
            }
        };
        fits && self.is_allowed(solver, name) != Some(false)
    }

    /// All combinations of patterns that a name may match.
    fn signs(&self) -> End<Vec<BTreeMap<PatternId, bool>>> {
        if self.objects.patterns.len() > MOST_PATTERNS {
            return Err(Answer::unknown("patternProperties"));
        }
        let mut all = vec![BTreeMap::new()];
        for pattern in &self.objects.patterns {
            all = all
                .into_iter()
                .flat_map(|signs| {
                    [false, true].map(|matches| {
                        let mut signs = signs.clone();
                        signs.insert(*pattern, matches);
                        signs
                    })
                })
                .collect();
        }
        Ok(all)
    }

    /// A member with a name that no demand speaks of, and a value for it.
    fn fresh(
        &self,
        solver: &mut Solver<'_>,
        signs: &BTreeMap<PatternId, bool>,
        some: Option<Sought>,
    ) -> End<(String, Instance)> {
        let matches = |pattern: PatternId| signs.get(&pattern).copied();
        let mut value = self.objects.value(None, &matches);
        let mut name = self.name_goal(solver, signs);
        match some {
            Some(Sought::Matching(pattern, literal)) if matches(pattern) == Some(true) => {
                value.push(literal);
            }
            Some(Sought::Other(index, literal))
                if self.objects.others[index].0.covers(None, &matches) == Some(false) =>
            {
                value.push(literal);
            }
            Some(Sought::Named(node)) => name.push(Literal::no(node)),
            None => {}
            Some(_) => return Err(Answer::Nothing),
        }
        let value = match solver.goal(value, self.depth + 1) {
            Answer::Found(value) => value,
            other => return Err(other),
        };
        match solver.goal(name, self.depth + 1) {
            Answer::Found(Instance::String(name)) => Ok((name, value)),
            Answer::Found(_) => Err(Answer::unknown("propertyNames")),
            other => Err(other),
        }
    }

    /// What a fresh name must be.
    fn name_goal(&self, solver: &mut Solver<'_>, signs: &BTreeMap<PatternId, bool>) -> Goal {
        let table = &mut *solver.table;
        let mut goal = vec![Literal::yes(table.add(Node::Types(Types::STRING)))];
        let taken = self.objects.known.iter().map(ToString::to_string);
        let taken = taken.chain(self.members.keys().cloned());
        let mut values: Vec<_> =
            taken.map(|name| table.add_value(Instance::String(name))).collect();
        values.sort_unstable();
        values.dedup();
        if !values.is_empty() {
            goal.push(Literal::no(table.add(Node::Enum(values))));
        }
        goal.extend(self.objects.names.iter().map(|node| Literal::yes(*node)));
        for (pattern, matches) in signs {
            let node = table.add(Node::Pattern(*pattern));
            goal.push(Literal { node, positive: *matches });
        }
        goal
    }

    /// As many members as there must be.
    fn fill(&mut self, solver: &mut Solver<'_>) -> End {
        let min = self.objects.min;
        let mut unsure = None;
        for name in &self.objects.known {
            if self.members.len() as u64 >= min {
                return Ok(());
            }
            if self.members.contains_key(&**name)
                || self.objects.absent.contains(name)
                || self.is_allowed(solver, name) == Some(false)
            {
                continue;
            }
            let goal = self.value_of(solver, name);
            match solver.goal(goal, self.depth + 1) {
                Answer::Found(value) => self.put(name, value, None),
                Answer::Nothing => {}
                unknown @ Answer::Unknown { .. } => unsure = Some(unknown),
            }
        }
        while (self.members.len() as u64) < min {
            let mut ways = Ways::new();
            let mut next = None;
            for signs in self.signs()? {
                match self.fresh(solver, &signs, None) {
                    Ok(member) => next = Some(member),
                    Err(answer) => {
                        ways.add(answer);
                    }
                }
                if next.is_some() {
                    break;
                }
            }
            match next {
                Some((name, value)) => self.put(&name, value, None),
                None => return Err(unsure.unwrap_or_else(|| ways.end())),
            }
        }
        Ok(())
    }
}
