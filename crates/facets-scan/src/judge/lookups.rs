//! Members whose names are not known. From any value, two of them lead to the constructor of
//! functions, which makes code of a text; so what may be one is followed until it is sure that
//! nothing of it is called.

use oxc_ast::AstKind;
use oxc_ast::ast::{
    Argument, AssignmentTarget, BindingPattern, CallExpression, ComputedMemberExpression,
    Declaration, Expression, ObjectPropertyKind, Statement,
};
use oxc_span::{GetSpan as _, Span};
use oxc_syntax::symbol::SymbolId;

use super::Judge;
use super::usage::{Use, only_reads};
use crate::evidence::is_target;
use crate::thing::Thing;
use crate::tree::{Around, is_taken};
use crate::values::Known;

const HANDS_ON: &str = "passes on a member with an unknown name";

impl<'a> Judge<'a, '_, '_> {
    /// A member of something under a name that is not known.
    pub(super) fn computed(&mut self, access: &'a ComputedMemberExpression<'a>, around: Around) {
        let is_known = |span: Span| self.bundle.trusts(span) || self.is_in_shim(span, around);
        if !self.values.is_lookup(access) || is_known(access.span) {
            return;
        }
        let things = self.values.of(&access.object, 0);
        let is_function = |known: &Known<'_>| {
            known.thing.is_function() && !known.thing.is_followed()
                || matches!(known.thing, Thing::Constructor { .. })
        };
        if things.iter().any(is_function) || self.values.is_method_of_literal(&access.object) {
            return self.doubt("reads a computed member of a function", access.span);
        }
        // What the runtime brings is judged where its name stands.
        let is_root = |known: &Known<'_>| matches!(&known.thing, Thing::Path(_, members) if members.is_empty());
        if things.is_empty() || !things.iter().all(is_root) {
            self.follow(Thing::Lookup, access.span, around, &[]);
        }
    }

    /// A member under a name that is not known of what was looked up.
    pub(super) fn computed_of_lookup(
        &self,
        thing: &Thing<'a>,
        parent: AstKind<'a>,
    ) -> Option<Thing<'a>> {
        let AstKind::ComputedMemberExpression(access) = parent else { return None };
        self.values.member_of_lookup(thing, &access.expression)
    }

    /// A pattern takes a member whose name is not known.
    pub(super) fn computed_binding(
        &mut self,
        key: Option<&'a Expression<'a>>,
        span: Span,
        around: Around,
    ) {
        let Some(key) = key else { return };
        if let Some(name) = self.values.text(key, 0).filter(|name| is_taken(name)) {
            return self.taken(name, span);
        }
        let mut outwards = self.tree.outwards(around);
        let plain = match (outwards.next(), outwards.next()) {
            (Some(AstKind::ObjectPattern(_)), Some(AstKind::VariableDeclarator(variable))) => {
                variable.init.as_ref().is_some_and(|value| self.values.is_plain(value))
            }
            _ => false,
        };
        if !plain && !self.values.never_climbs(key, 0) {
            self.doubt("reads a computed member of an unknown value", span);
        }
    }

    /// What may be the constructor of functions, or what it made, at the end of its way.
    pub(super) fn looked_up(&mut self, thing: &Thing<'a>, how: Use<'a>, span: Span) {
        let reads = matches!(how, Use::Argument(call) if only_reads(call, self.values));
        match (thing, how) {
            (Thing::Made, Use::Called | Use::New(_)) => {
                self.doubt("calls the result of a computed member", span);
            }
            (Thing::Lookup, Use::New(_)) => {
                self.doubt("uses a computed member as a constructor", span)
            }
            (_, how) if how.gives_away() && !reads => self.doubt(HANDS_ON, span),
            _ => {}
        }
    }

    /// Uses that end the way of what was looked up, and others do not.
    pub(super) fn ends_lookup(
        &mut self,
        thing: &Thing<'a>,
        parent: AstKind<'a>,
        span: Span,
        above: Around,
    ) -> bool {
        match parent {
            // What is in a list is none of its own members, unless it shows what it was given.
            AstKind::ForOfStatement(_) | AstKind::ForInStatement(_) | AstKind::SpreadElement(_) => {
                self.strict && *thing == Thing::Lookup
            }
            AstKind::ArrayAssignmentTarget(_) | AstKind::ObjectAssignmentTarget(_) => true,
            AstKind::TaggedTemplateExpression(tagged) if tagged.tag.span() == span => {
                self.doubt("calls the result of a computed member", span);
                true
            }
            AstKind::AssignmentExpression(given) if given.right.span() == span => {
                let is_statement =
                    matches!(self.tree.get(above), Some((AstKind::ExpressionStatement(_), _)));
                let variable = match &given.left {
                    AssignmentTarget::AssignmentTargetIdentifier(name) if is_statement => {
                        self.values.symbol(name)
                    }
                    _ => None,
                };
                let known = |variable| self.is_known_as(variable) && !self.is_shared(variable);
                if !variable.is_some_and(known) {
                    self.doubt(HANDS_ON, span);
                }
                true
            }
            _ => false,
        }
    }

    /// What was looked up gets a name: every use of that name is judged, if it is known by it.
    pub(super) fn named(&mut self, pattern: &BindingPattern<'a>, span: Span) {
        let id = pattern.get_binding_identifier().and_then(|id| id.symbol_id.get());
        if !id.is_some_and(|variable| self.is_known_as(variable)) {
            self.doubt(HANDS_ON, span);
        }
    }

    fn is_known_as(&self, variable: SymbolId) -> bool {
        let things = self.values.of_symbol(variable, 0);
        things.iter().any(|known| known.thing.is_looked_up())
    }

    /// Whether a variable has other names: an export, or a place among the arguments.
    fn is_shared(&self, variable: SymbolId) -> bool {
        let declares = |declaration: &Declaration<'_>| match declaration {
            Declaration::VariableDeclaration(list) => list.declarations.iter().any(|one| {
                let id = one.id.get_binding_identifier();
                id.is_none_or(|id| id.symbol_id.get() == Some(variable))
            }),
            _ => false,
        };
        let mut statements = self.program.body.iter();
        let exported = statements.any(|statement| match statement {
            Statement::ExportDeclaration(export) => declares(&export.declaration),
            Statement::TSNamespaceDeclaration(_) => true,
            _ => false,
        });
        exported || (!self.strict && self.values.source().contains("arguments"))
    }

    /// `getOwnPropertyDescriptor` and its like show members under names that may not be known.
    pub(super) fn describes(&mut self, name: &str, span: Span, around: Around) {
        let harmless = match self.tree.get(around) {
            Some((AstKind::CallExpression(call), _)) if call.callee.span() == span => match name {
                "getOwnPropertyDescriptors" => self.is_of_plain(call),
                "getOwnPropertyDescriptor" => self.is_of_plain(call) || self.names_member(call),
                _ => self.is_of_plain(call) || self.names_member(call) || overwrites(call),
            },
            Some((AstKind::UnaryExpression(_) | AstKind::BinaryExpression(_), _)) => true,
            _ if self.bundle.trusts(span) => true,
            // Under another name it defines members, too.
            _ => name.starts_with("define"),
        };
        if !harmless {
            self.doubt("defines members with unknown names", span);
        }
    }

    /// Whether the first argument is surely no function.
    fn is_of_plain(&self, call: &'a CallExpression<'a>) -> bool {
        let first = call.arguments.first().and_then(Argument::as_expression);
        first.is_some_and(|object| self.values.is_plain(object))
    }

    fn names_member(&self, call: &'a CallExpression<'a>) -> bool {
        self.is_harmless_name(&call.arguments)
    }

    /// Whether the second argument is a name that leads nowhere.
    pub(super) fn is_harmless_name(&self, arguments: &'a [Argument<'a>]) -> bool {
        let spread = arguments.iter().take(2).any(Argument::is_spread);
        let name = arguments.get(1).and_then(Argument::as_expression);
        !spread && name.is_none_or(|name| self.values.never_climbs(name, 0))
    }

    /// What every object has is changed, or handed on.
    pub(super) fn shared_prototype(&mut self, span: Span, around: Around) {
        let changes = match self.tree.get(around) {
            Some((AstKind::StaticMemberExpression(access), above)) => {
                self.is_assigned(access.span, above)
            }
            Some((AstKind::ComputedMemberExpression(access), above)) => {
                let known = self.values.text(&access.expression, 0).is_some();
                !known || self.is_assigned(access.span, above)
            }
            Some((AstKind::CallExpression(call), _)) => call.callee.span() != span,
            _ => false,
        };
        if changes {
            self.doubt("may change `Object.prototype`", span);
        }
    }

    /// `setPrototypeOf`: what every function inherits may get something more to inherit, which
    /// then sees every function. Surely not an object that is made here, or a class of the program.
    pub(super) fn changes_heir(&mut self, span: Span, around: Around) {
        let Some((AstKind::CallExpression(call), _)) = self.tree.get(around) else { return };
        if call.callee.span() != span {
            return;
        }
        let own = call.arguments.first().and_then(Argument::as_expression).is_some_and(|target| {
            match target.get_inner_expression() {
                Expression::ThisExpression(_) => self.is_in_constructor(around),
                Expression::StaticMemberExpression(access) => {
                    access.property.name == "prototype" && self.is_own_name(&access.object)
                }
                target => self.is_own_name(target) || self.values.is_plain_itself(target),
            }
        });
        if !own {
            self.doubt("may change `Function.prototype`", span);
        }
    }

    /// `getPrototypeOf` of a function is what every function inherits.
    pub(super) fn prototype_of(&mut self, span: Span, around: Around) {
        let Some((AstKind::CallExpression(call), _)) = self.tree.get(around) else { return };
        let first = call.arguments.first().and_then(Argument::as_expression);
        let is_function = |known: &Known<'_>| known.thing == Thing::Function;
        if call.callee.span() == span
            && first.is_some_and(|value| self.values.of(value, 0).iter().any(is_function))
        {
            self.doubt("accesses `Function.prototype`", span);
        }
    }

    /// Whether a name is that of a function or class of the program, and of nothing else, or of
    /// something that a literal makes.
    fn is_own_name(&self, value: &'a Expression<'a>) -> bool {
        let Expression::Identifier(name) = value else { return false };
        self.values.symbol(name).is_some_and(|symbol| {
            self.values.is_constant_function(symbol)
                || self.values.is_class(symbol)
                || self.values.is_given(symbol)
        })
    }

    fn is_assigned(&self, target: Span, above: Around) -> bool {
        is_target(target, above, self.tree)
    }
}

/// Whether a member that is defined has another value afterwards.
fn overwrites(call: &CallExpression<'_>) -> bool {
    let Some(Argument::ObjectExpression(descriptor)) = call.arguments.get(2) else { return false };
    descriptor.properties.iter().any(|property| {
        matches!(property, ObjectPropertyKind::ObjectProperty(property)
            if ["value", "get", "set"].iter().any(|name| property.key.is_specific_static_name(name)))
    })
}
