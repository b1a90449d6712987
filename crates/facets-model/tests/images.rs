//! Image references (spec 2.3): a table against the grammar of the distribution project,
//! and the oracle, which has that grammar as a regular expression.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use facets_model::ImageReference;
use facets_testkit::{Random, ask_oracle, long_count};

const SHA: &str = "sha256:a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90";

/// `#` stands for a good digest. The answer is `host path tag digest`, or the reason.
const TABLE: &[(&str, &str)] = &[
    ("alpine", "docker.io library/alpine latest -"),
    ("alpine:3.20", "docker.io library/alpine 3.20 -"),
    ("alpine@#", "docker.io library/alpine - #"),
    ("alpine:3.20@#", "docker.io library/alpine 3.20 #"),
    ("library/alpine", "docker.io library/alpine latest -"),
    ("acme/slack-bot", "docker.io acme/slack-bot latest -"),
    ("docker.io/alpine", "docker.io library/alpine latest -"),
    ("docker.io/library/alpine", "docker.io library/alpine latest -"),
    ("index.docker.io/alpine", "docker.io library/alpine latest -"),
    ("ghcr.io/acme/slack-bot:v2", "ghcr.io acme/slack-bot v2 -"),
    ("ghcr.io/acme/slack-bot@#", "ghcr.io acme/slack-bot - #"),
    ("ghcr.io/acme/slack-bot:v2@#", "ghcr.io acme/slack-bot v2 #"),
    ("ghcr.io/a/b/c/d:x", "ghcr.io a/b/c/d x -"),
    ("ghcr.io/single", "ghcr.io single latest -"),
    ("localhost/test", "localhost test latest -"),
    ("localhost:5000/test:1", "localhost:5000 test 1 -"),
    ("localhost:5000", "docker.io library/localhost 5000 -"),
    ("localhost", "docker.io library/localhost latest -"),
    ("127.0.0.1:5055/tiny", "127.0.0.1:5055 tiny latest -"),
    ("[::1]:5000/tiny", "[::1]:5000 tiny latest -"),
    ("[2001:db8::1]/tiny", "[2001:db8::1] tiny latest -"),
    ("registry:80/x", "registry:80 x latest -"),
    ("REGISTRY/x", "REGISTRY x latest -"),
    ("Example.COM/x", "Example.COM x latest -"),
    ("xn--7o8h.com/x", "xn--7o8h.com x latest -"),
    ("a-b.c/x", "a-b.c x latest -"),
    ("a", "docker.io library/a latest -"),
    ("0", "docker.io library/0 latest -"),
    ("a_b", "docker.io library/a_b latest -"),
    ("a__b", "docker.io library/a__b latest -"),
    ("a-b", "docker.io library/a-b latest -"),
    ("a----b", "docker.io library/a----b latest -"),
    ("a.b", "docker.io library/a.b latest -"),
    ("a.b/c", "a.b c latest -"),
    ("aa/bb/cc", "docker.io aa/bb/cc latest -"),
    ("a:_", "docker.io library/a _ -"),
    ("a:A.b-c_d", "docker.io library/a A.b-c_d -"),
    ("foo/foo_bar.com:8080", "docker.io foo/foo_bar.com 8080 -"),
    ("foo.com:8080/x:8080", "foo.com:8080 x 8080 -"),
    ("", "NoRepository"),
    (":tag", "NoRepository"),
    ("@#", "NoRepository"),
    ("ghcr.io/", "NoRepository"),
    ("ghcr.io/:v1", "NoRepository"),
    ("Alpine", "UpperCase"),
    ("ghcr.io/Acme/bot", "UpperCase"),
    ("acme/Bot:v1", "UpperCase"),
    ("a/B", "UpperCase"),
    ("a___b", "Component"),
    ("a..b", "Component"),
    ("a._b", "Component"),
    ("-a", "Component"),
    ("a-", "Component"),
    ("a/-b", "Component"),
    ("a/b-", "Component"),
    ("a//b", "Component"),
    ("/a", "Component"),
    ("a/", "Component"),
    ("a b", "Component"),
    (" a", "Component"),
    ("a\n", "Component"),
    ("é", "Component"),
    ("https://ghcr.io/a", "Host"),
    ("ghcr.io:/a", "Host"),
    ("ghcr.io:port/a", "Host"),
    ("-ghcr.io/a", "Host"),
    ("ghcr-.io/a", "Host"),
    ("ghcr..io/a", "Host"),
    ("user@ghcr.io/a", "Digest"),
    ("[::1/a", "Host"),
    ("a:", "Tag"),
    ("a:-x", "Tag"),
    ("a:.x", "Tag"),
    ("a:x:y", "Tag"),
    ("a:é", "Tag"),
    ("a:x y", "Tag"),
    ("a@", "Digest"),
    ("a@sha256", "Digest"),
    ("a@sha256:", "Digest"),
    ("a@sha256:abc123", "Digest"),
    ("a@sha256:A1B2C3D4E5F60718293A4B5C6D7E8F90A1B2C3D4E5F60718293A4B5C6D7E8F90", "Digest"),
    ("a@md5:d41d8cd98f00b204e9800998ecf8427e", "Digest"),
    ("a@#@#", "Digest"),
    ("a@#:tag", "Digest"),
    ("a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90", "ImageId"),
];

fn answer(text: &str) -> Result<String, String> {
    let reference = text.parse::<ImageReference>().map_err(|error| format!("{error:?}"))?;
    assert_eq!(reference.as_written(), text);
    let tag = reference.tag().unwrap_or("-");
    let digest = reference.digest().map_or_else(|| "-".to_owned(), |digest| digest.to_string());
    Ok(format!("{} {} {tag} {digest}", reference.host(), reference.path()))
}

#[test]
fn references_are_read_as_the_table_says() {
    assert!(TABLE.len() >= 60);
    for (text, expected) in TABLE {
        let text = text.replace('#', SHA);
        match answer(&text) {
            Ok(parts) => assert_eq!(parts, expected.replace('#', SHA), "{text}"),
            Err(reason) => {
                assert!(reason.starts_with(expected), "{text}: {reason}, not {expected}");
            }
        }
    }
}

#[test]
fn lengths_are_bounded() {
    let path = format!("a/{}", "b".repeat(253));
    assert!(answer(&format!("ghcr.io/{path}")).is_ok());
    assert!(answer(&format!("ghcr.io/{path}b")).unwrap_err().starts_with("TooLong"));
    assert!(answer(&format!("a:{}", "t".repeat(128))).is_ok());
    assert!(answer(&format!("a:{}", "t".repeat(129))).unwrap_err().starts_with("Tag"));
}

#[test]
fn a_reference_with_defaults_reads_as_itself() {
    for (text, _) in TABLE {
        let text = text.replace('#', SHA);
        let Ok(first) = text.parse::<ImageReference>() else {
            continue;
        };
        let complete = first.to_string();
        let second: ImageReference = complete.parse().unwrap();
        assert_eq!(second.to_string(), complete, "{text}");
    }
}

#[test]
fn random_references_equal_the_oracle() {
    let mut random = Random::seeded(23);
    let pieces = [
        "a",
        "b1",
        "Z",
        "ghcr.io",
        "localhost",
        "docker.io",
        "index.docker.io",
        ":5000",
        ":",
        "/",
        "/",
        ".",
        "_",
        "__",
        "-",
        "@",
        "@#",
        "[::1]",
        "127.0.0.1",
        "v1",
        "é",
        " ",
        "latest",
    ];
    let mut cases: Vec<String> = TABLE.iter().map(|(text, _)| text.replace('#', SHA)).collect();
    cases.extend((0..long_count(200_000)).map(|_| {
        let count = 1 + random.below(6);
        (0..count).map(|_| random.pick(&pieces)).collect::<String>().replace('#', SHA)
    }));
    let Some(answers) = ask_oracle("image", &cases) else {
        return;
    };
    let mut accepted = 0;
    for (case, theirs) in cases.iter().zip(answers) {
        let ours =
            answer(case).map_or_else(|_| "refused".to_owned(), |parts| format!("ok {parts}"));
        accepted += usize::from(ours != "refused");
        assert_eq!(ours, theirs, "{case:?}");
    }
    assert!(accepted > 2000, "{accepted} accepted references say too little");
}
