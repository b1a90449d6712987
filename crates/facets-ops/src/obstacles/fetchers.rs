//! Programs that fetch what they start: they need a network, and start another program.

use facets_launch::{Filesystem, Network, ProcessLaunch};

use super::settings::{is_without_programs, network_setting};
use super::wrappers::{commands_of, program_name};
use crate::start_obstacle::{Need, StartObstacle};

/// Programs that fetch what they start, or may. Two of them at once write to the same cache.
const NAMES: &[&str] = &[
    "bun", "bunx", "deno", "docker", "nerdctl", "npm", "npx", "pipx", "pnpm", "pnpx", "podman",
    "uv", "uvx", "yarn",
];

/// Whether a command line fetches what it starts, or may, by the names of its programs.
pub(crate) fn is_fetcher(process: &ProcessLaunch) -> bool {
    let commands = commands_of(process);
    let mut programs = commands.iter().filter_map(|words| program_name(words.first()?));
    programs.any(|name| NAMES.contains(&name))
}

/// A program that surely fetches what it starts, as it is called here.
struct FetchingProgram {
    /// As people write it.
    name: String,
    fetches: Fetches,
}

/// Who fetches.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fetches {
    /// The program itself, from the package registry that its user has configured.
    Itself,
    /// A service of this machine, outside of the sandbox.
    ThroughService,
}

/// The first of the programs that a command line starts.
fn fetcher_of(process: &ProcessLaunch) -> Option<FetchingProgram> {
    commands_of(process).iter().find_map(|words| fetcher_among(words))
}

/// By its name and its first words.
fn fetcher_among(words: &[String]) -> Option<FetchingProgram> {
    let (program, args) = words.split_first()?;
    let program = program_name(program)?;
    let words = args.iter().map(String::as_str);
    let word = words.clone().find(|word| !word.starts_with('-')).unwrap_or_default();
    let (fetches, is_command) = match (program, word) {
        ("npx" | "bunx" | "pnpx", _) => (Fetches::Itself, false),
        ("npm", "exec" | "x") | ("pnpm" | "yarn", "dlx") | ("bun", "x") => (Fetches::Itself, true),
        ("uvx", _) => (Fetches::Itself, false),
        ("uv", "run" | "tool" | "x") | ("pipx", "run") => (Fetches::Itself, true),
        ("docker" | "podman" | "nerdctl", _) => (Fetches::ThroughService, false),
        ("deno", _) if words.clone().any(|word| word.starts_with("npm:")) => {
            (Fetches::Itself, true)
        }
        _ => return None,
    };
    let name = if is_command { format!("{program} {word}") } else { program.to_owned() };
    Some(FetchingProgram { name, fetches })
}

/// What to type instead of other grants, where the program downloads the server each time.
pub(crate) fn installed_instead(name: &str, process: &ProcessLaunch) -> Option<String> {
    let fetcher = fetcher_of(process).filter(|one| one.fetches == Fetches::Itself)?;
    Some(format!(
        "install the server, then facet add {name} --replace -- COMMAND, without {}",
        fetcher.name
    ))
}

pub(super) fn obstacles(process: &ProcessLaunch) -> Vec<StartObstacle> {
    let Some(FetchingProgram { name, fetches }) = fetcher_of(process) else { return Vec::new() };
    let sandbox = &process.sandbox;
    let mut found = Vec::new();
    let mut add = |reason: String, needs: Need| found.push(StartObstacle { reason, needs });
    if let Some(setting) = network_setting(sandbox) {
        match fetches {
            Fetches::ThroughService => add(
                format!("{setting}: {name} talks to a service of this machine over a socket"),
                Need::Network,
            ),
            Fetches::Itself if sandbox.network == Network::Closed => add(
                format!("{setting}: {name} downloads the server from a package registry"),
                Need::Network,
            ),
            // The registry may be among the granted hosts: its user has configured which it is.
            Fetches::Itself => {}
        }
    }
    if is_without_programs(sandbox) {
        let reason = format!("subprocess=no: {name} starts the server as another program");
        add(reason, Need::Subprocess);
    }
    if fetches == Fetches::ThroughService && sandbox.filesystem != Filesystem::Open {
        let reason = format!("filesystem: {name} needs the socket of its service");
        add(reason, Need::Files);
    }
    found
}

#[cfg(test)]
mod tests {
    use facets_launch::{Sandbox, Subprocess};

    use super::super::settings::samples::{files, process};
    use super::*;

    fn needs(words: &[&str], sandbox: Sandbox) -> Vec<Need> {
        obstacles(&process(words, sandbox)).into_iter().map(|found| found.needs).collect()
    }

    fn closed() -> Sandbox {
        Sandbox { network: Network::Closed, ..Sandbox::default() }
    }

    fn alone() -> Sandbox {
        Sandbox { subprocess: Subprocess::Closed { execute: Vec::new() }, ..Sandbox::default() }
    }

    #[test]
    fn what_is_downloaded_needs_the_network() {
        for words in [
            &["npx", "-y", "x"][..],
            &["/home/me/.nvm/bin/npx", "x"],
            &["npm", "--yes", "exec", "x"],
            &["bunx", "x"],
            &["bun", "x", "y"],
            &["pnpm", "dlx", "x"],
            &["yarn", "dlx", "x"],
            &["deno", "run", "npm:x"],
            &["env", "A=1", "npx", "-y", "x"],
            &["sh", "-c", "npx -y x"],
            &["bash", "-lc", "exec uvx x"],
            &["cmd", "/c", "npx", "x"],
            &["nohup", "npx", "x"],
        ] {
            assert!(is_fetcher(&process(words, closed())), "{words:?}");
            assert_eq!(needs(words, closed()), [Need::Network], "{words:?}");
            assert_eq!(needs(words, Sandbox::default()), [], "{words:?}");
        }
        for words in [&["uvx", "x"][..], &["uv", "run", "x"], &["pipx", "run", "x"]] {
            assert_eq!(needs(words, closed()), [Need::Network], "{words:?}");
        }
    }

    #[test]
    fn what_is_installed_needs_nothing() {
        for words in [
            &["node", "index.js"][..],
            &["bun", "index.ts"],
            &["npm", "start"],
            &["uv", "--version"],
            &["deno", "run", "main.ts"],
            &["python3", "npx"],
            &["sh", "-c", "node index.js npx"],
            &["env", "A=npx", "node", "index.js"],
        ] {
            assert_eq!(needs(words, closed()), [], "{words:?}");
            assert_eq!(needs(words, alone()), [], "{words:?}");
        }
    }

    #[test]
    fn a_registry_may_be_among_the_granted_hosts() {
        let network = Network::Hosts(vec!["packages.example:443".to_owned()]);
        let sandbox = Sandbox { network, ..Sandbox::default() };
        assert_eq!(needs(&["uvx", "x"], sandbox.clone()), []);
        assert_eq!(needs(&["docker", "run", "x"], sandbox), [Need::Network]);
    }

    #[test]
    fn what_is_downloaded_can_be_installed_instead() {
        let instead = |words: &[&str]| installed_instead("s", &process(words, closed()));
        assert_eq!(
            instead(&["npx", "-y", "x"]).as_deref(),
            Some("install the server, then facet add s --replace -- COMMAND, without npx")
        );
        assert_eq!(instead(&["docker", "run", "x"]), None);
        assert_eq!(instead(&["node", "index.js"]), None);
    }

    #[test]
    fn what_is_fetched_is_another_program() {
        assert_eq!(needs(&["npx", "x"], alone()), [Need::Subprocess]);
        assert_eq!(needs(&["uvx", "x"], alone()), [Need::Subprocess]);
    }

    #[test]
    fn a_private_home_is_enough_for_a_cache_and_not_for_a_socket() {
        assert_eq!(needs(&["npx", "x"], files(&[])), []);
        assert_eq!(needs(&["docker", "run", "x"], files(&[])), [Need::Files]);
        assert_eq!(needs(&["podman", "run", "x"], closed()), [Need::Network]);
    }
}
