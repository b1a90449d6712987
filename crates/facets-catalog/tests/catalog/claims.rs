//! Names and scopes belong to who publishes them first.

use facets_catalog::{AuditWho, OwnerChange, PublishOutcome};

use crate::support::{FACET, NOW, SERVER, Scene, facet, name, owned_by, owner, server, version};

on_both![
    a_name_belongs_to_its_first_publisher,
    a_scope_belongs_to_its_first_publisher,
    names_and_scopes_that_look_alike_are_refused,
    of_first_publishers_of_names_that_look_alike_one_wins,
    an_operator_gives_and_reserves_names,
    an_operator_gives_a_scope_and_names_keep_their_owners,
];

fn not_owner(text: &str) -> PublishOutcome {
    PublishOutcome::NotOwner { owner: owner(text) }
}

fn looks_like(text: &str) -> PublishOutcome {
    PublishOutcome::LookalikeOf { name: text.to_owned() }
}

async fn a_name_belongs_to_its_first_publisher(scene: Scene) {
    let scene = scene.ready().await;
    scene.publish(facet("demo", "1.0.0")).await;
    let mallory = |record| owned_by(&record, "mallory");
    assert_eq!(scene.publish(mallory(facet("demo", "1.0.1"))).await, not_owner("acme"));
    let same = mallory(facet("demo", "1.0.0"));
    assert_eq!(scene.publish(same).await, not_owner("acme"), "also with the same content");
    let of_servers = mallory(server("demo", "1.0.0"));
    assert_eq!(scene.publish(of_servers).await, PublishOutcome::Inserted);
    let owner_of = async |kind, text| scene.catalog.name_owner(kind, &name(text)).await.unwrap();
    assert_eq!(owner_of(FACET, "demo").await, Some(owner("acme")));
    assert_eq!(owner_of(SERVER, "demo").await, Some(owner("mallory")));
    assert_eq!(owner_of(FACET, "other").await, None);
}

async fn a_scope_belongs_to_its_first_publisher(scene: Scene) {
    let scene = scene.ready().await;
    scene.publish(facet("@acme/one", "1.0.0")).await;
    let of_mallory = owned_by(&facet("@acme/two", "1.0.0"), "mallory");
    assert_eq!(scene.publish(of_mallory).await, not_owner("acme"));
    let of_mallory = owned_by(&server("@acme/three", "1.0.0"), "mallory");
    assert_eq!(scene.publish(of_mallory).await, not_owner("acme"), "servers have the same scopes");
    assert_eq!(scene.publish(server("@acme/three", "1.0.0")).await, PublishOutcome::Inserted);
    let found = scene.catalog.name_owner(FACET, &name("@acme/new")).await.unwrap();
    assert_eq!(found, Some(owner("acme")));
}

async fn names_and_scopes_that_look_alike_are_refused(scene: Scene) {
    let scene = scene.ready().await;
    scene.publish(facet("code-tool", "1.0.0")).await;
    scene.publish(facet("@acme/demo", "1.0.0")).await;
    let mallory = async |text| scene.publish(owned_by(&facet(text, "1.0.0"), "mallory")).await;
    assert_eq!(mallory("codetool").await, looks_like("code-tool"));
    assert_eq!(mallory("c0de-too1").await, looks_like("code-tool"));
    assert_eq!(mallory("@ac-me/other").await, looks_like("@acme"));
    assert_eq!(mallory("code-tools").await, PublishOutcome::Inserted);
    assert_eq!(mallory("@mallory/code-tool").await, PublishOutcome::Inserted);
    // One's own names may look alike, and a refusal claims nothing.
    assert_eq!(scene.publish(facet("codetool", "1.0.0")).await, PublishOutcome::Inserted);
    assert_eq!(scene.publish(facet("@ac-me/other", "1.0.0")).await, PublishOutcome::Inserted);
}

async fn of_first_publishers_of_names_that_look_alike_one_wins(scene: Scene) {
    let scene = scene.ready().await;
    let mut tasks = Vec::new();
    for (text, who) in [("tool", "a"), ("too1", "b"), ("to-ol", "c"), ("t0ol", "d")] {
        let new = scene.uploaded(owned_by(&facet(text, "1.0.0"), who)).await;
        let catalog = scene.replica().await;
        tasks.push(tokio::spawn(async move { catalog.publish(&new, NOW).await.unwrap() }));
    }
    let mut inserted = 0;
    for task in tasks {
        match task.await.unwrap() {
            PublishOutcome::Inserted => inserted += 1,
            PublishOutcome::LookalikeOf { .. } => {}
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(inserted, 1);
}

async fn an_operator_gives_and_reserves_names(scene: Scene) {
    let scene = scene.ready().await;
    let catalog = &scene.catalog;
    scene.publish(facet("demo", "1.0.0")).await;
    let (demo, bob) = (name("demo"), owner("bob"));
    let operator = AuditWho::operator();
    let change = catalog.set_owner(FACET, &demo, &bob, &operator, NOW).await.unwrap();
    assert_eq!(change, OwnerChange::Given);
    assert_eq!(scene.publish(facet("demo", "1.1.0")).await, not_owner("bob"));
    let of_bob = owned_by(&facet("demo", "1.1.0"), "bob");
    assert_eq!(scene.publish(of_bob).await, PublishOutcome::Inserted);
    let reserved = name("@bob/kept");
    let change = catalog.set_owner(SERVER, &reserved, &bob, &operator, NOW).await.unwrap();
    assert_eq!(change, OwnerChange::Reserved);
    assert_eq!(catalog.name_owner(SERVER, &reserved).await.unwrap(), Some(bob.clone()));
    assert_eq!(scene.publish(server("@bob/kept", "1.0.0")).await, not_owner("bob"));
    assert_eq!(scene.publish(facet("@bob/other", "1.0.0")).await, not_owner("bob"));
    assert!(catalog.names(SERVER, None, None, 10).await.unwrap().items.is_empty());
    // The operator acts for every owner.
    let one = version("1.0.0");
    let yanked = catalog.yank(FACET, &demo, &one, "unsafe", &operator, NOW).await.unwrap();
    assert_eq!(yanked, facets_catalog::YankOutcome::Done);
}

async fn an_operator_gives_a_scope_and_names_keep_their_owners(scene: Scene) {
    let scene = scene.ready().await;
    let catalog = &scene.catalog;
    scene.publish(facet("@acme/one", "1.0.0")).await;
    let (bob, operator) = (owner("bob"), AuditWho::operator());
    let set = async |below| catalog.set_scope_owner(&name(below), &bob, &operator, NOW).await;
    assert_eq!(set("@acme/any").await.unwrap(), OwnerChange::Given);
    let of_bob = owned_by(&facet("@acme/two", "1.0.0"), "bob");
    assert_eq!(scene.publish(of_bob).await, PublishOutcome::Inserted);
    assert_eq!(scene.publish(facet("@acme/three", "1.0.0")).await, not_owner("bob"));
    assert_eq!(scene.publish(facet("@acme/one", "1.1.0")).await, PublishOutcome::Inserted);
    assert_eq!(set("@kept/any").await.unwrap(), OwnerChange::Reserved);
    assert_eq!(scene.publish(server("@kept/new", "1.0.0")).await, not_owner("bob"));
    assert!(catalog.is_claimed(FACET, &name("@acme/one")).await.unwrap());
    assert!(!catalog.is_claimed(FACET, &name("@acme/any")).await.unwrap(), "only its scope is");
    let entries = catalog.audit(None, 100).await.unwrap().items;
    assert!(entries.iter().any(|entry| entry.subject == "scope @kept"), "{entries:?}");
}
