//! Things of the runtime that reach more than they are for: `fetch` reads files in Bun, a worker
//! runs a program of its own, `http2` serves files.

use oxc_ast::AstKind;
use oxc_ast::ast::{Argument, BinaryOperator, Expression};
use oxc_span::{GetSpan as _, Span};
use oxc_syntax::symbol::SymbolId;

use super::Judge;
use super::usage::Use;
use crate::Category;
use crate::evidence::is_target;
use crate::walk::Mention;
use crate::words::Gives;

/// Longer ways to an address are out of sight.
const MAX_DEPTH: usize = 16;

const FILE: &str = "may fetch a file";

impl<'a> Judge<'a, '_, '_> {
    /// A call of `fetch`.
    pub(super) fn fetched(&mut self, address: Option<&'a Expression<'a>>, span: Span) {
        if !address.is_some_and(|address| self.is_web_address(address, 0)) {
            self.perhaps(Category::Filesystem, FILE, false, span);
        }
    }

    /// `fetch` where it is not called, but handed on: nobody sees with what.
    pub(super) fn fetch_handed_on(&mut self, how: Use<'a>, members: &[&'a str], span: Span) {
        let is_seen = matches!(how, Use::Called) && members.is_empty();
        if !is_seen && !matches!(how, Use::Named | Use::Data) {
            self.perhaps(Category::Filesystem, FILE, false, span);
        }
    }

    /// A member of a module that reaches more than the module is for.
    pub(super) fn beyond(&mut self, module: &str, members: &[&str], how: Use<'a>, span: Span) {
        let open = how.gives_away() || matches!(how, Use::Computed);
        match (module, members.first().copied()) {
            ("worker_threads", Some("Worker")) => self.works(span),
            ("worker_threads", None) if open => self.works(span),
            ("http2", Some("createServer" | "createSecureServer" | "performServerHandshake")) => {
                self.perhaps(Category::Filesystem, "may serve files", false, span);
            }
            ("http2", None) if open => {
                self.perhaps(Category::Filesystem, "may serve files", false, span);
            }
            ("crypto", Some("setEngine")) => {
                self.gives(Gives::AnyCode, "crypto.setEngine", span, &[]);
            }
            ("crypto", None) if open => self.doubt("passes on the module `crypto`", span),
            // A hook is shown whatever the runtime works with, the streams among it.
            ("async_hooks", Some("createHook" | "executionAsyncResource")) => {
                self.doubt("`async_hooks` exposes objects of the runtime", span);
            }
            ("async_hooks", None) if open => self.doubt("passes on the module `async_hooks`", span),
            _ => {}
        }
    }

    /// A worker runs a file or a text that is not read here.
    pub(super) fn works(&mut self, span: Span) {
        self.doubt("runs a program in a worker", span);
    }

    /// Whether a text surely begins with `http:` or `https:`.
    fn is_web_address(&self, value: &'a Expression<'a>, depth: usize) -> bool {
        if depth > MAX_DEPTH {
            return false;
        }
        let depth = depth + 1;
        if let Some(text) = self.values.text(value, 0) {
            return is_web(text);
        }
        match value.get_inner_expression() {
            Expression::BinaryExpression(sum) => {
                sum.operator == BinaryOperator::Addition && self.is_web_address(&sum.left, depth)
            }
            Expression::TemplateLiteral(template) => {
                let start = template.quasis.first().and_then(|start| start.value.cooked);
                match (start, template.expressions.first()) {
                    (Some(start), Some(first)) if start.is_empty() => {
                        self.is_web_address(first, depth)
                    }
                    (Some(start), _) => is_web(&start),
                    _ => false,
                }
            }
            Expression::ConditionalExpression(choice) => {
                self.is_web_address(&choice.consequent, depth)
                    && self.is_web_address(&choice.alternate, depth)
            }
            Expression::NewExpression(new) => {
                let first = new.arguments.first().and_then(Argument::as_expression);
                self.values.is_global(&new.callee, "URL")
                    && first.is_some_and(|first| self.is_web_address(first, depth))
            }
            Expression::StaticMemberExpression(access) if access.property.name == "href" => {
                self.is_web_address(&access.object, depth)
            }
            Expression::Identifier(name) => self.values.symbol(name).is_some_and(|symbol| {
                let given = self.values.constant(symbol);
                given.is_some_and(|given| {
                    (!is_object(given) || self.is_steady(symbol))
                        && self.is_web_address(given, depth)
                })
            }),
            _ => false,
        }
    }

    /// Whether a URL stays where it leads: no part of it is changed but its end.
    fn is_steady(&self, symbol: SymbolId) -> bool {
        let walked = self.walked;
        let mentions = walked.mentions.iter().zip(&walked.names.references);
        let mut own = mentions.filter(|(_, variable)| **variable == Some(symbol));
        own.all(|(mention, _)| self.keeps_address(mention))
    }

    fn keeps_address(&self, mention: &Mention<'a>) -> bool {
        match self.tree.get(mention.around) {
            Some((AstKind::StaticMemberExpression(access), above)) => {
                let is_end = ["pathname", "search", "hash"];
                !is_target(access.span, above, self.tree)
                    || is_end.contains(&access.property.name.as_str())
            }
            Some((AstKind::CallExpression(call), _)) => {
                self.values.is_global(&call.callee, "fetch")
                    && call.callee.span() != mention.name.span
            }
            // A tag would get it.
            Some((AstKind::TemplateLiteral(_), above)) => {
                !matches!(self.tree.get(above), Some((AstKind::TaggedTemplateExpression(_), _)))
            }
            _ => false,
        }
    }
}

fn is_object(value: &Expression<'_>) -> bool {
    matches!(value.get_inner_expression(), Expression::NewExpression(_))
}

fn is_web(text: &str) -> bool {
    let text = text.trim_start();
    let starts = |scheme: &str| {
        text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    };
    starts("http:") || starts("https:")
}
