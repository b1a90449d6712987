//! The helpers of a bundle: where they are declared, and where they are used.

use std::collections::BTreeMap;

use oxc_ast::AstKind;
use oxc_ast::ast::{CallExpression, Expression, Program, Statement};
use oxc_span::{GetSpan as _, Span};
use oxc_syntax::symbol::SymbolId;

use super::texts::{HelperRole, TEXTS, is_text};
use crate::scopes::Variable;
use crate::tree::Around;
use crate::values::Values;
use crate::walk::{Mention, Walked};

/// No helper is longer.
const MAX_TEXT: u32 = 2048;

/// A helper, which is never anything else.
struct Helper<'a> {
    name: &'a str,
    symbol: SymbolId,
    role: HelperRole,
    /// Where its text stands.
    span: Span,
}

/// A variable or function at the top of a program.
struct Candidate<'a> {
    symbol: SymbolId,
    given: Given<'a>,
}

enum Given<'a> {
    Nothing(Span),
    Value(&'a Expression<'a>),
    Function(Span),
}

impl<'a> Candidate<'a> {
    fn span(&self) -> Span {
        match &self.given {
            Given::Value(value) => value.span(),
            Given::Nothing(span) | Given::Function(span) => *span,
        }
    }

    /// Whether it is never given anything else. Only a helper may write to a cache.
    fn is_fixed(&self, variables: &[Variable<'a>]) -> bool {
        let variable = &variables[self.symbol.index()];
        match self.given {
            Given::Nothing(_) => variable.declarations == 1,
            Given::Value(_) => variable.is_constant,
            Given::Function(span) => variable.declarations == 1 && variable.function == Some(span),
        }
    }

    /// What it is without a text of its own.
    fn plain_role(&self, values: &Values<'a, '_>) -> Option<HelperRole> {
        match self.given {
            Given::Nothing(_) => Some(HelperRole::Cache),
            Given::Value(Expression::StaticMemberExpression(access)) => {
                let name = access.property.name.as_str();
                match &access.object {
                    Expression::StaticMemberExpression(inner) => {
                        let has_own = name == "hasOwnProperty"
                            && inner.property.name == "prototype"
                            && values.is_intact(&inner.object, "Object");
                        has_own.then_some(HelperRole::HasOwn)
                    }
                    object if values.is_intact(object, "Object") => method(name),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Its text, if it is short enough for one.
    fn text(&self, source: &'a str) -> Option<&'a str> {
        let span = match self.given {
            Given::Value(Expression::ArrowFunctionExpression(arrow)) => arrow.span,
            Given::Function(span) => span,
            _ => return None,
        };
        let short = span.end - span.start <= MAX_TEXT;
        source.get(span.start as usize..span.end as usize).filter(|_| short)
    }
}

/// The helper that is a method of `Object`.
fn method(name: &str) -> Option<HelperRole> {
    Some(match name {
        "create" => HelperRole::Create,
        "getPrototypeOf" => HelperRole::PrototypeOf,
        "defineProperty" => HelperRole::Define,
        "getOwnPropertyNames" => HelperRole::OwnNames,
        "getOwnPropertyDescriptor" => HelperRole::OwnDescriptor,
        _ => return None,
    })
}

/// What a program declares at its top.
fn candidates<'a>(program: &'a Program<'a>) -> Vec<Candidate<'a>> {
    let mut found = Vec::new();
    for statement in &program.body {
        match statement {
            Statement::VariableDeclaration(list) => {
                for one in &list.declarations {
                    let id = one.id.get_binding_identifier();
                    let Some(symbol) = id.and_then(|id| id.symbol_id.get()) else { continue };
                    let given = one.init.as_ref().map_or(Given::Nothing(one.span), Given::Value);
                    found.push(Candidate { symbol, given });
                }
            }
            Statement::FunctionDeclaration(function) => {
                let symbol = function.id.as_ref().and_then(|id| id.symbol_id.get());
                let given = Given::Function(function.span);
                found.extend(symbol.map(|symbol| Candidate { symbol, given }));
            }
            _ => {}
        }
    }
    found
}

/// The helpers of a bundle.
pub(super) struct Helpers<'a> {
    all: Vec<Helper<'a>>,
}

/// How a bundle uses its helpers.
pub(super) struct HelperUses<'a> {
    /// Whether they do nothing but what they are for.
    pub(super) are_proper: bool,
    /// Calls of those that copy or define members.
    pub(super) calls: Vec<(HelperRole, &'a CallExpression<'a>)>,
    /// Variables that are given what a call makes of a module.
    pub(super) modules: Vec<(SymbolId, &'a CallExpression<'a>)>,
    /// Whether each is used by another.
    is_used_inside: Vec<bool>,
    is_used_outside: Vec<bool>,
}

impl<'a> Helpers<'a> {
    /// Finds those that a program declares at its top.
    pub(super) fn find(
        program: &'a Program<'a>,
        walked: &Walked<'a>,
        values: &Values<'a, '_>,
    ) -> Self {
        let variables = &walked.names.variables;
        let mut candidates = candidates(program);
        candidates.retain(|one| one.is_fixed(variables));
        let mut helpers = Self { all: Vec::new() };
        for one in &candidates {
            let role = one.plain_role(values);
            helpers.all.extend(role.map(|role| one.helper(role, variables)));
        }
        for (role, helper) in TEXTS {
            for one in &candidates {
                let Some(text) = one.text(values.source()) else { continue };
                if is_text(helper, text, |word, role| helpers.has(word, role)) {
                    helpers.all.push(one.helper(*role, variables));
                }
            }
        }
        helpers
    }

    fn has(&self, word: &str, role: HelperRole) -> bool {
        self.all.iter().any(|helper| helper.name == word && helper.role == role)
    }

    /// What a variable is for.
    pub(super) fn role(&self, symbol: SymbolId) -> Option<HelperRole> {
        self.all.iter().find(|helper| helper.symbol == symbol).map(|helper| helper.role)
    }

    /// Whether a place is in the text of a helper.
    fn have(&self, span: Span) -> bool {
        self.all.iter().any(|helper| {
            helper.role != HelperRole::Cache
                && helper.span.start <= span.start
                && span.end <= helper.span.end
        })
    }

    /// The helper that gives any member.
    pub(super) fn access(&self) -> Option<Span> {
        let access = self.all.iter().find(|helper| helper.role == HelperRole::Access);
        access.map(|helper| helper.span)
    }

    /// Where helpers do what is out of sight elsewhere.
    pub(super) fn trusted(&self, uses: &HelperUses<'a>) -> Vec<Span> {
        let trusted = self.all.iter().zip(&uses.is_used_inside).filter(|(helper, inside)| {
            match helper.role {
                HelperRole::Access | HelperRole::Export | HelperRole::ExportCjs => true,
                HelperRole::OwnDescriptor => **inside,
                _ => false,
            }
        });
        trusted.map(|(helper, _)| helper.span).collect()
    }
}

impl<'a> Candidate<'a> {
    fn helper(&self, role: HelperRole, variables: &[Variable<'a>]) -> Helper<'a> {
        let name = variables[self.symbol.index()].name;
        Helper { name, symbol: self.symbol, role, span: self.span() }
    }
}

impl<'a> Helpers<'a> {
    /// Looks at every use of them.
    pub(super) fn uses(&self, walked: &Walked<'a>, values: &Values<'a, '_>) -> HelperUses<'a> {
        let count = self.all.len();
        let mut uses = HelperUses {
            are_proper: true,
            calls: Vec::new(),
            modules: Vec::new(),
            is_used_inside: vec![false; count],
            is_used_outside: vec![false; count],
        };
        let places = self.all.iter().enumerate();
        let places: BTreeMap<usize, usize> =
            places.map(|(place, helper)| (helper.symbol.index(), place)).collect();
        for (mention, variable) in walked.mentions.iter().zip(&walked.names.references) {
            let Some(symbol) = variable else { continue };
            // The texts mean the one of the runtime.
            if mention.name.name == "WeakMap" && self.have(mention.name.span) {
                uses.are_proper = false;
            }
            let Some(place) = places.get(&symbol.index()).copied() else { continue };
            if self.have(mention.name.span) {
                uses.is_used_inside[place] = true;
            } else {
                uses.is_used_outside[place] = true;
                uses.add(self.all[place].role, mention, walked, values);
            }
        }
        for (place, helper) in self.all.iter().enumerate() {
            let (inside, outside) = (uses.is_used_inside[place], uses.is_used_outside[place]);
            let improper = match helper.role {
                HelperRole::Access => outside,
                // Others of this kind are none of a helper's.
                HelperRole::Cache | HelperRole::OwnDescriptor => inside && outside,
                _ => false,
            };
            uses.are_proper &= !improper;
        }
        uses
    }
}

impl<'a> HelperUses<'a> {
    /// A use outside of the helpers.
    fn add(
        &mut self,
        role: HelperRole,
        mention: &Mention<'a>,
        walked: &Walked<'a>,
        values: &Values<'a, '_>,
    ) {
        let call = match walked.tree.get(mention.around) {
            Some((AstKind::CallExpression(call), above))
                if call.callee.span() == mention.name.span =>
            {
                Some((call, above))
            }
            _ => None,
        };
        match (role, call) {
            (HelperRole::CommonJs, Some((call, above))) => {
                let symbol = variable_of(call, above, walked);
                let own = |symbol: &SymbolId| {
                    values.constant(*symbol).is_some_and(|given| given.span() == call.span)
                };
                self.modules.extend(symbol.filter(own).map(|symbol| (symbol, call)));
            }
            (
                HelperRole::ToEsm
                | HelperRole::ToCommonJs
                | HelperRole::ReExport
                | HelperRole::Export
                | HelperRole::ExportCjs,
                call,
            ) => match call {
                Some((call, _)) => self.calls.push((role, call)),
                None => self.are_proper = false,
            },
            _ => {}
        }
    }
}

/// The variable that a call is given to.
fn variable_of<'a>(
    call: &'a CallExpression<'a>,
    around: Around,
    walked: &Walked<'a>,
) -> Option<SymbolId> {
    let Some((AstKind::VariableDeclarator(variable), _)) = walked.tree.get(around) else {
        return None;
    };
    let given = variable.init.as_ref().is_some_and(|given| given.span() == call.span);
    let id = variable.id.get_binding_identifier().filter(|_| given)?;
    id.symbol_id.get()
}
