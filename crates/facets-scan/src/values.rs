//! What an expression stands for, as far as it concerns capabilities: names that the program
//! does not define, followed through its own variables.

mod proofs;
mod texts;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use oxc_allocator::Allocator;
use oxc_ast::ast::{
    Argument, ArrowFunctionBody, AssignmentTarget, CallExpression, ChainElement,
    ComputedMemberExpression, Expression, IdentifierReference, PropertyKey,
};
use oxc_syntax::symbol::SymbolId;

use crate::facts::Facts;
use crate::scopes::{Names, Variable};
use crate::thing::{Root, Thing, global, module};

/// A thing, and the variables through which it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Known<'a> {
    pub(crate) thing: Thing<'a>,
    pub(crate) trail: Vec<SymbolId>,
}

/// What a variable may have been given.
#[derive(Clone, Debug)]
pub(crate) enum ValueSource<'a> {
    /// An expression, and the members taken of it by a pattern.
    Value(&'a Expression<'a>, Vec<&'a str>),
    /// An import: a name of a module, or all of it.
    Import(&'a str, Option<&'a str>),
    /// A bundler's stand-in for `require`.
    Require,
}

impl ValueSource<'_> {
    /// Whether it can be more than a text or a function of the program.
    fn may_be_followed(&self) -> bool {
        let Self::Value(expression, path) = self else { return true };
        let plain = matches!(
            expression,
            Expression::StringLiteral(_)
                | Expression::TemplateLiteral(_)
                | Expression::BinaryExpression(_)
                | Expression::FunctionExpression(_)
                | Expression::ArrowFunctionExpression(_)
                | Expression::ClassExpression(_)
        );
        !plain || path.contains(&"constructor")
    }
}

/// What the variables of a program are given, by their numbers.
#[derive(Debug, Default)]
pub(crate) struct Sources<'a> {
    all: Vec<(u32, ValueSource<'a>)>,
    /// Whether something else may be given, too: parameters, defaults.
    open: Vec<bool>,
    /// Whether anything is given that may have to be followed.
    given: Vec<bool>,
}

impl<'a> Sources<'a> {
    pub(crate) fn new(symbols: usize) -> Self {
        Self { all: Vec::new(), open: vec![false; symbols], given: vec![false; symbols] }
    }

    pub(crate) fn add(&mut self, symbol: SymbolId, source: ValueSource<'a>) {
        self.given[symbol.index()] |= source.may_be_followed();
        self.all.push((u32::try_from(symbol.index()).unwrap_or(u32::MAX), source));
    }

    pub(crate) fn add_possible(&mut self, symbol: SymbolId, source: ValueSource<'a>) {
        self.open[symbol.index()] = true;
        self.add(symbol, source);
    }

    /// Before they are asked for.
    pub(crate) fn sort(&mut self) {
        self.all.sort_by_key(|(symbol, _)| *symbol);
    }

    fn of(&self, symbol: usize) -> impl Iterator<Item = &ValueSource<'a>> {
        let start = self.all.partition_point(|(other, _)| (*other as usize) < symbol);
        let same = self.all[start..].iter().take_while(move |(other, _)| *other as usize == symbol);
        same.map(|(_, source)| source)
    }
}

/// Longer ways than this are out of sight.
const MAX_DEPTH: usize = 200;
/// Nor is a program followed that is this tangled.
const MAX_STEPS: usize = 2_000_000;
/// A thing of more than this many possibilities says nothing more.
const MAX_THINGS: usize = 16;

type Things<'a> = Rc<Vec<Known<'a>>>;

/// The variables of a program and what they stand for.
pub(crate) struct Values<'a, 'n> {
    arena: &'a Allocator,
    source: &'a str,
    names: &'n Names<'a>,
    sources: Sources<'a>,
    facts: Facts<'a>,
    /// Variables whose value may be changed out of sight.
    escaping: RefCell<Vec<bool>>,
    /// Whether no accessor may be taken under a name that is not known.
    guards_accessors: Cell<bool>,
    memo: RefCell<Vec<Option<Things<'a>>>>,
    matters: RefCell<Vec<Option<bool>>>,
    busy: RefCell<Vec<bool>>,
    cuts: Cell<usize>,
    steps: Cell<usize>,
    lost: Cell<bool>,
    nothing: Things<'a>,
}

impl<'a, 'n> Values<'a, 'n> {
    pub(crate) fn new(
        arena: &'a Allocator,
        source: &'a str,
        names: &'n Names<'a>,
        sources: Sources<'a>,
        facts: Facts<'a>,
    ) -> Self {
        let symbols = sources.open.len();
        Self {
            arena,
            source,
            names,
            sources,
            facts,
            escaping: RefCell::new(Vec::new()),
            guards_accessors: Cell::new(false),
            memo: RefCell::new(vec![None; symbols]),
            matters: RefCell::new(vec![None; symbols]),
            busy: RefCell::new(vec![false; symbols]),
            cuts: Cell::new(0),
            steps: Cell::new(0),
            lost: Cell::new(false),
            nothing: Rc::new(Vec::new()),
        }
    }

    /// Says which variables hold what may be changed out of sight. Until then, all do.
    pub(crate) fn set_escaping(&self, escaping: Vec<bool>) {
        *self.escaping.borrow_mut() = escaping;
    }

    /// The text of the program.
    pub(crate) fn source(&self) -> &'a str {
        self.source
    }

    /// The variable that a name leads to; none if the program does not define it.
    pub(crate) fn symbol(&self, name: &IdentifierReference<'a>) -> Option<SymbolId> {
        self.names.variable(name)
    }

    pub(crate) fn of_identifier(&self, name: &IdentifierReference<'a>, depth: usize) -> Things<'a> {
        match self.symbol(name) {
            Some(symbol) => self.of_symbol(symbol, depth),
            None => Rc::new(vec![Known { thing: global(name.name.as_str()), trail: Vec::new() }]),
        }
    }

    /// Whether a variable stands for something that is followed.
    pub(crate) fn matters(&self, symbol: SymbolId) -> bool {
        let index = symbol.index();
        if !self.sources.given[index] {
            return false;
        }
        let mut known = self.matters.borrow_mut();
        *known[index].get_or_insert_with(|| {
            self.of_symbol(symbol, 0).iter().any(|known| known.thing.is_followed())
        })
    }

    fn variable(&self, symbol: SymbolId) -> &Variable<'a> {
        &self.names.variables[symbol.index()]
    }

    /// The name of a variable, and where it is defined.
    pub(crate) fn name(&self, symbol: SymbolId) -> (&str, u32) {
        (self.variable(symbol).name, self.variable(symbol).start)
    }

    pub(crate) fn of_symbol(&self, symbol: SymbolId, depth: usize) -> Things<'a> {
        let index = symbol.index();
        if let Some(known) = &self.memo.borrow()[index] {
            return Rc::clone(known);
        }
        self.steps.set(self.steps.get() + 1);
        if depth > MAX_DEPTH || self.steps.get() > MAX_STEPS {
            self.lost.set(true);
            return Rc::clone(&self.nothing);
        }
        if std::mem::replace(&mut self.busy.borrow_mut()[index], true) {
            // A variable that is defined by itself adds nothing to itself; but what is found
            // on the way round is not all there is.
            self.cuts.set(self.cuts.get() + 1);
            return Rc::clone(&self.nothing);
        }
        let cuts = self.cuts.get();
        let mut all = Vec::new();
        if self.variable(symbol).is_function {
            all.push(Known { thing: Thing::Function, trail: Vec::new() });
        }
        for source in self.sources.of(index) {
            self.add_source(source, depth + 1, &mut all);
        }
        self.busy.borrow_mut()[index] = false;
        // What leads somewhere is kept before what does not.
        all.sort_by_key(|known| !known.thing.is_followed());
        all.dedup();
        if all.len() > MAX_THINGS {
            self.lost.set(true);
            all.truncate(MAX_THINGS);
        }
        for known in &mut all {
            known.trail.push(symbol);
        }
        let all = if all.is_empty() { Rc::clone(&self.nothing) } else { Rc::new(all) };
        if depth == 0 || self.cuts.get() == cuts {
            self.memo.borrow_mut()[index] = Some(Rc::clone(&all));
        }
        all
    }

    /// Whether something could not be followed to its end.
    pub(crate) fn is_lost(&self) -> bool {
        self.lost.get()
    }

    fn add_source(&self, source: &ValueSource<'a>, depth: usize, out: &mut Vec<Known<'a>>) {
        match source {
            ValueSource::Require => out.push(Known { thing: global("require"), trail: Vec::new() }),
            ValueSource::Import(specifier, name) => {
                let Some(thing) = module(specifier) else { return };
                let thing = name.map_or(thing.clone(), |name| thing.member(name));
                out.push(Known { thing, trail: Vec::new() });
            }
            ValueSource::Value(expression, path) => {
                for known in self.of(expression, depth) {
                    let mut thing = known.thing;
                    for name in path {
                        thing = self.member_of(thing, name);
                    }
                    out.push(Known { thing, trail: known.trail });
                }
            }
        }
    }

    /// What an expression stands for; nothing if it is none of our business.
    pub(crate) fn of(&self, expression: &'a Expression<'a>, depth: usize) -> Vec<Known<'a>> {
        if depth > MAX_DEPTH {
            self.lost.set(true);
            return Vec::new();
        }
        let depth = depth + 1;
        match expression {
            Expression::Identifier(name) => self.of_identifier(name, depth).to_vec(),
            Expression::StringLiteral(_) | Expression::TemplateLiteral(_) => known(Thing::Data),
            Expression::FunctionExpression(_)
            | Expression::ArrowFunctionExpression(_)
            | Expression::ClassExpression(_) => known(Thing::Function),
            Expression::ConditionalExpression(choice) => {
                self.either(&choice.consequent, &choice.alternate, depth)
            }
            Expression::LogicalExpression(choice) => {
                self.either(&choice.left, &choice.right, depth)
            }
            Expression::SequenceExpression(list) => {
                list.expressions.last().map_or_else(Vec::new, |last| self.of(last, depth))
            }
            Expression::AssignmentExpression(assignment) => {
                let mut all = self.of(&assignment.right, depth);
                // `a ??= b` may be what a was.
                if assignment.operator.is_logical() {
                    all.extend(self.target(&assignment.left, depth));
                }
                all
            }
            Expression::AwaitExpression(waiting) => self.of(&waiting.argument, depth),
            Expression::ImportExpression(import) => self.loaded(&import.source, depth),
            Expression::ImportMeta(_) => known(Thing::Path(Root::Name("import.meta"), Vec::new())),
            Expression::CallExpression(call) => self.call(call, depth),
            Expression::ChainExpression(chain) => self.chain(&chain.expression, depth),
            other => match other.get_inner_expression() {
                inner if std::ptr::eq(inner, other) => self.taken(other, depth),
                inner => self.of(inner, depth),
            },
        }
    }

    /// What stands in the place of an assignment before it.
    fn target(&self, target: &'a AssignmentTarget<'a>, depth: usize) -> Vec<Known<'a>> {
        match target {
            AssignmentTarget::AssignmentTargetIdentifier(name) => {
                self.of_identifier(name, depth).to_vec()
            }
            AssignmentTarget::StaticMemberExpression(access) => {
                self.member(&access.object, access.property.name.as_str(), depth)
            }
            AssignmentTarget::ComputedMemberExpression(access) => {
                self.computed_member(access, depth)
            }
            _ => Vec::new(),
        }
    }

    fn chain(&self, element: &'a ChainElement<'a>, depth: usize) -> Vec<Known<'a>> {
        match element {
            ChainElement::CallExpression(call) => self.call(call, depth),
            ChainElement::StaticMemberExpression(access) => {
                self.member(&access.object, access.property.name.as_str(), depth)
            }
            ChainElement::ComputedMemberExpression(access) => self.computed_member(access, depth),
            _ => Vec::new(),
        }
    }

    fn taken(&self, expression: &'a Expression<'a>, depth: usize) -> Vec<Known<'a>> {
        match expression {
            Expression::StaticMemberExpression(access) => {
                self.member(&access.object, access.property.name.as_str(), depth)
            }
            Expression::ComputedMemberExpression(access) => self.computed_member(access, depth),
            _ => Vec::new(),
        }
    }

    /// A member of a thing. In code that is not strict, a function shows what it was called
    /// with, and a module was called with `require`.
    pub(crate) fn member_of(&self, thing: Thing<'a>, name: &'a str) -> Thing<'a> {
        match thing {
            Thing::Lookup if name == "arguments" && !self.facts.strict => Thing::Made,
            Thing::Made if !self.facts.strict => Thing::Made,
            thing => thing.member(name),
        }
    }

    /// A member under a name that is not known, or a number, of what was looked up. Under a name
    /// it may be `call`, so that a call of the member is a call of what was made.
    pub(crate) fn member_of_lookup(
        &self,
        thing: &Thing<'a>,
        key: &Expression<'a>,
    ) -> Option<Thing<'a>> {
        match thing {
            Thing::Lookup | Thing::Made if !self.facts.strict => Some(Thing::Made),
            Thing::Made if self.is_number(key) => Some(Thing::Lookup),
            Thing::Made => Some(Thing::Made),
            _ => None,
        }
    }

    fn computed_member(
        &self,
        access: &'a ComputedMemberExpression<'a>,
        depth: usize,
    ) -> Vec<Known<'a>> {
        if let Some(name) = self.text(&access.expression, depth) {
            return self.member(&access.object, name, depth);
        }
        let objects = self.of(&access.object, depth);
        let mut things: Vec<Known<'a>> = objects
            .into_iter()
            .filter_map(|known| {
                let thing = self.member_of_lookup(&known.thing, &access.expression)?;
                Some(Known { thing, ..known })
            })
            .collect();
        if self.is_lookup(access) {
            things.extend(known(Thing::Lookup));
        }
        things
    }

    /// Whether a computed member may be what makes functions of texts.
    pub(crate) fn is_lookup(&self, access: &'a ComputedMemberExpression<'a>) -> bool {
        !self.never_climbs(&access.expression, 0) && !self.is_plain(&access.object)
    }

    fn member(&self, object: &'a Expression<'a>, name: &'a str, depth: usize) -> Vec<Known<'a>> {
        let objects = self.of(object, depth);
        if objects.is_empty() && name == "constructor" {
            return known(Thing::Constructor { of_function: self.is_method_of_literal(object) });
        }
        let take = |known: Known<'a>| Known { thing: self.member_of(known.thing, name), ..known };
        objects.into_iter().map(take).collect()
    }

    fn either(
        &self,
        one: &'a Expression<'a>,
        other: &'a Expression<'a>,
        depth: usize,
    ) -> Vec<Known<'a>> {
        let mut all = self.of(one, depth);
        all.extend(self.of(other, depth));
        all
    }

    fn loaded(&self, specifier: &'a Expression<'a>, depth: usize) -> Vec<Known<'a>> {
        self.text(specifier, depth).and_then(module).map_or_else(Vec::new, known)
    }

    fn call(&self, call: &'a CallExpression<'a>, depth: usize) -> Vec<Known<'a>> {
        // `(() => x)()` is x.
        if let Expression::ArrowFunctionExpression(arrow) = &call.callee {
            return match &arrow.body {
                ArrowFunctionBody::FunctionBody(_) => Vec::new(),
                body => body.as_expression().map_or_else(Vec::new, |body| self.of(body, depth)),
            };
        }
        let callees = self.of(&call.callee, depth);
        let results = callees.into_iter().filter_map(|callee| {
            let thing = self.result(&callee.thing, &call.arguments, depth)?;
            Some(Known { thing, trail: callee.trail })
        });
        results.collect()
    }

    /// What a call gives that we follow on: a module, or a function that loads modules.
    pub(crate) fn result(
        &self,
        callee: &Thing<'a>,
        arguments: &'a [Argument<'a>],
        depth: usize,
    ) -> Option<Thing<'a>> {
        if callee.creates_loader() {
            return Some(Thing::Path(Root::Loader, Vec::new()));
        }
        if callee.gives_process() {
            return Some(global("process"));
        }
        if let Some(stream) = callee.gives_stream() {
            return Some(global("process").member(stream));
        }
        if *callee == Thing::Lookup {
            // Without a text, what is made does nothing.
            return (!arguments.is_empty() || !self.facts.strict).then_some(Thing::Made);
        }
        if !callee.loads_modules() {
            return None;
        }
        let specifier = arguments.first().and_then(Argument::as_expression)?;
        self.text(specifier, depth).and_then(module)
    }
}

fn known(thing: Thing<'_>) -> Vec<Known<'_>> {
    vec![Known { thing, trail: Vec::new() }]
}

/// The name of a key that is written out.
pub(crate) fn static_key<'a>(
    key: &PropertyKey<'a>,
    computed: bool,
    arena: &'a Allocator,
) -> Option<&'a str> {
    match key {
        PropertyKey::StringLiteral(text) => Some(text.value.as_str()),
        _ if computed => None,
        _ => key.static_name().map(|name| arena.alloc_str(&name)),
    }
}
