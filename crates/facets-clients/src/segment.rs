//! Text with holes, so that what is kept elsewhere holds no secret.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::client::Client;
use crate::entry::Layout;

/// What stands in the file at a hole.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Hole {
    /// The literal of the value at a path below the entry.
    Value(Vec<String>),
    /// The comment of that number in the entry.
    Comment(usize),
}

/// A piece of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Segment {
    /// These bytes.
    Text(String),
    /// Whatever the file has there.
    Hole(Hole),
}

/// The holes of an entry: every value that facet leaves alone, and every comment. Variables
/// are among the first, and nobody knows what people write into the second.
pub(crate) fn holes(client: Client, layout: &Layout) -> Vec<(Hole, Range<usize>)> {
    let kept = layout.values.iter().filter(|(path, _)| !client.is_transport(&path[0]));
    let mut found: Vec<(Hole, Range<usize>)> =
        kept.map(|(path, span)| (Hole::Value(path.clone()), span.clone())).collect();
    let covered = |span: &Range<usize>| {
        found.iter().any(|(_, hole)| hole.start <= span.start && span.end <= hole.end)
    };
    let comments: Vec<Range<usize>> =
        layout.comments.iter().filter(|span| !covered(span)).cloned().collect();
    let numbered = comments.into_iter().enumerate();
    found.extend(numbered.map(|(number, span)| (Hole::Comment(number), span)));
    found.sort_by_key(|(_, span)| span.start);
    found
}

/// A stretch of text cut at its holes.
pub(crate) fn cut(
    text: &str,
    region: &Range<usize>,
    holes: &[(Hole, Range<usize>)],
) -> Vec<Segment> {
    let mut segments = Vec::new();
    let mut at = region.start;
    let inside = |span: &Range<usize>| region.start <= span.start && span.end <= region.end;
    for (hole, span) in holes.iter().filter(|(_, span)| inside(span)) {
        if at < span.start {
            segments.push(Segment::Text(text[at..span.start].to_owned()));
        }
        segments.push(Segment::Hole(hole.clone()));
        at = span.end;
    }
    if at < region.end {
        segments.push(Segment::Text(text[at..region.end].to_owned()));
    }
    segments
}

/// Segments with their holes filled from a text, or nothing if one of them is not there.
pub(crate) fn fill(
    segments: &[Segment],
    text: &str,
    holes: &[(Hole, Range<usize>)],
) -> Option<String> {
    let spans: BTreeMap<&Hole, &Range<usize>> =
        holes.iter().map(|(hole, span)| (hole, span)).collect();
    let mut out = String::new();
    for segment in segments {
        match segment {
            Segment::Text(literal) => out.push_str(literal),
            Segment::Hole(hole) => out.push_str(&text[(*spans.get(hole)?).clone()]),
        }
    }
    Some(out)
}
