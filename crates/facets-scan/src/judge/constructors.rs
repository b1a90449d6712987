//! Ways to a function that makes code of a text, and to a `this` that is everything.

use oxc_ast::AstKind;
use oxc_ast::ast::{
    BinaryOperator, ComputedMemberExpression, Expression, FunctionBody, PropertyDefinition,
};
use oxc_span::{GetSpan as _, Span};

use super::Judge;
use crate::thing::Thing;
use crate::tree::Around;
use crate::values::Known;
use crate::words;

impl<'a> Judge<'a, '_, '_> {
    /// Whether `this` is an object that a class made, whose constructor is that class.
    fn is_in_instance(&self, this: Span, around: Around) -> bool {
        let mut outwards = self.tree.outwards(around);
        while let Some(kind) = outwards.next() {
            match kind {
                AstKind::PropertyDefinition(property) if is_value_of(property, this) => {
                    return !property.r#static;
                }
                AstKind::Function(_) => {
                    return matches!(outwards.next(),
                        Some(AstKind::MethodDefinition(method)) if !method.r#static);
                }
                AstKind::StaticBlock(_) => return false,
                _ => {}
            }
        }
        false
    }

    /// A text in the place of an argument may name a member.
    pub(super) fn text_argument(&mut self, span: Span, around: Around) {
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
        let call = match self.tree.get(around) {
            Some((AstKind::CallExpression(call), _)) => call,
            // Under a name it may be handed on as well.
            Some((AstKind::VariableDeclarator(_) | AstKind::AssignmentExpression(_), _)) => {
                return self.doubt("gives the name of a constructor a name", span);
            }
            _ => return,
        };
        let named = match &call.callee {
            Expression::StaticMemberExpression(access) => access.property.name.as_str(),
            _ => "",
        };
        let own = matches!(&call.callee, Expression::StaticMemberExpression(access)
            if matches!(&access.object, Expression::StaticMemberExpression(inner)
                if inner.property.name == "hasOwnProperty"));
        if call.callee.span() != span && !READERS.contains(&named) && !own {
            self.doubt("hands the name of a constructor on", span);
        }
    }

    /// In code that is not strict, a function that is just called has the global object as its
    /// `this`. Only members that are surely not the global object's are taken of it.
    pub(super) fn this(&mut self, span: Span, around: Around) {
        if self.strict || self.is_method_of_class(span, around) || self.is_in_shim(around) {
            return;
        }
        let harmless = match self.tree.get(around) {
            Some((AstKind::StaticMemberExpression(access), above)) => {
                let name = access.property.name.as_str();
                let assigned = matches!(self.tree.get(above), Some((AstKind::AssignmentExpression(given), _))
                    if given.left.span() == access.span && !given.operator.is_logical());
                let revealing = name == "constructor" || words::REVEALING.contains(&name);
                assigned || (!words::is_watched(name) && !revealing)
            }
            Some((AstKind::ComputedMemberExpression(access), above)) => {
                access.object.span() == span
                    && matches!(self.tree.get(above), Some((AstKind::AssignmentExpression(given), _))
                        if given.left.span() == access.span && !given.operator.is_logical())
            }
            Some((AstKind::BinaryExpression(compared), _)) => {
                compared.operator != BinaryOperator::Instanceof || compared.left.span() != span
            }
            Some((AstKind::ExpressionStatement(_), _)) => true,
            _ => false,
        };
        if !harmless {
            self.doubt("uses a `this` that may be the global object", span);
        }
    }

    /// Whether `this` belongs to a class, whose code is strict, or to the module. In the head of
    /// a class, and in a key that is computed, it is that of the function around.
    fn is_method_of_class(&self, this: Span, around: Around) -> bool {
        let (mut in_function, mut in_class) = (false, false);
        for kind in self.tree.outwards(around) {
            match kind {
                AstKind::Class(_) if in_class || in_function => return true,
                AstKind::StaticBlock(_) => in_class = true,
                AstKind::PropertyDefinition(property) if is_value_of(property, this) => {
                    in_class = true;
                }
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
    pub(super) fn computed_binding(
        &mut self,
        key: Option<&'a Expression<'a>>,
        span: Span,
        around: Around,
    ) {
        match key.and_then(|key| self.values.text(key, 0)) {
            Some("constructor") => {
                return self.doubt("takes a constructor out of something", span);
            }
            Some(_) => return,
            None => {}
        }
        let variable = self.tree.outwards(around).find_map(|kind| match kind {
            AstKind::VariableDeclarator(variable) => Some(variable),
            _ => None,
        });
        let init = variable.and_then(|variable| variable.init.as_ref());
        let Some(init) = init else {
            return self.doubt("takes a computed member of something unknown", span);
        };
        let things = self.values.of(init, 0);
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
            let called = matches!(self.tree.get(around), Some((AstKind::CallExpression(call), _))
                if call.callee.span() == span);
            // The constructor of an object is a class, which is constructed and never called.
            if called || !self.is_in_instance(object.span(), around) {
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

/// Whether a span lies in the value of a field, and not in its key.
fn is_value_of(property: &PropertyDefinition<'_>, span: Span) -> bool {
    property.value.as_ref().is_some_and(|value| {
        let value = value.span();
        value.start <= span.start && span.end <= value.end
    })
}
