//! A file as it can be shown.

use std::ops::Range;

use crate::client::{Client, ClientFile};
use crate::edit::apply;
use crate::entry::{Entry, Transport};
use crate::guard::Opened;
use crate::parse::parse;
use crate::secrets::{looks_like_secret, secret_arguments};
use crate::split_mark;

/// The text of a file without the values of variables and headers, and without what else looks
/// like a secret. One that cannot be read is not shown at all.
#[must_use]
pub fn masked(file: &ClientFile, text: &str) -> String {
    try_masked(file, text).unwrap_or_else(|| "…".to_owned())
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
    Some(format!("{mark}{}", apply(body, &edits)?))
}

/// Whether the value at a path below an entry is nobody's business.
fn hides(client: Client, entry: &Entry, path: &[String]) -> bool {
    let [name, below @ ..] = path else { return false };
    match &entry.transport {
        // Variables and headers.
        _ if !below.is_empty() => true,
        Transport::Command { args, .. } => {
            let holds = if client.dialect().one_list { "command" } else { "args" };
            name == holds && !secret_arguments(args).is_empty()
        }
        Transport::Url { url, .. } => {
            let mut names = client.dialect().addresses.iter().map(|(name, _)| *name);
            names.any(|known| known == name) && looks_like_secret(url)
        }
        Transport::Unclear { .. } => client.is_transport(name),
    }
}
