//! A program of many files: from where it starts, along its imports.

mod kinds;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use facets_surface::{EntitlementVerdict, Entitlements};

use crate::files::Files;
use crate::resolve::{Resolver, Target, join, parent};
use crate::settings::{changes_program, leads_elsewhere};
use crate::startup::{Startup, read_startup};
use crate::words::{self, Gives};
use crate::{Analysis, Category, Doubt, Import, Perhaps, SCANNER_VERSION, SourceFinding};

pub use kinds::is_source;
use kinds::{is_data, is_program, may_be_source, outwards, package_of, reads};

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
    /// Whether any of it is JavaScript or TypeScript. Otherwise there was nothing to judge.
    pub has_source: bool,
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
        starts: BTreeMap::new(),
        settled: BTreeSet::new(),
        root: match start {
            Start::Files(list) => list.first().map_or("", |file| parent(file)).to_owned(),
            Start::Folder(root) => root.clone(),
        },
        home: match start {
            Start::Files(list) => list.first().map_or_else(String::new, |f| package_of(f, files)),
            Start::Folder(root) => files.real(root),
        },
        waiting: VecDeque::new(),
        found: Vec::new(),
        doubts: Vec::new(),
        perhaps: Vec::new(),
        unless_alone: Vec::new(),
        undefined: BTreeMap::new(),
        defines: BTreeSet::new(),
        read: 0,
        bytes: 0,
        has_source: false,
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
    /// Files with which the program starts, and whether as a command.
    starts: BTreeMap<String, bool>,
    /// Folders whose settings were read.
    settled: BTreeSet<String>,
    /// The folder that is scanned.
    root: String,
    /// The folder of the program, whose data is its own.
    home: String,
    waiting: VecDeque<String>,
    found: Vec<Located<SourceFinding>>,
    doubts: Vec<Located<Doubt>>,
    /// Doubts that concern one category.
    perhaps: Vec<(Category, Located<Doubt>)>,
    /// Doubts that count in a program of several files.
    unless_alone: Vec<Located<Doubt>>,
    undefined: BTreeMap<String, (String, u32)>,
    defines: BTreeSet<String>,
    read: usize,
    bytes: usize,
    has_source: bool,
}

impl Scan<'_> {
    fn start(&mut self, start: &Start) {
        match start {
            Start::Files(list) => {
                for file in list {
                    self.start_settings(parent(file));
                    self.start_with(file, false);
                }
            }
            Start::Folder(root) => {
                self.start_settings(root);
                self.compiler_settings(root);
                let entries = self.resolver.entries(root).unwrap_or_default();
                for name in entries.missing {
                    let reason = format!("starts with {name}: file not found");
                    self.doubt(&format!("{root}/package.json"), 0, reason);
                }
                self.unread(entries.unread);
                for file in &entries.commands {
                    self.start_with(file, true);
                }
                let mut loaded = entries.loaded;
                loaded.retain(|file| !self.is_data(file));
                if loaded.is_empty() && entries.commands.is_empty() {
                    loaded = self.programs(root);
                }
                for file in loaded {
                    self.start_with(&file, false);
                }
                if self.starts.is_empty() {
                    self.doubt(root, 0, "has no JavaScript or TypeScript".to_owned());
                }
            }
        }
    }

    /// Every program of a folder.
    fn programs(&mut self, root: &str) -> Vec<String> {
        let mut listing = self.files.list(root);
        self.unread(listing.unread);
        listing.files.retain(|file| {
            is_program(file)
                || is_program(&self.files.real(file))
                || self.files.has_first_line(file)
        });
        listing.files
    }

    fn unread(&mut self, places: Vec<(String, String)>) {
        for (path, reason) in places {
            self.doubt(&path, 0, reason);
        }
    }

    /// A link has the ending of the file where it leads: Node goes by that, Bun may by either.
    fn is_data(&self, file: &str) -> bool {
        is_data(file) && is_data(&self.files.real(file))
    }

    fn start_with(&mut self, file: &str, is_command: bool) {
        *self.starts.entry(self.files.real(file)).or_default() |= is_command;
        self.follow(file);
    }

    /// What the beginning of a file says about how it is started.
    fn started(&mut self, path: &str, source: &[u8]) {
        let Some(is_command) = self.starts.get(path).copied() else { return };
        let Startup { loads, runtime, doubts } = read_startup(source, is_command);
        for reason in doubts {
            self.doubt(path, 1, reason);
        }
        if let Some(runtime) = runtime
            && let Some(other) = self.replaces(&runtime, path)
        {
            self.doubt(path, 1, format!("may be started by {other}"));
        }
        for specifier in loads {
            self.loaded_first(path, &Import { specifier, line: 1, by_require: true });
        }
    }

    /// A path in a first line is meant from where the program is started: beside it, or at the
    /// root of its package.
    fn loaded_first(&mut self, path: &str, import: &Import) {
        let root = join(&self.root, "package.json");
        let targets = BTreeSet::from([path, root.as_str()]);
        let targets = targets.into_iter();
        let mut targets: Vec<Target> =
            targets.map(|from| self.resolver.resolve(&import.specifier, from, true)).collect();
        if targets.iter().any(|target| matches!(target, Target::Files(_))) {
            targets.retain(|target| matches!(target, Target::Files(_)));
        }
        for target in targets {
            self.imported(path, import, target);
        }
    }

    /// A file that takes the place of a runtime, or changes what its imports mean.
    fn replaces(&self, runtime: &str, path: &str) -> Option<String> {
        let folders = outwards(parent(path));
        let settings: &[&str] = if runtime == "deno" { &["deno.json", "deno.jsonc"] } else { &[] };
        let names = settings.iter().map(|name| (*name).to_owned());
        let names: Vec<String> = names.chain([format!("node_modules/.bin/{runtime}")]).collect();
        let mut all = folders.iter().flat_map(|folder| names.iter().map(|name| join(folder, name)));
        all.find(|file| self.files.is_file(file))
    }

    /// Settings of Bun count where it is started: in the folder of a program, or above.
    fn start_settings(&mut self, folder: &str) {
        for folder in outwards(folder) {
            let path = join(folder, "bunfig.toml");
            let changes =
                |text: Result<Vec<u8>, _>| text.map_or(true, |text| changes_program(&text));
            if self.files.is_file(&path) && changes(self.files.read(&path)) {
                self.doubt(&path, 0, "may redirect imports".to_owned());
            }
        }
    }

    /// Settings of a compiler count for all files below.
    fn compiler_settings(&mut self, mut folder: &str) {
        while self.settled.insert(folder.to_owned()) {
            for name in ["tsconfig.json", "jsconfig.json"] {
                let path = join(folder, name);
                let leads = |text: Result<Vec<u8>, String>| {
                    text.map_or(true, |text| leads_elsewhere(&text))
                };
                if self.files.is_file(&path) && leads(self.files.read(&path)) {
                    self.doubt(&path, 0, "may redirect imports".to_owned());
                }
            }
            folder = parent(folder);
        }
    }

    fn follow(&mut self, file: &str) {
        // A link is a file where it leads, and imports from there.
        let file = self.files.real(file);
        if self.seen.insert(file.clone()) {
            self.compiler_settings(parent(&file));
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
                self.doubt(&path, 0, "was not read: the source is too large".to_owned());
                continue;
            }
            self.has_source |= is_source(&path);
            match self.files.read(&path) {
                Ok(source) if !may_be_source(&path, &source) => {
                    self.doubt(
                        &path,
                        0,
                        "is neither JavaScript nor TypeScript, by its name".to_owned(),
                    );
                }
                Ok(source) => {
                    self.started(&path, &source);
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
                Ok(analysis) => {
                    self.has_source = true;
                    self.add(path, analysis);
                }
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
        for what in analysis.unless_alone {
            self.unless_alone.push(Located { file: path.to_owned(), what });
        }
        let is_started = self.starts.contains_key(path);
        for Perhaps { category, reason, line, only_if_started } in analysis.perhaps {
            if is_started || !only_if_started {
                let what = Doubt { reason, line };
                self.perhaps.push((category, Located { file: path.to_owned(), what }));
            }
        }
        for name in analysis.undefined {
            self.undefined.entry(name.name).or_insert_with(|| (path.to_owned(), name.line));
        }
        self.defines.extend(analysis.defines);
        for import in analysis.imports {
            let target = self.resolver.resolve(&import.specifier, path, import.by_require);
            // Where there is no such package, only the runtime can be meant.
            if matches!(target, Target::Files(_)) || !words::is_runtime(&import.specifier) {
                self.imported(path, &import, target);
            }
        }
    }

    fn imported(&mut self, from: &str, import: &Import, target: Target) {
        let Import { specifier, line, by_require } = import;
        let (line, by_require) = (*line, *by_require);
        match target {
            Target::Files(files) => {
                for file in files {
                    let real = self.files.real(&file);
                    let ends = |ending| file.ends_with(ending) || real.ends_with(ending);
                    let native = ends(".node");
                    // Node runs what is required as a program, whatever its ending says.
                    if native || (ends(".wasm") && !by_require) {
                        let finding = SourceFinding {
                            category: Category::CodeEvaluation,
                            identifier: if native { "native addon" } else { "WebAssembly" }
                                .to_owned(),
                            line,
                            path: Vec::new(),
                            runs_anything: native,
                        };
                        self.found.push(Located { file: from.to_owned(), what: finding });
                    } else if !self.is_data(&file) {
                        self.follow(&file);
                    } else if !self.is_own_data(from, specifier, &real) {
                        self.found.push(Located { file: from.to_owned(), what: reads(line) });
                    }
                }
            }
            Target::Missing => {
                self.doubt(from, line, format!("imports {specifier}: file not found"));
            }
            Target::Package(name) => self.absent_package(from, &name, line),
        }
    }

    /// Whether data belongs to the program, or to a package that it loads.
    fn is_own_data(&self, from: &str, specifier: &str, data: &str) -> bool {
        let is_path =
            specifier.starts_with(['.', '/', '#']) || specifier.split('/').any(|part| part == "..");
        let lies_in = |folder: &str| {
            let rest = data.strip_prefix(folder.trim_end_matches('/'));
            rest.is_some_and(|rest| rest.starts_with('/'))
        };
        let is_started = from.starts_with(&format!("{}/", self.home.trim_end_matches('/')));
        !is_path || lies_in(&self.home) || (!is_started && lies_in(&package_of(from, self.files)))
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
        self.doubt(from, line, format!("imports the package {name}: source not found"));
    }

    fn doubt(&mut self, file: &str, line: u32, reason: String) {
        self.doubts.push(Located { file: file.to_owned(), what: Doubt { reason, line } });
    }

    fn finish(mut self) -> Report {
        for path in self.resolver.odd_manifests() {
            self.doubt(&path, 0, "runtimes may read it differently".to_owned());
        }
        for (name, (file, line)) in std::mem::take(&mut self.undefined) {
            if !self.defines.contains(&name) {
                self.doubt(&file, line, format!("uses {name}, which is not defined"));
            }
        }
        if self.read > 1 {
            self.doubts.append(&mut self.unless_alone);
        }
        self.found.sort();
        if let Some(found) = self.found.iter().find(|found| found.what.runs_anything) {
            let (file, line) = (found.file.clone(), found.what.line);
            self.doubt(&file, line, "evaluates code at run time, which can do anything".to_owned());
        }
        let entitlements = self.entitlements();
        // They are named only where they matter.
        let found = |category: Category| self.found.iter().any(|one| one.what.category == category);
        self.perhaps.retain(|(category, _)| !found(*category));
        self.doubts.extend(std::mem::take(&mut self.perhaps).into_iter().map(|(_, doubt)| doubt));
        self.doubts.sort_by(|a, b| {
            (&a.file, a.what.line, &a.what.reason).cmp(&(&b.file, b.what.line, &b.what.reason))
        });
        self.doubts.dedup();
        Report {
            entitlements,
            findings: self.found,
            doubts: self.doubts,
            files: self.read,
            bytes: self.bytes,
            has_source: self.has_source,
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
            } else if open || self.perhaps.iter().any(|(of, _)| *of == category) {
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
