//! What the variables of a program are given.

use oxc_allocator::Allocator;
use oxc_ast::AstKind;
use oxc_ast::ast::{
    Argument, AssignmentExpression, AssignmentTarget, BindingPattern, Expression, FunctionBody,
    ImportDeclaration, ImportDeclarationSpecifier, ImportOrExportKind, ObjectPropertyKind,
    Statement, TSModuleReference, UnaryOperator,
};
use oxc_span::{GetSpan as _, Span};
use oxc_syntax::symbol::SymbolId;

use crate::judge::usage::called_in_place;
use crate::scopes::Names;
use crate::values::{Sources, ValueSource, static_key};
use crate::words::gives_itself;

/// What was found.
pub(crate) struct Collected<'a> {
    pub(crate) sources: Sources<'a>,
    /// Functions that give back `this`, which is the global object if they are just called.
    pub(crate) returns_this: Vec<SymbolId>,
}

pub(crate) fn collect<'a>(
    givers: &[AstKind<'a>],
    source: &'a str,
    names: &Names<'a>,
    arena: &'a Allocator,
) -> Collected<'a> {
    let sources = Sources::new(names.variables.len());
    let found = Collected { sources, returns_this: Vec::new() };
    let mut collector = Collector { arena, source, names, found };
    for kind in givers {
        collector.node(*kind);
    }
    collector.found.sources.sort();
    collector.found
}

/// Whether it gives a value to a variable, or may give back `this`.
pub(crate) fn is_collected(kind: AstKind<'_>) -> bool {
    match kind {
        AstKind::VariableDeclarator(variable) => {
            variable.id.is_binding_identifier() || variable.init.as_ref().is_some_and(may_matter)
        }
        AstKind::FormalParameter(parameter) => parameter.initializer.is_some(),
        AstKind::CallExpression(call) => matches!(
            call.callee,
            Expression::FunctionExpression(_) | Expression::ArrowFunctionExpression(_)
        ),
        AstKind::AssignmentExpression(assignment) => {
            matches!(assignment.left, AssignmentTarget::AssignmentTargetIdentifier(_))
                && may_matter(&assignment.right)
        }
        AstKind::ImportDeclaration(_) | AstKind::TSImportEqualsDeclaration(_) => true,
        AstKind::Function(function) => function.id.is_some(),
        _ => false,
    }
}

struct Collector<'a, 'n> {
    arena: &'a Allocator,
    source: &'a str,
    names: &'n Names<'a>,
    found: Collected<'a>,
}

impl<'a> Collector<'a, '_> {
    fn node(&mut self, kind: AstKind<'a>) {
        match kind {
            AstKind::VariableDeclarator(variable) => {
                let Some(value) = variable.init.as_ref().filter(|value| may_matter(value)) else {
                    return;
                };
                let symbol = variable.id.get_binding_identifier().and_then(|id| id.symbol_id.get());
                match symbol.filter(|_| is_require_shim(value)) {
                    Some(symbol) => self.found.sources.add(symbol, ValueSource::Require),
                    None => self.pattern(&variable.id, value, &[], false),
                }
            }
            AstKind::FormalParameter(parameter) => {
                if let Some(value) = &parameter.initializer {
                    self.pattern(&parameter.pattern, value, &[], true);
                }
            }
            AstKind::CallExpression(call) => {
                let Some(parameters) = called_in_place(call, self.source) else { return };
                for (parameter, argument) in parameters.items.iter().zip(&call.arguments) {
                    if let Some(value) = argument.as_expression() {
                        self.pattern(&parameter.pattern, value, &[], true);
                    }
                }
            }
            AstKind::AssignmentExpression(assignment) => self.assignment(assignment),
            AstKind::ImportDeclaration(import) => self.import(import),
            AstKind::TSImportEqualsDeclaration(import) => {
                if let (TSModuleReference::ExternalModuleReference(module), Some(symbol)) =
                    (&import.module_reference, import.id.symbol_id.get())
                {
                    let source = ValueSource::Import(module.expression.value.as_str(), None);
                    self.found.sources.add(symbol, source);
                }
            }
            AstKind::Function(function) => {
                let symbol = function.id.as_ref().and_then(|id| id.symbol_id.get());
                if let (Some(symbol), Some(body)) = (symbol, &function.body)
                    && gives_back_this(body)
                {
                    self.found.returns_this.push(symbol);
                }
            }
            _ => {}
        }
    }
}

/// Methods that load modules, or give functions that do.
const LOADERS: &[&str] = &["require", "createRequire", "getBuiltinModule"];

/// Methods that call a function, or give it back.
const CALL_FORMS: &[&str] = &["call", "apply", "bind", "valueOf"];

/// Most values of most programs are of no concern.
fn may_matter(value: &Expression<'_>) -> bool {
    // Of all methods, few give back what is followed.
    if let Expression::CallExpression(call) = value
        && let Expression::StaticMemberExpression(access) = &call.callee
    {
        let name = access.property.name.as_str();
        return LOADERS.contains(&name) || gives_itself(name) || CALL_FORMS.contains(&name);
    }
    !matches!(
        value,
        Expression::NumericLiteral(_)
            | Expression::BooleanLiteral(_)
            | Expression::NullLiteral(_)
            | Expression::BigIntLiteral(_)
            | Expression::RegExpLiteral(_)
            | Expression::ArrayExpression(_)
            | Expression::ObjectExpression(_)
            | Expression::NewExpression(_)
            | Expression::UnaryExpression(_)
            | Expression::UpdateExpression(_)
            | Expression::ThisExpression(_)
    )
}

/// How deep inside its declaration a stand-in for `require` mentions it.
pub(crate) const SHIM_DEPTH: usize = 16;

/// Whether a value is the stand-in for `require` that esbuild writes.
pub(crate) fn is_require_shim(value: &Expression<'_>) -> bool {
    shim_parts(value).is_some()
}

/// The stand-in that esbuild writes: `(x => typeof require … ? require : …)(function (x) { if
/// (typeof require …) return require.apply(this, arguments); throw … })`. The function is
/// reached through the variable alone, so only calls of that matter; these are the parts that
/// are not judged where they stand.
pub(crate) fn shim_parts(value: &Expression<'_>) -> Option<Vec<Span>> {
    let Expression::CallExpression(call) = value else { return None };
    let Expression::ArrowFunctionExpression(arrow) = &call.callee else { return None };
    let Some(Expression::ConditionalExpression(choice)) = arrow.body.as_expression() else {
        return None;
    };
    let [Argument::FunctionExpression(function)] = call.arguments.as_slice() else { return None };
    let statements = function.body.as_ref().map(|body| body.statements.as_slice());
    let Some([Statement::IfStatement(first), Statement::ThrowStatement(_)]) = statements else {
        return None;
    };
    if !choice.consequent.is_specific_id("require") || !asks_for_require(&choice.test) {
        return None;
    }
    let mut parts = vec![choice.consequent.span()];
    parts.extend(applied_require(&first.consequent)?);
    parts.extend(parts_without_require(&choice.alternate)?);
    Some(parts)
}

/// `typeof require …`
fn asks_for_require(test: &Expression<'_>) -> bool {
    matches!(test, Expression::BinaryExpression(compared)
        if matches!(&compared.left, Expression::UnaryExpression(unary)
            if unary.operator == UnaryOperator::Typeof
                && unary.argument.is_specific_id("require")))
}

/// What stands there if there is no `require`: the function itself, or a proxy that asks again.
fn parts_without_require(value: &Expression<'_>) -> Option<Vec<Span>> {
    match value {
        Expression::Identifier(name) => (name.name != "require").then(Vec::new),
        Expression::ConditionalExpression(choice) => {
            let mut parts = parts_without_require(&choice.alternate)?;
            let Expression::NewExpression(new) = &choice.consequent else { return None };
            let [_, Argument::ObjectExpression(handler)] = new.arguments.as_slice() else {
                return None;
            };
            parts.extend(handler.properties.iter().filter_map(asked_again).flatten());
            new.callee.is_specific_id("Proxy").then_some(parts)
        }
        _ => None,
    }
}

/// `get: (a, b) => (typeof require … ? require : a)[b]`
fn asked_again(property: &ObjectPropertyKind<'_>) -> Option<[Span; 2]> {
    let ObjectPropertyKind::ObjectProperty(property) = property else { return None };
    let Expression::ArrowFunctionExpression(arrow) = &property.value else { return None };
    let Some(Expression::ComputedMemberExpression(access)) = arrow.body.as_expression() else {
        return None;
    };
    let Expression::ConditionalExpression(choice) = &access.object else { return None };
    let asks = property.key.is_specific_static_name("get")
        && asks_for_require(&choice.test)
        && choice.consequent.is_specific_id("require")
        && choice.alternate.is_identifier_reference();
    asks.then(|| [choice.consequent.span(), access.span])
}

/// `return require.apply(this, arguments)`
fn applied_require(statement: &Statement<'_>) -> Option<[Span; 2]> {
    let Statement::ReturnStatement(back) = statement else { return None };
    let Some(Expression::CallExpression(call)) = &back.argument else { return None };
    let [this, arguments] = call.arguments.as_slice() else { return None };
    let Expression::StaticMemberExpression(access) = &call.callee else { return None };
    let applies = call.callee.is_specific_member_access("require", "apply")
        && matches!(this, Argument::ThisExpression(_))
        && matches!(arguments, Argument::Identifier(name) if name.name == "arguments");
    applies.then(|| [access.object.span(), this.span()])
}

/// `function f() { return this }`
pub(crate) fn gives_back_this(body: &FunctionBody<'_>) -> bool {
    body.statements.iter().any(|statement| match statement {
        Statement::ReturnStatement(back) => {
            matches!(back.argument, Some(Expression::ThisExpression(_)))
        }
        _ => false,
    })
}

impl<'a> Collector<'a, '_> {
    /// Notes what the variables of a pattern are given. Keys that are not known lead nowhere;
    /// the judge looks at those.
    fn pattern(
        &mut self,
        pattern: &'a BindingPattern<'a>,
        value: &'a Expression<'a>,
        path: &[&'a str],
        possible: bool,
    ) {
        match pattern {
            BindingPattern::BindingIdentifier(name) => {
                let Some(symbol) = name.symbol_id.get() else { return };
                let source = ValueSource::Value(value, path.to_vec());
                if possible {
                    self.found.sources.add_possible(symbol, source);
                } else {
                    self.found.sources.add(symbol, source);
                }
            }
            BindingPattern::AssignmentPattern(default) => {
                self.pattern(&default.left, value, path, true);
                self.pattern(&default.left, &default.right, &[], true);
            }
            BindingPattern::ObjectPattern(object) => {
                for property in &object.properties {
                    let key = static_key(&property.key, property.computed, self.arena);
                    if let Some(name) = key {
                        let path: Vec<&'a str> = path.iter().copied().chain([name]).collect();
                        self.pattern(&property.value, value, &path, possible);
                    }
                }
                if let Some(rest) = &object.rest {
                    self.pattern(&rest.argument, value, path, possible);
                }
            }
            BindingPattern::ArrayPattern(_) => {}
        }
    }

    fn assignment(&mut self, assignment: &'a AssignmentExpression<'a>) {
        let AssignmentTarget::AssignmentTargetIdentifier(name) = &assignment.left else { return };
        if let Some(symbol) = self.names.variable(name) {
            self.found
                .sources
                .add_possible(symbol, ValueSource::Value(&assignment.right, Vec::new()));
        }
    }

    fn import(&mut self, import: &'a ImportDeclaration<'a>) {
        if import.import_kind == ImportOrExportKind::Type {
            return;
        }
        let module = import.source.value.as_str();
        for specifier in import.specifiers.iter().flatten() {
            let (local, name) = match specifier {
                ImportDeclarationSpecifier::ImportSpecifier(one) => {
                    (&one.local, Some(self.arena.alloc_str(&one.imported.name())))
                }
                ImportDeclarationSpecifier::ImportDefaultSpecifier(all) => {
                    (&all.local, Some("default"))
                }
                ImportDeclarationSpecifier::ImportNamespaceSpecifier(all) => (&all.local, None),
            };
            if let Some(symbol) = local.symbol_id.get() {
                self.found.sources.add(symbol, ValueSource::Import(module, name));
            }
        }
    }
}
