//! Debian's registry for images, as a baseline.

use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::load::{Connection, Load, request};
use super::process::ServerProcess;
use crate::Outcome;
use crate::run;

const MANIFEST: &str = "application/vnd.docker.distribution.manifest.v2+json";
const CONFIG: &str = "application/vnd.docker.container.image.v1+json";
/// The configuration of the image is an empty object; this is its digest.
const CONFIG_DIGEST: &str =
    "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";
/// How long it may take to start.
const PATIENCE: Duration = Duration::from_secs(20);

/// A registry that runs, with one image in it.
pub(super) struct DockerRegistry {
    _process: ServerProcess,
    address: SocketAddr,
    digest: String,
}

impl DockerRegistry {
    /// Starts it in a new directory, with files as storage and without a log.
    pub(super) fn start(program: &Path, folder: &Path) -> Outcome<Self> {
        fs::create_dir_all(folder).map_err(|error| error.to_string())?;
        let (address, file) = (free_address()?, folder.join("config.yml"));
        run::write(&file, &configuration(address, &folder.join("storage")))?;
        let mut command = Command::new(program);
        command.arg("serve").arg(&file);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let process = ServerProcess::start(&mut command)?;
        let mut connection = wait_until_ready(address)?;
        push_config(&mut connection)?;
        let reply = connection.ask(&put_manifest("latest", 0), 201)?;
        let digest = reply.header("Docker-Content-Digest")?.to_owned();
        Ok(Self { _process: process, address, digest })
    }

    /// Manifests per second that it answers, by tag.
    pub(super) fn rate_by_tag(&self, time: Duration) -> Outcome<f64> {
        self.rate("latest", time)
    }

    /// Manifests per second that it answers, by digest.
    pub(super) fn rate_by_digest(&self, time: Duration) -> Outcome<f64> {
        self.rate(&self.digest, time)
    }

    fn rate(&self, reference: &str, time: Duration) -> Outcome<f64> {
        let path = format!("/v2/bench/manifests/{reference}");
        let requests = [request("GET", &path, &[("Accept", MANIFEST)], b"")];
        Load { address: self.address, requests: &requests, status: 200 }.rate(time)
    }

    /// Manifests per second that it takes over so many connections, all of them new.
    pub(super) fn publish(&self, run: usize, count: usize, connections: usize) -> Outcome<f64> {
        let put =
            |number: usize| put_manifest(&format!("run-{run}-{number}"), number + run * count + 1);
        let requests: Vec<_> = (0..count).map(put).collect();
        Load { address: self.address, requests: &requests, status: 201 }.rate_of_each(connections)
    }
}

/// With the cache that Debian's own configuration has.
fn configuration(address: SocketAddr, storage: &Path) -> String {
    format!(
        "version: 0.1\n\
         log:\n  level: error\n  accesslog:\n    disabled: true\n\
         storage:\n  cache:\n    blobdescriptor: inmemory\n  filesystem:\n    rootdirectory: '{}'\n\
         http:\n  addr: {address}\n",
        storage.display()
    )
}

/// It does not tell which port it picked, so one is picked for it.
fn free_address() -> Outcome<SocketAddr> {
    let found = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    found.map_err(|error| error.to_string())
}

fn wait_until_ready(address: SocketAddr) -> Outcome<Connection> {
    let until = Instant::now() + PATIENCE;
    loop {
        match Connection::open(address) {
            Ok(connection) => return Ok(connection),
            Err(error) if Instant::now() > until => {
                return Err(format!("docker-registry: {error}"));
            }
            Err(_) => thread::sleep(Duration::from_millis(50)),
        }
    }
}

fn push_config(connection: &mut Connection) -> Outcome {
    let reply = connection.ask(&request("POST", "/v2/bench/blobs/uploads/", &[], b""), 202)?;
    let location = path_of(reply.header("Location")?);
    let separator = if location.contains('?') { '&' } else { '?' };
    let path = format!("{location}{separator}digest={CONFIG_DIGEST}");
    let headers = [("Content-Type", "application/octet-stream")];
    connection.ask(&request("PUT", &path, &headers, b"{}"), 201).map(drop)
}

/// What stands behind the host.
fn path_of(location: &str) -> &str {
    let Some((_, behind)) = location.split_once("://") else { return location };
    behind.find('/').map_or("/", |at| &behind[at..])
}

/// A manifest of an image without layers; the number makes it a new one.
fn put_manifest(tag: &str, number: usize) -> Vec<u8> {
    let manifest = format!(
        r#"{{"schemaVersion":2,"mediaType":"{MANIFEST}","config":{{"mediaType":"{CONFIG}","size":2,"digest":"{CONFIG_DIGEST}"}},"layers":[],"annotations":{{"number":"{number}"}}}}"#
    );
    let headers = [("Content-Type", MANIFEST)];
    request("PUT", &format!("/v2/bench/manifests/{tag}"), &headers, manifest.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_a_location_is_what_stands_behind_its_host() {
        for location in ["http://registry/v2/a?b=c", "/v2/a?b=c"] {
            assert_eq!(path_of(location), "/v2/a?b=c");
        }
        assert_eq!(path_of("http://registry"), "/");
    }
}
