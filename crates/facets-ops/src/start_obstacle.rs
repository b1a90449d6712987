//! Something that keeps a server from starting.

use std::path::PathBuf;

use facets_failure::Note;

/// Something that keeps a server from starting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartObstacle {
    /// Which setting is in the way, and why.
    pub reason: String,
    /// What the server would have to be granted.
    pub(crate) needs: Need,
}

/// What a server would have to be granted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// These hosts.
    Hosts(Vec<String>),
    /// The network as the user has it.
    Network,
    /// Other programs.
    Subprocess,
    /// This, to read.
    Read(PathBuf),
    /// All files.
    Files,
    /// This path, if a person who has looked at it says so: no command is proposed.
    Decision(PathBuf),
}

/// Obstacles as an error shows them.
pub(crate) fn blocked_notes(obstacles: &[StartObstacle]) -> impl Iterator<Item = Note> {
    obstacles.iter().map(|one| Note { label: "blocked", text: one.reason.clone() })
}
