//! What is done with a value, seen from where it stands.

use oxc_ast::AstKind;
use oxc_ast::ast::{
    Argument, BinaryOperator, BindingPattern, CallExpression, Expression, FormalParameters,
    NewExpression, PropertyKey, UnaryOperator,
};
use oxc_span::{GetSpan, Span};

use crate::values::Values;

/// What the next syntax around a value does with it.
pub(crate) enum Used<'a> {
    /// Nothing: the whole is the same value.
    Same,
    /// Perhaps overwrites it with this; the whole is one of the two.
    Perhaps(&'a Expression<'a>),
    /// Takes a member.
    Member(&'a str),
    /// Calls it.
    Call(&'a [Argument<'a>]),
    /// Is a function that gives it back, and is called at once: the call is the same value.
    Returned,
    /// Gives it names.
    Pattern(&'a BindingPattern<'a>),
    /// Something after which it is not followed.
    End(Use<'a>),
}

/// How a value is used at the end of its way.
#[derive(Clone, Copy)]
pub(crate) enum Use<'a> {
    /// It is called.
    Called,
    /// It is constructed.
    New(&'a NewExpression<'a>),
    /// A member is taken whose name is not known.
    Computed,
    /// It gets a name, under which it is followed.
    Named,
    /// It is given away, and may come back as anything.
    Escapes,
    /// It is an argument of a call.
    Argument(&'a CallExpression<'a>),
    /// It is an operand: data.
    Data,
    /// It is overwritten, with this.
    Assigned(&'a Expression<'a>),
    /// It is overwritten by a pattern or the head of a loop, with anything.
    Replaced,
    /// It is only looked at.
    Harmless,
}

impl Use<'_> {
    /// Whether it gets out of sight.
    pub(crate) fn gives_away(self) -> bool {
        matches!(self, Use::Escapes | Use::Argument(_) | Use::Replaced)
    }
}

/// What `parent` does with the value at `span`; `above` is what stands around `parent`.
pub(crate) fn of<'a>(
    parent: AstKind<'a>,
    span: Span,
    mut above: impl Iterator<Item = AstKind<'a>>,
    values: &Values<'a, '_>,
) -> Used<'a> {
    match parent {
        AstKind::ChainExpression(_)
        | AstKind::ParenthesizedExpression(_)
        | AstKind::AwaitExpression(_)
        | AstKind::TSAsExpression(_)
        | AstKind::TSSatisfiesExpression(_)
        | AstKind::TSTypeAssertion(_)
        | AstKind::TSNonNullExpression(_)
        | AstKind::TSInstantiationExpression(_)
        | AstKind::LogicalExpression(_) => Used::Same,
        AstKind::SequenceExpression(list) => {
            let end = list.expressions.last().map(GetSpan::span);
            if end == Some(span) { Used::Same } else { Used::End(Use::Harmless) }
        }
        AstKind::ConditionalExpression(choice) => {
            if choice.test.span() == span {
                Used::End(Use::Harmless)
            } else {
                Used::Same
            }
        }
        AstKind::StaticMemberExpression(access) => Used::Member(access.property.name.as_str()),
        AstKind::ComputedMemberExpression(access) if access.object.span() == span => {
            match values.text(&access.expression, 0) {
                Some(name) => Used::Member(name),
                None => Used::End(Use::Computed),
            }
        }
        AstKind::ComputedMemberExpression(_) => Used::End(Use::Data),
        AstKind::TemplateLiteral(_) => Used::End(template(above.next())),
        AstKind::CallExpression(call) if call.callee.span() == span => Used::Call(&call.arguments),
        AstKind::CallExpression(call) => match parameter(call, span, values.source()) {
            Some(pattern) => Used::Pattern(pattern),
            None => Used::End(Use::Argument(call)),
        },
        AstKind::NewExpression(new) if new.callee.span() == span => Used::End(Use::New(new)),
        AstKind::TaggedTemplateExpression(tagged) if tagged.tag.span() == span => {
            Used::End(Use::Called)
        }
        AstKind::UnaryExpression(_) | AstKind::BinaryExpression(_) => {
            Used::End(operand(parent, span))
        }
        _ => bound(parent, span, above),
    }
}

/// What an operator does with an operand.
fn operand(parent: AstKind<'_>, span: Span) -> Use<'static> {
    match parent {
        AstKind::UnaryExpression(unary) => match unary.operator {
            UnaryOperator::Typeof
            | UnaryOperator::LogicalNot
            | UnaryOperator::Void
            | UnaryOperator::Delete => Use::Harmless,
            _ => Use::Data,
        },
        AstKind::BinaryExpression(operation) => {
            let operator = operation.operator;
            if operator.is_arithmetic() || operator.is_bitwise() {
                Use::Data
            } else if operator == BinaryOperator::Instanceof && operation.left.span() == span {
                // The right side may ask to see it.
                Use::Escapes
            } else {
                Use::Harmless
            }
        }
        _ => Use::Escapes,
    }
}

/// A tag gets what stands in its template.
fn template(tag: Option<AstKind<'_>>) -> Use<'static> {
    match tag {
        Some(AstKind::TaggedTemplateExpression(_)) => Use::Escapes,
        _ => Use::Data,
    }
}

/// What a declaration, an assignment or a statement does with a value.
fn bound<'a>(
    parent: AstKind<'a>,
    span: Span,
    mut above: impl Iterator<Item = AstKind<'a>>,
) -> Used<'a> {
    match parent {
        AstKind::VariableDeclarator(variable) => {
            let exported = matches!(above.nth(1), Some(AstKind::ExportDeclaration(_)));
            if exported { Used::End(Use::Escapes) } else { Used::Pattern(&variable.id) }
        }
        // Whatever is given to a variable later, or only perhaps, is out of sight.
        AstKind::AssignmentExpression(assignment) if assignment.left.span() == span => {
            // `a ??= b` may be what a was.
            if assignment.operator.is_logical() {
                Used::Perhaps(&assignment.right)
            } else {
                Used::End(Use::Assigned(&assignment.right))
            }
        }
        parent if is_pattern_target(parent, span) => Used::End(Use::Replaced),
        AstKind::ExpressionStatement(_) => Used::End(Use::Data),
        AstKind::IfStatement(_)
        | AstKind::WhileStatement(_)
        | AstKind::DoWhileStatement(_)
        | AstKind::ForStatement(_)
        | AstKind::SwitchStatement(_)
        | AstKind::SwitchCase(_)
        | AstKind::UpdateExpression(_) => Used::End(Use::Harmless),
        AstKind::ArrowFunctionExpression(arrow) if !arrow.r#async => match above.next() {
            // `(() => x)()` is x.
            Some(AstKind::CallExpression(call)) if call.callee.span() == parent.span() => {
                Used::Returned
            }
            _ => Used::End(Use::Escapes),
        },
        _ => Used::End(Use::Escapes),
    }
}

/// Whether a pattern or the head of a loop writes to what stands at `span`.
fn is_pattern_target(parent: AstKind<'_>, span: Span) -> bool {
    match parent {
        AstKind::ArrayAssignmentTarget(_)
        | AstKind::ObjectAssignmentTarget(_)
        | AstKind::AssignmentTargetRest(_) => true,
        AstKind::AssignmentTargetWithDefault(target) => target.binding.span() == span,
        AstKind::AssignmentTargetPropertyIdentifier(target) => target.binding.span == span,
        AstKind::AssignmentTargetPropertyProperty(target) => target.binding.span() == span,
        AstKind::ForOfStatement(each) => each.left.span() == span,
        AstKind::ForInStatement(each) => each.left.span() == span,
        _ => false,
    }
}

/// Whether a call of a function of the runtime does nothing with its arguments but read them.
pub(crate) fn only_reads<'a>(call: &CallExpression<'a>, values: &Values<'a, '_>) -> bool {
    const FUNCTIONS: &[&str] =
        &["BigInt", "Boolean", "Number", "String", "isNaN", "parseFloat", "parseInt"];
    let Expression::StaticMemberExpression(access) = &call.callee else {
        return FUNCTIONS.iter().any(|name| values.is_global(&call.callee, name));
    };
    let is_of = |name: &str| values.is_global(&access.object, name) && !values.is_changed(name);
    match access.property.name.as_str() {
        // It would call another argument.
        "stringify" => call.arguments.len() == 1 && is_of("JSON"),
        "isArray" => is_of("Array"),
        "keys" | "values" | "entries" | "hasOwn" => is_of("Object"),
        _ => is_of("console") || is_of("Math") || is_of("Number"),
    }
}

/// The parameter that an argument becomes, if what is called stands right there and can reach
/// its arguments in no other way.
fn parameter<'a>(
    call: &'a CallExpression<'a>,
    span: Span,
    source: &str,
) -> Option<&'a BindingPattern<'a>> {
    let index = call.arguments.iter().position(|argument| argument.span() == span)?;
    called_in_place(call, source)?.items.get(index).map(|parameter| &parameter.pattern)
}

/// Longer functions are not read again for a word.
const MAX_IN_PLACE: u32 = 256 << 10;

/// The parameters of a function that is called where it stands.
pub(crate) fn called_in_place<'a>(
    call: &'a CallExpression<'a>,
    source: &str,
) -> Option<&'a FormalParameters<'a>> {
    let (parameters, span) = match &call.callee {
        // By its name a function could reach its own arguments.
        Expression::FunctionExpression(function) if function.id.is_none() => {
            (&function.params, function.span)
        }
        Expression::ArrowFunctionExpression(arrow) => (&arrow.params, arrow.span),
        _ => return None,
    };
    if span.end - span.start > MAX_IN_PLACE {
        return None;
    }
    let text = source.get(span.start as usize..span.end as usize)?;
    let spread = call.arguments.iter().any(Argument::is_spread);
    let hidden = ["arguments", "caller", "\\"].iter().any(|word| text.contains(word));
    (!spread && !hidden).then_some(&**parameters)
}

/// The name of a key that is written out.
pub(crate) fn key<'a>(key: &'a PropertyKey<'a>, computed: bool) -> Option<&'a str> {
    match key {
        PropertyKey::StringLiteral(text) => Some(text.value.as_str()),
        PropertyKey::StaticIdentifier(name) if !computed => Some(name.name.as_str()),
        _ => None,
    }
}
