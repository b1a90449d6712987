//! What a command turned out to be.

use facets_model::PackageSpec;

/// What a command is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandForm {
    /// It runs a package of a registry.
    Package(PackageCommand),
    /// It runs a package, and cannot be locked for this reason.
    NotLockable(String),
    /// It runs something else.
    Other,
}

/// A package that a command runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackageCommand {
    /// The package whose program is started.
    pub package: PackageSpec,
    /// Packages that are installed beside it.
    pub with: Vec<PackageSpec>,
    /// The program, where it is named.
    pub program: Option<String>,
    /// What the program is started with.
    pub args: Vec<String>,
    /// The version of Python that is asked for.
    pub python: Option<String>,
    /// What is different when it is locked.
    pub note: Option<&'static str>,
}

/// The name of a program: without its directory, and without the endings of Windows.
pub(super) fn program_name(program: &str) -> String {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program).to_ascii_lowercase();
    let ends = [".cmd", ".exe", ".bat", ".ps1"];
    ends.iter().find_map(|end| name.strip_suffix(end)).map_or(name.clone(), str::to_owned)
}

/// A package that cannot be locked, for this reason.
pub(super) fn not_lockable(reason: impl Into<String>) -> CommandForm {
    CommandForm::NotLockable(reason.into())
}
