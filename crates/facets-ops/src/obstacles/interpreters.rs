//! Programs below a home directory: what really runs has to be among the opened files.

use std::path::{Path, PathBuf};

use facets_launch::{Filesystem, ProcessLaunch, executables, find_program};

use super::settings::{is_opened, is_without_programs};
use crate::program_files::installation_root;
use crate::start_obstacle::{Need, StartObstacle};

/// A folder of small programs that look for the real one and start it: pyenv, asdf, rbenv, mise.
const SHIMS: &str = "shims";

/// The same, of one that keeps them with others.
const VOLTA: &str = ".volta";

pub(super) fn obstacles(process: &ProcessLaunch) -> Vec<StartObstacle> {
    let mut found = Vec::new();
    let path = process.variables.search_path();
    let program = find_program(&process.program, &process.directory, &path);
    if let Some(manager) = program.as_deref().and_then(manager_of) {
        let program = process.program.to_string_lossy();
        if !is_opened(&process.sandbox, &manager) {
            let shown = manager.display();
            let reason =
                format!("filesystem: {program} is a shim of {shown}, which is not granted");
            found.push(StartObstacle { reason, needs: Need::Read(manager) });
        }
        if is_without_programs(&process.sandbox) {
            let reason = format!("subprocess=no: {program} is a shim that starts another program");
            found.push(StartObstacle { reason, needs: Need::Subprocess });
        }
        return found;
    }
    if process.sandbox.filesystem == Filesystem::Open {
        return found;
    }
    // What is executed if the server has no say in it.
    let executed = executables(&process.program, &process.directory, &path, &[]);
    let scripts = process.args.iter().map(|arg| process.directory.join(arg));
    let scripts = scripts.filter(|file| file.is_file());
    for file in executed.into_iter().chain(scripts) {
        let Ok(real) = std::fs::canonicalize(&file) else { continue };
        if is_opened(&process.sandbox, &real) {
            continue;
        }
        let root = installation_root(&real);
        let obstacle = StartObstacle {
            reason: format!("filesystem: {} is not granted", real.display()),
            needs: Need::Read(root),
        };
        if !found.iter().any(|known| known.needs == obstacle.needs) {
            found.push(obstacle);
        }
    }
    found
}

/// Where the programs lie that a shim stands for.
fn manager_of(program: &Path) -> Option<PathBuf> {
    let folder = program.parent()?;
    let is_shim = folder.file_name().is_some_and(|name| name == SHIMS);
    let mut above = folder.ancestors();
    let manager = if is_shim {
        folder.parent()
    } else {
        above.find(|up| up.file_name().is_some_and(|name| name == VOLTA))
    };
    manager.and_then(|manager| std::fs::canonicalize(manager).ok())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use facets_launch::{Sandbox, Subprocess};

    use super::super::settings::samples::{files, process};
    use super::*;

    /// A home directory with programs; links are followed, as the code does.
    struct Home(tempfile::TempDir);

    impl Home {
        fn new() -> Self {
            Self(tempfile::tempdir().unwrap())
        }

        fn path(&self, name: &str) -> PathBuf {
            std::fs::canonicalize(self.0.path()).unwrap().join(name)
        }

        fn program(&self, name: &str, text: &str) -> PathBuf {
            let path = self.path(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, text).unwrap();
            std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
            path
        }
    }

    fn needs(program: &Path, args: &[&str], sandbox: Sandbox) -> Vec<Need> {
        let words = [&[program.to_str().unwrap()], args].concat();
        obstacles(&process(&words, sandbox)).into_iter().map(|found| found.needs).collect()
    }

    #[test]
    fn an_interpreter_that_is_not_opened_is_named_with_its_installation() {
        let home = Home::new();
        let python = home.program("python-3.12/bin/python3.12", "\u{7f}ELF");
        let link = home.path("project/.venv/bin/python");
        std::fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(&python, &link).unwrap();
        let project = home.path("project");
        let needed = [Need::Read(home.path("python-3.12"))];
        assert_eq!(needs(&link, &[], files(&[&project])), needed);
        // Also behind the first line of a script.
        let text = format!("#!{}\nimport server\n", link.display());
        let script = home.program("project/.venv/bin/mcp-server", &text);
        assert_eq!(needs(&script, &[], files(&[&project])), needed);
        assert_eq!(needs(&link, &[], files(&[&project, &home.path("python-3.12")])), []);
        assert_eq!(needs(&link, &[], Sandbox::default()), []);
    }

    #[test]
    fn a_script_that_is_not_opened_is_named() {
        let home = Home::new();
        let script = home.program("tools/server.py", "print()");
        let needed = [Need::Read(script.clone())];
        let sh = Path::new("/bin/sh");
        assert_eq!(needs(sh, &[script.to_str().unwrap(), "--port"], files(&[])), needed);
    }

    #[test]
    fn a_shim_needs_its_manager_and_another_program() {
        let home = Home::new();
        let shim = home.program(".pyenv/shims/python", "#!/bin/sh\nexec pyenv\n");
        let manager = Need::Read(home.path(".pyenv"));
        assert_eq!(needs(&shim, &[], files(&[&shim])), [manager]);
        let alone = Sandbox {
            subprocess: Subprocess::Closed { execute: Vec::new() },
            ..Sandbox::default()
        };
        assert_eq!(needs(&shim, &[], alone), [Need::Subprocess]);
        let node = home.program(".volta/bin/node", "\u{7f}ELF");
        assert_eq!(needs(&node, &[], files(&[])), [Need::Read(home.path(".volta"))]);
    }
}
