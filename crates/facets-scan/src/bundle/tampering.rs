//! Whether a program may change what the helpers of a bundle rely on: that a list of names gives
//! those names, that `bind` and `call` are those of every function, and that accessors stay hidden.

use oxc_ast::AstKind;
use oxc_ast::ast::{Argument, Expression, StaticMemberExpression};
use oxc_span::Span;

use super::origins::Origins;
use crate::evidence::is_target;
use crate::tree::{Around, Tree};
use crate::values::Values;
use crate::words::LOOKS_UP;

/// Whether something in a program may do that. What it does to prototypes of the runtime under names
/// that are not known is out of reach (spec 6.5).
pub(super) fn tampers<'a>(
    tree: &Tree<'a>,
    values: &Values<'a, '_>,
    origins: &Origins<'a, '_, '_>,
) -> bool {
    let witness = Witness { tree, values, origins };
    tree.all().any(|(kind, around)| match kind {
        AstKind::StaticMemberExpression(access) => {
            witness.shows_array(access, around)
                || access.property.name == LOOKS_UP
                || witness.replaces(
                    &access.object,
                    access.property.name.as_str(),
                    access.span,
                    around,
                )
        }
        AstKind::BindingProperty(property) => property.key.is_specific_static_name(LOOKS_UP),
        AstKind::AssignmentTargetPropertyIdentifier(property) => property.binding.name == LOOKS_UP,
        AstKind::AssignmentTargetPropertyProperty(property) => {
            property.name.is_specific_static_name(LOOKS_UP)
        }
        AstKind::ComputedMemberExpression(access) => {
            let replaces = match values.text(&access.expression, 0) {
                Some(LOOKS_UP) => true,
                Some(name) => witness.replaces(&access.object, name, access.span, around),
                None => {
                    witness.is_iterator(&access.expression)
                        && is_target(access.span, around, tree)
                        && !witness.is_kept(&access.object)
                }
            };
            replaces || values.is_global(&access.object, "Array")
        }
        AstKind::CallExpression(call) => {
            let mut given = call.arguments.iter().filter_map(Argument::as_expression);
            given.any(|value| witness.is_iterator(value))
        }
        _ => false,
    })
}

struct Witness<'a, 'v, 'n> {
    tree: &'v Tree<'a>,
    values: &'v Values<'a, 'n>,
    origins: &'v Origins<'a, 'v, 'n>,
}

impl<'a> Witness<'a, '_, '_> {
    /// `Array.prototype`, but for `Array.prototype.slice` and the like.
    fn shows_array(&self, access: &StaticMemberExpression<'a>, around: Around) -> bool {
        if access.property.name != "prototype" || !self.values.is_global(&access.object, "Array") {
            return false;
        }
        match self.tree.get(around) {
            Some((AstKind::StaticMemberExpression(method), above)) => {
                is_target(method.span, above, self.tree)
            }
            _ => true,
        }
    }

    /// A member of something that the program did not make gets a value.
    fn replaces(&self, object: &'a Expression<'a>, name: &str, span: Span, around: Around) -> bool {
        let replaced = match name {
            "bind" | "call" => true,
            // Lists that are linked have it, too.
            "next" => match self.tree.get(around) {
                Some((AstKind::AssignmentExpression(given), _)) => self.is_function(&given.right),
                _ => true,
            },
            _ => return false,
        };
        replaced && is_target(span, around, self.tree) && !self.is_kept(object)
    }

    fn is_function(&self, value: &'a Expression<'a>) -> bool {
        match value.get_inner_expression() {
            Expression::FunctionExpression(_) | Expression::ArrowFunctionExpression(_) => true,
            Expression::Identifier(name) => {
                let symbol = self.values.symbol(name);
                symbol.is_some_and(|symbol| self.values.is_constant_function(symbol))
            }
            _ => false,
        }
    }

    /// Whether the program made an object, or the function whose prototype it is.
    fn is_kept(&self, object: &'a Expression<'a>) -> bool {
        let maker = match object {
            Expression::StaticMemberExpression(access) if access.property.name == "prototype" => {
                &access.object
            }
            _ => object,
        };
        self.origins.is_own(maker)
    }

    /// `Symbol.iterator`
    fn is_iterator(&self, value: &'a Expression<'a>) -> bool {
        let value = match value.get_inner_expression() {
            Expression::Identifier(name) => {
                self.values.symbol(name).and_then(|symbol| self.values.constant(symbol))
            }
            other => Some(other),
        };
        matches!(value, Some(Expression::StaticMemberExpression(access))
            if access.property.name == "iterator"
                && self.values.is_global(&access.object, "Symbol"))
    }
}
