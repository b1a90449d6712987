//! A file as it can be shown.

use std::ops::Range;

use crate::client::{Client, ClientFile, ClientFormat};
use crate::entry::{Entry, EntryTransport};
use crate::opened::Opened;
use crate::parse::parse;
use crate::secrets::{is_secret, looks_like_secret, secret_arguments};
use crate::split_mark;
use facets_jsonc::apply;

/// The text of a file without the values of variables and headers, and without what else looks
/// like a secret. One that cannot be read is not shown at all.
#[must_use]
pub fn masked(file: &ClientFile, text: &str) -> String {
    let masked = try_masked(file, text).unwrap_or_else(|| "…".to_owned());
    // In TOML, what is not of the entry stands on other lines.
    if file.client.format() == ClientFormat::Toml { masked } else { without_neighbours(&masked) }
}

/// What stands beside an entry, on the same line, is a client's own business, too.
fn without_neighbours(text: &str) -> String {
    let (mut out, mut rest, mut name) = (String::new(), text, String::new());
    while let Some(at) = rest.find(['"', '/']) {
        let (before, found) = rest.split_at(at);
        let length = match found.as_bytes() {
            [b'"', ..] => string_end(found),
            [b'/', b'/', ..] => found.find('\n'),
            [b'/', b'*', ..] => found.find("*/").map(|end| end + 2),
            _ => Some(1),
        };
        let (token, after) = found.split_at(length.unwrap_or(found.len()));
        out.push_str(before);
        rest = after;
        let is_text = token.starts_with('"');
        let value = token.trim_matches('"');
        if is_text && after.trim_start().starts_with(':') {
            value.clone_into(&mut name);
        } else if is_text && is_secret(&name, value) {
            out.push_str("\"…\"");
            continue;
        }
        out.push_str(token);
    }
    out + rest
}

/// Where a text ends that begins with a quote.
fn string_end(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    let end = text.bytes().skip(1).position(|byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    });
    end.map(|end| end + 2)
}

fn try_masked(file: &ClientFile, text: &str) -> Option<String> {
    let (mark, body) = split_mark(text).ok()?;
    let mut edits = Vec::new();
    for entry in parse(file, text).ok()? {
        let opened = Opened::new(file.client, body, &entry.place).ok()??;
        let hides = |path: &[String]| hides(file.client, &entry, path);
        let hidden = opened.layout.values.into_iter().filter(|(path, _)| hides(path));
        edits.extend(hidden.map(|(_, span): (_, Range<usize>)| (span, "\"…\"".to_owned())));
    }
    edits.sort_by_key(|(span, _)| span.start);
    // Entries may be found in two ways.
    edits.dedup();
    Some(format!("{mark}{}", apply(body, &edits)?))
}

/// Whether the value at a path below an entry is nobody's business.
fn hides(client: Client, entry: &Entry, path: &[String]) -> bool {
    let [name, below @ ..] = path else { return false };
    match &entry.transport {
        // Variables and headers.
        _ if !below.is_empty() => true,
        EntryTransport::Command { args, .. } => {
            let holds = if client.dialect().one_list { "command" } else { "args" };
            name == holds && !secret_arguments(args).is_empty()
        }
        EntryTransport::Url { url, .. } => {
            let mut names = client.dialect().addresses.iter().map(|(name, _)| *name);
            names.any(|known| known == name) && looks_like_secret(url)
        }
        EntryTransport::Unclear { .. } => client.is_transport(name),
    }
}
