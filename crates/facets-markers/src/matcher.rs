//! Finds phrases: words in an order, with a bounded number of others between them.
//!
//! A phrase is written as a row of steps. `a|b` is a choice, `a_b` two words in a row, `{name}`
//! a named list. `~3` lets up to three other words stand before the next step; `!a|b` says
//! which words must not stand right before the next step (at the beginning: among the two words
//! before it; at the end: right after the last). A step with `~` stays in the sentence; one without
//! follows directly, whatever stands between the two words.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use crate::fold::Folded;
use crate::found::Found;
use crate::languages::LANGUAGES;
use crate::letters::plain;
use crate::lists::LISTS;
use crate::phrases::PHRASES;
use crate::words::{Word, Words};

type WordId = usize;

/// A word leads from one state to the next. A state is reached when the words up to it were read.
#[derive(Clone, Copy)]
struct Edge {
    /// None where a phrase begins.
    from: Option<usize>,
    to: usize,
    /// How many other words may stand before the word.
    gap: usize,
    /// The list of words that must not stand before it.
    not_after: usize,
}

/// What it means to reach the last state of a phrase.
struct Accept {
    rule: &'static str,
    /// The list of words that must not stand after it.
    not_before: usize,
}

#[derive(Default)]
struct Patterns {
    words: BTreeMap<String, WordId>,
    /// The same words by their first byte and length, for looking them up.
    buckets: Vec<Vec<(String, WordId)>>,
    /// For each list, whether a word is in it; the empty list is the first.
    lists: Vec<Vec<bool>>,
    /// For each word, its edges, those to later states first: a word is never read twice.
    edges: Vec<Vec<Edge>>,
    states: Vec<Option<Accept>>,
}

static PATTERNS: LazyLock<Patterns> = LazyLock::new(Patterns::new);

impl Patterns {
    fn new() -> Self {
        let mut patterns = Self { lists: vec![Vec::new()], ..Self::default() };
        for (rule, phrase) in PHRASES.iter().chain(LANGUAGES) {
            patterns.add(rule, phrase);
        }
        patterns.index();
        patterns
    }

    fn add(&mut self, rule: &'static str, phrase: &str) {
        let (mut last, mut gap, mut not) = (None, 0, 0);
        for part in phrase.split_ascii_whitespace() {
            if let Some(number) = part.strip_prefix('~') {
                gap = number.parse().unwrap_or(0);
            } else if let Some(words) = part.strip_prefix('!') {
                let mut avoided = Vec::new();
                // Only single words: the parts of a row are no words to avoid.
                let single = self.choices(words).into_iter().filter(|row| row.len() == 1);
                for word in single.flatten() {
                    avoided.resize(avoided.len().max(word + 1), false);
                    avoided[word] = true;
                }
                self.lists.push(avoided);
                not = self.lists.len() - 1;
            } else {
                let step = Edge { from: last, to: 0, gap, not_after: not };
                last = Some(self.add_step(step, part));
                (gap, not) = (0, 0);
            }
        }
        if let Some(state) = last.and_then(|last| self.states.get_mut(last)) {
            *state = Some(Accept { rule, not_before: not });
        }
    }

    /// Adds the states and edges of one step; words in a row get states between.
    fn add_step(&mut self, step: Edge, part: &str) -> usize {
        let rows = self.choices(part);
        let mut between: BTreeMap<&[WordId], usize> = BTreeMap::new();
        let edge = |from: Option<&usize>, to| match from {
            None => Edge { to, ..step },
            Some(from) => Edge { from: Some(*from), to, gap: 0, not_after: 0 },
        };
        for row in &rows {
            for end in 1..row.len() {
                if !between.contains_key(&row[..end]) {
                    let to = self.state();
                    self.edges[row[end - 1]].push(edge(between.get(&row[..end - 1]), to));
                    between.insert(&row[..end], to);
                }
            }
        }
        let to = self.state();
        for row in &rows {
            if let Some((word, before)) = row.split_last() {
                self.edges[*word].push(edge(between.get(before), to));
            }
        }
        to
    }

    fn state(&mut self) -> usize {
        self.states.push(None);
        self.states.len() - 1
    }

    /// The choices of a step, each a row of words.
    fn choices(&mut self, part: &str) -> Vec<Vec<WordId>> {
        let mut choices = Vec::new();
        for choice in part.split('|') {
            let list = choice.strip_prefix('{').and_then(|name| name.strip_suffix('}'));
            let list = list.and_then(|name| LISTS.iter().find(|(other, _)| *other == name));
            match list {
                Some((_, words)) => choices.extend(words.split_whitespace().map(|w| self.row(w))),
                None => choices.push(self.row(choice)),
            }
        }
        choices
    }

    fn row(&mut self, words: &str) -> Vec<WordId> {
        let folded: String = words.chars().map(plain).collect();
        Words::new(&folded).map(|word| self.id(word.text)).collect()
    }

    fn id(&mut self, word: &str) -> WordId {
        let next = self.words.len();
        let id = *self.words.entry(word.to_owned()).or_insert(next);
        if id == self.edges.len() {
            self.edges.push(Vec::new());
        }
        id
    }

    fn index(&mut self) {
        for edges in &mut self.edges {
            edges.sort_by_key(|edge| std::cmp::Reverse(edge.to));
        }
        self.buckets = vec![Vec::new(); 256 * LENGTHS];
        for (word, id) in &self.words {
            self.buckets[bucket(word)].push((word.clone(), *id));
        }
    }

    fn look_up(&self, word: &str) -> Option<WordId> {
        let words = self.buckets.get(bucket(word))?;
        words.iter().find(|(other, _)| other == word).map(|(_, id)| *id)
    }

    fn is_in(&self, list: usize, word: Option<WordId>) -> bool {
        word.is_some_and(|word| self.lists[list].get(word).copied().unwrap_or(false))
    }
}

/// How many lengths of words are told apart.
const LENGTHS: usize = 16;

fn bucket(word: &str) -> usize {
    let first = word.bytes().next().map_or(0, usize::from);
    first * LENGTHS + word.len().min(LENGTHS - 1)
}

/// How a state was reached: by which word, in which sentence, and where the phrase began.
#[derive(Clone, Copy, Default)]
struct Reached {
    /// One more than the number of the word; 0 is none.
    word: usize,
    sentence: usize,
    start: usize,
}

/// One walk through a text.
struct Walk<'p> {
    patterns: &'p Patterns,
    reached: Vec<Reached>,
    /// The two words before, and their sentence.
    before: [(Option<WordId>, usize); 2],
    /// Hits that the next word may still undo.
    pending: Vec<(&'p Accept, Range<usize>)>,
    /// The hits of each rule; one that overlaps the last grows it.
    hits: BTreeMap<&'static str, Vec<Range<usize>>>,
}

/// Finds all phrases in a text.
pub(crate) fn look(folded: &Folded<'_>, found: &mut Found) {
    let patterns = &*PATTERNS;
    let mut walk = Walk {
        patterns,
        reached: vec![Reached::default(); patterns.states.len()],
        before: [(None, 0); 2],
        pending: Vec::new(),
        hits: BTreeMap::new(),
    };
    for (number, word) in Words::new(folded.text()).enumerate() {
        walk.read(number + 1, &word);
    }
    walk.settle(None);
    for (rule, places) in walk.hits {
        for place in places {
            let text = folded.text().get(place.clone()).unwrap_or_default();
            let words: Vec<&str> = Words::new(text).map(|word| word.text).collect();
            found.add_folded(rule, folded, &place, &words.join(" "));
        }
    }
}

impl Walk<'_> {
    fn read(&mut self, number: usize, word: &Word<'_>) {
        let id = self.patterns.look_up(word.text);
        if !self.pending.is_empty() {
            self.settle(id);
        }
        for edge in id.map_or(&[][..], |id| &self.patterns.edges[id]) {
            self.follow(edge, number, word);
        }
        self.before = [(id, word.sentence), self.before[0]];
    }

    fn follow(&mut self, edge: &Edge, number: usize, word: &Word<'_>) {
        let start = match edge.from.map(|from| self.reached[from]) {
            None => word.place.start,
            Some(Reached { word: 0, .. }) => return,
            Some(earlier) => {
                let skipped = number - 1 - earlier.word;
                let far = edge.gap > 0 && earlier.sentence != word.sentence;
                if skipped > edge.gap || far {
                    return;
                }
                earlier.start
            }
        };
        if self.forbidden(edge, word.sentence) {
            return;
        }
        self.reached[edge.to] = Reached { word: number, sentence: word.sentence, start };
        let Some(accept) = &self.patterns.states[edge.to] else { return };
        if accept.not_before == 0 {
            self.hit(accept.rule, start..word.place.end);
        } else {
            self.pending.push((accept, start..word.place.end));
        }
    }

    /// Whether a word stands before this one that must not.
    fn forbidden(&self, edge: &Edge, sentence: usize) -> bool {
        let near = if edge.from.is_none() { 2 } else { 1 };
        let stands = |(word, of): &(Option<WordId>, usize)| {
            *of == sentence && self.patterns.is_in(edge.not_after, *word)
        };
        edge.not_after > 0 && self.before.iter().take(near).any(stands)
    }

    /// Decides about hits that waited for the next word.
    fn settle(&mut self, next: Option<WordId>) {
        for (accept, place) in std::mem::take(&mut self.pending) {
            if !self.patterns.is_in(accept.not_before, next) {
                self.hit(accept.rule, place);
            }
        }
    }

    fn hit(&mut self, rule: &'static str, place: Range<usize>) {
        let places = self.hits.entry(rule).or_default();
        match places.last_mut() {
            Some(last) if place.start <= last.end => {
                last.start = last.start.min(place.start);
                last.end = last.end.max(place.end);
            }
            _ => places.push(place),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_that_a_phrase_names_exists() {
        for (_, phrase) in PHRASES.iter().chain(LANGUAGES) {
            for name in phrase.split('{').skip(1).filter_map(|rest| rest.split('}').next()) {
                assert!(LISTS.iter().any(|(other, _)| *other == name), "{name} in {phrase}");
            }
        }
    }
}
