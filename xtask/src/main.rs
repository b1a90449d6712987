#![doc = include_str!("../README.md")]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "chores talk")]

mod bench;
mod corpus;
mod fuzz;
mod mutants;
mod quickstart;
mod run;
mod setup;
mod soak;
mod test;
mod tidy;

use std::process::ExitCode;

/// What went wrong, for people.
type Outcome<T = ()> = Result<T, String>;

struct Chore {
    name: &'static str,
    summary: &'static str,
    help: &'static str,
    run: fn(&[String]) -> Outcome,
}

const CHORES: &[Chore] = &[
    Chore {
        name: "quickstart",
        summary: "Build facet and see what it does",
        help: "Builds facet and does its main job on a bundled example, step by step,\n\
               saying what each step proved. Leaves nothing outside target/.",
        run: quickstart::run,
    },
    Chore {
        name: "test",
        summary: "Install what the tests need, then run all of them",
        help: "Runs setup, formatting, lints, tidy, all tests, a part of the corpus, a short\n\
               fuzzing, some mutants and the quickstart. Prints failures in full and little else; the last\n\
               line counts.\n\
               With CI=true a skipped test is a failure.",
        run: test::run,
    },
    Chore {
        name: "setup",
        summary: "Install what the tests need",
        help: "Installs missing components with the system's package manager (as root) or\n\
               into target/tools. Says what is missing if it cannot.",
        run: setup::run,
    },
    Chore {
        name: "tidy",
        summary: "Check the rules that no compiler checks",
        help: "Layers and purity of the crates, features that change hashes, papers,\n\
               lengths of files and functions, paths of one machine.",
        run: tidy::run,
    },
    Chore {
        name: "bench",
        summary: "Measure speed and memory against baselines",
        help: "Options: --quick         small sizes and few runs, writes nothing\n\
               \x20        --fetch FACET   only fetching, with this binary and those beside it; prints the\n\
               \x20                        rows, writes nothing. Likewise --guard, --starts,\n\
               \x20                        --artifacts, --registry, --install, --packages\n\
               Writes docs/benchmarks.md. Every figure is a ratio to a baseline of the\n\
               same run.",
        run: bench::run,
    },
    Chore {
        name: "fuzz",
        summary: "Fuzz the readers of foreign bytes",
        help: "Options: --seconds N   for each target, 60 by default\n\
               \x20        TARGET…       only these; all by default",
        run: fuzz::run,
    },
    Chore {
        name: "mutants",
        summary: "Change the source, and see whether tests notice",
        help: "Options: --sample N    so many mutants of each crate, always the same ones; 3 by default\n\
               \x20        --all         all of them\n\
               \x20        --crate NAME  only this crate; may be repeated\n\
               Tests mutants of the crates that everything stands on, each with the tests of\n\
               its own crate. A missed mutant that is not in xtask/mutants/accepted.md is an\n\
               error, and with --all a crate whose tests catch less than 90 %.",
        run: mutants::run,
    },
    Chore {
        name: "corpus",
        summary: "Compare real servers with what was found in them before",
        help: "Options: --bless       take over what is found; what is new waits for a judgement\n\
               \x20        --fresh       fetch what the cache has, too\n\
               \x20        --facet FILE  use this binary, build none\n\
               \x20        NAME…         only these servers; all by default\n\
               Fetches real servers of npm and PyPI, starts each in a cage, captures what it\n\
               declares, and compares each version with the next. Anything that is not in\n\
               xtask/corpus, or not judged there, is an error. Writes docs/corpus.md. The\n\
               captures stay in $FACET_CORPUS, by default in the user's cache.",
        run: corpus::run,
    },
    Chore {
        name: "soak",
        summary: "Run the long counts in full",
        help: "Options: PART…  only these: tests, corpus, fuzz, mutants; all by default\n\
               Runs all tests with their full counts, the whole corpus, each fuzz target for\n\
               60 seconds, and all mutants. Writes docs/soak.md, each row with its commit.",
        run: soak::run,
    },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (name, rest) = match arguments.split_first() {
        Some((name, rest)) => (name.as_str(), rest),
        None => ("help", &[] as &[String]),
    };
    let chore = CHORES.iter().find(|chore| chore.name == name);
    let result = match chore {
        Some(chore) if rest.iter().any(|word| word == "--help" || word == "-h") => {
            println!("cargo xtask {}: {}\n\n{}", chore.name, chore.summary, chore.help);
            Ok(())
        }
        Some(chore) => (chore.run)(rest),
        None => help(name),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn help(asked: &str) -> Outcome {
    println!("Usage: cargo xtask CHORE [--help]\n");
    for chore in CHORES {
        println!("  {:<11} {}", chore.name, chore.summary);
    }
    match asked {
        "help" | "--help" | "-h" => Ok(()),
        other => Err(format!("there is no chore `{other}`")),
    }
}
