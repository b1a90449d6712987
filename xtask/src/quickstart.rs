//! The main job on a bundled example, for somebody who has just cloned.

mod guarded;
mod install;
mod own_runtime;
mod packages;
mod registry;
mod source_mode;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Outcome;
use crate::run;
use own_runtime::OwnServer;

/// One thing to show: why, the command, how it must end, and what that proved.
struct Step {
    why: &'static str,
    /// A file that takes the place of another first.
    swap: Option<(&'static str, &'static str)>,
    arguments: &'static [&'static str],
    exit: i32,
    proved: &'static str,
}

const STEPS: &[Step] = &[
    Step {
        why: "A published tool definition has one digest:",
        swap: None,
        arguments: &["digest", "json", "published.json"],
        exit: 0,
        proved: "the digest is computed from the canonical form, so key order and escapes do not matter",
    },
    Step {
        why: "The same definition, written by another program (other order, other escapes):",
        swap: None,
        arguments: &["digest", "json", "rewritten.json"],
        exit: 0,
        proved: "same meaning, same digest: no false alarm",
    },
    Step {
        why: "A week later the description has been poisoned:",
        swap: None,
        arguments: &["digest", "json", "poisoned.json"],
        exit: 0,
        proved: "one changed sentence gives another digest: facet notices the rug pull",
    },
    Step {
        why: "An attacker hides a second description behind a duplicate member:",
        swap: None,
        arguments: &["digest", "json", "smuggled.json"],
        exit: 2,
        proved: "a document that two parsers would read differently is rejected, not hashed",
    },
    Step {
        why: "An MCP server, started under supervision: everything it declares, hashed:",
        swap: None,
        arguments: &["inspect", "--yes", "--", "SERVER", "honest"],
        exit: 0,
        proved: "the server has a digest, and all its processes have ended",
    },
    Step {
        why: "A server that changes a description during the inspection:",
        swap: None,
        arguments: &["inspect", "--yes", "--", "SERVER", "rewrites"],
        exit: 2,
        proved: "every list is read twice; a list that changes cannot be pinned",
    },
    Step {
        why: "Pin a server: review what it declares and approve it:",
        swap: None,
        arguments: &["add", "files", "--yes", "--", "LISTED", "server.json"],
        exit: 0,
        proved: "tools, risks and cost are shown before the approval; facets.lock has the pin",
    },
    Step {
        why: "Later, in CI or by hand: is it still what was approved?",
        swap: None,
        arguments: &["check"],
        exit: 0,
        proved: "every declaration is as it was approved",
    },
    Step {
        why: "The rug pull: the publisher poisons one description.",
        swap: Some(("server-poisoned.json", "server.json")),
        arguments: &["check"],
        exit: 1,
        proved: "caught: facet shows what changed and why it is critical",
    },
    Step {
        why: "A facet is checked before it is published:",
        swap: None,
        arguments: &["build", "--check", "facet"],
        exit: 0,
        proved: "manifest and files are valid",
    },
    Step {
        why: "The same facet with mistakes:",
        swap: None,
        arguments: &["build", "--check", "mistaken"],
        exit: 1,
        proved: "all mistakes at once, each with its position and the fix",
    },
];

pub(crate) fn run(_arguments: &[String]) -> Outcome {
    println!("Building facet …");
    let facet = build()?;
    let folder = example()?;
    for (number, step) in STEPS.iter().enumerate() {
        println!("\n{}. {}", number + 1, step.why);
        println!(
            "   $ facet {}",
            step.arguments
                .join(" ")
                .replace("SERVER", "example-server")
                .replace("LISTED", "example-server")
        );
        print!("{}", indent(&perform(&facet, &folder, step)?));
        println!("   => {}", step.proved);
    }
    compare(&facet, &folder)?;
    match real_server() {
        None => println!(
            "\n`cargo xtask setup` installs real servers; the next time one is added here, too."
        ),
        Some(server) => {
            println!(
                "\nAnd a real one, from npm:\n   $ facet add memory --yes -- node server-memory"
            );
            print!("{}", indent(&add_real(&facet, &folder, &server)?));
            println!("   => pinned and checked clean");
        }
    }
    println!("\nAuthors pin the bytes of their packages with mcp-publisher:");
    show(&packages::perform(&publisher(&facet), &folder)?);
    println!("\nAnd now during the session:");
    show(&guarded::perform(&facet, &folder)?);
    println!("\nA server of your own, from source:");
    show(&source_mode::perform(&facet)?.into_lines());
    println!("\nA registry of your own, and a project that installs from it:");
    show(&registry::perform(&facet)?.into_lines());
    let _ = fs::remove_dir_all(run::user_folder("quickstart"));
    println!("\nDone. The binary is {}", shown(&facet));
    println!("Next: facet init server my-server, and docs/getting-started.md");
    Ok(())
}

/// For `cargo xtask test`: the same, without the talk.
pub(crate) fn silently() -> Outcome {
    let facet = build()?;
    let folder = example()?;
    STEPS.iter().try_for_each(|step| perform(&facet, &folder, step).map(drop))?;
    compare(&facet, &folder)?;
    packages::perform(&publisher(&facet), &folder)?;
    guarded::perform(&facet, &folder)?;
    if let OwnServer::LeftOut(reason) = source_mode::perform(&facet)? {
        println!("SKIP a server from source: {reason}");
    }
    if let OwnServer::LeftOut(reason) = registry::perform(&facet)? {
        println!("SKIP a registry: {reason}");
    }
    // The setup before this has installed it.
    let server = real_server().ok_or("no real server to add")?;
    add_real(&facet, &folder, &server)?;
    fs::remove_dir_all(run::user_folder("quickstart")).map_err(|error| error.to_string())
}

/// A server of the registry, if `cargo xtask setup` has installed it.
fn real_server() -> Option<PathBuf> {
    let packages = run::root().join("target/tools/servers/npm/node_modules");
    let entry = packages.join("@modelcontextprotocol/server-memory/dist/index.js");
    entry.is_file().then_some(entry)
}

/// Adds it and checks it; gives what `add` says.
fn add_real(facet: &Path, folder: &Path, server: &Path) -> Outcome<String> {
    let entry = server.display().to_string();
    let said = finish(facet, folder, &["add", "memory", "--yes", "--", "node", &entry], 0)?;
    finish(facet, folder, &["check", "memory"], 0)?;
    Ok(said)
}

fn finish(facet: &Path, folder: &Path, arguments: &[&str], exit: i32) -> Outcome<String> {
    let mut command = Command::new(facet);
    command.args(arguments).current_dir(folder).env("FACET_DIR", run::user_folder("quickstart"));
    let output = command.output().map_err(|error| format!("cannot start facet: {error}"))?;
    let said = [&output.stdout[..], &output.stderr[..]].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    if output.status.code() == Some(exit) {
        return Ok(said);
    }
    Err(format!("facet {} ended with {:?}\n{said}", arguments.join(" "), output.status.code()))
}

fn build() -> Outcome<PathBuf> {
    let names = ["facet", "facet-registry", "mcp-publisher", "facets-testkit"];
    let packages = names.into_iter().flat_map(|name| ["--package", name]);
    run::output(run::cargo().args(["build", "--quiet"]).args(packages))?;
    Ok(run::root().join("target/debug/facet"))
}

/// Built beside facet.
fn publisher(facet: &Path) -> PathBuf {
    facet.with_file_name("mcp-publisher")
}

/// A copy, so that a curious reader can change it without changing the source tree.
fn example() -> Outcome<PathBuf> {
    let folder = run::root().join("target/quickstart");
    let failed = |error: std::io::Error| format!("cannot copy the example: {error}");
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(failed)?;
    }
    copy(&run::root().join("testdata/quickstart"), &folder).map_err(failed)?;
    Ok(folder)
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

fn perform(facet: &Path, folder: &Path, step: &Step) -> Outcome<String> {
    // The example servers are binaries of this workspace, beside facet.
    let beside = |name: &str| facet.with_file_name(name).display().to_string();
    let words: Vec<String> = step
        .arguments
        .iter()
        .map(|word| match *word {
            "SERVER" => beside("hostile-server"),
            "LISTED" => beside("listed-server"),
            word => word.to_owned(),
        })
        .collect();
    if let Some((from, to)) = step.swap {
        fs::copy(folder.join(from), folder.join(to)).map_err(|error| error.to_string())?;
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    finish(facet, folder, &words, step.exit)
}

/// What the steps claim, checked and not only said.
fn compare(facet: &Path, folder: &Path) -> Outcome {
    let digest = |step: usize| perform(facet, folder, &STEPS[step]);
    let (published, rewritten, poisoned) = (digest(0)?, digest(1)?, digest(2)?);
    if published == rewritten && published != poisoned {
        return Ok(());
    }
    Err("the digests do not prove what the quickstart says".to_owned())
}

/// What a step proved ends it: a blank line makes the next one easy to find.
fn show(lines: &[String]) {
    for (number, line) in lines.iter().enumerate() {
        println!("   {line}");
        if line.starts_with("=> ") && number + 1 < lines.len() {
            println!();
        }
    }
}

fn indent(text: &str) -> String {
    text.lines().map(|line| format!("   {line}\n")).collect()
}

/// Relative to where the user stands, where that is shorter.
fn shown(path: &Path) -> String {
    path.strip_prefix(run::root()).unwrap_or(path).display().to_string()
}
