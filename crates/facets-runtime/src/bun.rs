//! How bun starts a file so that nothing beside the verified tree decides which code runs.

use std::ffi::OsString;
use std::path::Path;

use facets_archive::ServerArchive;

/// Arguments and variables for bun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BunCommand {
    /// Everything between the program and the arguments of the server. The entry file is the last of them.
    pub arguments: Vec<OsString>,
    /// Variables to set.
    pub variables: Vec<(&'static str, OsString)>,
}

/// How bun starts an entry file of a tree that has no `tsconfig.json` at its top. `empty_config` is an empty file
/// that the server can read, such as `/dev/null`.
///
/// The caller clears the environment or leaves out what [`is_variable_of_bun`] names, and looks at
/// [`crate::read_surroundings`].
#[must_use]
pub fn bun_command(entry: &Path, empty_config: &Path) -> BunCommand {
    bun_command_with_tsconfig(entry, empty_config, empty_config)
}

/// The same with the `tsconfig.json` at the top of the verified tree.
#[must_use]
pub fn bun_command_with_tsconfig(entry: &Path, empty_config: &Path, tsconfig: &Path) -> BunCommand {
    let arguments = vec![
        // A package that is not in the tree is an error, and is not downloaded.
        "--no-install".into(),
        // No `.env` of the working directory.
        "--no-env-file".into(),
        // No `bunfig.toml`, whose `preload` runs before the entry.
        option("--config=", empty_config),
        // No `tsconfig.json` or `jsconfig.json` of the working directory or above the tree: `paths` replace
        // imports, and even the entry.
        option("--tsconfig-override=", tsconfig),
        entry.into(),
    ];
    // Cached code of a file is run in place of the file.
    let variables = vec![("BUN_RUNTIME_TRANSPILER_CACHE_PATH", "0".into())];
    BunCommand { arguments, variables }
}

/// How bun starts an artifact whose files lie in this tree: with its own `tsconfig.json`, and no other
/// configuration.
#[must_use]
pub fn bun_command_of(server: &ServerArchive, tree: &Path) -> BunCommand {
    let empty = Path::new("/dev/null");
    let entry = tree.join(server.manifest.entry.as_str());
    match server.index.file("tsconfig.json") {
        Some(_) => bun_command_with_tsconfig(&entry, empty, &tree.join("tsconfig.json")),
        None => bun_command(&entry, empty),
    }
}

fn option(name: &str, path: &Path) -> OsString {
    let mut option = OsString::from(name);
    option.push(path);
    option
}

/// Variables of the runtime and of the loader of programs, beside those of a prefix.
const VARIABLES: &[&str] = &[
    "NODE_COMPILE_CACHE",
    "NODE_OPTIONS",
    "NODE_PATH",
    "NODE_PRESERVE_SYMLINKS",
    "NODE_PRESERVE_SYMLINKS_MAIN",
];

/// Variables that begin so are all read by bun, or by the loader of programs.
const PREFIXES: &[&str] = &["BUN_", "DYLD_", "LD_"];

/// Whether a variable can make bun run other code than its entry file. An empty value is not the same as none: bun
/// fails with an empty `BUN_INSPECT_PRELOAD`. They are left out, also if a lock or a manifest names them.
#[must_use]
pub fn is_variable_of_bun(name: &str) -> bool {
    VARIABLES.contains(&name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_entry_is_the_last_argument_and_every_option_comes_before_it() {
        let command = bun_command(Path::new("/t/index.js"), Path::new("/dev/null"));
        let (entry, options) = command.arguments.split_last().unwrap();
        assert_eq!(entry, "/t/index.js");
        assert!(options.iter().all(|option| option.to_string_lossy().starts_with("--")));
        let cache = ("BUN_RUNTIME_TRANSPILER_CACHE_PATH", OsString::from("0"));
        assert_eq!(command.variables, [cache]);
        let tsconfig = Path::new("/t/tsconfig.json");
        let own = bun_command_with_tsconfig(Path::new("/t/i.ts"), Path::new("/dev/null"), tsconfig);
        assert!(own.arguments.contains(&"--tsconfig-override=/t/tsconfig.json".into()));
        assert!(own.arguments.contains(&"--config=/dev/null".into()));
    }

    #[test]
    fn variables_that_choose_code_are_known() {
        for name in ["BUN_OPTIONS", "BUN_INSPECT_PRELOAD", "NODE_PATH", "LD_PRELOAD"] {
            assert!(is_variable_of_bun(name), "{name}");
        }
        for name in ["PATH", "HOME", "NODE_ENV", "BUNNY", "TOKEN"] {
            assert!(!is_variable_of_bun(name), "{name}");
        }
    }
}
