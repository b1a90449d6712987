//! Our registry, with a data directory of its own.

use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Stdio};

use super::load::{Connection, Load, head, request};
use super::process::ServerProcess;
use crate::Outcome;
use crate::run;

/// Nothing listens there: the runtime for servers must not be fetched. Where some are started, it is there already.
const NOWHERE: &str = "http://127.0.0.1:9/";

/// A registry that runs, and a token for it.
pub(in crate::bench) struct FacetRegistry {
    process: ServerProcess,
    pub(in crate::bench) address: SocketAddr,
    authorization: String,
}

/// A facet to publish.
pub(super) struct FacetArchive {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
}

impl FacetRegistry {
    /// Starts one that limits no rates and logs nothing.
    pub(in crate::bench) fn start(program: &Path, data: &Path, flags: &[&str]) -> Outcome<Self> {
        let mut create = command(program, data);
        create.args(["token", "create", "--owner", "bench", "--scope", "publish:*"]);
        let authorization = format!("Bearer {}", run::text(&mut create)?.trim());
        let mut serve = command(program, data);
        serve.args(["serve", "--listen", "127.0.0.1:0", "--log", "off"]);
        serve.args(["--read-rate", "0", "--write-rate", "0"]).args(flags);
        let mut process = ServerProcess::start(serve.stdin(Stdio::null()).stdout(Stdio::piped()))?;
        let line = process.first_line()?;
        let address = line.strip_prefix("listening on http://").and_then(|text| text.parse().ok());
        let address = address.ok_or_else(|| format!("the registry printed {line:?}"))?;
        Ok(Self { process, address, authorization })
    }

    /// What may publish every name.
    pub(in crate::bench) fn token(&self) -> &str {
        self.authorization.trim_start_matches("Bearer ")
    }

    pub(super) fn peak_mib(&self) -> f64 {
        self.process.peak_mib()
    }

    /// Facets per second that are published over so many connections.
    pub(super) fn publish(&self, facets: &[FacetArchive], connections: usize) -> Outcome<f64> {
        let publish = |facet: &FacetArchive| {
            let path = format!("/v0/facets/{}/versions", facet.name);
            request("POST", &path, &[("Authorization", &*self.authorization)], &facet.bytes)
        };
        let requests: Vec<_> = facets.iter().map(publish).collect();
        let load = Load { address: self.address, requests: &requests, status: 201 };
        load.rate_of_each(connections)
    }

    /// Publishes a server that lies in a file with its name, until it is published or waits for its start.
    pub(super) fn publish_server(&self, name: &str, file: &Path) -> Outcome {
        let found = std::fs::metadata(file).map_err(|error| error.to_string())?;
        let path = format!("/v0/source-servers/{name}/versions");
        let headers = [("Authorization", &*self.authorization)];
        let mut connection = Connection::open(self.address)?;
        let sent = connection.send_file(&head("POST", &path, &headers, found.len()), file);
        // A registry that refuses a body does not read it to its end; its answer says why.
        let reply = connection.receive().map_err(|error| sent.err().unwrap_or(error))?;
        match reply.status {
            201 | 202 => Ok(()),
            other => Err(format!("answered {other}: {}", String::from_utf8_lossy(reply.body))),
        }
    }
}

/// A command of the program, with nothing of this machine's configuration.
fn command(program: &Path, data: &Path) -> Command {
    let mut command = Command::new(program);
    command.env_clear().env("HOME", data).env("npm_config_registry", NOWHERE);
    command.arg("--data").arg(data);
    command
}
