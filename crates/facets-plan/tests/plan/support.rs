//! Manifests, facets and locks to plan with.

use std::collections::{BTreeMap, BTreeSet};

use facets_digest::Digest;
use facets_lock::{
    Lock, LockedEntry, LockedFacet, LockedFacetSource, LockedServer, Pin, surface_path,
};
use facets_model::manifest::{parse_facet, parse_project};
use facets_model::tree::ManifestFormat;
use facets_model::{
    ArtifactName, ArtifactSource, AssetScope, CommandOrigin, Origin, SourceModeOrigin,
};
use facets_plan::{Move, PlanProblem, ResolvedFacet, Wanted, WantedServer, locked_facet};
use facets_testkit::repository_root;

pub(crate) const REGISTRY: &str = "https://registry.example/";

/// What a project asks for that has these members in its `facets` and `servers`.
pub(crate) fn wanted(facets: &str, servers: &str) -> Wanted {
    let text = format!(
        "{{\"manifestVersion\": 0.2, \"facets\": {{{facets}}}, \"servers\": {{{servers}}}}}"
    );
    let outcome = parse_project(text.as_bytes());
    Wanted::of(&outcome.manifest.unwrap_or_else(|| panic!("{text}: {:?}", outcome.problems)))
}

/// A facet of the registry with these members beside its name and version.
pub(crate) fn facet(name: &str, version: &str, members: &str) -> ResolvedFacet {
    let text = format!("{{\"name\": \"{name}\", \"version\": \"{version}\", {members}}}");
    let outcome = parse_facet(text.as_bytes(), ManifestFormat::Json);
    let file = |path: &str| (path.parse().unwrap(), Digest::of(path.as_bytes()));
    ResolvedFacet {
        source: LockedFacetSource::Registry { url: REGISTRY.parse().unwrap() },
        version: version.parse().unwrap(),
        integrity: Digest::of(text.as_bytes()),
        content_hash: Some(Digest::of(format!("archive of {text}").as_bytes())),
        files: outcome.files.iter().map(|named| file(&named.path)).collect(),
        manifest: outcome.manifest.unwrap_or_else(|| panic!("{text}: {:?}", outcome.problems)),
    }
}

/// A facet with servers alone.
pub(crate) fn with_servers(name: &str, servers: &str) -> ResolvedFacet {
    facet(name, "1.0.0", &format!("\"servers\": {{{servers}}}"))
}

/// Facets by the names in their manifests.
pub(crate) fn resolved(
    facets: impl IntoIterator<Item = ResolvedFacet>,
) -> BTreeMap<ArtifactName, ResolvedFacet> {
    facets.into_iter().map(|facet| (facet.manifest.name.clone(), facet)).collect()
}

/// The lock entries of facets, as a project wants them.
pub(crate) fn locked(
    wanted: &Wanted,
    facets: &BTreeMap<ArtifactName, ResolvedFacet>,
) -> BTreeMap<ArtifactName, LockedFacet> {
    let entry = |(name, facet): (&ArtifactName, &ResolvedFacet)| {
        let entry = locked_facet(name, facet, &wanted.facets[name], AssetScope::Project);
        (name.clone(), entry.unwrap())
    };
    facets.iter().map(entry).collect()
}

/// A lock with these facets.
pub(crate) fn lock_of(wanted: &Wanted, facets: &BTreeMap<ArtifactName, ResolvedFacet>) -> Lock {
    with_facets(Lock::empty(), wanted, facets)
}

/// A lock with these facets beside what it has.
pub(crate) fn with_facets(
    lock: Lock,
    wanted: &Wanted,
    facets: &BTreeMap<ArtifactName, ResolvedFacet>,
) -> Lock {
    let facets = locked(wanted, facets);
    facets.iter().fold(lock, |lock, (name, facet)| lock.with_facet(name.as_str(), facet).unwrap())
}

fn pinned(name: &str, from: &str) -> LockedServer {
    let path = repository_root().join("testdata/source-mode/facets.lock");
    let lock = Lock::parse(&std::fs::read(path).unwrap()).unwrap();
    let mut server = lock.server(from).unwrap().clone();
    server.surface.file = surface_path(name);
    server
}

/// The lock with a registry server pinned.
pub(crate) fn with_registry(lock: &Lock, name: &str, artifact: &str, version: &str) -> Lock {
    let mut server = pinned(name, "jira");
    let Pin::Artifact(pin) = &mut server.pin else { panic!("{:?}", server.pin) };
    pin.name = artifact.parse().unwrap();
    pin.version = version.parse().unwrap();
    pin.integrity = integrity(artifact, version);
    let source = ArtifactSource::Registry { url: REGISTRY.parse().unwrap() };
    server.origin = SourceModeOrigin::new(source, Vec::new()).into();
    added(lock, name, &server)
}

/// The integrity of a registry server.
pub(crate) fn integrity(artifact: &str, version: &str) -> Digest {
    Digest::of(format!("{artifact}@{version}").as_bytes())
}

/// The lock with a command pinned.
pub(crate) fn with_command(lock: &Lock, name: &str, words: &[&str], env: &[&str]) -> Lock {
    let mut server = pinned(name, "greeter");
    let texts = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
    server.origin = CommandOrigin::new(words[0].to_owned(), texts(&words[1..]), texts(env)).into();
    added(lock, name, &server)
}

/// The lock with an artifact of this machine pinned.
pub(crate) fn with_local(lock: &Lock, name: &str, path: &str) -> Lock {
    let mut server = pinned(name, "notes");
    let source = ArtifactSource::Local { path: path.parse().unwrap() };
    server.origin = Origin::SourceMode(SourceModeOrigin::new(source, Vec::new()));
    added(lock, name, &server)
}

fn added(lock: &Lock, name: &str, server: &LockedServer) -> Lock {
    let lock = lock.with_server(name, server).unwrap();
    let entry = &lock.servers()[name];
    assert!(matches!(entry, LockedEntry::Server(_)), "{entry:?}");
    lock
}

/// The lock with entries that this facet does not start, as JSON by name.
pub(crate) fn with_others(servers: &str) -> Lock {
    let text =
        format!("{{\"lockfileVersion\": 0.3, \"facets\": {{}}, \"servers\": {{{servers}}}}}");
    Lock::parse(text.as_bytes()).unwrap()
}

pub(crate) fn named(names: &[&str]) -> Move {
    Move::Named(names.iter().map(ToString::to_string).collect::<BTreeSet<_>>())
}

/// The servers that are wanted, where nothing is in conflict.
pub(crate) fn servers_of(
    wanted: &Wanted,
    facets: impl IntoIterator<Item = ResolvedFacet>,
) -> BTreeMap<String, WantedServer> {
    facets_plan::wanted_servers(wanted, &resolved(facets)).unwrap()
}

/// The one problem there is.
pub(crate) fn only(problems: &[PlanProblem]) -> &PlanProblem {
    match problems {
        [only] => only,
        others => panic!("{others:#?}"),
    }
}

/// What the project asks for once the fixes of a problem are written into its `facets.json`.
pub(crate) fn fixed(wanted: &Wanted, problem: &PlanProblem) -> Wanted {
    let mut fixed = wanted.clone();
    for fix in problem.fixes() {
        let (facets, servers) = match fix.section {
            "facets" => (fix.text.as_str(), ""),
            _ => ("", fix.text.as_str()),
        };
        let member = self::wanted(facets, servers);
        fixed.facets.retain(|name, _| fix.section != "facets" || name.as_str() != fix.replaces);
        fixed.servers.retain(|name, _| fix.section != "servers" || *name != fix.replaces);
        fixed.facets.extend(member.facets);
        fixed.servers.extend(member.servers);
    }
    fixed
}
