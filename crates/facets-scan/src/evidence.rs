//! Finds out what is sure of variables: what they are given, which are numbers, which stay in sight.

use oxc_ast::AstKind;
use oxc_ast::ast::{AssignmentOperator, BinaryOperator, Expression};
use oxc_span::{GetSpan as _, Span};
use oxc_syntax::symbol::SymbolId;

use crate::facts::{Facts, is_number};
use crate::judge::usage::only_reads;
use crate::scopes::Names;
use crate::tree::{Around, Tree};
use crate::values::Values;
use crate::walk::{Mention, Walked};

/// Numbers that follow from numbers: longer chains are not followed.
const MAX_ROUNDS: usize = 16;

/// Finds out what is sure of the variables of a program.
pub(crate) fn facts<'a>(walked: &Walked<'a>, strict: bool) -> Facts<'a> {
    let names = &walked.names;
    let count = names.variables.len();
    let mut given = vec![None; count];
    let mut declared = vec![0; count];
    let mut writes = Vec::new();
    for kind in &walked.givers {
        let AstKind::VariableDeclarator(variable) = kind else { continue };
        let id = variable.id.get_binding_identifier();
        let Some(symbol) = id.and_then(|id| id.symbol_id.get()) else { continue };
        declared[symbol.index()] += 1;
        if let Some(value) = &variable.init {
            given[symbol.index()] = Some(value);
            writes.push((symbol, value));
        }
    }
    let is_number = |(index, variable): (usize, &crate::scopes::Variable<'_>)| {
        variable.declarations == declared[index] && !variable.is_function
    };
    let mut numbers: Vec<bool> = names.variables.iter().enumerate().map(is_number).collect();
    for (mention, variable) in walked.mentions.iter().zip(&names.references) {
        let Some(symbol) = variable.filter(|_| mention.writes) else { continue };
        match write(mention, &walked.tree) {
            Write::Number => {}
            Write::Value(value) => writes.push((symbol, value)),
            Write::Unknown => numbers[symbol.index()] = false,
        }
    }
    settle(&mut numbers, &writes, names);
    let changes_heirs = walked.changes_heirs;
    let (handlers, changed) = (only_handlers(walked), changed_globals(walked));
    Facts { given, handlers, numbers, strict, changes_heirs, changed }
}

/// The variables that are named nowhere but as the handler of a proxy, which nobody gets back.
fn only_handlers(walked: &Walked<'_>) -> Vec<bool> {
    let mut only = vec![true; walked.names.variables.len()];
    for (mention, variable) in walked.mentions.iter().zip(&walked.names.references) {
        let Some(symbol) = variable else { continue };
        let is_handler = match walked.tree.get(mention.around) {
            Some((AstKind::NewExpression(new), _)) => {
                let is_proxy = matches!(&new.callee, Expression::Identifier(name)
                    if name.name == "Proxy" && walked.names.variable(name).is_none());
                is_proxy && new.arguments.get(1).is_some_and(|one| one.span() == mention.name.span)
            }
            _ => false,
        };
        only[symbol.index()] &= is_handler;
    }
    only
}

/// What is written to a variable.
enum Write<'a> {
    Number,
    Value(&'a Expression<'a>),
    Unknown,
}

fn write<'a>(mention: &Mention<'a>, tree: &Tree<'a>) -> Write<'a> {
    match tree.get(mention.around) {
        Some((AstKind::UpdateExpression(_), _)) => Write::Number,
        Some((AstKind::AssignmentExpression(given), _))
            if given.left.span() == mention.name.span =>
        {
            let operator = given.operator;
            let adds = operator == AssignmentOperator::Addition;
            if !adds && (operator.is_arithmetic() || operator.is_bitwise()) {
                Write::Number
            } else {
                Write::Value(&given.right)
            }
        }
        _ => Write::Unknown,
    }
}

/// Strikes out what is given anything else, until nothing changes.
fn settle(numbers: &mut [bool], writes: &[(SymbolId, &Expression<'_>)], names: &Names<'_>) {
    for _ in 0..MAX_ROUNDS {
        let mut changed = false;
        for (symbol, value) in writes {
            if numbers[symbol.index()] && !is_number(value, numbers, names) {
                numbers[symbol.index()] = false;
                changed = true;
            }
        }
        if !changed {
            return;
        }
    }
    numbers.fill(false);
}

fn changed_globals<'a>(walked: &Walked<'a>) -> Vec<&'a str> {
    const WATCHED: &[&str] =
        &["Array", "Error", "JSON", "Math", "Number", "Object", "Symbol", "console"];
    let mut changed = Vec::new();
    for (mention, variable) in walked.mentions.iter().zip(&walked.names.references) {
        let name = mention.name.name.as_str();
        if variable.is_none() && WATCHED.contains(&name) && !keeps_members(mention, &walked.tree) {
            changed.push(name);
        }
    }
    changed
}

/// Whether a global has the same members after this use of its name.
fn keeps_members(mention: &Mention<'_>, tree: &Tree<'_>) -> bool {
    match tree.get(mention.around) {
        Some((AstKind::StaticMemberExpression(access), above)) => {
            !is_target(access.span, above, tree)
        }
        Some((AstKind::CallExpression(call), _)) => call.callee.span() == mention.name.span,
        Some((kind, _)) => matches!(
            kind,
            AstKind::NewExpression(_)
                | AstKind::UnaryExpression(_)
                | AstKind::BinaryExpression(_)
                | AstKind::Class(_)
        ),
        None => false,
    }
}

/// Whether something is written to.
pub(crate) fn is_target(target: Span, above: Around, tree: &Tree<'_>) -> bool {
    match tree.get(above) {
        Some((AstKind::AssignmentExpression(given), _)) => given.left.span() == target,
        Some((kind, _)) => matches!(
            kind,
            AstKind::ArrayAssignmentTarget(_)
                | AstKind::ObjectAssignmentTarget(_)
                | AstKind::AssignmentTargetPropertyProperty(_)
                | AstKind::AssignmentTargetWithDefault(_)
                | AstKind::AssignmentTargetRest(_)
                | AstKind::ForOfStatement(_)
                | AstKind::ForInStatement(_)
                | AstKind::TSAsExpression(_)
                | AstKind::TSNonNullExpression(_)
                | AstKind::TSSatisfiesExpression(_)
                | AstKind::TSTypeAssertion(_)
        ),
        None => false,
    }
}

/// The variables whose value may escape, or be made the heir of a function.
pub(crate) fn escaping<'a>(walked: &Walked<'a>, values: &Values<'a, '_>) -> Vec<bool> {
    let mut escaping = vec![false; walked.names.variables.len()];
    for (mention, variable) in walked.mentions.iter().zip(&walked.names.references) {
        let Some(symbol) = variable.filter(|symbol| !escaping[symbol.index()]) else { continue };
        if values.is_given(symbol) {
            escaping[symbol.index()] = !stays(mention, &walked.tree, values);
        } else if values.is_constant_function(symbol) {
            escaping[symbol.index()] = !is_called_or_read(mention, &walked.tree);
        }
    }
    escaping
}

/// Whether a function keeps its members after this use of its name.
fn is_called_or_read(mention: &Mention<'_>, tree: &Tree<'_>) -> bool {
    match tree.get(mention.around) {
        Some((AstKind::StaticMemberExpression(access), above)) => {
            !is_target(access.span, above, tree)
        }
        Some((AstKind::CallExpression(call), _)) => call.callee.span() == mention.name.span,
        _ => false,
    }
}

/// Whether a value stays what it is after this use of its name.
fn stays<'a>(mention: &Mention<'a>, tree: &Tree<'a>, values: &Values<'a, '_>) -> bool {
    let span = mention.name.span;
    match tree.get(mention.around) {
        Some((AstKind::ComputedMemberExpression(access), above))
            if access.object.span() == span =>
        {
            let may_climb = !values.never_climbs(&access.expression, 0);
            !is_written(access.span(), above, tree, values, may_climb)
        }
        Some((AstKind::StaticMemberExpression(access), above)) => {
            !is_written(access.span, above, tree, values, false)
        }
        Some((AstKind::BinaryExpression(compared), _)) => {
            compared.operator != BinaryOperator::Instanceof || compared.left.span() != span
        }
        Some((AstKind::ConditionalExpression(choice), _)) => choice.test.span() == span,
        Some((AstKind::CallExpression(call), _)) => {
            call.callee.span() != span && only_reads(call, values)
        }
        Some((kind, _)) => matches!(
            kind,
            AstKind::ComputedMemberExpression(_)
                | AstKind::UnaryExpression(_)
                | AstKind::IfStatement(_)
                | AstKind::ExpressionStatement(_)
                | AstKind::SpreadElement(_)
                | AstKind::ForOfStatement(_)
                | AstKind::ForInStatement(_)
        ),
        None => false,
    }
}

/// Whether a member is given a value that may change its object: what it inherits, if the
/// name may be that; or a function that sees the object as its `this`.
fn is_written<'a>(
    access: Span,
    above: Around,
    tree: &Tree<'a>,
    values: &Values<'a, '_>,
    may_inherit: bool,
) -> bool {
    match tree.get(above) {
        Some((AstKind::AssignmentExpression(given), _)) if given.left.span() == access => {
            let value = &given.right;
            if may_inherit { !values.is_plain_itself(value) } else { !values.is_inert(value) }
        }
        _ => is_target(access, above, tree),
    }
}
