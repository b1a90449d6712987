//! `server.json`: problems have their places, a valid file can be read for hashing, each package
//! yields the file that it names, and a file that got its hashes is still the same file.

#![no_main]

use facets_digest::Digest;
use facets_jsonc::{Order, set_member};
use facets_model::FileIdentifier;
use facets_model::server_json::{
    DeclaredPackage, FILE_HASHES, HashPlace, PackageFiles, ProblemSeverity, ServerJson, check,
    identifiers,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if text.len() > 64 << 10 {
        return;
    }
    let problems = check(text);
    assert_eq!(problems, check(text), "the same text has the same problems");
    assert!(problems.is_sorted_by_key(|one| one.problem.position.offset));
    for one in &problems {
        let problem = &one.problem;
        assert!(problem.position.offset <= text.len());
        assert!(
            !problem.found.is_empty() && !problem.allowed.is_empty() && !problem.fix.is_empty()
        );
    }
    let is_valid = problems.iter().all(|one| one.severity == ProblemSeverity::Warning);
    let server = ServerJson::parse(text);
    assert_eq!(server, ServerJson::parse(text), "the same text is read the same way");
    let Ok(server) = server else {
        assert!(!is_valid, "what a registry accepts cannot be read for hashing");
        return;
    };
    let files = identifiers(&server);
    assert_eq!(files.len(), server.packages.len());
    for (package, files) in server.packages.iter().zip(&files) {
        check_files(package, files);
    }
    check_completed(text, &server);
});

/// The identifier is about this package, and can be written and read again.
fn check_files(package: &DeclaredPackage, files: &PackageFiles) {
    let identifier = match files {
        PackageFiles::One(identifier) | PackageFiles::Release(identifier) => identifier,
        PackageFiles::NotHashed { reason } => return assert!(!reason.is_empty()),
        PackageFiles::TaggedImage(name) => return assert!(name.starts_with("oci:")),
        PackageFiles::Unusable { reason, .. } => return assert!(!reason.is_empty()),
    };
    assert_eq!(identifier.to_string().parse::<FileIdentifier>().as_ref(), Ok(identifier));
    let named = |name: &str, version: &str| {
        assert_eq!((name, Some(version)), (&*package.identifier, package.version.as_deref()));
    };
    match identifier {
        FileIdentifier::Npm { name, version } => named(name, version),
        FileIdentifier::Pypi { name, version, file } => {
            named(name, version);
            assert_eq!(*file, None, "a release, not one of its files");
        }
        FileIdentifier::GitHub { .. } | FileIdentifier::Url(_) => {
            assert_eq!(package.registry_type, "mcpb");
        }
    }
}

/// Hashes that are put into the text are found there, and nothing else has changed.
fn check_completed(text: &str, server: &ServerJson) {
    let digest = Digest::of(b"");
    let hashes = format!("{{\"npm:pad@1.0.0\": \"{digest}\"}}");
    let Ok(completed) = set_member(text, &[FILE_HASHES], &hashes, Order::AtEnd) else { return };
    let again = ServerJson::parse(&completed).expect("a completed file can be read");
    assert_eq!(
        (&again.schema, &again.name, &again.version, &again.packages, again.remotes),
        (&server.schema, &server.name, &server.version, &server.packages, server.remotes)
    );
    let stated = again.file_hashes.unwrap_or_default();
    let mut at_top = stated.iter().filter(|hash| hash.place == HashPlace::Top);
    let first = at_top.next().map(|hash| (hash.identifier.as_str(), &hash.digest));
    assert_eq!(first, Some(("npm:pad@1.0.0", &Ok(digest))));
    assert_eq!(at_top.next(), None, "what stood there before is replaced");
}
