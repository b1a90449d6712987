//! What a runtime serves without being asked.

use oxc_ast::ast::{
    BindingIdentifier, Declaration, ExportDefaultDeclaration, ExportDefaultDeclarationKind,
    ExportNamedDeclaration, Expression, IdentifierReference, ModuleExportName, ObjectPropertyKind,
    Statement, VariableDeclaration,
};
use oxc_span::Span;

use super::Judge;
use crate::Category;

impl<'a> Judge<'a, '_, '_> {
    /// Bun serves what a program exports by default, if it can fetch.
    pub(super) fn served(&mut self, export: &'a ExportDefaultDeclaration<'a>) {
        let value = export.declaration.as_expression().map(Expression::get_inner_expression);
        let serves = match value {
            Some(Expression::Identifier(name)) => self.names_a_server(name),
            Some(value) => fetches(value),
            None => false,
        };
        self.find_server(serves, export.span);
        let plain = matches!(
            value,
            Some(
                Expression::ObjectExpression(_)
                    | Expression::ArrowFunctionExpression(_)
                    | Expression::FunctionExpression(_)
                    | Expression::StringLiteral(_)
                    | Expression::NumericLiteral(_)
            )
        );
        let function =
            matches!(export.declaration, ExportDefaultDeclarationKind::FunctionDeclaration(_));
        // Something here can fetch, and what is exported may be that.
        let computed = matches!(value, Some(Expression::ObjectExpression(object))
            if object.properties.iter().any(is_computed));
        if self.fetches && !serves && (computed || !plain) && !function {
            self.doubt("exports what may be served", export.span);
        }
    }

    /// `export { x as default }`
    pub(super) fn served_by_name(&mut self, export: &'a ExportNamedDeclaration<'a>) {
        for one in &export.specifiers {
            if one.exported.name() == "default"
                && let ModuleExportName::IdentifierReference(name) = &one.local
            {
                let serves = self.names_a_server(name);
                self.find_server(serves, one.span);
                if self.fetches && !serves {
                    self.doubt("exports what may be served", one.span);
                }
            }
        }
    }

    fn find_server(&mut self, serves: bool, span: Span) {
        if serves {
            let network = (Category::Network, "a default export that is served".to_owned());
            self.find(network, false, span, &[]);
        }
    }

    /// Whether a name is that of a variable of the module that is given an object that can fetch.
    fn names_a_server(&self, name: &IdentifierReference<'a>) -> bool {
        let Some(symbol) = self.values.symbol(name) else { return false };
        let is_meant = |id: &BindingIdentifier<'_>| id.symbol_id.get() == Some(symbol);
        let declares = |variables: &VariableDeclaration<'_>| {
            variables.declarations.iter().any(|variable| {
                variable.id.get_binding_identifier().is_some_and(is_meant)
                    && variable.init.as_ref().is_some_and(fetches)
            })
        };
        self.program.body.iter().any(|statement| match statement {
            Statement::VariableDeclaration(variables) => declares(variables),
            Statement::ExportDeclaration(export) => match &export.declaration {
                Declaration::VariableDeclaration(variables) => declares(variables),
                _ => false,
            },
            _ => false,
        })
    }
}

fn is_computed(property: &ObjectPropertyKind<'_>) -> bool {
    match property {
        ObjectPropertyKind::ObjectProperty(property) => property.computed,
        ObjectPropertyKind::SpreadProperty(_) => true,
    }
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
