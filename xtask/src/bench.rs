//! Speed and memory, as ratios to a baseline of the same run.

mod artifacts;
mod fetch;
mod file_server;
mod guard;
mod inspect;
mod installing;
mod measure;
mod packages;
mod registry;
mod starts;
mod talker;

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Outcome;
use crate::run;
use installing::InstallScale;
use measure::{paired_ratio, peak_memory_mib};
use registry::RegistryScale;

/// A figure, its target, and what it is compared with.
struct Row {
    what: String,
    baseline: String,
    ratio: String,
    target: String,
    met: bool,
}

/// Measures a part, with a facet and the binaries beside it, in a folder.
type Rows = fn(&Path, &Path, &Scale) -> Outcome<Vec<Row>>;

struct Scale {
    /// Bytes of a large file.
    unit: u64,
    /// Pairs of runs.
    runs: usize,
    /// Pairs of starts of a program.
    starts: usize,
    /// Small files that are fetched together.
    files: usize,
    /// Source files of a server that is packed.
    sources: usize,
    /// What registries store.
    registry: RegistryScale,
    /// What projects install.
    install: InstallScale,
}

const FULL: Scale = Scale {
    unit: 1 << 30,
    runs: 7,
    starts: 300,
    files: 200,
    sources: 3000,
    registry: registry::FULL,
    install: installing::FULL,
};
const QUICK: Scale = Scale {
    unit: 16 << 20,
    runs: 1,
    starts: 5,
    files: 8,
    sources: 100,
    registry: registry::QUICK,
    install: installing::QUICK,
};

pub(crate) fn run(arguments: &[String]) -> Outcome {
    let quick = arguments.iter().any(|word| word == "--quick");
    let silent = arguments.iter().any(|word| word == "--silent");
    let scale = if quick { QUICK } else { FULL };
    // Of this process: two runs at once must not write or remove each other's files.
    let folder = run::root().join(format!("target/bench/{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    // With binaries that are there: only a part.
    let parts: [(&str, Rows); 7] = [
        ("--guard", guard::rows),
        ("--starts", starts::rows),
        ("--fetch", fetch::rows),
        ("--artifacts", artifacts::rows),
        ("--registry", registry::rows),
        ("--install", installing::rows),
        ("--packages", packages::rows),
    ];
    for (option, rows) in parts {
        if let Some(at) = arguments.iter().position(|word| word == option) {
            let facet = arguments.get(at + 1).ok_or_else(|| format!("{option} FACET"))?;
            // It is started in other directories.
            let facet = std::path::absolute(facet).map_err(|error| error.to_string())?;
            println!("{}", table(&rows(&facet, &folder, &scale)?));
            return clear(&folder);
        }
    }
    // In a hurry nothing is judged by its figures, and what tests start is built already.
    let facet = if quick { run::debug_facet()? } else { run::release_facet()? };
    let mut rows = file_hashing(&facet, &folder, &scale)?;
    rows.push(memory(&facet, &folder, &scale)?);
    rows.extend(in_process(&facet, &folder, &scale)?);
    rows.extend(fetch::rows(&facet, &folder, &scale)?);
    rows.push(start_up(&facet, &scale)?);
    rows.extend(inspect::rows(&facet, &folder, scale.runs)?);
    rows.extend(guard::rows(&facet, &folder, &scale)?);
    rows.extend(starts::rows(&facet, &folder, &scale)?);
    rows.extend(artifacts::rows(&facet, &folder, &scale)?);
    rows.extend(registry::rows(&facet, &folder, &scale)?);
    rows.extend(installing::rows(&facet, &folder, &scale)?);
    rows.extend(packages::rows(&facet, &folder, &scale)?);
    clear(&folder)?;
    let table = table(&rows);
    if !silent {
        println!("{table}");
        if quick {
            println!(
                "Of programs that are not optimised: the figures show that every row runs, no more."
            );
        }
    }
    if quick { Ok(()) } else { run::write(&run::root().join("docs/benchmarks.md"), &page(&table)) }
}

fn table(rows: &[Row]) -> String {
    let mut table =
        "| what | compared with | ratio | target | met |\n|---|---|---|---|---|\n".to_owned();
    for Row { what, baseline, ratio, target, met } in rows {
        let met = if *met { "yes" } else { "NO" };
        let _ = writeln!(table, "| {what} | {baseline} | {ratio} | {target} | {met} |");
    }
    table
}

fn page(table: &str) -> String {
    format!(
        "# Benchmarks\n\nWritten by `cargo xtask bench`. Machines are noisy, so every figure is a ratio to a baseline\n\
         that ran in turn with it: the median over pairs of runs, and in brackets the lowest and the\n\
         highest pair. A speed ratio above 1 means that facet is faster.\n\n{table}"
    )
}

/// Bytes that look like chance, the same in every run.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 56).to_le_bytes()[0]
    };
    std::iter::repeat_with(next).take(length).collect()
}

/// A file of `size` bytes that no file system can keep as a hole.
fn make_file(path: &Path, size: u64) -> Outcome {
    let block = noise(1 << 20);
    let write = || {
        let mut file = File::create(path)?;
        (0..size / block.len() as u64).try_for_each(|_| file.write_all(&block))
    };
    write().map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// Where the file of so many bytes lies that is hashed.
fn hashed_file(folder: &Path, size: u64) -> PathBuf {
    folder.join(size.to_string())
}

fn digest(facet: &Path, files: &[PathBuf]) -> Command {
    let mut command = Command::new(facet);
    command.args(["digest", "file"]).args(files);
    command
}

fn clear(folder: &Path) -> Outcome {
    let _ = fs::remove_dir_all(run::user_folder("bench"));
    fs::remove_dir_all(folder).map_err(|error| error.to_string())
}

fn file_hashing(facet: &Path, folder: &Path, scale: &Scale) -> Outcome<Vec<Row>> {
    let mut rows = Vec::new();
    for size in [scale.unit / 4, scale.unit] {
        let file = hashed_file(folder, size);
        make_file(&file, size)?;
        let openssl = || {
            let mut command = Command::new("openssl");
            command.args(["dgst", "-sha256"]).arg(&file);
            command
        };
        let ratio =
            paired_ratio(scale.runs, openssl, || digest(facet, std::slice::from_ref(&file)))?;
        rows.push(Row {
            what: format!("speed of `facet digest file`, one file of {} MiB", size >> 20),
            baseline: "`openssl dgst -sha256`".to_owned(),
            ratio: ratio.to_string(),
            target: "at least 0.9".to_owned(),
            met: ratio.median() >= 0.9,
        });
    }
    let parts: Vec<PathBuf> = (0..8).map(|number| folder.join(format!("part{number}"))).collect();
    for part in &parts {
        make_file(part, scale.unit / 8)?;
    }
    let one = [hashed_file(folder, scale.unit)];
    let ratio = paired_ratio(scale.runs, || digest(facet, &one), || digest(facet, &parts))?;
    rows.push(Row {
        what: format!("speed of `facet digest file`, eight files of {} MiB", scale.unit >> 23),
        baseline: "the same bytes in one file".to_owned(),
        ratio: ratio.to_string(),
        target: "at least 1.6 on two cores".to_owned(),
        met: ratio.median() >= 1.6,
    });
    Ok(rows)
}

fn memory(facet: &Path, folder: &Path, scale: &Scale) -> Outcome<Row> {
    let file = folder.join("large");
    let size = scale.unit * 2;
    File::create(&file).and_then(|file| file.set_len(size)).map_err(|error| error.to_string())?;
    let large = peak_memory_mib(&mut digest(facet, &[file]))?;
    let small = folder.join("small");
    make_file(&small, 1 << 20)?;
    let base = peak_memory_mib(&mut digest(facet, &[small]))?;
    Ok(Row {
        what: format!("peak memory of `facet digest file`, {} MiB", size >> 20),
        baseline: "the same for 1 MiB".to_owned(),
        ratio: format!("{large:.1} MiB against {base:.1} MiB"),
        target: "under 32 MiB".to_owned(),
        met: large < 32.0,
    })
}

/// Measured inside one process, so that starting it does not count.
fn in_process(facet: &Path, folder: &Path, scale: &Scale) -> Outcome<Vec<Row>> {
    let mut command = Command::new(facet.with_file_name("facets-bench"));
    command.arg(scale.runs.to_string()).arg(run::root().join("../shared/vectors/real-servers"));
    command.arg(run::root().join("target/tools/servers/npm/node_modules"));
    command.arg(hashed_file(folder, scale.unit / 4));
    let lines = run::text(&mut command)?;
    let row = |line: &str| {
        let [what, baseline, ratio, target, met] =
            line.split('\t').map(str::to_owned).collect::<Vec<_>>().try_into().ok()?;
        Some(Row { what, baseline, ratio, target, met: met == "true" })
    };
    Ok(lines.lines().filter_map(row).collect())
}

fn start_up(facet: &Path, scale: &Scale) -> Outcome<Row> {
    let version = || {
        let mut command = Command::new(facet);
        command.arg("--version");
        command
    };
    let ratio = paired_ratio(scale.starts, version, || Command::new("/bin/true"))?;
    Ok(Row {
        what: "time of `facet --version`".to_owned(),
        baseline: "`/bin/true`".to_owned(),
        ratio: ratio.to_string(),
        target: "at most 3".to_owned(),
        met: ratio.median() <= 3.0,
    })
}
