//! `name@floor`: a registry server under a name that the project gives it (spec 3.3).

use crate::manifest::check::{Checker, Place, shorten};
use crate::manifest::words::Word;
use crate::{ArtifactName, Floor};

/// Where the name ends. The first `@` of a scope is part of it.
fn end_of_name(text: &str) -> Option<usize> {
    text.rfind('@').filter(|&at| at > 0)
}

pub(super) fn read(
    check: &mut Checker<'_>,
    place: &Place<'_>,
    text: &str,
) -> Option<(ArtifactName, Floor)> {
    let Some(at) = end_of_name(text) else {
        let name = text.parse::<ArtifactName>().map_or("name".to_owned(), |name| name.to_string());
        let fix = format!("write \"{name}@1.0.0\"");
        let found = format!("{} without a floor", shorten(text));
        check.problem(Floor::CODE, place, &found, "a name and a floor: name@1.0.0", &fix);
        return None;
    };
    let artifact = part::<ArtifactName>(check, (place, 0), &text[..at], "before");
    let floor = part::<Floor>(check, (place, at + 1), &text[at + 1..], "after");
    artifact.zip(floor)
}

/// A facet names its servers as the registry does; only a project gives other names.
pub(super) fn refuse(check: &mut Checker<'_>, place: &Place<'_>, text: &str) {
    let parts = end_of_name(text).map(|at| (&text[..at], &text[at + 1..]));
    let fix = match parts {
        Some((name, floor)) if name.parse::<ArtifactName>().is_ok() => match floor.parse::<Floor>()
        {
            Ok(floor) => format!("name the member \"{name}\", and write \"{floor}\""),
            Err(_) => format!("name the member \"{name}\", and write a floor such as \"1.0.0\""),
        },
        _ => "write a floor such as \"1.0.0\"".to_owned(),
    };
    let allowed = "a floor such as 1.0.0; only facets.json gives a server another name";
    check.problem(Floor::CODE, place, &shorten(text), allowed, &fix);
}

/// One side of the `@`, with its problem where it stands.
fn part<T: Word>(
    check: &mut Checker<'_>,
    inside: (&Place<'_>, usize),
    text: &str,
    side: &str,
) -> Option<T> {
    match text.parse::<T>() {
        Ok(word) => Some(word),
        Err(reason) => {
            let found = format!("{} {side} the last `@`: {reason}", shorten(text));
            let fix = format!("{} {side} the last `@`", T::fix(text));
            check.problem_inside(T::CODE, inside, [&found, T::ALLOWED, &fix]);
            None
        }
    }
}
