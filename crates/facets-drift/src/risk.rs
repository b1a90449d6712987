//! How much a tool can do, by its words and annotations (spec 7.5).
//!
//! Whole words count, in their English forms; parts of words never do. The tables say what a
//! word is worth and why. Words are what a server says about itself: a low risk is a claim, a
//! high one a reason to look.

use std::collections::BTreeSet;

use facets_digest::json::{Object, Value};
use facets_surface::Definition;

mod level;
mod roles;
mod tables;
mod words;

pub use level::Risk;
use roles::{WordRole, has, roles};
use tables::{Group, NEAR, PAIRS, PARAMETERS, Parameter, TERMS, Term, WordPair};
use words::{sentences, split_name};

/// A level, and what led to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assessment {
    /// The level.
    pub risk: Risk,
    /// Short phrases, the name's first; empty where nothing was found.
    pub reasons: Vec<String>,
}

/// Where a reason comes from. Two reasons are worth more if they come from two places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ReasonPlace {
    Name,
    Description,
    Parameter,
}

struct Reason {
    place: ReasonPlace,
    group: Group,
    risk: Risk,
    text: String,
}

/// What a tool can do, judged by its name, description, parameters and annotations.
#[must_use]
pub fn assess(tool: &Definition) -> Assessment {
    let value = tool.value();
    let member = |name: &str| match &value {
        Value::Object(object) => object.get(name),
        _ => None,
    };
    let mut reasons = Vec::new();
    look_at_name(&split_name(tool.name()), &mut reasons);
    if let Some(Value::String(text)) = member("description") {
        look_at_description(text, &mut reasons);
    }
    if let Some(schema) = member("inputSchema") {
        look_at_parameters(schema, &mut reasons);
    }
    let annotations = match member("annotations") {
        Some(Value::Object(annotations)) => Some(annotations),
        _ => None,
    };
    decide(reasons, annotations)
}

/// The rows of a table that a word stands in.
fn terms(word: &str) -> impl Iterator<Item = (usize, &'static Term)> {
    roles(word).iter().filter_map(|role| match role {
        WordRole::Term(row) => TERMS.get(*row).map(|term| (*row, term)),
        _ => None,
    })
}

fn look_at_name(name: &[String], reasons: &mut Vec<Reason>) {
    // After a verb of reading, what follows is a thing: `list_deleted_items`.
    let reads = name.iter().take(2).position(|word| has(word, WordRole::Reading));
    for (at, word) in name.iter().enumerate() {
        for (row, term) in terms(word) {
            let Some(risk) = term.in_name else { continue };
            let thing = reads.is_some_and(|reads| reads < at) && !term.group.is_plain();
            let alone = name.len() == 1 && has(word, WordRole::EmptyAlone);
            let other = name.iter().any(|word| has(word, WordRole::Unless(row)));
            if !thing && !alone && !other {
                let text = format!("the name has \"{word}\": {}", term.why);
                reasons.push(Reason { place: ReasonPlace::Name, group: term.group, risk, text });
            }
        }
    }
    if reads.is_none() {
        look_for_pairs(name, ReasonPlace::Name, reasons);
    }
}

fn look_at_description(text: &str, reasons: &mut Vec<Reason>) {
    for sentence in sentences(text) {
        let Some(first) = sentence.first() else { continue };
        for (row, term) in terms(first) {
            let Some(risk) = term.in_text else { continue };
            if !sentence.iter().take(5).any(|word| has(word, WordRole::Unless(row))) {
                let text = format!("the description has \"{first}\": {}", term.why);
                reasons.push(Reason {
                    place: ReasonPlace::Description,
                    group: term.group,
                    risk,
                    text,
                });
            }
        }
        look_for_pairs(&sentence, ReasonPlace::Description, reasons);
    }
}

/// Two words near each other that say more than each alone.
fn look_for_pairs(words: &[String], place: ReasonPlace, reasons: &mut Vec<Reason>) {
    for (at, word) in words.iter().enumerate() {
        for role in roles(word) {
            let WordRole::Left(row) = *role else { continue };
            let Some(pair) = PAIRS.get(row) else { continue };
            let negated =
                words[..at].iter().rev().take(3).any(|word| has(word, WordRole::Negating));
            let mut near = words.iter().skip(at + 1).take(NEAR);
            let right = near.find(|word| has(word, WordRole::Right(row)));
            if let Some(right) = right.filter(|_| !negated) {
                reasons.push(pair_reason(pair, place, &format!("{word} … {right}")));
            }
        }
    }
}

/// What a parameter's description says weighs less than what the tool's does.
fn pair_reason(pair: &WordPair, place: ReasonPlace, words: &str) -> Reason {
    let most = if place == ReasonPlace::Parameter { Risk::Medium } else { Risk::High };
    let text = format!("the {} has \"{words}\": {}", place.noun(), pair.why);
    Reason { place, group: pair.group, risk: pair.risk.min(most), text }
}

impl ReasonPlace {
    fn noun(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Description => "description",
            Self::Parameter => "description of a parameter",
        }
    }
}

/// Parameters, also those of nested objects.
fn look_at_parameters(schema: &Value<'_>, reasons: &mut Vec<Reason>) {
    match schema {
        Value::Array(items) => items.iter().for_each(|item| look_at_parameters(item, reasons)),
        Value::Object(object) => {
            for member in object.members() {
                if let ("properties", Value::Object(properties)) = (&*member.name, &member.value) {
                    for property in properties.members() {
                        look_at_parameter(&property.name, &property.value, reasons);
                    }
                }
                look_at_parameters(&member.value, reasons);
            }
        }
        _ => {}
    }
}

fn look_at_parameter(name: &str, schema: &Value<'_>, reasons: &mut Vec<Reason>) {
    let member = |name: &str| match schema {
        Value::Object(object) => object.get(name),
        _ => None,
    };
    // A choice among given values carries no code and no address.
    let chosen = member("enum").is_some() || member("const").is_some();
    let counted = matches!(member("type"), Some(Value::String(kind))
        if matches!(&**kind, "boolean" | "integer" | "number"));
    let words = split_name(name);
    // The last word says what it is: a `command_id` is an id.
    for role in words.last().map_or(&[][..], |last| roles(last)) {
        let WordRole::Parameter(row) = *role else { continue };
        let Some(Parameter { is_switch, group, risk, why, .. }) = PARAMETERS.get(row) else {
            continue;
        };
        if *is_switch || !chosen && !counted {
            let text = format!("the parameter \"{name}\": {why}");
            reasons.push(Reason {
                place: ReasonPlace::Parameter,
                group: *group,
                risk: *risk,
                text,
            });
        }
    }
    if words.iter().any(|word| has(word, WordRole::Weighty)) {
        let text = format!("the parameter \"{name}\" makes it reach further");
        let (place, group) = (ReasonPlace::Parameter, Group::Weight);
        reasons.push(Reason { place, group, risk: Risk::Low, text });
    }
    if let Some(Value::String(text)) = member("description") {
        for words in sentences(text) {
            look_for_pairs(&words, ReasonPlace::Parameter, reasons);
        }
    }
}

fn decide(mut reasons: Vec<Reason>, annotations: Option<&Object<'_>>) -> Assessment {
    reasons.sort_by_key(|reason| reason.place);
    let mut risk = reasons.iter().map(|reason| reason.risk).max().unwrap_or(Risk::Low);
    let places = |group: Group| {
        let of_group = reasons.iter().filter(|reason| reason.group == group);
        of_group.map(|reason| reason.place).collect::<BTreeSet<ReasonPlace>>().len()
    };
    // The name and the parameters say the same: then it is meant.
    let twice = [Group::Execution, Group::Money].iter().any(|group| places(*group) > 1);
    let further = places(Group::Destruction) > 0 && places(Group::Weight) > 0;
    if risk == Risk::Medium && (twice || further) {
        risk = Risk::High;
    }
    if !further {
        reasons.retain(|reason| reason.group != Group::Weight);
    }
    let said = annotations.and_then(|annotations| annotated(&mut risk, &reasons, annotations));
    let mut texts: Vec<String> = Vec::new();
    for text in reasons.into_iter().map(|reason| reason.text).chain(said.map(str::to_owned)) {
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    Assessment { risk, reasons: texts }
}

/// A claim to be dangerous is believed; a claim to be harmless only where little speaks against it.
fn annotated(
    risk: &mut Risk,
    reasons: &[Reason],
    annotations: &Object<'_>,
) -> Option<&'static str> {
    let hint = |name: &str| match annotations.get(name) {
        Some(Value::Bool(hint)) => Some(*hint),
        _ => None,
    };
    let any = |groups: &[Group]| reasons.iter().any(|reason| groups.contains(&reason.group));
    match (hint("readOnlyHint"), hint("destructiveHint")) {
        (Some(true), Some(true)) => {
            *risk = (*risk).max(Risk::Medium);
            Some("annotations say read-only and destructive at once")
        }
        (_, Some(true)) => {
            // Many servers call every change destructive; only with such a word is it meant.
            let meant = any(&[Group::Destruction, Group::Execution, Group::Money]);
            *risk = if meant { Risk::High } else { (*risk).max(Risk::Medium) };
            Some("annotations say destructive")
        }
        // A secret that is only read is a secret given out.
        (Some(true), _) if *risk == Risk::Medium && !any(&[Group::Secrets]) => {
            *risk = Risk::Low;
            Some("annotations say read-only")
        }
        (Some(false), None) => {
            *risk = (*risk).max(Risk::Medium);
            Some("annotations say that it changes something")
        }
        _ => None,
    }
}
