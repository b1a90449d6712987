//! The main job on a bundled example, for somebody who has just cloned.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Outcome;
use crate::run;

/// One thing to show: why, the command, how it must end, and what that proved.
struct Step {
    why: &'static str,
    arguments: &'static [&'static str],
    exit: i32,
    proved: &'static str,
}

const STEPS: &[Step] = &[
    Step {
        why: "Somebody publishes a tool definition. Its identity is one digest:",
        arguments: &["digest", "json", "published.json"],
        exit: 0,
        proved: "the definition has one canonical form, whatever its key order or spelling",
    },
    Step {
        why: "The same definition, written by another program (other order, other escapes):",
        arguments: &["digest", "json", "rewritten.json"],
        exit: 0,
        proved: "same meaning, same digest: no false alarm",
    },
    Step {
        why: "A week later the description has been poisoned:",
        arguments: &["digest", "json", "poisoned.json"],
        exit: 0,
        proved: "one changed sentence, another digest: the rug pull shows",
    },
    Step {
        why: "An attacker hides a second description behind a duplicate member:",
        arguments: &["digest", "json", "smuggled.json"],
        exit: 2,
        proved: "what two readers would understand differently is refused, not hashed",
    },
    Step {
        why: "An MCP server, started under supervision: everything it declares, hashed:",
        arguments: &["inspect", "--yes", "--", "SERVER", "honest"],
        exit: 0,
        proved: "the server has an identity, and nothing of it is left running",
    },
    Step {
        why: "A server that rewrites a description while you look:",
        arguments: &["inspect", "--yes", "--", "SERVER", "rewrites"],
        exit: 2,
        proved: "every list is read twice; one that changes has no identity to approve",
    },
    Step {
        why: "The facet that carries it, checked before it is published:",
        arguments: &["build", "--check", "facet"],
        exit: 0,
        proved: "manifest and files are in order",
    },
    Step {
        why: "The same facet with mistakes:",
        arguments: &["build", "--check", "mistaken"],
        exit: 1,
        proved: "every mistake at once, each with its place and what to write instead",
    },
];

pub(crate) fn run(_arguments: &[String]) -> Outcome {
    println!("Building facet …");
    let facet = build()?;
    let folder = example()?;
    for (number, step) in STEPS.iter().enumerate() {
        println!("\n{}. {}", number + 1, step.why);
        println!("   $ facet {}", step.arguments.join(" ").replace("SERVER", "example-server"));
        print!("{}", indent(&perform(&facet, &folder, step)?));
        println!("   => {}", step.proved);
    }
    compare(&facet, &folder)?;
    println!("\nDone. The binary is {}", shown(&facet));
    println!("Next: facet init server my-server, and docs/getting-started.md");
    Ok(())
}

/// For `cargo xtask test`: the same, without the talk.
pub(crate) fn silently() -> Outcome {
    let facet = build()?;
    let folder = example()?;
    STEPS.iter().try_for_each(|step| perform(&facet, &folder, step).map(drop))?;
    compare(&facet, &folder)
}

fn build() -> Outcome<PathBuf> {
    let packages = ["--package", "facet", "--package", "facets-testkit"];
    run::output(run::cargo().args(["build", "--quiet"]).args(packages))?;
    Ok(run::root().join("target/debug/facet"))
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
    let mut command = Command::new(facet);
    // The example server is a binary of this workspace, beside facet.
    let server = facet.with_file_name("hostile-server");
    let words = step.arguments.iter().map(|word| match *word {
        "SERVER" => server.as_os_str(),
        word => OsStr::new(word),
    });
    command.args(words).current_dir(folder);
    let output = command.output().map_err(|error| format!("cannot start facet: {error}"))?;
    let said = [&output.stdout[..], &output.stderr[..]].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    if output.status.code() != Some(step.exit) {
        return Err(format!(
            "facet {} ended with {:?}\n{said}",
            step.arguments.join(" "),
            output.status.code()
        ));
    }
    Ok(said)
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

fn indent(text: &str) -> String {
    text.lines().map(|line| format!("   {line}\n")).collect()
}

/// Relative to where the user stands, where that is shorter.
fn shown(path: &Path) -> String {
    path.strip_prefix(run::root()).unwrap_or(path).display().to_string()
}
