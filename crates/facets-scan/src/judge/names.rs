//! What the use of a name gives.

use oxc_ast::ast::{CallExpression, ChainElement, Expression};
use oxc_span::Span;
use oxc_syntax::symbol::SymbolId;

use super::Judge;
use super::usage::Use;
use crate::thing::{Root, Thing};
use crate::words::{self, Gives};
use crate::{Category, Doubt, SourceFinding, Undefined};

const LOADER: &str = "a function that loads modules";

impl<'a> Judge<'a, '_, '_> {
    /// A thing at the end of its way.
    pub(super) fn used(&mut self, thing: &Thing<'a>, how: Use<'a>, span: Span, trail: &[SymbolId]) {
        match thing {
            Thing::Data | Thing::Function => {}
            Thing::Lookup | Thing::Made => self.looked_up(thing, how, span),
            Thing::Constructor { of_function } => match how {
                Use::Called | Use::New(_) if *of_function => {
                    let finding =
                        (Category::CodeEvaluation, "constructor of a function".to_owned());
                    self.find(finding, true, span, trail);
                }
                Use::New(new) if self.gets_no_code(new) => {}
                Use::Called | Use::New(_) | Use::Computed => {
                    self.doubt("uses the constructor of an unknown value", span);
                }
                how if how.gives_away() => {
                    self.doubt("passes on the constructor of an unknown value", span);
                }
                _ => {}
            },
            Thing::Path(root, members) => match root {
                Root::Global => self.global_object(how, span),
                Root::Loader => match members.first() {
                    None => self.handed_on(how, span, LOADER),
                    Some(&"resolve") => {}
                    Some(_) => self.doubt("reads a member of a function that loads modules", span),
                },
                Root::Name(name) => self.global_name(name, members, how, span, trail),
                Root::Module(name) => self.module_member(name, members, how, span, trail),
            },
        }
    }

    fn global_object(&mut self, how: Use<'a>, span: Span) {
        match how {
            Use::Computed => self.doubt("reads a computed member of the global object", span),
            how if how.gives_away() => self.doubt("passes on the global object", span),
            _ => {}
        }
    }

    fn handed_on(&mut self, how: Use<'a>, span: Span, what: &str) {
        match how {
            Use::Computed => self.doubt(&format!("reads a computed member of {what}"), span),
            Use::New(_) => self.doubt(&format!("uses {what} as a constructor"), span),
            how if how.gives_away() => self.doubt(&format!("passes on {what}"), span),
            _ => {}
        }
    }

    fn global_name(
        &mut self,
        name: &'a str,
        members: &[&'a str],
        how: Use<'a>,
        span: Span,
        trail: &[SymbolId],
    ) {
        const OBJECTS: &[&str] =
            &["process", "module", "Bun", "Deno", "navigator", "import.meta", "require"];
        if matches!(how, Use::Harmless) {
            return;
        }
        if let Use::Assigned(value) = how {
            return self.assigned(name, members, value, span);
        }
        if matches!(how, Use::Replaced) {
            return self.doubt(&format!("assigns an unknown value to `{name}`"), span);
        }
        match (name, members.first()) {
            ("require", Some(&"main")) => match members.get(1) {
                Some(&("filename" | "path" | "id")) => {}
                None if matches!(how, Use::Data) => {}
                _ => self.doubt("accesses the main module", span),
            },
            ("process", Some(&"getBuiltinModule")) => match members.len() {
                1 => self.handed_on(how, span, LOADER),
                _ => self.doubt("reads a member of a function that loads modules", span),
            },
            ("process", Some(stream)) if words::is_socket(stream, &members[1..]) => {
                let identifier = format!("process.{stream}.connect");
                self.gives(Gives::One(Category::Network), &identifier, span, trail);
            }
            ("process", Some(name)) if words::is_stream(name) && matches!(how, Use::Computed) => {
                self.doubt("reads a computed member of a stream", span);
            }
            ("exports", None) => self.handed_exports(how, span),
            ("exports", Some(_)) => {}
            ("module", Some(&"exports")) if members.len() == 1 && !matches!(how, Use::Called) => {
                self.handed_exports(how, span);
            }
            ("Reflect", _) => self.reflect(members, how, span),
            ("Proxy", _) => self.proxy(members, how, span),
            ("Function", _) => self.function(members, how, span, trail),
            ("module", Some(&"exports")) if members.len() == 1 && matches!(how, Use::Called) => {
                self.doubt("calls a function with the module as its `this`", span);
            }
            (object, Some(member)) if OBJECTS.contains(&object) => {
                if object == "Bun" && ["SQL", "fetch", "postgres", "sql"].contains(member) {
                    self.perhaps(Category::Filesystem, "may open a file", false, span);
                }
                let gives = words::member(object, member);
                self.gives(gives, &format!("{object}.{member}"), span, trail);
            }
            (object, None) if OBJECTS.contains(&object) => {
                self.handed_on(how, span, &format!("`{object}`"));
            }
            _ => self.other_name(name, members, how, span, trail),
        }
    }

    /// `Function`, which makes code of texts, and what every function has.
    fn function(&mut self, members: &[&'a str], how: Use<'a>, span: Span, trail: &[SymbolId]) {
        match (members, how) {
            ([], Use::Called | Use::New(_)) => self.gives(Gives::AnyCode, "Function", span, trail),
            ([], Use::Computed) => self.doubt("reads a computed member of `Function`", span),
            ([], how) if how.gives_away() => self.doubt("passes on `Function`", span),
            ([], _) => {}
            (["prototype"], how) if how.gives_away() => {
                self.doubt("passes on `Function.prototype`", span);
            }
            // `Function.call.bind(f)` is no function of a text: it calls f.
            ([form, _, ..], _) if is_call_form(form) => {}
            (_, Use::Computed) => self.doubt("reads a computed member of a function", span),
            ([member, ..], _) => {
                let gives = words::member("Function", member);
                self.gives(gives, &format!("Function.{member}"), span, trail);
            }
        }
    }

    /// `Reflect`, which looks up members under any name.
    fn reflect(&mut self, members: &[&'a str], how: Use<'a>, span: Span) {
        match members {
            [] => self.handed_on(how, span, "`Reflect`"),
            ["get" | "getOwnPropertyDescriptor", rest @ ..]
                if !rest.is_empty() || how.gives_away() =>
            {
                self.doubt("passes on a function that reads members by name", span);
            }
            _ => {}
        }
    }

    /// A global that the tables know, or that nobody does.
    fn other_name(
        &mut self,
        name: &'a str,
        members: &[&'a str],
        how: Use<'a>,
        span: Span,
        trail: &[SymbolId],
    ) {
        match name {
            "fetch" => self.fetch_handed_on(how, members, span),
            "Worker" | "SharedWorker" => self.works(span),
            _ => {}
        }
        match words::global(name) {
            Some(gives) => {
                let member = members.first().filter(|member| !is_call_form(member));
                let full = member.map_or(name.to_owned(), |member| format!("{name}.{member}"));
                self.gives(gives, &full, span, trail);
            }
            None if matches!(how, Use::Argument(call) if cannot_call(call)) => {}
            None if matches!(how, Use::Data) => {}
            None => {
                let line = self.lines.of(span.start);
                self.found.undefined.push(Undefined { name: name.to_owned(), line });
            }
        }
    }

    /// A global, or a member of what the runtime brings, gets another value.
    fn assigned(
        &mut self,
        name: &'a str,
        members: &[&'a str],
        value: &'a Expression<'a>,
        span: Span,
    ) {
        match (name, members) {
            ("module", ["exports", members @ ..]) => self.assigned_export(members, value, span),
            // Nobody else has this variable.
            ("exports", []) => {}
            ("exports", members) => self.assigned_export(members, value, span),
            ("process", ["env", ..] | ["exitCode" | "title"]) => {}
            ("module" | "process" | "require" | "import.meta" | "Bun" | "Deno", [_, ..]) => {
                self.doubt(&format!("changes a member of `{name}`"), span);
            }
            ("Function", ["prototype", ..]) => {
                self.doubt("changes `Function.prototype`", span);
            }
            (name, [_, ..]) if words::is_relied_on(name) => {
                self.doubt(&format!("changes a member of `{name}`"), span);
            }
            (name, []) if words::is_relied_on(name) => {
                self.doubt(&format!("replaces `{name}`"), span);
            }
            ("__filename", []) => self.doubt("assigns `__filename`", span),
            (_, []) => {
                // Called as a member of the global object, it sees that as its `this`.
                let is_called = !self.values.is_inert(value)
                    && !matches!(value.get_inner_expression(), Expression::ClassExpression(_));
                if is_called {
                    self.doubt("defines a global that may reach the global object", span);
                }
                self.found.defines.push(name.to_owned());
            }
            _ => {}
        }
    }

    fn module_member(
        &mut self,
        name: &'a str,
        members: &[&'a str],
        how: Use<'a>,
        span: Span,
        trail: &[SymbolId],
    ) {
        if matches!(how, Use::Harmless) {
            return;
        }
        if name == "module" {
            let members = match members {
                ["Module", rest @ ..] => rest,
                all => all,
            };
            return match members.first() {
                Some(&"createRequire") => match members.len() {
                    1 => self.handed_on(how, span, LOADER),
                    _ => self.doubt("reads a member of a function that loads modules", span),
                },
                Some(member) => {
                    let gives = words::member("node:module", member);
                    self.gives(gives, &format!("module.{member}"), span, trail);
                }
                None if matches!(how, Use::Called) => self.doubt("calls the module `module`", span),
                None => self.handed_on(how, span, "the module `module`"),
            };
        }
        if let ("tty", Some(member)) = (name, members.first()) {
            return self.gives(words::member("tty", member), &format!("tty.{member}"), span, trail);
        }
        if name == "tty" {
            return self.handed_on(how, span, "the module `tty`");
        }
        let Some(gives) = words::builtin(name) else { return };
        // Without a member it is the import, which was found where it stands.
        let members: Vec<&str> =
            members.iter().copied().filter(|member| !is_call_form(member)).take(2).collect();
        self.beyond(name, &members, how, span);
        if !members.is_empty() && gives != Gives::Nothing {
            self.gives(gives, &format!("{name}.{}", members.join(".")), span, trail);
        }
    }

    pub(super) fn gives(&mut self, gives: Gives, identifier: &str, span: Span, trail: &[SymbolId]) {
        let identifier = identifier.to_owned();
        match gives {
            Gives::Nothing => {}
            Gives::One(category) => self.find((category, identifier), false, span, trail),
            Gives::Two(one, other) => {
                self.find((one, identifier.clone()), false, span, trail);
                self.find((other, identifier), false, span, trail);
            }
            Gives::AnyCode => {
                self.find((Category::CodeEvaluation, identifier), true, span, trail);
            }
            Gives::Unknown => self.doubt(&format!("uses {identifier}"), span),
        }
    }

    pub(super) fn find(
        &mut self,
        (category, identifier): (Category, String),
        runs_anything: bool,
        span: Span,
        trail: &[SymbolId],
    ) {
        let line = self.lines.of(span.start);
        let mut path = Vec::new();
        for symbol in trail {
            let (name, offset) = self.values.name(*symbol);
            path.push(format!("{name} (line {})", self.lines.of(offset)));
        }
        self.found.findings.push(SourceFinding { category, identifier, line, path, runs_anything });
    }

    pub(super) fn doubt(&mut self, reason: &str, span: Span) {
        let line = self.lines.of(span.start);
        self.found.doubts.push(Doubt { reason: reason.to_owned(), line });
    }
}

/// `f.call()` is a call of f, and a promise's `then` is none of the module's.
fn is_call_form(member: &str) -> bool {
    matches!(member, "call" | "apply" | "bind" | "then" | "catch" | "finally")
}

/// Calls that do nothing with their arguments but read them.
fn cannot_call(call: &CallExpression<'_>) -> bool {
    const READERS: &[&str] = &["JSON", "Math", "String", "Number", "Boolean", "console", "BigInt"];
    let reader = |expression: &Expression<'_>| match expression {
        Expression::Identifier(name) => {
            READERS.contains(&name.name.as_str())
                || ["parseInt", "isNaN"].contains(&name.name.as_str())
        }
        Expression::RegExpLiteral(_) | Expression::StringLiteral(_) => true,
        _ => false,
    };
    match &call.callee {
        Expression::StaticMemberExpression(access) => reader(&access.object),
        Expression::ChainExpression(chain) => match &chain.expression {
            ChainElement::StaticMemberExpression(access) => reader(&access.object),
            _ => false,
        },
        other => reader(other),
    }
}
