//! Tools that came back under another name.

use std::collections::{BTreeMap, BTreeSet};

use facets_digest::Digest;
use facets_surface::{Definition, ToolIdentity};

use crate::shown::summary;
use crate::text::similarity;

/// Pairs of what is gone and what is new, and what is left of both.
pub(crate) struct Renames<'s> {
    pub(crate) pairs: Vec<(&'s Definition, &'s Definition)>,
    pub(crate) removed: Vec<&'s Definition>,
    pub(crate) added: Vec<&'s Definition>,
}

/// Definitions by a digest of one of their members.
type ByDigest<'s> = BTreeMap<Digest, Vec<&'s Definition>>;

/// More pairs than this are not compared word by word.
const MAX_COMPARED: usize = 10_000;
/// Texts that share this much of their words are near-same.
const NEAR: f64 = 0.8;

/// Pairs tools by their description or, if that is too common to say anything, by the schema.
pub(crate) fn find_renames<'s>(
    removed: Vec<&'s Definition>,
    added: Vec<&'s Definition>,
) -> Renames<'s> {
    let mut left = Renames { pairs: Vec::new(), removed, added };
    if left.removed.is_empty() || left.added.is_empty() {
        return left;
    }
    left.pair_by(|identity| identity.description);
    left.pair_by(|identity| identity.schema.filter(|schema| says_something(*schema)));
    left.pair_by_words();
    left
}

/// Many tools take nothing: that is no likeness.
fn says_something(schema: Digest) -> bool {
    let trivial = [
        "{}",
        r#"{"type":"object"}"#,
        r#"{"properties":{},"type":"object"}"#,
        r#"{"additionalProperties":false,"properties":{},"type":"object"}"#,
        r#"{"$schema":"http://json-schema.org/draft-07/schema#","additionalProperties":false,"properties":{},"type":"object"}"#,
        r#"{"$schema":"http://json-schema.org/draft-07/schema#","properties":{},"type":"object"}"#,
    ];
    trivial.iter().all(|form| Digest::of(form.as_bytes()) != schema)
}

impl Renames<'_> {
    /// Pairs what has the same digest of something, where only one of each side has it.
    fn pair_by(&mut self, digest: impl Fn(&ToolIdentity) -> Option<Digest>) {
        let (mut old, mut new) = (ByDigest::new(), ByDigest::new());
        for (list, map) in [(&self.removed, &mut old), (&self.added, &mut new)] {
            for item in list {
                if let Some(digest) = digest(&item.identity()) {
                    map.entry(digest).or_default().push(*item);
                }
            }
        }
        let mut found = Vec::new();
        for (digest, gone) in old {
            if let ([gone], Some([come])) = (&gone[..], new.get(&digest).map(Vec::as_slice)) {
                found.push((*gone, *come));
            }
        }
        self.take(found);
    }

    fn pair_by_words(&mut self) {
        if self.removed.len() * self.added.len() > MAX_COMPARED {
            return;
        }
        let mut found = Vec::new();
        let mut used = BTreeSet::new();
        let added: Vec<(&str, String)> =
            self.added.iter().map(|item| (item.name(), summary(item))).collect();
        for gone in &self.removed {
            let text = summary(gone);
            let alike = |index: &usize| similarity(&text, &added[*index].1);
            let best = (0..added.len())
                .filter(|index| !used.contains(index) && alike(index) >= NEAR)
                .max_by(|a, b| alike(a).total_cmp(&alike(b)));
            if let Some(best) = best {
                used.insert(best);
                found.push((*gone, self.added[best]));
            }
        }
        self.take(found);
    }
}

impl<'s> Renames<'s> {
    fn take(&mut self, found: Vec<(&'s Definition, &'s Definition)>) {
        let gone: BTreeSet<&str> = found.iter().map(|(old, _)| old.name()).collect();
        let come: BTreeSet<&str> = found.iter().map(|(_, new)| new.name()).collect();
        self.removed.retain(|item| !gone.contains(item.name()));
        self.added.retain(|item| !come.contains(item.name()));
        self.pairs.extend(found);
    }
}
