//! A program of many files: from where it starts, along its imports.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use facets_surface::{EntitlementVerdict, Entitlements};

use crate::files::Files;
use crate::resolve::{Resolver, Target, parent};
use crate::words::{self, Gives};
use crate::{Analysis, Category, Doubt, Import, SCANNER_VERSION, SourceFinding};

/// Whoever analyses files: in a sandbox, if they come from outside.
pub trait Analyst {
    /// Analyses files, each alone. An error is the reason why nothing is known of one.
    fn analyse(&mut self, files: Vec<(String, Vec<u8>)>) -> Vec<Result<Analysis, String>>;
}

/// How much is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScanLimits {
    /// Files in all.
    pub files: usize,
    /// Bytes in all.
    pub bytes: usize,
}

impl Default for ScanLimits {
    fn default() -> Self {
        Self { files: 20_000, bytes: 512 << 20 }
    }
}

/// Identifiers that stand in every contract. Nobody reviews more.
const MAX_RAW: usize = 500;

/// What is held in memory at once.
const BATCH_BYTES: usize = 16 << 20;
const BATCH_FILES: usize = 256;

/// Where a program starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// In these files.
    Files(Vec<String>),
    /// Where the package in this folder says; if it is none, in every file.
    Folder(String),
}

/// Something in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Located<T> {
    /// The file.
    pub file: String,
    /// What is there.
    pub what: T,
}

/// What a program can reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The verdicts.
    pub entitlements: Entitlements,
    /// Why a verdict is yes, by file and line.
    pub findings: Vec<Located<SourceFinding>>,
    /// Why a verdict is unknown.
    pub doubts: Vec<Located<Doubt>>,
    /// How many files were read.
    pub files: usize,
    /// How many bytes they have.
    pub bytes: usize,
}

/// Whether a file's name says that it is source.
#[must_use]
pub fn is_source(path: &str) -> bool {
    const ENDINGS: &[&str] = &["js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx"];
    let (stem, ending) = path.rsplit_once('.').unwrap_or((path, ""));
    ENDINGS.contains(&ending) && !(stem.ends_with(".d") && ending.ends_with("ts"))
}

/// Without an ending, the first line says what runs a file; without that, it is JavaScript.
fn may_be_source(path: &str, source: &[u8]) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    if is_source(name) || name.ends_with(".d.ts") {
        return true;
    }
    let first = source.split(|byte| *byte == b'\n').next().unwrap_or_default();
    match first.strip_prefix(b"#!") {
        Some(line) => {
            let line = String::from_utf8_lossy(line);
            ["node", "bun", "deno", "tsx"].iter().any(|runtime| line.contains(runtime))
        }
        None => !name.contains('.'),
    }
}

/// Files that are loaded and run nothing. Node runs a file of any other ending as a program.
fn is_data(path: &str) -> bool {
    path.ends_with(".json")
}

/// Reads a program from where it starts, along its imports.
pub fn scan(
    start: &Start,
    files: &dyn Files,
    analyst: &mut dyn Analyst,
    limits: ScanLimits,
) -> Report {
    let mut scan = Scan {
        files,
        resolver: Resolver::new(files),
        limits,
        seen: BTreeSet::new(),
        waiting: VecDeque::new(),
        found: Vec::new(),
        doubts: Vec::new(),
        undefined: BTreeMap::new(),
        defines: BTreeSet::new(),
        read: 0,
        bytes: 0,
    };
    scan.start(start);
    while !scan.waiting.is_empty() {
        scan.wave(analyst);
    }
    scan.finish()
}

struct Scan<'f> {
    files: &'f dyn Files,
    resolver: Resolver<'f>,
    limits: ScanLimits,
    seen: BTreeSet<String>,
    waiting: VecDeque<String>,
    found: Vec<Located<SourceFinding>>,
    doubts: Vec<Located<Doubt>>,
    undefined: BTreeMap<String, (String, u32)>,
    defines: BTreeSet<String>,
    read: usize,
    bytes: usize,
}

impl Scan<'_> {
    fn start(&mut self, start: &Start) {
        match start {
            Start::Files(list) => {
                for file in list {
                    self.settings(parent(file));
                    self.follow(file);
                }
            }
            Start::Folder(root) => {
                self.settings(root);
                let (entries, missing) = self.resolver.entries(root).unwrap_or_default();
                for name in missing {
                    let reason = format!("starts with {name}, which is not here");
                    self.doubt(&format!("{root}/package.json"), 0, reason);
                }
                let mut entries: Vec<String> =
                    entries.into_iter().filter(|file| !is_data(file)).collect();
                if entries.is_empty() {
                    entries =
                        self.files.list(root).into_iter().filter(|file| is_source(file)).collect();
                }
                if entries.is_empty() {
                    self.doubt(root, 0, "there is no JavaScript or TypeScript here".to_owned());
                }
                for file in entries {
                    self.follow(&file);
                }
            }
        }
    }

    /// Files beside a program that change what its imports mean.
    fn settings(&mut self, folder: &str) {
        for name in ["bunfig.toml", "tsconfig.json"] {
            let path = format!("{folder}/{name}");
            let text = self.files.read(&path).unwrap_or_default();
            let text = String::from_utf8_lossy(&text);
            let more = ["preload", "\"paths\"", "jsxImportSource"];
            if self.files.is_file(&path) && more.iter().any(|word| text.contains(word)) {
                self.doubt(&path, 0, "may lead imports elsewhere".to_owned());
            }
        }
    }

    fn follow(&mut self, file: &str) {
        // A link is a file where it leads, and imports from there.
        let file = self.files.real(file);
        if self.seen.insert(file.clone()) {
            self.waiting.push_back(file);
        }
    }

    /// Some of what waits, at once: whoever analyses may do it side by side.
    fn wave(&mut self, analyst: &mut dyn Analyst) {
        let mut batch = Vec::new();
        let mut size = 0;
        while size < BATCH_BYTES && batch.len() < BATCH_FILES {
            let Some(path) = self.waiting.pop_front() else { break };
            if self.read >= self.limits.files || self.bytes >= self.limits.bytes {
                self.doubt(&path, 0, "is not read: there is too much source".to_owned());
                continue;
            }
            match self.files.read(&path) {
                Ok(source) if !may_be_source(&path, &source) => {
                    self.doubt(
                        &path,
                        0,
                        "is neither JavaScript nor TypeScript by its name".to_owned(),
                    );
                }
                Ok(source) => {
                    self.read += 1;
                    self.bytes += source.len();
                    size += source.len();
                    batch.push((path, source));
                }
                Err(reason) => self.doubt(&path, 0, reason),
            }
        }
        let paths: Vec<String> = batch.iter().map(|(path, _)| path.clone()).collect();
        for (path, result) in paths.iter().zip(analyst.analyse(batch)) {
            match result {
                Ok(analysis) => self.add(path, analysis),
                Err(reason) => self.doubt(path, 0, reason),
            }
        }
    }

    fn add(&mut self, path: &str, analysis: Analysis) {
        for what in analysis.findings {
            self.found.push(Located { file: path.to_owned(), what });
        }
        for what in analysis.doubts {
            self.doubts.push(Located { file: path.to_owned(), what });
        }
        for name in analysis.undefined {
            self.undefined.entry(name.name).or_insert_with(|| (path.to_owned(), name.line));
        }
        self.defines.extend(analysis.defines);
        for import in analysis.imports {
            let target = self.resolver.resolve(&import.specifier, path, import.by_require);
            self.imported(path, &import, target);
        }
    }

    fn imported(&mut self, from: &str, import: &Import, target: Target) {
        let Import { specifier, line, by_require } = import;
        let (line, by_require) = (*line, *by_require);
        match target {
            Target::Files(files) => {
                for file in files {
                    // Node runs what is required as a program, whatever its ending says.
                    if file.ends_with(".node") || (file.ends_with(".wasm") && !by_require) {
                        let native = file.ends_with(".node");
                        let finding = SourceFinding {
                            category: Category::CodeEvaluation,
                            identifier: if native { "native addon" } else { "WebAssembly" }
                                .to_owned(),
                            line,
                            path: Vec::new(),
                            runs_anything: native,
                        };
                        self.found.push(Located { file: from.to_owned(), what: finding });
                    } else if !is_data(&file) {
                        self.follow(&file);
                    }
                }
            }
            Target::Missing => {
                self.doubt(from, line, format!("imports {specifier}, which is not here"));
            }
            Target::Package(name) => self.absent_package(from, &name, line),
        }
    }

    /// Nobody can read it, but some are known by name.
    fn absent_package(&mut self, from: &str, name: &str, line: u32) {
        let categories = match words::package(name) {
            Some(Gives::One(category)) => vec![category],
            Some(Gives::Two(one, other)) => vec![one, other],
            Some(Gives::AnyCode) => vec![Category::CodeEvaluation],
            _ => Vec::new(),
        };
        for category in categories {
            let finding = SourceFinding {
                category,
                identifier: name.to_owned(),
                line,
                path: Vec::new(),
                runs_anything: false,
            };
            self.found.push(Located { file: from.to_owned(), what: finding });
        }
        self.doubt(from, line, format!("imports the package {name}, whose source is not here"));
    }

    fn doubt(&mut self, file: &str, line: u32, reason: String) {
        self.doubts.push(Located { file: file.to_owned(), what: Doubt { reason, line } });
    }

    fn finish(mut self) -> Report {
        for (name, (file, line)) in std::mem::take(&mut self.undefined) {
            if !self.defines.contains(&name) {
                self.doubt(&file, line, format!("uses {name}, which nobody defines"));
            }
        }
        self.found.sort();
        if let Some(found) = self.found.iter().find(|found| found.what.runs_anything) {
            let (file, line) = (found.file.clone(), found.what.line);
            self.doubt(&file, line, "runs code that is made while it runs".to_owned());
        }
        self.doubts.sort_by(|a, b| {
            (&a.file, a.what.line, &a.what.reason).cmp(&(&b.file, b.what.line, &b.what.reason))
        });
        self.doubts.dedup();
        let entitlements = self.entitlements();
        Report {
            entitlements,
            findings: self.found,
            doubts: self.doubts,
            files: self.read,
            bytes: self.bytes,
        }
    }

    /// Yes where something was found; unknown where something may be out of sight, or code
    /// runs that nobody has read; no only where neither is.
    fn entitlements(&self) -> Entitlements {
        let open =
            !self.doubts.is_empty() || self.found.iter().any(|found| found.what.runs_anything);
        let verdict = |category: Category| {
            if self.found.iter().any(|found| found.what.category == category) {
                EntitlementVerdict::Yes
            } else if open {
                EntitlementVerdict::Unknown
            } else {
                EntitlementVerdict::No
            }
        };
        let all = || self.found.iter().map(|found| found.what.identifier.as_str());
        let mut raw: BTreeSet<&str> = all().collect();
        if raw.len() > MAX_RAW {
            raw = all().filter(|name| !name.contains('.')).collect();
        }
        Entitlements {
            filesystem: verdict(Category::Filesystem),
            network: verdict(Category::Network),
            subprocess: verdict(Category::Subprocess),
            crypto: verdict(Category::Crypto),
            code_evaluation: verdict(Category::CodeEvaluation),
            raw: raw.into_iter().take(MAX_RAW).map(str::to_owned).collect(),
            scanner: Some(SCANNER_VERSION),
        }
    }
}
