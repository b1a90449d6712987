//! Whether a value is as a demand asks.

use crate::budget::Budget;
use crate::decimal::is_multiple;
use crate::instance::Instance;
use crate::node::{Finite, Id, Node, PatternId, Table, Types};
use crate::validator::Validator;

/// Everything that answers need beside the demand.
#[derive(Clone, Copy)]
pub(crate) struct Evaluator<'e> {
    pub(crate) table: &'e Table,
    pub(crate) validator: &'e dyn Validator,
    pub(crate) budget: &'e Budget,
}

impl Evaluator<'_> {
    /// Nothing if nobody can tell.
    pub(crate) fn holds(&self, id: Id, instance: &Instance) -> Option<bool> {
        self.at(id, instance, 0)
    }

    pub(crate) fn matches(&self, id: PatternId, text: &str) -> Option<bool> {
        let pattern = self.table.pattern(id);
        match &pattern.automaton {
            Some(automaton) => {
                self.budget.spend(1 + text.len() * automaton.size() / 50)?;
                Some(automaton.matches(text))
            }
            // A no may be one for want of patience, and proves nothing.
            None => self.validator.matches(&pattern.source, text).filter(|matches| *matches),
        }
    }

    fn at(&self, id: Id, instance: &Instance, depth: usize) -> Option<bool> {
        const DEEPEST: usize = 400;
        self.budget.spend(1)?;
        if depth > DEEPEST {
            return None;
        }
        let node = self.table.node(id);
        if node.about().and(Types::of(instance)) == Types::NONE {
            return Some(true);
        }
        let below = |id: Id, instance: &Instance| self.at(id, instance, depth + 1);
        match (node, instance) {
            (Node::Bool(flag), _) => Some(*flag),
            (Node::All(parts), _) => all(parts.iter().map(|part| below(*part, instance))),
            (Node::Any(parts), _) => any(parts.iter().map(|part| below(*part, instance))),
            (Node::Not(inner), _) => below(*inner, instance).map(|holds| !holds),
            (Node::Ref(index), _) => below(self.table.definition(*index), instance),
            (Node::Types(types), _) => Some(types.and(Types::of(instance)) != Types::NONE),
            (Node::Enum(values), _) => {
                let known = self.table.find_value(instance);
                Some(known.is_some_and(|value| values.binary_search(&value).is_ok()))
            }
            (Node::Minimum { bound: Finite(bound), exclusive }, Instance::Number(number)) => {
                Some(if *exclusive { number > bound } else { number >= bound })
            }
            (Node::Maximum { bound: Finite(bound), exclusive }, Instance::Number(number)) => {
                Some(if *exclusive { number < bound } else { number <= bound })
            }
            (Node::MultipleOf(Finite(step)), Instance::Number(number)) => {
                is_multiple(*number, *step)
            }
            (Node::MinLength(min), Instance::String(text)) => Some(length(text) >= *min),
            (Node::MaxLength(max), Instance::String(text)) => Some(length(text) <= *max),
            (Node::Pattern(pattern), Instance::String(text)) => self.matches(*pattern, text),
            (_, Instance::Array(items)) => self.of_array(node, items, depth),
            (_, Instance::Object(_)) => self.of_object(node, instance, depth),
            _ => None,
        }
    }

    fn of_array(&self, node: &Node, items: &[Instance], depth: usize) -> Option<bool> {
        let below = |id: Id, item: &Instance| self.at(id, item, depth + 1);
        match node {
            Node::MinItems(min) => Some(items.len() as u64 >= *min),
            Node::MaxItems(max) => Some(items.len() as u64 <= *max),
            Node::Unique => {
                self.budget.spend(items.len() * items.len())?;
                let twin = |(index, item)| items[..index].contains(item);
                Some(!items.iter().enumerate().any(twin))
            }
            Node::Item(index, node) => {
                items.get(*index).map_or(Some(true), |item| below(*node, item))
            }
            Node::ItemsFrom(from, node) => {
                all(items.iter().skip(*from).map(|item| below(*node, item)))
            }
            Node::Contains { node, min, max } => {
                let answers: Vec<_> = items.iter().map(|item| below(*node, item)).collect();
                let sure = answers.iter().filter(|answer| **answer == Some(true)).count() as u64;
                let most = answers.iter().filter(|answer| **answer != Some(false)).count() as u64;
                let fits = |count: u64| count >= *min && max.is_none_or(|max| count <= max);
                (fits(sure) == fits(most) && sure == most || most < *min).then(|| fits(most))
            }
            _ => None,
        }
    }

    fn of_object(&self, node: &Node, instance: &Instance, depth: usize) -> Option<bool> {
        let Instance::Object(members) = instance else { return None };
        let below = |id: Id, value: &Instance| self.at(id, value, depth + 1);
        match node {
            Node::MinProperties(min) => Some(members.len() as u64 >= *min),
            Node::MaxProperties(max) => Some(members.len() as u64 <= *max),
            Node::Required(name) => Some(members.contains_key(&**name)),
            Node::Property(name, node) => {
                members.get(&**name).map_or(Some(true), |value| below(*node, value))
            }
            Node::Matching(pattern, node) => {
                all(members.iter().map(|(name, value)| match self.matches(*pattern, name) {
                    Some(false) => Some(true),
                    Some(true) => below(*node, value),
                    None => below(*node, value).filter(|holds| *holds),
                }))
            }
            Node::Others { names, patterns, node } => all(members.iter().map(|(name, value)| {
                if names.binary_search_by(|one| (**one).cmp(name)).is_ok() {
                    return Some(true);
                }
                match any(patterns.iter().map(|pattern| self.matches(*pattern, name))) {
                    Some(true) => Some(true),
                    Some(false) => below(*node, value),
                    None => below(*node, value).filter(|holds| *holds),
                }
            })),
            Node::Names(node) => {
                all(members.keys().map(|name| below(*node, &Instance::String(name.clone()))))
            }
            _ => None,
        }
    }
}

/// Characters, as schemas count them.
pub(crate) fn length(text: &str) -> u64 {
    text.chars().count() as u64
}

/// A no is a no, whatever else is unknown.
fn all(answers: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut known = true;
    for answer in answers {
        match answer {
            Some(false) => return Some(false),
            None => known = false,
            Some(true) => {}
        }
    }
    known.then_some(true)
}

/// A yes is a yes, whatever else is unknown.
fn any(answers: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    all(answers.map(|answer| answer.map(|yes| !yes))).map(|none| !none)
}
