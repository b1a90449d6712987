//! The opinion of another comparison of schemas, which runs as a process of its own.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use facets_schema::Verdict;
use facets_testkit::{Random, repository_root};

use crate::{compare, pair};

const PAIRS: usize = 5_000;

/// Whether it proves the opposite: each word is about the new within the old, or the old within
/// the new.
fn opposes(words: &str, verdict: Verdict) -> bool {
    let new_in_old = matches!(verdict, Verdict::Equivalent | Verdict::Narrower);
    let old_in_new = matches!(verdict, Verdict::Equivalent | Verdict::Wider);
    let opposes = |word: &str, proven: bool| match word {
        "yes" => !proven && verdict != Verdict::CannotTell,
        "no" => proven,
        _ => false,
    };
    let (first, second) = words.split_once(' ').unwrap();
    opposes(first, new_in_old) || opposes(second, old_in_new)
}

/// The process, which is ended if it takes too long over a pair: it does not bound itself.
struct Oracle {
    program: PathBuf,
    running: Option<(Child, Receiver<String>)>,
}

impl Oracle {
    const PATIENCE: Duration = Duration::from_secs(1);

    /// What it says of two schemas; nothing in time is `unknown`.
    fn ask(&mut self, line: &str) -> String {
        let program = &self.program;
        let (process, answers) = self.running.get_or_insert_with(|| {
            let mut process = Command::new(program)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            let output = BufReader::new(process.stdout.take().unwrap());
            let (sender, answers) = channel();
            std::thread::spawn(move || {
                for line in output.lines().map_while(Result::ok) {
                    let _ = sender.send(line);
                }
            });
            (process, answers)
        });
        writeln!(process.stdin.as_mut().unwrap(), "{line}").unwrap();
        answers.recv_timeout(Self::PATIENCE).unwrap_or_else(|_| {
            self.end();
            "unknown unknown".to_owned()
        })
    }

    fn end(&mut self) {
        if let Some((mut process, _)) = self.running.take() {
            process.kill().unwrap();
            process.wait().unwrap();
        }
    }
}

#[test]
fn jsoncompat_never_proves_the_opposite() {
    let program = repository_root().join("target/peers/debug/jsoncompat-oracle");
    if std::env::var_os("FACET_SOAK").is_none() {
        println!("only in cargo xtask soak: jsoncompat");
        return;
    }
    assert!(program.exists(), "cargo xtask soak builds {}", program.display());
    let mut oracle = Oracle { program, running: None };
    let mut random = Random::seeded(11);
    let mut known = 0;
    let mut wrong = Vec::new();
    for _ in 0..PAIRS {
        let (old, new) = pair(&mut random);
        let (change, sides) = compare(&old.to_string(), &new.to_string());
        let answer = oracle.ask(&format!("[{},{}]", sides.old, sides.new));
        known += usize::from(answer != "unknown unknown");
        if opposes(&answer, change.verdict) {
            wrong.push(format!("{answer}, but {change:?}:\n  {old}\n  {new}"));
        }
    }
    oracle.end();
    println!("{PAIRS} pairs, {known} with an opinion");
    assert!(known > PAIRS / 4, "{known} of {PAIRS} with an opinion");
    let shown = wrong.iter().take(10).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(wrong.is_empty(), "{} of {known}:\n{shown}", wrong.len());
}
