//! Names that a reader takes for others (spec 7.9).

use std::collections::{BTreeMap, BTreeSet};

use facets_markers::{Disguise, disguise, plain_spelling, skeletons, spelled_out, visible_letters};
use facets_surface::{Kind, Surface};

use crate::finding::{Compat, Finding, FindingType, Severity};
use crate::items::subject_kind;

/// Characters of a name that are shown; invisible ones can make it as long as they like.
const SHOWN: usize = 400;

/// What is called by a name alone; the addresses of one server are not those of another.
const CALLED: [Kind; 2] = [Kind::Tool, Kind::Prompt];

const KINDS: [Kind; 4] = [Kind::Tool, Kind::Prompt, Kind::Resource, Kind::ResourceTemplate];

/// Unapproved names of a server that look like another of its names or are
/// not what they look like. Nothing is known of a server at first sight.
#[must_use]
pub fn confusable_names(server: &Surface, approved: Option<&Surface>) -> Vec<Finding> {
    let mut found = Vec::new();
    // spec 5.5: data that comes and goes is nothing that is approved by its name
    let varies = |surface: &Surface| surface.resources_volatile;
    let is_data = varies(server) || approved.is_some_and(varies);
    for kind in KINDS.into_iter().filter(|kind| *kind != Kind::Resource || !is_data) {
        let known = approved.map(|approved| names(approved, kind)).unwrap_or_default();
        found.extend(confusable(kind, &names(server, kind), &known));
    }
    found
}

fn confusable(kind: Kind, here: &BTreeSet<&str>, known: &BTreeSet<&str>) -> Vec<Finding> {
    let mut found = Vec::new();
    let (mut seen, mut gone) = (Names::default(), Names::default());
    known.difference(here).for_each(|name| gone.add(kind, name));
    known.intersection(here).for_each(|name| seen.add(kind, name));
    // Of two that are new, the plainer one is the original.
    let (plain, odd): (Vec<&str>, Vec<&str>) =
        here.difference(known).partition(|name| name.is_ascii() && disguise(name).is_none());
    for name in plain.into_iter().chain(odd) {
        // One that is gone was spelled otherwise, unless this one pretends to be it.
        let twin = seen.like(kind, name).or_else(|| {
            gone.like(kind, name).filter(|gone| plain_spelling(gone) != plain_spelling(name))
        });
        found.extend(judge(kind, name, twin));
        seen.add(kind, name);
    }
    found
}

/// Names by what is seen of them.
#[derive(Default)]
struct Names<'s>(BTreeMap<(usize, String), &'s str>);

impl<'s> Names<'s> {
    fn add(&mut self, kind: Kind, name: &'s str) {
        for key in keys(kind, name) {
            self.0.entry(key).or_insert(name);
        }
    }

    fn like(&self, kind: Kind, name: &str) -> Option<&'s str> {
        keys(kind, name).iter().find_map(|key| self.0.get(key).copied())
    }
}

/// Unapproved names of a server that are disguised as a name of another server.
/// Servers that know nothing of each other have the same names, or spell them otherwise: that
/// is no disguise.
#[must_use]
pub fn names_like_others(
    server: &Surface,
    approved: Option<&Surface>,
    others: &[(String, Surface)],
) -> Vec<Finding> {
    let mut found = Vec::new();
    let others: Vec<(&str, [Names<'_>; 2])> = others.iter().map(by_look).collect();
    for (at, kind) in CALLED.into_iter().enumerate() {
        let known = approved.map(|approved| names(approved, kind)).unwrap_or_default();
        for name in names(server, kind).difference(&known) {
            let twin = others.iter().find_map(|(other, pinned)| {
                let twin = pinned[at].like(kind, name)?;
                let is_disguise = plain_spelling(name) != plain_spelling(twin);
                is_disguise.then_some((other, twin))
            });
            let Some((other, twin)) = twin else { continue };
            let [spelled, of_other] = [name, twin].map(shown);
            let sentence = format!("`{spelled}` looks like `{of_other}` of the server `{other}`");
            found.push(finding(kind, name, Some(of_other), sentence));
        }
    }
    found
}

fn by_look((server, surface): &(String, Surface)) -> (&str, [Names<'_>; 2]) {
    let by_look = CALLED.map(|kind| {
        let mut seen = Names::default();
        for name in names(surface, kind) {
            seen.add(kind, name);
        }
        seen
    });
    (server, by_look)
}

fn names(surface: &Surface, kind: Kind) -> BTreeSet<&str> {
    // What only other clients get is in the same list there.
    let other = surface.also.items.iter().filter(|item| item.kind() == kind);
    let items = surface.items(kind).iter().chain(other);
    items.map(facets_surface::Definition::name).collect()
}

/// What names share that look alike. Case, digits and signs tell addresses apart.
fn keys(kind: Kind, name: &str) -> Vec<(usize, String)> {
    match kind {
        Kind::Tool | Kind::Prompt => skeletons(name).into_iter().enumerate().collect(),
        Kind::Resource | Kind::ResourceTemplate => vec![(0, visible_letters(name))],
    }
}

fn judge(kind: Kind, name: &str, twin: Option<&str>) -> Option<Finding> {
    let spelled = shown(name);
    let sentence = match (twin, disguise(name)) {
        (Some(twin), _) => {
            format!("`{spelled}` looks like `{}` but is a different name", shown(twin))
        }
        (None, Some(Disguise::Invisible)) => {
            format!("`{spelled}` has invisible characters in its name")
        }
        (None, Some(Disguise::Alphabets)) => {
            format!("`{spelled}` has letters or signs in its name that can be taken for others")
        }
        (None, None) => return None,
    };
    Some(finding(kind, name, twin.map(shown), sentence))
}

fn finding(kind: Kind, name: &str, twin: Option<String>, sentence: String) -> Finding {
    let subject = (subject_kind(kind), name);
    let grade = (Severity::Critical, Compat::Risky);
    let finding = Finding::new(FindingType::NameConfusable, subject, grade, sentence);
    finding.of_member(kind.key(), twin, Some(shown(name)))
}

fn shown(name: &str) -> String {
    let spelled = spelled_out(name);
    match spelled.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &spelled[..end]),
        None => spelled,
    }
}
