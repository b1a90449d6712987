use std::borrow::Cow;

use super::{Number, compare_utf16};

/// A JSON value that borrows from the text it was read from.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'a> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number.
    Number(Number<'a>),
    /// A string, unescaped.
    String(Cow<'a, str>),
    /// An array.
    Array(Vec<Value<'a>>),
    /// An object.
    Object(Object<'a>),
}

impl<'a> Value<'a> {
    /// The member of an object; nothing if there is none, or this is no object.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<&Value<'a>> {
        match self {
            Self::Object(object) => object.get(name),
            _ => None,
        }
    }
}

/// A name and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Member<'a> {
    /// The name, unescaped.
    pub name: Cow<'a, str>,
    /// What it names.
    pub value: Value<'a>,
}

/// The members of an object: in canonical order, and no name twice.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Object<'a> {
    members: Vec<Member<'a>>,
}

impl<'a> Object<'a> {
    /// Sorts the members. A name that stands twice is given back as the error.
    pub fn new(mut members: Vec<Member<'a>>) -> Result<Self, Cow<'a, str>> {
        members.sort_unstable_by(|a, b| compare_utf16(&a.name, &b.name));
        let twins = members.windows(2).position(|pair| pair[0].name == pair[1].name);
        match twins {
            Some(index) => Err(members.swap_remove(index).name),
            None => Ok(Self { members }),
        }
    }

    /// The value of a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value<'a>> {
        self.members
            .binary_search_by(|member| compare_utf16(&member.name, name))
            .ok()
            .map(|index| &self.members[index].value)
    }

    /// The members in canonical order.
    #[must_use]
    pub fn members(&self) -> &[Member<'a>] {
        &self.members
    }
}
