//! Facets that are published, read, and published again.

use facets_digest::Digest;
use facets_registry::{ArtifactKind, PublishAnswer, Wanted};

use crate::support::{
    TestRegistry, artifact, code, created, exact, facet, facet_of, publish, publisher, read_all,
    reordered,
};

#[tokio::test(flavor = "multi_thread")]
async fn a_facet_is_read_as_it_was_published() {
    let test = TestRegistry::new().await;
    let alice = publisher("alice");
    let archive = facet("@acme/demo", "1.2.0", "# Plan\n");
    let kind = ArtifactKind::Facet;
    let record = created(publish(&test.registry, kind, "@acme/demo", &archive, &alice).await);
    assert_eq!(record.content_hash, Digest::of(&archive));
    assert_eq!((record.size, record.owner.as_str()), (archive.len() as u64, "alice"));
    assert_eq!(record.description.as_deref(), Some("Plans work"));
    let assets = record.assets;
    assert_eq!((assets.skills, assets.agents, assets.commands, assets.servers), (1, 0, 0, 0));
    assert!(record.manifest.starts_with(r#"{"author":"acme","description":"#), "canonical");
    assert!(record.manifest.contains(r#""x-more":1"#), "unknown members are kept");
    let found = test.facet("@acme/demo", Wanted::Latest).await.unwrap();
    assert_eq!(found, record);
    let whole = test.registry.archive(&found, None).await.unwrap();
    assert_eq!(read_all(whole).await, archive);
    let part = test.registry.archive(&found, Some(512..600)).await.unwrap();
    assert_eq!(read_all(part).await, archive[512..600]);
    let contents = test.registry.contents(&found).await.unwrap();
    let paths: Vec<&str> = contents.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(paths, ["facet.json", "skills/plan/SKILL.md"]);
    assert_eq!(contents[1].1, "# Plan\n");
    assert_eq!(test.count_files("uploads"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_integrity_is_the_same_version_and_the_first_bytes_stay() {
    let test = TestRegistry::new().await;
    let alice = publisher("alice");
    let archive = facet("demo", "1.0.0", "# Plan\n");
    let kind = ArtifactKind::Facet;
    let first = created(publish(&test.registry, kind, "demo", &archive, &alice).await);
    for again in [archive.clone(), reordered(&archive)] {
        let answer = publish(&test.registry, kind, "demo", &again, &alice).await.unwrap();
        let PublishAnswer::Same(found) = answer else { panic!("{answer:?}") };
        assert_eq!(*found, first);
    }
    assert_ne!(archive, reordered(&archive));
    assert_eq!(test.count_files("blobs"), 1);
    let whole = test.registry.archive(&first, None).await.unwrap();
    assert_eq!(read_all(whole).await, archive);
}

#[tokio::test(flavor = "multi_thread")]
async fn other_content_of_a_version_is_refused_with_both_integrities() {
    let test = TestRegistry::new().await;
    let alice = publisher("alice");
    let first = created(test.publish_facet(("demo", "1.0.0"), "one", &alice).await);
    let refused = test.publish_facet(("demo", "1.0.0"), "two", &alice).await.unwrap_err();
    let problem = refused.problem();
    assert_eq!((problem.status, problem.code), (409, "E_VERSION_EXISTS"));
    let details = problem.details.unwrap();
    assert!(details.contains(&first.integrity.to_string()), "{details}");
    assert!(details.matches("sha256:").count() == 2, "{details}");
    assert_eq!(test.facet("demo", exact("1.0.0")).await.unwrap(), first);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_ten_publishers_of_different_content_exactly_one_wins() {
    let test = TestRegistry::new().await;
    let alice = publisher("alice");
    let archives: Vec<Vec<u8>> =
        (0..10).map(|number| facet("demo", "1.0.0", &format!("text {number}"))).collect();
    let publishes = archives
        .iter()
        .map(|archive| publish(&test.registry, ArtifactKind::Facet, "demo", archive, &alice));
    let answers = futures_util::future::join_all(publishes).await;
    let mut winners = Vec::new();
    for answer in answers {
        match answer {
            Ok(PublishAnswer::Created(record)) => winners.push(*record),
            other => assert_eq!(code(other), "E_VERSION_EXISTS"),
        }
    }
    assert_eq!(winners.len(), 1);
    let found = test.facet("demo", exact("1.0.0")).await.unwrap();
    assert_eq!(found, winners[0]);
    let bytes = read_all(test.registry.archive(&found, None).await.unwrap()).await;
    assert!(archives.contains(&bytes));
}

#[tokio::test(flavor = "multi_thread")]
async fn of_ten_publishers_of_the_same_content_one_creates_and_the_others_learn_it() {
    let test = TestRegistry::new().await;
    let alice = publisher("alice");
    let archive = facet("demo", "1.0.0", "text");
    let publishes =
        (0..10).map(|_| publish(&test.registry, ArtifactKind::Facet, "demo", &archive, &alice));
    let answers = futures_util::future::join_all(publishes).await;
    let is_created = |answer: &&PublishAnswer| matches!(answer, PublishAnswer::Created(_));
    let answers: Vec<PublishAnswer> = answers.into_iter().map(Result::unwrap).collect();
    assert_eq!(answers.iter().filter(is_created).count(), 1);
    assert!(!answers.iter().any(|answer| matches!(answer, PublishAnswer::Accepted { .. })));
}

#[tokio::test(flavor = "multi_thread")]
async fn versions_are_found_listed_and_yanked() {
    let test = TestRegistry::new().await;
    let alice = publisher("alice");
    for version in ["1.0.0", "1.1.0", "2.0.0"] {
        created(test.publish_facet(("demo", version), version, &alice).await);
    }
    let (kind, demo) = (ArtifactKind::Facet, artifact("demo"));
    let latest = async |wanted: Wanted| {
        test.facet("demo", wanted).await.map(|record| record.version.to_string())
    };
    assert_eq!(latest(Wanted::Latest).await.unwrap(), "2.0.0");
    assert_eq!(latest(Wanted::Range("1.*".parse().unwrap())).await.unwrap(), "1.1.0");
    assert_eq!(code(latest(Wanted::AtLeast("2.0.1".parse().unwrap())).await), "E_NOT_FOUND");
    let version = "2.0.0".parse().unwrap();
    let yanked = test.registry.yank(kind, &demo, &version, "leaks keys", &alice).await.unwrap();
    assert_eq!(yanked.yanked.unwrap().reason, "leaks keys");
    assert_eq!(latest(Wanted::Latest).await.unwrap(), "1.1.0");
    assert!(test.facet("demo", exact("2.0.0")).await.unwrap().yanked.is_some());
    let page = test.registry.versions(kind, &demo, None, 2).await.unwrap();
    let listed: Vec<String> = page.items.iter().map(|one| one.version.to_string()).collect();
    assert_eq!(listed, ["2.0.0", "1.1.0"]);
    let rest = test.registry.versions(kind, &demo, page.next.as_ref(), 2).await.unwrap();
    assert_eq!((rest.items.len(), rest.next), (1, None));
    let back = test.registry.unyank(kind, &demo, &version, &alice).await.unwrap();
    assert_eq!(back.yanked, None);
    assert_eq!(latest(Wanted::Latest).await.unwrap(), "2.0.0");
    let missing = "3.0.0".parse().unwrap();
    let refused = test.registry.yank(kind, &demo, &missing, "leaks keys", &alice).await;
    assert_eq!(code(refused), "E_NOT_FOUND");
}

#[tokio::test(flavor = "multi_thread")]
async fn names_are_listed_and_searched() {
    let test = TestRegistry::new().await;
    let alice = publisher("alice");
    for name in ["planner", "@acme/tools", "@acme/planning"] {
        created(test.publish_facet((name, "1.0.0"), name, &alice).await);
    }
    let kind = ArtifactKind::Facet;
    let all = test.registry.names(kind, None, None, 10).await.unwrap();
    assert_eq!(all.items.len(), 3);
    let scoped = test.registry.names(kind, Some("acme"), None, 10).await.unwrap();
    assert_eq!(scoped.items.len(), 2);
    let found = test.registry.search(kind, "plann", None, 10).await.unwrap();
    let mut names: Vec<String> = found.items.iter().map(|one| one.name.to_string()).collect();
    names.sort();
    assert_eq!(names, ["@acme/planning", "planner"]);
    assert!(test.registry.ready().await.is_ready());
}

#[tokio::test(flavor = "multi_thread")]
async fn two_versions_of_a_facet_are_compared_by_their_content() {
    let test = TestRegistry::new().await;
    let alice = publisher("alice");
    let old = created(test.publish_facet(("demo", "1.0.0"), "one", &alice).await);
    let new = created(test.publish_facet(("demo", "1.0.1"), "two", &alice).await);
    let diff = test.registry.diff(&old, &new).await.unwrap();
    assert!(diff.content_changed);
    let kinds: Vec<&str> = diff.findings.iter().map(|found| found.kind.name()).collect();
    assert_eq!(kinds, ["version_changed"]);
    let same = test.registry.diff(&old, &old).await.unwrap();
    assert!(!same.content_changed && same.findings.is_empty());
    for nothing in
        [code(test.registry.surface_file(&old).await), code(test.registry.contract(&old).await)]
    {
        assert_eq!(nothing, "E_NOT_FOUND");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn hidden_characters_of_a_description_are_not_listed_and_stay_in_the_manifest() {
    let test = TestRegistry::new().await;
    let manifest = "{\"name\":\"demo\",\"version\":\"1.0.0\",\"description\":\"Plans \u{202e}krow\u{200b}\",\
         \"skills\":{\"plan\":{\"description\":\"d\"}}}";
    let archive = facet_of(manifest, "text");
    let alice = publisher("alice");
    let kind = ArtifactKind::Facet;
    let record = created(publish(&test.registry, kind, "demo", &archive, &alice).await);
    assert_eq!(record.description.as_deref(), Some("Plans krow"));
    assert!(record.manifest.contains('\u{202e}'), "{}", record.manifest);
}
