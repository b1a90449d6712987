//! Ways to a function that makes code of a text, and to a `this` that is everything.

use oxc_ast::AstKind;
use oxc_ast::ast::{ComputedMemberExpression, Expression, FunctionBody, StringLiteral};
use oxc_span::{GetSpan as _, Span};

use super::Judge;
use crate::thing::Thing;
use crate::tree::Around;
use crate::values::Known;
use crate::words;

impl<'a> Judge<'a, '_, '_> {
    /// Whether `this` is an object that a class made, whose constructor is that class.
    fn is_in_instance(&self, around: Around) -> bool {
        let mut outwards = self.tree.outwards(around);
        let owner = outwards.find(|kind| {
            matches!(
                kind,
                AstKind::Function(_) | AstKind::PropertyDefinition(_) | AstKind::StaticBlock(_)
            )
        });
        match owner {
            Some(AstKind::PropertyDefinition(property)) => !property.r#static,
            Some(AstKind::Function(_)) => {
                matches!(outwards.next(), Some(AstKind::MethodDefinition(method)) if !method.r#static)
            }
            _ => false,
        }
    }

    /// A text in the place of an argument may name a member.
    pub(super) fn text_argument(&mut self, text: &StringLiteral<'_>, around: Around) {
        const READERS: &[&str] = &[
            "defineProperty",
            "hasOwnProperty",
            "hasOwn",
            "has",
            "includes",
            "indexOf",
            "add",
            "delete",
        ];
        let Some((AstKind::CallExpression(call), _)) = self.tree.get(around) else { return };
        let named = match &call.callee {
            Expression::StaticMemberExpression(access) => access.property.name.as_str(),
            _ => "",
        };
        let own = matches!(&call.callee, Expression::StaticMemberExpression(access)
            if matches!(&access.object, Expression::StaticMemberExpression(inner)
                if inner.property.name == "hasOwnProperty"));
        if call.callee.span() != text.span && !READERS.contains(&named) && !own {
            self.doubt("hands the name of a constructor on", text.span);
        }
    }

    /// In code that is not strict, a function that is just called has the global object as its
    /// `this`. Only members that are surely not the global object's are taken of it.
    pub(super) fn this(&mut self, span: Span, around: Around) {
        if self.strict || self.is_method_of_class(around) || self.is_in_shim(around) {
            return;
        }
        let harmless = match self.tree.get(around) {
            Some((AstKind::StaticMemberExpression(access), above)) => {
                let name = access.property.name.as_str();
                let assigned = matches!(self.tree.get(above), Some((AstKind::AssignmentExpression(given), _))
                    if given.left.span() == access.span);
                assigned || (!words::is_watched(name) && name != "constructor")
            }
            Some((AstKind::ComputedMemberExpression(access), above)) => {
                access.object.span() == span
                    && matches!(self.tree.get(above), Some((AstKind::AssignmentExpression(given), _))
                        if given.left.span() == access.span)
            }
            Some((AstKind::BinaryExpression(_) | AstKind::ExpressionStatement(_), _)) => true,
            _ => false,
        };
        if !harmless {
            self.doubt("uses a `this` that may be the global object", span);
        }
    }

    /// Whether `this` belongs to a class, whose code is strict, or to the module.
    fn is_method_of_class(&self, around: Around) -> bool {
        let mut in_function = false;
        for kind in self.tree.outwards(around) {
            match kind {
                AstKind::Class(_) => return true,
                AstKind::Function(function) => {
                    let strict = |body: &FunctionBody<'_>| body.has_use_strict_directive();
                    if function.body.as_ref().is_some_and(|body| strict(body)) {
                        return true;
                    }
                    in_function = true;
                }
                _ => {}
            }
        }
        !in_function
    }

    /// A member of a function under a name that is not known may be its constructor.
    pub(super) fn computed_binding(&mut self, span: Span, around: Around) {
        let variable = self.tree.outwards(around).find_map(|kind| match kind {
            AstKind::VariableDeclarator(variable) => Some(variable),
            _ => None,
        });
        let init = variable.and_then(|variable| variable.init.as_ref());
        let things = init.map(|init| self.values.of(init, 0)).unwrap_or_default();
        if things.iter().any(|known| matches!(known.thing, Thing::Function)) {
            self.doubt("takes a computed member of a function", span);
        }
    }

    /// A computed member of a function may be its constructor.
    pub(super) fn computed(&mut self, access: &'a ComputedMemberExpression<'a>) {
        // Most are of variables that are no functions: lists and tables.
        if let Expression::Identifier(name) = &access.object
            && self.values.symbol(name).is_some_and(|symbol| !self.values.may_be_function(symbol))
        {
            return;
        }
        let things = self.values.of(&access.object, 0);
        let is_function = |known: &Known<'_>| {
            known.thing.is_function() && !known.thing.is_followed()
                || matches!(known.thing, Thing::Constructor { .. })
        };
        if things.iter().any(is_function) || self.values.is_method_of_literal(&access.object) {
            self.doubt("takes a computed member of a function", access.span);
        }
    }

    /// `x.constructor`: of a function, it is `Function`.
    pub(super) fn constructor(&mut self, object: &'a Expression<'a>, span: Span, around: Around) {
        if matches!(object, Expression::ThisExpression(_) | Expression::Super(_)) {
            if !self.is_in_instance(around) {
                self.follow(Thing::Constructor { of_function: false }, span, around, &[]);
            }
            return;
        }
        let things = self.values.of(object, 0);
        // Roots are followed from where their name stands.
        let is_root =
            |known: &Known<'_>| matches!(known.thing, Thing::Path(..)) && known.thing.is_followed();
        if things.iter().any(is_root) {
            return;
        }
        let is_function = |known: &Known<'_>| known.thing.is_function();
        let of_function =
            things.iter().any(is_function) || self.values.is_method_of_literal(object);
        self.follow(Thing::Constructor { of_function }, span, around, &[]);
    }
}
