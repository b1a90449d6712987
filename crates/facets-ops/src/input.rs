use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use facets_files::{FileError, read_to_limit};

use crate::error::OpsError;

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
        let unreadable =
            |source| OpsError::File(FileError::Unreadable { path: self.name(), source });
        let stream = self.open().map_err(unreadable)?;
        let bytes = read_to_limit(stream, limit).map_err(unreadable)?;
        bytes.ok_or_else(|| OpsError::File(FileError::TooLarge { path: self.name(), limit }))
    }
}

/// Reads a file that must be one.
pub(crate) fn read_regular(path: &Path, limit: u64) -> Result<Vec<u8>, OpsError> {
    Ok(facets_files::read_regular(path, limit)?)
}

impl From<PathBuf> for Input {
    fn from(path: PathBuf) -> Self {
        if path.as_os_str() == "-" { Self::Stdin } else { Self::File(path) }
    }
}
