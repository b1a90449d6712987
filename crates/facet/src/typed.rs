//! Command lines that are nearly right.

use std::fmt::Display;
use std::path::Path;

use clap::CommandFactory as _;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use facets_failure::shell_word;

use crate::args::Args;
use crate::typed_words::{host_and_port, is_host};

/// Options of `add` and `inspect` that take the next word.
const WITH_VALUE: [&str; 13] = [
    "--env",
    "-e",
    "--header",
    "--cwd",
    "--source",
    "--timeout",
    "--accept",
    "--registry",
    "--format",
    "--directory",
    "--sandbox",
    "--allow-read",
    "--save",
];

/// Commands of other package managers, and what does the same here.
const OTHER_COMMANDS: &[(&str, &str)] = &[
    ("uninstall", "`facet remove` removes facets and servers"),
    ("status", "`facet check` reports what changed since the servers were approved"),
];

/// Endings of files that a program runs, and that no host has.
const SCRIPTS: [&str; 9] = [".js", ".mjs", ".cjs", ".ts", ".py", ".rb", ".sh", ".jar", ".exe"];

/// An error about what was typed, with the usage of the command that was typed.
pub(crate) fn command_error(
    words: &[String],
    kind: ErrorKind,
    message: impl Display,
) -> clap::Error {
    let mut command = Args::command();
    command.build();
    for at in positions(words) {
        let Some(below) = command.find_subcommand(&words[at]).cloned() else { break };
        command = below;
    }
    command.error(kind, message)
}

/// The error of the parser, with what it cannot know.
pub(crate) fn explained(error: clap::Error, words: &[String]) -> clap::Error {
    match error.kind() {
        ErrorKind::MissingRequiredArgument => nothing_given(&error, words).unwrap_or(error),
        ErrorKind::InvalidSubcommand => with_tip(error, words),
        _ => error,
    }
}

/// What is missing where one of several things has to be given: the parser names only one of them.
fn nothing_given(error: &clap::Error, words: &[String]) -> Option<clap::Error> {
    let Some(ContextValue::Strings(missing)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let lacks = |argument: &str| missing.iter().any(|one| one == argument);
    let typed: Vec<&str> = positions(words).map(|at| words[at].as_str()).collect();
    let message = match typed.as_slice() {
        ["approve", ..] if lacks("<NAME>...") => {
            "no server given: name servers, or pass --all for every server of this project"
                .to_owned()
        }
        ["inspect", ..] if lacks("<TARGET>") => format!(
            "nothing to inspect: give a command after `--`, a URL, or a surface file\n\n{}",
            starts("inspect")
        ),
        ["add", name, ..] if lacks("<SOURCE>") && name.contains("://") => {
            "no name given: facet add NAME URL".to_owned()
        }
        ["add", rest @ ..] if lacks("<SOURCE>") => {
            let name = rest.first().map_or("NAME".to_owned(), |name| shell_word(Path::new(name)));
            format!(
                "nothing to start: give a command after `--`, a URL, the directory of a server, or the name of one on a registry\n\n{}\n  facet add {name} ./my-server\n  facet add {name} jira@1.4.0",
                starts(&format!("add {name}"))
            )
        }
        _ => return None,
    };
    Some(command_error(words, error.kind(), message))
}

/// The two ways to name a server.
fn starts(before: &str) -> String {
    format!(
        "  facet {before} -- npx -y @modelcontextprotocol/server-memory\n  \
         facet {before} https://mcp.example.com/"
    )
}

/// A word of other package managers is answered with the command that does the same here.
fn with_tip(mut error: clap::Error, words: &[String]) -> clap::Error {
    let typed = positions(words).next().map(|at| words[at].as_str());
    if let Some((_, tip)) = OTHER_COMMANDS.iter().find(|(word, _)| Some(*word) == typed) {
        // A command that is only spelled alike is another one.
        error.remove(ContextKind::SuggestedSubcommand);
        let tips = vec![StyledStr::from(*tip)];
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
    }
    error
}

/// The line with `http://` or with `--`, if somebody typed `facet add NAME localhost:3000/mcp` or
/// `facet add NAME /usr/bin/server`. `before` are the words before the address.
pub(crate) fn with_scheme(before: &[&str], word: &str) -> Option<String> {
    // What a URL has besides a host and a path may be a secret, and is not repeated.
    if word.trim().is_empty() || word.contains("://") || word.contains(['=', '@', '?', '#']) {
        return None;
    }
    let line = |words: &[&str]| -> String {
        words.iter().map(|word| shell_word(Path::new(word))).collect::<Vec<_>>().join(" ")
    };
    let before = line(before);
    if let Some(scheme) = scheme_of(word) {
        return Some(format!("facet {before} {}", line(&[format!("{scheme}://{word}").as_str()])));
    }
    let command: Vec<&str> = word.split_whitespace().collect();
    (!word.contains(':')).then(|| format!("facet {before} -- {}", line(&command)))
}

/// The scheme that an address without one should have.
fn scheme_of(word: &str) -> Option<&'static str> {
    let (name, _) = host_and_port(word);
    if matches!(name, "localhost" | "[::1]") || name.starts_with("127.") {
        return Some("http");
    }
    let has_script = SCRIPTS.iter().any(|ending| word.ends_with(ending));
    let is_name =
        name.contains('.') && !name.starts_with('.') && !word.contains(char::is_whitespace);
    let is_remote = is_name && !has_script && !Path::new(word).exists();
    (is_host(word) || is_remote).then_some("https")
}

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
    fn an_address_without_scheme_and_a_command_are_told_apart() {
        let cases = [
            ("localhost:3000/mcp", Some("facet add d http://localhost:3000/mcp")),
            ("127.0.0.1:80", Some("facet add d http://127.0.0.1:80")),
            ("mcp.example.com/mcp", Some("facet add d https://mcp.example.com/mcp")),
            ("mcp.example.com", Some("facet add d https://mcp.example.com")),
            ("mcp:8080", Some("facet add d https://mcp:8080")),
            ("/usr/bin/python3", Some("facet add d -- /usr/bin/python3")),
            ("./server", Some("facet add d -- ./server")),
            ("server.py", Some("facet add d -- server.py")),
            ("npx", Some("facet add d -- npx")),
            ("python3 server.py", Some("facet add d -- python3 server.py")),
            ("npm:x", None),
            ("", None),
            ("ftp://example.com/", None),
            ("mcp.example.com/?token=hunter2", None),
            ("me:hunter2@mcp.example.com", None),
        ];
        for (typed, expected) in cases {
            assert_eq!(with_scheme(&["add", "d"], typed).as_deref(), expected, "{typed}");
        }
    }

    fn refused(text: &str) -> String {
        use clap::Parser as _;
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        let all = std::iter::once("facet".to_owned()).chain(words.iter().cloned());
        explained(Args::try_parse_from(all).unwrap_err(), &words).to_string()
    }

    #[test]
    fn what_is_missing_is_named_with_all_that_can_be_given() {
        let add = refused("add calc");
        assert!(
            add.starts_with("error: nothing to start: give a command after `--`, a URL, the directory of a server, or the name of one on a registry\n\n")
        );
        assert!(add.contains("\n  facet add calc https://mcp.example.com/\n"), "{add}");
        assert!(add.contains("\nUsage: facet add "), "{add}");
        assert!(refused("add").contains("  facet add NAME -- npx "));
        assert!(refused("add https://mcp.example.com/").contains("facet add NAME URL"));
        assert!(refused("inspect").contains("a URL, or a surface file"));
        assert!(refused("approve").contains("pass --all"));
        // Where one thing is missing, the parser says it.
        assert!(refused("show").contains("<NAME>"));
    }

    #[test]
    fn commands_of_package_managers_lead_to_those_of_facet() {
        for (typed, tip) in [
            ("uninstall x", "tip: `facet remove`"),
            ("--json status", "tip: `facet check`"),
            ("chekc", "'check'"),
        ] {
            assert!(refused(typed).contains(tip), "{typed}: {}", refused(typed));
        }
        assert!(!refused("uninstall").contains("similar"));
        assert!(!refused("digest uninstall").contains("tip: `facet remove`"));
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
