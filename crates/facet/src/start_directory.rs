//! The project is found upwards from where a command is typed.

use std::path::{Path, PathBuf};

use facets_files::FileError;
use facets_ops::OpsError;
use facets_ops::client_files::has_project_files;
use facets_project::{UserDirectory, project_around};

use crate::args::{
    Add, ApprovalsCommand, CheckArguments, Command, Gate, InstallCommand, Run, UsersProject,
    VerifyArguments, Which,
};
use crate::local_source::is_local;

/// Whether a command is about what is installed for every project of the user.
pub(crate) fn is_for_user(command: &Command) -> bool {
    let scope = match command {
        Command::Install(InstallCommand::Install(install)) => install.scope,
        Command::Install(InstallCommand::Upgrade(upgrade)) => upgrade.scope,
        Command::Install(InstallCommand::Outdated(outdated)) => outdated.scope,
        Command::List(scope) | Command::Remove { scope, .. } => *scope,
        Command::Verify(verify) => verify.scope,
        _ => UsersProject::default(),
    };
    scope.user
}

/// The same command, typed in the project of the user, if it is about that.
pub(crate) fn seen_from_users_project(command: Command) -> Command {
    match std::env::current_dir() {
        Ok(here) if is_for_user(&command) => seen_from_project(command, &here),
        _ => command,
    }
}

/// The first command for a user makes the project of the user.
pub(crate) fn make_users_project(command: &Command) -> Result<(), OpsError> {
    if is_for_user(command) {
        UserDirectory::of_person()?.project()?;
    }
    Ok(())
}

/// Goes to the project that the current directory lies in, if the command is about a project. What
/// was typed keeps its meaning: paths are still those of where it was typed.
pub(crate) fn enter_project(command: Command) -> Result<Command, OpsError> {
    if !is_about_project(&command) || is_for_user(&command) {
        return Ok(command);
    }
    let unreadable = |path: &Path| {
        let path = path.to_owned();
        move |source| OpsError::File(FileError::Unreadable { path, source })
    };
    let here = std::env::current_dir().map_err(unreadable(Path::new(".")))?;
    // To its clients a folder with their files is a project, whatever lies around it.
    if matches!(command, Command::Adopt(_)) && has_project_files(&here) {
        return Ok(command);
    }
    let Some(project) = project_around(&here).filter(|project| *project != here) else {
        return Ok(command);
    };
    // Behind a link the same place has another name.
    let below = here.canonicalize().map(|real| below(&real, &project)).unwrap_or_default();
    if below.as_os_str().is_empty() {
        return Ok(command);
    }
    std::env::set_current_dir(&project).map_err(unreadable(&project))?;
    Ok(seen_from_project(command, &below))
}

fn below(here: &Path, project: &Path) -> PathBuf {
    here.strip_prefix(project).map(Path::to_owned).unwrap_or_default()
}

/// Whether a command reads or changes the project around it.
fn is_about_project(command: &Command) -> bool {
    match command {
        Command::Init { .. }
        | Command::Build(_)
        | Command::Unpack { .. }
        | Command::Digest(_)
        | Command::Inspect(_)
        | Command::Cache { .. }
        | Command::Ps
        | Command::Registry(_)
        | Command::Runtime(_)
        | Command::Scan { .. }
        | Command::Explain { .. }
        | Command::Completions { .. }
        | Command::Man { .. } => false,
        Command::Add(_)
        | Command::Install(_)
        | Command::Adopt(_)
        | Command::Connect { .. }
        | Command::Disconnect { .. }
        | Command::Check(_)
        | Command::Approve(_)
        | Command::Approvals { .. }
        | Command::Data { .. }
        | Command::Verify(_)
        | Command::Diff { .. }
        | Command::List(_)
        | Command::Show { .. }
        | Command::Remove { .. }
        | Command::Run(_)
        | Command::Grant { .. }
        | Command::Logs { .. }
        | Command::Stop { .. }
        | Command::Doctor => true,
    }
}

/// The same command, typed in the project: relative paths lead to where they led before.
fn seen_from_project(command: Command, below: &Path) -> Command {
    let path = |path: Option<PathBuf>| path.map(|path| below.join(path));
    let gate = |gate: Gate| Gate { policy: path(gate.policy), summary: path(gate.summary), ..gate };
    match command {
        Command::Add(add) => Command::Add(seen_add(add, below)),
        Command::Check(check) => Command::Check(CheckArguments { gate: gate(check.gate), ..check }),
        Command::Verify(verify) => {
            let (file, gate) = (path(verify.file), gate(verify.gate));
            let typed_in = below.to_owned();
            Command::Verify(VerifyArguments { file, gate, typed_in, ..verify })
        }
        Command::Diff { before, after, gate: asked } => Command::Diff {
            before: seen_side(before, below),
            after: seen_side(after, below),
            gate: gate(asked),
        },
        Command::Run(run) => Command::Run(Run { log: path(run.log), ..run }),
        Command::Approvals { command } => {
            let which = |which: Which| Which { project: path(which.project), ..which };
            let command = command.map(|command| match command {
                ApprovalsCommand::List { which: typed } => {
                    ApprovalsCommand::List { which: which(typed) }
                }
                ApprovalsCommand::Revoke { names, which: typed } => {
                    ApprovalsCommand::Revoke { names, which: which(typed) }
                }
            });
            Command::Approvals { command }
        }
        other => other,
    }
}

/// A command starts where it was typed: there its words mean what they were meant to.
fn seen_add(add: Add, below: &Path) -> Add {
    let is_command = add.url.is_none();
    let cwd = match &add.cwd {
        Some(cwd) => Some(below.join(cwd)),
        None => is_command.then(|| below.to_owned()),
    };
    let url = add.url.map(|word| seen_path(word, below));
    Add { cwd, url, source: add.source.map(|source| below.join(source)), ..add }
}

/// The path of a server that was typed below the project.
fn seen_path(word: String, below: &Path) -> String {
    // We have gone to the project already, so a name leads to a server only from where it was typed.
    let seen: PathBuf = below.join(&word).components().collect();
    match seen.to_str() {
        Some(path) if !word.contains("://") && is_local(&format!("./{path}")) => path.to_owned(),
        _ => word,
    }
}

/// A side of a comparison is a name, a name at a revision, or a file.
fn seen_side(side: String, below: &Path) -> String {
    let file = below.join(&side);
    // We have gone to the project already.
    match file.to_str() {
        Some(file) if Path::new(file).is_file() => file.to_owned(),
        _ => side,
    }
}
