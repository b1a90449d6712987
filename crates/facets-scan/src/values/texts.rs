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
        match expression.get_inner_expression() {
            Expression::ArrowFunctionExpression(_) | Expression::StringLiteral(_) => false,
            Expression::FunctionExpression(function) => self.has_this(function.span),
            // What is bound has another `this`.
            Expression::CallExpression(call) => !matches!(&call.callee,
                Expression::StaticMemberExpression(access)
                    if access.property.name == "bind" && self.has_usual_bind(&access.object)),
            Expression::Identifier(name) if depth < 8 => {
                let Some(symbol) = self.symbol(name) else {
                    return !is_harmless(name.name.as_str());
                };
                match self.constant_function(symbol) {
                    Some(span) => self.has_this(span),
                    None => self
                        .only_value(symbol)
                        .is_none_or(|value| self.may_see_this(value, depth + 1)),
                }
            }
            _ => true,
        }
    }

    fn has_this(&self, span: Span) -> bool {
        let text = self.source.get(span.start as usize..span.end as usize);
        text.is_none_or(|text| text.contains("this") || text.contains('\\'))
    }

    /// Where the function stands that a name was declared as, if it is never anything else.
    fn constant_function(&self, symbol: SymbolId) -> Option<Span> {
        let variable = self.variable(symbol);
        variable.function.filter(|_| variable.declarations == 1)
    }

    /// Whether a variable is a function of the program, and never anything else.
    pub(crate) fn is_constant_function(&self, symbol: SymbolId) -> bool {
        self.constant_function(symbol).is_some() || self.only_value(symbol).is_some_and(is_function)
    }

    /// Whether a variable is a class of the program, and never anything else.
    pub(crate) fn is_class(&self, symbol: SymbolId) -> bool {
        let variable = self.variable(symbol);
        variable.is_class && variable.declarations == 1
    }

    /// Whether it is a function with the `bind` that every function has: one that stands here,
    /// or that cannot be replaced elsewhere.
    fn has_usual_bind(&self, value: &'a Expression<'a>) -> bool {
        match value.get_inner_expression() {
            Expression::Identifier(name) => self.symbol(name).is_some_and(|symbol| {
                self.is_constant_function(symbol) && !self.is_out_of_sight(symbol)
            }),
            value => is_function(value),
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

fn is_function(value: &Expression<'_>) -> bool {
    matches!(
        value.get_inner_expression(),
        Expression::FunctionExpression(_) | Expression::ArrowFunctionExpression(_)
    )
}
