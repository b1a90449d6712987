//! The label by which an image says which MCP server it has.

use std::path::Path;

use facets_files::read_plain;

/// More than any such file has.
const MOST: u64 = 1 << 20;

/// The official registry accepts an image for a server only if this label has the server's name.
const SERVER_NAME: &str = "io.modelcontextprotocol.server.name";

/// The name of the server that `Dockerfile` of a folder labels its image with. A file that cannot be
/// read says nothing.
pub(crate) fn read_image_label(folder: &Path) -> Option<String> {
    let bytes = read_plain(&folder.join("Dockerfile"), MOST).ok().flatten()?;
    server_label(&String::from_utf8_lossy(&bytes))
}

/// The last value of the label, unless it is known only when the image is built.
fn server_label(text: &str) -> Option<String> {
    let value = instructions(text).iter().rev().find_map(|line| label_in(line))?;
    (!value.is_empty() && !value.contains('$')).then_some(value)
}

/// Instructions, each with the lines that continue it, without comments.
fn instructions(text: &str) -> Vec<String> {
    let mut complete = Vec::new();
    let mut open = String::new();
    for line in text.lines().map(str::trim_end) {
        let content = line.trim_start();
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        if let Some(start) = line.strip_suffix('\\') {
            open.push_str(start);
            continue;
        }
        open.push_str(line);
        complete.push(std::mem::take(&mut open));
    }
    complete.push(open);
    complete
}

/// The value of the label in an instruction that sets it.
fn label_in(instruction: &str) -> Option<String> {
    let (word, rest) = instruction.trim_start().split_once(char::is_whitespace)?;
    if !word.eq_ignore_ascii_case("LABEL") {
        return None;
    }
    let words = words(rest);
    // The old form has one label, without `=`.
    if let [name, value] = words.as_slice()
        && name == SERVER_NAME
    {
        return Some(value.clone());
    }
    let mut pairs = words.iter().rev().filter_map(|word| word.split_once('='));
    pairs.find(|(name, _)| *name == SERVER_NAME).map(|(_, value)| value.to_owned())
}

/// Words between blanks. Quotes keep blanks, and are not part of a word; nor is `\` before a character.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quote = None;
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' if quote != Some('\'') => word.extend(characters.next()),
            '"' | '\'' if quote.is_none() => quote = Some(character),
            _ if quote == Some(character) => quote = None,
            _ if character.is_whitespace() && quote.is_none() => {
                words.push(std::mem::take(&mut word));
            }
            _ => word.push(character),
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_label_is_found_in_every_notation() {
        for text in [
            "LABEL io.modelcontextprotocol.server.name=\"io.github.a/b\"",
            "label io.modelcontextprotocol.server.name=io.github.a/b",
            "  LABEL\tio.modelcontextprotocol.server.name='io.github.a/b'\r\n",
            "LABEL \"io.modelcontextprotocol.server.name\"=\"io.github.a/b\" x=\"y z\"",
            "LABEL io.modelcontextprotocol.server.name io.github.a/b",
            "LABEL a=\"b \\\" c\" \\\n# between\n\n      io.modelcontextprotocol.server.name=io.github.a/b",
            "LABEL io.modelcontextprotocol.server.name=io.github.x/y\nFROM x\n\
             LABEL io.modelcontextprotocol.server.name=io.github.a/b\nCMD [\"x\"]\n",
        ] {
            assert_eq!(server_label(text).as_deref(), Some("io.github.a/b"), "{text}");
        }
    }

    #[test]
    fn what_is_no_written_label_says_nothing() {
        for text in [
            "",
            "FROM scratch",
            "LABEL",
            "# LABEL io.modelcontextprotocol.server.name=io.github.a/b",
            "ENV io.modelcontextprotocol.server.name=io.github.a/b",
            "LABEL io.modelcontextprotocol.server.name=",
            "LABEL io.modelcontextprotocol.server.name=${NAME}",
            "LABEL description=\"io.modelcontextprotocol.server.name=io.github.a/b\"",
            "LABEL org.opencontainers.image.title=b",
        ] {
            assert_eq!(server_label(text), None, "{text}");
        }
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(read_image_label(folder.path()), None);
        std::fs::create_dir(folder.path().join("Dockerfile")).unwrap();
        assert_eq!(read_image_label(folder.path()), None);
    }
}
