//! What a server may do, by the decision of a user (spec 11.4).

use facets_digest::json::{Value, quoted, write_list, write_string};

/// What begins a path that may only be read.
pub const READ_ONLY: &str = "ro:";

/// How much of something is granted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Nothing.
    None,
    /// These hosts or paths, sorted.
    Listed(Vec<String>),
    /// Everything.
    All,
}

impl Extent {
    /// Whether this is more than another, or not surely less.
    #[must_use]
    pub fn is_wider_than(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::None, _) | (_, Self::All) => false,
            (Self::Listed(items), Self::None) => !items.is_empty(),
            (Self::Listed(items), Self::Listed(old)) => items.iter().any(|i| !old.contains(i)),
            (Self::All, _) => true,
        }
    }

    /// What both this and another allow. Of paths, one that may only be read is part of one that may
    /// be written.
    #[must_use]
    pub fn capped_at(&self, limit: &Self) -> Self {
        match (self, limit) {
            (Self::None, _) | (_, Self::None) => Self::None,
            (other, Self::All) | (Self::All, other) => other.clone(),
            (Self::Listed(items), Self::Listed(limit)) => {
                let allows = |list: &[String], item: &String| {
                    let writable = item.strip_prefix(READ_ONLY).map(str::to_owned);
                    list.contains(item) || writable.is_some_and(|path| list.contains(&path))
                };
                let of_both = items.iter().chain(limit);
                let of_both = of_both.filter(|item| allows(items, item) && allows(limit, item));
                let mut both: Vec<String> = of_both.cloned().collect();
                both.sort();
                both.dedup();
                Self::Listed(both)
            }
        }
    }

    fn to_json(&self) -> String {
        match self {
            Self::None => quoted("none"),
            Self::All => quoted("all"),
            Self::Listed(items) => {
                let mut out = Vec::new();
                write_list(['[', ']'], items, &mut out, |item, out| write_string(item, out));
                String::from_utf8_lossy(&out).into_owned()
            }
        }
    }

    fn parse(value: &Value<'_>) -> Option<Self> {
        match value {
            Value::String(word) if &**word == "none" => Some(Self::None),
            Value::String(word) if &**word == "all" => Some(Self::All),
            Value::Array(items) => {
                let items = items.iter().map(|item| match item {
                    Value::String(text) => Some(text.to_string()),
                    _ => None,
                });
                items.collect::<Option<Vec<_>>>().map(Self::Listed)
            }
            _ => None,
        }
    }
}

/// Which arguments calls may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arguments {
    /// Any.
    #[default]
    Any,
    /// Those that the closed copy of the pinned schema accepts.
    Pinned,
}

impl Arguments {
    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::Pinned => "pinned",
        }
    }

    fn parse(value: Option<&Value<'_>>) -> Option<Self> {
        match value {
            None => Some(Self::Any),
            // `any` is not written, so that locks of earlier versions are the same.
            Some(Value::String(word)) if &**word == "pinned" => Some(Self::Pinned),
            Some(_) => None,
        }
    }
}

/// What a server may do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grants {
    /// Hosts.
    pub network: Extent,
    /// Paths.
    pub filesystem: Extent,
    /// Other processes.
    pub subprocess: bool,
    /// Asking the model.
    pub sampling: bool,
    /// Asking the user.
    pub elicitation: bool,
    /// Which arguments its tools may be called with.
    pub arguments: Arguments,
}

impl Grants {
    /// spec 11.4: inline servers begin with everything
    pub const ALL: Self = Self {
        network: Extent::All,
        filesystem: Extent::All,
        subprocess: true,
        sampling: true,
        elicitation: true,
        arguments: Arguments::Any,
    };

    /// Canonical JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        let Self { network, filesystem, subprocess, sampling, elicitation, arguments } = self;
        let arguments = match arguments {
            Arguments::Any => "",
            Arguments::Pinned => "\"arguments\":\"pinned\",",
        };
        format!(
            "{{{arguments}\"elicitation\":{elicitation},\"filesystem\":{},\"network\":{},\
             \"sampling\":{sampling},\"subprocess\":{subprocess}}}",
            filesystem.to_json(),
            network.to_json()
        )
    }

    /// Reads a full list of grants, just as facet writes it.
    #[must_use]
    pub fn parse(value: &Value<'_>) -> Option<Self> {
        let Value::Object(object) = value else { return None };
        let flag = |name: &str| match object.get(name) {
            Some(Value::Bool(flag)) => Some(*flag),
            _ => None,
        };
        let grants = Self {
            network: Extent::parse(object.get("network")?)?,
            filesystem: Extent::parse(object.get("filesystem")?)?,
            subprocess: flag("subprocess")?,
            sampling: flag("sampling")?,
            elicitation: flag("elicitation")?,
            arguments: Arguments::parse(object.get("arguments"))?,
        };
        // One that somebody wrote in another way, or with more, is not this.
        let count = if grants.arguments == Arguments::Any { 5 } else { 6 };
        (object.members().len() == count).then_some(grants)
    }

    /// What both these and others allow.
    #[must_use]
    pub fn capped_at(&self, limit: &Self) -> Self {
        Self {
            network: self.network.capped_at(&limit.network),
            filesystem: self.filesystem.capped_at(&limit.filesystem),
            subprocess: self.subprocess && limit.subprocess,
            sampling: self.sampling && limit.sampling,
            elicitation: self.elicitation && limit.elicitation,
            arguments: match (self.arguments, limit.arguments) {
                (Arguments::Any, Arguments::Any) => Arguments::Any,
                _ => Arguments::Pinned,
            },
        }
    }

    /// The names of what is wider than before.
    #[must_use]
    pub fn widened_since(&self, before: &Self) -> Vec<&'static str> {
        let mut wider = Vec::new();
        if self.network.is_wider_than(&before.network) {
            wider.push("network");
        }
        if self.filesystem.is_wider_than(&before.filesystem) {
            wider.push("filesystem");
        }
        let flags = [
            ("subprocess", before.subprocess, self.subprocess),
            ("sampling", before.sampling, self.sampling),
            ("elicitation", before.elicitation, self.elicitation),
            ("arguments", before.arguments == Arguments::Any, self.arguments == Arguments::Any),
        ];
        wider.extend(flags.iter().filter(|(_, was, is)| !was && *is).map(|(name, ..)| *name));
        wider
    }
}
