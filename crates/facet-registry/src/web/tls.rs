//! TLS, from a certificate and a key in files.

use std::sync::Arc;

use rustls::ServerConfig;
use rustls::pki_types::pem::{self, PemObject as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

use crate::config::TlsFiles;
use crate::error::ProgramError;

/// Reads both files.
pub(crate) fn acceptor(files: &TlsFiles) -> Result<TlsAcceptor, ProgramError> {
    let unusable = |path: &std::path::Path, reason: String| ProgramError::Tls {
        path: path.to_owned(),
        reason,
    };
    let of_certificate =
        |error: pem::Error| unusable(&files.certificate, reason(&error, "certificate"));
    let chain = CertificateDer::pem_file_iter(&files.certificate).map_err(of_certificate)?;
    let chain: Vec<_> = chain.collect::<Result<_, _>>().map_err(of_certificate)?;
    if chain.is_empty() {
        return Err(of_certificate(pem::Error::NoItemsFound));
    }
    let key = PrivateKeyDer::from_pem_file(&files.key);
    let key = key.map_err(|error| unusable(&files.key, reason(&error, "private key")))?;
    let mut config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .map_err(|error| unusable(&files.certificate, error.to_string()))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// What is wrong with a file that should have this.
fn reason(error: &pem::Error, what: &str) -> String {
    match error {
        pem::Error::NoItemsFound => format!("the file has no {what} as PEM"),
        other => other.to_string(),
    }
}
