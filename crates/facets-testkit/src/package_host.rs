//! A registry of npm and an index of PyPI on this machine, with packages that a test makes.
//!
//! [`crate::PackageRegistry`] serves bytes that a test has; this one makes the packages, speaks well enough
//! for npm and uv, and can change its mind about anything while it runs.

mod catalog;
mod connections;
mod hashes;
mod host_state;
mod http_answer;
mod misbehaviour;
mod npm_answers;
mod npm_package;
mod publication;
mod pypi_answers;
mod server_source;
mod tarball;
mod wheel;
mod zip;

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::JoinHandle;

use connections::{SharedHost, accept};
pub use host_state::{IndexFormat, WheelMetadata};
pub use misbehaviour::{Misbehaviour, TarballSource};
pub use npm_package::NpmPackage;
pub use server_source::{
    npm_server_source, npm_server_source_with_prelude, python_server_source,
    python_server_source_with_prelude,
};
pub use tarball::{TarEntry, tarball};
pub use wheel::Wheel;
pub use zip::{ZipEntry, zip};

/// A server on a port of its own. It stops with this value.
#[derive(Debug)]
pub struct PackageHost {
    address: SocketAddr,
    shared: Arc<SharedHost>,
    accepting: Option<JoinHandle<()>>,
}

impl PackageHost {
    /// Starts one that has nothing yet.
    #[must_use]
    pub fn start() -> Self {
        let bound = TcpListener::bind("127.0.0.1:0")
            .and_then(|listener| Ok((listener.local_addr()?, listener)));
        let (address, listener) =
            bound.unwrap_or_else(|error| panic!("cannot listen on this machine: {error}"));
        let shared = Arc::new(SharedHost::new(format!("http://{address}")));
        let host = Arc::clone(&shared);
        let accepting = std::thread::spawn(move || accept(&listener, &host));
        Self { address, shared, accepting: Some(accepting) }
    }

    /// The registry, for `npm --registry`.
    #[must_use]
    pub fn npm_url(&self) -> String {
        format!("{}/npm/", self.shared.base)
    }

    /// The index, for `uv --default-index`.
    #[must_use]
    pub fn pypi_url(&self) -> String {
        format!("{}/pypi/simple/", self.shared.base)
    }

    /// The paths that were asked for since the start or [`Self::clear_requests`], as they were written.
    #[must_use]
    pub fn requests(&self) -> Vec<String> {
        self.shared.state().requests.clone()
    }

    /// Forgets what was asked for.
    pub fn clear_requests(&self) {
        self.shared.state().requests.clear();
    }

    /// Publishes a version of a package of npm. It is `latest` until another version is published.
    ///
    /// # Panics
    /// If the version exists.
    pub fn publish_npm(&self, package: &NpmPackage) {
        self.shared.state().publish(|catalog| catalog.publish_npm(package));
    }

    /// Tags a version of a package of npm. A tag `latest` does not follow later versions.
    ///
    /// # Panics
    /// If the version does not exist.
    pub fn tag(&self, name: &str, tag: &str, version: &str) {
        self.shared.state().publish(|catalog| catalog.tag(name, tag, version));
    }

    /// Publishes a wheel.
    ///
    /// # Panics
    /// If a file with its name exists.
    pub fn publish_wheel(&self, wheel: &Wheel) {
        self.shared.state().publish(|catalog| catalog.publish_wheel(wheel));
    }

    /// Publishes a source distribution that cannot be built.
    ///
    /// # Panics
    /// If a file with its name exists.
    pub fn publish_sdist(&self, name: &str, version: &str) {
        self.shared.state().publish(|catalog| catalog.publish_source(name, version));
    }

    /// How the index of PyPI is written.
    pub fn set_index_format(&self, format: IndexFormat) {
        self.shared.state().index_format = format;
    }

    /// How metadata of wheels can be read.
    pub fn set_wheel_metadata(&self, metadata: WheelMetadata) {
        self.shared.state().wheel_metadata = metadata;
    }

    /// Misbehaves from now on, also in the ways of before.
    ///
    /// # Panics
    /// If what it names is not published.
    pub fn misbehave(&self, misbehaviour: Misbehaviour) {
        self.shared.state().misbehave(misbehaviour);
    }

    /// Ends all misbehaviour: what was published is served as it was.
    pub fn behave(&self) {
        self.shared.state().behave();
    }
}

impl Drop for PackageHost {
    fn drop(&mut self) {
        self.shared.stop_accepting();
        // Wakes the thread that waits for a connection.
        let woken = TcpStream::connect(self.address).is_ok();
        if let Some(accepting) = self.accepting.take().filter(|_| woken) {
            let _ = accepting.join();
        }
        self.shared.close_connections();
    }
}
