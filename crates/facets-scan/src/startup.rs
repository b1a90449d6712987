//! What starts a program: its first line may name a runtime and load more code, or be for a
//! shell that knows nothing of JavaScript.

/// What the beginning of a program says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Startup {
    /// Code that is loaded first, as it is written.
    pub(crate) loads: Vec<String>,
    /// What starts it, where that is a runtime.
    pub(crate) runtime: Option<String>,
    /// What cannot be followed.
    pub(crate) doubts: Vec<String>,
}

/// Systems cut longer lines, some of them silently.
const MAX_LINE: usize = 127;
/// Where a shell polyglot says what it is.
const HEAD_LINES: usize = 20;

/// Where runtimes are installed. What lies elsewhere may be another program of that name.
const FOLDERS: &[&str] =
    &["/usr/bin/", "/bin/", "/usr/local/bin/", "/opt/homebrew/bin/", "/opt/local/bin/"];

/// Options of `node` that load nothing and evaluate nothing.
const NODE_OPTIONS: &[&str] = &[
    "--disable-warning",
    "--enable-source-maps",
    "--experimental-strip-types",
    "--experimental-transform-types",
    "--expose-gc",
    "--max-old-space-size",
    "--max_old_space_size",
    "--no-deprecation",
    "--no-warnings",
    "--stack-size",
    "--stack-trace-limit",
    "--throw-deprecation",
    "--trace-deprecation",
    "--trace-uncaught",
    "--trace-warnings",
    "--unhandled-rejections",
];
const BUN_OPTIONS: &[&str] = &["--bun", "--silent", "--smol", "-b"];
const DENO_OPTIONS: &[&str] = &["--no-check", "--no-prompt", "--quiet", "-A", "-q"];

/// Variables that no runtime takes orders from.
const VARIABLES: &[&str] = &["FORCE_COLOR", "NODE_ENV", "NODE_NO_WARNINGS", "NO_COLOR"];

/// Reads the beginning of a file with which a program starts. A command is started by its first
/// line, and by a shell if that names nothing; another file may be started by a runtime.
pub(crate) fn read_startup(source: &[u8], is_command: bool) -> Startup {
    let mut startup = Startup::default();
    let line = source.split(|byte| *byte == b'\n').next().unwrap_or_default();
    match line.strip_prefix(b"#!") {
        Some(line) => match words(line) {
            Some(words) => startup.interpreter(&words),
            None => startup.doubt("has a `#!` line that cannot be read"),
        },
        None if is_command => startup.doubt("is a command without a `#!` line, so a shell runs it"),
        None if is_for_a_shell(source) => startup.doubt("begins like a shell script"),
        None => {}
    }
    startup
}

/// The words of a `#!` line; none if a shell, a system or `env` may read them differently.
fn words(line: &[u8]) -> Option<Vec<&str>> {
    let line = str::from_utf8(line).ok()?;
    // Package managers remove the line ends of Windows.
    let line = line.strip_suffix('\r').unwrap_or(line);
    let plain = |c: char| c.is_ascii_alphanumeric() || " \t/.,:=_@+-".contains(c);
    (line.len() <= MAX_LINE && line.chars().all(plain))
        .then(|| line.split_ascii_whitespace().collect())
}

impl Startup {
    fn doubt(&mut self, reason: &str) {
        self.doubts.push(reason.to_owned());
    }

    /// What a `#!` line starts: a runtime, or `env`, which finds one.
    fn interpreter(&mut self, words: &[&str]) {
        let Some((program, rest)) = words.split_first() else {
            return self.doubt("has a `#!` line without a program");
        };
        let name = FOLDERS.iter().find_map(|folder| program.strip_prefix(folder));
        match name {
            Some("env") => self.environment(rest),
            Some(name) => self.runtime(name, rest),
            None => self.doubts.push(format!("is started by an unknown program: {program}")),
        }
    }

    fn environment(&mut self, words: &[&str]) {
        let words = match words.split_first() {
            Some((&("-S" | "--split-string"), rest)) => rest,
            _ => words,
        };
        let is_variable = |word: &&str| word.contains('=') && !word.starts_with('-');
        let count = words.iter().take_while(|word| is_variable(word)).count();
        let (variables, rest) = words.split_at(count);
        for variable in variables {
            let name = variable.split('=').next().unwrap_or_default();
            if !VARIABLES.contains(&name) {
                self.doubts.push(format!("has a `#!` line that sets {name}"));
            }
        }
        match rest.split_first() {
            Some((name, options)) => self.runtime(name, options),
            None => self.doubt("has a `#!` line without a program"),
        }
    }

    fn runtime(&mut self, name: &str, options: &[&str]) {
        let (harmless, options) = match (name, options) {
            ("node" | "nodejs", options) => (NODE_OPTIONS, options),
            ("bun", ["run", options @ ..] | options) => (BUN_OPTIONS, options),
            ("deno", ["run", options @ ..]) => (DENO_OPTIONS, options),
            _ => {
                return self.doubts.push(format!("is started by an unknown program: {name}"));
            }
        };
        self.runtime = Some(name.to_owned());
        let mut words = options.iter();
        while let Some(word) = words.next() {
            let (option, value) = match word.split_once('=') {
                Some((option, value)) => (option, Some(value)),
                None => (*word, None),
            };
            match option {
                "-r" | "--require" | "--import" | "--preload" if name != "deno" => {
                    match value.or_else(|| words.next().copied()) {
                        Some(file) => self.loads.push(file.to_owned()),
                        None => self.doubt("has a `#!` line that loads an unknown file"),
                    }
                }
                _ if harmless.contains(&option) => {}
                // Deno asks for nothing else with these.
                _ if name == "deno" && option.starts_with("--allow-") => {}
                _ => self.doubts.push(format!("has a `#!` line with the unknown option {option}")),
            }
        }
    }
}

/// Whether a shell that is given this file would find something to do: the ways in which
/// programs are written for both.
fn is_for_a_shell(source: &[u8]) -> bool {
    const BEGINNINGS: &[&str] = &["\":\"", "':'", "\":;", "':;", ": ", ":;", ":\"", ":'"];
    const SCRIPT: &[&str] = &["$0", "${0", "$@", "${@", "$*", "BASH_SOURCE"];
    let text = String::from_utf8_lossy(source);
    let has_mark = text.starts_with('\u{feff}');
    let text = text.trim_start_matches('\u{feff}').trim_start();
    if has_mark && text.starts_with("#!") {
        return true;
    }
    // A comment here is a path there: `//bin/sh -c …`, `/*/../bin/sh`.
    let path = ["//", "/*/"].iter().find_map(|start| text.strip_prefix(start));
    let is_path = path.is_some_and(|rest| {
        let word = rest.split_ascii_whitespace().next().unwrap_or_default();
        rest.starts_with(|c: char| c.is_ascii_alphanumeric() || "./*?".contains(c))
            && (word.contains("bin/") || word.contains("env"))
    });
    let runs_itself = text
        .lines()
        .take(HEAD_LINES)
        .any(|line| has_command(line, "exec ") && SCRIPT.iter().any(|name| line.contains(name)));
    is_path || runs_itself || BEGINNINGS.iter().any(|start| text.starts_with(start))
}

/// Whether a word stands where a shell expects a command.
fn has_command(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].trim_end().chars().next_back();
        before.is_none_or(|c| ";&|({`!".contains(c))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(line: &str) -> Startup {
        read_startup(format!("{line}\n1").as_bytes(), true)
    }

    #[test]
    fn a_plain_runtime_is_plain() {
        for line in [
            "#!/usr/bin/env node",
            "#! /usr/bin/env node",
            "#!/usr/bin/env node\r",
            "#!/usr/bin/node",
            "#!/usr/local/bin/node --no-warnings",
            "#!/usr/bin/env -S node --enable-source-maps --max-old-space-size=4096",
            "#!/usr/bin/env -S NODE_ENV=production node",
            "#!/usr/bin/env bun",
            "#!/usr/bin/env -S bun run --silent",
            "#!/usr/bin/env -S deno run -A",
            "#!/usr/bin/env -S deno run --allow-net --allow-read=.",
        ] {
            let startup = command(line);
            assert!(startup.doubts.is_empty() && startup.loads.is_empty(), "{line}: {startup:?}");
        }
    }

    #[test]
    fn what_a_first_line_loads_is_named() {
        for line in [
            "#!/usr/bin/env -S node --require ./x.cjs",
            "#!/usr/bin/env -S node -r ./x.cjs",
            "#!/usr/bin/env -S node --require=./x.cjs",
            "#!/usr/bin/env node --import ./x.cjs",
            "#!/usr/bin/node --import=./x.cjs",
            "#!/usr/bin/env -S bun --preload ./x.cjs",
            "#!/usr/bin/env -S bun run --preload=./x.cjs",
        ] {
            let startup = command(line);
            assert_eq!(startup.loads, ["./x.cjs"], "{line}");
            assert!(startup.doubts.is_empty(), "{line}: {startup:?}");
        }
    }

    #[test]
    fn whatever_else_starts_a_command_is_doubted() {
        for line in [
            "1",
            "#!",
            "#!/bin/sh",
            "#!/usr/bin/env sh",
            "#!/usr/bin/env",
            "#!/usr/bin/env -S",
            "#!/usr/bin/env tsx",
            "#!/usr/bin/env ts-node",
            "#!/usr/bin/env ./node",
            "#!node",
            "#!./node",
            "#!/tmp/node",
            "#!/usr/bin/../../tmp/node",
            "#!/usr/bin/env -i node",
            "#!/usr/bin/env -C /tmp node",
            "#!/usr/bin/env -S NODE_OPTIONS=--require=./x.cjs node",
            "#!/usr/bin/env -S PATH=. node",
            "#!/usr/bin/env -S node --loader ./x.mjs",
            "#!/usr/bin/env -S node --experimental-loader=./x.mjs",
            "#!/usr/bin/env -S node --env-file=.env",
            "#!/usr/bin/env -S node --env-file-if-exists .env",
            "#!/usr/bin/env -S node -e 1",
            "#!/usr/bin/env -S node --eval=1",
            "#!/usr/bin/env -S node -C evil",
            "#!/usr/bin/env -S node --conditions=evil",
            "#!/usr/bin/env -S node ./other.js",
            "#!/usr/bin/env -S node --require",
            "#!/usr/bin/env -S node '--require' ./x.cjs",
            "#!/usr/bin/env -S node --no-warnings\\_--require\\_./x.cjs",
            "#!/usr/bin/env -S bun --config=x.toml",
            "#!/usr/bin/env -S deno run --import-map=x.json -A",
            "#!/usr/bin/env -S deno run --preload ./x.ts",
            "#!/usr/bin/env deno",
            "#!/usr/bin/env node\rprocess",
            "#!/usr/bin/env node\u{2028}process",
            "\u{feff}#!/usr/bin/env node",
            " #!/usr/bin/env node",
            "\n#!/usr/bin/env node",
        ] {
            assert!(!command(line).doubts.is_empty(), "{line:?}");
        }
        let long = format!("#!/usr/bin/env -S node {}", "--no-warnings ".repeat(20));
        assert!(!command(&long).doubts.is_empty());
    }

    #[test]
    fn a_program_for_a_shell_is_recognised_without_a_first_line() {
        for source in [
            "\":\" //; exec node --require ./hidden.cjs \"$0\" \"$@\"\n1",
            "':' //; exec \"$(command -v node)\" \"$0\"\n1",
            "':' //# comment; exec /usr/bin/env node --noharmony \"$0\" \"$@\"\n1",
            "\":\" /*\nexec node \"$0\"\n*/",
            "//bin/sh -c 'node x'; exit\n1",
            "//usr/bin/env node \"$0\"; exit\n1",
            "/*/../bin/true; sh hidden.sh; exit */",
            "\n\n\":\" //; exec node\n1",
            "\u{feff}#!/bin/sh\n1",
            "true /*\nexec node \"$0\"\n*/",
        ] {
            assert!(!read_startup(source.as_bytes(), false).doubts.is_empty(), "{source:?}");
        }
        for source in [
            "",
            "'use strict'\n1",
            "// a comment\n/a/.exec(x)",
            "/* a comment */",
            "/** exec is run with $0 of a template */\n1",
            "import x from 'y'",
            "// bin/cli.js starts this",
            "const r = /x/; r.exec (`${0}`)",
        ] {
            assert_eq!(read_startup(source.as_bytes(), false), Startup::default(), "{source:?}");
        }
    }
}
