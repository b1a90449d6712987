//! The body of a publication: exactly as many bytes as were announced.

use std::io::{self, ErrorKind, Read};

use facets_model::{ArtifactName, Version};

use crate::progress::PublishProgress;
use crate::wanted::PublishedKind;

/// An archive that is to be published.
pub struct ArchiveUpload<'u> {
    /// What it is of.
    pub kind: PublishedKind,
    /// The name in its manifest.
    pub name: &'u ArtifactName,
    /// The version in its manifest.
    pub version: &'u Version,
    /// How many bytes it has.
    pub size: u64,
    /// These bytes.
    pub content: &'u mut dyn Read,
}

/// Reads what is uploaded, and remembers why that failed: the error of a request does not tell it from a
/// connection that broke.
pub(crate) struct UploadReader<'u> {
    content: &'u mut dyn Read,
    size: u64,
    left: u64,
    progress: &'u dyn PublishProgress,
    pub(crate) failure: Option<io::Error>,
}

impl<'u> UploadReader<'u> {
    pub(crate) fn new(
        content: &'u mut dyn Read,
        size: u64,
        progress: &'u dyn PublishProgress,
    ) -> Self {
        Self { content, size, left: size, progress, failure: None }
    }

    /// Whether nothing was read yet: then nothing was sent, either.
    pub(crate) fn is_untouched(&self) -> bool {
        self.left == self.size && self.failure.is_none()
    }

    fn fail(&mut self, error: io::Error) -> io::Error {
        let again = io::Error::from(error.kind());
        self.failure = Some(error);
        again
    }
}

impl Read for UploadReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(buffer.len());
        if most == 0 {
            return Ok(0);
        }
        loop {
            return match self.content.read(&mut buffer[..most]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                // The rest was announced, and would be waited for.
                Ok(0) => Err(self.fail(ErrorKind::UnexpectedEof.into())),
                Ok(count) => {
                    self.left -= count as u64;
                    self.progress.advance(count as u64);
                    Ok(count)
                }
                Err(error) => Err(self.fail(error)),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::NoPublishProgress;

    fn read(mut content: &[u8], size: u64) -> (io::Result<Vec<u8>>, bool) {
        let mut reader = UploadReader::new(&mut content, size, &NoPublishProgress);
        let mut bytes = Vec::new();
        let result = reader.read_to_end(&mut bytes).map(|_| bytes);
        (result, reader.failure.is_some())
    }

    #[test]
    fn as_many_bytes_are_sent_as_were_announced() {
        let (whole, failed) = read(b"abc", 3);
        assert_eq!((whole.unwrap().as_slice(), failed), (&b"abc"[..], false));
        let (more, failed) = read(b"abcd", 3);
        assert_eq!((more.unwrap().as_slice(), failed), (&b"abc"[..], false));
        let (less, failed) = read(b"ab", 3);
        assert_eq!((less.unwrap_err().kind(), failed), (ErrorKind::UnexpectedEof, true));
    }
}
