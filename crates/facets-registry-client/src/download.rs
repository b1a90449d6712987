//! An archive, from its address to verified bytes.

use std::io::{Read as _, Write};
use std::time::Instant;

use facets_digest::Hasher;
use url::Url;

use crate::address::shown;
use crate::document::VersionDocument;
use crate::error::RegistryClientError;
use crate::transport::RegistryTransport;

/// Writes an archive, and says how many bytes it has. What was written before an error is worth nothing.
pub(crate) fn download(
    transport: &RegistryTransport,
    url: &Url,
    document: &VersionDocument,
    (limit, to): (u64, &mut dyn Write),
) -> Result<u64, RegistryClientError> {
    // Not even begun. A registry that states less than it sends is found below.
    if document.size.is_some_and(|size| size > limit) {
        return Err(RegistryClientError::TooLarge { what: shown(url), limit });
    }
    let reply = transport.open(url)?;
    let (wait, begun) = (reply.wait, Instant::now());
    let mut reader = reply.response.into_body().into_with_config().limit(u64::MAX).reader();
    let (mut hasher, mut size, mut buffer) = (Hasher::new(), 0, vec![0_u8; 64 << 10]);
    loop {
        let permitted = transport.limits.permitted_archive(size);
        if begun.elapsed() > permitted {
            return Err(RegistryClientError::TooSlow { url: shown(url), limit: permitted });
        }
        let count =
            reader.read(&mut buffer).map_err(|error| transport.broken(url, &error, wait))?;
        if count == 0 {
            break;
        }
        size += count as u64;
        if size > limit {
            return Err(RegistryClientError::TooLarge { what: shown(url), limit });
        }
        hasher.update(&buffer[..count]);
        to.write_all(&buffer[..count])
            .map_err(|source| RegistryClientError::Download { source })?;
    }
    let (expected, actual) = (document.content_hash, hasher.finish());
    if actual != expected {
        let what = format!("{} {}", document.name, document.version);
        return Err(RegistryClientError::Mismatch { what, expected, actual });
    }
    Ok(size)
}
