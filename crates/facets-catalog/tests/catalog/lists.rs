//! Lists, page by page.

use facets_catalog::{BlobUse, Cursor, NameSummary, Page};
use facets_digest::Digest;

use crate::support::{FACET, SERVER, Scene, changed, facet, name, owner, server};

on_both![
    names_come_by_their_bytes_page_by_page,
    a_scope_has_its_own_list,
    only_names_with_a_release_are_listed,
    versions_come_highest_first_page_by_page,
    blobs_in_use_come_once_each,
];

fn texts(page: &Page<NameSummary>) -> Vec<&str> {
    page.items.iter().map(|item| item.name.as_str()).collect()
}

/// All items, in pages of a size; a cursor survives as text.
async fn all_names(scene: &Scene, scope: Option<&str>, limit: u32) -> Vec<String> {
    let (mut found, mut after) = (Vec::new(), None::<Cursor>);
    loop {
        let page = scene.catalog.names(FACET, scope, after.as_ref(), limit).await.unwrap();
        assert!(page.items.len() <= limit.max(1) as usize);
        found.extend(texts(&page).into_iter().map(str::to_owned));
        match page.next {
            Some(next) => after = Some(next.to_string().parse().unwrap()),
            None => return found,
        }
    }
}

async fn names_come_by_their_bytes_page_by_page(scene: Scene) {
    let scene = scene.ready().await;
    assert!(all_names(&scene, None, 10).await.is_empty());
    let sorted =
        ["@acme/demo", "@acme/x-1", "@acme/x1", "@b1/demo", "a-b", "a-c", "a1", "ab", "zz"];
    for text in sorted.iter().rev() {
        scene.publish_all(text, &["1.0.0"]).await;
    }
    scene.publish(server("other", "1.0.0")).await;
    for limit in [0, 1, 2, 8, 9, 10, 5000] {
        assert_eq!(all_names(&scene, None, limit).await, sorted, "pages of {limit}");
    }
    let page = scene.catalog.names(FACET, None, None, 9).await.unwrap();
    assert_eq!(page.next, None, "nothing is behind the last page");
    let item = &page.items[4];
    let record = facet("a-b", "1.0.0");
    let expected = NameSummary {
        name: record.name,
        owner: owner("acme"),
        latest_version: record.version,
        published_at: record.published_at,
        description: record.description,
        author: record.author,
        assets: record.assets,
    };
    assert_eq!(*item, expected);
}

async fn a_scope_has_its_own_list(scene: Scene) {
    let scene = scene.ready().await;
    for text in ["@acm/x1", "@acme/aa", "@acme/zz", "@acme0/x1", "@acme-x/x1", "acme"] {
        scene.publish_all(text, &["1.0.0"]).await;
    }
    for limit in [1, 2, 3] {
        let expected = ["@acme/aa", "@acme/zz"];
        assert_eq!(all_names(&scene, Some("acme"), limit).await, expected);
        assert_eq!(all_names(&scene, Some("@acme"), limit).await, expected);
    }
    assert!(all_names(&scene, Some("none"), 10).await.is_empty());
    // A cursor of another list leads nowhere else.
    let first = scene.catalog.names(FACET, None, None, 1).await.unwrap().next;
    let page = scene.catalog.names(FACET, Some("acme"), first.as_ref(), 10).await.unwrap();
    assert_eq!(texts(&page), ["@acme/aa", "@acme/zz"]);
}

async fn only_names_with_a_release_are_listed(scene: Scene) {
    let scene = scene.ready().await;
    scene.publish_all("demo", &["1.0.0-rc.1"]).await;
    assert!(all_names(&scene, None, 10).await.is_empty());
    scene.publish_all("demo", &["1.0.0", "1.1.0", "0.9.0"]).await;
    let latest = async || {
        let page = scene.catalog.names(FACET, None, None, 10).await.unwrap();
        page.items.first().map(|item| item.latest_version.to_string())
    };
    assert_eq!(latest().await.as_deref(), Some("1.1.0"));
    scene.yank("demo", "1.1.0").await;
    assert_eq!(latest().await.as_deref(), Some("1.0.0"));
    scene.yank("demo", "1.0.0").await;
    scene.yank("demo", "0.9.0").await;
    assert_eq!(latest().await, None);
    scene.unyank("demo", "0.9.0").await;
    assert_eq!(latest().await.as_deref(), Some("0.9.0"));
}

async fn versions_come_highest_first_page_by_page(scene: Scene) {
    let scene = scene.ready().await;
    let descending = ["10.0.0", "2.0.0", "2.0.0-rc.10", "2.0.0-rc.9", "1.10.0", "1.9.0"];
    let ascending: Vec<&str> = descending.into_iter().rev().collect();
    scene.publish_all("demo", &ascending).await;
    scene.yank("demo", "2.0.0").await;
    for limit in 1..8 {
        let (mut found, mut after) = (Vec::new(), None::<Cursor>);
        loop {
            let demo = name("demo");
            let page = scene.catalog.versions(FACET, &demo, after.as_ref(), limit).await.unwrap();
            found.extend(page.items);
            let Some(next) = page.next else { break };
            after = Some(next);
        }
        let numbers: Vec<String> = found.iter().map(|item| item.version.to_string()).collect();
        assert_eq!(numbers, descending, "pages of {limit}");
        let yanked: Vec<&str> = found
            .iter()
            .filter_map(|item| item.yanked.as_ref())
            .map(|yank| yank.reason.as_str())
            .collect();
        assert_eq!(yanked, ["broken"]);
        let record = facet("demo", "10.0.0");
        assert_eq!(found[0].integrity, record.integrity);
        assert_eq!(found[0].content_hash, record.content_hash);
    }
    let none = scene.catalog.versions(SERVER, &name("demo"), None, 10).await.unwrap();
    assert_eq!(none, Page { items: Vec::new(), next: None });
}

async fn blobs_in_use_come_once_each(scene: Scene) {
    let scene = scene.ready().await;
    let shared = facet("demo", "1.0.0");
    scene.publish(shared.clone()).await;
    let mut other = changed(&facet("demo", "1.0.1"), "other content");
    other.content_hash = shared.content_hash;
    scene.publish(other).await;
    let with_surface = server("demo", "1.0.0");
    let surface = with_surface.server.as_ref().unwrap().surface_file;
    scene.publish(with_surface.clone()).await;
    let mut expected = vec![shared.content_hash, with_surface.content_hash, surface];
    expected.sort_by_key(Digest::to_string);
    expected.dedup();
    let mut uses: Vec<BlobUse> = Vec::new();
    let mut after = None;
    loop {
        let page = scene.catalog.blobs_in_use(after.as_ref(), 1).await.unwrap();
        uses.extend(page.items);
        let Some(next) = page.next else { break };
        after = Some(next);
    }
    let found: Vec<Digest> = uses.iter().map(|one| one.digest).collect();
    assert_eq!(found, expected);
    let of_surface = uses.iter().find(|one| one.digest == surface).unwrap();
    assert_eq!(of_surface.what, "server demo@1.0.0 surface");
    assert_eq!(of_surface.size, 99);
}
