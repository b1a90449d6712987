use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::component;

/// The reference installs for the adapters of tools only. This one finds everything in its place already.
const ADAPTER: &str = r"
const at = ({ projectRoot, name }) => `${projectRoot}/installed/${name}`
export default {
  name: 'quiet',
  apiVersion: '0.3',
  buildAssetMetadata: (data) => ({ ok: true, data }),
  assets: {
    planInstall: async (asset) => ({
      ok: true,
      plan: { occupancy: 'equivalent', action: { kind: 'unchanged' }, primaryPath: at(asset) },
    }),
    planRemoval: async (asset) => ({ ok: true, plan: { kind: 'absent', primaryPath: at(asset) } }),
  },
  mcpServers: {
    plan: async ({ desired, projectRoot }) => ({
      ok: true,
      plan: {
        outcomes: desired.map(({ name }) => ({ kind: 'equivalent', name, ownership: 'untracked' })),
        action: { kind: 'unchanged' },
        documentPaths: [`${projectRoot}/servers.json`],
      },
    }),
  },
}
";

const ADAPTER_PACKAGE: &str = r#"{ "name": "quiet-adapter", "version": "0.0.1", "type": "module",
  "main": "dist/index.js", "facetAdapterApiVersion": "0.3" }"#;

/// The reference CLI for facets.
#[derive(Debug)]
pub struct ReferenceProgram {
    program: PathBuf,
    home: PathBuf,
}

impl ReferenceProgram {
    /// With a home in this directory; none, and a visible skip, where it is not installed.
    #[must_use]
    pub fn find(home: &Path) -> Option<Self> {
        let program = component("facet-reference")?;
        fs::create_dir_all(home).unwrap_or_else(|error| panic!("{}: {error}", home.display()));
        Some(Self { program, home: home.to_owned() })
    }

    /// A command in a directory, about a registry, without a token.
    #[must_use]
    pub fn command(&self, directory: &Path, registry: &str, words: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(words).current_dir(directory).stdin(Stdio::null());
        command.env("HOME", &self.home).env("FACET_DIR", self.data()).env_remove("FACET_TOKEN");
        // Without a terminal it asks nothing.
        command.env("CI", "1").env("NO_PROXY", "127.0.0.1").env("no_proxy", "127.0.0.1");
        command.env("FACET_REGISTRY_URL", registry);
        command
    }

    /// Where it keeps what it has fetched.
    #[must_use]
    pub fn data(&self) -> PathBuf {
        self.home.join("facet")
    }

    /// Makes an empty project into which it can install.
    pub fn make_project(&self, project: &Path) {
        let adapter = self.home.join("quiet-adapter");
        write(&adapter.join("package.json"), ADAPTER_PACKAGE);
        write(&adapter.join("dist/index.js"), ADAPTER);
        let words = ["adapter", "add", "./quiet-adapter"];
        let output = self.command(&self.home, "http://127.0.0.1:1", &words).output();
        let output = output.unwrap_or_else(|error| panic!("{}: {error}", self.program.display()));
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        write(&project.join("facets.json"), r#"{"manifestVersion":0.2,"facets":{}}"#);
    }
}

fn write(path: &Path, text: &str) {
    let made = path.parent().map_or(Ok(()), fs::create_dir_all);
    let written = made.and_then(|()| fs::write(path, text));
    written.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}
