//! Prompts of a lockfile.

use std::borrow::Cow;

use facets_digest::json::compare_utf16;

use super::contract::shape;
use super::js::{Js, canonicalize};
use super::{FusionError, sha256};

/// A prompt as it is registered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prompt {
    /// Its name.
    pub name: String,
    /// For people.
    pub title: Option<String>,
    /// For people.
    pub description: Option<String>,
    /// In any order.
    pub tags: Vec<String>,
    /// In any order.
    pub arguments: Vec<PromptArgument>,
    /// Whether something runs before it.
    pub has_middleware: bool,
    /// In milliseconds.
    pub hydration_timeout: Option<f64>,
}

/// An argument of a prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PromptArgument {
    /// Its name.
    pub name: String,
    /// For people.
    pub description: Option<String>,
    /// Whether it must be given.
    pub required: bool,
}

impl Prompt {
    /// The entry of a new lockfile, digests included.
    pub(super) fn entry(&self) -> Result<Js<'static>, FusionError> {
        self.sorted_arguments().map(|arguments| self.entry_with(&arguments))
    }

    /// The entry if the arguments are in the right order already.
    pub(super) fn entry_as_ordered(&self) -> Js<'static> {
        self.entry_with(&self.arguments.iter().collect::<Vec<_>>())
    }

    fn entry_with(&self, arguments: &[&PromptArgument]) -> Js<'static> {
        let arguments = Js::Array(arguments.iter().map(|argument| argument.entry()).collect());
        let mut tags = self.tags.clone();
        tags.sort_by(|a, b| compare_utf16(a, b));
        let tags = Js::Array(tags.into_iter().map(|tag| Js::String(tag.into())).collect());
        let timeout = self.hydration_timeout.map_or(Js::Null, Js::Number);
        let facts = vec![
            member("description", optional(self.description.as_ref())),
            member("title", optional(self.title.as_ref())),
            member("tags", tags),
            member("arguments", arguments.clone()),
            member("hasMiddleware", Js::Bool(self.has_middleware)),
            member("hydrationTimeout", timeout),
        ];
        let mut named = facts.clone();
        named.push(member("name", text(&self.name)));
        let mut entry = facts;
        entry.push(member("integrityDigest", digest_of(&Js::Object(named))));
        entry.push(member("argumentsDigest", digest_of(&arguments)));
        Js::Object(entry)
    }

    /// The reference sorts by the locale of its process. Names of a-z and 0-9 have the same
    /// order in all locales that know no contractions; for others there is no one digest.
    fn sorted_arguments(&self) -> Result<Vec<&PromptArgument>, FusionError> {
        let plain = |name: &str| {
            name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        };
        let mut arguments: Vec<&PromptArgument> = self.arguments.iter().collect();
        let odd = arguments.iter().find(|argument| !plain(&argument.name));
        if let (Some(argument), 2..) = (odd, arguments.len()) {
            return Err(FusionError::LocaleOrder {
                prompt: self.name.clone(),
                argument: argument.name.clone(),
            });
        }
        arguments.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(arguments)
    }

    /// Reads a prompt as a registry of the reference describes it.
    pub fn from_js(value: &Js<'_>) -> Result<Self, FusionError> {
        let name = value.get("name").and_then(Js::text);
        let name = name.ok_or_else(|| shape("a prompt's name", "a string"))?.to_owned();
        let owned =
            |value: &Js<'_>, member: &str| value.get(member).and_then(Js::text).map(str::to_owned);
        let list = |member: &str| match value.get(member) {
            Some(Js::Array(items)) => items.as_slice(),
            _ => &[],
        };
        let argument = |argument: &Js<'_>| PromptArgument {
            name: owned(argument, "name").unwrap_or_default(),
            description: owned(argument, "description"),
            required: argument.get("required") == Some(&Js::Bool(true)),
        };
        Ok(Self {
            name,
            title: owned(value, "title"),
            description: owned(value, "description"),
            tags: list("tags").iter().filter_map(Js::text).map(str::to_owned).collect(),
            arguments: list("args").iter().map(argument).collect(),
            has_middleware: value.get("hasMiddleware") == Some(&Js::Bool(true)),
            hydration_timeout: match value.get("timeout") {
                Some(Js::Number(number)) => Some(*number),
                _ => None,
            },
        })
    }
}

impl PromptArgument {
    fn entry(&self) -> Js<'static> {
        Js::Object(vec![
            member("name", text(&self.name)),
            member("description", optional(self.description.as_ref())),
            member("required", Js::Bool(self.required)),
        ])
    }
}

pub(super) fn member(name: &'static str, value: Js<'static>) -> (Cow<'static, str>, Js<'static>) {
    (Cow::Borrowed(name), value)
}

pub(super) fn text(text: &str) -> Js<'static> {
    Js::String(Cow::Owned(text.to_owned()))
}

pub(super) fn optional(value: Option<&String>) -> Js<'static> {
    value.map_or(Js::Null, |value| text(value))
}

fn digest_of(value: &Js<'_>) -> Js<'static> {
    text(&format!("sha256:{}", sha256(&canonicalize(value))))
}
