//! A program as a list of places, each of which knows what stands around it.

use oxc_ast::AstKind;
use oxc_ast::ast::Expression;
use oxc_semantic::AstNodes;
use oxc_syntax::node::NodeId;

/// Where something stands: the syntax around it. Nothing stands around the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Around(Option<NodeId>);

/// The syntax of a program.
pub(crate) struct Tree<'a> {
    nodes: AstNodes<'a>,
}

impl<'a> Tree<'a> {
    pub(crate) fn new(nodes: AstNodes<'a>) -> Self {
        Self { nodes }
    }

    /// All syntax, outer before inner.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = (NodeId, AstKind<'a>)> {
        self.nodes.iter_enumerated().map(|(id, node)| (id, node.kind()))
    }

    /// Syntax by its number.
    pub(crate) fn kind(&self, id: NodeId) -> AstKind<'a> {
        self.nodes.kind(id)
    }

    /// What stands around syntax.
    pub(crate) fn around(&self, id: NodeId) -> Around {
        Around((id != NodeId::ROOT).then(|| self.nodes.parent_id(id)))
    }

    /// The syntax around something, and what stands around that.
    pub(crate) fn get(&self, around: Around) -> Option<(AstKind<'a>, Around)> {
        let id = around.0?;
        Some((self.nodes.kind(id), self.around(id)))
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

/// Whether something other than a name may reach a capability.
pub(crate) fn is_judged(kind: AstKind<'_>) -> bool {
    match kind {
        AstKind::ImportMeta(_)
        | AstKind::ImportDeclaration(_)
        | AstKind::ExportFromDeclaration(_)
        | AstKind::ExportAllDeclaration(_)
        | AstKind::TSExternalModuleReference(_)
        | AstKind::ImportExpression(_)
        | AstKind::ThisExpression(_)
        | AstKind::JSXElement(_)
        | AstKind::JSXFragment(_)
        | AstKind::ExportDefaultDeclaration(_)
        | AstKind::WithStatement(_) => true,
        AstKind::StringLiteral(text) => text.value == "constructor",
        AstKind::BindingProperty(property) => {
            property.computed || property.key.is_specific_static_name("constructor")
        }
        AstKind::AssignmentTargetPropertyIdentifier(property) => {
            property.binding.name == "constructor"
        }
        AstKind::AssignmentTargetPropertyProperty(property) => {
            property.name.is_specific_static_name("constructor")
        }
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
