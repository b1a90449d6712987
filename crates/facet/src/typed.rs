//! Command lines that are nearly right.

use std::path::Path;

use facets_failure::shell_word;

/// Options of `add` and `inspect` that take the next word.
const WITH_VALUE: [&str; 12] = [
    "--env",
    "-e",
    "--header",
    "--cwd",
    "--source",
    "--timeout",
    "--accept",
    "--format",
    "--directory",
    "--sandbox",
    "--allow-read",
    "--save",
];

/// The line with `--` before the command, if somebody typed `facet add NAME npx -y PACKAGE`.
pub(crate) fn with_separator(words: &[String]) -> Option<String> {
    // A value that was typed may be a secret, and is not repeated.
    if words.iter().any(|word| word == "--" || word.contains('=')) {
        return None;
    }
    let verb = positions(words).next()?;
    // `inspect` has no name before its command.
    let skipped = match words[verb].as_str() {
        "add" => 2,
        "inspect" => 1,
        _ => return None,
    };
    let start = positions(words).nth(skipped)?;
    let is_command = !words[start].contains("://") && !words[start].contains(':');
    let has_more = start + 1 < words.len();
    if !is_command || !has_more {
        return None;
    }
    let shown = |word: &String| shell_word(Path::new(word));
    let before: Vec<String> = words[..start].iter().map(shown).collect();
    let command: Vec<String> = words[start..].iter().map(shown).collect();
    Some(format!("facet {} -- {}", before.join(" "), command.join(" ")))
}

/// Where the words stand that are neither options nor values of options.
fn positions(words: &[String]) -> impl Iterator<Item = usize> + '_ {
    words.iter().enumerate().filter_map(|(at, word)| {
        let is_value = at > 0 && WITH_VALUE.contains(&words[at - 1].as_str());
        (!word.starts_with('-') && !is_value).then_some(at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Option<String> {
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        with_separator(&words)
    }

    #[test]
    fn a_command_without_separator_gets_one() {
        let cases = [
            ("add foo npx -y x", "facet add foo -- npx -y x"),
            ("add --env TOKEN foo uvx x", "facet add --env TOKEN foo -- uvx x"),
            ("--json add foo --yes node a.js", "facet --json add foo --yes -- node a.js"),
            ("inspect npx -y x", "facet inspect -- npx -y x"),
        ];
        for (typed, expected) in cases {
            assert_eq!(line(typed).as_deref(), Some(expected), "{typed}");
        }
    }

    #[test]
    fn other_mistakes_are_not_about_the_separator() {
        for typed in [
            "add foo -- npx -y x",
            "add foo https://mcp.example.com/ extra",
            "add foo npm:x extra",
            "add foo",
            "add foo npx -y x -e TOKEN=hunter2",
            "add foo --env TOKEN=hunter2 npx -y x",
            "check foo bar",
            "",
        ] {
            assert_eq!(line(typed), None, "{typed}");
        }
    }
}
