//! Servers to publish, and the runtime that starts them.

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use facets_archive::{ArchiveLimits, PackRequest, SourceTree, pack_server};
use facets_fetch::{FetchLimits, Fetcher, Machine, NoFetchProgress, Reach};
use facets_model::RuntimeName;
use facets_runtime::{Runtimes, current};
use facets_store::Store;
use facets_testkit::{repository_root, skip};

/// A server that lists one tool, whose description is filled in.
const SERVE: &str = r#"
import { createInterface } from "node:readline";

const send = (message: object) => process.stdout.write(JSON.stringify(message) + "\n");
const tools = [{ name: "add", description: DESCRIPTION, inputSchema: { type: "object" } }];
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  if (method === "initialize") {
    const serverInfo = { name: "published", version: "1.0.0" };
    const result = { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo };
    send({ jsonrpc: "2.0", id, result });
  } else if (method === "tools/list") {
    send({ jsonrpc: "2.0", id, result: { tools } });
  } else {
    send({ jsonrpc: "2.0", id, error: { code: -32601, message: "unknown method" } });
  }
});
"#;

/// What the tool of most servers says.
pub(crate) const USUAL: &str = "Adds two numbers";

/// The entry file of a server that never answers, and does not end.
pub(crate) const SILENT: &str = "setInterval(() => {}, 1000);\n";

/// The entry file of a server that says something and ends.
pub(crate) const FAILING: &str = "console.error(\"it begins\");\nprocess.exit(1);\n";

/// The entry file of a server whose tool has this description.
pub(crate) fn entry(description: &str) -> String {
    SERVE.replace("DESCRIPTION", &format!("{description:?}"))
}

/// The entry file of a server that is usual once it has slept.
pub(crate) fn slow_entry(milliseconds: u32) -> String {
    format!("await Bun.sleep({milliseconds});\n{}", entry(USUAL))
}

/// The archive of a server of one file.
pub(crate) fn server(name: &str, version: &str, entry: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let manifest = format!(
        "name: \"{name}\"\nversion: {version}\nruntime: bun\nentry: index.ts\ndescription: Adds\n"
    );
    fs::write(folder.path().join("server.yaml"), manifest).unwrap();
    fs::write(folder.path().join("index.ts"), entry).unwrap();
    let tree = SourceTree::open(folder.path()).unwrap();
    let mut bytes = Vec::new();
    pack_server(&tree, &PackRequest::default(), &ArchiveLimits::SPEC, &mut bytes).unwrap();
    bytes
}

/// Where all tests of this repository have the runtime.
pub(crate) fn runtime_cache() -> PathBuf {
    repository_root().join("target/tools/source-mode-cache/facet")
}

/// Whether servers can be started here; if not, that is a visible skip.
pub(crate) fn can_probe() -> bool {
    static IS_INSTALLED: LazyLock<bool> = LazyLock::new(|| {
        let store = Store::open(&runtime_cache()).unwrap();
        let fetcher = Fetcher::new(Machine::here(), Reach::AsUser, FetchLimits::default());
        let bun = current(RuntimeName::Bun);
        Runtimes::new(&store).install(bun, &fetcher, &NoFetchProgress).is_ok()
    });
    if !*IS_INSTALLED {
        skip("the registry that has the runtime cannot be reached");
    }
    *IS_INSTALLED
}
