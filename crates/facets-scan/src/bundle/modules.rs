//! The `CommonJS` modules of a bundle, each of which is a function with the parameters `exports` and
//! `module`.

use std::collections::{BTreeMap, BTreeSet};

use oxc_ast::AstKind;
use oxc_ast::ast::{Argument, CallExpression, Expression, FormalParameters, UnaryOperator};
use oxc_span::{GetSpan as _, Span};
use oxc_syntax::symbol::SymbolId;

use crate::tree::{Around, Tree};
use crate::walk::{Mention, Walked};

/// A module that is a function.
pub(crate) struct WrappedModule<'a> {
    /// What it gives to `module.exports`, which is an empty object before; none if it may be given
    /// something out of sight.
    pub(crate) given: Option<Vec<&'a Expression<'a>>>,
    /// Where `exports` and `module.exports` stand.
    pub(crate) uses: Vec<(Span, Around)>,
}

/// The modules of a bundle, by the variables of the functions that give their exports.
#[derive(Default)]
pub(super) struct Modules<'a> {
    pub(super) all: BTreeMap<usize, WrappedModule<'a>>,
    /// The modules, by their parameters `module`.
    owners: BTreeMap<usize, usize>,
    /// Parameters `exports` that are never anything else.
    exports: BTreeSet<usize>,
}

/// A function around a module.
struct Wrapper {
    /// The variable of the function that gives the exports.
    loader: usize,
    /// Where the function begins.
    start: u32,
    exports: Option<usize>,
    module: Option<usize>,
}

impl<'a> Modules<'a> {
    pub(super) fn new(loaders: &[(SymbolId, &'a CallExpression<'a>)], walked: &Walked<'a>) -> Self {
        if loaders.is_empty() {
            return Self::default();
        }
        let wrappers = loaders.iter().filter_map(|(loader, call)| wrapper(*loader, call));
        let wrappers: Vec<Wrapper> = wrappers.collect();
        let (mentions, shown) = mentions(&wrappers, walked);
        let mentions_of = |parameter: Option<usize>| {
            parameter
                .and_then(|parameter| mentions.get(&parameter))
                .map(Vec::as_slice)
                .unwrap_or_default()
        };
        let mut modules = Self::default();
        for Wrapper { loader, start, exports, module } in wrappers {
            let named = mentions_of(exports).iter();
            let mut uses: Vec<(Span, Around)> =
                named.map(|mention| (mention.name.span, mention.around)).collect();
            let given = given(mentions_of(module), &walked.tree, &mut uses);
            let given = given.filter(|_| !shown.contains(&start));
            modules.all.insert(loader, WrappedModule { given, uses });
            modules.owners.extend(module.map(|module| (module, loader)));
            let kept = |exports: &usize| walked.names.variables[*exports].is_constant;
            modules.exports.extend(exports.filter(kept));
        }
        modules
    }

    /// The module whose `module` a variable is.
    pub(super) fn owner(&self, symbol: SymbolId) -> Option<usize> {
        self.owners.get(&symbol.index()).copied()
    }

    /// Whether a variable is the object that a module is given for its exports.
    pub(super) fn is_exports(&self, symbol: SymbolId) -> bool {
        self.exports.contains(&symbol.index())
    }

    /// Whether a variable is the function that gives the exports of a module.
    pub(super) fn is_loader(&self, symbol: SymbolId) -> bool {
        self.all.contains_key(&symbol.index())
    }
}

/// `__commonJS(function (exports, module) { … })`
fn wrapper(loader: SymbolId, call: &CallExpression<'_>) -> Option<Wrapper> {
    let [argument] = call.arguments.as_slice() else { return None };
    let (parameters, span) = match argument {
        // By its name it could be called with another `module`.
        Argument::FunctionExpression(function)
            if function.id.is_none() && !function.r#async && !function.generator =>
        {
            (&function.params, function.span)
        }
        Argument::ArrowFunctionExpression(arrow) if !arrow.r#async => (&arrow.params, arrow.span),
        _ => return None,
    };
    let mut symbols = symbols(parameters)?.into_iter();
    let (exports, module) = (symbols.next(), symbols.next());
    Some(Wrapper { loader: loader.index(), start: span.start, exports, module })
}

/// The variables of parameters that are names and nothing else, if there are at most two.
fn symbols(parameters: &FormalParameters<'_>) -> Option<Vec<usize>> {
    if parameters.rest.is_some() || parameters.items.len() > 2 {
        return None;
    }
    let symbols = parameters.items.iter().map(|one| {
        let id = one.pattern.get_binding_identifier().filter(|_| one.initializer.is_none())?;
        id.symbol_id.get().map(SymbolId::index)
    });
    symbols.collect()
}

/// Every use of the parameters of modules, and where the functions begin that use `arguments`.
fn mentions<'a>(
    wrappers: &[Wrapper],
    walked: &Walked<'a>,
) -> (BTreeMap<usize, Vec<Mention<'a>>>, BTreeSet<u32>) {
    let parameters = wrappers.iter().flat_map(|one| [one.exports, one.module]).flatten();
    let mut mentions: BTreeMap<usize, Vec<Mention<'a>>> =
        parameters.map(|parameter| (parameter, Vec::new())).collect();
    let mut shown = BTreeSet::new();
    for (mention, variable) in walked.mentions.iter().zip(&walked.names.references) {
        match variable {
            Some(symbol) => {
                if let Some(known) = mentions.get_mut(&symbol.index()) {
                    known.push(*mention);
                }
            }
            None if mention.name.name == "arguments" => {
                let function = walked.tree.outwards(mention.around).find_map(|kind| match kind {
                    AstKind::Function(function) => Some(function.span.start),
                    _ => None,
                });
                shown.extend(function);
            }
            None => {}
        }
    }
    (mentions, shown)
}

/// What is given to `module.exports`, and where that stands; nothing if the object `module` may be
/// seen elsewhere, or be given something in another way.
fn given<'a>(
    mentions: &[Mention<'a>],
    tree: &Tree<'a>,
    uses: &mut Vec<(Span, Around)>,
) -> Option<Vec<&'a Expression<'a>>> {
    let mut given = Vec::new();
    for mention in mentions {
        let (access, above) = match tree.get(mention.around)? {
            (AstKind::UnaryExpression(unary), _) if unary.operator == UnaryOperator::Typeof => {
                continue;
            }
            (AstKind::StaticMemberExpression(access), above)
                if access.property.name == "exports" =>
            {
                (access, above)
            }
            _ => return None,
        };
        uses.push((access.span, above));
        match tree.get(above)? {
            (AstKind::AssignmentExpression(assigned), _) if assigned.left.span() == access.span => {
                let operator = assigned.operator;
                if !operator.is_assign() && !operator.is_logical() {
                    return None;
                }
                given.push(&assigned.right);
            }
            (kind, _) if is_read(kind, access.span) => {}
            _ => return None,
        }
    }
    Some(given)
}

/// Whether the value of `module.exports` is only taken. As a method it would see `module`.
fn is_read(parent: AstKind<'_>, span: Span) -> bool {
    match parent {
        AstKind::CallExpression(call) => call.callee.span() != span,
        kind => matches!(
            kind,
            AstKind::StaticMemberExpression(_)
                | AstKind::ComputedMemberExpression(_)
                | AstKind::AssignmentExpression(_)
                | AstKind::VariableDeclarator(_)
                | AstKind::ReturnStatement(_)
                | AstKind::ObjectProperty(_)
                | AstKind::ArrayExpression(_)
                | AstKind::SpreadElement(_)
                | AstKind::LogicalExpression(_)
                | AstKind::ConditionalExpression(_)
                | AstKind::SequenceExpression(_)
                | AstKind::UnaryExpression(_)
                | AstKind::BinaryExpression(_)
                | AstKind::NewExpression(_)
                | AstKind::IfStatement(_)
                | AstKind::ExpressionStatement(_)
                | AstKind::ArrowFunctionExpression(_)
        ),
    }
}
