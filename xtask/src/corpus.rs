//! Real servers in several versions: what facet says of their updates, and whether it is right.

mod captures;
mod fetch;
mod findings;
mod page;
mod servers;

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::Outcome;
use crate::run;
use captures::Captures;
use fetch::{Fetcher, Wanted, capture_file};
use findings::{Findings, Pair};
use servers::{Release, Server};

/// What the command line asks for.
#[derive(Default)]
struct Request {
    /// Take over what is found, and leave what is new unjudged.
    bless: bool,
    /// Fetch what the cache has, too.
    fresh: bool,
    /// A binary in place of the one that would be built.
    facet: Option<PathBuf>,
    /// These servers only; all if there are none.
    names: Vec<String>,
}

/// Which part of the corpus is repeated.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// The few that are fetched in less than a minute.
    InTests,
    All,
}

/// What came of a repetition.
pub(crate) enum Repeated {
    /// So many updates were compared and are as expected.
    AsExpected(usize),
    /// There is no way to get at the servers from here.
    NotFetched(String),
}

pub(crate) fn run(arguments: &[String]) -> Outcome {
    let request = parse(arguments)?;
    let servers = servers::read()?;
    let chosen: Vec<&Server> = servers
        .iter()
        .filter(|server| request.names.is_empty() || request.names.contains(&server.name))
        .collect();
    if let Some(name) =
        request.names.iter().find(|name| !chosen.iter().any(|server| server.name == **name))
    {
        return Err(format!("the corpus has no server `{name}`"));
    }
    let facet = request.facet.map_or_else(run::debug_facet, Ok)?;
    let problems = fetch(&facet, &chosen, request.fresh)?;
    if !problems.is_empty() {
        return Err(problems.join("\n"));
    }
    if request.bless {
        bless(&facet, &servers, &chosen)?;
    } else {
        compare(&facet, &chosen)?;
    }
    let findings = findings::read()?;
    let text = page::render(&servers, &captures::read()?, &findings);
    run::write(&page_file(), &text)?;
    let gaps = findings::unjudged(&findings);
    if gaps.is_empty() || request.bless {
        println!("{} updates, {} of them with unjudged findings", findings.len(), gaps.len());
        return Ok(());
    }
    Err(gaps.join("\n"))
}

/// For tests: the comparison again, and whether the page is of today.
pub(crate) fn repeat(extent: Extent) -> Outcome<Repeated> {
    let servers = servers::read()?;
    let text = page::render(&servers, &captures::read()?, &findings::read()?);
    if std::fs::read_to_string(page_file()).ok() != Some(text) {
        return Err("docs/corpus.md is out of date; run `cargo xtask corpus`".to_owned());
    }
    let chosen: Vec<&Server> =
        servers.iter().filter(|server| extent == Extent::All || server.in_tests).collect();
    let facet = run::debug_facet()?;
    match fetch(&facet, &chosen, false) {
        Ok(problems) if problems.is_empty() => compare(&facet, &chosen).map(Repeated::AsExpected),
        Ok(problems) => Ok(Repeated::NotFetched(problems.join("; "))),
        Err(problem) => Ok(Repeated::NotFetched(problem)),
    }
}

fn parse(arguments: &[String]) -> Outcome<Request> {
    let mut request = Request::default();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--bless" => request.bless = true,
            "--fresh" => request.fresh = true,
            "--facet" => {
                let file = words.next().ok_or("--facet needs a file")?;
                request.facet = Some(file.into());
            }
            word if word.starts_with('-') => return Err(format!("there is no option `{word}`")),
            word => request.names.push(word.to_owned()),
        }
    }
    Ok(request)
}

/// Fills the cache; says what could not be had.
fn fetch(facet: &Path, chosen: &[&Server], fresh: bool) -> Outcome<Vec<String>> {
    let cache = fetch::cache()?;
    let all = versions(chosen);
    let wanted = if fresh { all } else { fetch::missing(&cache, &all) };
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    Ok(Fetcher::new(facet.to_owned(), cache)?.fetch(&wanted))
}

fn compare(facet: &Path, chosen: &[&Server]) -> Outcome<usize> {
    let cache = fetch::cache()?;
    let measured = captures::measure(facet, &cache, &versions(chosen))?;
    let mut differences = captures::differences(&measured, &captures::read()?);
    let expected = findings::read()?;
    let pairs = pairs(chosen);
    for pair in &pairs {
        let found = diff(facet, &cache, pair)?;
        let expected = expected.get(pair).map_or(&[][..], Vec::as_slice);
        differences.extend(findings::differences(pair, &found, expected));
    }
    let gone = expected
        .keys()
        .filter(|pair| chosen.iter().any(|server| server.name == pair.0) && !pairs.contains(pair));
    differences.extend(gone.map(|(name, before, after)| {
        format!("{name} {before} → {after}: in findings.json, but no update of servers.json")
    }));
    if differences.is_empty() {
        return Ok(pairs.len());
    }
    differences.push("if this is as it should be: cargo xtask corpus --bless".to_owned());
    Err(differences.join("\n"))
}

/// Takes over what there is; of servers that were not asked for, what was there.
fn bless(facet: &Path, servers: &[Server], chosen: &[&Server]) -> Outcome {
    let cache = fetch::cache()?;
    let all: Vec<&Server> = servers.iter().collect();
    let mut captures: Captures = captures::read()?;
    captures.extend(captures::measure(facet, &cache, &versions(chosen))?);
    captures::write(&captures, &versions(&all))?;
    let mut findings: Findings = findings::read()?;
    for pair in pairs(chosen) {
        let found = diff(facet, &cache, &pair)?;
        let before = findings.remove(&pair).unwrap_or_default();
        findings.insert(pair, findings::judge(found, &before));
    }
    findings::write(&findings, &pairs(&all))
}

fn diff(facet: &Path, cache: &Path, pair: &Pair) -> Outcome<Vec<(findings::Kind, String)>> {
    let (name, before, after) = pair;
    let [before, after] = [before, after].map(|version| capture_file(cache, name, version));
    findings::diff(facet, &before, &after)
}

fn versions<'a>(servers: &[&'a Server]) -> Vec<Wanted<'a>> {
    let of = |server: &&'a Server| {
        let server: &'a Server = server;
        server.versions.iter().map(move |version| (server, version))
    };
    servers.iter().flat_map(of).collect()
}

fn pairs(servers: &[&Server]) -> Vec<Pair> {
    let pair = |server: &Server, (before, after): (&Release, &Release)| {
        (server.name.clone(), before.version.clone(), after.version.clone())
    };
    servers.iter().flat_map(|server| server.updates().map(|both| pair(server, both))).collect()
}

fn committed(name: &str) -> PathBuf {
    run::root().join("xtask/corpus").join(name)
}

fn page_file() -> PathBuf {
    run::root().join("docs/corpus.md")
}

fn read_json(file: &Path) -> Outcome<Value> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| format!("cannot read {}: {error}", file.display()))?;
    serde_json::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))
}

/// A list with one line for each entry, so that changes can be read.
fn write_lines(file: &Path, lines: &[String]) -> Outcome {
    let lines: Vec<String> = lines.iter().map(|line| format!("  {line}")).collect();
    run::write(file, &format!("[\n{}\n]\n", lines.join(",\n")))
}
