//! What is known of a message, and why nothing is.

use super::questions::Questions;

/// What stands at the outermost place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MessageShape {
    /// Nothing but white space so far.
    #[default]
    Empty,
    /// A single message.
    Object,
    /// Several messages.
    Batch,
    /// Neither: no message.
    Other,
}

/// What is known of a message.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessageFacts {
    /// What stands at the outermost place.
    pub shape: MessageShape,
    /// The id as it is written, which may be any JSON.
    pub id: Option<String>,
    /// The method.
    pub method: Option<String>,
    /// Whether there is a result.
    pub has_result: bool,
    /// Whether that result is `null`.
    pub has_null_result: bool,
    /// Whether there is an error that is not `null`.
    pub has_error: bool,
    /// Whether there is a member `error` that is `null`, which counts as none.
    pub has_null_error: bool,
    /// `params.name`, where it is a text.
    pub name: Option<String>,
    /// `params.uri`, where it is a text.
    pub uri: Option<String>,
    /// Whether `params` has one of them twice, so that it is ambiguous which counts.
    pub has_duplicate_params: bool,
    /// What it asks of the user or the model in `inputRequests`, at any depth.
    pub questions: Questions,
    /// Whether result or parameters have a member `error` that is not `null`: one of a task, or of
    /// something else that failed before.
    pub has_inner_error: bool,
    /// Whether the outermost value has ended.
    pub is_complete: bool,
}

/// Why a message cannot be classified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnvelopeError {
    /// No JSON.
    Syntax,
    /// One of the members that decide is there twice: readers take the first or the last. Or
    /// it is there in other letters: some readers do not mind capitals.
    Duplicate,
    /// A member `__proto__` where members decide: to readers in JavaScript that copy objects it
    /// is every member that is missing.
    Prototype,
    /// Too many containers inside each other.
    TooDeep,
    /// A name or value that decides is too long.
    TooLong,
}
