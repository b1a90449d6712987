//! Who may publish what.

use facets_registry::{ArtifactKind, Moment, Scope, Wanted};

use crate::support::{
    TestRegistry, artifact, caller, code, created, facet, impatient, publisher, server,
};

#[tokio::test(flavor = "multi_thread")]
async fn a_token_is_accepted_until_it_is_revoked_or_expires() {
    let test = TestRegistry::new().await;
    let owner = "alice".parse().unwrap();
    let scopes: Vec<Scope> = vec!["publish:@acme/*".parse().unwrap(), "read".parse().unwrap()];
    let token = test.registry.create_token(&owner, &scopes, "for CI", None).await.unwrap();
    let found = test.registry.authenticate(&token.to_string()).await.unwrap();
    assert_eq!((&found.owner, &found.scopes), (&owner, &scopes));
    let listed = test.registry.tokens().await.unwrap();
    assert_eq!((listed.len(), &listed[0].id), (1, &found.token_id));
    assert!(!format!("{listed:?}").contains(&token.to_string()[8..]), "the text is not stored");
    let other = format!("fct_pub_{}", "x".repeat(43));
    for wrong in ["", "Bearer", &token.to_string()[1..], &other] {
        assert_eq!(code(test.registry.authenticate(wrong).await), "E_UNAUTHORIZED", "{wrong}");
    }
    assert!(test.registry.revoke_token(&found.token_id).await.unwrap());
    assert!(!test.registry.revoke_token("unknown").await.unwrap());
    assert_eq!(code(test.registry.authenticate(&token.to_string()).await), "E_UNAUTHORIZED");
    let past = Some(Moment(1));
    let expired = test.registry.create_token(&owner, &scopes, "", past).await.unwrap();
    assert_eq!(code(test.registry.authenticate(&expired.to_string()).await), "E_UNAUTHORIZED");
    assert_eq!(code(test.registry.create_token(&owner, &[], "", None).await), "E_BAD_REQUEST");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_is_revoked_during_an_upload_publishes_nothing() {
    let test = TestRegistry::with_limits(impatient()).await;
    let (owner, scopes) = ("alice".parse().unwrap(), ["publish:*".parse::<Scope>().unwrap()]);
    let token = test.registry.create_token(&owner, &scopes, "", None).await.unwrap();
    let alice = test.registry.authenticate(&token.to_string()).await.unwrap();
    let demo = artifact("demo");
    let mut uploads = Vec::new();
    for (kind, archive) in [
        (ArtifactKind::Facet, facet("demo", "1.0.0", "text")),
        (ArtifactKind::Server, server("demo", "1.0.0", "1")),
    ] {
        let mut upload = test.registry.begin_body(kind, &demo, &alice, None).await.unwrap();
        upload.write(&archive).await.unwrap();
        uploads.push(upload);
    }
    assert!(test.registry.revoke_token(&alice.token_id).await.unwrap());
    for upload in uploads {
        let refused = test.registry.publish(upload, &alice).await.unwrap_err().problem();
        assert_eq!((refused.status, refused.code), (401, "E_UNAUTHORIZED"));
    }
    assert_eq!(code(test.facet("demo", Wanted::Latest).await), "E_NOT_FOUND");
    assert_eq!(test.registry.queue_depth().await.unwrap().queued, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_is_revoked_during_a_request_yanks_nothing() {
    let test = TestRegistry::new().await;
    let (owner, scopes) = ("alice".parse().unwrap(), ["publish:*".parse::<Scope>().unwrap()]);
    let token = test.registry.create_token(&owner, &scopes, "", None).await.unwrap();
    let alice = test.registry.authenticate(&token.to_string()).await.unwrap();
    let (kind, demo) = (ArtifactKind::Facet, artifact("demo"));
    let mut upload = test.registry.begin_body(kind, &demo, &alice, None).await.unwrap();
    upload.write(&facet("demo", "1.0.0", "text")).await.unwrap();
    test.registry.publish(upload, &alice).await.unwrap();
    assert!(test.registry.revoke_token(&alice.token_id).await.unwrap());
    let version = "1.0.0".parse().unwrap();
    let refused = test.registry.yank(kind, &demo, &version, "evil", &alice).await;
    assert_eq!(code(refused), "E_UNAUTHORIZED");
    let refused = test.registry.unyank(kind, &demo, &version, &alice).await;
    assert_eq!(code(refused), "E_UNAUTHORIZED");
    let found = test.facet("demo", Wanted::Latest).await.unwrap();
    assert!(found.yanked.is_none(), "{found:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scope_is_checked_before_anything_is_received() {
    let test = TestRegistry::new().await;
    let limited = caller("alice", &["read", "publish:@acme/*"]);
    let begin = async |name: &str| {
        let name = artifact(name);
        test.registry.begin_body(ArtifactKind::Facet, &name, &limited, None).await.map(drop)
    };
    assert_eq!(code(begin("demo").await), "E_FORBIDDEN");
    assert_eq!(code(begin("@other/demo").await), "E_FORBIDDEN");
    assert_eq!(code(begin("@acme/demo").await), "accepted");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_publish_claims_a_name_and_the_kinds_are_apart() {
    let test = TestRegistry::new().await;
    let (alice, bob) = (publisher("alice"), publisher("bob"));
    created(test.publish_facet(("demo", "1.0.0"), "text", &alice).await);
    let taken = test.publish_facet(("demo", "1.0.1"), "text", &bob).await;
    assert_eq!(code(taken), "E_NOT_OWNER");
    let version = "1.0.0".parse().unwrap();
    let kind = ArtifactKind::Facet;
    let demo = artifact("demo");
    let yank = test.registry.yank(kind, &demo, &version, "mine", &bob).await;
    assert_eq!(code(yank), "E_NOT_OWNER");
    let server = test.registry.begin_body(ArtifactKind::Server, &demo, &bob, None).await;
    assert!(server.is_ok(), "servers have names of their own");
    test.registry.set_owner(kind, &demo, &bob.owner).await.unwrap();
    created(test.publish_facet(("demo", "1.0.1"), "text", &bob).await);
    assert_eq!(code(test.publish_facet(("demo", "1.0.2"), "text", &alice).await), "E_NOT_OWNER");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_publish_in_a_scope_claims_the_scope() {
    let test = TestRegistry::new().await;
    let (alice, bob) = (publisher("alice"), publisher("bob"));
    created(test.publish_facet(("@acme/demo", "1.0.0"), "text", &alice).await);
    let taken = test.publish_facet(("@acme/other", "1.0.0"), "text", &bob).await;
    let problem = taken.unwrap_err().problem();
    assert_eq!(problem.code, "E_NOT_OWNER");
    assert!(problem.error.contains("the scope @acme belongs"), "{problem:?}");
    assert!(problem.fix.contains("owner set scope @acme "), "{problem:?}");
    let taken = test.publish_facet(("@acme/demo", "1.0.1"), "text", &bob).await;
    let problem = taken.unwrap_err().problem();
    assert!(problem.error.contains("the facet @acme/demo belongs"), "{problem:?}");
    created(test.publish_facet(("@acme/other", "1.0.0"), "text", &alice).await);
    test.registry.set_scope_owner(&artifact("@acme/any"), &bob.owner).await.unwrap();
    created(test.publish_facet(("@acme/third", "1.0.0"), "text", &bob).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_looks_like_the_name_of_another_owner_is_refused() {
    let test = TestRegistry::new().await;
    let (alice, bob) = (publisher("alice"), publisher("bob"));
    created(test.publish_facet(("tool-kit", "1.0.0"), "text", &alice).await);
    let refused = test.publish_facet(("to0lkit", "1.0.0"), "text", &bob).await;
    let problem = refused.unwrap_err().problem();
    assert_eq!(problem.code, "E_NAME_TOO_SIMILAR");
    assert!(problem.details.unwrap().contains("tool-kit"));
    created(test.publish_facet(("to0lkit", "1.0.0"), "text", &alice).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_owners_who_claim_a_name_at_once_one_gets_it() {
    let test = TestRegistry::new().await;
    let (alice, bob) = (publisher("alice"), publisher("bob"));
    let (one, other) = tokio::join!(
        test.publish_facet(("demo", "1.0.0"), "one", &alice),
        test.publish_facet(("demo", "2.0.0"), "two", &bob),
    );
    let mut codes = [code(one), code(other)];
    codes.sort_unstable();
    assert_eq!(codes, ["E_NOT_OWNER", "accepted"]);
}
