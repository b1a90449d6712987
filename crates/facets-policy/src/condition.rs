//! Conditions over one finding, in CEL, that cannot run long.
//!
//! The interpreter has no limit of its own. So an expression is bounded when it is read (its
//! length, its depth, loops in loops, and no function that makes a value larger), and what it
//! would cost over the texts of a finding is known before it is evaluated.

use std::collections::HashMap;

use cel::common::ast::SourceInfo;
use cel::parser::{Expression, Parser};
use cel::{Context, Value};
use facets_digest::json::Position;
use facets_drift::Finding;

use crate::condition_error::ConditionError;
use crate::typed::{Cost, Typing};

/// Bytes of an expression.
pub(crate) const MAX_SOURCE: usize = 1000;
/// Brackets and choices inside each other. The parser spends much of a stack on each of them.
const MAX_NESTING: u16 = 12;
/// Enough for that many, and for the longest chain of operators.
const PARSER_STACK: usize = 32 << 20;
/// What an evaluation may cost: steps, each times the bytes that it may look at.
const MAX_COST: usize = 50_000_000;

/// An expression that gives a yes or no for every finding.
#[derive(Debug)]
pub(crate) struct Condition {
    expression: Expression,
    cost: Cost,
    /// Where it stands in the policy.
    pub(crate) position: Position,
}

impl Condition {
    pub(crate) fn parse(source: &str, position: Position) -> Result<Self, ConditionError> {
        if source.len() > MAX_SOURCE {
            return Err(ConditionError {
                code: "policy-condition-too-large",
                offset: 0,
                found: format!("{} bytes", source.len()),
                allowed: format!("an expression of at most {MAX_SOURCE} bytes"),
                fix: "split it into several rules".to_owned(),
            });
        }
        let (expression, places) = parse(source)?;
        let cost = Typing::new(&places).check(&expression)?;
        Ok(Self { expression, cost, position })
    }

    /// Whether it holds, or why nobody can tell.
    pub(crate) fn holds(&self, server: &str, finding: &Finding) -> Result<bool, String> {
        let texts = texts(server, finding);
        let evidence = finding.evidence.iter().map(|one| one.rule.len() + one.words.len());
        let bytes = texts.iter().map(|(_, text)| text.len()).chain(evidence).sum::<usize>();
        let cost = self.cost.over(finding.evidence.len()).saturating_mul(bytes.max(1));
        if cost > MAX_COST {
            return Err(format!(
                "the finding is too large for this condition: {bytes} bytes of text"
            ));
        }
        let mut context = Context::default();
        context.add_variable_from_value("finding", value_of(texts, finding));
        match Value::resolve(&self.expression, &context) {
            Ok(Value::Bool(answer)) => Ok(answer),
            Ok(other) => Err(format!("the result is {:?}, not true or false", other.type_of())),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// Parses on a stack of its own: how much of it is left here is not known.
fn parse(source: &str) -> Result<(Expression, SourceInfo), ConditionError> {
    let parser = || {
        let parser = Parser::new().max_recursion_depth(MAX_NESTING).error_recovery_limit(2);
        parser.parse_with_source_info(source).map_err(|errors| syntax(source, errors))
    };
    let parsed = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(PARSER_STACK);
        thread.spawn_scoped(scope, parser).ok()?.join().ok()
    });
    parsed.unwrap_or_else(|| {
        Err(ConditionError {
            code: "policy-bad-condition",
            offset: 0,
            found: "text that the CEL parser cannot read".to_owned(),
            allowed: "a CEL expression".to_owned(),
            fix: "simplify the condition".to_owned(),
        })
    })
}

/// The members of a finding that are texts; what there is not is empty.
fn texts<'f>(server: &'f str, finding: &'f Finding) -> Vec<(&'static str, &'f str)> {
    vec![
        ("server", server),
        ("type", finding.kind.name()),
        ("kind", finding.subject_kind.name()),
        ("subject", &finding.subject),
        ("member", &finding.member),
        ("severity", finding.severity.name()),
        ("compat", finding.compat.name()),
        ("before", finding.before.as_deref().unwrap_or_default()),
        ("after", finding.after.as_deref().unwrap_or_default()),
        ("sentence", &finding.sentence),
        ("verdict", finding.schema.as_ref().map_or("", |change| change.verdict.name())),
    ]
}

fn value_of(texts: Vec<(&'static str, &str)>, finding: &Finding) -> Value {
    let evidence = finding.evidence.iter().map(|one| {
        let members = [("rule", one.rule), ("words", one.words.as_str())];
        Value::from(members.into_iter().collect::<HashMap<_, _>>())
    });
    let evidence = Value::from(evidence.collect::<Vec<Value>>());
    let texts = texts.into_iter().map(|(name, text)| (name, Value::from(text)));
    Value::from(texts.chain([("evidence", evidence)]).collect::<HashMap<_, _>>())
}

/// The first thing that is wrong; what follows it is often only its echo.
fn syntax(source: &str, errors: cel::ParseErrors) -> ConditionError {
    let deep = errors.errors.iter().any(|error| error.msg.contains("Recursion limit"));
    let first = errors.errors.into_iter().next();
    let (offset, message) = match first {
        Some(error) => (offset_of(source, error.pos), error.msg),
        None => (0, "invalid CEL".to_owned()),
    };
    if deep {
        return ConditionError {
            code: "policy-condition-too-large",
            offset,
            found: "too deeply nested expressions".to_owned(),
            allowed: format!("at most {MAX_NESTING} levels"),
            fix: "split it into several rules".to_owned(),
        };
    }
    let message = message.trim_start_matches("Syntax error: ");
    // The parser lists everything that it would have taken.
    let message = message.split(" expecting ").next().unwrap_or(message);
    ConditionError {
        code: "policy-bad-condition",
        offset,
        found: message.replace("'<EOF>'", "the end"),
        allowed: "a CEL expression".to_owned(),
        fix: "write one such as finding.member == \"description\"".to_owned(),
    }
}

/// Lines and columns are counted from 1, columns in characters.
fn offset_of(source: &str, (line, column): (isize, isize)) -> usize {
    let (line, column) = (usize::try_from(line).unwrap_or(1), usize::try_from(column).unwrap_or(1));
    let mut begin = 0;
    for (number, text) in source.split_inclusive('\n').enumerate() {
        if number + 1 == line {
            let inside = text.char_indices().nth(column.saturating_sub(1));
            return begin + inside.map_or(text.trim_end_matches('\n').len(), |(at, _)| at);
        }
        begin += text.len();
    }
    source.len()
}
