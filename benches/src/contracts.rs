//! Behaviour digests.

use std::hint::black_box;

use facets_digest::Digest;
use facets_surface::{
    Also, Contract, Definition, Era, Kind, Listing, Part, ServerContract, ServerIdentity, Source,
    Surface, compare_contracts,
};

use crate::definitions::made_up;
use crate::{Target, ratios, report};

pub(crate) fn measure(runs: usize, tools: &[String], kind: &str) {
    let real = surface(tools);
    digests(runs, &real, kind);
    growth(runs);
    comparison(runs);
}

pub(crate) fn surface(tools: &[String]) -> Surface {
    let mut items: Vec<Definition> =
        tools.iter().filter_map(|raw| Definition::parse(Kind::Tool, raw).ok()).collect();
    // Captures of one server in several ways have the same tools.
    items.sort_by(|a, b| a.name().cmp(b.name()));
    items.dedup_by(|a, b| a.name() == b.name());
    Surface {
        era: Era::Initialize,
        protocol: "2025-11-25".to_owned(),
        server: ServerIdentity::default(),
        capabilities: "{}".to_owned(),
        instructions: Some("Use the tools with care.".to_owned()),
        tools: Listing::new(items).ok(),
        prompts: None,
        resources: None,
        resources_volatile: false,
        resource_templates: None,
        source: Source::default(),
        also: Also::default(),
    }
}

fn hash(contracts: &[Contract]) -> ServerContract {
    ServerContract::of(contracts.iter().map(|one| (one.name().to_owned(), one.digest())).collect())
}

fn digests(runs: usize, surface: &Surface, kind: &str) {
    let contracts: Vec<Contract> = surface.contracts().collect();
    let bytes: Vec<Vec<u8>> = contracts
        .iter()
        .map(|contract| Part::ALL.map(|part| contract.part(part).to_vec()).concat())
        .collect();
    let sha = || {
        for contract in &bytes {
            black_box(Digest::of(contract));
        }
    };
    let ours = || {
        black_box(hash(&contracts));
    };
    let what = format!("time of the digests of {} {kind} contracts", contracts.len());
    report(&what, "SHA-256 of the same contracts", ratios(runs, ours, sha), &Target::AtMost(4.0));
    let definitions = surface.items(Kind::Tool);
    let canonical = || {
        for definition in definitions {
            let mut form = Vec::new();
            definition.write_canonical(&mut form);
            black_box(Digest::of(&form));
        }
    };
    let ours = || {
        black_box(surface.server_contract());
    };
    let what =
        format!("time of the contracts of {} {kind} tools and their digests", definitions.len());
    let baseline = "reading, canonicalising and hashing the same definitions";
    report(&what, baseline, ratios(runs, ours, canonical), &Target::AtMost(2.0));
}

fn growth(runs: usize) {
    let (few, many) = (surface(&made_up(100)), surface(&made_up(10_000)));
    let small = || {
        for _ in 0..100 {
            black_box(few.server_contract());
        }
    };
    let large = || {
        black_box(many.server_contract());
    };
    let ratios = ratios(runs.div_ceil(3), large, small);
    let what = "time of contracts and digests per tool, of 10,000 tools";
    report(what, "the same of 100 tools", ratios, &Target::AtMost(1.3));
}

fn comparison(runs: usize) {
    let server = surface(&made_up(10_000));
    let (before, after) = (server.server_contract(), server.server_contract());
    let names: Vec<&str> = before.tools().iter().map(|(name, _)| name.as_str()).collect();
    let ours = || {
        black_box(compare_contracts(&before, &after));
    };
    let theirs = || {
        for name in &names {
            black_box(Digest::of(name.as_bytes()));
        }
    };
    let what = "time of comparing 10,000 unchanged tools";
    report(what, "SHA-256 of their names", ratios(runs, ours, theirs), &Target::AtMost(1.0));
}
