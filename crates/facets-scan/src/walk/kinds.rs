//! What kinds of things there are, as far as the walk has to know.

use oxc_ast::AstKind;
use oxc_ast::ast::{
    Declaration, FormalParameter, FormalParameters, Statement, TSNamespaceDeclaration,
    TSNamespaceDeclarationBody,
};

/// Whether parameters are names and nothing else.
pub(super) fn is_plain(parameters: &FormalParameters<'_>) -> bool {
    let plain = |one: &FormalParameter<'_>| {
        one.initializer.is_none() && one.pattern.is_binding_identifier()
    };
    parameters.rest.is_none() && parameters.items.iter().all(plain)
}

/// Whether a namespace is there when the program runs.
pub(super) fn is_there(namespace: &TSNamespaceDeclaration<'_>) -> bool {
    match &namespace.body {
        _ if namespace.declare => false,
        TSNamespaceDeclarationBody::TSNamespaceDeclaration(inner) => is_there(inner),
        TSNamespaceDeclarationBody::TSModuleBlock(block) => {
            block.body.iter().any(|statement| match statement {
                Statement::ExportDeclaration(export) => {
                    let renames =
                        matches!(export.declaration, Declaration::TSImportEqualsDeclaration(_));
                    renames || !is_erased(&export.declaration)
                }
                Statement::ExportNamedDeclaration(_) | Statement::EmptyStatement(_) => false,
                other => other.as_declaration().is_none_or(|inner| !is_erased(inner)),
            })
        }
    }
}

/// Types and promises are gone when the program runs.
pub(super) fn is_erased(declaration: &Declaration<'_>) -> bool {
    match declaration {
        Declaration::TSTypeAliasDeclaration(_)
        | Declaration::TSInterfaceDeclaration(_)
        | Declaration::TSGlobalDeclaration(_)
        | Declaration::TSExternalModuleDeclaration(_)
        | Declaration::TSImportEqualsDeclaration(_) => true,
        Declaration::FunctionDeclaration(function) => function.declare || function.body.is_none(),
        Declaration::TSNamespaceDeclaration(inner) => !is_there(inner),
        other => other.declare(),
    }
}

/// Whether something has a member by which Bun knows what it serves, or of a name that is not
/// known.
pub(super) fn is_called_fetch(kind: AstKind<'_>) -> bool {
    if let AstKind::StaticMemberExpression(access) = kind {
        return matches!(access.property.name.as_str(), "fetch" | "app");
    }
    let (key, computed) = match kind {
        AstKind::ObjectProperty(property) => (&property.key, property.computed),
        AstKind::MethodDefinition(method) => (&method.key, method.computed),
        AstKind::PropertyDefinition(property) => (&property.key, property.computed),
        _ => return false,
    };
    key.is_specific_static_name("fetch")
        || key.is_specific_static_name("app")
        || (computed && key.static_name().is_none())
}
