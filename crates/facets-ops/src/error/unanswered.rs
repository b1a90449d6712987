//! What is said where a yes is missing.

/// Where somebody was asked, and said no: nobody has to be told what they decided.
pub(super) const NOTHING_CHANGED: &str = "nothing was changed";

/// What is expected where a yes is missing.
pub(super) const CONFIRMATION: &str = "a yes at a terminal, or --yes";

/// Why there is none.
pub(super) const NO_TERMINAL: &str = "no terminal";

/// What to type where only a yes is missing.
pub const SAME_WITH_YES: &str = "the same command with --yes";

/// What was not approved.
pub(super) fn subject(name: &str, is_pinned: bool) -> String {
    if is_pinned { format!("the change of {name:?}") } else { format!("{name:?}") }
}

/// What that leaves.
pub(super) fn left(is_pinned: bool) -> &'static str {
    if is_pinned { "what was approved before stays pinned" } else { "nothing was pinned" }
}

/// That nobody has approved a server, unless somebody has just said no.
pub(super) fn not_pinned(name: &str, is_pinned: bool, asked: bool) -> String {
    if asked {
        return NOTHING_CHANGED.to_owned();
    }
    format!("{} was not approved; {}", subject(name, is_pinned), left(is_pinned))
}

/// That a server would not start, unless somebody has read that and said no.
pub(super) fn conflict(name: &str, asked: bool) -> String {
    if asked {
        return NOTHING_CHANGED.to_owned();
    }
    format!("server {name:?} would not start with these grants; nothing was changed")
}

/// Why a server of a facet is not started.
pub(super) fn uncaptured_words(image: Option<&str>) -> String {
    match image {
        Some(image) => format!("it is the image {image}, and this version does not start images"),
        None => "nobody has looked at it yet".to_owned(),
    }
}

/// Every server of facets, where none was looked at.
pub(super) fn all_uncaptured(names: &[String], images: &[String]) -> String {
    let names = names.iter().map(|name| format!("{name} (not looked at yet)"));
    let images = images.iter().map(|name| format!("{name} (an image, which is not started)"));
    names.chain(images).collect::<Vec<_>>().join(", ")
}
