//! Landlock: which files can be opened, and that nothing outside can be signalled.

use std::path::PathBuf;

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, Ruleset,
    RulesetAttr as _, RulesetCreatedAttr as _, RulesetStatus, Scope, path_beneath_rules,
};

use super::error::ConfineError;

/// TCP is covered from version 4 on; without it the sandbox would have a hole.
const NEEDED: ABI = ABI::V4;

/// What every program needs to start, to read and execute.
const SYSTEM: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/opt",
    "/etc",
    "/proc",
    "/sys",
    "/run/systemd/resolve",
    "/nix/store",
];

/// Devices that programs read and write without harm.
const DEVICES: &[&str] =
    &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];

pub(super) fn landlock_version() -> i32 {
    // The kernel's own answer, in the words of its log line, is not needed: a ruleset that
    // demands a version tells whether it is there.
    let demands = |abi: ABI| {
        Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_all(abi))
            .is_ok()
    };
    let known = [(1, ABI::V1), (2, ABI::V2), (3, ABI::V3), (4, ABI::V4), (5, ABI::V5)];
    known
        .into_iter()
        .filter(|(_, abi)| demands(*abi))
        .map(|(version, _)| version)
        .max()
        .unwrap_or(0)
}

/// What to restrict.
pub(super) struct Rules<'r> {
    /// Files to read and to write; none for all.
    pub(super) listed: Option<(&'r Vec<PathBuf>, &'r Vec<PathBuf>)>,
    /// Files to execute; none for all.
    pub(super) execute: Option<&'r Vec<PathBuf>>,
    pub(super) close_network: bool,
    /// Whether the folder of a readable file can be listed.
    pub(super) lists_folders: bool,
}

/// Restricts this process for good. Being in a domain also keeps it from tracing others.
pub(super) fn restrict(rules: &Rules<'_>) -> Result<(), ConfineError> {
    apply(rules).map_err(ConfineError::Landlock)
}

fn apply(rules: &Rules<'_>) -> Result<(), Box<dyn std::error::Error>> {
    let mut ruleset = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    if rules.listed.is_some() {
        ruleset = ruleset.handle_access(AccessFs::from_all(NEEDED))?;
    } else if rules.execute.is_some() {
        ruleset = ruleset.handle_access(AccessFs::Execute)?;
    }
    if rules.close_network {
        ruleset = ruleset.handle_access(AccessNet::from_all(NEEDED))?;
    }
    // Newer kernels can do more; older ones are no worse than without.
    ruleset = ruleset
        .set_compatibility(CompatLevel::BestEffort)
        .scope(Scope::from_all(ABI::V6))?
        .set_compatibility(CompatLevel::HardRequirement);
    let mut created = ruleset.create()?.set_compatibility(CompatLevel::BestEffort);
    // Where only some files are executed, being readable is not enough.
    let spared = if rules.execute.is_some() { AccessFs::Execute.into() } else { BitFlags::EMPTY };
    if let Some((read, write)) = rules.listed {
        let readable =
            read.iter().map(PathBuf::as_path).chain(SYSTEM.iter().map(std::path::Path::new));
        let reading = AccessFs::from_read(NEEDED) & !spared;
        let writing = AccessFs::from_all(NEEDED) & !spared;
        let device = (reading & !BitFlags::from(AccessFs::Execute))
            | AccessFs::WriteFile
            | AccessFs::Truncate;
        // Bun looks for a file by listing its folder: names, and nothing else.
        let files = read.iter().filter(|path| rules.lists_folders && path.is_file());
        let listed = files.filter_map(|path| path.parent());
        created = created
            .add_rules(path_beneath_rules(listed, AccessFs::ReadDir))?
            .add_rules(path_beneath_rules(readable, reading))?
            .add_rules(path_beneath_rules(DEVICES, device))?
            .add_rules(path_beneath_rules(write, writing))?;
    }
    if let Some(execute) = rules.execute {
        created = created.add_rules(path_beneath_rules(execute, AccessFs::Execute))?;
    }
    let status = created.set_compatibility(CompatLevel::HardRequirement).restrict_self()?;
    let wanted = rules.listed.is_some() || rules.execute.is_some() || rules.close_network;
    if wanted && status.ruleset == RulesetStatus::NotEnforced {
        return Err("it is not enabled in this kernel".into());
    }
    Ok(())
}
