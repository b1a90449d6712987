//! Values that are surely no functions, and names under which nothing leads to one that
//! evaluates a text.

use oxc_ast::ast::{
    Argument, BinaryOperator, CallExpression, Expression, NewExpression, ObjectExpression,
    ObjectPropertyKind, StaticMemberExpression,
};
use oxc_span::{GetSpan as _, Span};
use oxc_syntax::symbol::SymbolId;

use super::Values;
use crate::facts::is_number;
use crate::thing::{Root, Thing};
use crate::words::LOOKS_UP;

/// Members of a function that lead to what made it, called it, or was given to it.
const CLIMBING: &[&str] = &["constructor", "caller", "arguments"];

/// Longer chains of variables are out of sight.
const MAX_DEPTH: usize = 16;

/// Members of `Symbol` that are names themselves.
const SYMBOLS: &[&str] = &[
    "asyncDispose",
    "asyncIterator",
    "dispose",
    "hasInstance",
    "isConcatSpreadable",
    "iterator",
    "match",
    "matchAll",
    "replace",
    "search",
    "species",
    "split",
    "toPrimitive",
    "toStringTag",
    "unscopables",
];

/// What these construct is no function.
const MAKERS: &[&str] = &[
    "Array",
    "ArrayBuffer",
    "DataView",
    "Date",
    "Error",
    "Map",
    "RangeError",
    "RegExp",
    "Set",
    "TypeError",
    "URL",
    "URLSearchParams",
    "Uint8Array",
    "WeakMap",
    "WeakSet",
];

/// What these give is no function.
const GIVERS: &[(&str, &[&str])] = &[
    ("Object", &["keys", "values", "entries", "fromEntries", "getOwnPropertyNames"]),
    ("Array", &["from", "of", "isArray"]),
];

impl<'a> Values<'a, '_> {
    /// Whether the program is strict.
    pub(crate) fn is_strict(&self) -> bool {
        self.facts.strict
    }

    /// From now on no object is plain: under a name that is not known, each has the method that gives
    /// accessors.
    pub(crate) fn guard_accessors(&self) {
        self.guards_accessors.set(true);
        self.memo.borrow_mut().fill(None);
        self.matters.borrow_mut().fill(None);
    }

    /// Whether a value is surely a number.
    pub(crate) fn is_number(&self, value: &Expression<'a>) -> bool {
        is_number(value, &self.facts.numbers, self.names)
    }

    /// Whether a name is one that the runtime brings.
    pub(crate) fn is_global(&self, value: &Expression<'a>, name: &str) -> bool {
        matches!(value, Expression::Identifier(id)
            if id.name == name && self.symbol(id).is_none())
    }

    /// Whether a global may have other members than the runtime gave it.
    pub(crate) fn is_changed(&self, name: &str) -> bool {
        self.facts.changed.contains(&name)
    }

    /// Whether a name is one that the runtime brings, with the members that it gave it.
    pub(crate) fn is_intact(&self, value: &Expression<'a>, name: &str) -> bool {
        self.is_global(value, name) && !self.is_changed(name)
    }

    /// Whether the name of a member is surely none that leads up from a function.
    pub(crate) fn never_climbs(&self, key: &'a Expression<'a>, depth: usize) -> bool {
        if depth > MAX_DEPTH {
            return false;
        }
        let depth = depth + 1;
        match key.get_inner_expression() {
            Expression::NumericLiteral(_)
            | Expression::BigIntLiteral(_)
            | Expression::BooleanLiteral(_)
            | Expression::NullLiteral(_)
            | Expression::UnaryExpression(_)
            | Expression::UpdateExpression(_) => true,
            Expression::Identifier(name) => self.symbol(name).is_some_and(|symbol| {
                self.facts.numbers[symbol.index()]
                    || self.constant(symbol).is_some_and(|value| self.never_climbs(value, depth))
            }),
            Expression::BinaryExpression(sum) if sum.operator != BinaryOperator::Addition => true,
            Expression::ConditionalExpression(choice) => {
                self.never_climbs(&choice.consequent, depth)
                    && self.never_climbs(&choice.alternate, depth)
            }
            Expression::LogicalExpression(choice) => {
                self.never_climbs(&choice.left, depth) && self.never_climbs(&choice.right, depth)
            }
            Expression::SequenceExpression(list) => {
                list.expressions.last().is_some_and(|last| self.never_climbs(last, depth))
            }
            Expression::StaticMemberExpression(access) => {
                SYMBOLS.contains(&access.property.name.as_str())
                    && self.is_intact(&access.object, "Symbol")
            }
            Expression::CallExpression(call) => self.makes_symbol(call),
            other => {
                is_number(other, &self.facts.numbers, self.names) || self.spells_another(other)
            }
        }
    }

    fn makes_symbol(&self, call: &CallExpression<'a>) -> bool {
        match &call.callee {
            Expression::StaticMemberExpression(access) => {
                access.property.name == "for" && self.is_intact(&access.object, "Symbol")
            }
            callee => self.is_global(callee, "Symbol"),
        }
    }

    /// Whether the known parts of a text fit in none of the names that lead up.
    fn spells_another(&self, text: &'a Expression<'a>) -> bool {
        let mut parts = Vec::new();
        self.parts(text, 0, &mut parts);
        let fits = |word: &&str| {
            let inside = parts.iter().flatten().all(|part| word.contains(part));
            let starts =
                parts.first().copied().flatten().is_none_or(|first| word.starts_with(first));
            let ends = parts.last().copied().flatten().is_none_or(|last| word.ends_with(last));
            let length: usize = parts.iter().flatten().map(|part| part.len()).sum();
            inside && starts && ends && length <= word.len()
        };
        let whole = matches!(parts.as_slice(), [Some(_)]);
        let guarded = self.guards_accessors.get().then_some(&LOOKS_UP);
        let mut words = CLIMBING.iter().chain(guarded);
        !words.any(|word| fits(word) && (!whole || parts == [Some(*word)]))
    }

    fn parts(&self, text: &'a Expression<'a>, depth: usize, out: &mut Vec<Option<&'a str>>) {
        if let Some(known) = self.text(text, 0) {
            return out.push(Some(known));
        }
        match text.get_inner_expression() {
            Expression::BinaryExpression(sum)
                if sum.operator == BinaryOperator::Addition && depth < MAX_DEPTH =>
            {
                self.parts(&sum.left, depth + 1, out);
                self.parts(&sum.right, depth + 1, out);
            }
            Expression::TemplateLiteral(template) => {
                for (index, quasi) in template.quasis.iter().enumerate() {
                    let known = quasi.value.cooked.map(|text| text.as_str());
                    out.extend(known.filter(|text| !text.is_empty()).map(Some));
                    if template.expressions.get(index).is_some() {
                        out.push(None);
                    }
                }
            }
            _ => out.push(None),
        }
    }

    /// What a variable is given, if it never has another value.
    pub(crate) fn constant(&self, symbol: SymbolId) -> Option<&'a Expression<'a>> {
        let fixed = self.variable(symbol).is_constant && !self.sources.open[symbol.index()];
        self.facts.given[symbol.index()].filter(|_| fixed)
    }

    /// What a variable is given, if it is only ever the handler of proxies.
    pub(crate) fn only_handler(&self, symbol: SymbolId) -> Option<&'a Expression<'a>> {
        let given = self.constant(symbol).map(Expression::get_inner_expression);
        given.filter(|_| self.facts.handlers[symbol.index()])
    }

    /// Whether a declaration gives a variable something that is no function.
    pub(crate) fn is_given(&self, symbol: SymbolId) -> bool {
        self.constant(symbol).is_some_and(|value| self.is_plain_itself(value))
    }

    /// `[].map` and the like are functions, and so is the constructor of anything.
    pub(crate) fn is_method_of_literal(&self, object: &'a Expression<'a>) -> bool {
        match object {
            Expression::StaticMemberExpression(access) => is_data(&access.object),
            Expression::ComputedMemberExpression(access) => is_data(&access.object),
            Expression::CallExpression(call) => {
                let prototype = call.callee.is_specific_member_access("Object", "getPrototypeOf");
                let argument = call.arguments.first().and_then(Argument::as_expression);
                prototype
                    && argument.is_some_and(|argument| {
                        self.of(argument, 0).iter().any(|known| known.thing == Thing::Function)
                    })
            }
            _ => false,
        }
    }

    /// Whether a value is surely no function, nor the heir of one: then a member of it is not
    /// the constructor of functions, whatever its name is.
    pub(crate) fn is_plain(&self, value: &'a Expression<'a>) -> bool {
        !self.facts.changes_heirs && !self.guards_accessors.get() && self.plain(value, 0)
    }

    /// Whether the value of a variable may be changed out of sight.
    pub(super) fn is_out_of_sight(&self, symbol: SymbolId) -> bool {
        self.escaping.borrow().get(symbol.index()).is_none_or(|gone| *gone)
    }

    fn plain(&self, value: &'a Expression<'a>, depth: usize) -> bool {
        if depth > MAX_DEPTH {
            return false;
        }
        let depth = depth + 1;
        match value.get_inner_expression() {
            Expression::Identifier(name) => match self.symbol(name) {
                Some(symbol) => {
                    let gone = self.is_out_of_sight(symbol);
                    let given = self.constant(symbol);
                    given.is_some_and(|given| {
                        is_primitive(given) || (!gone && self.plain(given, depth))
                    }) || self.is_environment(value)
                }
                None => false,
            },
            Expression::ConditionalExpression(choice) => {
                self.plain(&choice.consequent, depth) && self.plain(&choice.alternate, depth)
            }
            Expression::LogicalExpression(choice) => {
                self.plain(&choice.left, depth) && self.plain(&choice.right, depth)
            }
            Expression::SequenceExpression(list) => {
                list.expressions.last().is_some_and(|last| self.plain(last, depth))
            }
            Expression::StaticMemberExpression(_) => self.is_environment(value),
            other => self.is_plain_itself(other),
        }
    }

    /// Whether a value is surely no function, without a look at variables.
    pub(crate) fn is_plain_itself(&self, value: &'a Expression<'a>) -> bool {
        match value.get_inner_expression() {
            primitive if is_primitive(primitive) => true,
            Expression::RegExpLiteral(_) => true,
            Expression::ArrayExpression(list) => {
                !self.mentions_itself(list.span)
                    && list.elements.iter().all(|element| match element.as_expression() {
                        Some(value) => self.is_inert(value),
                        None => element.is_elision(),
                    })
            }
            Expression::ObjectExpression(object) => {
                !has_heritage(object)
                    && !self.mentions_itself(object.span())
                    && object.properties.iter().all(|property| match property {
                        ObjectPropertyKind::ObjectProperty(property) => {
                            self.is_inert(&property.value)
                        }
                        ObjectPropertyKind::SpreadProperty(_) => false,
                    })
            }
            Expression::NewExpression(new) => self.makes_plain(new),
            Expression::CallExpression(call) => self.gives_plain(call),
            _ => false,
        }
    }

    /// Whether a value changes nothing when it is called as a member of something: it is no
    /// function, or one that does not see `this`.
    pub(crate) fn is_inert(&self, value: &'a Expression<'a>) -> bool {
        self.inert(value, 0)
    }

    fn inert(&self, value: &'a Expression<'a>, depth: usize) -> bool {
        if depth > MAX_DEPTH {
            return false;
        }
        let depth = depth + 1;
        match value.get_inner_expression() {
            Expression::ObjectExpression(_) | Expression::ArrayExpression(_) => true,
            Expression::Identifier(name) => {
                let known = self.symbol(name).is_some_and(|symbol| {
                    self.facts.numbers[symbol.index()]
                        || self.constant(symbol).is_some_and(|value| self.inert(value, depth))
                });
                known || !self.may_see_this(value, 0)
            }
            Expression::ConditionalExpression(choice) => {
                self.inert(&choice.consequent, depth) && self.inert(&choice.alternate, depth)
            }
            Expression::LogicalExpression(choice) => {
                self.inert(&choice.left, depth) && self.inert(&choice.right, depth)
            }
            other => self.is_plain_itself(other) || !self.may_see_this(other, 0),
        }
    }

    fn are_inert(&self, arguments: &'a [Argument<'a>]) -> bool {
        let mut values = arguments.iter().map(Argument::as_expression);
        values.all(|value| value.is_some_and(|value| self.is_inert(value)))
    }

    /// A method of a literal could change the literal.
    fn mentions_itself(&self, span: Span) -> bool {
        let text = self.source.get(span.start as usize..span.end as usize);
        text.is_none_or(|text| ["this", "super", "\\"].iter().any(|word| text.contains(word)))
    }

    fn makes_plain(&self, new: &'a NewExpression<'a>) -> bool {
        let Expression::Identifier(name) = &new.callee else { return false };
        // What these hold can be called as a member of them.
        let inert = match name.name.as_str() {
            "Array" => self.are_inert(&new.arguments),
            name if name.ends_with("Error") => new.arguments.iter().skip(1).all(|argument| {
                argument.as_expression().is_some_and(|value| self.holds_inert(value))
            }),
            _ => true,
        };
        inert && MAKERS.iter().any(|name| self.is_global(&new.callee, name))
    }

    /// Whether a value is written out, and nothing in it or in its rows sees `this`.
    fn holds_inert(&self, value: &'a Expression<'a>) -> bool {
        let row = |row: &'a Expression<'a>| match row.get_inner_expression() {
            Expression::ObjectExpression(_) | Expression::ArrayExpression(_) => {
                self.is_plain_itself(row)
            }
            row => is_primitive(row),
        };
        match value.get_inner_expression() {
            Expression::ArrayExpression(list) => {
                list.elements.iter().all(|element| element.as_expression().is_some_and(row))
            }
            _ => row(value),
        }
    }

    fn gives_plain(&self, call: &'a CallExpression<'a>) -> bool {
        let Expression::StaticMemberExpression(access) = &call.callee else {
            return ["String", "Number", "Boolean"]
                .iter()
                .any(|name| self.is_global(&call.callee, name));
        };
        let name = access.property.name.as_str();
        let [first] = call.arguments.as_slice() else {
            return self.is_giver(call, access, name);
        };
        let Some(first) = first.as_expression() else { return false };
        match name {
            "parse" => self.is_intact(&access.object, "JSON"),
            "create" => {
                matches!(first, Expression::NullLiteral(_))
                    && self.is_intact(&access.object, "Object")
            }
            "freeze" | "seal" => {
                self.is_intact(&access.object, "Object") && self.is_plain_itself(first)
            }
            _ => self.is_giver(call, access, name),
        }
    }

    fn is_giver(
        &self,
        call: &'a CallExpression<'a>,
        access: &StaticMemberExpression<'a>,
        name: &str,
    ) -> bool {
        let inert = match (name, call.arguments.as_slice()) {
            ("of", values) => self.are_inert(values),
            ("from" | "fromEntries" | "values", [from]) => {
                from.as_expression().is_some_and(|from| self.holds_inert(from))
            }
            ("from" | "fromEntries" | "values", _) => false,
            _ => true,
        };
        inert
            && GIVERS
                .iter()
                .any(|(of, names)| names.contains(&name) && self.is_intact(&access.object, of))
    }

    /// Variables and arguments of the process are texts.
    fn is_environment(&self, value: &'a Expression<'a>) -> bool {
        let things = self.of(value, 0);
        let is_environment = |thing: &Thing<'_>| {
            matches!(thing, Thing::Path(Root::Name(name), members)
                if matches!((*name, members.as_slice()),
                    ("process" | "Bun" | "import.meta", ["env"]) | ("process", ["argv"])))
        };
        !things.is_empty() && things.iter().all(|known| is_environment(&known.thing))
    }
}

fn is_data(object: &Expression<'_>) -> bool {
    matches!(
        object,
        Expression::ArrayExpression(_)
            | Expression::StringLiteral(_)
            | Expression::TemplateLiteral(_)
            | Expression::NumericLiteral(_)
            | Expression::RegExpLiteral(_)
            | Expression::ObjectExpression(_)
    )
}

/// Whether a literal says from what it inherits.
fn has_heritage(object: &ObjectExpression<'_>) -> bool {
    object.properties.iter().any(|property| {
        matches!(property, ObjectPropertyKind::ObjectProperty(property)
            if property.key.is_specific_static_name("__proto__"))
    })
}

/// What a primitive value inherits cannot be changed.
fn is_primitive(value: &Expression<'_>) -> bool {
    matches!(
        value.get_inner_expression(),
        Expression::StringLiteral(_)
            | Expression::TemplateLiteral(_)
            | Expression::NumericLiteral(_)
            | Expression::BigIntLiteral(_)
            | Expression::BooleanLiteral(_)
            | Expression::NullLiteral(_)
            | Expression::UnaryExpression(_)
            | Expression::UpdateExpression(_)
            | Expression::BinaryExpression(_)
    )
}
