//! Which variable each name of a program leads to.
//!
//! A name that is not surely one of the program's variables counts as the runtime's. So where
//! the language leaves doubt, or a program only promises a variable, too many names are looked
//! at and never too few.

use oxc_ast::ast::IdentifierReference;
use oxc_span::Span;
use oxc_str::{Ident, IdentBuildHasher, IdentHashMap};
use oxc_syntax::symbol::SymbolId;

use crate::words::is_known_global;

/// A variable, function, class or import of a program.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Clone, Debug)]
pub(crate) struct Variable<'a> {
    pub(crate) name: &'a str,
    /// Where it is defined first.
    pub(crate) start: u32,
    /// Whether it is declared as a function.
    pub(crate) is_function: bool,
    /// Whether it is declared as a class, and given nothing else.
    pub(crate) is_class: bool,
    /// Whether it keeps the value that its only declaration gives it.
    pub(crate) is_constant: bool,
    /// Whether it is there, without a value, before its declaration: a `var`.
    pub(crate) is_early: bool,
    /// Where a function of this name stands, if it is declared as one and given nothing else.
    pub(crate) function: Option<Span>,
    /// How often it is declared, or given values from elsewhere: by a loop, or by the user of
    /// a namespace.
    pub(crate) declarations: u32,
}

/// Names that a module has as parameters of a function around it: a `var` of such a name, or a
/// function of a block, is the parameter.
const WRAPPER: &[&str] = &["require", "module", "exports", "__filename", "__dirname", "arguments"];

/// What a part of a program hides, and keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Keeps all but `var`.
    Block,
    /// The parameter of `catch`, which a `var` inside does not hide.
    Catch,
    /// Parameters, as far as their defaults see them.
    Parameters,
    /// Keeps `var`, too: a program, the body of a function.
    Body,
}

/// How a variable is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Declared {
    /// `let`, `const`, a parameter.
    Here,
    /// `var`.
    Var,
    /// A function.
    Function,
    /// A class.
    Class,
    /// An import: never a plain value.
    Other,
    /// An `enum` or a namespace, which becomes a `var`.
    Loose,
}

/// What was found out.
pub(crate) struct Names<'a> {
    pub(crate) variables: Vec<Variable<'a>>,
    /// The variable of each reference, in their order.
    pub(crate) references: Vec<Option<SymbolId>>,
}

impl Names<'_> {
    /// The variable that a name leads to; none if the program does not define it.
    pub(crate) fn variable(&self, name: &IdentifierReference<'_>) -> Option<SymbolId> {
        *self.references.get(name.reference_id.get()?.index())?
    }
}

struct Scope {
    extent: Extent,
    /// The depth at which its `var` are kept.
    keeps_var: usize,
    /// How many names it hides.
    hides: usize,
    /// Where its part of the lists below begins.
    declared: usize,
    pending: usize,
    hoisted: usize,
}

/// A variable that is in sight, and the one of the same name that it hides.
struct Binding {
    depth: usize,
    symbol: SymbolId,
    hidden: Option<usize>,
}

#[derive(Clone, Copy)]
struct Pending {
    name: usize,
    reference: usize,
    writes: bool,
}

/// A function in a block, which old code sees outside of the block, too.
#[derive(Clone, Copy)]
struct Hoisted {
    name: usize,
    symbol: SymbolId,
    born: usize,
}

/// Follows a program from its beginning to its end. Names are resolved when the part of the
/// program that they stand in ends, for only then is it known what it declares.
pub(crate) struct Scopes<'a> {
    numbers: IdentHashMap<'a, usize>,
    /// The variable in sight under each name.
    nearest: Vec<Option<usize>>,
    bindings: Vec<Binding>,
    open: Vec<Scope>,
    declared: Vec<(usize, usize)>,
    pending: Vec<Pending>,
    hoisted: Vec<Hoisted>,
    names: Names<'a>,
}

impl<'a> Scopes<'a> {
    /// For a program of about this many bytes.
    pub(crate) fn new(length: usize) -> Self {
        let (variables, references) = (length / 60, length / 25);
        Self {
            numbers: IdentHashMap::with_capacity_and_hasher(variables / 2, IdentBuildHasher),
            nearest: Vec::with_capacity(variables / 2),
            bindings: Vec::with_capacity(variables),
            open: Vec::new(),
            declared: Vec::new(),
            pending: Vec::with_capacity(references / 4),
            hoisted: Vec::new(),
            names: Names {
                variables: Vec::with_capacity(variables),
                references: Vec::with_capacity(references),
            },
        }
    }

    /// A part of the program begins.
    pub(crate) fn open(&mut self, extent: Extent) {
        let depth = self.open.len();
        let keeps_var = match (extent, self.open.last()) {
            (Extent::Body, _) | (_, None) => depth,
            (_, Some(outer)) => outer.keeps_var,
        };
        let scope = Scope {
            extent,
            keeps_var,
            hides: 0,
            declared: self.declared.len(),
            pending: self.pending.len(),
            hoisted: self.hoisted.len(),
        };
        self.open.push(scope);
    }

    /// The part of the program that began last ends.
    pub(crate) fn close(&mut self) {
        let Some(scope) = self.open.pop() else { return };
        let depth = self.open.len();
        if self.hoisted.len() > scope.hoisted {
            self.drop_hidden(scope.hoisted, depth);
        }
        if scope.hides > 0 {
            self.resolve(scope.pending, depth);
            self.forget(scope.declared, depth);
        }
        if self.hoisted.len() > scope.hoisted {
            self.hoist(scope.hoisted);
        }
    }

    /// The program has ended.
    pub(crate) fn finish(mut self) -> Names<'a> {
        while !self.open.is_empty() {
            self.close();
        }
        self.names
    }

    /// A name is declared.
    pub(crate) fn declare(&mut self, name: Ident<'a>, start: u32, how: Declared) -> SymbolId {
        let number = self.number(name);
        let depth = self.open.len().saturating_sub(1);
        let known = match how {
            Declared::Var => self.known_var(number, depth),
            _ => self.bound_at(number, depth),
        };
        let symbol = match known {
            Some(symbol) => {
                let variable = &mut self.names.variables[symbol.index()];
                variable.is_constant = false;
                variable.declarations += 1;
                variable.is_function |= how == Declared::Function;
                symbol
            }
            None => self.add(name, start, how),
        };
        let home = if how == Declared::Var { self.var_depth(depth) } else { depth };
        let is_parameter = how == Declared::Var && self.parameter(number, home).is_some();
        let is_wrapped = home == 0
            && matches!(how, Declared::Var | Declared::Loose)
            && WRAPPER.contains(&name.as_str());
        if self.bound_at(number, home).is_none() && !is_parameter && !is_wrapped {
            self.bind(number, home, symbol);
        }
        symbol
    }

    /// Outside of strict code, a function of a block is seen outside of the block, unless
    /// something there has its name.
    pub(crate) fn declare_loose_function(&mut self, name: Ident<'a>, start: u32) -> SymbolId {
        let symbol = self.declare(name, start, Declared::Function);
        let born = self.open.len().saturating_sub(1);
        // Not every runtime does that, so what could be a global stays one.
        let is_global = is_known_global(name.as_str()) || WRAPPER.contains(&name.as_str());
        if self.var_depth(born) != born && !is_global {
            let name = self.number(name);
            self.hoisted.push(Hoisted { name, symbol, born });
        }
        symbol
    }

    /// The variable does not keep its first value.
    pub(crate) fn is_given_again(&mut self, symbol: SymbolId) {
        let variable = &mut self.names.variables[symbol.index()];
        variable.is_constant = false;
        variable.declarations += 1;
    }

    /// Where the function stands that a name was declared as.
    pub(crate) fn set_function(&mut self, symbol: SymbolId, span: Span) {
        self.names.variables[symbol.index()].function = Some(span);
    }

    /// A name is used; gives the number of the use.
    pub(crate) fn refer(&mut self, name: Ident<'a>, writes: bool) -> usize {
        let name = self.number(name);
        let reference = self.names.references.len();
        self.names.references.push(None);
        self.pending.push(Pending { name, reference, writes });
        reference
    }

    fn number(&mut self, name: Ident<'a>) -> usize {
        let next = self.nearest.len();
        let number = *self.numbers.entry(name).or_insert(next);
        if number == next {
            self.nearest.push(None);
        }
        number
    }

    fn var_depth(&self, depth: usize) -> usize {
        self.open.get(depth).map_or(0, |scope| scope.keeps_var)
    }

    fn add(&mut self, name: Ident<'a>, start: u32, how: Declared) -> SymbolId {
        let symbol = SymbolId::from_usize(self.names.variables.len());
        self.names.variables.push(Variable {
            name: name.as_str(),
            start,
            is_function: how == Declared::Function,
            is_class: how == Declared::Class,
            is_constant: matches!(how, Declared::Here | Declared::Var),
            is_early: how == Declared::Var,
            function: None,
            declarations: 1,
        });
        symbol
    }

    /// The variable of a name that is declared at a depth.
    fn bound_at(&self, name: usize, depth: usize) -> Option<SymbolId> {
        let mut next = self.nearest[name];
        while let Some(binding) = next.map(|index| &self.bindings[index]) {
            if binding.depth <= depth {
                return (binding.depth == depth).then_some(binding.symbol);
            }
            next = binding.hidden;
        }
        None
    }

    /// The parameter of this name of a body: a `var` is then the same variable.
    fn parameter(&self, name: usize, body: usize) -> Option<SymbolId> {
        let above = body.checked_sub(1)?;
        let parameters = self.open.get(above)?.extent == Extent::Parameters;
        let is_body = self.open.get(body)?.extent == Extent::Body;
        (parameters && is_body).then(|| self.bound_at(name, above)).flatten()
    }

    /// The variable that a `var` declares again: of the function, or that of a `catch` around.
    fn known_var(&self, name: usize, depth: usize) -> Option<SymbolId> {
        let home = self.var_depth(depth);
        let mut caught = (home + 1..=depth).rev().filter(|d| self.open[*d].extent == Extent::Catch);
        // Only few names are hidden by anything.
        let hidden = self.nearest[name].is_some();
        let caught = hidden.then(|| caught.find_map(|depth| self.bound_at(name, depth))).flatten();
        caught.or_else(|| self.bound_at(name, home)).or_else(|| self.parameter(name, home))
    }

    fn bind(&mut self, name: usize, depth: usize, symbol: SymbolId) {
        let index = self.bindings.len();
        // Those of inner scopes hide it.
        let mut inner = None;
        let mut next = self.nearest[name];
        while let Some(other) = next.filter(|other| self.bindings[*other].depth > depth) {
            inner = Some(other);
            next = self.bindings[other].hidden;
        }
        self.bindings.push(Binding { depth, symbol, hidden: next });
        match inner {
            Some(inner) => self.bindings[inner].hidden = Some(index),
            None => self.nearest[name] = Some(index),
        }
        self.declared.push((depth, name));
        if let Some(scope) = self.open.get_mut(depth) {
            scope.hides += 1;
        }
    }

    fn resolve(&mut self, from: usize, depth: usize) {
        let mut kept = from;
        for index in from..self.pending.len() {
            let pending = self.pending[index];
            let nearest = self.nearest[pending.name].map(|index| &self.bindings[index]);
            let Some(binding) = nearest.filter(|binding| binding.depth == depth) else {
                self.pending[kept] = pending;
                kept += 1;
                continue;
            };
            self.names.references[pending.reference] = Some(binding.symbol);
            if pending.writes {
                let variable = &mut self.names.variables[binding.symbol.index()];
                variable.is_constant = false;
                variable.is_class = false;
                variable.function = None;
            }
        }
        self.pending.truncate(kept);
    }

    fn forget(&mut self, from: usize, depth: usize) {
        let mut kept = from;
        for index in from..self.declared.len() {
            let (home, name) = self.declared[index];
            if home == depth {
                self.nearest[name] =
                    self.nearest[name].and_then(|index| self.bindings[index].hidden);
            } else {
                self.declared[kept] = (home, name);
                kept += 1;
            }
        }
        self.declared.truncate(kept);
    }

    /// Drops functions of inner blocks that are not seen beyond this scope.
    fn drop_hidden(&mut self, from: usize, depth: usize) {
        for one in self.hoisted.split_off(from) {
            if one.born == depth || self.bound_at(one.name, depth).is_none() {
                self.hoisted.push(one);
            }
        }
    }

    /// Declares functions of the block that ended in the body around it.
    fn hoist(&mut self, from: usize) {
        let Some(depth) = self.open.len().checked_sub(1) else { return };
        if self.var_depth(depth) != depth {
            return;
        }
        for one in self.hoisted.split_off(from) {
            match self.bound_at(one.name, depth).or_else(|| self.parameter(one.name, depth)) {
                Some(outer) => {
                    let variable = &mut self.names.variables[outer.index()];
                    variable.is_function = true;
                    variable.is_constant = false;
                    variable.function = None;
                }
                None => self.bind(one.name, depth, one.symbol),
            }
        }
    }
}
