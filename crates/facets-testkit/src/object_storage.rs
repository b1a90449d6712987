//! A real object store: `SeaweedFS`, started for a test.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::component;

/// How long it may take until it answers: after a kill it looks at its volumes first.
const PATIENCE: Duration = Duration::from_mins(1);

/// Runs a program until standard input ends, which it does however the test ends: what a static holds is never
/// dropped.
const WATCHED: &str = r#""$@" < /dev/null & server=$!; read -r _; kill -9 "$server"; wait"#;

/// A running `SeaweedFS` with one bucket. It ends with this value.
#[derive(Debug)]
pub struct ObjectStorage {
    program: PathBuf,
    folder: PathBuf,
    ports: Vec<u16>,
    process: Option<Child>,
}

impl ObjectStorage {
    /// The name of the key.
    pub const ACCESS_KEY: &'static str = "testkey";
    /// The key.
    pub const SECRET_KEY: &'static str = "testsecret";
    /// The bucket that it has.
    pub const BUCKET: &'static str = "facets";

    /// Starts one in an empty folder, or says why the test does not run.
    #[must_use]
    pub fn start(folder: &Path) -> Option<Self> {
        let program = component("weed")?;
        let identity = format!(
            r#"{{"identities":[{{"name":"test","credentials":[{{"accessKey":"{}","secretKey":"{}"}}],"actions":["Admin","Read","Write","List","Tagging"]}}]}}"#,
            Self::ACCESS_KEY,
            Self::SECRET_KEY
        );
        let write = |name: &str, text: &str| fs::write(folder.join(name), text);
        let made =
            fs::create_dir_all(folder.join("data")).and_then(|()| write("s3.json", &identity));
        if let Err(error) = made {
            panic!("{}: {error}", folder.display());
        }
        let mut started =
            Self { program, folder: folder.to_owned(), ports: unused_ports(8), process: None };
        started.resume();
        started.make_bucket();
        Some(started)
    }

    /// The text for `--blobs`.
    #[must_use]
    pub fn url(&self, prefix: &str) -> String {
        format!("s3://{}/{prefix}?endpoint={}", Self::BUCKET, self.endpoint())
    }

    /// The address of the service.
    #[must_use]
    pub fn endpoint(&self) -> String {
        format!("http://127.0.0.1:{}", self.ports[0])
    }

    /// Kills it, as a failing machine would.
    pub fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            drop(process.stdin.take());
            let _ = process.wait();
        }
    }

    /// Starts it again on the same data.
    pub fn resume(&mut self) {
        let log = fs::File::create(self.folder.join("log"));
        let log = log.unwrap_or_else(|error| panic!("{error}"));
        let names = [
            "s3.port",
            "s3.port.grpc",
            "master.port",
            "master.port.grpc",
            "volume.port",
            "volume.port.grpc",
            "filer.port",
            "filer.port.grpc",
        ];
        let ports = names.iter().zip(&self.ports).map(|(name, port)| format!("-{name}={port}"));
        let mut command = Command::new("sh");
        command
            .args(["-c", WATCHED, "sh"])
            .arg(&self.program)
            .args([
                "server",
                "-ip=127.0.0.1",
                "-ip.bind=127.0.0.1",
                "-s3",
                "-master.telemetry=false",
            ])
            // Listeners on fixed ports that nothing here needs.
            .args(["-s3.port.iceberg=0", "-s3.port.lance=0"])
            .args(["-volume.max=20", "-master.volumeSizeLimitMB=64"])
            .arg(format!("-dir={}", self.folder.join("data").display()))
            .arg(format!("-s3.config={}", self.folder.join("s3.json").display()))
            .args(ports)
            .current_dir(&self.folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(log);
        let process = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        self.process = Some(process);
        let begin = Instant::now();
        while self.request("GET", "/").is_none_or(|status| status >= 500) {
            assert!(begin.elapsed() < PATIENCE, "the object store does not answer");
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// Through the filer, where buckets are folders: no signature is needed there.
    fn make_bucket(&self) {
        let begin = Instant::now();
        let path = format!("/buckets/{}/", Self::BUCKET);
        while !matches!(request(self.ports[6], "POST", &path), Some(200..=299)) {
            assert!(begin.elapsed() < PATIENCE, "the object store makes no bucket");
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    fn request(&self, method: &str, path: &str) -> Option<u16> {
        request(self.ports[0], method, path)
    }
}

impl Drop for ObjectStorage {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The status of an answer, if there is one.
fn request(port: u16, method: &str, path: &str) -> Option<u16> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(10))).ok()?;
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).ok()?;
    let mut begin = [0; 12];
    stream.read_exact(&mut begin).ok()?;
    std::str::from_utf8(&begin[9..]).ok()?.parse().ok()
}

/// Ports on which nothing listens. All are held until the last is found, so that they differ.
fn unused_ports(count: usize) -> Vec<u16> {
    let bind = || TcpListener::bind("127.0.0.1:0").unwrap_or_else(|error| panic!("{error}"));
    let held: Vec<TcpListener> = (0..count).map(|_| bind()).collect();
    held.iter().filter_map(|one| Some(one.local_addr().ok()?.port())).collect()
}
