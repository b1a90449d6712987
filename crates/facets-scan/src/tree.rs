//! A program as a list of places, each of which knows what stands around it.

use oxc_ast::AstKind;
use oxc_ast::ast::{Declaration, Expression};

use crate::words::{LEAVES_OUT, changes_heirs, describes, leads_away};

/// Where something stands: the syntax around it. Nothing stands around the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Around(u32);

impl Around {
    /// Around the program.
    pub(crate) const NOTHING: Self = Self(u32::MAX);
}

/// The syntax of a program that has something inside.
pub(crate) struct Tree<'a> {
    nodes: Vec<(AstKind<'a>, Around)>,
}

impl<'a> Tree<'a> {
    /// Of about this many parts.
    pub(crate) fn with_capacity(parts: usize) -> Self {
        Self { nodes: Vec::with_capacity(parts) }
    }

    /// Adds syntax, which then stands around what is inside. A text of at most 4 GiB, which is
    /// all that can be parsed, has fewer parts than there are numbers.
    pub(crate) fn add(&mut self, kind: AstKind<'a>, around: Around) -> Around {
        let number = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        self.nodes.push((kind, around));
        Around(number)
    }

    /// What stands around that.
    pub(crate) fn beyond(&self, around: Around) -> Around {
        self.get(around).map_or(Around::NOTHING, |(_, beyond)| beyond)
    }

    /// The syntax around something, and what stands around that.
    pub(crate) fn get(&self, around: Around) -> Option<(AstKind<'a>, Around)> {
        self.nodes.get(around.0 as usize).copied()
    }

    /// All of it, and what stands around each part.
    pub(crate) fn all(&self) -> impl Iterator<Item = (AstKind<'a>, Around)> {
        self.nodes.iter().copied()
    }

    /// Everything around, from inside to outside.
    pub(crate) fn outwards(&self, mut around: Around) -> impl Iterator<Item = AstKind<'a>> {
        std::iter::from_fn(move || {
            let (kind, next) = self.get(around)?;
            around = next;
            Some(kind)
        })
    }
}

/// A stand-in for `require` that others may use is one that nobody sees used.
pub(crate) fn exports_shim(declaration: &Declaration<'_>) -> bool {
    let Declaration::VariableDeclaration(variables) = declaration else { return false };
    let mut values = variables.declarations.iter().filter_map(|variable| variable.init.as_ref());
    values.any(|value| {
        matches!(value, Expression::CallExpression(call)
        if matches!(call.callee, Expression::ArrowFunctionExpression(_))
            && call.arguments.len() == 1)
    })
}

/// Whether a declaration has the name for which a runtime waits; in a pattern it may.
pub(crate) fn exports_then(declaration: &Declaration<'_>) -> bool {
    match declaration {
        Declaration::VariableDeclaration(list) => list.declarations.iter().any(|one| {
            let names = one.id.get_binding_identifiers();
            names.iter().any(|name| name.name == "then")
        }),
        other => other.id().is_some_and(|name| name.name == "then"),
    }
}

/// Whether a pattern takes what leads up, away, or shows members under any name.
pub(crate) fn is_taken(name: &str) -> bool {
    name == "constructor" || name.starts_with("getOwnPropertyDescriptor") || leads_away(name)
}

/// Whether a member of this name is judged wherever it is taken.
fn is_judged_member(name: &str) -> bool {
    matches!(name, "constructor" | "prototype" | LEAVES_OUT) || leads_away(name) || describes(name)
}

/// Whether something other than a name may reach a capability.
pub(crate) fn is_judged(kind: AstKind<'_>) -> bool {
    match kind {
        AstKind::ImportMeta(_)
        | AstKind::ImportDeclaration(_)
        | AstKind::ExportFromDeclaration(_)
        | AstKind::ExportAllDeclaration(_)
        | AstKind::TSExternalModuleReference(_)
        | AstKind::ImportExpression(_)
        | AstKind::JSXElement(_)
        | AstKind::JSXFragment(_)
        | AstKind::ExportDefaultDeclaration(_)
        | AstKind::ExportNamedDeclaration(_)
        | AstKind::TSExportAssignment(_)
        | AstKind::WithStatement(_) => true,
        AstKind::BindingProperty(property) => {
            property.computed || property.key.static_name().is_some_and(|name| is_taken(&name))
        }
        AstKind::AssignmentTargetPropertyIdentifier(property) => {
            is_taken(property.binding.name.as_str())
        }
        AstKind::AssignmentTargetPropertyProperty(property) => {
            property.computed || property.name.static_name().is_some_and(|name| is_taken(&name))
        }
        AstKind::ObjectProperty(property) => property.key.is_specific_static_name(LEAVES_OUT),
        AstKind::ExportDeclaration(export) => {
            exports_shim(&export.declaration) || exports_then(&export.declaration)
        }
        AstKind::StaticMemberExpression(access) => {
            let name = access.property.name.as_str();
            is_judged_member(name) || matches!(name, "setPrototypeOf" | "getPrototypeOf")
        }
        AstKind::ComputedMemberExpression(access) => match &access.expression {
            Expression::NumericLiteral(_) => false,
            Expression::StringLiteral(text) => {
                is_judged_member(&text.value) || changes_heirs(&text.value)
            }
            _ => true,
        },
        AstKind::CallExpression(call) => {
            !matches!(call.callee, Expression::StaticMemberExpression(_))
        }
        _ => false,
    }
}
