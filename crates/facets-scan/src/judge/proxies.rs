//! Proxies. One that lists names has the runtime look them up: `Object.values` of it gives the
//! constructor of functions, if it stands for a function and lists `constructor`.

use oxc_ast::ast::{Argument, Expression, NewExpression, ObjectExpression, ObjectPropertyKind};
use oxc_span::Span;

use super::Judge;
use super::usage::Use;

/// Traps that say what members there are.
const LISTS: &[&str] = &["ownKeys", "getOwnPropertyDescriptor"];

impl<'a> Judge<'a, '_, '_> {
    /// `Proxy`, at the end of its way.
    pub(super) fn proxy(&mut self, members: &[&'a str], how: Use<'a>, span: Span) {
        match (members, how) {
            ([], Use::New(new)) if self.lists_nothing(new) => {}
            ([], Use::Data | Use::Named | Use::Harmless) => {}
            _ => self.doubt("creates a proxy that may list member names", span),
        }
    }

    fn lists_nothing(&self, new: &'a NewExpression<'a>) -> bool {
        let [_, handler] = new.arguments.as_slice() else { return false };
        if new.arguments.iter().any(Argument::is_spread) {
            return false;
        }
        match handler.as_expression().map(Expression::get_inner_expression) {
            Some(handler @ Expression::ObjectExpression(object)) => {
                has_no_list(object) && self.values.is_plain_itself(handler)
            }
            Some(Expression::Identifier(name)) => {
                let symbol = self.values.symbol(name);
                let given = symbol.and_then(|symbol| self.values.only_handler(symbol));
                given.is_some_and(|handler| {
                    matches!(handler, Expression::ObjectExpression(object) if has_no_list(object))
                        && self.values.is_plain_itself(handler)
                })
            }
            _ => false,
        }
    }
}

/// Whether every key of a literal is written out, and none is that of a trap that lists names.
fn has_no_list(object: &ObjectExpression<'_>) -> bool {
    object.properties.iter().all(|property| match property {
        ObjectPropertyKind::ObjectProperty(property) => {
            let name = property.key.static_name().filter(|_| !property.computed);
            name.is_some_and(|name| !LISTS.contains(&name.as_ref()))
        }
        ObjectPropertyKind::SpreadProperty(_) => false,
    })
}
