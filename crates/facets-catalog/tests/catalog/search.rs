//! Names by words.

use facets_catalog::{Cursor, VersionRecord};

use crate::support::{FACET, SERVER, Scene, facet};

on_both![
    names_are_found_by_beginnings_and_descriptions_by_words,
    every_word_has_to_match,
    results_come_page_by_page,
    words_are_those_of_the_latest_version,
];

async fn found(scene: &Scene, query: &str) -> Vec<String> {
    let page = scene.catalog.search(FACET, query, None, 100).await.unwrap();
    assert_eq!(page.next, None);
    page.items.iter().map(|item| item.name.to_string()).collect()
}

fn described(text: &str, number: &str, description: &str) -> VersionRecord {
    VersionRecord { description: Some(description.to_owned()), ..facet(text, number) }
}

async fn publish_some(scene: &Scene) {
    scene.publish(described("code-review", "1.0.0", "Reviews pull requests in Größe")).await;
    scene.publish(described("@acme/codec", "1.0.0", "Encodes audio")).await;
    scene.publish(described("audio", "1.0.0", "Plays everything")).await;
}

async fn names_are_found_by_beginnings_and_descriptions_by_words(scene: Scene) {
    let scene = scene.ready().await;
    publish_some(&scene).await;
    assert_eq!(found(&scene, "code").await, ["@acme/codec", "code-review"]);
    assert_eq!(found(&scene, "CO").await, ["@acme/codec", "code-review"]);
    assert_eq!(found(&scene, "rev").await, ["code-review"]);
    assert_eq!(found(&scene, "acme").await, ["@acme/codec"]);
    assert_eq!(found(&scene, "audio").await, ["@acme/codec", "audio"]);
    assert_eq!(found(&scene, "größe").await, ["code-review"]);
    assert!(found(&scene, "everyth").await.is_empty(), "no beginnings in descriptions");
    for nothing in ["", "c", "!", "\0", "%", "' OR 1=1 --", "none"] {
        assert!(found(&scene, nothing).await.is_empty(), "{nothing:?}");
    }
    let servers = scene.catalog.search(SERVER, "code", None, 10).await.unwrap();
    assert!(servers.items.is_empty());
}

async fn every_word_has_to_match(scene: Scene) {
    let scene = scene.ready().await;
    publish_some(&scene).await;
    assert_eq!(found(&scene, "code review").await, ["code-review"]);
    assert_eq!(found(&scene, "code-review").await, ["code-review"]);
    assert_eq!(found(&scene, "code review pull requests").await, ["code-review"]);
    assert_eq!(found(&scene, "requests pull code").await, ["code-review"]);
    assert!(found(&scene, "code review audio").await.is_empty());
    assert!(found(&scene, "code review pull none").await.is_empty());
}

async fn results_come_page_by_page(scene: Scene) {
    let scene = scene.ready().await;
    let names: Vec<String> = (10..25).map(|number| format!("tool-x{number}")).collect();
    for text in &names {
        scene.publish_all(text, &["1.0.0"]).await;
    }
    for limit in [1, 4, 14, 15, 16] {
        let (mut all, mut after) = (Vec::new(), None::<Cursor>);
        loop {
            let page = scene.catalog.search(FACET, "tool", after.as_ref(), limit).await.unwrap();
            all.extend(page.items.iter().map(|item| item.name.to_string()));
            let Some(next) = page.next else { break };
            after = Some(next);
        }
        assert_eq!(all, names, "pages of {limit}");
    }
}

async fn words_are_those_of_the_latest_version(scene: Scene) {
    let scene = scene.ready().await;
    scene.publish(described("demo", "1.0.0", "first words")).await;
    scene.publish(described("demo", "2.0.0", "second words")).await;
    scene.publish(described("demo", "1.5.0", "between words")).await;
    let many: String = (0..40).map(|number| format!("word{number} ")).collect();
    assert!(found(&scene, "first").await.is_empty());
    assert!(found(&scene, "between").await.is_empty());
    assert_eq!(found(&scene, "second words").await, ["demo"]);
    scene.yank("demo", "2.0.0").await;
    assert!(found(&scene, "second").await.is_empty());
    assert_eq!(found(&scene, "between").await, ["demo"]);
    scene.yank("demo", "1.5.0").await;
    scene.yank("demo", "1.0.0").await;
    assert!(found(&scene, "demo").await.is_empty(), "nothing is left to show");
    scene.unyank("demo", "2.0.0").await;
    assert_eq!(found(&scene, "second").await, ["demo"]);
    scene.publish(described("demo", "3.0.0", &many)).await;
    assert!(found(&scene, "second").await.is_empty());
    assert_eq!(found(&scene, "word0 word31 demo").await, ["demo"]);
    assert!(found(&scene, "word32").await.is_empty(), "the first words count");
}
