//! What a schema asks for, in pieces that mean one thing each.
//!
//! Every piece is stored once: two schemas that ask for the same share it, and then nothing
//! needs to be proven about it.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::instance::Instance;
use crate::regex::{Automaton, Pattern};

/// States of all automata of two schemas; patterns beyond them are compared by their text.
const MOST_STATES: usize = 100_000;

/// A piece, by its place in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Id(u32);

impl Id {
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A pattern, by its place in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PatternId(u32);

/// A value of an enumeration, by its place in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ValueId(u32);

/// A finite number with an order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Finite(pub(crate) f64);

impl PartialEq for Finite {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Finite {}

impl PartialOrd for Finite {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Finite {
    fn cmp(&self, other: &Self) -> Ordering {
        // Adding zero makes the two zeros one.
        (self.0 + 0.0).total_cmp(&(other.0 + 0.0))
    }
}

/// Which types of values; integers and other numbers are two, as schemas tell them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Types(pub(crate) u8);

impl Types {
    pub(crate) const NULL: Self = Self(1);
    pub(crate) const BOOL: Self = Self(1 << 1);
    pub(crate) const INTEGER: Self = Self(1 << 2);
    pub(crate) const FRACTION: Self = Self(1 << 3);
    pub(crate) const NUMBER: Self = Self(Self::INTEGER.0 | Self::FRACTION.0);
    pub(crate) const STRING: Self = Self(1 << 4);
    pub(crate) const ARRAY: Self = Self(1 << 5);
    pub(crate) const OBJECT: Self = Self(1 << 6);
    pub(crate) const ALL: Self = Self((1 << 7) - 1);
    pub(crate) const NONE: Self = Self(0);

    /// One by one; what people send most comes first.
    pub(crate) const EACH: [Self; 7] = [
        Self::OBJECT,
        Self::STRING,
        Self::INTEGER,
        Self::BOOL,
        Self::ARRAY,
        Self::NULL,
        Self::FRACTION,
    ];

    pub(crate) const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(crate) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(crate) const fn not(self) -> Self {
        Self(!self.0 & Self::ALL.0)
    }

    pub(crate) fn of(instance: &Instance) -> Self {
        match instance {
            Instance::Null => Self::NULL,
            Instance::Bool(_) => Self::BOOL,
            Instance::Number(number) if number.fract() == 0.0 => Self::INTEGER,
            Instance::Number(_) => Self::FRACTION,
            Instance::String(_) => Self::STRING,
            Instance::Array(_) => Self::ARRAY,
            Instance::Object(_) => Self::OBJECT,
        }
    }
}

/// One demand. A demand on one type of values says nothing about the others.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Node {
    Bool(bool),
    All(Vec<Id>),
    Any(Vec<Id>),
    Not(Id),
    /// A definition, which may lead back here.
    Ref(usize),
    Types(Types),
    Enum(Vec<ValueId>),
    Minimum {
        bound: Finite,
        exclusive: bool,
    },
    Maximum {
        bound: Finite,
        exclusive: bool,
    },
    MultipleOf(Finite),
    MinLength(u64),
    MaxLength(u64),
    Pattern(PatternId),
    MinItems(u64),
    MaxItems(u64),
    Unique,
    /// The item at one place.
    Item(usize, Id),
    /// All items from a place on.
    ItemsFrom(usize, Id),
    /// So many items are such.
    Contains {
        node: Id,
        min: u64,
        max: Option<u64>,
    },
    MinProperties(u64),
    MaxProperties(u64),
    Required(Rc<str>),
    /// The value of a name, if it is there.
    Property(Rc<str>, Id),
    /// The values of all names that match.
    Matching(PatternId, Id),
    /// The values of all names but these.
    Others {
        names: Rc<[Rc<str>]>,
        patterns: Vec<PatternId>,
        node: Id,
    },
    /// The names themselves.
    Names(Id),
    /// What nobody looks into: the same text is the same demand, and that is all.
    Opaque {
        keyword: Rc<str>,
        text: Rc<str>,
    },
}

impl Node {
    /// The types that this demand is about.
    pub(crate) const fn about(&self) -> Types {
        match self {
            Self::Minimum { .. } | Self::Maximum { .. } | Self::MultipleOf(_) => Types::NUMBER,
            Self::MinLength(_) | Self::MaxLength(_) | Self::Pattern(_) => Types::STRING,
            Self::MinItems(_)
            | Self::MaxItems(_)
            | Self::Unique
            | Self::Item(..)
            | Self::ItemsFrom(..)
            | Self::Contains { .. } => Types::ARRAY,
            Self::MinProperties(_)
            | Self::MaxProperties(_)
            | Self::Required(_)
            | Self::Property(..)
            | Self::Matching(..)
            | Self::Others { .. }
            | Self::Names(_) => Types::OBJECT,
            _ => Types::ALL,
        }
    }
}

/// All pieces of two schemas.
#[derive(Debug, Default)]
pub(crate) struct Table {
    nodes: Vec<Node>,
    ids: BTreeMap<Node, Id>,
    values: Vec<Instance>,
    value_ids: BTreeMap<String, ValueId>,
    patterns: Vec<Pattern>,
    pattern_ids: BTreeMap<String, PatternId>,
    /// States of all automata.
    states: usize,
    /// What references lead to.
    definitions: Vec<Id>,
}

impl Table {
    pub(crate) fn node(&self, id: Id) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// The first keyword that nobody looks into; of all others only patterns can be too much.
    pub(crate) fn unread_keyword(&self) -> Option<String> {
        let opaque = self.nodes.iter().find_map(|node| match node {
            Node::Opaque { keyword, .. } => Some(keyword.to_string()),
            _ => None,
        });
        opaque.or_else(|| (!self.patterns.is_empty()).then(|| "pattern".to_owned()))
    }

    pub(crate) fn value(&self, id: ValueId) -> &Instance {
        &self.values[id.0 as usize]
    }

    /// A value of any enumeration, if there is one like this.
    pub(crate) fn find_value(&self, value: &Instance) -> Option<ValueId> {
        self.value_ids.get(&value.to_json()).copied()
    }

    pub(crate) fn pattern(&self, id: PatternId) -> &Pattern {
        &self.patterns[id.0 as usize]
    }

    pub(crate) fn definition(&self, index: usize) -> Id {
        self.definitions[index]
    }

    /// Room for a definition whose meaning comes later.
    pub(crate) fn reserve_definition(&mut self) -> usize {
        let always = self.add(Node::Bool(true));
        self.definitions.push(always);
        self.definitions.len() - 1
    }

    pub(crate) fn define(&mut self, index: usize, id: Id) {
        self.definitions[index] = id;
    }

    pub(crate) fn definitions(&self) -> &[Id] {
        &self.definitions
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn add(&mut self, node: Node) -> Id {
        if let Some(id) = self.ids.get(&node) {
            return *id;
        }
        let id = Id(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push(node.clone());
        self.ids.insert(node, id);
        id
    }

    pub(crate) fn add_value(&mut self, value: Instance) -> ValueId {
        let text = value.to_json();
        if let Some(id) = self.value_ids.get(&text) {
            return *id;
        }
        let id = ValueId(u32::try_from(self.values.len()).unwrap_or(u32::MAX));
        self.values.push(value);
        self.value_ids.insert(text, id);
        id
    }

    pub(crate) fn add_pattern(&mut self, source: &str) -> PatternId {
        if let Some(id) = self.pattern_ids.get(source) {
            return *id;
        }
        let id = PatternId(u32::try_from(self.patterns.len()).unwrap_or(u32::MAX));
        let mut pattern = Pattern::new(source);
        self.states += pattern.automaton.as_ref().map_or(0, Automaton::size);
        if self.states > MOST_STATES {
            pattern.automaton = None;
        }
        self.patterns.push(pattern);
        self.pattern_ids.insert(source.to_owned(), id);
        id
    }

    /// All of these; the simplest piece that says so.
    pub(crate) fn all(&mut self, parts: Vec<Id>) -> Id {
        self.join(parts, true)
    }

    /// At least one of these.
    pub(crate) fn any(&mut self, parts: Vec<Id>) -> Id {
        self.join(parts, false)
    }

    fn join(&mut self, mut parts: Vec<Id>, all: bool) -> Id {
        let (neutral, ending) = (self.add(Node::Bool(all)), self.add(Node::Bool(!all)));
        parts.sort_unstable();
        parts.dedup();
        parts.retain(|part| *part != neutral);
        if parts.contains(&ending) {
            return ending;
        }
        match parts.as_slice() {
            [] => neutral,
            [one] => *one,
            _ if all => self.add(Node::All(parts)),
            _ => self.add(Node::Any(parts)),
        }
    }

    pub(crate) fn not(&mut self, id: Id) -> Id {
        match self.node(id) {
            Node::Bool(flag) => {
                let flag = !*flag;
                self.add(Node::Bool(flag))
            }
            Node::Not(inner) => *inner,
            _ => self.add(Node::Not(id)),
        }
    }
}
