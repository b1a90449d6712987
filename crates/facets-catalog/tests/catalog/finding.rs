//! Exact versions, the latest, floors and ranges.

use facets_catalog::Wanted;
use facets_model::{Floor, Published};

use crate::support::{Scene, version};

on_both![
    the_latest_is_the_highest_release_that_is_not_yanked,
    ranges_have_releases_only,
    floors_resolve_as_the_specification_says,
];

async fn the_latest_is_the_highest_release_that_is_not_yanked(scene: Scene) {
    let scene = scene.ready().await;
    assert_eq!(scene.found("demo", &Wanted::Latest).await, None);
    scene.publish_all("demo", &["2.0.0-rc.1"]).await;
    assert_eq!(scene.found("demo", &Wanted::Latest).await, None);
    scene.publish_all("demo", &["1.9.0", "1.10.0", "1.2.0", "10.0.0-rc.1"]).await;
    assert_eq!(scene.found("demo", &Wanted::Latest).await.as_deref(), Some("1.10.0"));
    scene.yank("demo", "1.10.0").await;
    assert_eq!(scene.found("demo", &Wanted::Latest).await.as_deref(), Some("1.9.0"));
    let exact = Wanted::Exact(version("1.10.0"));
    assert_eq!(scene.found("demo", &exact).await.as_deref(), Some("1.10.0"), "yanked");
    scene.unyank("demo", "1.10.0").await;
    assert_eq!(scene.found("demo", &Wanted::Latest).await.as_deref(), Some("1.10.0"));
    assert_eq!(scene.found("dem", &Wanted::Latest).await, None);
}

async fn ranges_have_releases_only(scene: Scene) {
    let scene = scene.ready().await;
    let versions =
        ["0.9.9", "1.2.3", "1.2.10", "1.3.0", "1.20.0", "2.0.0-rc.1", "11.0.0", "12.0.0"];
    scene.publish_all("demo", &versions).await;
    scene.yank("demo", "12.0.0").await;
    let cases = [
        ("*", Some("11.0.0")),
        ("0.*", Some("0.9.9")),
        ("1.*", Some("1.20.0")),
        ("1.2.*", Some("1.2.10")),
        ("1.20.*", Some("1.20.0")),
        ("2.*", None),
        ("12.*", None),
        ("1.4.*", None),
        ("3.*", None),
    ];
    for (range, expected) in cases {
        let found = scene.found("demo", &Wanted::Range(range.parse().unwrap())).await;
        assert_eq!(found.as_deref(), expected, "{range}");
    }
}

async fn floors_resolve_as_the_specification_says(scene: Scene) {
    let scene = scene.ready().await;
    let versions = [
        "0.1.0",
        "1.0.0-alpha",
        "1.0.0-beta.2",
        "1.0.0-beta.11",
        "1.0.0",
        "1.1.0-rc.1",
        "1.2.0",
        "2.0.0-rc.1",
        "2.0.0-rc.2",
        "3.0.0-rc.1",
        "3.0.0-rc.2",
        "3.0.0",
    ];
    scene.publish_all("demo", &versions).await;
    let floors = versions.into_iter().chain([
        "0.0.0",
        "1.0.0-0",
        "1.0.1",
        "1.2.1",
        "2.0.0-alpha",
        "2.0.0",
        "3.0.0-rc.2.1",
        "3.0.1",
        "4.0.0-rc.1",
    ]);
    let floors: Vec<&str> = floors.collect();
    let mut yanked: Vec<&str> = Vec::new();
    // One after the other is yanked, from the highest down.
    for next in versions.into_iter().rev() {
        let published = versions
            .iter()
            .map(|text| Published { version: version(text), yanked: yanked.contains(text) });
        let published: Vec<Published> = published.collect();
        for text in &floors {
            let floor: Floor = text.parse().unwrap();
            let expected = floor.resolve(&published).map(ToString::to_string);
            let found = scene.found("demo", &Wanted::AtLeast(floor)).await;
            assert_eq!(found, expected, "floor {text}, yanked {yanked:?}");
        }
        scene.yank("demo", next).await;
        yanked.push(next);
    }
    for text in floors {
        assert_eq!(scene.found("demo", &Wanted::AtLeast(text.parse().unwrap())).await, None);
    }
}
