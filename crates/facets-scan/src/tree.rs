//! A program as a list of places, each of which knows what stands around it.

use oxc_allocator::{Allocator, ArenaVec};
use oxc_ast::AstKind;
use oxc_ast::ast::Expression;

/// Nothing stands around the program.
const OUTSIDE: u32 = u32::MAX;

/// Where something stands: the number of the syntax around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Around(u32);

/// Syntax by its number, and what stands around it.
#[derive(Debug)]
pub(crate) struct Tree<'a> {
    nodes: ArenaVec<'a, (AstKind<'a>, Around)>,
    /// What is to be judged, and what stands around it.
    pub(crate) places: ArenaVec<'a, (AstKind<'a>, Around)>,
    current: Around,
}

impl<'a> Tree<'a> {
    /// For source of some length: growing would copy what is there already.
    pub(crate) fn new(length: usize, arena: &'a Allocator) -> Self {
        let nodes = ArenaVec::with_capacity_in(length / 10, &arena);
        let places = ArenaVec::with_capacity_in(length / 20, &arena);
        Self { nodes, places, current: Around(OUTSIDE) }
    }

    /// Something to be judged.
    pub(crate) fn note(&mut self, kind: AstKind<'a>) {
        self.places.push((kind, self.current));
    }

    pub(crate) fn enter(&mut self, kind: AstKind<'a>) {
        if is_judged(kind) {
            self.note(kind);
        }
        if has_inside(kind) {
            let number = u32::try_from(self.nodes.len()).unwrap_or(OUTSIDE);
            self.nodes.push((kind, self.current));
            self.current = Around(number);
        }
    }

    pub(crate) fn leave(&mut self, kind: AstKind<'a>) {
        if has_inside(kind) {
            self.current = self.get(self.current).map_or(Around(OUTSIDE), |(_, around)| around);
        }
    }

    /// The syntax of a number, and what stands around that.
    pub(crate) fn get(&self, around: Around) -> Option<(AstKind<'a>, Around)> {
        self.nodes.get(around.0 as usize).copied()
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

/// Names and literals are the most, and nothing stands inside them.
fn has_inside(kind: AstKind<'_>) -> bool {
    !matches!(
        kind,
        AstKind::IdentifierReference(_)
            | AstKind::IdentifierName(_)
            | AstKind::BindingIdentifier(_)
            | AstKind::StringLiteral(_)
            | AstKind::NumericLiteral(_)
            | AstKind::BooleanLiteral(_)
            | AstKind::NullLiteral(_)
            | AstKind::ThisExpression(_)
            | AstKind::TemplateElement(_)
    )
}

/// Whether something may reach a capability.
fn is_judged(kind: AstKind<'_>) -> bool {
    match kind {
        AstKind::ImportMeta(_)
        | AstKind::ImportDeclaration(_)
        | AstKind::ExportFromDeclaration(_)
        | AstKind::ExportAllDeclaration(_)
        | AstKind::TSExternalModuleReference(_)
        | AstKind::ImportExpression(_)
        | AstKind::WithStatement(_) => true,
        AstKind::StaticMemberExpression(access) => access.property.name == "constructor",
        AstKind::ComputedMemberExpression(access) => match &access.expression {
            Expression::NumericLiteral(_) => false,
            Expression::StringLiteral(text) => text.value == "constructor",
            _ => true,
        },
        AstKind::CallExpression(call) => {
            !matches!(call.callee, Expression::StaticMemberExpression(_))
        }
        _ => false,
    }
}
