//! Is there a value that meets some demands and fails others? A value, or the proof that there
//! is none, or neither.
//!
//! "Nothing" is only said if it is proven: a demand that cannot be looked into is left out, and
//! what has no value without it has none with it. A value that was found is tried before it is
//! given back. A goal that comes up again inside itself, about a smaller value, has no value
//! there: the smallest value of a goal holds no other value of the same goal.

mod arrays;
mod front;
mod goal;
mod numbers;
mod objects;
mod strings;

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::evaluate::Evaluator;
use crate::instance::Instance;
use crate::node::{Id, Node, Types};
use front::Front;
pub(crate) use goal::{Answer, Literal, Solver};
use goal::{Goal, Ways};

/// Values inside values; deeper ones are no examples.
const DEEPEST: usize = 60;
/// Choices inside choices, at all depths together: the stack holds no more.
const MOST_CHOICES: usize = 250;

impl Solver<'_> {
    pub(crate) fn evaluator(&self) -> Evaluator<'_> {
        Evaluator { table: self.table, validator: self.validator, budget: self.budget }
    }

    /// Looks for a value that meets a goal.
    pub(crate) fn solve(&mut self, goal: Vec<Literal>) -> Answer {
        self.goal(goal, 0)
    }

    /// A goal about a value at some depth inside the outermost.
    fn goal(&mut self, mut goal: Goal, depth: usize) -> Answer {
        goal.sort_unstable();
        goal.dedup();
        if depth > DEEPEST || self.budget.spend(1 + goal.len()).is_none() {
            return Answer::too_much();
        }
        if let Some(answer) = self.known.get(&goal) {
            return answer.clone();
        }
        if let Some(outer) = self.under_way.get(&goal) {
            self.leaned = self.leaned.min(*outer);
            return Answer::Nothing;
        }
        let outside = std::mem::replace(&mut self.leaned, usize::MAX);
        self.under_way.insert(goal.clone(), depth);
        let mut front = Front::default();
        let answer = if front.add_all(self.table, &goal) {
            self.search(front, depth)
        } else {
            Answer::Nothing
        };
        self.under_way.remove(&goal);
        // What leans on a goal further out holds only as long as that one has no value.
        let own = self.leaned >= depth;
        self.leaned = outside.min(if own { usize::MAX } else { self.leaned });
        if own || matches!(answer, Answer::Found(_)) {
            self.known.insert(goal, answer.clone());
        }
        answer
    }

    /// Decides one choice after the other.
    fn search(&mut self, front: Front, depth: usize) -> Answer {
        if self.choices > MOST_CHOICES || self.budget.spend(1 + front.len()).is_none() {
            return Answer::too_much();
        }
        self.choices += 1;
        let answer = self.choose(front, depth);
        self.choices -= 1;
        answer
    }

    fn choose(&mut self, mut front: Front, depth: usize) -> Answer {
        if !front.simplify(self.table) {
            return Answer::Nothing;
        }
        if let Some(answer) = self.among_values(&front) {
            return answer;
        }
        if front.choices().len() > 1 && !self.drop_idle_choices(&mut front, depth) {
            return Answer::too_much();
        }
        let Some(choice) = front.take_smallest_choice() else {
            return self.plain(&front, depth);
        };
        let mut ways = Ways::new();
        let settled = self.settled_properties(&front);
        for literal in choice {
            if self.fails_alone(&settled, literal, depth) {
                continue;
            }
            if self.budget.spend(1 + front.len()).is_none() {
                return Answer::too_much();
            }
            let mut branch = front.clone();
            if !branch.add(self.table, literal) {
                continue;
            }
            let answer = self.search(branch, depth);
            if let Some(found) = ways.add(answer) {
                return found;
            }
        }
        ways.end()
    }

    /// What is settled about the values of names.
    fn settled_properties(&self, front: &Front) -> BTreeMap<Rc<str>, Goal> {
        let mut settled: BTreeMap<Rc<str>, Goal> = BTreeMap::new();
        for literal in front.literals().iter().filter(|literal| literal.positive) {
            if let Node::Property(name, node) = self.table.node(literal.node) {
                settled.entry(name.clone()).or_default().push(Literal::yes(*node));
            }
        }
        settled
    }

    /// Whether a branch leaves no value for a name, whatever the others are: of ten thousand
    /// arguments each is looked at by itself.
    fn fails_alone(
        &mut self,
        settled: &BTreeMap<Rc<str>, Goal>,
        literal: Literal,
        depth: usize,
    ) -> bool {
        let (Node::Property(name, node), false) = (self.table.node(literal.node), literal.positive)
        else {
            return false;
        };
        let mut goal = settled.get(name).cloned().unwrap_or_default();
        goal.push(Literal::no(*node));
        matches!(self.goal(goal, depth + 1), Answer::Nothing)
    }

    /// A choice is idle if what is settled already leaves no value that fails all its branches.
    /// Without this, telling thirty alternatives apart would take as many steps as they have
    /// combinations.
    fn drop_idle_choices(&mut self, front: &mut Front, depth: usize) -> bool {
        for index in (0..front.choices().len()).rev() {
            if self.budget.spend(1 + front.len()).is_none() {
                return false;
            }
            let mut failing = front.without_choices();
            let opposites: Vec<Literal> =
                front.choices()[index].iter().map(|literal| literal.opposite()).collect();
            let idle = !failing.add_all(self.table, &opposites)
                || matches!(self.search(failing, depth), Answer::Nothing);
            if idle {
                front.drop_choice(index);
            }
        }
        true
    }

    /// If only a few values are possible, each is tried.
    fn among_values(&self, front: &Front) -> Option<Answer> {
        let values = front.literals().iter().find_map(|literal| {
            match (self.table.node(literal.node), literal.positive) {
                (Node::Enum(values), true) => Some(values.clone()),
                _ => None,
            }
        })?;
        let mut ways = Ways::new();
        for value in values {
            if let Some(found) = ways.add(self.tried(front, self.table.value(value).clone())) {
                return Some(found);
            }
        }
        Some(ways.end())
    }

    /// Whether a value meets everything.
    fn tried(&self, front: &Front, value: Instance) -> Answer {
        let evaluator = self.evaluator();
        let meets = |literal: &Literal| {
            evaluator.holds(literal.node, &value).map(|holds| holds == literal.positive)
        };
        let mut unsure = None;
        for literal in front.literals() {
            match meets(literal) {
                Some(true) => {}
                Some(false) => return Answer::Nothing,
                None => unsure = Some(self.keyword(literal.node)),
            }
        }
        for choice in front.choices() {
            let answers: Vec<_> = choice.iter().map(meets).collect();
            if answers.contains(&Some(true)) {
                continue;
            }
            match answers.iter().position(Option::is_none) {
                Some(index) => unsure = Some(self.keyword(choice[index].node)),
                None => return Answer::Nothing,
            }
        }
        match unsure {
            None => Answer::Found(value),
            Some(keyword) => Answer::Unknown { keyword, perhaps: Some(value) },
        }
    }

    /// What stands in the way of looking into a demand.
    fn keyword(&self, id: Id) -> String {
        match self.table.node(id) {
            Node::Opaque { keyword, .. } => keyword.to_string(),
            Node::MultipleOf(_) => "multipleOf".to_owned(),
            Node::Pattern(_) | Node::Matching(..) | Node::Others { .. } => "pattern".to_owned(),
            Node::Contains { .. } => "contains".to_owned(),
            Node::Ref(_) => "$ref".to_owned(),
            _ => "size".to_owned(),
        }
    }

    /// Only plain demands are left: one type of values after the other.
    fn plain(&mut self, front: &Front, depth: usize) -> Answer {
        let mut ways = Ways::new();
        for kind in Types::EACH {
            if front.types().and(kind) == Types::NONE {
                continue;
            }
            let literals: Vec<Literal> = front
                .literals()
                .iter()
                .copied()
                .filter(|literal| self.table.node(literal.node).about().and(kind) != Types::NONE)
                .collect();
            let answer = match kind {
                Types::NULL => Answer::Found(Instance::Null),
                Types::BOOL => {
                    let mut either = Ways::new();
                    let found = [true, false]
                        .into_iter()
                        .find_map(|flag| either.add(self.tried(front, Instance::Bool(flag))));
                    found.unwrap_or_else(|| either.end())
                }
                Types::INTEGER => numbers::integer(self, &literals),
                Types::FRACTION => numbers::fraction(self, &literals),
                Types::STRING => strings::string(self, &literals),
                Types::ARRAY => arrays::array(self, &literals, depth),
                _ => objects::object(self, &literals, depth),
            };
            let answer = match answer {
                Answer::Found(value) => self.confirmed(front, value),
                other => other,
            };
            if let Some(found) = ways.add(answer) {
                return found;
            }
        }
        ways.end()
    }

    /// If there is one value of a type at all, it is the one or there is none.
    fn only(&self, literals: &[Literal], value: Instance) -> Answer {
        let fails = |literal: &Literal| {
            self.evaluator().holds(literal.node, &value) == Some(!literal.positive)
        };
        if literals.iter().any(fails) { Answer::Nothing } else { Answer::Found(value) }
    }

    /// A value that was put together is tried; if it fails, another might not.
    fn confirmed(&self, front: &Front, value: Instance) -> Answer {
        // Null and the two flags are all there is of their types.
        let only = matches!(value, Instance::Null | Instance::Bool(_));
        match self.tried(front, value) {
            Answer::Nothing if !only => Answer::unknown("size"),
            other => other,
        }
    }
}
