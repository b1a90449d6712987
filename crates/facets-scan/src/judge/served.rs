//! What a runtime serves without being asked.

use oxc_ast::ast::{
    BindingIdentifier, Declaration, ExportDefaultDeclaration, ExportNamedDeclaration, Expression,
    IdentifierReference, ModuleExportName, ObjectPropertyKind, Statement, VariableDeclaration,
};
use oxc_span::Span;

use super::Judge;
use crate::Category;

impl<'a> Judge<'a, '_, '_> {
    /// Bun serves what a program exports by default, if it can fetch.
    pub(super) fn served(&mut self, export: &'a ExportDefaultDeclaration<'a>) {
        let serves = match export.declaration.as_expression() {
            Some(Expression::Identifier(name)) => self.names_a_server(name),
            Some(value) => fetches(value),
            None => false,
        };
        self.find_server(serves, export.span);
    }

    /// `export { x as default }`
    pub(super) fn served_by_name(&mut self, export: &'a ExportNamedDeclaration<'a>) {
        for one in &export.specifiers {
            if one.exported.name() == "default"
                && let ModuleExportName::IdentifierReference(name) = &one.local
            {
                self.find_server(self.names_a_server(name), one.span);
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

fn fetches(value: &Expression<'_>) -> bool {
    let Expression::ObjectExpression(object) = value.get_inner_expression() else { return false };
    object.properties.iter().any(|property| match property {
        ObjectPropertyKind::ObjectProperty(property) => {
            property.key.is_specific_static_name("fetch")
        }
        ObjectPropertyKind::SpreadProperty(_) => false,
    })
}
