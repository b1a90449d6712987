use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::OpsError;

/// Where bytes come from: a file, or standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A file.
    File(PathBuf),
    /// Standard input, written `-`.
    Stdin,
}

impl Input {
    /// The path, `-` for standard input.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::File(path) => path,
            Self::Stdin => Path::new("-"),
        }
    }

    /// What it is called in an error.
    pub(crate) fn name(&self) -> PathBuf {
        match self {
            Self::File(path) => path.clone(),
            Self::Stdin => PathBuf::from("<stdin>"),
        }
    }

    pub(crate) fn open(&self) -> io::Result<Box<dyn Read>> {
        match self {
            Self::File(path) => Ok(Box::new(File::open(path)?)),
            Self::Stdin => Ok(Box::new(io::stdin())),
        }
    }

    /// Reads everything, up to a limit.
    pub(crate) fn read(&self, limit: u64) -> Result<Vec<u8>, OpsError> {
        let unreadable = |source| OpsError::Unreadable { path: self.name(), source };
        let stream = self.open().map_err(unreadable)?;
        let bytes = read_to_limit(stream, limit).map_err(unreadable)?;
        bytes.ok_or_else(|| OpsError::TooLarge { path: self.name(), limit })
    }
}

/// One byte more than allowed tells a full file from one that goes on.
fn read_to_limit(stream: impl Read, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    stream.take(limit + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= limit).then_some(bytes))
}

/// Reads a file that must be one: a pipe that nobody writes to would hold us for ever.
pub(crate) fn read_regular(path: &Path, limit: u64) -> Result<Vec<u8>, OpsError> {
    let unreadable = |source| OpsError::Unreadable { path: path.to_owned(), source };
    if !std::fs::metadata(path).map_err(unreadable)?.is_file() {
        return Err(OpsError::NotRegular { path: path.to_owned() });
    }
    let bytes = File::open(path).and_then(|file| read_to_limit(file, limit)).map_err(unreadable)?;
    bytes.ok_or_else(|| OpsError::TooLarge { path: path.to_owned(), limit })
}

impl From<PathBuf> for Input {
    fn from(path: PathBuf) -> Self {
        if path.as_os_str() == "-" { Self::Stdin } else { Self::File(path) }
    }
}
