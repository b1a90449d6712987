//! What bun writes into a bundle: helpers that copy the members of modules under names that no text
//! tells. They are recognised word for word, and trusted only with values that the program made.

mod helpers;
mod modules;
mod origins;
mod tampering;
mod texts;

use std::collections::BTreeMap;

use oxc_ast::ast::Program;
use oxc_span::Span;
use oxc_syntax::symbol::SymbolId;

use crate::values::Values;
use crate::walk::Walked;
use helpers::Helpers;
use modules::Modules;
pub(crate) use modules::WrappedModule;
use origins::Origins;
use tampering::tampers;

/// What is known of a bundle.
#[derive(Default)]
pub(crate) struct Bundle<'a> {
    /// Where helpers do what is out of sight elsewhere.
    trusted: Vec<Span>,
    /// Calls of helpers with what the program may not have made.
    pub(crate) unproven: Vec<Span>,
    /// The helper that gives any member of a module. Who constructs one of its accessors may get the
    /// helper itself, so none may be taken under a name that is not known, here or in other files.
    pub(crate) access: Option<Span>,
    modules: BTreeMap<usize, WrappedModule<'a>>,
}

impl<'a> Bundle<'a> {
    /// Whether a place is in a helper that does only what it is for.
    pub(crate) fn trusts(&self, span: Span) -> bool {
        self.trusted.iter().any(|text| text.start <= span.start && span.end <= text.end)
    }

    /// The module whose exports a function gives.
    pub(crate) fn module(&self, loader: SymbolId) -> Option<&WrappedModule<'a>> {
        self.modules.get(&loader.index())
    }
}

/// Looks for what bun writes. Its bundles are strict code, in which functions do not show who called
/// them.
pub(crate) fn recognise<'a>(
    program: &'a Program<'a>,
    walked: &Walked<'a>,
    values: &Values<'a, '_>,
) -> Bundle<'a> {
    if !values.is_strict() {
        return Bundle::default();
    }
    let helpers = Helpers::find(program, walked, values);
    let uses = helpers.uses(walked, values);
    let modules = Modules::new(&uses.modules, walked);
    let mut bundle = Bundle::default();
    if uses.are_proper && !uses.calls.is_empty() {
        let origins = Origins::new(values, &helpers, &modules);
        if !tampers(&walked.tree, values, &origins) {
            bundle.trusted = helpers.trusted(&uses);
            bundle.access = helpers.access();
            if bundle.access.is_some() {
                values.guard_accessors();
            }
            let unproven = uses.calls.iter().filter(|(role, call)| !origins.is_proven(*role, call));
            bundle.unproven = unproven.map(|(_, call)| call.span).collect();
        }
    }
    bundle.modules = modules.all;
    bundle
}
