//! Grants in the words of the settings that one types.

use facets_failure::shell_word;
use facets_lock::{Extent, Grants};

/// Every setting with its value, in the order of the documentation.
fn settings_of(grants: &Grants) -> [String; 6] {
    [
        format!("network={}", extent_word(&grants.network)),
        format!("filesystem={}", extent_word(&grants.filesystem)),
        format!("subprocess={}", yes_or_no(grants.subprocess)),
        format!("sampling={}", yes_or_no(grants.sampling)),
        format!("elicitation={}", yes_or_no(grants.elicitation)),
        format!("arguments={}", grants.arguments.word()),
    ]
}

/// Settings as one types them behind each other.
fn typed(settings: &[String]) -> String {
    let words: Vec<String> = settings.iter().map(|one| shell_word(one.as_ref())).collect();
    words.join(" ")
}

/// All grants of a server.
#[must_use]
pub fn grants_words(grants: &Grants) -> String {
    typed(&settings_of(grants))
}

/// The grants that the kernel enforces on a process.
pub(crate) fn process_grants_words(grants: &Grants) -> String {
    typed(&settings_of(grants)[..3])
}

/// The grants that hold for a server that runs elsewhere.
pub(crate) fn remote_grants_words(grants: &Grants) -> String {
    typed(&settings_of(grants)[3..])
}

/// The command that changes some grants of a server into others; none if they are the same.
pub(crate) fn grant_command(name: &str, before: &Grants, after: &Grants) -> Option<String> {
    let changed = settings_of(after).into_iter().zip(settings_of(before));
    let changed = changed.filter(|(after, before)| after != before).map(|(after, _)| after);
    let settings: Vec<String> = changed.collect();
    (!settings.is_empty()).then(|| format!("facet grant {name} {}", typed(&settings)))
}

pub(crate) fn yes_or_no(is_granted: bool) -> &'static str {
    if is_granted { "yes" } else { "no" }
}

pub(crate) fn extent_word(extent: &Extent) -> String {
    match extent {
        Extent::All => "all".to_owned(),
        Extent::None => "none".to_owned(),
        Extent::Listed(items) => items.join(","),
    }
}

#[cfg(test)]
mod tests {
    use facets_lock::Arguments;

    use super::*;

    #[test]
    fn grants_are_shown_as_they_are_typed() {
        let everything = "network=all filesystem=all subprocess=yes sampling=yes elicitation=yes \
                          arguments=any";
        assert_eq!(grants_words(&Grants::ALL), everything);
        let grants = Grants {
            network: Extent::None,
            filesystem: Extent::Listed(vec!["./my files".to_owned(), "ro:/srv".to_owned()]),
            arguments: Arguments::Pinned,
            ..Grants::ALL
        };
        assert_eq!(
            grants_words(&grants),
            "network=none 'filesystem=./my files,ro:/srv' subprocess=yes sampling=yes \
             elicitation=yes arguments=pinned"
        );
        assert_eq!(
            grant_command("s", &Grants::ALL, &grants).as_deref(),
            Some("facet grant s network=none 'filesystem=./my files,ro:/srv' arguments=pinned")
        );
        assert_eq!(grant_command("s", &grants, &grants), None);
    }
}
