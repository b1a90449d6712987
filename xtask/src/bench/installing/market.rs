//! A registry with servers and facets.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::InstallBench;
use super::user::{BenchUser, copy_runtime};
use crate::Outcome;
use crate::bench::registry::FacetRegistry;
use crate::run;

/// Lines of a skill: about 3 KiB of text.
const LINES: usize = 60;

/// A registry that has everything published.
pub(super) struct Market {
    registry: FacetRegistry,
    pub(super) servers: Vec<String>,
    pub(super) facets: Vec<String>,
    author: PathBuf,
}

impl Market {
    pub(super) fn open(bench: &InstallBench<'_>) -> Outcome<Self> {
        let data = bench.place.join("registry");
        copy_runtime(&data.join("store"))?;
        let program = bench.facet.with_file_name("facet-registry");
        let registry = FacetRegistry::start(&program, &data, &[])?;
        let author = bench.place.join("author");
        let user = BenchUser::new(bench.facet, &author, Some(url(&registry)))?;
        let folder = user.project("sources")?;
        let install = &bench.scale.install;
        let market = Self {
            registry,
            servers: (0..install.servers).map(|number| format!("server-{number:02}")).collect(),
            facets: (0..install.facets).map(|number| format!("texts-{number:02}")).collect(),
            author: folder,
        };
        for name in &market.servers {
            run::output(&mut user.command(&market.author, &["init", "server", name]))?;
            market.publish(&user, name)?;
        }
        for name in &market.facets {
            write_facet(&market.author.join(name), name).map_err(|error| error.to_string())?;
            market.publish(&user, name)?;
        }
        Ok(market)
    }

    pub(super) fn url(&self) -> String {
        url(&self.registry)
    }

    /// The directory that a server was published from.
    pub(super) fn source(&self, server: &str) -> PathBuf {
        self.author.join(server)
    }

    /// Where the archives of everything are.
    pub(super) fn archives(&self) -> Vec<String> {
        let of = |kind: &'static str, names: &[String]| -> Vec<String> {
            let url = |name| format!("{}/v0/{kind}/{name}/{VERSION}/archive", self.url());
            names.iter().map(url).collect()
        };
        [of("source-servers", &self.servers), of("facets", &self.facets)].concat()
    }

    fn publish(&self, user: &BenchUser, name: &str) -> Outcome {
        let mut publish: Command = user.command(&self.author, &["publish", name, "--yes"]);
        publish.env("FACET_TOKEN", self.registry.token());
        run::output(&mut publish).map(drop)
    }
}

/// What `facet init` begins with.
pub(super) const VERSION: &str = "0.1.0";

fn url(registry: &FacetRegistry) -> String {
    format!("http://{}", registry.address)
}

/// A skill, an agent and a command, of which no other facet has the names.
fn write_facet(folder: &Path, name: &str) -> std::io::Result<()> {
    let manifest = format!(
        r#"{{"name":"{name}","version":"{VERSION}","description":"Texts",
 "skills":{{"{name}-plan":{{"description":"Plans"}}}},
 "agents":{{"{name}-agent":{{"description":"Reviews"}}}},
 "commands":{{"{name}-ship":{{"description":"Ships"}}}}}}"#
    );
    let text = format!("Think first, then write it down for {name}.\n").repeat(LINES);
    let skill = format!("skills/{name}-plan");
    for made in [&*skill, "agents", "commands"] {
        fs::create_dir_all(folder.join(made))?;
    }
    fs::write(folder.join("facet.json"), manifest)?;
    fs::write(folder.join(skill).join("SKILL.md"), &text)?;
    fs::write(folder.join(format!("agents/{name}-agent.md")), &text)?;
    fs::write(folder.join(format!("commands/{name}-ship.md")), &text)
}
