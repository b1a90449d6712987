//! What the guard decided, for whoever keeps a record.

use facets_surface::Kind;

/// Bytes of a name that is recorded.
const SHOWN: usize = 2 << 10;

/// What a decision is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// A tool, prompt, resource or template, by its name or address.
    Item(Kind, String),
    /// The server's instructions to the model.
    Instructions,
    /// What the server says of itself: its name, a title, a description.
    ServerInfo,
    /// The capabilities that the server announces.
    Capabilities,
    /// A message as a whole.
    Message,
}

impl Subject {
    /// The word for it.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Item(Kind::Tool, _) => "tool",
            Self::Item(Kind::Prompt, _) => "prompt",
            Self::Item(Kind::Resource, _) => "resource",
            Self::Item(Kind::ResourceTemplate, _) => "resource template",
            Self::Instructions => "instructions",
            Self::ServerInfo => "server information",
            Self::Capabilities => "capabilities",
            Self::Message => "message",
        }
    }

    /// The same with no more of its name than anybody reads.
    #[must_use]
    pub(crate) fn shortened(self) -> Self {
        match self {
            Self::Item(kind, name) if name.len() > SHOWN => {
                Self::Item(kind, name.chars().take(SHOWN / 4).collect::<String>() + "…")
            }
            other => other,
        }
    }

    /// Its name or address; empty if it has none.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Item(_, name) => name,
            Self::Instructions | Self::ServerInfo | Self::Capabilities | Self::Message => "",
        }
    }
}

/// What became of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// A definition was not delivered.
    Withheld,
    /// A definition that is not the approved one was delivered, because the user wants that.
    Tolerated,
    /// A request of the client did not reach the server.
    Refused,
    /// A request of the client was let through.
    Allowed,
    /// A list was delivered.
    Listed,
    /// Something that the server sent did not reach the client.
    Dropped,
    /// A request of the server was not granted.
    Denied,
    /// A request of the server to the model or the user was let through.
    Asked,
    /// The server was started again.
    Restarted,
    /// A server that has answered nothing yet is waited for.
    Waiting,
}

impl Decision {
    /// The word in records.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Withheld => "withheld",
            Self::Tolerated => "tolerated",
            Self::Refused => "refused",
            Self::Allowed => "allowed",
            Self::Listed => "listed",
            Self::Dropped => "dropped",
            Self::Denied => "denied",
            Self::Asked => "asked",
            Self::Restarted => "restarted",
            Self::Waiting => "waiting",
        }
    }
}

/// The reason of a decision.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// Nothing of this name was approved.
    New,
    /// The same of a name that the server has not listed, as far as is known.
    Unknown,
    /// It is not what was approved: these members differ.
    Changed(Vec<String>),
    /// One list has the name more than once, for different things.
    Shadowed,
    /// It cannot be read, or readers would read it differently.
    Malformed,
    /// The server does not list it.
    NotListed,
    /// No approved resource and no approved template covers the address.
    NotCovered,
    /// It does not say, or says more than once, what it is about.
    Ambiguous,
    /// The server did not list its definitions when it was asked.
    Unverified,
    /// Too many requests wait for an answer.
    TooMany,
    /// The id belongs to a request that waits for its answer.
    IdInUse,
    /// It is too large to be judged.
    TooLarge,
    /// Nobody asked for it, or it was answered before.
    Stray,
    /// It is no message.
    Noise,
    /// The user has not granted it.
    NotGranted,
    /// The server ended before it answered.
    ServerEnded,
    /// It gives itself out as something that facet says.
    Imitates,
    /// The arguments are none that the approved schema accepts: why not.
    Arguments(String),
}

impl Reason {
    /// The word in records.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::New | Self::Unknown => "not_approved",
            Self::Changed(_) => "changed",
            Self::Shadowed => "shadowed",
            Self::Malformed => "malformed",
            Self::NotListed => "not_listed",
            Self::NotCovered => "not_covered",
            Self::Ambiguous => "ambiguous",
            Self::Unverified => "unverified",
            Self::TooMany => "too_many",
            Self::IdInUse => "id_in_use",
            Self::TooLarge => "too_large",
            Self::Stray => "stray",
            Self::Noise => "noise",
            Self::NotGranted => "not_granted",
            Self::ServerEnded => "server_ended",
            Self::Imitates => "imitates",
            Self::Arguments(_) => "arguments",
        }
    }
}

/// One decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// What was decided.
    pub decision: Decision,
    /// About what.
    pub subject: Subject,
    /// Why; none where nothing was in the way.
    pub reason: Option<Reason>,
    /// The method, where there is one.
    pub method: String,
    /// A sentence for people; empty where the rest says it.
    pub sentence: String,
    /// What a person types to look or decide; empty where there is nothing to decide.
    pub next: String,
}
