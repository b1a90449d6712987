//! Every `console` block of the documentation, and of `tests/console/`, is run and compared.
//!
//! A block has commands behind `$ `, what they print, and `? N` where the exit code is not 0.
//! `[..]` stands for any text within a line. The blocks of one file run one after the other
//! in a fresh directory that has `testdata` and `oracle` as a clone does. A page with the line
//! `<!-- with a registry -->` has one, with the address and a token in its variables, a home of its own, and the
//! address that `facet-registry serve` has by default in what is printed.
//! `FACET_BLESS=1 cargo test` writes what is printed into the files.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

#[allow(dead_code, reason = "each test uses a part of it")]
mod registry;

use std::fmt::Write as _;
use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use facets_testkit::{component, repository_root};
use registry::Registry;

/// The line of a page that needs a registry.
const WITH_REGISTRY: &str = "<!-- with a registry -->";

#[test]
fn the_documentation_shows_what_happens() {
    let root = repository_root();
    let mut pages = vec![root.join("README.md"), root.join("CONTRIBUTING.md")];
    pages.push(root.join("oracle/README.md"));
    pages.extend(markdown_files(&root.join("docs")));
    let commands: usize = pages.iter().map(|page| check_page(page)).sum();
    assert!(commands >= 10, "{commands} commands say too little");
}

#[test]
fn commands_print_what_they_should() {
    let pages = markdown_files(&repository_root().join("crates/facet/tests/console"));
    let commands: usize = pages.iter().map(|page| check_page(page)).sum();
    assert!(commands >= 30, "{commands} commands say too little");
}

fn markdown_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(markdown_files(&path));
        } else if path.extension().is_some_and(|ending| ending == "md") {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn check_page(page: &Path) -> usize {
    let text = fs::read_to_string(page).unwrap();
    let commands = || text.lines().filter(|line| line.starts_with("$ "));
    let needs = |tool: &str| commands().any(|line| line.contains(&format!("{tool} ")));
    let lacks = |tool: &&str| needs(tool) && component(tool).is_none();
    if ["bun", "npm", "python3", "openssl"].iter().any(lacks) {
        return commands().count();
    }
    let registry = if text.lines().any(|line| line == WITH_REGISTRY) {
        let Some(registry) = OwnRegistry::start() else { return commands().count() };
        Some(registry)
    } else {
        None
    };
    let folder = clone_of_the_data();
    let mut actual = String::new();
    let mut commands = 0;
    let mut lines = text.lines().peekable();
    let mut in_console = false;
    while let Some(line) = lines.next() {
        in_console = if in_console { line != "```" } else { line == "```console" };
        writeln!(actual, "{line}").unwrap();
        let Some(command) = line.strip_prefix("$ ").filter(|_| in_console) else { continue };
        let mut expected = String::new();
        while let Some(line) = lines.next_if(|line| *line != "```" && !line.starts_with("$ ")) {
            writeln!(expected, "{line}").unwrap();
        }
        let printed = run(command, folder.path(), registry.as_ref());
        let same = matches(&expected, &printed);
        actual.push_str(if same { &expected } else { &printed });
        commands += 1;
    }
    if actual == text {
        return commands;
    }
    if std::env::var_os("FACET_BLESS").is_some() {
        fs::write(page, actual).unwrap();
        return commands;
    }
    panic!("{} shows what does not happen; it should be\n{actual}", page.display());
}

fn clone_of_the_data() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["work", "person"] {
        fs::create_dir(folder.path().join(name)).unwrap();
    }
    for name in ["testdata", "oracle"] {
        let status = Command::new("cp")
            .arg("-R")
            .arg(repository_root().join(name))
            .arg(folder.path().join("work").join(name))
            .status();
        assert!(status.unwrap().success());
    }
    folder
}

/// A registry, and what a user has to know of it.
struct OwnRegistry {
    registry: Registry,
    token: String,
}

impl OwnRegistry {
    /// None, and a visible skip, where it is not built.
    fn start() -> Option<Self> {
        // Where there is a runtime already, it fetches none.
        let runtimes = shared_cache().join("facet/store/v1/runtimes");
        let registry = Registry::start_prepared(|data| {
            let store = data.join("store/v1");
            if runtimes.is_dir() {
                DirBuilder::new().recursive(true).mode(0o700).create(&store).unwrap();
                let copied = Command::new("cp").arg("-a").arg(&runtimes).arg(&store).status();
                assert!(copied.unwrap().success());
            }
        })?;
        let token = registry.token("author");
        Some(Self { registry, token })
    }

    /// Another address each time is none to show.
    fn without_port(&self, printed: &str) -> String {
        printed.replace(&self.registry.url, "http://127.0.0.1:8080")
    }
}

/// The cache of all tests with servers from source.
fn shared_cache() -> PathBuf {
    repository_root().join("target/tools/source-mode-cache")
}

fn run(command: &str, folder: &Path, registry: Option<&OwnRegistry>) -> String {
    let binaries = Path::new(env!("CARGO_BIN_EXE_facet")).parent().unwrap();
    let path = std::env::var("PATH").unwrap();
    let tools = repository_root().join("target/tools/bin");
    let mut shell = Command::new("sh");
    shell
        .args(["-c", &format!("{{ {command}\n}} 2>&1")])
        .current_dir(folder.join("work"))
        .env("PATH", format!("{}:{}:{path}", binaries.display(), tools.display()))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("FACET_DIR", folder.join("home"));
    if let Some(own) = registry {
        shell.env("FACET_REGISTRY_URL", &own.registry.url).env("FACET_TOKEN", &own.token);
        shell.env("HOME", folder.join("person")).env("XDG_CACHE_HOME", shared_cache());
        shell.env_remove("CODEX_HOME").env_remove("XDG_CONFIG_HOME");
    }
    let output = shell.output().unwrap();
    let mut printed = String::from_utf8_lossy(&output.stdout).into_owned();
    if let Some(own) = registry {
        printed = own.without_port(&printed);
    }
    if !printed.is_empty() && !printed.ends_with('\n') {
        printed.push('\n');
    }
    match output.status.code() {
        Some(0) => {}
        code => writeln!(printed, "? {}", code.unwrap_or(-1)).unwrap(),
    }
    printed
}

fn matches(expected: &str, printed: &str) -> bool {
    expected.lines().count() == printed.lines().count()
        && expected.lines().zip(printed.lines()).all(|(pattern, line)| line_matches(pattern, line))
}

fn line_matches(pattern: &str, line: &str) -> bool {
    let mut parts = pattern.split("[..]");
    let Some(mut rest) = line.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut wildcard = false;
    for part in parts {
        wildcard = true;
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.is_empty() || (wildcard && pattern.ends_with("[..]"))
}
