//! What is settled about a value, and what is still to be chosen.

use std::collections::BTreeSet;

use crate::node::{Node, Table, Types};

use super::goal::Literal;

/// Plain demands, and choices of which one branch each must hold.
#[derive(Clone, Debug)]
pub(super) struct Front {
    /// Everything that was added, to see at once what contradicts itself.
    seen: BTreeSet<Literal>,
    literals: BTreeSet<Literal>,
    choices: Vec<Vec<Literal>>,
    types: Types,
}

impl Default for Front {
    fn default() -> Self {
        Self {
            seen: BTreeSet::new(),
            literals: BTreeSet::new(),
            choices: Vec::new(),
            types: Types::ALL,
        }
    }
}

impl Front {
    pub(super) const fn literals(&self) -> &BTreeSet<Literal> {
        &self.literals
    }

    pub(super) fn choices(&self) -> &[Vec<Literal>] {
        &self.choices
    }

    pub(super) const fn types(&self) -> Types {
        self.types
    }

    pub(super) fn len(&self) -> usize {
        self.literals.len() + self.choices.iter().map(Vec::len).sum::<usize>()
    }

    pub(super) fn without_choices(&self) -> Self {
        Self {
            seen: self.literals.clone(),
            literals: self.literals.clone(),
            choices: Vec::new(),
            types: self.types,
        }
    }

    pub(super) fn drop_choice(&mut self, index: usize) {
        self.choices.swap_remove(index);
    }

    /// No if that leaves no value.
    pub(super) fn add_all(&mut self, table: &Table, literals: &[Literal]) -> bool {
        literals.iter().all(|literal| self.add(table, *literal))
    }

    /// No if that leaves no value.
    pub(super) fn add(&mut self, table: &Table, literal: Literal) -> bool {
        let mut waiting = vec![literal];
        // References that lead in a circle were refused before.
        while let Some(literal) = waiting.pop() {
            if self.seen.contains(&literal.opposite()) {
                return false;
            }
            if !self.seen.insert(literal) {
                continue;
            }
            let positive = literal.positive;
            let each = |node| Literal { node, positive };
            match (table.node(literal.node), positive) {
                (Node::Bool(flag), _) if *flag == positive => {}
                (Node::Bool(_), _) => return false,
                (Node::Not(inner), _) => waiting.push(each(*inner).opposite()),
                (Node::Ref(index), _) => waiting.push(each(table.definition(*index))),
                (Node::All(parts), true) | (Node::Any(parts), false) => {
                    waiting.extend(parts.iter().copied().map(each));
                }
                (Node::All(parts), false) | (Node::Any(parts), true) => {
                    self.choices.push(parts.iter().copied().map(each).collect());
                }
                _ => {
                    self.literals.insert(literal);
                    self.types = self.types.and(allowed(table, literal));
                    if self.types == Types::NONE {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// Takes out what cannot hold, and decides what has one branch left. No if nothing is left.
    pub(super) fn simplify(&mut self, table: &Table) -> bool {
        loop {
            let mut decided = Vec::new();
            let mut open = Vec::new();
            for mut choice in std::mem::take(&mut self.choices) {
                if choice.iter().any(|literal| self.seen.contains(literal)) {
                    continue;
                }
                choice.retain(|literal| self.is_possible(table, *literal));
                match choice.as_slice() {
                    [] => return false,
                    [one] => decided.push(*one),
                    _ => open.push(choice),
                }
            }
            self.choices = open;
            if decided.is_empty() {
                return true;
            }
            if !self.add_all(table, &decided) {
                return false;
            }
        }
    }

    fn is_possible(&self, table: &Table, literal: Literal) -> bool {
        !self.seen.contains(&literal.opposite())
            && possible(table, literal, 0).and(self.types) != Types::NONE
    }

    pub(super) fn take_smallest_choice(&mut self) -> Option<Vec<Literal>> {
        let (index, _) = self.choices.iter().enumerate().min_by_key(|(_, choice)| choice.len())?;
        Some(self.choices.swap_remove(index))
    }
}

/// The types of values for which a plain demand can be met, or failed.
fn allowed(table: &Table, literal: Literal) -> Types {
    match (table.node(literal.node), literal.positive) {
        (Node::Types(types), true) => *types,
        (Node::Types(types), false) => types.not(),
        (Node::Enum(values), true) => {
            values.iter().fold(Types::NONE, |types, value| types.or(Types::of(table.value(*value))))
        }
        (Node::Enum(_) | Node::Opaque { .. }, false) | (_, true) => Types::ALL,
        // Only values of its type can fail a demand.
        (node, false) => node.about(),
    }
}

/// The same, looking a little into parts.
fn possible(table: &Table, literal: Literal, depth: usize) -> Types {
    const DEEPEST: usize = 4;
    const WIDEST: usize = 40;
    if depth > DEEPEST {
        return Types::ALL;
    }
    let positive = literal.positive;
    let below = |node| possible(table, Literal { node, positive }, depth + 1);
    match (table.node(literal.node), positive) {
        (Node::Bool(flag), _) => {
            if *flag == positive {
                Types::ALL
            } else {
                Types::NONE
            }
        }
        (Node::Not(inner), _) => {
            possible(table, Literal { node: *inner, positive: !positive }, depth + 1)
        }
        (Node::Ref(index), _) => below(table.definition(*index)),
        (Node::All(parts), true) | (Node::Any(parts), false) => {
            parts.iter().take(WIDEST).fold(Types::ALL, |types, part| types.and(below(*part)))
        }
        (Node::All(parts), false) | (Node::Any(parts), true) if parts.len() <= WIDEST => {
            parts.iter().fold(Types::NONE, |types, part| types.or(below(*part)))
        }
        (Node::All(_) | Node::Any(_), _) => Types::ALL,
        _ => allowed(table, literal),
    }
}
