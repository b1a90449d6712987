//! What becomes of a publish.

use std::time::Duration;

use facets_catalog::{
    ArtifactKind, AuditWho, Catalog, CatalogError, CatalogUrl, NewToken, NewVersion,
    PublishOutcome, TokenEnd, VersionRecord, Wanted, YankOutcome,
};
use facets_digest::Digest;
use facets_model::Version;
use sqlx::Connection as _;

use crate::support::{
    FACET, NOW, SERVER, Scene, changed, facet, fresh_id, name, owned_by, server, version, who,
};

on_both![
    a_version_is_found_as_it_was_published,
    the_same_content_again_keeps_the_first_bytes,
    other_content_is_refused,
    of_ten_publishers_at_once_exactly_one_wins,
    of_ten_publishers_of_the_same_content_one_is_first,
    versions_of_one_name_published_at_once_agree_on_the_latest,
    a_publish_whose_answer_was_lost_is_found_again,
    a_publish_without_its_upload_leaves_nothing,
    a_token_that_is_revoked_meanwhile_publishes_nothing,
    a_token_that_is_revoked_meanwhile_yanks_nothing,
    a_token_that_expires_meanwhile_changes_nothing,
    a_publish_waits_for_a_revocation_that_was_first,
    texts_that_one_database_cannot_store_are_refused_by_both,
    yanks_are_the_owners_alone,
];

async fn find(catalog: &Catalog, record: &VersionRecord) -> Option<VersionRecord> {
    let wanted = Wanted::Exact(record.version.clone());
    catalog.find(record.kind, &record.name, &wanted).await.unwrap()
}

async fn a_version_is_found_as_it_was_published(scene: Scene) {
    let scene = scene.ready().await;
    let plain = VersionRecord {
        description: None,
        author: None,
        size: 0,
        manifest: "{\"ü\":\"\u{1f600}\\u0000\"}".to_owned(),
        ..facet("plain", "0.0.1")
    };
    let records = [facet("@acme/demo", "1.0.0"), server("demo", "1.0.0-rc.1"), plain];
    for record in records {
        assert_eq!(find(&scene.catalog, &record).await, None);
        assert_eq!(scene.publish(record.clone()).await, PublishOutcome::Inserted);
        assert_eq!(find(&scene.catalog, &record).await, Some(record));
    }
    // Facets and servers have names of their own.
    let wanted = Wanted::Exact(version("1.0.0"));
    let none = scene.catalog.find(SERVER, &name("@acme/demo"), &wanted).await.unwrap();
    assert_eq!(none, None);
}

async fn the_same_content_again_keeps_the_first_bytes(scene: Scene) {
    let scene = scene.ready().await;
    let first = facet("demo", "1.0.0");
    scene.publish(first.clone()).await;
    let packed_again = VersionRecord { content_hash: Digest::of(b"other"), ..first.clone() };
    let outcome = scene.publish(packed_again).await;
    assert_eq!(outcome, PublishOutcome::SameExists(first.clone()));
    assert_eq!(find(&scene.catalog, &first).await, Some(first));
    let other = Digest::of(b"other");
    assert!(!scene.catalog.is_referenced(&other, NOW).await.unwrap(), "its upload ended");
}

async fn other_content_is_refused(scene: Scene) {
    let scene = scene.ready().await;
    let first = facet("demo", "1.0.0");
    scene.publish(first.clone()).await;
    let outcome = scene.publish(changed(&first, "other")).await;
    assert_eq!(outcome, PublishOutcome::OtherExists(first.clone()));
    assert_eq!(find(&scene.catalog, &first).await, Some(first));
}

/// The token of `who("acme")`.
fn token_of_acme() -> NewToken {
    let audit = who("acme");
    NewToken {
        id: audit.token_id.unwrap(),
        hash: Digest::of(b"a token"),
        owner: audit.owner,
        scopes: vec!["publish:*".to_owned()],
        note: String::new(),
        expires: None,
    }
}

async fn a_token_that_is_revoked_meanwhile_publishes_nothing(scene: Scene) {
    let scene = scene.ready().await;
    let (token, operator) = (token_of_acme(), AuditWho::operator());
    scene.catalog.create_token(&token, &operator, NOW).await.unwrap();
    let before = scene.uploaded(facet("demo", "1.0.0")).await;
    assert_eq!(scene.catalog.publish(&before, NOW).await.unwrap(), PublishOutcome::Inserted);
    assert_eq!(scene.catalog.token_end(&token.id, NOW).await.unwrap(), None);
    scene.catalog.revoke_token(&token.id, &operator, NOW).await.unwrap();
    let end = scene.catalog.token_end(&token.id, NOW).await.unwrap();
    assert_eq!(end, Some(TokenEnd::Revoked));
    // One whose answer was lost was published before.
    assert_eq!(scene.catalog.publish(&before, NOW).await.unwrap(), PublishOutcome::Inserted);
    for record in [facet("demo", "1.0.1"), server("demo", "1.0.0"), facet("demo", "1.0.0")] {
        let outcome = scene.publish(record).await;
        assert_eq!(outcome, PublishOutcome::TokenEnded(TokenEnd::Revoked));
    }
    assert_eq!(find(&scene.catalog, &facet("demo", "1.0.1")).await, None);
    let claimed = scene.catalog.name_owner(SERVER, &name("demo")).await.unwrap();
    assert_eq!(claimed, None, "the name is not claimed");
}

async fn a_token_that_is_revoked_meanwhile_yanks_nothing(scene: Scene) {
    let scene = scene.ready().await;
    let (token, operator, acme) = (token_of_acme(), AuditWho::operator(), who("acme"));
    let (demo, one, two) = (name("demo"), version("1.0.0"), version("1.0.1"));
    scene.catalog.create_token(&token, &operator, NOW).await.unwrap();
    scene.publish_all("demo", &["1.0.0", "1.0.1"]).await;
    scene.yank("demo", "1.0.0").await;
    scene.catalog.revoke_token(&token.id, &operator, NOW).await.unwrap();
    let yanked = scene.catalog.yank(FACET, &demo, &two, "broken", &acme, NOW).await.unwrap();
    assert_eq!(yanked, YankOutcome::TokenEnded(TokenEnd::Revoked));
    let unyanked = scene.catalog.unyank(FACET, &demo, &one, &acme, NOW).await.unwrap();
    assert_eq!(unyanked, YankOutcome::TokenEnded(TokenEnd::Revoked));
    assert!(find(&scene.catalog, &facet("demo", "1.0.0")).await.unwrap().yanked.is_some());
    assert!(find(&scene.catalog, &facet("demo", "1.0.1")).await.unwrap().yanked.is_none());
    let unyanked = scene.catalog.unyank(FACET, &demo, &one, &operator, NOW).await.unwrap();
    assert_eq!(unyanked, YankOutcome::Done, "the operator has no token");
}

async fn a_token_that_expires_meanwhile_changes_nothing(scene: Scene) {
    let scene = scene.ready().await;
    let end = NOW.plus(Duration::from_secs(1));
    let token = NewToken { expires: Some(end), ..token_of_acme() };
    scene.catalog.create_token(&token, &AuditWho::operator(), NOW).await.unwrap();
    scene.publish_all("demo", &["1.0.0"]).await;
    let new = scene.uploaded(facet("demo", "1.0.1")).await;
    let outcome = scene.catalog.publish(&new, end).await.unwrap();
    assert_eq!(outcome, PublishOutcome::TokenEnded(TokenEnd::Expired));
    let (demo, one, acme) = (name("demo"), version("1.0.0"), who("acme"));
    let yanked = scene.catalog.yank(FACET, &demo, &one, "broken", &acme, end).await.unwrap();
    assert_eq!(yanked, YankOutcome::TokenEnded(TokenEnd::Expired));
    assert_eq!(scene.catalog.token_end(&token.id, NOW).await.unwrap(), None);
    let found = scene.catalog.token_end(&token.id, end).await.unwrap();
    assert_eq!(found, Some(TokenEnd::Expired));
}

async fn a_publish_waits_for_a_revocation_that_was_first(scene: Scene) {
    let scene = scene.ready().await;
    scene.catalog.create_token(&token_of_acme(), &AuditWho::operator(), NOW).await.unwrap();
    scene.publish_all("demo", &["1.0.0"]).await;
    // SQLite has one writer at a time.
    let CatalogUrl::Postgres(address) = &scene.url else { return };
    let mut revoking = sqlx::PgConnection::connect(address).await.unwrap();
    let sql = "BEGIN; UPDATE tokens SET revoked_at = 7 WHERE id = 'token-of-acme'";
    sqlx::raw_sql(sql).execute(&mut revoking).await.unwrap();
    let (catalog, new) = (scene.catalog.clone(), scene.uploaded(facet("demo", "1.0.1")).await);
    let publish = tokio::spawn(async move { catalog.publish(&new, NOW).await.unwrap() });
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(!publish.is_finished(), "it waits for the token");
    sqlx::raw_sql("COMMIT").execute(&mut revoking).await.unwrap();
    assert_eq!(publish.await.unwrap(), PublishOutcome::TokenEnded(TokenEnd::Revoked));
}

/// Publishes all at once, by two replicas in turn.
async fn at_once(scene: &Scene, records: Vec<VersionRecord>) -> Vec<PublishOutcome> {
    let replicas = [scene.replica().await, scene.replica().await];
    let mut tasks = Vec::new();
    for (index, record) in records.into_iter().enumerate() {
        let new: NewVersion = scene.uploaded(record).await;
        let catalog = replicas[index % 2].clone();
        tasks.push(tokio::spawn(async move { catalog.publish(&new, NOW).await.unwrap() }));
    }
    let mut outcomes = Vec::new();
    for task in tasks {
        outcomes.push(task.await.unwrap());
    }
    outcomes
}

fn inserted(outcomes: &[PublishOutcome]) -> usize {
    outcomes.iter().filter(|outcome| **outcome == PublishOutcome::Inserted).count()
}

async fn of_ten_publishers_at_once_exactly_one_wins(scene: Scene) {
    let scene = scene.ready().await;
    for base in [facet("demo", "1.0.0"), server("demo", "2.0.0")] {
        let contents = (0..10).map(|number| changed(&base, &format!("content {number}")));
        let outcomes = at_once(&scene, contents.collect()).await;
        assert_eq!(inserted(&outcomes), 1, "{outcomes:?}");
        let visible = find(&scene.catalog, &base).await.unwrap();
        let others = outcomes.iter().filter(|outcome| **outcome != PublishOutcome::Inserted);
        for other in others {
            assert_eq!(*other, PublishOutcome::OtherExists(visible.clone()));
        }
    }
}

async fn of_ten_publishers_of_the_same_content_one_is_first(scene: Scene) {
    let scene = scene.ready().await;
    let record = facet("demo", "1.0.0");
    let outcomes = at_once(&scene, vec![record.clone(); 10]).await;
    assert_eq!(inserted(&outcomes), 1, "{outcomes:?}");
    let same = outcomes.iter().filter(|outcome| matches!(outcome, PublishOutcome::SameExists(_)));
    assert_eq!(same.count(), 9, "{outcomes:?}");
}

async fn versions_of_one_name_published_at_once_agree_on_the_latest(scene: Scene) {
    let scene = scene.ready().await;
    let versions = (0..10).map(|minor| facet("demo", &format!("1.{minor}.0")));
    let outcomes = at_once(&scene, versions.collect()).await;
    assert_eq!(inserted(&outcomes), 10, "{outcomes:?}");
    assert_eq!(scene.found("demo", &Wanted::Latest).await.as_deref(), Some("1.9.0"));
    let names = scene.catalog.names(FACET, None, None, 10).await.unwrap();
    assert_eq!(names.items[0].latest_version, version("1.9.0"));
}

async fn a_publish_whose_answer_was_lost_is_found_again(scene: Scene) {
    let scene = scene.ready().await;
    let new = scene.uploaded(facet("demo", "1.0.0")).await;
    for _ in 0..2 {
        let outcome = scene.catalog.publish(&new, NOW).await.unwrap();
        assert_eq!(outcome, PublishOutcome::Inserted);
    }
    assert_eq!(scene.catalog.audit(None, 10).await.unwrap().items.len(), 1);
}

async fn a_publish_without_its_upload_leaves_nothing(scene: Scene) {
    let scene = scene.ready().await;
    let (upload, audit) = (fresh_id(), who("acme"));
    let new = NewVersion { record: facet("demo", "1.0.0"), upload, job: None, audit };
    let outcome = scene.catalog.publish(&new, NOW).await;
    assert!(matches!(outcome, Err(CatalogError::Unavailable { .. })), "{outcome:?}");
    assert_eq!(find(&scene.catalog, &new.record).await, None);
    let owner = scene.catalog.name_owner(FACET, &name("demo")).await.unwrap();
    assert_eq!(owner, None, "the name is not claimed either");
}

async fn texts_that_one_database_cannot_store_are_refused_by_both(scene: Scene) {
    let scene = scene.ready().await;
    let shown = VersionRecord { description: Some("a\0b".to_owned()), ..facet("demo", "1.0.0") };
    assert_eq!(scene.publish(shown.clone()).await, PublishOutcome::Inserted);
    let found = find(&scene.catalog, &shown).await.unwrap();
    assert_eq!(found.description.as_deref(), Some("ab"), "only shown");
    let bad = VersionRecord { manifest: "{\0}".to_owned(), ..facet("demo", "1.1.0") };
    let new = scene.uploaded(bad).await;
    let outcome = scene.catalog.publish(&new, NOW).await;
    assert!(matches!(outcome, Err(CatalogError::Unstorable { .. })), "{outcome:?}");
    let long = format!("1.0.0-{}", "a".repeat(5000));
    let new = scene.uploaded(facet("demo", &long)).await;
    let outcome = scene.catalog.publish(&new, NOW).await;
    assert!(matches!(outcome, Err(CatalogError::Unstorable { .. })), "{outcome:?}");
    assert_eq!(scene.found("demo", &Wanted::Exact(version(&long))).await, None);
}

async fn yanks_are_the_owners_alone(scene: Scene) {
    let scene = scene.ready().await;
    let record = facet("demo", "1.0.0");
    scene.publish(record.clone()).await;
    let catalog = &scene.catalog;
    let (demo, one, two) = (name("demo"), version("1.0.0"), version("2.0.0"));
    let yank = async |kind: ArtifactKind, number: &Version, who: &AuditWho| {
        catalog.yank(kind, &demo, number, "broken", who, NOW).await.unwrap()
    };
    let (acme, mallory) = (who("acme"), who("mallory"));
    assert_eq!(yank(FACET, &two, &acme).await, YankOutcome::NotFound);
    assert_eq!(yank(SERVER, &one, &acme).await, YankOutcome::NotFound);
    assert_eq!(yank(FACET, &one, &mallory).await, YankOutcome::NotOwner);
    assert_eq!(yank(FACET, &one, &acme).await, YankOutcome::Done);
    assert_eq!(yank(FACET, &one, &acme).await, YankOutcome::Already);
    let yanked = find(catalog, &record).await.unwrap().yanked.unwrap();
    assert_eq!((&*yanked.reason, yanked.at, yanked.by.as_str()), ("broken", NOW, "acme"));
    let later = NOW.plus(Duration::from_secs(9));
    let other = catalog.yank(FACET, &demo, &one, "leaks keys", &acme, later).await.unwrap();
    assert_eq!(other, YankOutcome::Done, "another reason");
    let yanked = find(catalog, &record).await.unwrap().yanked.unwrap();
    assert_eq!((&*yanked.reason, yanked.at), ("leaks keys", NOW));
    let latest = &catalog.audit(None, 1).await.unwrap().items[0];
    assert_eq!((&*latest.action, latest.detail.as_deref()), ("yank", Some("leaks keys")));
    let undone = catalog.unyank(FACET, &demo, &one, &mallory, NOW).await.unwrap();
    assert_eq!(undone, YankOutcome::NotOwner);
    scene.unyank("demo", "1.0.0").await;
    assert_eq!(find(catalog, &record).await, Some(record.clone()));
    // A yanked version is not replaced, either.
    scene.yank("demo", "1.0.0").await;
    let outcome = scene.publish(changed(&record, "other")).await;
    assert!(matches!(outcome, PublishOutcome::OtherExists(_)), "{outcome:?}");
    let outcome = scene.publish(owned_by(&record, "mallory")).await;
    assert!(matches!(outcome, PublishOutcome::NotOwner { .. }), "{outcome:?}");
}
