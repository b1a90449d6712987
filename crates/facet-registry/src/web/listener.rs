//! The address on which requests come in.

use std::io;
use std::net::SocketAddr;

use rustix::process::{Resource, getrlimit, setrlimit};
use tokio::net::{TcpListener, TcpSocket, lookup_host};
use tokio_rustls::TlsAcceptor;

use crate::error::ProgramError;

/// Connections that wait to be accepted.
const BACKLOG: u32 = 4096;

/// How addresses of this process begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UrlScheme {
    Http,
    Https,
}

impl UrlScheme {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }
}

/// An address that is listened on.
pub(crate) struct Bound {
    pub(crate) listener: TcpListener,
    pub(crate) tls: Option<TlsAcceptor>,
    address: SocketAddr,
}

impl Bound {
    /// Takes the first address of a host that can be taken.
    pub(crate) async fn bind(text: &str, tls: Option<TlsAcceptor>) -> Result<Self, ProgramError> {
        let failed = |source| ProgramError::Listen { address: text.to_owned(), source };
        let mut last = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
        for address in lookup_host(text).await.map_err(failed)? {
            match listen(address) {
                Ok((listener, address)) => return Ok(Self { listener, tls, address }),
                Err(error) => last = error,
            }
        }
        Err(failed(last))
    }

    pub(crate) fn scheme(&self) -> UrlScheme {
        if self.tls.is_some() { UrlScheme::Https } else { UrlScheme::Http }
    }

    /// What is printed when requests can come.
    pub(crate) fn url(&self) -> String {
        format!("{}://{}", self.scheme().as_str(), self.address)
    }
}

fn listen(address: SocketAddr) -> io::Result<(TcpListener, SocketAddr)> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    let listener = socket.listen(BACKLOG)?;
    let address = listener.local_addr()?;
    Ok((listener, address))
}

/// Every connection is a descriptor, and the usual limit is 1024.
pub(crate) fn raise_descriptor_limit() {
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum {
        limit.current = limit.maximum;
        // With the usual limit it works too, with fewer connections.
        let _ = setrlimit(Resource::Nofile, limit);
    }
}
