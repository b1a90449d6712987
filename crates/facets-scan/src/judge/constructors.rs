//! Ways to a function that makes code of a text, and to a `this` that is everything.

use oxc_ast::AstKind;
use oxc_ast::ast::{
    Argument, BinaryOperator, Expression, FunctionBody, NewExpression, ObjectPropertyKind,
    PropertyDefinition,
};
use oxc_span::{GetSpan as _, Span};

use super::Judge;
use crate::thing::{Root, Thing};
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

    /// Whether `this` is what the constructor of a class makes.
    pub(super) fn is_in_constructor(&self, around: Around) -> bool {
        let mut outwards = self.tree.outwards(around);
        outwards.find(|kind| matches!(kind, AstKind::Function(_) | AstKind::StaticBlock(_)));
        matches!(outwards.next(),
            Some(AstKind::MethodDefinition(method)) if method.kind.is_constructor())
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
                return self.doubt("keeps the name of a constructor in a variable", span);
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
            self.doubt("passes on the name of a constructor", span);
        }
    }

    /// In code that is not strict, a function that is just called has the global object as its
    /// `this`. Only members that are surely not the global object's are taken of it.
    pub(super) fn this(&mut self, span: Span, around: Around) {
        if !self.strict && self.is_exports(around) {
            self.handed_this(span, around);
        }
        if self.strict || self.is_method_of_class(span, around) || self.is_in_shim(span, around) {
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

    /// Whether `this` stands outside of functions and classes, where it is `exports`.
    fn is_exports(&self, around: Around) -> bool {
        !self.tree.outwards(around).any(|kind| {
            matches!(
                kind,
                AstKind::Function(_) | AstKind::PropertyDefinition(_) | AstKind::StaticBlock(_)
            )
        })
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

    /// `x.constructor`: of a function, it is `Function`.
    pub(super) fn constructor(&mut self, object: &'a Expression<'a>, span: Span, around: Around) {
        if matches!(object, Expression::ThisExpression(_) | Expression::Super(_)) {
            // A method can be called with a function as its `this`.
            if !(self.is_in_instance(object.span(), around) && self.is_left_out(span, around)) {
                self.follow(Thing::Constructor { of_function: false }, span, around, &[]);
            }
            return;
        }
        let things = self.values.of(object, 0);
        // Roots are followed from where their name stands; `arguments` of a function are not.
        let is_root = |known: &Known<'_>| {
            matches!(known.thing, Thing::Path(..))
                && known.thing.is_followed()
                && !is_of_arguments(&known.thing)
        };
        if things.iter().any(is_root) {
            return;
        }
        let is_function =
            |known: &Known<'_>| known.thing.is_function() || is_of_arguments(&known.thing);
        let of_function =
            things.iter().any(is_function) || self.values.is_method_of_literal(object);
        self.follow(Thing::Constructor { of_function }, span, around, &[]);
    }
}

impl<'a> Judge<'a, '_, '_> {
    /// `Error.captureStackTrace(this, this.constructor)`, which leaves a function out of a text.
    fn is_left_out(&self, span: Span, around: Around) -> bool {
        let Some((AstKind::CallExpression(call), _)) = self.tree.get(around) else { return false };
        let Expression::StaticMemberExpression(access) = &call.callee else { return false };
        access.property.name == "captureStackTrace"
            && self.values.is_intact(&access.object, "Error")
            && call.arguments.get(1).is_some_and(|second| second.span() == span)
    }

    /// What takes the place of `captureStackTrace` is shown constructors.
    pub(super) fn replaces_capture(&mut self, replaces: bool, span: Span) {
        if replaces {
            self.doubt("replaces `captureStackTrace`, which receives constructors", span);
        }
    }

    /// Whether what is constructed would be no code, even with the constructor of functions.
    pub(super) fn gets_no_code(&self, new: &'a NewExpression<'a>) -> bool {
        let mut values = new.arguments.iter().map(Argument::as_expression);
        values.all(|value| value.is_some_and(|value| self.spells_no_code(value)))
    }

    /// Whether the text of a value is surely no code: that of an object is `[object Object]`.
    fn spells_no_code(&self, value: &'a Expression<'a>) -> bool {
        let is_plain = |property: &ObjectPropertyKind<'_>| match property {
            ObjectPropertyKind::ObjectProperty(property) => {
                let name = property.key.static_name().filter(|_| !property.computed);
                name.is_some_and(|name| {
                    !matches!(name.as_ref(), "toString" | "valueOf" | "__proto__")
                })
            }
            ObjectPropertyKind::SpreadProperty(_) => false,
        };
        match value.get_inner_expression() {
            Expression::BooleanLiteral(_) | Expression::NullLiteral(_) => true,
            Expression::ObjectExpression(object) => object.properties.iter().all(is_plain),
            value => self.values.is_number(value) || self.values.is_global(value, "undefined"),
        }
    }
}

/// Whether it is a member of the `arguments` of a function: most of them are functions.
fn is_of_arguments(thing: &Thing<'_>) -> bool {
    matches!(thing, Thing::Path(Root::Name("arguments"), _))
}

/// Whether a span lies in the value of a field, and not in its key.
fn is_value_of(property: &PropertyDefinition<'_>, span: Span) -> bool {
    property.value.as_ref().is_some_and(|value| {
        let value = value.span();
        value.start <= span.start && span.end <= value.end
    })
}
