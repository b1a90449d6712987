//! Whether a command is about what is installed for every project of the user.

/// The project of the user instead of the one around.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(crate) struct UsersProject {
    /// What is installed for every project of yours, instead of this project: texts in your own folders of
    /// the clients, pinned in ~/.facet/user
    #[arg(long, conflicts_with = "directory")]
    pub(crate) user: bool,
}
