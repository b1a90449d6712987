//! What an expression may say, and of which type each part is.
//!
//! A condition that could go wrong while a gate runs is worse than one that is refused when it is
//! read. So every name, member, function and type is checked here, and nothing is left that can
//! fail, or that makes a value larger than what was handed in.

use std::collections::BTreeMap;

use cel::common::ast::{CallExpr, ComprehensionExpr, Expr, LiteralValue, SelectExpr, SourceInfo};
use cel::parser::Expression;

use crate::condition_error::ConditionError;

/// Expressions in one condition.
const MAX_NODES: usize = 400;
/// Expressions inside each other: evaluation is recursive.
const MAX_DEPTH: usize = 40;
/// Loops inside loops.
const MAX_LOOPS: usize = 2;

const TEXTS: &[&str] = &[
    "server", "type", "kind", "subject", "member", "severity", "compat", "before", "after",
    "sentence", "verdict",
];

#[derive(Clone, Debug, PartialEq, Eq)]
enum Type {
    Bool,
    Number,
    Text,
    Finding,
    Evidence,
    List(Box<Type>),
}

impl Type {
    fn name(&self) -> String {
        match self {
            Self::Bool => "true or false".to_owned(),
            Self::Number => "a number".to_owned(),
            Self::Text => "a string".to_owned(),
            Self::Finding => "the finding".to_owned(),
            Self::Evidence => "a marker".to_owned(),
            Self::List(_) => "a list".to_owned(),
        }
    }
}

/// How many steps an evaluation takes: outside of loops, in a loop, in a loop in a loop.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cost {
    steps: [usize; MAX_LOOPS + 1],
    longest: usize,
}

impl Cost {
    /// Over a finding with so many markers.
    pub(crate) fn over(self, markers: usize) -> usize {
        let rounds = markers.max(self.longest).max(1);
        self.steps
            .iter()
            .rev()
            .fold(0, |inner, steps| inner.saturating_mul(rounds).saturating_add(*steps))
    }
}

/// Walks an expression.
pub(crate) struct Typing<'s> {
    places: &'s SourceInfo,
    names: BTreeMap<String, Type>,
    depth: usize,
    loops: usize,
    nodes: usize,
    cost: Cost,
}

type Typed = Result<Type, ConditionError>;

impl<'s> Typing<'s> {
    pub(crate) fn new(places: &'s SourceInfo) -> Self {
        let names = BTreeMap::from([("finding".to_owned(), Type::Finding)]);
        Self { places, names, depth: 0, loops: 0, nodes: 0, cost: Cost::default() }
    }

    pub(crate) fn check(mut self, root: &Expression) -> Result<Cost, ConditionError> {
        let kind = self.walk(root)?;
        self.expect(root, &kind, &Type::Bool)?;
        Ok(self.cost)
    }

    fn refuse<T>(
        &self,
        at: &Expression,
        found: String,
        allowed: &str,
    ) -> Result<T, ConditionError> {
        Err(ConditionError {
            code: "policy-bad-condition",
            offset: self.offset(at),
            found,
            allowed: allowed.to_owned(),
            fix: "facet explain policy-bad-condition".to_owned(),
        })
    }

    fn too_large<T>(
        &self,
        at: &Expression,
        found: &str,
        allowed: String,
    ) -> Result<T, ConditionError> {
        Err(ConditionError {
            code: "policy-condition-too-large",
            offset: self.offset(at),
            found: found.to_owned(),
            allowed,
            fix: "split it into several rules".to_owned(),
        })
    }

    fn offset(&self, at: &Expression) -> usize {
        let start = self.places.offset_for(at.id).map_or(0, |(start, _)| start);
        usize::try_from(start).unwrap_or(0)
    }

    fn expect(&self, at: &Expression, found: &Type, wanted: &Type) -> Result<(), ConditionError> {
        if found == wanted {
            return Ok(());
        }
        self.refuse(at, found.name(), &wanted.name())
    }

    fn walk(&mut self, at: &Expression) -> Typed {
        self.nodes += 1;
        self.depth += 1;
        if self.nodes > MAX_NODES {
            return self.too_large(at, "too many parts", format!("at most {MAX_NODES} parts"));
        }
        if self.depth > MAX_DEPTH {
            let allowed = format!("at most {MAX_DEPTH} levels");
            return self.too_large(at, "too deeply nested expressions", allowed);
        }
        self.cost.steps[self.loops] += 1;
        let kind = match &at.expr {
            Expr::Literal(literal) => self.literal(at, literal),
            Expr::Ident(name) => self.name(at, name),
            Expr::Select(select) => self.select(at, select),
            Expr::Call(call) => self.call(at, call),
            Expr::Comprehension(comprehension) => self.comprehension(at, comprehension),
            Expr::List(list) => {
                self.cost.longest = self.cost.longest.max(list.elements.len());
                for element in &list.elements {
                    let kind = self.walk(element)?;
                    self.expect(element, &kind, &Type::Text)?;
                }
                Ok(Type::List(Box::new(Type::Text)))
            }
            _ => self.refuse(at, "a map or a structure".to_owned(), "strings, numbers and lists"),
        };
        self.depth -= 1;
        kind
    }

    fn literal(&self, at: &Expression, literal: &LiteralValue) -> Typed {
        match literal {
            LiteralValue::Boolean(_) => Ok(Type::Bool),
            LiteralValue::Int(_) => Ok(Type::Number),
            LiteralValue::String(_) => Ok(Type::Text),
            _ => {
                let found = "a literal of an unsupported type".to_owned();
                self.refuse(at, found, "true, false, integers and strings")
            }
        }
    }

    fn name(&self, at: &Expression, name: &str) -> Typed {
        let found = || format!("unknown name {name:?}");
        let known = self.names.get(name).cloned();
        known.map_or_else(|| self.refuse(at, found(), "`finding`, or a loop variable"), Ok)
    }

    fn select(&mut self, at: &Expression, select: &SelectExpr) -> Typed {
        let of = self.walk(&select.operand)?;
        let known: &[&str] = match of {
            Type::Finding if select.field == "evidence" => {
                return Ok(Type::List(Box::new(Type::Evidence)));
            }
            Type::Finding => TEXTS,
            Type::Evidence => &["rule", "words"],
            other => return self.refuse(at, format!("a member of {}", other.name()), "`finding`"),
        };
        if select.test {
            let found = "has(), which is always true: every member exists".to_owned();
            return self.refuse(at, found, "a comparison such as finding.before != \"\"");
        }
        if known.contains(&select.field.as_str()) {
            return Ok(Type::Text);
        }
        let found = format!("unknown member {:?}", select.field);
        let more = if known == TEXTS { ", evidence" } else { "" };
        // The place of a selection is that of its dot.
        let refused = self.refuse(at, found, &format!("{}{more}", known.join(", ")));
        refused.map_err(|error| ConditionError { offset: error.offset + 1, ..error })
    }

    fn call(&mut self, at: &Expression, call: &CallExpr) -> Typed {
        let mut kinds = Vec::new();
        let all: Vec<&Expression> =
            call.target.as_deref().into_iter().chain(call.args.iter()).collect();
        for argument in &all {
            kinds.push(self.walk(argument)?);
        }
        let texts = kinds.iter().all(|kind| *kind == Type::Text);
        let numbers = kinds.iter().all(|kind| *kind == Type::Number);
        let bools = kinds.iter().all(|kind| *kind == Type::Bool);
        let result = match (call.func_name.as_str(), kinds.as_slice()) {
            ("_&&_" | "_||_", [_, _]) | ("!_" | "@not_strictly_false", [_]) if bools => Type::Bool,
            ("_?_:_", [Type::Bool, yes, no]) if yes == no => yes.clone(),
            ("_==_" | "_!=_", [_, _]) if texts || numbers || bools => Type::Bool,
            ("_<_" | "_<=_" | "_>_" | "_>=_", [_, _]) if numbers => Type::Bool,
            ("@in", [Type::Text, Type::List(of)]) if **of == Type::Text => Type::Bool,
            ("size", [Type::Text | Type::List(_)]) => Type::Number,
            ("contains" | "startsWith" | "endsWith", [_, _]) if texts && call.target.is_some() => {
                Type::Bool
            }
            // Only the counter of `exists_one` may grow.
            ("_+_", [_, _]) if numbers && counts(&all) => Type::Number,
            (name, _) => {
                let kinds: Vec<String> = kinds.iter().map(Type::name).collect();
                let found = format!("`{}` on {}", plain(name), kinds.join(" and "));
                let allowed = "&&, ||, !, ==, != and ?: ; < and the like for numbers; `in` a list; \
                               size, contains, startsWith, endsWith; exists, exists_one, all";
                return self.refuse(at, found, allowed);
            }
        };
        Ok(result)
    }

    fn comprehension(&mut self, at: &Expression, loops: &ComprehensionExpr) -> Typed {
        let Type::List(element) = self.walk(&loops.iter_range)? else {
            return self.refuse(
                at,
                "a loop over something that is not a list".to_owned(),
                "finding.evidence, or a list",
            );
        };
        if self.loops == MAX_LOOPS {
            return self.too_large(
                at,
                "too many nested loops",
                format!("at most {MAX_LOOPS} nested loops"),
            );
        }
        // `map` and `filter` make lists; these two do not.
        let start = match &loops.accu_init.expr {
            Expr::Literal(LiteralValue::Boolean(_)) => Type::Bool,
            Expr::Literal(LiteralValue::Int(_)) => Type::Number,
            _ => {
                let found = "a loop that builds a list".to_owned();
                return self.refuse(at, found, "exists, exists_one and all");
            }
        };
        let outside = self.names.clone();
        self.names.insert(loops.accu_var.clone(), start.clone());
        self.names.insert(loops.iter_var.clone(), *element);
        self.loops += 1;
        let condition = self.walk(&loops.loop_cond)?;
        self.expect(at, &condition, &Type::Bool)?;
        let step = self.walk(&loops.loop_step)?;
        self.expect(at, &step, &start)?;
        self.loops -= 1;
        self.names.remove(&loops.iter_var);
        let result = self.walk(&loops.result)?;
        self.names = outside;
        Ok(result)
    }
}

/// The name of a counter cannot be written by hand.
fn counts(arguments: &[&Expression]) -> bool {
    let counter = |at: &&Expression| matches!(&at.expr, Expr::Ident(name) if name.starts_with('@'));
    arguments.first().is_some_and(counter)
}

/// An operator as it is written.
fn plain(name: &str) -> &str {
    name.trim_matches(['_', '@'])
}
