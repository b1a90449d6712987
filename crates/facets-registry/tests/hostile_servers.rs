//! Servers that a publisher might send: each is refused with what it printed, and leaves nothing behind.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::collections::BTreeMap;
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use facets_archive::{ArchiveLimits, PackRequest, SourceTree, pack_server, read_server_archive};
use facets_digest::{Digest, NoProgress};
use facets_fetch::{FetchLimits, Fetcher, Machine, NoFetchProgress, Reach};
use facets_launch::{Launchable, Launcher, ProcessLaunch, Sandbox, Variables};
use facets_mcp::CaptureOptions;
use facets_model::RuntimeName;
use facets_probe::{ScanRequest, observe, scan_directory};
use facets_registry::{InstalledProgram, ProbeAnswer, ProbeFailure, ProbeRequest, probe};
use facets_runtime::{BunCommand, InstalledRuntime, Runtimes, bun_command_of, current};
use facets_store::Store;
use facets_surface::{Kind, Surface, parse_surface_file};
use facets_testkit::{processes, repository_root, skip};
use facets_worker::ENDED_FOR;

/// The program that is started again.
const PROGRAM: &str = env!("CARGO_BIN_EXE_facets-registry-worker");

/// From the issue: within this time on an empty queue.
const PATIENCE: Duration = Duration::from_secs(40);

/// The runtime of all tests of this repository, in the same store.
static RUNTIME: LazyLock<Option<InstalledRuntime>> = LazyLock::new(|| {
    let cache = repository_root().join("target/tools/source-mode-cache/facet");
    let store = Store::open(&cache).unwrap();
    let fetcher = Fetcher::new(Machine::here(), Reach::AsUser, FetchLimits::default());
    let bun = current(RuntimeName::Bun);
    Runtimes::new(&store).install(bun, &fetcher, &NoFetchProgress).ok()
});

/// Times are measured with an empty queue: one server at a time.
static QUEUE: Mutex<()> = Mutex::new(());

/// A server that answers, with whatever it lists. Files of an artifact import each other.
const SERVE: &str = r#"
import { createInterface } from "node:readline";

export function serve(list: () => object[]) {
  const send = (message: object) => process.stdout.write(JSON.stringify(message) + "\n");
  createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method } = JSON.parse(line);
    if (id === undefined) return;
    if (method === "initialize") {
      const serverInfo = { name: "published", version: "1.0.0" };
      const result = { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo };
      send({ jsonrpc: "2.0", id, result });
    } else if (method === "tools/list") {
      send({ jsonrpc: "2.0", id, result: { tools: list() } });
    } else {
      send({ jsonrpc: "2.0", id, error: { code: -32601, message: "unknown method" } });
    }
  });
}

export const tool = (name: string, description = "A tool") =>
  ({ name, description, inputSchema: { type: "object", required: ["b", "a"] } });
"#;

/// A server as its author has it, and as it is published.
struct Published {
    place: tempfile::TempDir,
    content_hash: Digest,
    integrity: Digest,
    _turn: MutexGuard<'static, ()>,
}

/// What came of a probe.
#[derive(Debug)]
struct Refused {
    code: String,
    error: String,
    printed: String,
}

impl Published {
    /// A server with this entry file; none where there is no runtime.
    fn new(entry: &str) -> Option<Self> {
        Self::with_manifest(entry, "")
    }

    fn with_manifest(entry: &str, more: &str) -> Option<Self> {
        if RUNTIME.is_none() {
            skip("the registry that has the runtime cannot be reached");
            return None;
        }
        let turn = QUEUE.lock().unwrap_or_else(PoisonError::into_inner);
        let place = tempfile::tempdir().unwrap();
        let source = place.path().join("source");
        fs::create_dir(&source).unwrap();
        let manifest =
            format!("name: published\nversion: 1.0.0\nruntime: bun\nentry: index.ts\n{more}");
        fs::write(source.join("server.yaml"), manifest).unwrap();
        fs::write(source.join("serve.ts"), SERVE).unwrap();
        fs::write(source.join("idle.ts"), "setInterval(() => {}, 1000);\n").unwrap();
        let begin = "import { serve, tool } from \"./serve\";\nconsole.error(\"it begins\");\n";
        fs::write(source.join("index.ts"), format!("{begin}{entry}\n")).unwrap();
        let tree = SourceTree::open(&source).unwrap();
        let mut archive = Vec::new();
        let request = PackRequest::default();
        let packed = pack_server(&tree, &request, &ArchiveLimits::SPEC, &mut archive).unwrap();
        fs::write(place.path().join("archive"), archive).unwrap();
        let (content_hash, integrity) = (packed.index.content_hash, packed.index.integrity);
        Some(Self { place, content_hash, integrity, _turn: turn })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    /// Starts it, and looks whether it left anything behind.
    fn probe(&self) -> Result<ProbeAnswer, ProbeFailure> {
        self.probe_until(&|| false)
    }

    /// The same for a registry that stops meanwhile.
    fn probe_until(&self, is_stopping: &dyn Fn() -> bool) -> Result<ProbeAnswer, ProbeFailure> {
        let installed = RUNTIME.as_ref().unwrap();
        let runtime = InstalledProgram {
            path: installed.program_for_start().unwrap(),
            version: installed.runtime().version.to_owned(),
        };
        let begin = Instant::now();
        let request = ProbeRequest {
            archive: &self.path("archive"),
            content_hash: self.content_hash,
            integrity: self.integrity,
            scratch: &self.path("run"),
            runtime: &runtime,
            program: Path::new(PROGRAM),
        };
        let outcome = probe(&request, is_stopping);
        assert!(begin.elapsed() < PATIENCE, "{:?}: {outcome:?}", begin.elapsed());
        assert!(!self.path("run").exists(), "the scratch directory is there: {outcome:?}");
        let place = self.place.path().to_str().unwrap();
        let left = processes().into_iter().filter(|process| {
            process.command.contains(place) || process.environment.contains(place)
        });
        let left: Vec<String> = left.map(|process| process.command).collect();
        assert!(left.is_empty(), "still running: {left:?}");
        outcome
    }

    fn refused(&self) -> Refused {
        match self.probe() {
            Err(ProbeFailure::Refused { code, error, printed }) => Refused { code, error, printed },
            other => panic!("{other:?}"),
        }
    }

    /// The same of a server that has begun.
    fn refused_after_start(&self, code: &str) -> Refused {
        let refused = self.refused();
        assert_eq!(refused.code, code, "{refused:?}");
        assert!(refused.printed.contains("it begins"), "{refused:?}");
        refused
    }

    /// What `facet inspect` would see of the source, without any sandbox.
    fn observed_directly(&self) -> Surface {
        let source = fs::canonicalize(self.path("source")).unwrap();
        let archive = fs::File::open(self.path("archive")).unwrap();
        let server = read_server_archive(archive, &ArchiveLimits::SPEC).unwrap();
        let BunCommand { arguments, variables } = bun_command_of(&server, &source);
        let launcher = Launcher::with_worker(PROGRAM.into());
        let greeting = "GREETING".to_owned();
        let variables = Variables {
            named: vec![greeting.clone()],
            given: BTreeMap::from([(greeting, "hello".to_owned())]),
            fixed: variables,
            ..Variables::default()
        };
        let process = Launchable::Process(ProcessLaunch {
            program: RUNTIME.as_ref().unwrap().program().into(),
            args: arguments,
            variables,
            directory: source.clone(),
            sandbox: Sandbox::default(),
            verified: None,
        });
        let server = process.normalised();
        let seen = observe(&launcher, &server, CaptureOptions::default(), &()).unwrap();
        let request = ScanRequest { path: source };
        let scanned = scan_directory(&launcher, &request, PATIENCE, &NoProgress).unwrap();
        Surface { source: scanned.into_source(), ..seen.capture.surface }
    }
}

#[test]
fn every_hash_of_a_good_server_is_the_one_of_a_direct_observation() {
    let more = "env:\n  - name: GREETING\n    required: true\n    probe: hello\n";
    let entry = r#"
        const { GREETING, PATH, HOME, TMPDIR, TZ, LANG, ...rest } = process.env;
        const names = Object.keys(rest).filter((name) => !name.startsWith("BUN_"));
        if (names.length > 0) throw new Error(`other variables: ${names.join(" ")}`);
        serve(() => [tool("one", GREETING), tool("two", `${TZ} ${LANG}`)]);
    "#;
    let Some(server) = Published::with_manifest(entry, more) else { return };
    let answer = server.probe().unwrap();
    let surface = parse_surface_file(answer.surface_file.as_bytes()).unwrap();
    assert_eq!(surface.items(Kind::Tool).len(), 2);
    assert!(surface.source.entitlements.is_some());
    assert_eq!(surface.hashes(), server.observed_directly().hashes());
}

#[test]
fn probing_twice_gives_the_same_bytes() {
    let Some(server) = Published::new("serve(() => [tool(\"one\")]);") else { return };
    assert_eq!(server.probe().unwrap(), server.probe().unwrap());
}

#[test]
fn other_bytes_than_those_that_were_validated_are_not_started() {
    let Some(mut server) = Published::new("serve(() => [tool(\"one\")]);") else { return };
    server.integrity = Digest::of(b"another");
    let outcome = server.probe();
    assert!(matches!(outcome, Err(ProbeFailure::Broken(_))), "{outcome:?}");
}

#[test]
fn a_probe_ends_at_once_when_the_registry_stops() {
    let Some(server) = Published::new("setInterval(() => {}, 1000);") else { return };
    let begin = Instant::now();
    let outcome = server.probe_until(&|| begin.elapsed() > Duration::from_secs(1));
    assert!(matches!(outcome, Err(ProbeFailure::Broken(_))), "{outcome:?}");
    assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
}

/// The command line of the registry, or of another process, may have a password in it.
#[test]
fn other_processes_are_out_of_sight() {
    let own = std::process::id();
    let entry = format!(
        r#"
        import {{ readFileSync, readdirSync }} from "node:fs";
        const tries = [
          () => readdirSync("/proc"),
          ...[1, {own}, process.ppid].map((id) => () => readFileSync(`/proc/${{id}}/cmdline`)),
        ];
        for (const one of tries) {{
          try {{ one(); console.error("READ " + one); }} catch {{ console.error("refused"); }}
        }}
        readFileSync("/proc/self/cmdline");
        readFileSync("/proc/cpuinfo");
        console.error("all tried");
        process.exit(1);
        "#
    );
    let Some(server) = Published::new(&entry) else { return };
    let refused = server.refused_after_start("server-closed");
    assert!(refused.printed.contains("all tried"), "{refused:?}");
    assert!(!refused.printed.contains("READ"), "{refused:?}");
}

#[test]
fn neither_variables_nor_paths_say_what_the_server_is_started_for() {
    let entry = r#"
        const paths = [process.cwd(), import.meta.path, ...process.argv, ...Object.values(process.env)];
        for (const path of paths) console.error("SEEN " + path);
        console.error("NAMES " + Object.keys(process.env).sort().join(" "));
        process.exit(1);
        "#;
    let Some(server) = Published::new(entry) else { return };
    let refused = server.refused_after_start("server-closed");
    // What a server of a user has whose files are confined.
    let names = "NAMES BUN_RUNTIME_TRANSPILER_CACHE_PATH HOME LANG PATH TMPDIR TZ";
    assert!(refused.printed.ends_with(names), "{refused:?}");
    assert!(refused.printed.matches("SEEN ").count() > 8, "{refused:?}");
    for word in ["probe", "registry", "scratch", "publish"] {
        assert!(!refused.printed.to_lowercase().contains(word), "{word}: {refused:?}");
    }
}

#[test]
fn the_network_is_closed() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let entry = format!(
        r#"
        const tries = [
          () => fetch("http://127.0.0.1:{port}/"),
          () => Bun.connect({{ hostname: "127.0.0.1", port: {port}, socket: {{ data() {{}} }} }}),
          async () => await Bun.udpSocket({{}}),
          async () => Bun.serve({{ port: 0, fetch: () => new Response() }}),
        ];
        for (const one of tries) {{
          await one().then(() => console.error("REACHED"), () => console.error("refused"));
        }}
        process.exit(1);
        "#
    );
    let Some(server) = Published::new(&entry) else { return };
    let refused = server.refused_after_start("server-closed");
    assert_eq!(refused.printed.matches("refused").count(), 4, "{refused:?}");
    assert!(!refused.printed.contains("REACHED"), "{refused:?}");
    assert!(listener.accept().is_err(), "something has connected");
}

#[test]
fn nothing_is_written_outside_of_the_scratch_directory() {
    let outside = tempfile::tempdir().unwrap();
    let entry = format!(
        r#"
        import {{ readFileSync, writeFileSync }} from "node:fs";
        const outside = {:?};
        const paths = [outside + "/x", "/tmp/facet-hostile", import.meta.dir + "/x", "x", "../x"];
        for (const path of paths) {{
          try {{ writeFileSync(path, "x"); console.error("WROTE " + path); }} catch {{}}
        }}
        for (const path of [outside + "/secret", import.meta.dir + "/../../../../archive"]) {{
          try {{ readFileSync(path); console.error("READ " + path); }} catch {{}}
        }}
        for (const path of [process.env.HOME + "/x", process.env.TMPDIR + "/x"]) {{
          writeFileSync(path, "x");
        }}
        console.error("all tried");
        process.exit(1);
        "#,
        outside.path().display().to_string()
    );
    fs::write(outside.path().join("secret"), "").unwrap();
    let Some(server) = Published::new(&entry) else { return };
    let refused = server.refused_after_start("server-closed");
    assert!(refused.printed.contains("all tried"), "{refused:?}");
    assert!(!refused.printed.contains("WROTE"), "{refused:?}");
    assert!(!refused.printed.contains("READ"), "{refused:?}");
    assert!(!outside.path().join("x").exists());
}

#[test]
fn a_scratch_directory_that_is_filled_ends_the_server() {
    let entry = r#"
        import { writeFileSync } from "node:fs";
        const block = Buffer.alloc(4 << 20, "x");
        for (let number = 0; ; number++) writeFileSync(`${process.env.TMPDIR}/${number}`, block);
    "#;
    let Some(server) = Published::new(entry) else { return };
    let refused = server.refused_after_start("server-closed");
    assert!(refused.error.ends_with("it wrote more than 64 MiB"), "{refused:?}");
}

#[test]
fn other_processes_are_refused() {
    let entry = r#"
        for (;;) {
          try { Bun.spawn([process.execPath, import.meta.path]); } catch (error) {
            console.error("no process: " + error);
            process.exit(1);
          }
        }
    "#;
    let Some(server) = Published::new(entry) else { return };
    let refused = server.refused_after_start("server-closed");
    assert!(refused.printed.contains("no process"), "{refused:?}");
}

#[test]
fn threads_without_end_end_the_server() {
    let entry = r#"
        for (;;) {
          new Worker(new URL("./idle.ts", import.meta.url).href);
          await Bun.sleep(1);
        }
    "#;
    let Some(server) = Published::new(entry) else { return };
    let refused = server.refused_after_start("server-closed");
    // Each thread has memory of its own, so either limit may come first.
    assert!(refused.printed.contains(ENDED_FOR), "{refused:?}");
}

#[test]
fn memory_without_end_ends_the_server() {
    let entry = r"
        const kept = [];
        for (;;) kept.push(new Uint8Array(8 << 20).fill(1));
    ";
    let Some(server) = Published::new(entry) else { return };
    let refused = server.refused_after_start("server-closed");
    assert_eq!(refused.error, "the server was ended: it used more than 512 MiB of memory");
    assert!(refused.printed.contains(ENDED_FOR), "{refused:?}");
}

#[test]
fn a_flood_on_standard_output_is_cut_off() {
    let entry = r#"
        const lines = ("not a message ".repeat(100) + "\n").repeat(1000);
        const flood = () => process.stdout.write(lines, flood);
        flood();
    "#;
    let Some(server) = Published::new(entry) else { return };
    server.refused_after_start("server-too-much");
}

#[test]
fn one_line_without_end_is_cut_off() {
    let entry = r#"
        const part = "[".repeat(1 << 20);
        const flood = () => process.stdout.write(part, flood);
        flood();
    "#;
    let Some(server) = Published::new(entry) else { return };
    server.refused_after_start("server-message-too-large");
}

#[test]
fn of_a_flood_on_standard_error_the_begin_and_the_end_are_told() {
    let entry = r#"
        import { writeSync } from "node:fs";
        const lines = "a warning of some length\n".repeat(10_000);
        for (let round = 0; round < 200; round++) writeSync(2, lines);
        writeSync(2, "the last line\n");
        process.exit(3);
    "#;
    let Some(server) = Published::new(entry) else { return };
    let refused = server.refused_after_start("server-closed");
    assert!(refused.printed.contains("the last line"), "{refused:?}");
    assert!(refused.printed.len() < 64 << 10, "{}", refused.printed.len());
}

#[test]
fn a_server_that_never_answers_is_given_up() {
    let Some(server) = Published::new("setInterval(() => {}, 1000);") else { return };
    let refused = server.refused_after_start("server-no-answer");
    assert!(refused.error.starts_with("no answer to initialize within 20 s"), "{refused:?}");
}

#[test]
fn a_server_that_sleeps_before_each_answer_is_given_up() {
    let entry = r#"
        Bun.sleepSync(3000);
        serve(() => { Bun.sleepSync(15_000); return [tool("one")]; });
    "#;
    let Some(server) = Published::new(entry) else { return };
    server.refused_after_start("server-too-slow");
}

#[test]
fn garbage_is_no_answer() {
    let entry = r#"
        process.stdin.on("data", () => process.stdout.write("{\"jsonrpc\": garbage\n"));
    "#;
    let Some(server) = Published::new(entry) else { return };
    let refused = server.refused_after_start("server-invalid-message");
    assert!(refused.error.contains("garbage"), "{refused:?}");
}

#[test]
fn a_name_that_is_listed_twice_is_named() {
    let entry = "serve(() => [tool(\"one\"), tool(\"one\", \"Another tool\")]);";
    let Some(server) = Published::new(entry) else { return };
    let refused = server.refused_after_start("server-duplicate-name");
    assert!(refused.error.contains("`one`"), "{refused:?}");
}

#[test]
fn a_list_that_changes_is_refused() {
    let entry = "let times = 0;\nserve(() => [tool(\"one\", `Asked ${times++} times`)]);";
    let Some(server) = Published::new(entry) else { return };
    let refused = server.refused_after_start("unstable-surface");
    assert!(refused.error.contains("one"), "{refused:?}");
}

#[test]
fn a_list_that_changes_with_each_start_is_refused() {
    let entry = "const start = crypto.randomUUID();\nserve(() => [tool(\"one\", start)]);";
    let Some(server) = Published::new(entry) else { return };
    let refused = server.refused();
    assert_eq!(refused.code, "unstable-surface", "{refused:?}");
    assert!(refused.error.ends_with("at each start: one"), "{refused:?}");
}

#[test]
fn a_server_that_exits_at_once_is_refused_with_its_code() {
    let Some(server) = Published::new("process.exit(7);") else { return };
    let refused = server.refused_after_start("server-closed");
    assert!(refused.error.contains("exited with code 7"), "{refused:?}");
}

#[test]
fn a_required_variable_without_a_probe_value_is_named() {
    let more = "env:\n  - name: API_KEY\n    description: Where to get it\n    required: true\n";
    let entry = "serve(() => [tool(\"one\")]);";
    let Some(server) = Published::with_manifest(entry, more) else { return };
    let refused = server.refused();
    assert_eq!((refused.code.as_str(), refused.printed.as_str()), ("variable-not-set", ""));
    assert!(refused.error.contains("API_KEY (Where to get it)"), "{refused:?}");
}
