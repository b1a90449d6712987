//! The manifest of a server that starts its bundle.

use facets_digest::json::quoted;
use facets_model::ArtifactPath;
use facets_model::manifest::{ServerManifest, parse_server};
use facets_model::tree::{ManifestFormat, parse};

use super::dependencies::member;

/// The same `server.yaml` with another entry; nothing if that cannot be written without another change.
pub(super) fn with_entry(yaml: &[u8], entry: &ArtifactPath) -> Option<Vec<u8>> {
    let parsed = parse(yaml, ManifestFormat::Yaml).ok()?;
    let span = member(&parsed.root, "entry")?.span.clone();
    let end = span.start + written_length(parsed.text.get(span.clone())?);
    let edited = [&yaml[..span.start], quoted(entry.as_str()).as_bytes(), &yaml[end..]].concat();
    let (before, after) = (parse_server(yaml).manifest?, parse_server(&edited).manifest?);
    (after.entry == *entry && is_same_otherwise(&before, &after)).then_some(edited)
}

/// How long a scalar is. What the parser says of a quoted one reaches over the comment behind it.
fn written_length(text: &str) -> usize {
    let Some(quote) = text.chars().next().filter(|first| matches!(first, '"' | '\'')) else {
        return text.trim_end().len();
    };
    let mut rest = text.char_indices().skip(1).peekable();
    while let Some((at, letter)) = rest.next() {
        let is_doubled = quote == '\'' && rest.peek().is_some_and(|(_, next)| *next == quote);
        match letter {
            '\\' if quote == '"' => drop(rest.next()),
            _ if letter != quote => {}
            _ if is_doubled => drop(rest.next()),
            _ => return at + 1,
        }
    }
    text.trim_end().len()
}

/// Whether two manifests are the same except for their entries.
fn is_same_otherwise(before: &ServerManifest, after: &ServerManifest) -> bool {
    let texts = |one: &ServerManifest| {
        let unknown: Vec<String> = one.unknown.iter().map(|member| member.name.clone()).collect();
        let identity = (one.name.to_string(), one.version.to_string(), one.runtime.clone());
        (identity, one.description.clone(), one.author.clone(), one.contract.clone(), unknown)
    };
    texts(before) == texts(after) && before.env == after.env
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edited(yaml: &str) -> Option<String> {
        let entry = "src/index.facet.js".parse().unwrap();
        with_entry(yaml.as_bytes(), &entry).map(|bytes| String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn only_the_entry_is_replaced() {
        for written in ["src/index.ts", "'src/index.ts'", "\"src/index.ts\""] {
            let yaml = |entry: &str| {
                format!("# é\nname: ab\nentry: {entry}  # starts\nversion: 1.0.0\r\nruntime: bun\n")
            };
            let expected = yaml("\"src/index.facet.js\"");
            assert_eq!(edited(&yaml(written)), Some(expected), "{written}");
        }
        assert_eq!(written_length("'a''b' # c"), 6);
        assert_eq!(written_length("\"a\\\"b\" # c"), 6);
        let flow = "{name: ab, version: 1.0.0, runtime: bun, entry: src/index.ts}";
        assert!(edited(flow).unwrap().ends_with("entry: \"src/index.facet.js\"}"));
    }

    #[test]
    fn what_cannot_be_replaced_alone_is_refused() {
        let folded = "name: ab\nversion: 1.0.0\nruntime: bun\nentry: >-\n  src/index.ts\n";
        if let Some(text) = edited(folded) {
            assert!(text.contains("entry: \"src/index.facet.js\""), "{text}");
        }
        assert_eq!(edited("name: ab\nversion: 1.0.0\nruntime: bun\n"), None);
    }
}
