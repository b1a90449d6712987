//! Landlock: which files can be opened, and that nothing outside can be signalled.

use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, PathBeneath,
    Ruleset, RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, RulesetError,
    RulesetStatus, Scope, path_beneath_rules,
};

use super::error::ConfineError;
use super::open_parts::open_parts;
use super::place::Place;

/// TCP is covered from version 4 on; without it the sandbox would have a hole.
const NEEDED: ABI = ABI::V4;

/// What every program needs to start, to read and execute.
const SYSTEM: &[&str] = &[
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/sys",
    "/run/systemd/resolve",
    "/nix/store",
];

/// Programs and libraries of the system, but for what its administrator has put there.
const PROGRAMS: &str = "/usr";
const LOCAL: &str = "local";

/// Settings and programs that the system did not bring along. What is for everybody lies here in clear;
/// the rest is not for a server either, whoever runs it.
const SHARED: &[&str] = &["/etc", "/opt", "/usr/local"];

/// Where the kernel tells of processes. A command line is for every user to read, and may have a password in it.
const PROCESSES: &str = "/proc";

/// What programs read there about the machine: processors, memory, load, and settings of the kernel.
const MACHINE: &[&str] = &[
    "cgroups",
    "cpuinfo",
    "filesystems",
    "loadavg",
    "meminfo",
    "stat",
    "sys",
    "uptime",
    "version",
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
    let of_files = known.into_iter().filter(|(_, abi)| demands(*abi));
    let scopes = keeps_signals_inside().then_some(6);
    of_files.map(|(version, _)| version).chain(scopes).max().unwrap_or(0)
}

/// Whether the kernel can keep signals, and sockets of the abstract kind, inside the sandbox.
fn keeps_signals_inside() -> bool {
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .scope(Scope::from_all(ABI::V6))
        .is_ok()
}

/// What to restrict.
pub(super) struct Rules<'r> {
    /// Files to use; none for all.
    pub(super) listed: Option<ListedFiles<'r>>,
    /// Files to execute; none for all.
    pub(super) execute: Option<&'r [PathBuf]>,
    pub(super) closes_network: bool,
}

/// Files that can be used.
pub(super) struct ListedFiles<'r> {
    pub(super) read: &'r [PathBuf],
    pub(super) write: Vec<Place>,
    /// Folders whose names can be listed, and those below.
    pub(super) names: &'r [PathBuf],
}

/// Restricts this process for good. Being in a domain also keeps it from tracing others.
pub(super) fn restrict(rules: &Rules<'_>) -> Result<(), ConfineError> {
    apply(rules).map_err(ConfineError::Landlock)
}

fn apply(rules: &Rules<'_>) -> Result<(), Box<dyn std::error::Error>> {
    let mut ruleset = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    // A server with all files is in a domain, too, and so kept from the memory of others. `Refer` is denied
    // to those who do not ask for it.
    let elsewhere = AccessFs::Execute | AccessFs::Refer;
    ruleset = match &rules.listed {
        Some(_) => ruleset.handle_access(AccessFs::from_all(NEEDED))?,
        None => ruleset.handle_access(elsewhere)?,
    };
    if rules.closes_network {
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
    created = match &rules.listed {
        Some(listed) => {
            let reading = AccessFs::from_read(NEEDED) & !spared;
            let created = created.add_rules(rules_for(&process_files(rules), reading))?;
            allow_listed(created, listed, spared)?
        }
        None => created.add_rules(path_beneath_rules(["/"], elsewhere & !spared))?,
    };
    if let Some(execute) = rules.execute {
        created = created.add_rules(rules_for(execute, AccessFs::Execute.into()))?;
    }
    let status = created.set_compatibility(CompatLevel::HardRequirement).restrict_self()?;
    if status.ruleset == RulesetStatus::NotEnforced {
        return Err("not enabled in this kernel".into());
    }
    Ok(())
}

fn allow_listed(
    created: RulesetCreated,
    listed: &ListedFiles<'_>,
    spared: BitFlags<AccessFs>,
) -> Result<RulesetCreated, RulesetError> {
    let reading = AccessFs::from_read(NEEDED) & !spared;
    let writing = AccessFs::from_all(NEEDED) & !spared;
    let device =
        (reading & !BitFlags::from(AccessFs::Execute)) | AccessFs::WriteFile | AccessFs::Truncate;
    let names = AccessFs::ReadDir.into();
    let folders = SHARED.iter().chain([&PROGRAMS]);
    let parts = SHARED.iter().flat_map(|folder| open_parts(Path::new(folder)));
    let parts: Vec<PathBuf> = parts.chain(parts_of_programs()).collect();
    created
        .add_rules(rules_for(listed.names, names))?
        .add_rules(path_beneath_rules(folders, names))?
        .add_rules(rules_for(&parts, reading))?
        .add_rules(path_beneath_rules(SYSTEM, reading))?
        .add_rules(rules_for(listed.read, reading))?
        .add_rules(path_beneath_rules(DEVICES, device))?
        .add_rules(
            listed.write.iter().map(|place| Ok(PathBeneath::new(place, place.rights(writing)))),
        )
}

/// Each path is opened without links, one at a time: there may be more than descriptors. One that is gone
/// by now, or has become a link, opens nothing.
fn rules_for(
    paths: &[PathBuf],
    access: BitFlags<AccessFs>,
) -> impl Iterator<Item = Result<PathBeneath<Place>, RulesetError>> {
    let places = paths.iter().filter_map(|path| Place::open(path).ok());
    places.map(move |place| {
        let access = place.rights(access);
        Ok(PathBeneath::new(place, access))
    })
}

impl Place {
    /// Of these, what there is for it: in a file nothing is listed, and nothing made.
    fn rights(&self, access: BitFlags<AccessFs>) -> BitFlags<AccessFs> {
        if self.is_folder { access } else { access & AccessFs::from_file(NEEDED) }
    }
}

/// The folders of the system's programs, one by one.
fn parts_of_programs() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(PROGRAMS).into_iter().flatten().flatten();
    entries.filter(|entry| entry.file_name() != LOCAL).map(|entry| entry.path()).collect()
}

/// A server that starts no processes reads of its own alone: this process becomes the server, and keeps its number.
/// One that does reads of all, because what it will start has no folder yet.
fn process_files(rules: &Rules<'_>) -> Vec<PathBuf> {
    let processes = Path::new(PROCESSES);
    if rules.execute.is_none() {
        return vec![processes.to_owned()];
    }
    let own = std::fs::read_link(processes.join("self")).ok();
    let machine = MACHINE.iter().map(PathBuf::from);
    own.into_iter().chain(machine).map(|name| processes.join(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_starts_no_processes_reads_of_no_others() {
        let rules = |execute| Rules { listed: None, execute, closes_network: false };
        assert_eq!(process_files(&rules(None)), [PathBuf::from("/proc")]);
        let files = process_files(&rules(Some(&[])));
        let own = Path::new(PROCESSES).join(std::process::id().to_string());
        assert!(files.contains(&own), "{files:?}");
        assert_eq!(files.len(), MACHINE.len() + 1);
        assert!(files.iter().all(|file| Place::open(file).is_ok()), "{files:?}");
    }
}
