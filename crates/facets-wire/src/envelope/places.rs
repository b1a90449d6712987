//! The members that decide what a message is.

use super::letters::is_same_but_for_case;

/// Members that decide, by their place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Id,
    Method,
    Result,
    Error,
    Params,
    Name,
    Uri,
    /// The method of something in `inputRequests`.
    Question,
    Elsewhere,
}

impl Place {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Id => "id",
            Self::Method => "method",
            Self::Result => "result",
            Self::Error => "error",
            Self::Params => "params",
            Self::Name => "name",
            Self::Uri => "uri",
            Self::Question | Self::Elsewhere => "",
        }
    }
}

/// The place that a reader who does not mind capitals would see in a name.
pub(super) fn place_of(level: usize, name: &str) -> Option<Place> {
    let places: &[Place] = match level {
        1 => &[Place::Id, Place::Method, Place::Result, Place::Error, Place::Params],
        2 => &[Place::Name, Place::Uri],
        _ => &[],
    };
    // Most names are plain, and then their length tells most apart.
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric();
    if name.bytes().all(is_plain) {
        return places.iter().copied().find(|place| name.eq_ignore_ascii_case(place.name()));
    }
    places.iter().copied().find(|place| is_same_but_for_case(name, place.name()))
}
