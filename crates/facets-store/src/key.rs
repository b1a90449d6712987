//! What names an entry, and where an entry of that name lies.

use std::fmt;

use facets_digest::Digest;

/// What names a tree. The digest alone would let a tree of one kind be taken for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TreeKey {
    /// The files of a source-mode server, by the `integrity` of its archive (spec 4.4).
    Server(Digest),
    /// A runtime, by the SHA-256 of the package that it was unpacked from.
    Runtime(Digest),
    /// The installed packages of a server, by the digest of its closure file (spec 10.8).
    Closure(Digest),
}

impl TreeKey {
    /// The digest that names it.
    #[must_use]
    pub const fn digest(&self) -> &Digest {
        match self {
            Self::Server(digest) | Self::Runtime(digest) | Self::Closure(digest) => digest,
        }
    }
}

/// What names an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntryKey {
    /// A file, by the SHA-256 of its bytes.
    File(Digest),
    /// A directory with everything in it.
    Tree(TreeKey),
}

impl From<TreeKey> for EntryKey {
    fn from(key: TreeKey) -> Self {
        Self::Tree(key)
    }
}

/// Makes a key of one kind.
type MakeKey = fn(Digest) -> EntryKey;

/// The directory of each kind, and its keys.
pub(crate) const KINDS: [(&str, MakeKey); 4] = [
    ("files", EntryKey::File),
    ("servers", |digest| EntryKey::Tree(TreeKey::Server(digest))),
    ("runtimes", |digest| EntryKey::Tree(TreeKey::Runtime(digest))),
    ("closures", |digest| EntryKey::Tree(TreeKey::Closure(digest))),
];

impl EntryKey {
    /// What kind of entry it is, in one word.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::File(_) => "file",
            Self::Tree(TreeKey::Server(_)) => "server",
            Self::Tree(TreeKey::Runtime(_)) => "runtime",
            Self::Tree(TreeKey::Closure(_)) => "closure",
        }
    }

    /// The digest that names it.
    #[must_use]
    pub const fn digest(&self) -> &Digest {
        match self {
            Self::File(digest) => digest,
            Self::Tree(key) => key.digest(),
        }
    }

    /// The directories that lead to an entry, from that of the store on. No directory has more than a 256th of
    /// the entries of a kind.
    pub(crate) fn folders(&self) -> [String; 3] {
        let kind = match self {
            Self::File(_) => "files",
            Self::Tree(TreeKey::Server(_)) => "servers",
            Self::Tree(TreeKey::Runtime(_)) => "runtimes",
            Self::Tree(TreeKey::Closure(_)) => "closures",
        };
        let digest = self.digest();
        [kind.to_owned(), digest.algorithm().name().to_owned(), digest.hex()[..2].to_owned()]
    }

    /// Its name in the last of these.
    pub(crate) fn name(&self) -> String {
        self.digest().hex()[2..].to_owned()
    }
}

impl fmt::Display for EntryKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind(), self.digest())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_directory_of_its_own() {
        let digest = Digest::of(b"");
        for (folder, make) in KINDS {
            let key = make(digest);
            assert_eq!(key.folders(), [folder, "sha256", "e3"].map(str::to_owned));
            assert_eq!(format!("e3{}", key.name()), digest.hex());
            assert_eq!(key.to_string(), format!("{} {digest}", key.kind()));
            assert_eq!(format!("{}s", key.kind()), folder);
        }
    }
}
