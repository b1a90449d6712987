//! Calls of what gives the global object, or of what a computed member made.

use oxc_ast::ast::{CallExpression, Expression};

use super::Judge;
use crate::collect::gives_back_this;
use crate::thing::{Root, Thing};
use crate::tree::Around;

impl<'a> Judge<'a, '_, '_> {
    pub(super) fn call(&mut self, call: &'a CallExpression<'a>, around: Around) {
        if !self.strict && self.gives_global(&call.callee) {
            self.follow(Thing::Path(Root::Global, Vec::new()), call.span, around, &[]);
        }
        // `a[b](text)()` calls what a computed member made: perhaps a function of that text.
        if let Expression::CallExpression(inner) = callee(&call.callee)
            && let Expression::ComputedMemberExpression(access) = callee(&inner.callee)
            && !inner.arguments.is_empty()
            && !access.expression.is_literal()
            && self.values.text(&access.expression, 0).is_none()
        {
            self.doubt("calls the result of a computed member", call.span);
        }
    }

    /// `(function () { return this })()`
    fn gives_global(&self, callee: &'a Expression<'a>) -> bool {
        match callee {
            Expression::FunctionExpression(function) => {
                function.body.as_ref().is_some_and(|body| gives_back_this(body))
            }
            Expression::Identifier(name) => {
                self.values.symbol(name).is_some_and(|symbol| self.returns_this.contains(&symbol))
            }
            _ => false,
        }
    }
}

/// What is called, without what only decorates it.
fn callee<'e, 'a>(expression: &'e Expression<'a>) -> &'e Expression<'a> {
    match expression {
        Expression::SequenceExpression(list) => list.expressions.last().map_or(expression, callee),
        other => other.get_inner_expression(),
    }
}
