//! Where the program uses what it does not define itself.

mod calls;
mod constructors;
mod fetched;
mod lines;
mod loads;
mod lookups;
mod names;
mod proxies;
mod served;
pub(crate) mod usage;

use oxc_ast::AstKind;
use oxc_ast::ast::{Argument, Expression, IdentifierReference, ImportOrExportKind, Program};
use oxc_span::{GetSpan as _, Span};
use oxc_syntax::symbol::SymbolId;

use crate::bundle::Bundle;
use crate::collect::{SHIM_DEPTH, shim_parts};
use crate::evidence::is_target;
use crate::judge::lines::Lines;
use crate::judge::usage::{Use, Used};
use crate::thing::{Root, Thing, global, module};
use crate::tree::{Around, Tree};
use crate::values::{Known, Values};
use crate::walk::Walked;
use crate::words::{self, TIMERS, is_harmless};
use crate::{Analysis, Category, Doubt};

/// Longer ways through one expression are out of sight.
const MAX_WAY: usize = 128;

/// Judges every name that a program uses.
pub(crate) fn judge<'a>(
    program: &'a Program<'a>,
    values: &Values<'a, '_>,
    walked: &Walked<'a>,
    returns_this: &[SymbolId],
    bundle: &Bundle<'a>,
) -> Analysis {
    let lines = Lines::new(values.source());
    let tree = &walked.tree;
    let mut judge = Judge {
        program,
        fetches: walked.fetches,
        walked,
        values,
        tree,
        returns_this,
        bundle,
        strict: values.is_strict(),
        lines,
        found: Analysis::default(),
    };
    for place in &walked.places {
        judge.place(place.kind, place.around);
    }
    // Most variables lead nowhere, and then nothing else of the place is looked at.
    for (mention, variable) in walked.mentions.iter().zip(&walked.names.references) {
        let matters = match variable {
            Some(variable) => values.matters(*variable),
            None => mention.writes || !is_harmless(mention.name.name.as_str()),
        };
        if matters {
            judge.identifier(mention.name, mention.around);
        }
    }
    for span in &bundle.unproven {
        judge.doubt("copies the members of an unknown value", *span);
    }
    if let Some(span) = bundle.access {
        let reason = "copies members that other files may use".to_owned();
        let line = judge.lines.of(span.start);
        judge.found.unless_alone.push(Doubt { reason, line });
    }
    if values.is_lost() {
        judge.doubt("has too many variables to follow", program.span);
    }
    judge.found
}

struct Judge<'a, 'v, 'n> {
    program: &'a Program<'a>,
    fetches: bool,
    walked: &'v Walked<'a>,
    values: &'v Values<'a, 'n>,
    tree: &'v Tree<'a>,
    returns_this: &'v [SymbolId],
    bundle: &'v Bundle<'a>,
    strict: bool,
    lines: Lines<'a>,
    found: Analysis,
}

impl<'a> Judge<'a, '_, '_> {
    fn place(&mut self, kind: AstKind<'a>, around: Around) {
        match kind {
            AstKind::ImportMeta(meta) => {
                let thing = Thing::Path(Root::Name("import.meta"), Vec::new());
                self.follow(thing, meta.span, around, &[]);
            }
            AstKind::ImportDeclaration(import) => self.import(import),
            AstKind::ExportFromDeclaration(export)
                if export.export_kind != ImportOrExportKind::Type =>
            {
                self.attributes(export.with_clause.as_deref());
                self.loads(&export.source);
                for one in &export.specifiers {
                    self.export_of_another(&one.exported, one.span);
                }
                let Some(thing) = module(export.source.value.as_str()) else { return };
                let is_type = |kind: ImportOrExportKind| kind == ImportOrExportKind::Type;
                for one in export.specifiers.iter().filter(|one| !is_type(one.export_kind)) {
                    let thing = thing.clone().member(one.local.name().as_str());
                    self.used(&thing, Use::Escapes, one.span, &[]);
                }
            }
            AstKind::ExportAllDeclaration(export)
                if export.export_kind != ImportOrExportKind::Type =>
            {
                self.attributes(export.with_clause.as_deref());
                self.loads(&export.source);
                if let Some(name) = &export.exported {
                    self.export_of_another(name, export.span);
                }
                if let Some(thing) = module(export.source.value.as_str()) {
                    self.used(&thing, Use::Escapes, export.span, &[]);
                }
            }
            AstKind::TSExternalModuleReference(import) => self.loads(&import.expression),
            AstKind::ImportExpression(import) if import.options.is_some() => {
                self.doubt("chooses how an import is loaded", import.span);
            }
            AstKind::ImportExpression(import) => match self.values.text(&import.source, 0) {
                Some(specifier) => {
                    self.load(specifier, import.span, false);
                    if let Some(thing) = module(specifier) {
                        self.follow(thing, import.span, around, &[]);
                    }
                }
                None => self.doubt("imports a module with a computed name", import.span),
            },
            other => self.other_place(other, around),
        }
    }

    /// What does not load modules.
    fn other_place(&mut self, kind: AstKind<'a>, around: Around) {
        match kind {
            AstKind::StaticMemberExpression(access) => {
                let name = access.property.name.as_str();
                self.member(&access.object, name, access.span, around);
            }
            AstKind::ComputedMemberExpression(access) => {
                match self.values.text(&access.expression, 0) {
                    Some(name) if words::changes_heirs(name) => {
                        self.doubt("changes a prototype", access.span);
                    }
                    Some(name) => self.member(&access.object, name, access.span, around),
                    None => self.computed(access, around),
                }
            }
            AstKind::ThisExpression(this) => self.this(this.span, around),
            AstKind::BindingProperty(property) if property.computed => {
                self.computed_binding(property.key.as_expression(), property.span, around);
            }
            AstKind::AssignmentTargetPropertyProperty(property) if property.computed => {
                self.computed_binding(property.name.as_expression(), property.span, around);
            }
            AstKind::BindingProperty(property) => {
                self.taken(&property.key.static_name().unwrap_or_default(), property.span);
            }
            AstKind::AssignmentTargetPropertyIdentifier(property) => {
                self.taken(property.binding.name.as_str(), property.span);
            }
            AstKind::AssignmentTargetPropertyProperty(property) => {
                self.taken(&property.name.static_name().unwrap_or_default(), property.span);
            }
            AstKind::ObjectProperty(property) => self.replaces_capture(true, property.span),
            AstKind::StringLiteral(text) => self.written_text(Some(&text.value), text.span, around),
            AstKind::TemplateLiteral(text) => {
                self.written_text(text.single_quasi().as_deref(), text.span, around);
            }
            AstKind::IdentifierName(name) => self.led_away(&name.name, name.span),
            AstKind::TSExportAssignment(export) => {
                self.assigned_export(&[], &export.expression, export.span);
            }
            AstKind::ExportDeclaration(export) => self.declared_export(export),
            AstKind::JSXElement(_) | AstKind::JSXFragment(_) => {
                self.doubt("JSX calls a function that compiler settings choose", kind.span());
            }
            AstKind::ExportDefaultDeclaration(export) => self.served(export),
            AstKind::ExportNamedDeclaration(export) => self.served_by_name(export),
            AstKind::CallExpression(call) => self.call(call, around),
            AstKind::WithStatement(with) => {
                self.doubt("`with` hides which variables are used", with.span);
            }
            _ => {}
        }
    }

    /// A listener is called with `process`, or a standard stream, as its `this`.
    fn listened(&mut self, arguments: &'a [Argument<'a>], span: Span) {
        let sees_this = |argument: &'a Argument<'a>| {
            argument.as_expression().is_none_or(|value| self.values.may_see_this(value, 0))
        };
        if arguments.iter().any(sees_this) {
            self.doubt("passes `process` or one of its streams to a listener", span);
        }
    }

    /// A text that may be the name of a member.
    fn written_text(&mut self, text: Option<&str>, span: Span, around: Around) {
        match text {
            Some(name) if name == words::LEAVES_OUT => self.replaces_capture(true, span),
            Some(name) if words::is_telling(name) => self.led_away(name, span),
            _ => self.text_argument(span, around),
        }
    }

    /// A member under a name that may lead up, or away.
    fn member(&mut self, object: &'a Expression<'a>, name: &str, span: Span, around: Around) {
        match name {
            "constructor" => self.constructor(object, span, around),
            "prototype" if !self.values.is_global(object, "Object") => {}
            "prototype" => self.shared_prototype(span, around),
            words::LEAVES_OUT => self.replaces_capture(is_target(span, around, self.tree), span),
            "setPrototypeOf" => self.changes_heir(span, around),
            "getPrototypeOf" => self.prototype_of(span, around),
            name if words::describes(name) => self.describes(name, span, around),
            name => self.led_away(name, span),
        }
    }

    /// A pattern takes a member under a name that may lead up, or away.
    fn taken(&mut self, name: &str, span: Span) {
        if words::leads_away(name) {
            self.led_away(name, span);
        } else {
            self.doubt("reads a constructor or property descriptors of an unknown value", span);
        }
    }

    /// A member under a name that may lead away.
    fn led_away(&mut self, name: &str, span: Span) {
        match name {
            "prepareStackTrace" => self.doubt("reads the calling functions", span),
            name if words::is_telling(name) => self.doubt("may load native code", span),
            name if words::is_stream_behind(name) => self.doubt("accesses a stream object", span),
            name if words::defines_accessor(name) => {
                self.doubt("may change `Object.prototype`", span);
            }
            // The caller of a function has `require` if it is the module.
            "caller" if !self.strict => self.doubt("accesses `caller`, the calling function", span),
            _ => {}
        }
    }

    fn identifier(&mut self, name: &'a IdentifierReference<'a>, around: Around) {
        let seen = |judge: &Self| {
            let shim = name.name == "require" && judge.is_in_shim(name.span, around);
            !shim && !judge.is_in_type(around)
        };
        let Some(symbol) = self.values.symbol(name) else {
            if name.name == "arguments" {
                let inside = |kind: AstKind<'_>| matches!(kind, AstKind::Function(_));
                if !self.tree.outwards(around).any(inside) {
                    self.doubt("uses `arguments`, which include `require`", name.span);
                }
                return;
            }
            if seen(self) {
                self.follow(global(name.name.as_str()), name.span, around, &[]);
            }
            return;
        };
        if !seen(self) {
            return;
        }
        let things = self.values.of_symbol(symbol, 0);
        for Known { thing, trail } in things.iter() {
            if thing.is_followed() {
                self.follow(thing.clone(), name.span, around, trail);
            }
        }
    }

    /// A bundler's stand-in for `require` is judged where it is called.
    fn is_in_shim(&self, span: Span, around: Around) -> bool {
        self.tree.outwards(around).take(SHIM_DEPTH).any(|parent| {
            let AstKind::VariableDeclarator(variable) = parent else { return false };
            let parts = variable.init.as_ref().and_then(shim_parts);
            parts.is_some_and(|parts| parts.contains(&span))
        })
    }

    /// Types are gone when a program runs.
    fn is_in_type(&self, around: Around) -> bool {
        let mut outwards = self.tree.outwards(around);
        let is_type = |kind: ImportOrExportKind| kind == ImportOrExportKind::Type;
        match outwards.next() {
            Some(
                AstKind::TSTypeReference(_)
                | AstKind::TSTypeQuery(_)
                | AstKind::TSClassImplements(_)
                | AstKind::TSInterfaceHeritage(_)
                | AstKind::TSPropertySignature(_)
                | AstKind::TSTypePredicate(_),
            ) => true,
            // `import f = globalThis.fetch` is no type.
            Some(AstKind::TSQualifiedName(_)) => {
                let outer = outwards.find(|kind| !matches!(kind, AstKind::TSQualifiedName(_)));
                !matches!(outer, Some(AstKind::TSImportEqualsDeclaration(_)))
            }
            Some(AstKind::ExportSpecifier(one)) if is_type(one.export_kind) => true,
            Some(AstKind::ExportSpecifier(_)) => {
                matches!(outwards.next(), Some(AstKind::ExportNamedDeclaration(all))
                    if is_type(all.export_kind))
            }
            _ => false,
        }
    }

    /// Follows a thing from where it stands through everything that is done with it there.
    fn follow(&mut self, mut thing: Thing<'a>, mut span: Span, from: Around, trail: &[SymbolId]) {
        let tree = self.tree;
        let mut around = from;
        let mut returned = false;
        let mut ended = false;
        for _ in 0..MAX_WAY {
            let Some((parent, above)) = tree.get(around) else { break };
            around = above;
            if std::mem::take(&mut returned) {
                span = parent.span();
                continue;
            }
            if thing.is_looked_up() && self.ends_lookup(&thing, parent, span, above) {
                ended = true;
                break;
            }
            match usage::of(parent, span, tree.outwards(above), self.values) {
                Used::Same => {}
                Used::Perhaps(value) => self.used(&thing, Use::Assigned(value), span, trail),
                Used::Returned => returned = true,
                Used::Member(name) => thing = self.values.member_of(thing, name),
                Used::End(Use::Computed) if self.computed_of_lookup(&thing, parent).is_some() => {
                    thing = self.computed_of_lookup(&thing, parent).unwrap_or(thing);
                }
                Used::Call(arguments) => {
                    self.called(&thing, arguments, span, trail);
                    let result = self.values.result(&thing, arguments, 0);
                    let Some(result) = result else {
                        ended = true;
                        break;
                    };
                    thing = result;
                }
                Used::Pattern(pattern) => {
                    self.pattern(&thing, pattern, span, trail);
                    ended = true;
                    break;
                }
                Used::End(how) => {
                    self.used(&thing, how, span, trail);
                    ended = true;
                    break;
                }
            }
            span = parent.span();
        }
        if !ended {
            self.used(&thing, Use::Escapes, span, trail);
        }
    }

    fn called(
        &mut self,
        thing: &Thing<'a>,
        arguments: &'a [Argument<'a>],
        span: Span,
        trail: &[SymbolId],
    ) {
        let first = arguments.first().and_then(Argument::as_expression);
        if thing.creates_loader() {
            let here = first.is_some_and(|first| match first {
                Expression::Identifier(name) => {
                    name.name == "__filename" && self.values.symbol(name).is_none()
                }
                first => is_import_meta_url(first),
            });
            if !here {
                self.doubt("creates a function that loads modules from another directory", span);
            }
            return;
        }
        if thing.gives_process() || thing.gives_stream().is_some() {
            self.listened(arguments, span);
        }
        if thing.gives_process() {
            return;
        }
        if let Thing::Path(Root::Name("Reflect"), members) = thing
            && matches!(members.as_slice(), ["get" | "getOwnPropertyDescriptor"])
        {
            if !self.is_harmless_name(arguments) {
                self.doubt("reads a member with an unknown name", span);
            }
            return;
        }
        if thing.loads_modules() {
            return match first.and_then(|first| self.values.text(first, 0)) {
                Some(specifier) => self.load(specifier, span, true),
                None => self.doubt("loads a module with a computed name", span),
            };
        }
        if let Thing::Path(Root::Name(name), members) = thing
            && TIMERS.contains(name)
            && members.is_empty()
        {
            if first.is_some_and(|first| self.values.text(first, 0).is_some()) {
                let finding = (Category::CodeEvaluation, format!("{name} of a text"));
                self.find(finding, true, span, trail);
            }
            return;
        }
        if matches!(thing, Thing::Path(Root::Name("fetch"), members) if members.is_empty()) {
            self.fetched(first, span);
        }
        self.used(thing, Use::Called, span, trail);
    }

    /// A value that is taken apart: each of its parts is used.
    fn pattern(
        &mut self,
        thing: &Thing<'a>,
        pattern: &'a oxc_ast::ast::BindingPattern<'a>,
        span: Span,
        trail: &[SymbolId],
    ) {
        use oxc_ast::ast::BindingPattern;
        match pattern {
            BindingPattern::BindingIdentifier(_) if thing.is_looked_up() => {
                self.named(pattern, span);
            }
            BindingPattern::BindingIdentifier(_) => self.used(thing, Use::Named, span, trail),
            BindingPattern::ArrayPattern(_) if self.strict && *thing == Thing::Lookup => {}
            BindingPattern::AssignmentPattern(default) => {
                self.pattern(thing, &default.left, span, trail);
            }
            BindingPattern::ArrayPattern(_) => self.used(thing, Use::Escapes, span, trail),
            BindingPattern::ObjectPattern(object) => {
                for property in &object.properties {
                    match usage::key(&property.key, property.computed) {
                        Some(name) => {
                            let member = self.values.member_of(thing.clone(), name);
                            self.pattern(&member, &property.value, span, trail);
                        }
                        None => self.used(thing, Use::Computed, span, trail),
                    }
                }
                if let Some(rest) = &object.rest {
                    self.pattern(thing, &rest.argument, span, trail);
                }
            }
        }
    }
}

/// `import.meta.url`
fn is_import_meta_url(expression: &Expression<'_>) -> bool {
    matches!(expression, Expression::StaticMemberExpression(access)
        if access.property.name == "url" && matches!(access.object, Expression::ImportMeta(_)))
}
