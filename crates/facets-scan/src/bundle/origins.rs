//! Where values come from. What the program made itself has no members but those that it was given,
//! and those of a function, none of which leads to the constructor of functions. So it may be copied
//! member by member, which the runtime's own things may not.

use std::collections::{BTreeMap, BTreeSet};

use oxc_ast::ast::{
    Argument, CallExpression, Expression, IdentifierReference, ObjectPropertyKind,
    StaticMemberExpression,
};

use super::helpers::Helpers;
use super::modules::Modules;
use super::texts::HelperRole;
use crate::values::Values;

/// Longer ways to a value are out of sight.
const MAX_DEPTH: usize = 8;

/// Modules that give the exports of modules: longer chains are not followed.
const MAX_ROUNDS: usize = 64;

/// Where the values of a bundle come from.
pub(super) struct Origins<'a, 'v, 'n> {
    values: &'v Values<'a, 'n>,
    helpers: &'v Helpers<'a>,
    modules: &'v Modules<'a>,
    /// Modules that export nothing but what the program made.
    known: BTreeSet<usize>,
}

impl<'a, 'v, 'n> Origins<'a, 'v, 'n> {
    pub(super) fn new(
        values: &'v Values<'a, 'n>,
        helpers: &'v Helpers<'a>,
        modules: &'v Modules<'a>,
    ) -> Self {
        let mut origins = Self { values, helpers, modules, known: BTreeSet::new() };
        origins.known = origins.settled();
        origins
    }

    /// Whether the program made a value itself, in sight.
    pub(super) fn is_own(&self, value: &'a Expression<'a>) -> bool {
        let mut needs = Vec::new();
        self.own(value, &mut needs, 0) && needs.iter().all(|module| self.known.contains(module))
    }

    /// Strikes out modules that may export something else, until nothing changes.
    fn settled(&self) -> BTreeSet<usize> {
        let mut known: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (loader, module) in &self.modules.all {
            let mut needs = Vec::new();
            let own = module.given.as_ref().is_some_and(|given| {
                given.iter().copied().all(|value| self.own(value, &mut needs, 0))
            });
            if own {
                known.insert(*loader, needs);
            }
        }
        for _ in 0..MAX_ROUNDS {
            let is_lost = |needs: &[usize]| needs.iter().any(|module| !known.contains_key(module));
            let lost = known.iter().filter(|(_, needs)| is_lost(needs));
            let lost: BTreeSet<usize> = lost.map(|(loader, _)| *loader).collect();
            if lost.is_empty() {
                return known.into_keys().collect();
            }
            known.retain(|loader, _| !lost.contains(loader));
        }
        BTreeSet::new()
    }

    /// Whether the program made a value itself, if these modules export such values.
    fn own(&self, value: &'a Expression<'a>, needs: &mut Vec<usize>, depth: usize) -> bool {
        if depth > MAX_DEPTH {
            return false;
        }
        let depth = depth + 1;
        match value.get_inner_expression() {
            Expression::ObjectExpression(_)
            | Expression::ArrayExpression(_)
            | Expression::FunctionExpression(_)
            | Expression::ArrowFunctionExpression(_) => true,
            // A decorator may give something else back.
            Expression::ClassExpression(class) => class.decorators.is_empty(),
            Expression::Identifier(name) => self.own_name(name, needs, depth),
            Expression::AssignmentExpression(given) => {
                given.operator.is_assign() && self.own(&given.right, needs, depth)
            }
            Expression::ConditionalExpression(choice) => {
                self.own(&choice.consequent, needs, depth)
                    && self.own(&choice.alternate, needs, depth)
            }
            Expression::LogicalExpression(choice) => {
                self.own(&choice.left, needs, depth) && self.own(&choice.right, needs, depth)
            }
            Expression::SequenceExpression(list) => {
                list.expressions.last().is_some_and(|last| self.own(last, needs, depth))
            }
            Expression::StaticMemberExpression(access) => {
                self.own_exports(access, needs) || self.is_method(access)
            }
            Expression::CallExpression(call) => {
                self.own_result(call, needs, depth) || self.values.is_plain_itself(value)
            }
            other => self.values.is_plain_itself(other),
        }
    }

    fn own_name(
        &self,
        name: &IdentifierReference<'a>,
        needs: &mut Vec<usize>,
        depth: usize,
    ) -> bool {
        let Some(symbol) = self.values.symbol(name) else { return name.name == "undefined" };
        self.modules.is_exports(symbol)
            || self.values.is_constant_function(symbol)
            || self.values.is_class(symbol)
            || self.values.constant(symbol).is_some_and(|given| self.own(given, needs, depth))
    }

    /// `module.exports`
    fn own_exports(&self, access: &StaticMemberExpression<'a>, needs: &mut Vec<usize>) -> bool {
        let Expression::Identifier(name) = &access.object else { return false };
        let owner = self.values.symbol(name).and_then(|symbol| self.modules.owner(symbol));
        needs.extend(owner);
        owner.is_some() && access.property.name == "exports"
    }

    /// A method that the runtime brings, which has a name and a length.
    fn is_method(&self, access: &StaticMemberExpression<'a>) -> bool {
        const OWNERS: &[&str] = &["Array", "JSON", "Math", "Number", "Object"];
        let name = access.property.name.as_str();
        !matches!(name, "prototype" | "constructor" | "__proto__")
            && OWNERS.iter().any(|owner| self.values.is_intact(&access.object, owner))
    }

    fn own_result(
        &self,
        call: &'a CallExpression<'a>,
        needs: &mut Vec<usize>,
        depth: usize,
    ) -> bool {
        // Methods of `Object` that give their first argument back.
        const SAME: &[&str] = &["assign", "defineProperties", "defineProperty", "freeze", "seal"];
        let first = call.arguments.first().and_then(Argument::as_expression);
        match &call.callee {
            Expression::Identifier(name) => {
                let Some(symbol) = self.values.symbol(name) else { return false };
                if self.modules.is_loader(symbol) {
                    needs.push(symbol.index());
                    return true;
                }
                matches!(
                    self.helpers.role(symbol),
                    Some(HelperRole::ToEsm | HelperRole::ToCommonJs)
                ) && first.is_some_and(|first| self.own(first, needs, depth))
            }
            Expression::StaticMemberExpression(access) => {
                let name = access.property.name.as_str();
                self.values.is_intact(&access.object, "Object")
                    && SAME.contains(&name)
                    && first.is_some_and(|first| self.own(first, needs, depth))
            }
            _ => false,
        }
    }

    /// Whether every argument of a helper is what bun gives it.
    pub(super) fn is_proven(&self, role: HelperRole, call: &'a CallExpression<'a>) -> bool {
        let arguments: Option<Vec<&'a Expression<'a>>> =
            call.arguments.iter().map(Argument::as_expression).collect();
        match (role, arguments.as_deref()) {
            (HelperRole::ToEsm, Some(&[value] | &[value, _])) => self.is_module(value),
            (HelperRole::ToCommonJs, Some(&[value])) => self.is_namespace(value),
            (HelperRole::ReExport, Some(&[target, value])) => {
                self.is_namespace(target) && self.is_converted(value)
            }
            (HelperRole::Export, Some(&[target, all])) => {
                self.is_namespace(target) && keys(all).is_some()
            }
            (HelperRole::ExportCjs, Some(&[target, getters, setters])) => {
                let names = keys(getters);
                self.is_namespace(target) && names.is_some() && names == keys(setters)
            }
            _ => false,
        }
    }

    /// `require_x()`
    fn is_module(&self, value: &'a Expression<'a>) -> bool {
        let Expression::CallExpression(call) = value else { return false };
        let Expression::Identifier(name) = &call.callee else { return false };
        let loader = self.values.symbol(name);
        loader.is_some_and(|loader| self.known.contains(&loader.index()))
    }

    /// `__toESM(require_x())`, which is proven where it stands.
    fn is_converted(&self, value: &'a Expression<'a>) -> bool {
        let Expression::CallExpression(call) = value else { return false };
        let Expression::Identifier(name) = &call.callee else { return false };
        let role = self.values.symbol(name).and_then(|symbol| self.helpers.role(symbol));
        role == Some(HelperRole::ToEsm)
    }

    /// `var exports_x = {}`
    fn is_namespace(&self, value: &Expression<'a>) -> bool {
        let Expression::Identifier(name) = value else { return false };
        let given = self.values.symbol(name).and_then(|symbol| self.values.constant(symbol));
        given.is_some_and(|given| {
            matches!(given, Expression::ObjectExpression(object) if object.properties.is_empty())
        })
    }
}

/// The keys of a literal, if they are written out.
fn keys(value: &Expression<'_>) -> Option<Vec<String>> {
    let Expression::ObjectExpression(object) = value else { return None };
    let names = object.properties.iter().map(|property| match property {
        ObjectPropertyKind::ObjectProperty(property) if !property.computed => {
            let name = property.key.static_name()?.into_owned();
            (name != "__proto__").then_some(name)
        }
        _ => None,
    });
    names.collect()
}
