//! What looking at a server costs beyond the server itself.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::Row;
use super::measure::{median, time};
use crate::Outcome;
use crate::run;

/// More servers than any project has.
const MANY: usize = 50;

pub(super) fn rows(facet: &Path, folder: &Path, runs: usize) -> Outcome<Vec<Row>> {
    let server = facet.with_file_name("hostile-server");
    let mut rows = Vec::new();
    for (mode, what) in [("honest", "one tool"), ("thousand", "1000 tools")] {
        rows.push(cost(facet, &server, mode, what, runs * 5)?);
    }
    rows.push(many_at_once(facet, &server, runs.min(3))?);
    rows.push(check_many(facet, &server, folder, runs.min(3))?);
    Ok(rows)
}

fn inspect(facet: &Path, server: &Path, mode: &str) -> Command {
    let mut command = Command::new(facet);
    command.args(["inspect", "--yes", "--"]).arg(server).arg(mode);
    command
}

/// `inspect` less a bare spawn-and-list of the same server, in starts of a process.
fn cost(facet: &Path, server: &Path, mode: &str, what: &str, runs: usize) -> Outcome<Row> {
    let (mut whole, mut bare, mut start) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..runs {
        whole.push(time(&mut inspect(facet, server, mode))?);
        bare.push(list_once(server, mode)?);
        start.push(time(&mut Command::new("/bin/true"))?);
    }
    let [whole, bare, start] = [whole, bare, start].map(|times| median(times).as_secs_f64());
    let ratio = (whole - bare) / start;
    Ok(Row {
        what: format!("cost of `facet inspect` beyond the server, {what}"),
        baseline: "the start of a process (`/bin/true`)".to_owned(),
        ratio: format!("{ratio:.1} ({:.1} ms against {:.1} ms bare)", whole * 1e3, bare * 1e3),
        target: "at most 25".to_owned(),
        met: ratio <= 25.0,
    })
}

/// The least that lists the tools of a server: three lines out, two back.
fn list_once(server: &Path, mode: &str) -> Outcome<Duration> {
    const LINES: &str = concat!(
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#,
        "\n",
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        "\n",
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}"#,
        "\n",
    );
    let failed = |error: std::io::Error| format!("cannot list {}: {error}", server.display());
    let begin = Instant::now();
    let mut command = Command::new(server);
    command.arg(mode).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().map_err(failed)?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(LINES.as_bytes()).map_err(failed)?;
        let output = child.stdout.take().into_iter().flat_map(|out| BufReader::new(out).lines());
        output.take(2).collect::<Result<Vec<_>, _>>().map_err(failed)?;
    }
    child.wait().map_err(failed)?;
    Ok(begin.elapsed())
}

/// Fifty servers that need a second each, inspected at once.
fn many_at_once(facet: &Path, server: &Path, runs: usize) -> Outcome<Row> {
    let mut ratios = Vec::new();
    for _ in 0..runs {
        let one = time(&mut inspect(facet, server, "slow-start"))?;
        let begin = Instant::now();
        let start = |_| inspect(facet, server, "slow-start").stdout(Stdio::null()).spawn();
        let children: Vec<_> = (0..MANY).map(start).collect();
        for child in children {
            let status =
                child.and_then(|mut child| child.wait()).map_err(|error| error.to_string())?;
            if !status.success() {
                return Err("one of many inspections failed".to_owned());
            }
        }
        ratios.push(begin.elapsed().as_secs_f64() / one.as_secs_f64());
    }
    ratios.sort_by(f64::total_cmp);
    let ratio = ratios[ratios.len() / 2];
    Ok(Row {
        what: format!("time of {MANY} inspections at once, a second each"),
        baseline: "one of them".to_owned(),
        ratio: format!("{ratio:.2}"),
        target: "at most 2".to_owned(),
        met: ratio <= 2.0,
    })
}

/// `facet check` of fifty pinned servers that need a second each.
fn check_many(facet: &Path, server: &Path, folder: &Path, runs: usize) -> Outcome<Row> {
    let project = folder.join("fifty");
    std::fs::create_dir_all(&project).map_err(|error| error.to_string())?;
    let command = |arguments: &[&str]| {
        let mut command = Command::new(facet);
        command.args(arguments).current_dir(&project).env("FACET_DIR", run::user_folder("bench"));
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let add = |number: usize| {
        let name = format!("s{number}");
        command(&["add", &name, "--yes", "--"]).arg(server).arg("slow-start").spawn()
    };
    let children: Vec<_> = (0..MANY).map(add).collect();
    for child in children {
        let status = child.and_then(|mut child| child.wait()).map_err(|error| error.to_string())?;
        if !status.success() {
            return Err("one of many servers could not be added".to_owned());
        }
    }
    let mut ratios = Vec::new();
    for _ in 0..runs {
        let one = time(&mut command(&["check", "s0"]))?;
        let all = time(&mut command(&["check"]))?;
        ratios.push(all.as_secs_f64() / one.as_secs_f64());
    }
    ratios.sort_by(f64::total_cmp);
    let ratio = ratios[ratios.len() / 2];
    Ok(Row {
        what: format!("time of `facet check` with {MANY} servers, a second each"),
        baseline: "with one of them".to_owned(),
        ratio: format!("{ratio:.2}"),
        target: "at most 2".to_owned(),
        met: ratio <= 2.0,
    })
}
