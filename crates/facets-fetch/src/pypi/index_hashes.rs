//! The hashes that an index states about a file.

use url::Url;

use super::simple::document;
use crate::error::FetchError;
use crate::stated_hash::{StatedAlgorithm, StatedHash};

/// Algorithms that pip looks for in a fragment, and that are not computed here.
const OTHERS_OF_PIP: [&str; 2] = ["md5", "sha224"];

/// Hashes of one file, those that can be compared and a trace of the others.
#[derive(Debug, Default)]
pub(super) struct IndexHashes {
    /// Those of algorithms that are computed here.
    pub(super) comparable: Vec<StatedHash>,
    /// The first algorithm that is not.
    other: Option<String>,
}

impl IndexHashes {
    /// Adds the hash of one algorithm.
    pub(super) fn add(&mut self, name: &str, hex: &str, file: &Url) -> Result<(), FetchError> {
        let name = name.to_ascii_lowercase();
        let Some(algorithm) = StatedAlgorithm::named(&name) else {
            self.other.get_or_insert(name);
            return Ok(());
        };
        let malformed = || document(file, format!("its {} is malformed", algorithm.name()));
        let hash = StatedHash::from_hex(algorithm, hex, "index").ok_or_else(malformed)?;
        if !self.comparable.contains(&hash) {
            self.comparable.push(hash);
        }
        Ok(())
    }

    /// Adds those of a fragment: `sha256=HEX`, which may stand among others as in a query.
    pub(super) fn add_fragment(&mut self, fragment: &str, file: &Url) -> Result<(), FetchError> {
        for (name, hex) in fragment.split('&').filter_map(|pair| pair.split_once('=')) {
            let lower = name.to_ascii_lowercase();
            let is_known = StatedAlgorithm::named(&lower).is_some();
            if is_known || OTHERS_OF_PIP.contains(&lower.as_str()) {
                self.add(name, hex, file)?;
            }
        }
        Ok(())
    }

    /// The algorithm of a hash that is not compared, if no other hash is.
    pub(super) fn uncompared(&self) -> Option<String> {
        self.other.clone().filter(|_| self.comparable.is_empty())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    const SHA1: &str = "sha1=0123456789abcdef0123456789abcdef01234567";

    fn of_fragment(fragment: &str) -> (usize, Option<String>) {
        let file: Url = "https://a.example/mcp-1.zip".parse().unwrap();
        let mut hashes = IndexHashes::default();
        hashes.add_fragment(fragment, &file).unwrap();
        (hashes.comparable.len(), hashes.uncompared())
    }

    #[test]
    fn a_hash_that_is_not_computed_here_is_noted_unless_another_is() {
        assert_eq!(of_fragment(""), (0, None));
        assert_eq!(of_fragment("egg=mcp&subdirectory=md5"), (0, None));
        assert_eq!(of_fragment("md5=00"), (0, Some("md5".to_owned())));
        assert_eq!(of_fragment("egg=mcp&SHA224=00"), (0, Some("sha224".to_owned())));
        assert_eq!(of_fragment(&format!("md5=00&{SHA1}")), (1, None));
        assert_eq!(of_fragment(&format!("{SHA1}&{SHA1}")), (1, None));
    }
}
