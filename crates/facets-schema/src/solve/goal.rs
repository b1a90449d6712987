//! What is searched for, what came of it, and what a search remembers.

use std::collections::BTreeMap;

use crate::budget::Budget;
use crate::instance::Instance;
use crate::node::{Id, Table};
use crate::validator::Validator;

/// A demand that is to be met, or to be failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Literal {
    pub(crate) node: Id,
    pub(crate) positive: bool,
}

impl Literal {
    pub(crate) const fn yes(node: Id) -> Self {
        Self { node, positive: true }
    }

    pub(crate) const fn no(node: Id) -> Self {
        Self { node, positive: false }
    }

    pub(super) const fn opposite(self) -> Self {
        Self { node: self.node, positive: !self.positive }
    }
}

/// What came of a goal.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    /// This value meets it.
    Found(Instance),
    /// No value meets it.
    Nothing,
    /// Nobody can tell, because of this keyword; perhaps this value does.
    Unknown { keyword: String, perhaps: Option<Instance> },
}

impl Answer {
    pub(super) fn unknown(keyword: &str) -> Self {
        Self::Unknown { keyword: keyword.to_owned(), perhaps: None }
    }

    /// The word for a goal that was too large.
    pub(super) fn too_much() -> Self {
        Self::unknown("size")
    }
}

/// Several ways to meet a goal: one is enough, and none must be left for there to be nothing.
pub(super) struct Ways {
    unknown: Option<Answer>,
}

impl Ways {
    pub(super) const fn new() -> Self {
        Self { unknown: None }
    }

    /// Gives back what ends the search.
    pub(super) fn add(&mut self, answer: Answer) -> Option<Answer> {
        match answer {
            Answer::Found(_) => return Some(answer),
            Answer::Nothing => {}
            Answer::Unknown { perhaps: Some(_), .. }
                if !matches!(self.unknown, Some(Answer::Unknown { perhaps: Some(_), .. })) =>
            {
                self.unknown = Some(answer);
            }
            Answer::Unknown { .. } => {
                self.unknown.get_or_insert(answer);
            }
        }
        None
    }

    pub(super) fn end(self) -> Answer {
        self.unknown.unwrap_or(Answer::Nothing)
    }
}

/// A goal: demands in order, each once.
pub(super) type Goal = Vec<Literal>;

/// A search, with what it has found out so far.
pub(crate) struct Solver<'s> {
    pub(crate) table: &'s mut Table,
    pub(super) validator: &'s dyn Validator,
    pub(super) budget: &'s Budget,
    pub(super) known: BTreeMap<Goal, Answer>,
    /// Goals that are being looked at, by how deep they stand.
    pub(super) under_way: BTreeMap<Goal, usize>,
    /// The outermost goal under way whose emptiness an answer has leaned on.
    pub(super) leaned: usize,
    /// How many choices are being made.
    pub(super) choices: usize,
}

impl<'s> Solver<'s> {
    pub(crate) fn new(
        table: &'s mut Table,
        validator: &'s dyn Validator,
        budget: &'s Budget,
    ) -> Self {
        Self {
            table,
            validator,
            budget,
            known: BTreeMap::new(),
            under_way: BTreeMap::new(),
            leaned: usize::MAX,
            choices: 0,
        }
    }
}
