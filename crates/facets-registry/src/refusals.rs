//! What the registry says when it refuses: a sentence, and what to do about it.

use facets_archive::{ArchiveError, ContentError};
use facets_catalog::{ArtifactKind, TokenEnd};
use facets_digest::Digest;
use facets_digest::json::{quoted, write_list};
use facets_failure::{Describe as _, FileProblem};
use facets_model::{ArtifactName, Version};

use crate::error::RegistryError;
use crate::json_text::JsonText;
use crate::problem::RegistryProblem;
use crate::text::{shortened, shortened_bytes};

/// Bytes of the output of a server that are kept with a refusal.
const PRINTED: usize = 16 << 10;

/// Problems of a manifest that are listed.
const LISTED: usize = 50;

/// What an artifact is called in sentences.
pub(crate) fn noun(kind: ArtifactKind) -> &'static str {
    match kind {
        ArtifactKind::Facet => "facet",
        ArtifactKind::Server => "server",
    }
}

pub(crate) fn unauthorized(error: &str) -> RegistryProblem {
    let fix = "log in with `facet login`, or set FACET_TOKEN to a valid token; \
               an operator makes one with `facet-registry token create`";
    RegistryProblem::new("E_UNAUTHORIZED", error, fix)
}

pub(crate) fn token_ended(end: TokenEnd) -> RegistryProblem {
    unauthorized(match end {
        TokenEnd::Revoked => "the token was revoked",
        TokenEnd::Expired => "the token has expired",
    })
}

pub(crate) fn forbidden(name: &ArtifactName) -> RegistryProblem {
    let error = format!("this token has no scope that covers {name}");
    let fix = format!(
        "use another token; an operator makes one with \
         `facet-registry token create --scope 'publish:{name}'`"
    );
    RegistryProblem::new("E_FORBIDDEN", error, fix)
}

pub(crate) fn not_owner(kind: ArtifactKind, name: &ArtifactName) -> RegistryProblem {
    let error = format!("the {} {name} belongs to another owner", noun(kind));
    let fix = "choose another name, or use a token of the owner; an operator can change the owner \
               with `facet-registry owner set`";
    RegistryProblem::new("E_NOT_OWNER", error, fix)
}

/// The name is free, and its scope is not.
pub(crate) fn not_owner_of_scope(kind: ArtifactKind, name: &ArtifactName) -> RegistryProblem {
    let Some((scope, _)) = name.as_str().split_once('/') else { return not_owner(kind, name) };
    let error = format!("the scope {scope} belongs to another owner, who alone adds names to it");
    let fix = format!(
        "choose another scope, or use a token of the owner; an operator can change the owner with \
         `facet-registry owner set scope {scope} OWNER`"
    );
    RegistryProblem::new("E_NOT_OWNER", error, fix)
}

pub(crate) fn too_similar(name: &ArtifactName, other: &str) -> RegistryProblem {
    let error = format!("the name {name} looks like {other}, which belongs to another owner");
    let fix = "choose a name that cannot be taken for it, for example one in a scope of your own: \
               @scope/name";
    let mut details = JsonText::object();
    details.text("similar_to", other);
    RegistryProblem::new("E_NAME_TOO_SIMILAR", error, fix).with_details(details.finish())
}

pub(crate) fn name_mismatch(expected: &ArtifactName, actual: &ArtifactName) -> RegistryProblem {
    let error = format!("the archive is of {actual}, and was sent for {expected}");
    let fix =
        format!("publish it as {actual}, or correct the name in the manifest and build again");
    let mut details = JsonText::object();
    details.text("expected", expected.as_str());
    details.text("actual", actual.as_str());
    RegistryProblem::new("E_NAME_MISMATCH", error, fix).with_details(details.finish())
}

pub(crate) fn private_facet(name: &ArtifactName) -> RegistryProblem {
    let error =
        format!("{name} is marked `private` in its manifest, and a registry serves all readers");
    let fix = "remove `private` from facet.json, build again and publish that; \
               or use the facet from its directory, without a registry";
    RegistryProblem::new("E_INVALID_MANIFEST", error, fix)
}

/// The same name and version with other content. Both integrities are told.
pub(crate) fn version_exists(
    (kind, name, version): (ArtifactKind, &ArtifactName, &Version),
    published: &Digest,
    sent: &Digest,
) -> RegistryProblem {
    let error = format!("{} {name} {version} exists with other content", noun(kind));
    let fix = "a published version never changes: raise the version in the manifest, build and \
               publish again";
    let mut details = JsonText::object();
    details.text("published_integrity", &published.to_string());
    details.text("sent_integrity", &sent.to_string());
    RegistryProblem::new("E_VERSION_EXISTS", error, fix).with_details(details.finish())
}

/// The same content in another archive, while the published archive is missing or damaged.
pub(crate) fn other_archive(
    (kind, name, version): (ArtifactKind, &ArtifactName, &Version),
    published: &Digest,
    sent: &Digest,
) -> RegistryProblem {
    let error = format!(
        "the stored archive of {} {name} {version} is missing or damaged, and this archive has the \
         same content in other bytes",
        noun(kind)
    );
    let fix = format!(
        "publish the archive whose SHA-256 is {published}, for example as the same version of \
         `facet build` writes it"
    );
    let mut details = JsonText::object();
    details.text("published_content_hash", &published.to_string());
    details.text("sent_content_hash", &sent.to_string());
    RegistryProblem::new("E_VERSION_EXISTS", error, fix).with_details(details.finish())
}

/// The surface file of a version is missing or damaged, and another probe gave a different one.
pub(crate) fn surface_changed(recorded: &Digest, probed: &Digest) -> RegistryProblem {
    let error = "the surface file of this version is missing or damaged, and the server declares a \
                 different surface now";
    let fix =
        "publish the server as a new version; the operator can restore the file from a backup";
    let mut details = JsonText::object();
    details.text("recorded_surface_file", &recorded.to_string());
    details.text("probed_surface_file", &probed.to_string());
    RegistryProblem::new("E_DAMAGED", error, fix).with_details(details.finish())
}

/// The same version waits to be probed, with other content or for another owner.
pub(crate) fn version_queued(
    kind: ArtifactKind,
    name: &ArtifactName,
    version: &Version,
) -> RegistryProblem {
    let error = format!(
        "{} {name} {version} is being published already, with other content or by another owner",
        noun(kind)
    );
    let fix = "wait some minutes and publish again; if it exists then, raise the version in the \
               manifest";
    RegistryProblem::new("E_VERSION_EXISTS", error, fix)
}

pub(crate) fn not_found(kind: ArtifactKind, name: &ArtifactName, wanted: &str) -> RegistryProblem {
    let error = match wanted {
        "*" | "latest" => {
            format!("there is no version of the {} {name} that could be chosen", noun(kind))
        }
        wanted => format!("there is no {} {name} with version {wanted}", noun(kind)),
    };
    let fix = format!(
        "`GET {}/{name}/versions` lists its versions; {}",
        collection(kind),
        search_advice(kind, name)
    );
    RegistryProblem::new("E_NOT_FOUND", error, fix)
}

pub(crate) fn name_not_found(kind: ArtifactKind, name: &ArtifactName) -> RegistryProblem {
    let error = format!("there is no {} {name}", noun(kind));
    RegistryProblem::new("E_NOT_FOUND", error, search_advice(kind, name))
}

/// The path of all names.
fn collection(kind: ArtifactKind) -> &'static str {
    match kind {
        ArtifactKind::Facet => "/v0/facets",
        ArtifactKind::Server => "/v0/source-servers",
    }
}

fn search_advice(kind: ArtifactKind, name: &ArtifactName) -> String {
    let slug = name.as_str().rsplit('/').next().unwrap_or_default();
    format!("check the spelling; `GET {}?q={slug}` searches for names", collection(kind))
}

/// Something that only artifacts of the other kind have.
pub(crate) fn not_of_this_kind(what: &str, kind: ArtifactKind) -> RegistryProblem {
    let error = format!("a {} has no {what}", noun(kind));
    RegistryProblem::new("E_NOT_FOUND", error, "ask for the version itself, or for its archive")
}

pub(crate) fn job_not_found(id: &str) -> RegistryProblem {
    let error = format!("there is no publish {:?} of this owner", shortened(id, 64));
    let fix = "publish again, and follow the address that the registry answers; \
               what was finished is forgotten after some days";
    RegistryProblem::new("E_NOT_FOUND", error, fix)
}

pub(crate) fn too_large(what: &str, limit: u64) -> RegistryProblem {
    let error = format!("{what} has more than {limit} bytes");
    let fix = "leave files out that are not needed (`.facetignore`, `files` in the manifest), or ask \
               the operator of the registry for a higher limit";
    let mut details = JsonText::object();
    details.number("limit", limit);
    RegistryProblem::new("E_TOO_LARGE", error, fix).with_details(details.finish())
}

/// Contents that are too long to be sent as one document.
pub(crate) fn contents_too_large(limit: u64) -> RegistryProblem {
    let error = format!("the files of this version have more than {limit} bytes");
    RegistryProblem::new("E_TOO_LARGE", error, "download the archive and unpack it")
}

pub(crate) fn bad_request(error: impl Into<String>, fix: &str) -> RegistryProblem {
    RegistryProblem::new("E_BAD_REQUEST", error, fix)
}

pub(crate) fn busy(what: &str) -> RegistryProblem {
    let error = format!("the registry has too many {what} at the moment");
    RegistryProblem::new("E_UNAVAILABLE", error, "try again in some seconds").with_retry_after(5)
}

/// One owner sends so many archives that another one would take the slots of others.
pub(crate) fn uploads_full(most: usize) -> RegistryProblem {
    let error = format!("this owner sends as many archives as one owner may at once ({most})");
    let fix = "wait until one of them was received, then publish again";
    RegistryProblem::new("E_QUEUE_FULL", error, fix).with_retry_after(5)
}

/// An owner that sends several archives loses the slot of one to an owner that has none.
pub(crate) fn displaced() -> RegistryProblem {
    let error = "all slots for archives are taken, and another owner without any needs this one";
    let fix =
        "send fewer archives at once, or over a faster connection, and publish this one again";
    RegistryProblem::new("E_QUEUE_FULL", error, fix).with_retry_after(5)
}

/// A slow upload loses its slot to an owner that has none.
pub(crate) fn too_slow(bytes_per_second: u64) -> RegistryProblem {
    let error = format!(
        "all slots for archives are taken, another owner needs one, and this archive came with less \
         than {bytes_per_second} bytes per second"
    );
    let fix = "publish it again, over a faster connection or when the registry is less busy";
    let mut details = JsonText::object();
    details.number("bytes_per_second", bytes_per_second);
    RegistryProblem::new("E_TIMEOUT", error, fix).with_details(details.finish())
}

pub(crate) fn queue_full(most: u32) -> RegistryProblem {
    let error = format!("{most} servers of this owner are waiting to be probed");
    let fix = "wait until they are published, then publish again";
    RegistryProblem::new("E_QUEUE_FULL", error, fix).with_retry_after(30)
}

/// A server that does not start, or has no valid surface.
pub(crate) fn server_failed(code: &str, error: &str, printed: &str) -> RegistryProblem {
    let fix = "start it as the registry does with `facet inspect DIRECTORY`, correct it, raise the \
               version if it was published, and publish again; variables that it needs to start get \
               a `probe` value in server.yaml";
    let mut details = JsonText::object();
    details.text("code", code);
    details.text("stderr", shortened_bytes(printed, PRINTED));
    RegistryProblem::new("E_SERVER_FAILED", shortened(error, 2000), fix)
        .with_details(details.finish())
}

/// The archive of a job cannot be read any more, so that no probe will ever succeed.
pub(crate) fn archive_lost() -> RegistryProblem {
    let error =
        "the uploaded archive was damaged in the store of the registry before it was probed";
    RegistryProblem::new(
        "E_DAMAGED",
        error,
        "publish again; the operator finds out more with \
         `facet-registry check`",
    )
}

/// A job whose probe never came to its end.
pub(crate) fn interrupted() -> RegistryProblem {
    let error = "the probe of this server was interrupted several times";
    let fix = "publish again; if that ends the same way, start the server with `facet inspect \
               DIRECTORY` and see what it needs";
    RegistryProblem::new("E_SERVER_FAILED", error, fix)
}

/// An archive that breaks a rule; or the registry could not read it.
pub(crate) fn archive(error: ArchiveError) -> RegistryError {
    match error {
        ArchiveError::Unreadable { source } | ArchiveError::Unwritable { source } => {
            RegistryError::Io { what: "a temporary file", source }
        }
        ArchiveError::Content(ContentError::Manifest { file, .. }) => {
            manifest(file, &error.problems()).into()
        }
        other => invalid_archive(&other).into(),
    }
}

fn invalid_archive(error: &ArchiveError) -> RegistryProblem {
    let code = error.code();
    let fix = format!(
        "build it again with `facet build` and publish that archive; `facet explain {code}` says more"
    );
    let mut details = JsonText::object();
    details.text("code", code);
    details.optional_text("expected", error.expected().as_deref());
    details.optional_text("actual", error.actual().as_deref());
    let sentence = format!("the archive is refused: {error}");
    RegistryProblem::new("E_INVALID_ARCHIVE", sentence, fix).with_details(details.finish())
}

fn manifest(file: &str, problems: &[FileProblem]) -> RegistryProblem {
    let is_version = |problem: &FileProblem| problem.member == "version";
    let only_version = !problems.is_empty() && problems.iter().all(is_version);
    let code = if only_version { "E_INVALID_VERSION" } else { "E_INVALID_MANIFEST" };
    let error = match problems.first() {
        Some(first) => {
            format!("{file}: {}: found {}, allowed: {}", place(first), first.found, first.allowed)
        }
        None => format!("{file} is not a valid manifest"),
    };
    let fix = match problems {
        [only] => format!("{}, build again and publish that", only.fix),
        _ => format!(
            "correct the {} problems (`facet build --check`) and build again",
            problems.len()
        ),
    };
    let mut list = Vec::new();
    let shown = &problems[..problems.len().min(LISTED)];
    write_list(['[', ']'], shown, &mut list, |problem, out| {
        out.extend_from_slice(problem_json(problem).as_bytes());
    });
    let mut details = JsonText::object();
    details.raw("problems", &String::from_utf8_lossy(&list));
    RegistryProblem::new(code, error, fix).with_details(details.finish())
}

fn place(problem: &FileProblem) -> String {
    match (&problem.place, problem.member.as_str()) {
        (Some(place), "") => format!("line {}", place.line),
        (Some(place), member) => format!("line {}, {}", place.line, quoted(member)),
        (None, member) => quoted(member),
    }
}

fn problem_json(problem: &FileProblem) -> String {
    let mut out = JsonText::object();
    out.text("code", problem.code);
    if let Some(place) = &problem.place {
        out.number("line", place.line as u64);
        out.number("column", place.column as u64);
    }
    out.text("member", &problem.member);
    out.text("found", &problem.found);
    out.text("allowed", &problem.allowed);
    out.text("fix", &problem.fix);
    out.finish()
}

#[cfg(test)]
mod tests {
    use facets_archive::{ArchiveLimits, read_facet, read_server_archive};

    use super::*;

    fn name(text: &str) -> ArtifactName {
        text.parse().unwrap()
    }

    fn all() -> Vec<RegistryProblem> {
        let (digest, version) = (Digest::of(b"a"), "1.0.0".parse().unwrap());
        let demo = name("demo");
        let artifact = (ArtifactKind::Server, &demo, &version);
        vec![
            unauthorized("no token"),
            token_ended(TokenEnd::Revoked),
            token_ended(TokenEnd::Expired),
            forbidden(&demo),
            not_owner(ArtifactKind::Facet, &demo),
            not_owner_of_scope(ArtifactKind::Facet, &name("@acme/demo")),
            too_similar(&demo, "dem0"),
            name_mismatch(&demo, &name("other")),
            private_facet(&demo),
            version_exists(artifact, &digest, &Digest::of(b"b")),
            other_archive(artifact, &digest, &Digest::of(b"b")),
            surface_changed(&digest, &Digest::of(b"b")),
            version_queued(ArtifactKind::Server, &demo, &version),
            not_found(ArtifactKind::Facet, &demo, "latest"),
            name_not_found(ArtifactKind::Server, &name("@acme/demo")),
            not_of_this_kind("surface", ArtifactKind::Facet),
            job_not_found("x"),
            too_large("the archive", 5),
            contents_too_large(5),
            bad_request("no reason", "give a reason"),
            busy("uploads"),
            uploads_full(16),
            displaced(),
            too_slow(1024),
            queue_full(20),
            server_failed("mcp-timeout", "no answer", "boom"),
            archive_lost(),
            interrupted(),
        ]
    }

    #[test]
    fn every_refusal_has_a_known_code_a_sentence_and_a_fix() {
        for problem in all() {
            assert_ne!(problem.status, 500, "{problem:?}");
            assert!(problem.error.len() > 5 && problem.fix.len() > 8, "{problem:?}");
            assert!(!problem.error.ends_with('.') && !problem.fix.ends_with('.'), "{problem:?}");
            assert_eq!(RegistryProblem::from_json(&problem.to_json()), Some(problem.clone()));
        }
    }

    #[test]
    fn what_does_not_exist_is_refused_with_an_address_that_does() {
        let found = not_found(ArtifactKind::Facet, &name("demo"), "2.0.0");
        assert_eq!(found.error, "there is no facet demo with version 2.0.0");
        assert!(found.fix.contains("`GET /v0/facets/demo/versions`"), "{}", found.fix);
        let found = name_not_found(ArtifactKind::Server, &name("@acme/demo"));
        assert_eq!(found.error, "there is no server @acme/demo");
        assert!(found.fix.contains("`GET /v0/source-servers?q=demo`"), "{}", found.fix);
        for wanted in ["*", "latest"] {
            let none = not_found(ArtifactKind::Facet, &name("demo"), wanted);
            assert_eq!(none.error, "there is no version of the facet demo that could be chosen");
        }
        for problem in all() {
            assert!(!problem.fix.contains("facet search"), "{problem:?}");
        }
    }

    #[test]
    fn other_content_is_refused_with_both_integrities() {
        let (old, new) = (Digest::of(b"a"), Digest::of(b"b"));
        let version = "1.0.0".parse().unwrap();
        let problem = version_exists((ArtifactKind::Facet, &name("demo"), &version), &old, &new);
        let expected = format!(r#"{{"published_integrity":"{old}","sent_integrity":"{new}"}}"#);
        assert_eq!((problem.status, problem.details), (409, Some(expected)));
    }

    #[test]
    fn what_a_server_printed_is_kept_up_to_a_limit() {
        let problem = server_failed("mcp-timeout", "no answer", &"é".repeat(PRINTED));
        assert!(problem.details.is_some_and(|details| details.len() < PRINTED + 100));
    }

    #[test]
    fn bytes_that_are_no_archive_are_refused_with_the_code_of_the_rule() {
        let limits = ArchiveLimits::SPEC;
        let facet = read_facet(std::io::Cursor::new(b"nothing"), &limits).unwrap_err();
        let server = read_server_archive(&b"nothing"[..], &limits).unwrap_err();
        for error in [facet, server] {
            let code = error.code();
            let problem = archive(error).problem();
            assert_eq!(problem.code, "E_INVALID_ARCHIVE");
            assert!(problem.fix.contains(code), "{problem:?}");
        }
    }
}
