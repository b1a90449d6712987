//! Texts that an expression must be, and functions that may look around.

use oxc_ast::ast::{BinaryOperator, Expression, TemplateLiteral};
use oxc_span::Span;
use oxc_syntax::symbol::SymbolId;

use super::{MAX_DEPTH, ValueSource, Values};
use crate::words::is_harmless;

/// A name of a module or member is shorter.
const MAX_TEXT: usize = 4096;

impl<'a> Values<'a, '_> {
    fn template(&self, template: &'a TemplateLiteral<'a>, depth: usize) -> Option<&'a str> {
        let mut text = String::new();
        for (index, quasi) in template.quasis.iter().enumerate() {
            text.push_str(quasi.value.cooked?.as_str());
            if let Some(expression) = template.expressions.get(index) {
                text.push_str(self.part(expression, depth)?);
            }
            if text.len() > MAX_TEXT {
                return None;
            }
        }
        Some(self.arena.alloc_str(&text))
    }

    /// The one text that an expression must be: put together from literals and from variables
    /// that are never anything else.
    pub(crate) fn text(&self, expression: &'a Expression<'a>, depth: usize) -> Option<&'a str> {
        if depth > MAX_DEPTH {
            return None;
        }
        let depth = depth + 1;
        match expression {
            Expression::StringLiteral(text) => Some(text.value.as_str()),
            Expression::TemplateLiteral(template) => self.template(template, depth),
            Expression::BinaryExpression(sum) if sum.operator == BinaryOperator::Addition => {
                let (left, right) = (self.part(&sum.left, depth)?, self.part(&sum.right, depth)?);
                let short = left.len() + right.len() <= MAX_TEXT;
                short.then(|| self.arena.alloc_str(&format!("{left}{right}")))
            }
            Expression::SequenceExpression(list) => self.text(list.expressions.last()?, depth),
            Expression::Identifier(name) => self.text(self.only_value(self.symbol(name)?)?, depth),
            other => match other.get_inner_expression() {
                inner if std::ptr::eq(inner, other) => None,
                inner => self.text(inner, depth),
            },
        }
    }

    /// A part of a text. A `var` may not have its value yet: then `undefined` is the part.
    fn part(&self, expression: &'a Expression<'a>, depth: usize) -> Option<&'a str> {
        if let Expression::Identifier(name) = expression.get_inner_expression()
            && self.symbol(name).is_some_and(|symbol| self.variable(symbol).is_early)
        {
            return None;
        }
        self.text(expression, depth)
    }

    /// Whether a value may look at the `this` that it is called with.
    pub(crate) fn may_see_this(&self, expression: &'a Expression<'a>, depth: usize) -> bool {
        let has_this = |span: Span| {
            let text = self.source.get(span.start as usize..span.end as usize);
            text.is_none_or(|text| text.contains("this") || text.contains('\\'))
        };
        match expression.get_inner_expression() {
            Expression::ArrowFunctionExpression(_) | Expression::StringLiteral(_) => false,
            Expression::FunctionExpression(function) => has_this(function.span),
            // What is bound has another `this`.
            Expression::CallExpression(call) => !matches!(&call.callee,
                Expression::StaticMemberExpression(access) if access.property.name == "bind"),
            Expression::Identifier(name) if depth < 8 => {
                let Some(symbol) = self.symbol(name) else {
                    return !is_harmless(name.name.as_str());
                };
                if let Some(span) = self.variable(symbol).function {
                    return has_this(span);
                }
                let mut sources = self.sources.of(symbol.index()).peekable();
                sources.peek().is_none()
                    || sources.any(|source| match source {
                        ValueSource::Value(value, path) => {
                            !path.is_empty() || self.may_see_this(value, depth + 1)
                        }
                        ValueSource::Import(..) | ValueSource::Require => true,
                    })
            }
            _ => true,
        }
    }

    /// What a variable is given, if it is given just that and nothing else ever.
    fn only_value(&self, symbol: SymbolId) -> Option<&'a Expression<'a>> {
        let fixed = self.variable(symbol).is_constant && !self.sources.open[symbol.index()];
        let mut sources = self.sources.of(symbol.index());
        match (fixed, sources.next(), sources.next()) {
            (true, Some(ValueSource::Value(value, path)), None) if path.is_empty() => Some(value),
            _ => None,
        }
    }
}
