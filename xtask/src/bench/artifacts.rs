//! Archives of servers: packed, unpacked, and started with the managed runtime.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::measure::{median, paired_ratio};
use super::starts::{shown, until_listed};
use super::{Row, Scale, noise};
use crate::Outcome;
use crate::run;

/// Bytes of a source file: 3000 of them are about 32 MiB.
const SOURCE: usize = 11 << 10;
/// The archive that people make by hand when it has to be the same everywhere.
const TAR: &str = r#"tar --sort=name --mtime=@0 --owner=0 --group=0 -cf - . | gzip -6 -n > "$1""#;
/// Packing hashes every file, the tar and the archive, compresses with a compressor whose output is
/// fixed instead of the fastest one, and waits for the disk. `gzip` runs beside `tar` on a second core.
const PACK: f64 = 0.5;
/// An archive is read twice: all of it is checked and hashed before the first file is written. Each
/// file is hashed again while it is written.
const UNPACK: f64 = 0.4;
/// Pairs for each run of the others: a start is a noisy thing.
const PAIRS: usize = 5;
/// What facet may add to a start, in starts of bun: 60 ms where bun lists its tools after 24 ms.
/// Both are starts of processes and reads of files, so both grow alike on a slow machine; a limit in
/// milliseconds would fail there.
const START: f64 = 2.5;

const WORDS: &str = "const let function return await async import export from if else for while new \
    class this null undefined true false string number boolean => === !== { } ( ) [ ] ; , server request \
    result tools schema argument description value index content handler message error options";

pub(super) fn rows(facet: &Path, _folder: &Path, scale: &Scale) -> Outcome<Vec<Row>> {
    // Outside of the repository: facet uses no store that lies in the one where it is started.
    let place = run::user_folder("bench-artifacts");
    let bench = ArchiveBench { facet, place: &place, files: scale.sources, runs: scale.runs };
    bench.make_tree().map_err(|error| format!("cannot write {}: {error}", place.display()))?;
    let mut rows = vec![bench.pack()?, bench.unpack()?];
    rows.extend(StartBench { facet, place: &place }.row(scale.runs * PAIRS)?);
    let _ = fs::remove_dir_all(&place);
    Ok(rows)
}

struct ArchiveBench<'b> {
    facet: &'b Path,
    place: &'b Path,
    files: usize,
    runs: usize,
}

impl ArchiveBench<'_> {
    fn tree(&self) -> PathBuf {
        self.place.join("tree")
    }

    fn archive(&self) -> PathBuf {
        self.place.join("packed.tar.gz")
    }

    fn make_tree(&self) -> std::io::Result<()> {
        let tree = self.tree();
        let text = source_text(self.files * SOURCE);
        for (number, source) in text.as_bytes().chunks(SOURCE).enumerate() {
            let folder = tree.join(format!("src/{}", number / 100));
            fs::create_dir_all(&folder)?;
            fs::write(folder.join(format!("{number}.ts")), source)?;
        }
        let manifest = "name: packed\nversion: 1.0.0\nruntime: bun\nentry: src/0/0.ts\n";
        fs::write(tree.join("server.yaml"), manifest)
    }

    /// Into a new file: one that is there with the same content is left alone.
    fn build(&self) -> Command {
        let _ = fs::remove_file(self.archive());
        let mut command = facet_in(self.facet, self.place);
        command.args(["build", "--quiet", "--output"]).arg(self.archive()).arg(self.tree());
        command
    }

    fn pack(&self) -> Outcome<Row> {
        let by_tar = self.place.join("tar.tar.gz");
        let tar = || {
            let _ = fs::remove_file(&by_tar);
            let mut command = Command::new("sh");
            command.args(["-c", TAR, "sh"]).arg(&by_tar).current_dir(self.tree());
            command
        };
        let ratio = paired_ratio(self.runs, tar, || self.build())?;
        self.require_similar_sizes(&by_tar)?;
        Ok(Row {
            what: format!("speed of `facet build`, {} source files", self.files),
            baseline: "`tar --sort=name … \\| gzip -6 -n`".to_owned(),
            ratio: ratio.to_string(),
            target: format!("at least {PACK}"),
            met: ratio.median() >= PACK,
        })
    }

    /// A pipeline does not fail if `tar` does.
    fn require_similar_sizes(&self, by_tar: &Path) -> Outcome {
        let size = |path: &Path| fs::metadata(path).map_or(0, |found| found.len());
        let (ours, theirs) = (size(&self.archive()), size(by_tar));
        if theirs > ours / 2 && ours > theirs / 2 {
            return Ok(());
        }
        Err(format!("packed different files: {ours} bytes by facet, {theirs} bytes by tar"))
    }

    /// Both unpack the same archive.
    fn unpack(&self) -> Outcome<Row> {
        run::output(&mut self.build())?;
        let tar = || {
            let out = self.place.join("by-tar");
            let _ = fs::remove_dir_all(&out);
            // Where that fails, so does tar.
            let _ = fs::create_dir(&out);
            let mut command = Command::new("tar");
            command.arg("-xzf").arg(self.archive()).arg("-C").arg(out);
            command
        };
        let facet = || {
            let out = self.place.join("by-facet");
            let _ = fs::remove_dir_all(&out);
            let mut command = facet_in(self.facet, self.place);
            command.args(["unpack", "--quiet"]).arg(self.archive()).arg("--into").arg(out);
            command
        };
        let ratio = paired_ratio(self.runs, tar, facet)?;
        Ok(Row {
            what: format!("speed of `facet unpack`, {} source files", self.files),
            baseline: "`tar -xzf`".to_owned(),
            ratio: ratio.to_string(),
            target: format!("at least {UNPACK}"),
            met: ratio.median() >= UNPACK,
        })
    }
}

/// Text that compresses about as source does.
fn source_text(length: usize) -> String {
    let words: Vec<&str> = WORDS.split(' ').collect();
    let mut text = String::with_capacity(length + SOURCE);
    // More bytes than words are needed: every word has at least a space.
    for (at, byte) in noise(length / 2 + 1).into_iter().enumerate() {
        if text.len() >= length {
            break;
        }
        text.push_str(words[usize::from(byte) % words.len()]);
        let _ = match at % 8 {
            3 => write!(text, " {} ", at % 9973),
            7 => writeln!(text),
            _ => write!(text, " "),
        };
    }
    text.truncate(length);
    text
}

fn facet_in(facet: &Path, folder: &Path) -> Command {
    let mut command = Command::new(facet);
    command.current_dir(folder).env("FACET_DIR", run::user_folder("bench"));
    // The cache of the tests: the runtime is large, and is fetched once.
    command.env("XDG_CACHE_HOME", run::root().join("target/tools/source-mode-cache"));
    command
}

/// The start of a server from source.
struct StartBench<'b> {
    facet: &'b Path,
    place: &'b Path,
}

impl StartBench<'_> {
    fn facet(&self, arguments: &[&str]) -> Command {
        let mut command = facet_in(self.facet, self.place);
        command.args(arguments);
        command
    }

    /// No row where the runtime cannot be fetched.
    fn row(&self, pairs: usize) -> Outcome<Option<Row>> {
        if let Err(reason) = run::output(&mut self.facet(&["runtime", "install"])) {
            if !reason.contains("[fetch-") {
                return Err(reason);
            }
            eprintln!("SKIP the start of a server from source: no registry has the runtime");
            return Ok(None);
        }
        let bun = self.bun()?;
        run::output(&mut self.facet(&["init", "server", "greeter"]))?;
        run::output(&mut self.facet(&["add", "greeter", "--yes", "./greeter"]))?;
        let (direct, guarded) = self.compare(&bun, pairs)?;
        let more = guarded.saturating_sub(direct);
        let ratio = more.as_secs_f64() / direct.as_secs_f64();
        Ok(Some(Row {
            what: "added by `facet run` until a server from source lists its tools".to_owned(),
            baseline: "the start of the same server with the same bun".to_owned(),
            ratio: format!("{ratio:.2} ({} against {})", shown(guarded), shown(direct)),
            target: format!("at most {START} of its start"),
            met: ratio <= START,
        }))
    }

    /// The program of the store that facet starts servers with.
    fn bun(&self) -> Outcome<PathBuf> {
        let text = run::text(&mut self.facet(&["runtime", "list", "--json"]))?;
        let list: serde_json::Value =
            serde_json::from_str(&text).map_err(|error| error.to_string())?;
        let runtimes = list["runtimes"].as_array().into_iter().flatten();
        let path = runtimes.filter(|one| one["name"] == "bun").find_map(|one| one["path"].as_str());
        path.map(PathBuf::from).ok_or_else(|| format!("no bun is installed: {text}"))
    }

    /// With the arguments and variables that facet starts it with.
    fn direct(&self, bun: &Path) -> Command {
        let mut command = Command::new(bun);
        command.args(["--no-install", "--no-env-file", "--config=/dev/null"]);
        command.args(["--tsconfig-override=/dev/null", "greeter/index.ts"]);
        command.env("BUN_RUNTIME_TRANSPILER_CACHE_PATH", "0").current_dir(self.place);
        command
    }

    /// Medians of starts in turn. The first of each fills caches, and does not count.
    fn compare(&self, bun: &Path, pairs: usize) -> Outcome<(Duration, Duration)> {
        let (mut direct, mut guarded) = (Vec::new(), Vec::new());
        for _ in 0..=pairs {
            direct.push(until_listed(&mut self.direct(bun))?);
            guarded.push(until_listed(&mut self.facet(&["run", "greeter"]))?);
        }
        Ok((median(direct.split_off(1)), median(guarded.split_off(1))))
    }
}
