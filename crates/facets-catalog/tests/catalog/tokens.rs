//! Tokens by their hashes.

use facets_catalog::{AuditWho, CatalogError, Moment, NewToken, RevokeOutcome, TokenRecord};
use facets_digest::Digest;

use crate::support::{NOW, Scene, fresh_id, owner};

on_both![a_token_is_found_by_its_hash, a_token_is_revoked_once, scopes_have_no_blanks];

fn token(text: &str) -> NewToken {
    NewToken {
        id: fresh_id(),
        hash: Digest::of(text.as_bytes()),
        owner: owner("acme"),
        scopes: vec!["publish:@acme/*".to_owned(), "read".to_owned()],
        note: "for CI, line 1".to_owned(),
        expires: Some(Moment(5)),
    }
}

async fn a_token_is_found_by_its_hash(scene: Scene) {
    let scene = scene.ready().await;
    let (first, operator) = (token("first"), AuditWho::operator());
    let second = NewToken { scopes: Vec::new(), expires: None, ..token("second") };
    for new in [&first, &second, &first] {
        scene.catalog.create_token(new, &operator, NOW).await.unwrap();
    }
    let record = TokenRecord {
        id: first.id.clone(),
        hash: first.hash,
        owner: first.owner.clone(),
        scopes: first.scopes.clone(),
        note: first.note.clone(),
        created: NOW,
        expires: first.expires,
        revoked: None,
    };
    assert_eq!(scene.catalog.token(&first.hash).await.unwrap(), Some(record.clone()));
    let found = scene.catalog.token(&second.hash).await.unwrap().unwrap();
    assert_eq!((found.scopes, found.expires), (Vec::new(), None));
    assert_eq!(scene.catalog.token(&Digest::of(b"none")).await.unwrap(), None);
    let all = scene.catalog.tokens().await.unwrap();
    assert_eq!(all.len(), 2);
    assert_eq!(all[0], record);
}

async fn a_token_is_revoked_once(scene: Scene) {
    let scene = scene.ready().await;
    let (new, operator) = (token("text"), AuditWho::operator());
    scene.catalog.create_token(&new, &operator, NOW).await.unwrap();
    let revoke =
        async |id: &str, at| scene.catalog.revoke_token(id, &operator, Moment(at)).await.unwrap();
    assert_eq!(revoke("none", 7).await, RevokeOutcome::NotFound);
    assert_eq!(revoke(&new.id, 7).await, RevokeOutcome::Done);
    assert_eq!(revoke(&new.id, 8).await, RevokeOutcome::Already);
    let found = scene.catalog.token(&new.hash).await.unwrap().unwrap();
    assert_eq!(found.revoked, Some(Moment(7)));
    let actions: Vec<String> = scene
        .catalog
        .audit(None, 10)
        .await
        .unwrap()
        .items
        .into_iter()
        .map(|entry| entry.action)
        .collect();
    assert_eq!(actions, ["token-create", "token-revoke"], "by their time");
}

async fn scopes_have_no_blanks(scene: Scene) {
    let scene = scene.ready().await;
    for bad in ["", "publish:* read", "a\tb"] {
        let new = NewToken { scopes: vec![bad.to_owned()], ..token("text") };
        let refused = scene.catalog.create_token(&new, &AuditWho::operator(), NOW).await;
        assert!(matches!(refused, Err(CatalogError::Unstorable { .. })), "{bad:?}");
    }
    assert!(scene.catalog.tokens().await.unwrap().is_empty());
}
