//! A file, from its address to verified bytes on disk.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use facets_digest::Digest;
use facets_files::FileError;
use ureq::Body;
use ureq::http::Response;
use url::Url;

use crate::address::{host, shown};
use crate::client::{Answer, Failed, HttpClient, header};
use crate::error::FetchError;
use crate::hashing::Hashing;
use crate::pace::Pace;
use crate::progress::FetchProgress;
use crate::server_problem::ServerProblem;
use crate::unnamed_file::unnamed_file;
use crate::upstream::UpstreamFile;

/// A file that arrived completely, and is what upstream states. It has no name: whatever happens to facet,
/// nothing of it is left.
#[derive(Debug)]
pub struct VerifiedFile {
    /// SHA-256 of its bytes.
    pub digest: Digest,
    /// How many there are.
    pub size: u64,
    file: File,
}

impl VerifiedFile {
    /// Its bytes, from the first on.
    #[must_use]
    pub fn into_file(self) -> File {
        self.file
    }
}

/// Where a download reports to, and what it takes from.
pub(crate) struct Shared<'d> {
    /// Which of all files it is.
    pub(crate) index: usize,
    pub(crate) progress: &'d dyn FetchProgress,
    /// Bytes that all files together may still have.
    pub(crate) budget: &'d AtomicU64,
    /// Where unnamed files are made.
    pub(crate) folder: &'d Path,
}

impl HttpClient {
    /// Fetches a file, and checks it against everything that upstream states.
    pub(crate) fn download(
        &self,
        file: &UpstreamFile,
        shared: &Shared<'_>,
    ) -> Result<VerifiedFile, FetchError> {
        if file.size.is_some_and(|size| size > self.limits.file) {
            return Err(self.too_large(file));
        }
        let deadline = self.deadline();
        let mut partial = Partial::new(file, shared.folder)?;
        self.retrying(deadline, || {
            self.receive(file, &mut partial, shared, deadline)?;
            partial.verify(file, shared)
        })
    }

    fn too_large(&self, file: &UpstreamFile) -> FetchError {
        FetchError::TooLarge { what: file.identifier.to_string(), limit: self.limits.file }
    }

    /// One attempt: the rest of the file, or all of it.
    fn receive(
        &self,
        file: &UpstreamFile,
        partial: &mut Partial,
        shared: &Shared<'_>,
        deadline: Instant,
    ) -> Result<(), Failed> {
        let range = format!("bytes={}-", partial.received);
        let mut headers = vec![("Accept", "*/*")];
        if let Some(validator) = partial.validator.as_deref().filter(|_| partial.received > 0) {
            headers.extend([("Range", range.as_str()), ("If-Range", validator)]);
        }
        let Answer { url, response } = match self.get(&file.url, &headers, deadline) {
            // There is no rest: what has arrived is of another file.
            Err(Failed::Final(FetchError::Status { status: 416, .. })) if partial.received > 0 => {
                return Err(partial.another_part(file, shared)?);
            }
            other => other?,
        };
        partial.accept(&response, file, shared)?;
        if partial.announced.is_some_and(|announced| announced > self.limits.file) {
            return Err(self.too_large(file).into());
        }
        if let (Some(expected), Some(actual)) = (file.size, partial.announced)
            && expected != actual
        {
            let what = file.identifier.to_string();
            return Err(FetchError::Length { what, expected, actual }.into());
        }
        if let Some(announced) = partial.announced {
            shared.progress.on_size(shared.index, announced);
        }
        partial.require_end(&response, file)?;
        let pace = Pace::new(&self.limits, deadline);
        self.read_body(&url, response, file, (partial, shared, pace))
    }

    fn read_body(
        &self,
        url: &Url,
        response: Response<Body>,
        file: &UpstreamFile,
        (partial, shared, pace): (&mut Partial, &Shared<'_>, Pace),
    ) -> Result<(), Failed> {
        let mut body = response.into_body().into_with_config().limit(u64::MAX).reader();
        let before = partial.received;
        loop {
            let Some(mut buffer) = partial.hashing.as_ref().and_then(Hashing::buffer) else {
                return Err(lost_thread(url));
            };
            let read = body.read(&mut buffer);
            let count = read.as_ref().map_or(0, |count| *count);
            partial.write(&buffer[..count])?;
            // An empty one too: there are a few alone, and a file that is resumed needs them again.
            if let Some(hashing) = &partial.hashing {
                hashing.add(buffer, count);
            }
            match read {
                Ok(0) => return partial.require_complete(file),
                Ok(_) => {}
                Err(error) => {
                    let is_cut = error.kind() == io::ErrorKind::UnexpectedEof;
                    // Without a known length nothing else says that the rest is missing.
                    if is_cut && partial.expected(file).is_some() {
                        return partial.require_complete(file);
                    }
                    return Err(self.broken(url, &error));
                }
            }
            shared.progress.advance(shared.index, count as u64);
            self.require_bounds(file, partial, shared, count as u64)?;
            if !pace.is_kept(partial.received - before) {
                return Err(self.too_slow(url, &pace).into());
            }
        }
    }

    fn require_bounds(
        &self,
        file: &UpstreamFile,
        partial: &Partial,
        shared: &Shared<'_>,
        more: u64,
    ) -> Result<(), Failed> {
        if partial.received > self.limits.file {
            return Err(self.too_large(file).into());
        }
        let spent = shared
            .budget
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(more));
        if spent.is_err() {
            let (what, limit) = ("everything together".to_owned(), self.limits.total);
            return Err(FetchError::TooLarge { what, limit }.into());
        }
        match partial.expected(file).filter(|expected| partial.received > *expected) {
            Some(expected) => Err(partial.length(file, expected).into()),
            None => Ok(()),
        }
    }
}

/// What has arrived so far.
struct Partial {
    file: File,
    folder: PathBuf,
    received: u64,
    /// How long the file is, as the server says.
    announced: Option<u64>,
    /// What proves that a later answer is about the same bytes.
    validator: Option<String>,
    was_resumed: bool,
    hashing: Option<Hashing>,
}

impl Partial {
    fn new(file: &UpstreamFile, folder: &Path) -> Result<Self, FetchError> {
        let unwritable = |source| FileError::Unwritable { path: folder.to_owned(), source };
        Ok(Self {
            file: unnamed_file(folder).map_err(unwritable)?,
            folder: folder.to_owned(),
            received: 0,
            announced: None,
            validator: None,
            was_resumed: false,
            hashing: Some(Hashing::begin(&file.stated)),
        })
    }

    /// Forgets what has arrived.
    fn restart(&mut self, file: &UpstreamFile, shared: &Shared<'_>) -> Result<(), FetchError> {
        let emptied = self.file.set_len(0).and_then(|()| self.file.seek(SeekFrom::Start(0)));
        emptied.map_err(|source| self.unwritable(source))?;
        shared.budget.fetch_add(self.received, Ordering::Relaxed);
        shared.progress.restart(shared.index);
        (self.received, self.was_resumed, self.validator) = (0, false, None);
        self.hashing = Some(Hashing::begin(&file.stated));
        Ok(())
    }

    /// Whether an answer is the rest of what is here, or begins anew.
    fn accept(
        &mut self,
        response: &Response<Body>,
        file: &UpstreamFile,
        shared: &Shared<'_>,
    ) -> Result<(), Failed> {
        let validator = strong_validator(response);
        let length = header(response, "content-length").parse::<u64>().ok();
        if response.status().as_u16() == 206 {
            let range = content_range(header(response, "content-range"));
            let is_rest = self.received > 0
                && validator.is_some()
                && validator == self.validator
                && range.is_some_and(|(first, total)| {
                    first == self.received && self.announced.is_none_or(|known| known == total)
                });
            if !is_rest {
                return Err(self.another_part(file, shared)?);
            }
            self.was_resumed = true;
            self.announced = range.map(|(_, total)| total);
            return Ok(());
        }
        if self.received > 0 {
            self.restart(file, shared)?;
        }
        self.announced = length;
        self.validator = validator;
        Ok(())
    }

    /// Begins anew because an answer is not the rest of what is here.
    fn another_part(
        &mut self,
        file: &UpstreamFile,
        shared: &Shared<'_>,
    ) -> Result<Failed, FetchError> {
        self.restart(file, shared)?;
        Ok(Failed::retryable(ServerProblem::OtherPart { host: host(&file.url) }))
    }

    /// How long the file should be.
    fn expected(&self, file: &UpstreamFile) -> Option<u64> {
        self.announced.or(file.size)
    }

    /// An end that is a closed connection alone cannot be told from a broken one. Only a stated hash can.
    fn require_end(
        &self,
        response: &Response<Body>,
        file: &UpstreamFile,
    ) -> Result<(), FetchError> {
        let coding = header(response, "transfer-encoding").to_ascii_lowercase();
        if self.expected(file).is_some() || coding.contains("chunked") || !file.stated.is_empty() {
            return Ok(());
        }
        Err(ServerProblem::UnknownLength { host: host(&file.url) }.into())
    }

    fn unwritable(&self, source: io::Error) -> FetchError {
        FetchError::File(FileError::Unwritable { path: self.folder.clone(), source })
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), FetchError> {
        self.file.write_all(bytes).map_err(|source| self.unwritable(source))?;
        self.received += bytes.len() as u64;
        Ok(())
    }

    fn length(&self, file: &UpstreamFile, expected: u64) -> FetchError {
        FetchError::Length { what: file.identifier.to_string(), expected, actual: self.received }
    }

    /// A connection that ended too early may go on later.
    fn require_complete(&self, file: &UpstreamFile) -> Result<(), Failed> {
        match self.expected(file).filter(|expected| self.received < *expected) {
            Some(expected) => Err(Failed::Retryable(self.length(file, expected), None)),
            None => Ok(()),
        }
    }

    /// spec 12.2: what arrived is what upstream states
    fn verify(&mut self, file: &UpstreamFile, shared: &Shared<'_>) -> Result<VerifiedFile, Failed> {
        let hashes = self.hashing.take().and_then(Hashing::finish);
        let Some(hashes) = hashes else { return Err(lost_thread(&file.url)) };
        for stated in &file.stated {
            let Some(actual) = hashes.mismatch(stated) else { continue };
            let error = FetchError::UpstreamMismatch {
                what: file.identifier.to_string(),
                place: stated.place,
                expected: format!("{}:{}", stated.algorithm.name(), stated.hex()),
                actual,
            };
            if self.was_resumed {
                // Two parts of different files: all of it, once more.
                self.restart(file, shared)?;
                return Err(Failed::Retryable(error, None));
            }
            return Err(error.into());
        }
        let bytes = self.file.try_clone().and_then(|mut bytes| {
            bytes.seek(SeekFrom::Start(0))?;
            Ok(bytes)
        });
        let bytes = bytes.map_err(|source| self.unwritable(source))?;
        shared.progress.on_done(shared.index);
        Ok(VerifiedFile { digest: hashes.sha256, size: self.received, file: bytes })
    }
}

fn lost_thread(url: &Url) -> Failed {
    Failed::Final(ServerProblem::Hashing { url: shown(url) }.into())
}

/// A strong `ETag` of a server that gives parts: it changes whenever a byte does (RFC 9110, 8.8.1).
fn strong_validator(response: &Response<Body>) -> Option<String> {
    let tag = header(response, "etag");
    let is_strong = tag.len() > 2 && tag.len() < 1024 && tag.starts_with('"') && tag.ends_with('"');
    let gives_parts = header(response, "accept-ranges") != "none";
    (is_strong && gives_parts).then(|| tag.to_owned())
}

/// The first byte and the length of the whole, of `bytes 5-9/10`.
fn content_range(text: &str) -> Option<(u64, u64)> {
    let (range, total) = text.strip_prefix("bytes ")?.split_once('/')?;
    let (first, last) = range.split_once('-')?;
    let (first, last, total) =
        (first.parse::<u64>().ok()?, last.parse::<u64>().ok()?, total.parse::<u64>().ok()?);
    (first <= last && last.checked_add(1)? == total).then_some((first, total))
}

#[cfg(test)]
mod tests {
    use super::content_range;

    #[test]
    fn only_the_rest_of_a_file_is_a_range() {
        assert_eq!(content_range("bytes 5-9/10"), Some((5, 10)));
        for other in ["bytes 5-8/10", "bytes 9-5/10", "bytes 5-9/*", "5-9/10", "", "bytes -1-9/10"]
        {
            assert_eq!(content_range(other), None, "{other}");
        }
        assert_eq!(content_range("bytes 0-18446744073709551615/0"), None);
    }
}
