//! Certificates of an authority that no system trusts by default, made by `openssl`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use facets_testkit::component;
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tempfile::TempDir;

const CONFIG: &str = "\
[req]
distinguished_name = name
prompt = no
[name]
CN = a server of tests
[authority]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
[good]
basicConstraints = critical, CA:FALSE
extendedKeyUsage = serverAuth
subjectAltName = DNS:localhost, IP:127.0.0.1
[other]
basicConstraints = critical, CA:FALSE
extendedKeyUsage = serverAuth
subjectAltName = DNS:other.example
[store]
database = index.txt
new_certs_dir = .
policy = any
default_md = sha256
rand_serial = yes
unique_subject = no
[any]
commonName = supplied
";

/// An authority, and what it has signed.
pub struct Authority {
    openssl: PathBuf,
    folder: TempDir,
}

impl Authority {
    /// Nothing, and a visible skip, without `openssl`.
    pub fn new() -> Option<Self> {
        let openssl = component("openssl")?;
        let authority = Self { openssl, folder: tempfile::tempdir().unwrap() };
        fs::write(authority.path("openssl.cnf"), CONFIG).unwrap();
        fs::write(authority.path("index.txt"), "").unwrap();
        authority.make_key("ca.key");
        authority.make_key("leaf.key");
        let subject = ["-subj", "/CN=an authority of tests"];
        authority.sign_itself("authority", "ca", &subject);
        authority.run("req -new -config openssl.cnf -key leaf.key -out leaf.csr", &[]);
        Some(authority)
    }

    /// The certificate of the authority.
    pub fn file(&self) -> PathBuf {
        self.path("ca.pem")
    }

    /// A server for `localhost` and `127.0.0.1`.
    pub fn good(&self) -> Arc<ServerConfig> {
        self.issue("good", "good", "20491231235959Z")
    }

    /// A server for another name.
    pub fn other_name(&self) -> Arc<ServerConfig> {
        self.issue("other", "other", "20491231235959Z")
    }

    /// A server whose certificate was good once.
    pub fn expired(&self) -> Arc<ServerConfig> {
        self.issue("expired", "good", "20200102000000Z")
    }

    /// A server for the right names that signed its certificate itself.
    pub fn self_signed(&self) -> Arc<ServerConfig> {
        self.sign_itself("good", "leaf", &[]);
        self.server("leaf")
    }

    fn issue(&self, name: &str, kind: &str, end: &str) -> Arc<ServerConfig> {
        let command = "ca -batch -notext -config openssl.cnf -name store -cert ca.pem \
            -keyfile ca.key -in leaf.csr -startdate 20200101000000Z";
        let file = format!("{name}.pem");
        self.run(command, &["-out", &file, "-extensions", kind, "-enddate", end]);
        self.server(name)
    }

    fn make_key(&self, name: &str) {
        self.run("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256", &["-out", name]);
    }

    fn sign_itself(&self, kind: &str, name: &str, more: &[&str]) {
        let (key, file) = (format!("{name}.key"), format!("{name}.pem"));
        let mut arguments = vec!["-extensions", kind, "-key", key.as_str(), "-out", file.as_str()];
        arguments.extend_from_slice(more);
        self.run("req -x509 -new -days 2 -config openssl.cnf", &arguments);
    }

    /// The words of a command, and arguments that may have spaces.
    fn run(&self, command: &str, arguments: &[&str]) {
        let mut openssl = Command::new(&self.openssl);
        openssl.args(command.split_whitespace()).args(arguments).current_dir(self.folder.path());
        let output = openssl.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "openssl {command} {arguments:?}: {said}");
    }

    fn server(&self, name: &str) -> Arc<ServerConfig> {
        let certificate = CertificateDer::from_pem_file(self.path(&format!("{name}.pem"))).unwrap();
        let key = PrivateKeyDer::from_pem_file(self.path("leaf.key")).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate], key)
            .unwrap();
        Arc::new(config)
    }

    fn path(&self, name: &str) -> PathBuf {
        let folder: &Path = self.folder.path();
        folder.join(name)
    }
}
