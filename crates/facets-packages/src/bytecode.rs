//! What Python compiles its modules to. Without it a server starts half as fast; made by the server itself, it would be
//! code that nothing verified.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use facets_launch::{Launcher, Network};

use crate::error::PackageError;
use crate::interpreter::Interpreter;
use crate::resolver_run::{ResolverRun, text_of};

/// Long enough for some ten thousand files.
const PATIENCE: Duration = Duration::from_mins(10);

/// The directory in which Python keeps it.
pub(crate) const CACHE: &str = "__pycache__";

/// Compiles every module of a tree. Bytecode has neither times nor paths of this machine in it, so the same files give
/// the same bytes; a file that is no valid Python stays as it is.
pub(crate) fn compile(
    launcher: &Launcher,
    python: &Interpreter,
    folder: &Path,
    tree: &Path,
) -> Result<(), PackageError> {
    let path = text_of(tree);
    let words = ["-I", "-S", "-B", "-m", "compileall", "-q", "-q", "-j", "1"];
    let mode = ["--invalidation-mode", "unchecked-hash", "-s", &path, "-p", "/", &path];
    let mut read = vec![python.program.clone()];
    read.extend(python.files.iter().cloned());
    let run = ResolverRun {
        launcher,
        program: &python.program,
        args: words.iter().chain(&mode).map(Into::into).collect(),
        folder,
        read,
        // Sets are written in the order of their hashes.
        variables: BTreeMap::from([("PYTHONHASHSEED".to_owned(), "0".to_owned())]),
        network: Network::Closed,
        starts_others: false,
        patience: PATIENCE,
    };
    let end = run.run()?;
    // Some packages have files for other versions of Python; nothing imports these.
    match end.ending {
        Some(_) => Ok(()),
        None => Err(PackageError::BadPython {
            program: text_of(&python.program),
            problem: format!("compiling {}", end.reason()),
        }),
    }
}
