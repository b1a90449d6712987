//! What was approved, ready to be looked up.

use std::collections::{BTreeMap, BTreeSet};

use facets_digest::Digest;
use facets_digest::json::Value;
use facets_markers::skeletons;
use facets_surface::{Also, Definition, Kind, Surface};

use crate::address::{folder, lies_in};
use crate::members::known_members;
use crate::pinned_openings::PinnedOpenings;
use crate::uri::Template;

/// One approved definition.
#[derive(Clone, Debug)]
pub(crate) struct PinnedItem {
    digest: Digest,
    /// Canonical, as it is delivered.
    pub(crate) text: String,
}

/// Everything that was approved of a server.
#[derive(Clone, Debug)]
pub struct Pins {
    items: BTreeMap<Kind, BTreeMap<String, Vec<PinnedItem>>>,
    /// Names by what eyes see of them.
    seen: BTreeMap<(Kind, String), Vec<String>>,
    instructions: BTreeSet<String>,
    pub(crate) openings: PinnedOpenings,
    templates: Vec<(String, Template)>,
    /// The folders of resources that come and go; none if they do not.
    volatile_folders: Option<BTreeSet<String>>,
}

/// How a listed definition relates to what was approved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Match<'p> {
    /// It is what was approved, which is delivered in this form.
    Same(&'p str),
    /// It is data that comes and goes, and lies where such data may lie.
    Varies,
    /// Something of this name was approved, but it was something else: these members differ.
    Differs(Vec<String>),
    /// Nothing of this name was approved.
    New,
}

impl Pins {
    /// Collects what a server declared, to whichever kind of client.
    #[must_use]
    pub fn of<'s>(surfaces: impl IntoIterator<Item = &'s Surface>) -> Self {
        let mut pins = Self {
            items: BTreeMap::new(),
            seen: BTreeMap::new(),
            instructions: BTreeSet::new(),
            openings: PinnedOpenings::default(),
            templates: Vec::new(),
            volatile_folders: None,
        };
        for surface in surfaces {
            pins.add(surface);
        }
        pins
    }

    /// The same, and what it declares otherwise.
    #[must_use]
    pub fn with_variant(mut self, variant: &Also) -> Self {
        self.add_also(variant);
        self
    }

    fn add_also(&mut self, also: &Also) {
        self.instructions.extend(also.instructions.iter().cloned());
        for item in &also.items {
            self.add_item(item);
        }
    }

    fn add(&mut self, surface: &Surface) {
        self.instructions.extend(surface.instructions.clone());
        self.openings.add(surface);
        for kind in [Kind::Tool, Kind::Prompt, Kind::Resource, Kind::ResourceTemplate] {
            for item in surface.items(kind) {
                self.add_item(item);
            }
        }
        self.add_also(&surface.also);
        if surface.resources_volatile {
            let folders = surface.items(Kind::Resource).iter().map(|item| folder(item.name()));
            let known = self.volatile_folders.get_or_insert_default();
            known.extend(folders.map(str::to_owned));
        }
    }

    fn add_item(&mut self, item: &Definition) {
        let pins = self.items.entry(item.kind()).or_default();
        let pins = pins.entry(item.name().to_owned()).or_default();
        if pins.iter().any(|pin| pin.digest == item.digest()) {
            return;
        }
        let mut text = Vec::new();
        item.write_canonical(&mut text);
        let text = String::from_utf8_lossy(&text).into_owned();
        let is_first = pins.is_empty();
        pins.push(PinnedItem { digest: item.digest(), text });
        if is_first {
            for skeleton in skeletons(item.name()) {
                let seen = self.seen.entry((item.kind(), skeleton));
                seen.or_default().push(item.name().to_owned());
            }
        }
        if item.kind() == Kind::ResourceTemplate {
            self.templates.push((item.name().to_owned(), Template::parse(item.name())));
        }
    }

    fn of_kind(&self, kind: Kind) -> impl Iterator<Item = (&String, &Vec<PinnedItem>)> {
        self.items.get(&kind).into_iter().flatten()
    }

    pub(crate) fn contains(&self, kind: Kind, name: &str) -> bool {
        self.items.get(&kind).is_some_and(|items| items.contains_key(name))
    }

    /// How many of a kind were approved.
    #[must_use]
    pub fn count(&self, kind: Kind) -> usize {
        self.of_kind(kind).count()
    }

    pub(crate) fn compare(&self, item: &Definition) -> Match<'_> {
        let pins = self.items.get(&item.kind()).and_then(|items| items.get(item.name()));
        let pins = pins.map(Vec::as_slice).unwrap_or_default();
        if let Some(pin) = pins.iter().find(|pin| pin.digest == item.digest()) {
            return Match::Same(&pin.text);
        }
        let varies = item.kind() == Kind::Resource && self.may_lie(item.name());
        match pins.first() {
            // Data may vary, and is delivered as it was approved.
            Some(pin) if varies => Match::Same(&pin.text),
            Some(pin) => Match::Differs(differing(&pin.text, item)),
            None if varies => Match::Varies,
            None => Match::New,
        }
    }

    /// Whether resources vary, and one may lie here.
    fn may_lie(&self, uri: &str) -> bool {
        let known = self.volatile_folders.as_ref().and_then(|known| known.get(folder(uri)));
        known.is_some_and(|folder| lies_in(uri, folder))
    }

    /// Whether an address was approved: itself, as one of many, or by a template that is still
    /// what it was.
    pub(crate) fn covers(&self, uri: &str, is_withheld: impl Fn(&str) -> bool) -> bool {
        let mut templates = self.templates.iter().filter(|(name, _)| !is_withheld(name));
        self.contains(Kind::Resource, uri)
            || self.may_lie(uri)
            || templates.any(|(_, template)| template.matches(uri))
    }

    pub(crate) fn has_instructions(&self, text: &str) -> bool {
        self.instructions.contains(text)
    }

    /// The approved name that another one looks like.
    pub(crate) fn lookalike(&self, kind: Kind, name: &str) -> Option<&str> {
        // Nobody takes a name of this length for another.
        const LONGEST: usize = 1024;
        if name.len() > LONGEST {
            return None;
        }
        let alike = skeletons(name).map(|skeleton| self.seen.get(&(kind, skeleton)));
        let mut names = alike.into_iter().flatten().flatten().map(String::as_str);
        names.find(|known| *known != name)
    }
}

/// The members in which two definitions differ.
fn differing(pinned: &str, item: &Definition) -> Vec<String> {
    let limits = facets_digest::json::Limits::DEFINITION;
    let origin = facets_digest::json::Provenance::Captured;
    let pinned = facets_digest::json::parse(pinned.as_bytes(), origin, limits);
    let (Ok(Value::Object(old)), Value::Object(new)) = (pinned, item.value()) else {
        return Vec::new();
    };
    known_members(&old, &new)
}
