//! What is sure of variables.

use oxc_ast::ast::{BinaryOperator, Expression};

use crate::scopes::Names;

/// What is sure of the variables of a program, by their numbers.
pub(crate) struct Facts<'a> {
    /// What a declaration gives.
    pub(crate) given: Vec<Option<&'a Expression<'a>>>,
    /// Whether all that is done with it is to be the handler of proxies.
    pub(crate) handlers: Vec<bool>,
    /// Whether it is never anything but a number.
    pub(crate) numbers: Vec<bool>,
    /// Whether the program is strict.
    pub(crate) strict: bool,
    /// Whether something may become the heir of a function.
    pub(crate) changes_heirs: bool,
    /// Globals that get other members here, or may get them elsewhere.
    pub(crate) changed: Vec<&'a str>,
}

/// Whether an expression is surely a number.
pub(crate) fn is_number(value: &Expression<'_>, numbers: &[bool], names: &Names<'_>) -> bool {
    match value.get_inner_expression() {
        Expression::NumericLiteral(_) | Expression::UpdateExpression(_) => true,
        Expression::UnaryExpression(unary) => {
            unary.operator.is_arithmetic() || unary.operator.is_bitwise()
        }
        Expression::BinaryExpression(sum) if sum.operator == BinaryOperator::Addition => {
            is_number(&sum.left, numbers, names) && is_number(&sum.right, numbers, names)
        }
        Expression::BinaryExpression(operation) => {
            operation.operator.is_arithmetic() || operation.operator.is_bitwise()
        }
        Expression::ConditionalExpression(choice) => {
            is_number(&choice.consequent, numbers, names)
                && is_number(&choice.alternate, numbers, names)
        }
        Expression::Identifier(name) => {
            names.variable(name).is_some_and(|symbol| numbers[symbol.index()])
        }
        _ => false,
    }
}
