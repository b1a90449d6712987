//! Who did what.

use facets_catalog::{AuditEntry, AuditWho, CatalogError, Cursor, Moment};

use crate::support::{FACET, NOW, Scene, changed, facet, name, owned_by, owner, version, who};

on_both![every_change_is_audited_and_no_refusal, the_audit_comes_page_by_page];

fn shown(entry: &AuditEntry) -> String {
    let by = entry.token_id.as_deref().unwrap_or("console");
    let detail = entry.detail.as_deref().unwrap_or_default();
    let AuditEntry { owner, action, subject, .. } = entry;
    format!("{owner} {by} {action} {subject} {detail}").trim_end().to_owned()
}

async fn every_change_is_audited_and_no_refusal(scene: Scene) {
    let scene = scene.ready().await;
    let catalog = &scene.catalog;
    let record = facet("demo", "1.0.0");
    let (demo, one, acme) = (name("demo"), version("1.0.0"), who("acme"));
    scene.publish(record.clone()).await;
    scene.publish(record.clone()).await;
    scene.publish(changed(&record, "other")).await;
    scene.publish(owned_by(&record, "mallory")).await;
    for at in [1, 1] {
        let at = NOW.plus(std::time::Duration::from_secs(at));
        catalog.yank(FACET, &demo, &one, "has a bug", &acme, at).await.unwrap();
    }
    let at = NOW.plus(std::time::Duration::from_secs(2));
    catalog.unyank(FACET, &demo, &one, &acme, at).await.unwrap();
    let at = NOW.plus(std::time::Duration::from_secs(3));
    let operator = AuditWho::operator();
    catalog.set_owner(FACET, &demo, &owner("bob"), &operator, at).await.unwrap();
    let entries = catalog.audit(None, 10).await.unwrap().items;
    let lines: Vec<String> = entries.iter().map(shown).collect();
    let published = format!("acme token-of-acme publish facet demo@1.0.0 {}", record.integrity);
    let expected = [
        "operator console owner facet demo bob",
        "acme token-of-acme unyank facet demo@1.0.0",
        "acme token-of-acme yank facet demo@1.0.0 has a bug",
        &published,
    ];
    assert_eq!(lines, expected);
    assert_eq!(entries[0].at, at);
}

async fn the_audit_comes_page_by_page(scene: Scene) {
    let scene = scene.ready().await;
    let operator = AuditWho::operator();
    for number in 0..9_i64 {
        let (demo, bob) = (name(&format!("demo{number}")), owner("bob"));
        // Three at a time.
        let at = Moment(number / 3);
        scene.catalog.set_owner(FACET, &demo, &bob, &operator, at).await.unwrap();
    }
    let all = scene.catalog.audit(None, 100).await.unwrap().items;
    assert_eq!(all.len(), 9);
    assert!(all.is_sorted_by(|one, other| one.at >= other.at));
    for limit in [1, 2, 8, 9] {
        let (mut found, mut after) = (Vec::new(), None::<Cursor>);
        loop {
            let page = scene.catalog.audit(after.as_ref(), limit).await.unwrap();
            found.extend(page.items);
            let Some(next) = page.next else { break };
            after = Some(next.to_string().parse().unwrap());
        }
        assert_eq!(found, all, "pages of {limit}");
    }
    // A cursor of another list.
    scene.publish_all("aa", &["1.0.0"]).await;
    scene.publish_all("bb", &["1.0.0"]).await;
    let foreign = scene.catalog.names(FACET, None, None, 1).await.unwrap().next;
    let refused = scene.catalog.audit(foreign.as_ref(), 1).await;
    assert!(matches!(refused, Err(CatalogError::BadCursor)), "{refused:?}");
}
