//! What a runtime serves without being asked: Bun serves what a program exports by default, if it
//! has a `fetch` or an `app`.

use oxc_ast::AstKind;
use oxc_ast::ast::{
    Argument, CallExpression, Class, ClassElement, ExportDeclaration, ExportDefaultDeclaration,
    ExportDefaultDeclarationKind, ExportNamedDeclaration, Expression, ModuleExportName,
    ObjectExpression, ObjectPropertyKind, PropertyKey, Statement,
};
use oxc_span::{GetSpan as _, Span};
use oxc_syntax::symbol::SymbolId;

use super::Judge;
use super::usage::{Use, only_reads};
use crate::evidence::is_target;
use crate::tree::{Around, exports_shim, exports_then};
use crate::walk::Mention;
use crate::{Category, Perhaps};

/// Members by which Bun knows what it serves, or waits for it.
const SERVED: &[&str] = &["fetch", "app", "then", "__proto__"];

/// Longer ways to what is exported are out of sight.
const MAX_DEPTH: usize = 8;

impl<'a> Judge<'a, '_, '_> {
    /// `export default …`
    pub(super) fn served(&mut self, export: &'a ExportDefaultDeclaration<'a>) {
        let unserved = match &export.declaration {
            ExportDefaultDeclarationKind::FunctionDeclaration(function) => {
                let symbol = function.id.as_ref().and_then(|id| id.symbol_id.get());
                symbol.is_none_or(|symbol| self.is_left_alone(symbol, true))
            }
            ExportDefaultDeclarationKind::ClassDeclaration(class) => self.is_unserved_class(class),
            ExportDefaultDeclarationKind::TSInterfaceDeclaration(_) => true,
            other => other.as_expression().is_some_and(|value| self.is_unserved(value, 0)),
        };
        let value = export.declaration.as_expression();
        self.served_if(value, unserved, export.span);
    }

    /// `export { x as default }`
    pub(super) fn served_by_name(&mut self, export: &'a ExportNamedDeclaration<'a>) {
        for one in &export.specifiers {
            self.named_export(&one.exported, one.span);
            if one.exported.name() == "default"
                && let ModuleExportName::IdentifierReference(name) = &one.local
            {
                let symbol = self.values.symbol(name);
                let unserved = symbol.is_some_and(|symbol| self.is_unserved_name(symbol, 0));
                let given = symbol.and_then(|symbol| self.values.constant(symbol));
                self.served_if(given, unserved, one.span);
            }
        }
    }

    /// `module.exports = …`, `exports.x = …`
    pub(super) fn assigned_export(
        &mut self,
        members: &[&'a str],
        value: &'a Expression<'a>,
        span: Span,
    ) {
        let unserved = match members {
            [] | ["default"] => self.is_unserved(value, 0),
            [name, ..] => !SERVED.contains(name) && *name != "default",
        };
        self.served_if(Some(value).filter(|_| members.is_empty()), unserved, span);
    }

    /// What a module exports gets out of sight, and may come back with more members.
    pub(super) fn handed_exports(&mut self, how: Use<'a>, span: Span) {
        let may_gain = match how {
            Use::Argument(call) if self.defines_another(call) => false,
            Use::Argument(call) => call.arguments.len() > 1 || self.fetches,
            how => how.gives_away() || matches!(how, Use::Computed),
        };
        if may_gain {
            self.may_be_served(span);
        }
    }

    /// `this` of a module: members under other names may be given to it and taken of it.
    pub(super) fn handed_this(&mut self, span: Span, around: Around) {
        let other = match self.tree.get(around) {
            Some((AstKind::StaticMemberExpression(access), _)) => {
                let name = access.property.name.as_str();
                !SERVED.contains(&name) && name != "default"
            }
            Some((AstKind::ExpressionStatement(_) | AstKind::BinaryExpression(_), _)) => true,
            _ => false,
        };
        if !other {
            self.may_be_served(span);
        }
    }

    /// `Object.defineProperty(exports, name, …)` with a name that Bun does not look at.
    fn defines_another(&self, call: &'a CallExpression<'a>) -> bool {
        let Expression::StaticMemberExpression(access) = &call.callee else { return false };
        let name = call.arguments.get(1).and_then(Argument::as_expression);
        let name = name.and_then(|name| self.values.text(name, 0));
        access.property.name == "defineProperty"
            && self.values.is_global(&access.object, "Object")
            && name.is_some_and(|name| !SERVED.contains(&name) && name != "default")
    }

    /// `export { x as default } from …`
    pub(super) fn export_of_another(&mut self, name: &ModuleExportName<'a>, span: Span) {
        self.named_export(name, span);
        if name.name() == "default" {
            self.may_be_served(span);
        }
    }

    /// `export const x = …`
    pub(super) fn declared_export(&mut self, export: &'a ExportDeclaration<'a>) {
        if exports_shim(&export.declaration) {
            self.doubt("exports a function that loads modules", export.span);
        }
        if exports_then(&export.declaration) {
            self.doubt("exports `then`, which a runtime calls", export.span);
        }
    }

    /// Bun waits for a module that exports `then`.
    pub(super) fn named_export(&mut self, name: &ModuleExportName<'a>, span: Span) {
        if name.name() == "then" {
            self.doubt("exports `then`, which a runtime calls", span);
        }
    }

    fn served_if(&mut self, value: Option<&Expression<'a>>, unserved: bool, span: Span) {
        if value.is_some_and(fetches) {
            let network = (Category::Network, "a default export that is served".to_owned());
            self.find(network, false, span, &[]);
        } else if !unserved {
            self.may_be_served(span);
        }
    }

    pub(super) fn may_be_served(&mut self, span: Span) {
        self.perhaps(Category::Network, "has a default export that Bun may serve", true, span);
    }

    /// A doubt that concerns one category.
    pub(super) fn perhaps(
        &mut self,
        category: Category,
        reason: &str,
        only_if_started: bool,
        span: Span,
    ) {
        let (reason, line) = (reason.to_owned(), self.lines.of(span.start));
        self.found.perhaps.push(Perhaps { category, reason, line, only_if_started });
    }

    /// Whether a value surely has none of the members that Bun looks at.
    fn is_unserved(&self, value: &'a Expression<'a>, depth: usize) -> bool {
        if depth > MAX_DEPTH {
            return false;
        }
        let depth = depth + 1;
        match value.get_inner_expression() {
            Expression::FunctionExpression(_)
            | Expression::ArrowFunctionExpression(_)
            | Expression::ArrayExpression(_) => true,
            Expression::ClassExpression(class) => self.is_unserved_class(class),
            Expression::ObjectExpression(object) => has_other_keys(object),
            Expression::Identifier(name) if name.name == "undefined" => true,
            Expression::Identifier(name) => {
                let symbol = self.values.symbol(name);
                symbol.is_some_and(|symbol| self.is_unserved_name(symbol, depth))
            }
            Expression::AssignmentExpression(given) => self.is_unserved(&given.right, depth),
            Expression::ConditionalExpression(choice) => {
                self.is_unserved(&choice.consequent, depth)
                    && self.is_unserved(&choice.alternate, depth)
            }
            // What any other call gives may have any member.
            Expression::CallExpression(call) => self.is_unserved_module(call, depth),
            other => self.values.is_plain_itself(other),
        }
    }

    /// Whether a call gives the exports of a module that a bundle has wrapped, which the module
    /// gives none of the members that Bun looks at, and nothing else gets.
    fn is_unserved_module(&self, call: &'a CallExpression<'a>, depth: usize) -> bool {
        let Expression::Identifier(name) = &call.callee else { return false };
        let Some(loader) = self.values.symbol(name) else { return false };
        let Some(module) = self.bundle.module(loader) else { return false };
        let Some(given) = &module.given else { return false };
        let calls = self.walked.names.references.iter().filter(|one| **one == Some(loader));
        calls.count() == 1
            && module.uses.iter().all(|(span, around)| self.leaves_exports(*span, *around))
            && given.iter().copied().all(|value| self.is_unserved(value, depth))
    }

    /// Whether the exports of a module have none of the members that Bun looks at after this use.
    fn leaves_exports(&self, span: Span, around: Around) -> bool {
        let is_statement = |above: Around| {
            matches!(self.tree.get(above), Some((AstKind::ExpressionStatement(_), _)))
        };
        match self.tree.get(around) {
            Some((AstKind::StaticMemberExpression(access), above)) => {
                let name = access.property.name.as_str();
                // A method sees them as its `this`.
                let called = matches!(self.tree.get(above), Some((AstKind::CallExpression(call), _))
                    if call.callee.span() == access.span);
                !called && !SERVED.contains(&name) && name != "default"
            }
            Some((AstKind::AssignmentExpression(given), above)) => {
                given.left.span() == span && is_statement(above)
            }
            Some((AstKind::CallExpression(call), _)) => {
                call.callee.span() != span && self.defines_another(call)
            }
            Some((AstKind::UnaryExpression(_) | AstKind::ExpressionStatement(_), _)) => true,
            _ => false,
        }
    }

    fn is_unserved_name(&self, symbol: SymbolId, depth: usize) -> bool {
        if self.values.is_class(symbol) {
            return self.class_of(symbol).is_some_and(|class| self.is_unserved_class(class));
        }
        let is_function = self.values.is_constant_function(symbol);
        let given = self.values.constant(symbol);
        self.is_left_alone(symbol, is_function)
            && (is_function || given.is_some_and(|given| self.is_unserved(given, depth)))
    }

    /// The class of the module that a name was declared as.
    fn class_of(&self, symbol: SymbolId) -> Option<&'a Class<'a>> {
        let is_meant = |class: &&'a Class<'a>| {
            class.id.as_ref().and_then(|id| id.symbol_id.get()) == Some(symbol)
        };
        let classes = self.program.body.iter().filter_map(|statement| match statement {
            Statement::ClassDeclaration(class) => Some(&**class),
            Statement::ExportDeclaration(export) => match &export.declaration {
                oxc_ast::ast::Declaration::ClassDeclaration(class) => Some(&**class),
                _ => None,
            },
            _ => None,
        });
        classes.into_iter().find(is_meant)
    }

    fn is_unserved_class(&self, class: &'a Class<'a>) -> bool {
        let other = |key: &PropertyKey<'_>, computed: bool| {
            let name = key.static_name().filter(|_| !computed);
            key.is_private_identifier() || name.is_some_and(|name| !SERVED.contains(&name.as_ref()))
        };
        let unserved = class.body.body.iter().all(|element| match element {
            ClassElement::MethodDefinition(one) => !one.r#static || other(&one.key, one.computed),
            ClassElement::PropertyDefinition(one) => !one.r#static || other(&one.key, one.computed),
            ClassElement::TSIndexSignature(_) => true,
            _ => false,
        });
        let symbol = class.id.as_ref().and_then(|id| id.symbol_id.get());
        let alone = symbol.is_none_or(|symbol| self.is_left_alone(symbol, true));
        unserved && alone && class.heritage.is_none() && class.decorators.is_empty()
    }

    /// Whether nothing that is done with a variable gives its value more members.
    fn is_left_alone(&self, symbol: SymbolId, is_function: bool) -> bool {
        let walked = self.walked;
        let mentions = walked.mentions.iter().zip(&walked.names.references);
        let mut own = mentions.filter(|(_, variable)| **variable == Some(symbol));
        own.all(|(mention, _)| self.leaves_alone(mention, is_function))
    }

    fn leaves_alone(&self, mention: &Mention<'a>, is_function: bool) -> bool {
        let span = mention.name.span;
        // A method of an object may see it as its `this`.
        let is_read = |access: Span, above: Around| {
            let called = matches!(self.tree.get(above), Some((AstKind::CallExpression(call), _))
                if call.callee.span() == access);
            !is_target(access, above, self.tree) && (is_function || !called)
        };
        match self.tree.get(mention.around) {
            _ if mention.writes => false,
            Some((AstKind::StaticMemberExpression(access), above)) => is_read(access.span, above),
            Some((AstKind::ComputedMemberExpression(access), above)) => is_read(access.span, above),
            Some((AstKind::CallExpression(call), _)) => {
                call.callee.span() == span || only_reads(call, self.values)
            }
            Some((AstKind::NewExpression(new), _)) => new.callee.span() == span,
            Some((AstKind::AssignmentExpression(given), above)) => {
                // `module.exports = x` is what is asked about.
                given.left.span() != span
                    && matches!(self.tree.get(above), Some((AstKind::ExpressionStatement(_), _)))
                    && is_export(&given.left)
            }
            Some((AstKind::TSAsExpression(_) | AstKind::TSSatisfiesExpression(_), above)) => {
                let exported = self.tree.get(above);
                matches!(exported, Some((AstKind::ExportDefaultDeclaration(_), _)))
            }
            Some((kind, _)) => matches!(
                kind,
                AstKind::UnaryExpression(_)
                    | AstKind::BinaryExpression(_)
                    | AstKind::Class(_)
                    | AstKind::ExportSpecifier(_)
                    | AstKind::ExportDefaultDeclaration(_)
            ),
            None => false,
        }
    }
}

/// `module.exports`, `module.exports.x`, `exports.x`
fn is_export(target: &oxc_ast::ast::AssignmentTarget<'_>) -> bool {
    let oxc_ast::ast::AssignmentTarget::StaticMemberExpression(access) = target else {
        return false;
    };
    access.object.is_specific_id("exports")
        || access.object.is_specific_member_access("module", "exports")
        || (access.object.is_specific_id("module") && access.property.name == "exports")
}

/// Whether every key of a literal is written out, and none that Bun looks at.
fn has_other_keys(object: &ObjectExpression<'_>) -> bool {
    object.properties.iter().all(|property| match property {
        ObjectPropertyKind::ObjectProperty(property) => {
            let name = property.key.static_name().filter(|_| !property.computed);
            name.is_some_and(|name| !SERVED.contains(&name.as_ref()))
        }
        ObjectPropertyKind::SpreadProperty(_) => false,
    })
}

fn fetches(value: &Expression<'_>) -> bool {
    let Expression::ObjectExpression(object) = value.get_inner_expression() else { return false };
    object.properties.iter().any(|property| match property {
        ObjectPropertyKind::ObjectProperty(property) => {
            property.key.is_specific_static_name("fetch")
        }
        ObjectPropertyKind::SpreadProperty(_) => false,
    })
}
