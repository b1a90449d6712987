//! One release from several indexes. pip takes the files of all of them as one set, and prefers none.

use std::collections::BTreeMap;

use crate::error::FetchError;
use crate::stated_hash::{StatedAlgorithm, StatedHash};
use crate::upstream::UpstreamFile;

/// A file, and the index that lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedFile {
    /// The address of the page, without secrets.
    pub index: String,
    /// The file.
    pub file: UpstreamFile,
}

/// The files of all indexes, each once, sorted by name. Two of one name must be the same file.
pub fn union_of(listed: Vec<ListedFile>) -> Result<Vec<UpstreamFile>, FetchError> {
    let mut by_name: BTreeMap<String, Vec<ListedFile>> = BTreeMap::new();
    for one in listed {
        by_name.entry(one.file.name.clone()).or_default().push(one);
    }
    // A contradiction says more than a gap, so all are looked for first.
    for copies in by_name.values() {
        require_no_conflict(copies)?;
    }
    by_name.into_values().filter_map(|copies| merged(copies).transpose()).collect()
}

/// One pass: a hash that contradicts any other contradicts the first one of its algorithm.
fn require_no_conflict(copies: &[ListedFile]) -> Result<(), FetchError> {
    let mut first_stated: Vec<(&ListedFile, &StatedHash)> = Vec::new();
    for copy in copies {
        for hash in &copy.file.stated {
            let mut known = first_stated.iter();
            match known.find(|(_, first)| first.algorithm == hash.algorithm) {
                None => first_stated.push((copy, hash)),
                Some((_, first)) if first.bytes == hash.bytes => {}
                Some((first_copy, first)) => {
                    return Err(FetchError::IndexConflict {
                        identifier: copy.file.identifier.clone(),
                        first: first_copy.index.clone(),
                        second: copy.index.clone(),
                        expected: shown(first),
                        actual: shown(hash),
                    });
                }
            }
        }
    }
    Ok(())
}

/// One file of all that are stated about it. Nothing of no copies.
fn merged(copies: Vec<ListedFile>) -> Result<Option<UpstreamFile>, FetchError> {
    let mut copies = copies.into_iter();
    let Some(ListedFile { index, mut file }) = copies.next() else { return Ok(None) };
    let mut stated = file.stated.clone();
    for ListedFile { index: second, file: other } in copies {
        if !is_same(&file, &other) {
            let identifier = file.identifier;
            return Err(FetchError::AmbiguousIndexes { identifier, first: index, second });
        }
        for hash in other.stated {
            if !stated.contains(&hash) {
                stated.push(hash);
            }
        }
        file.yanked = file.yanked.or(other.yanked);
    }
    // The download is compared with every one of them.
    file.stated = stated;
    Ok(Some(file))
}

/// Whether two files are one, of which no hash contradicts the other. Two files with one SHA-1 can be made.
fn is_same(one: &UpstreamFile, other: &UpstreamFile) -> bool {
    let mut strong = one.stated.iter().filter(|hash| hash.algorithm != StatedAlgorithm::Sha1);
    one.url == other.url || strong.any(|hash| other.stated.contains(hash))
}

fn shown(hash: &StatedHash) -> String {
    format!("{}:{}", hash.algorithm.name(), hash.hex())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

    use facets_model::FileIdentifier;

    use super::*;

    const SHA1: StatedAlgorithm = StatedAlgorithm::Sha1;
    const SHA256: StatedAlgorithm = StatedAlgorithm::Sha256;
    const SHA512: StatedAlgorithm = StatedAlgorithm::Sha512;

    /// A file whose hashes have one byte again and again.
    fn listed(index: &str, name: &str, hashes: &[(StatedAlgorithm, u8)]) -> ListedFile {
        let hash = |&(algorithm, byte): &(StatedAlgorithm, u8)| StatedHash {
            algorithm,
            bytes: vec![byte; algorithm.length()],
            place: "index",
        };
        let identifier = FileIdentifier::Pypi {
            name: "x".to_owned(),
            version: "1".to_owned(),
            file: Some(name.to_owned()),
        };
        let file = UpstreamFile {
            identifier,
            name: name.to_owned(),
            url: format!("https://{index}.example/{name}").parse().unwrap(),
            size: None,
            stated: hashes.iter().map(hash).collect(),
            yanked: None,
        };
        ListedFile { index: index.to_owned(), file }
    }

    #[test]
    fn files_of_all_indexes_belong_to_the_release() {
        let files = union_of(vec![
            listed("a", "x-1.zip", &[(SHA256, 1)]),
            listed("b", "x-1.tar", &[]),
            listed("b", "x-1.zip", &[(SHA256, 1), (SHA512, 2)]),
        ]);
        let files = files.unwrap();
        let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(names, ["x-1.tar", "x-1.zip"]);
        assert_eq!(files[1].url.as_str(), "https://a.example/x-1.zip");
        let algorithms: Vec<StatedAlgorithm> =
            files[1].stated.iter().map(|hash| hash.algorithm).collect();
        assert_eq!(algorithms, [SHA256, SHA512]);
        assert_eq!(union_of(Vec::new()).unwrap(), []);
    }

    #[test]
    fn different_hashes_are_a_conflict_that_shows_both() {
        for copies in [
            // The third contradicts the second, whatever the first leaves open.
            vec![
                listed("c", "x-1.zip", &[]),
                listed("a", "x-1.zip", &[(SHA256, 1)]),
                listed("b", "x-1.zip", &[(SHA256, 2)]),
            ],
            vec![
                listed("a", "x-1.zip", &[(SHA512, 1), (SHA256, 1)]),
                listed("b", "x-1.zip", &[(SHA512, 1), (SHA256, 2)]),
            ],
            vec![
                listed("b", "w-1.zip", &[]),
                listed("a", "w-1.zip", &[]),
                listed("a", "x-1.zip", &[(SHA256, 1)]),
                listed("b", "x-1.zip", &[(SHA256, 2)]),
            ],
        ] {
            match union_of(copies) {
                Err(FetchError::IndexConflict { first, second, expected, actual, .. }) => {
                    assert_eq!((first.as_str(), second.as_str()), ("a", "b"));
                    assert_eq!(expected, format!("sha256:{}", "01".repeat(32)));
                    assert_eq!(actual, format!("sha256:{}", "02".repeat(32)));
                }
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn files_that_cannot_be_compared_are_ambiguous() {
        type Hashes = [(StatedAlgorithm, u8)];
        let cases: [(&Hashes, &Hashes); 4] = [
            (&[(SHA256, 1)], &[]),
            (&[], &[]),
            (&[(SHA256, 1)], &[(SHA512, 1)]),
            (&[(SHA1, 1)], &[(SHA1, 1)]),
        ];
        for (one, other) in cases {
            let copies = vec![listed("a", "x-1.zip", one), listed("b", "x-1.zip", other)];
            let error = union_of(copies).unwrap_err();
            assert!(matches!(error, FetchError::AmbiguousIndexes { .. }), "{error}");
            assert!(error.to_string().contains("a and b"), "{error}");
            // The same address leads to the same file.
            let copies = vec![listed("a", "x-1.zip", one), listed("a", "x-1.zip", other)];
            assert_eq!(union_of(copies).unwrap().len(), 1);
        }
    }
}
