//! Where source comes from.

/// The files of a tree, named from its root with `/` before each part.
pub trait Files {
    /// Whether there is a file of that name.
    fn is_file(&self, path: &str) -> bool;
    /// Where it really lies, if links lead to it.
    fn real(&self, path: &str) -> String;
    /// Its bytes, or why there are none.
    fn read(&self, path: &str) -> Result<Vec<u8>, String>;
    /// Whether a file begins with `#!`.
    fn has_first_line(&self, path: &str) -> bool;
    /// Every file below a folder, packages of others left out.
    fn list(&self, folder: &str) -> FolderListing;
}

/// The files below a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FolderListing {
    /// Their paths.
    pub files: Vec<String>,
    /// Paths below which more may be, and why that was not looked at.
    pub unread: Vec<(String, String)>,
}
