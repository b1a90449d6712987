//! `unevaluatedProperties`: which names the parts of a schema have looked at depends on which
//! of the parts hold.

use std::collections::BTreeSet;
use std::rc::Rc;

use facets_digest::json::{Object, Value};

use super::{Compiler, map};
use crate::node::{Id, Node, PatternId};

/// More cases than this are not told apart.
const MOST_CASES: usize = 200;
const DEEPEST: usize = 50;

/// One way in which the parts may hold, and what they have looked at then.
#[derive(Clone, Default)]
struct Case {
    /// Parts that hold, and others that do not.
    holds: Vec<Id>,
    names: BTreeSet<Rc<str>>,
    patterns: BTreeSet<PatternId>,
    everything: bool,
}

impl Case {
    fn with(&self, other: &Self) -> Self {
        let mut both = self.clone();
        both.holds.extend(&other.holds);
        both.names.extend(other.names.iter().cloned());
        both.patterns.extend(&other.patterns);
        both.everything |= other.everything;
        both
    }

    fn looks_at_nothing(&self) -> bool {
        self.names.is_empty() && self.patterns.is_empty() && !self.everything
    }
}

impl<'v> Compiler<'_, 'v> {
    pub(super) fn unevaluated(
        &mut self,
        object: &'v Object<'v>,
        value: &'v Value<'v>,
    ) -> Option<Id> {
        const DEEPEST: usize = 6;
        if self.evaluating == DEEPEST {
            return None;
        }
        self.evaluating += 1;
        let node = self.schema(value);
        let cases = self.cases(object, false, 0);
        self.evaluating -= 1;
        let mut ways = Vec::new();
        for case in cases? {
            let mut parts = case.holds;
            if !case.everything {
                parts.push(self.table.add(Node::Others {
                    names: case.names.into_iter().collect(),
                    patterns: case.patterns.into_iter().collect(),
                    node,
                }));
            }
            ways.push(self.table.all(parts));
        }
        Some(self.table.any(ways))
    }

    fn cases_of(&mut self, schema: &'v Value<'v>, depth: usize) -> Option<Vec<Case>> {
        match schema {
            Value::Object(object) => self.cases(object, true, depth + 1),
            _ => Some(vec![Case::default()]),
        }
    }

    /// Nothing if there are too many. `inner` parts with a rest of their own look at all.
    fn cases(&mut self, object: &'v Object<'v>, inner: bool, depth: usize) -> Option<Vec<Case>> {
        self.budget.spend(1)?;
        if depth > DEEPEST {
            return None;
        }
        let mut own = Case::default();
        if let Some(properties) = object.get("properties") {
            own.names = map(properties)?.members().iter().map(|one| Rc::from(&*one.name)).collect();
        }
        if let Some(patterns) = object.get("patternProperties") {
            for one in map(patterns)?.members() {
                own.patterns.insert(self.table.add_pattern(&one.name));
            }
        }
        let rest = object.get("unevaluatedProperties").is_some() && inner;
        own.everything = object.get("additionalProperties").is_some() || rest;
        let mut cases = vec![own];
        for member in object.members() {
            let more = self.part(object, &member.name, &member.value, depth)?;
            cases = self.product(&cases, &more)?;
        }
        Some(cases)
    }

    /// The cases of one keyword.
    fn part(
        &mut self,
        object: &'v Object<'v>,
        keyword: &str,
        value: &'v Value<'v>,
        depth: usize,
    ) -> Option<Vec<Case>> {
        let mut cases = vec![Case::default()];
        match (keyword, value) {
            ("$ref", target) => {
                let Value::String(target) = target else { return None };
                let number = target.strip_prefix("#/$defs/")?;
                let found = self.root.member("$defs").and_then(|all| all.member(number))?;
                cases = self.cases_of(found, depth)?;
            }
            ("allOf", Value::Array(parts)) => {
                for part in parts {
                    let more = self.cases_of(part, depth)?;
                    cases = self.product(&cases, &more)?;
                }
            }
            ("anyOf" | "oneOf", Value::Array(parts)) => {
                for part in parts {
                    let condition = self.schema(part);
                    let more = self.if_holds(condition, part, depth)?;
                    cases = self.product(&cases, &more)?;
                }
            }
            ("dependentSchemas", Value::Object(parts)) => {
                for part in parts.members() {
                    let condition = self.table.add(Node::Required(Rc::from(&*part.name)));
                    let more = self.if_holds(condition, &part.value, depth)?;
                    cases = self.product(&cases, &more)?;
                }
            }
            ("if", condition) => {
                let id = self.schema(condition);
                let yes = self.cases_of(condition, depth)?;
                let then = self.sibling(object, "then", depth)?;
                let or_else = self.sibling(object, "else", depth)?;
                let no = self.table.not(id);
                cases = when(id, &self.product(&yes, &then)?);
                cases.extend(when(no, &or_else));
            }
            _ => {}
        }
        Some(cases)
    }

    fn sibling(
        &mut self,
        object: &'v Object<'v>,
        keyword: &str,
        depth: usize,
    ) -> Option<Vec<Case>> {
        match object.get(keyword) {
            Some(schema) => self.cases_of(schema, depth),
            None => Some(vec![Case::default()]),
        }
    }

    /// Every case of one with every case of the other.
    fn product(&self, left: &[Case], right: &[Case]) -> Option<Vec<Case>> {
        if left.len() * right.len() > MOST_CASES {
            return None;
        }
        let size = |cases: &[Case]| cases.iter().map(|case| 1 + case.names.len()).sum::<usize>();
        self.budget.spend(left.len() * size(right) + right.len() * size(left))?;
        Some(left.iter().flat_map(|one| right.iter().map(|two| one.with(two))).collect())
    }

    /// A part that looks at something only if it holds.
    fn if_holds(&mut self, condition: Id, part: &'v Value<'v>, depth: usize) -> Option<Vec<Case>> {
        let yes = self.cases_of(part, depth)?;
        if yes.iter().all(Case::looks_at_nothing) {
            return Some(vec![Case::default()]);
        }
        let no = self.table.not(condition);
        let mut cases = when(condition, &yes);
        cases.extend(when(no, &[Case::default()]));
        Some(cases)
    }
}

fn when(condition: Id, cases: &[Case]) -> Vec<Case> {
    let condition = Case { holds: vec![condition], ..Case::default() };
    cases.iter().map(|case| condition.with(case)).collect()
}
