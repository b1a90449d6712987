//! Rules that no compiler checks.

mod circles;
mod layers;
mod lengths;
mod locks;
mod names;
mod papers;
mod sources;
mod walks;

use crate::Outcome;

pub(crate) fn run(_arguments: &[String]) -> Outcome {
    check()?;
    println!("tidy");
    Ok(())
}

/// Every rule is checked; all complaints come together.
pub(crate) fn check() -> Outcome {
    let rules: [fn() -> Outcome<Vec<String>>; 12] = [
        layers::check_direction,
        layers::check_depth,
        layers::check_purity,
        layers::check_json_features,
        circles::check,
        names::check,
        papers::check_readmes,
        papers::check_links,
        walks::check,
        sources::check_machine_paths,
        lengths::check,
        locks::check,
    ];
    let mut complaints = Vec::new();
    for rule in rules {
        complaints.extend(rule()?);
    }
    if complaints.is_empty() { Ok(()) } else { Err(complaints.join("\n")) }
}
