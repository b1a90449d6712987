//! What an artifact may do before a user decides: what its source was seen to use (spec 11.4).

use facets_lock::{Arguments, Extent, Grants};
use facets_surface::{EntitlementVerdict, Entitlements};

/// Where a server starts, as a granted path. The lock may lie there, so it is never granted to write.
const START_DIRECTORY: &str = "ro:.";

/// Whose project a server starts in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StartPlace {
    /// That of a project.
    Project,
    /// The user's home directory, in which facet keeps its own files.
    Home,
}

/// spec 11.4: what was observed as `yes` is granted, `unknown` is denied. Files are those of the directory
/// that the server starts in, to read; it writes to its private home.
pub(crate) fn observed_grants(entitlements: &Entitlements, place: StartPlace) -> Grants {
    let is_used = |verdict: EntitlementVerdict| verdict == EntitlementVerdict::Yes;
    let filesystem = match place {
        StartPlace::Project if is_used(entitlements.filesystem) => {
            Extent::Listed(vec![START_DIRECTORY.to_owned()])
        }
        StartPlace::Project | StartPlace::Home => Extent::None,
    };
    Grants {
        network: if is_used(entitlements.network) { Extent::All } else { Extent::None },
        filesystem,
        subprocess: is_used(entitlements.subprocess),
        sampling: false,
        elicitation: false,
        arguments: Arguments::Pinned,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_is_denied_like_no() {
        let unknown = observed_grants(&Entitlements::unknown(), StartPlace::Project);
        let none = Grants {
            network: Extent::None,
            filesystem: Extent::None,
            subprocess: false,
            sampling: false,
            elicitation: false,
            arguments: Arguments::Pinned,
        };
        assert_eq!(unknown, none);
    }

    #[test]
    fn what_was_observed_is_granted_and_files_only_where_the_server_starts() {
        let yes = EntitlementVerdict::Yes;
        let all = Entitlements {
            filesystem: yes,
            network: yes,
            subprocess: yes,
            ..Entitlements::unknown()
        };
        let granted = observed_grants(&all, StartPlace::Project);
        assert_eq!((granted.network, granted.subprocess), (Extent::All, true));
        assert_eq!(granted.filesystem, Extent::Listed(vec!["ro:.".to_owned()]));
        assert_eq!(observed_grants(&all, StartPlace::Home).filesystem, Extent::None);
    }
}
