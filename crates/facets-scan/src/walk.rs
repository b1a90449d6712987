//! One way through a program: its syntax, its scopes, and what is to be looked at.

use std::cell::Cell;

use oxc_allocator::ArenaVec;
use oxc_ast::AstKind;
use oxc_ast::ast::{
    ArrowFunctionExpression, AssignmentTargetPropertyIdentifier, BigIntLiteral, BindingIdentifier,
    BooleanLiteral, CatchParameter, Class, Directive, Elision, ForStatementLeft, FormalParameter,
    FormalParameterRest, FormalParameters, Function, IdentifierName, IdentifierReference,
    IfStatement, ImportDeclaration, ImportDeclarationSpecifier, ImportOrExportKind,
    LabelIdentifier, NullLiteral, NumericLiteral, PrivateIdentifier, Program, RegExpLiteral,
    SimpleAssignmentTarget, Statement, StringLiteral, TSClassImplements, TSEnumDeclaration,
    TSExternalModuleDeclaration, TSGlobalDeclaration, TSImportEqualsDeclaration, TSIndexSignature,
    TSInterfaceDeclaration, TSNamespaceDeclaration, TSThisParameter, TSType,
    TSTypeAliasDeclaration, TSTypeAnnotation, TSTypeParameterDeclaration,
    TSTypeParameterInstantiation, TemplateElement, TemplateLiteral, ThisExpression,
    VariableDeclaration, VariableDeclarationKind,
};
use oxc_ast_visit::{Visit, walk};
use oxc_syntax::reference::ReferenceId;
use oxc_syntax::scope::{ScopeFlags, ScopeId};

use crate::collect::is_collected;
use crate::scopes::{Declared, Extent, Names, Scopes};
use crate::tree::{Around, Tree, is_judged};
use crate::words::{changes_heirs, is_judged_text, is_telling};
use kinds::{is_called_fetch, is_plain, is_there};

/// A use of a name.
#[derive(Clone, Copy)]
pub(crate) struct Mention<'a> {
    pub(crate) name: &'a IdentifierReference<'a>,
    pub(crate) around: Around,
    /// Whether it is written to.
    pub(crate) writes: bool,
}

/// Something else that may reach a capability.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) kind: AstKind<'a>,
    pub(crate) around: Around,
}

/// A program that was walked through.
pub(crate) struct Walked<'a> {
    pub(crate) tree: Tree<'a>,
    pub(crate) names: Names<'a>,
    /// Every use of a name, in the order of `names.references`.
    pub(crate) mentions: Vec<Mention<'a>>,
    pub(crate) places: Vec<Place<'a>>,
    /// What gives values to variables.
    pub(crate) givers: Vec<AstKind<'a>>,
    /// Whether something here has a member `fetch`.
    pub(crate) fetches: bool,
    /// Whether something here may become the heir of a function.
    pub(crate) changes_heirs: bool,
}

/// Walks through a program of this many bytes.
pub(crate) fn walk<'a>(program: &Program<'a>, length: usize, strict: bool) -> Walked<'a> {
    let mut walker = Walker {
        tree: Tree::with_capacity(length / 12),
        around: Around::NOTHING,
        scopes: Scopes::new(length),
        declares: Declared::Here,
        strict,
        all_strict: strict,
        is_shared: false,
        writes: false,
        fetches: false,
        changes_heirs: false,
        mentions: Vec::with_capacity(length / 25),
        places: Vec::with_capacity(length / 256),
        givers: Vec::with_capacity(length / 256),
    };
    walker.visit_program(program);
    let Walker { tree, scopes, mentions, places, givers, fetches, changes_heirs, .. } = walker;
    Walked { tree, names: scopes.finish(), mentions, places, givers, fetches, changes_heirs }
}

mod kinds;
#[cfg(test)]
mod tests;

#[expect(clippy::struct_excessive_bools, reason = "each says where the walk is")]
struct Walker<'a> {
    tree: Tree<'a>,
    /// The innermost syntax that is open.
    around: Around,
    scopes: Scopes<'a>,
    /// How names of patterns are declared here.
    declares: Declared,
    strict: bool,
    all_strict: bool,
    /// Whether what is declared here is given values from elsewhere.
    is_shared: bool,
    /// Whether a name that comes next is written to.
    writes: bool,
    /// Whether something here has a member `fetch`.
    fetches: bool,
    /// Whether something here may become the heir of a function.
    changes_heirs: bool,
    mentions: Vec<Mention<'a>>,
    places: Vec<Place<'a>>,
    givers: Vec<AstKind<'a>>,
}

impl<'a> Walker<'a> {
    fn place(&mut self, kind: AstKind<'a>) {
        self.places.push(Place { kind, around: self.around });
    }

    fn mention(&mut self, name: &IdentifierReference<'a>, writes: bool) {
        let number = self.scopes.refer(name.name, writes);
        name.reference_id.set(Some(ReferenceId::from_usize(number)));
        self.mentions.push(Mention { name: self.alloc(name), around: self.around, writes });
    }

    fn declare(&mut self, id: &BindingIdentifier<'a>, how: Declared) {
        let symbol = self.scopes.declare(id.name, id.span.start, how);
        if self.is_shared {
            self.scopes.is_given_again(symbol);
        }
        id.symbol_id.set(Some(symbol));
    }

    /// What is declared is given values from elsewhere.
    fn sharing(&mut self, visit: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.is_shared, true);
        visit(self);
        self.is_shared = before;
    }

    /// Names in a pattern are declared in a way.
    fn declaring(&mut self, how: Declared, visit: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.declares, how);
        visit(self);
        self.declares = before;
    }

    /// Code that is strict, or as strict as what is around it.
    fn strictly(&mut self, strict: bool, visit: impl FnOnce(&mut Self)) {
        let before = self.strict;
        self.strict |= strict;
        visit(self);
        self.strict = before;
    }

    fn within(&mut self, extent: Extent, visit: impl FnOnce(&mut Self)) {
        self.scopes.open(extent);
        visit(self);
        self.scopes.close();
    }

    /// The defaults of parameters do not see the variables of the body.
    fn function(&mut self, parameters: &FormalParameters<'a>, body: impl FnOnce(&mut Self)) {
        // Decorators do not see the parameters.
        for one in &parameters.items {
            self.visit_decorators(&one.decorators);
        }
        if is_plain(parameters) {
            return self.within(Extent::Body, |walker| {
                walker.visit_formal_parameters(parameters);
                body(walker);
            });
        }
        self.within(Extent::Parameters, |walker| {
            walker.visit_formal_parameters(parameters);
            walker.within(Extent::Body, body);
        });
    }

    fn declare_function(&mut self, function: &Function<'a>) {
        let Some(id) = &function.id else { return };
        let loose = !self.strict && !function.r#async && !function.generator;
        let symbol = if loose {
            self.scopes.declare_loose_function(id.name, id.span.start)
        } else {
            self.scopes.declare(id.name, id.span.start, Declared::Function)
        };
        self.scopes.set_function(symbol, function.span);
        id.symbol_id.set(Some(symbol));
    }
}

impl<'a> Walker<'a> {
    fn class_parts(&mut self, it: &Class<'a>) {
        self.within(Extent::Block, |walker| {
            if let Some(heritage) = &it.heritage {
                walker.visit_class_heritage(heritage);
            }
            walker.visit_class_body(&it.body);
        });
    }
}

impl<'a> Visit<'a> for Walker<'a> {
    fn enter_node(&mut self, kind: AstKind<'a>) {
        if is_judged(kind) {
            self.place(kind);
        }
        if is_collected(kind) {
            self.givers.push(kind);
        }
        self.fetches |= is_called_fetch(kind);
        self.around = self.tree.add(kind, self.around);
    }

    fn leave_node(&mut self, _: AstKind<'a>) {
        self.around = self.tree.beyond(self.around);
    }

    fn enter_scope(&mut self, flags: ScopeFlags, _: &Cell<Option<ScopeId>>) {
        let body = ScopeFlags::Top | ScopeFlags::ClassStaticBlock | ScopeFlags::TsModuleBlock;
        self.scopes.open(if flags.intersects(body) {
            Extent::Body
        } else if flags.contains(ScopeFlags::CatchClause) {
            Extent::Catch
        } else {
            Extent::Block
        });
    }

    fn leave_scope(&mut self) {
        self.scopes.close();
    }

    fn visit_function(&mut self, it: &Function<'a>, _: ScopeFlags) {
        // Without a body it only says that there is a function somewhere.
        let Some(body) = it.body.as_ref().filter(|_| !it.declare) else { return };
        if it.is_declaration() {
            self.declare_function(it);
        }
        let kind = AstKind::Function(self.alloc(it));
        self.enter_node(kind);
        let inside = |walker: &mut Self| {
            walker.strictly(body.has_use_strict_directive(), |walker| {
                walker.function(&it.params, |walker| walker.visit_function_body(body));
            });
        };
        match it.id.as_ref().filter(|_| it.is_expression()) {
            Some(id) => self.within(Extent::Block, |walker| {
                walker.declare(id, Declared::Function);
                inside(walker);
            }),
            None => inside(self),
        }
        self.leave_node(kind);
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        let kind = AstKind::ArrowFunctionExpression(self.alloc(it));
        self.enter_node(kind);
        self.strictly(it.has_use_strict_directive(), |walker| {
            walker.function(&it.params, |walker| walker.visit_arrow_function_body(&it.body));
        });
        self.leave_node(kind);
    }

    fn visit_class(&mut self, it: &Class<'a>) {
        if it.declare {
            return;
        }
        let kind = AstKind::Class(self.alloc(it));
        self.enter_node(kind);
        // Decorators do not see the name of an expression.
        self.visit_decorators(&it.decorators);
        // They may give something else to the name.
        let how = if it.decorators.is_empty() { Declared::Class } else { Declared::Other };
        self.strictly(true, |walker| match &it.id {
            Some(id) if it.is_expression() => walker.within(Extent::Block, |walker| {
                walker.declare(id, how);
                walker.class_parts(it);
            }),
            id => {
                if let Some(id) = id {
                    walker.declare(id, how);
                }
                walker.class_parts(it);
            }
        });
        self.leave_node(kind);
    }

    /// A function that is the branch of an `if` stands in a block of its own.
    fn visit_if_statement(&mut self, it: &IfStatement<'a>) {
        let kind = AstKind::IfStatement(self.alloc(it));
        self.enter_node(kind);
        self.visit_expression(&it.test);
        for branch in std::iter::once(&it.consequent).chain(&it.alternate) {
            if matches!(branch, Statement::FunctionDeclaration(_)) {
                self.within(Extent::Block, |walker| walker.visit_statement(branch));
            } else {
                self.visit_statement(branch);
            }
        }
        self.leave_node(kind);
    }

    /// What a loop declares in its head is given another value each time.
    fn visit_for_statement_left(&mut self, it: &ForStatementLeft<'a>) {
        self.sharing(|walker| walk::walk_for_statement_left(walker, it));
    }

    fn visit_formal_parameter(&mut self, it: &FormalParameter<'a>) {
        let kind = AstKind::FormalParameter(self.alloc(it));
        self.enter_node(kind);
        self.declaring(Declared::Here, |walker| walker.visit_binding_pattern(&it.pattern));
        if let Some(initializer) = &it.initializer {
            self.visit_expression(initializer);
        }
        self.leave_node(kind);
    }

    fn visit_formal_parameter_rest(&mut self, it: &FormalParameterRest<'a>) {
        self.declaring(Declared::Here, |walker| walk::walk_formal_parameter_rest(walker, it));
    }

    fn visit_catch_parameter(&mut self, it: &CatchParameter<'a>) {
        self.declaring(Declared::Here, |walker| walk::walk_catch_parameter(walker, it));
    }

    fn visit_variable_declaration(&mut self, it: &VariableDeclaration<'a>) {
        let how = match it.kind {
            _ if it.declare => return,
            VariableDeclarationKind::Var => Declared::Var,
            _ => Declared::Here,
        };
        self.declaring(how, |walker| walk::walk_variable_declaration(walker, it));
    }

    fn visit_binding_identifier(&mut self, it: &BindingIdentifier<'a>) {
        self.declare(it, self.declares);
    }

    fn visit_import_declaration(&mut self, it: &ImportDeclaration<'a>) {
        let kind = AstKind::ImportDeclaration(self.alloc(it));
        self.enter_node(kind);
        let is_type = |kind: ImportOrExportKind| kind == ImportOrExportKind::Type;
        for specifier in it.specifiers.iter().flatten().filter(|_| !is_type(it.import_kind)) {
            match specifier {
                ImportDeclarationSpecifier::ImportSpecifier(one) if is_type(one.import_kind) => {}
                other => self.declare(other.local(), Declared::Other),
            }
        }
        self.leave_node(kind);
    }

    fn visit_ts_import_equals_declaration(&mut self, it: &TSImportEqualsDeclaration<'a>) {
        if it.import_kind != ImportOrExportKind::Type {
            self.declaring(Declared::Other, |walker| {
                walk::walk_ts_import_equals_declaration(walker, it);
            });
        }
    }

    fn visit_ts_enum_declaration(&mut self, it: &TSEnumDeclaration<'a>) {
        if !it.declare {
            self.declaring(Declared::Loose, |walker| walk::walk_ts_enum_declaration(walker, it));
        }
    }

    fn visit_ts_namespace_declaration(&mut self, it: &TSNamespaceDeclaration<'a>) {
        if it.declare {
            return;
        }
        let kind = AstKind::TSNamespaceDeclaration(self.alloc(it));
        self.enter_node(kind);
        if is_there(it) {
            self.declare(&it.id, Declared::Loose);
        }
        // What it exports can be changed from outside.
        self.sharing(|walker| {
            walker.within(Extent::Body, |walker| {
                walker.visit_ts_namespace_declaration_body(&it.body);
            });
        });
        self.leave_node(kind);
    }

    fn visit_identifier_reference(&mut self, it: &IdentifierReference<'a>) {
        self.mention(it, self.writes);
    }

    fn visit_simple_assignment_target(&mut self, it: &SimpleAssignmentTarget<'a>) {
        match it {
            SimpleAssignmentTarget::AssignmentTargetIdentifier(name) => self.mention(name, true),
            SimpleAssignmentTarget::TSAsExpression(_)
            | SimpleAssignmentTarget::TSSatisfiesExpression(_)
            | SimpleAssignmentTarget::TSNonNullExpression(_)
            | SimpleAssignmentTarget::TSTypeAssertion(_) => {
                // Whatever it is asserted to be, it is written to.
                let before = std::mem::replace(&mut self.writes, true);
                walk::walk_simple_assignment_target(self, it);
                self.writes = before;
            }
            other => walk::walk_simple_assignment_target(self, other),
        }
    }

    fn visit_assignment_target_property_identifier(
        &mut self,
        it: &AssignmentTargetPropertyIdentifier<'a>,
    ) {
        let kind = AstKind::AssignmentTargetPropertyIdentifier(self.alloc(it));
        self.enter_node(kind);
        self.mention(&it.binding, true);
        if let Some(init) = &it.init {
            self.visit_expression(init);
        }
        self.leave_node(kind);
    }

    fn visit_this_expression(&mut self, it: &ThisExpression) {
        // In strict code `this` is never the global object.
        if !self.all_strict {
            let kind = AstKind::ThisExpression(self.alloc(it));
            self.place(kind);
        }
    }

    fn visit_template_literal(&mut self, it: &TemplateLiteral<'a>) {
        if it.single_quasi().is_some_and(|text| is_judged_text(&text)) {
            let kind = AstKind::TemplateLiteral(self.alloc(it));
            self.place(kind);
        }
        self.changes_heirs |= it.single_quasi().is_some_and(|text| changes_heirs(&text));
        walk::walk_template_literal(self, it);
    }

    fn visit_string_literal(&mut self, it: &StringLiteral<'a>) {
        if is_judged_text(&it.value) {
            let kind = AstKind::StringLiteral(self.alloc(it));
            self.place(kind);
        }
        self.changes_heirs |= changes_heirs(&it.value);
    }

    fn visit_identifier_name(&mut self, it: &IdentifierName<'a>) {
        if is_telling(&it.name) {
            let kind = AstKind::IdentifierName(self.alloc(it));
            self.place(kind);
        }
        self.changes_heirs |= changes_heirs(&it.name);
    }

    // Nothing stands in these that could matter.
    fn visit_label_identifier(&mut self, _: &LabelIdentifier<'a>) {}
    fn visit_private_identifier(&mut self, _: &PrivateIdentifier<'a>) {}
    fn visit_boolean_literal(&mut self, _: &BooleanLiteral) {}
    fn visit_null_literal(&mut self, _: &NullLiteral) {}
    fn visit_numeric_literal(&mut self, _: &NumericLiteral<'a>) {}
    fn visit_big_int_literal(&mut self, _: &BigIntLiteral<'a>) {}
    fn visit_reg_exp_literal(&mut self, _: &RegExpLiteral<'a>) {}
    fn visit_template_element(&mut self, _: &TemplateElement<'a>) {}
    fn visit_elision(&mut self, _: &Elision) {}
    fn visit_directives(&mut self, _: &ArenaVec<'a, Directive<'a>>) {}

    // Types are gone when the program runs.
    fn visit_ts_type(&mut self, _: &TSType<'a>) {}
    fn visit_ts_type_annotation(&mut self, _: &TSTypeAnnotation<'a>) {}
    fn visit_ts_type_parameter_declaration(&mut self, _: &TSTypeParameterDeclaration<'a>) {}
    fn visit_ts_type_parameter_instantiation(&mut self, _: &TSTypeParameterInstantiation<'a>) {}
    fn visit_ts_type_alias_declaration(&mut self, _: &TSTypeAliasDeclaration<'a>) {}
    fn visit_ts_interface_declaration(&mut self, _: &TSInterfaceDeclaration<'a>) {}
    fn visit_ts_class_implements_list(&mut self, _: &ArenaVec<'a, TSClassImplements<'a>>) {}
    fn visit_ts_index_signature(&mut self, _: &TSIndexSignature<'a>) {}
    fn visit_ts_this_parameter(&mut self, _: &TSThisParameter<'a>) {}

    // Without `declare` these are words, line ends and a block that runs.
    fn visit_ts_external_module_declaration(&mut self, it: &TSExternalModuleDeclaration<'a>) {
        if !it.declare {
            walk::walk_ts_external_module_declaration(self, it);
        }
    }
    fn visit_ts_global_declaration(&mut self, it: &TSGlobalDeclaration<'a>) {
        if !it.declare {
            walk::walk_ts_global_declaration(self, it);
        }
    }
}
