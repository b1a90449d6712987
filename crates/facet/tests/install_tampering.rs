//! Whatever is changed on the way, on the registry or on this machine: the right check finds it, and nothing changes.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[allow(dead_code, reason = "each test uses a part of it")]
mod installing;
#[allow(dead_code, reason = "each test uses a part of it")]
mod registry;
#[allow(dead_code, reason = "each test uses a part of it")]
mod sourced;
#[allow(dead_code, reason = "each test uses a part of it")]
mod trusted;

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

use facets_digest::Digest;
use installing::proxy::{Proxy, Reply, Upstream};
use installing::{Entry, Market, User, stored, text, tree};
use serde_json::{Value, json};
use sourced::{code_of, error_in, flip, flip_at, greeting};

const KINDS: [(&str, &str); 2] = [("/v0/facets/demo", "demo"), ("/v0/source-servers/jira", "jira")];

/// A facet and a server, each with two versions, and a user who has something else already.
struct Scene {
    market: Market,
    proxy: Proxy,
    user: User,
}

impl Scene {
    fn open() -> Option<Self> {
        let market = Market::open()?;
        market.servers("jira", &["1.0.0", "1.1.0"]);
        for (version, body) in [("1.0.0", "# One\n"), ("1.1.0", "# Two, and this is longer\n")] {
            market.skill("demo", version, "plan", body);
        }
        market.skill("base", "1.0.0", "basics", "# Basics\n");
        let proxy = Proxy::to(&market.registry.url);
        let user = User::with_own_store(&proxy.url);
        user.facet(&["install", "base", "--client", "claude-code", "--yes"]).exits(0);
        Some(Self { market, proxy, user })
    }

    /// Why an install is refused, which changes nothing; afterwards the registry is honest again.
    #[track_caller]
    fn refused(&self, words: &[&str], exit: i32) -> String {
        let refusal = self.user.changes_nothing(|user| user.refusal(words, exit));
        self.proxy.be_honest();
        refusal
    }

    /// What is sent for the archives of a name.
    fn send(&self, of: &str, reply: impl Fn(Vec<u8>) -> Reply + Send + 'static) {
        let of = of.to_owned();
        self.proxy.lie(move |real, path| {
            (path.starts_with(&of) && path.ends_with("/archive")).then(|| reply(real.bytes(path)))
        });
    }

    /// What is stated about the versions of a name.
    fn state(&self, of: &str, change: impl Fn(&mut Value) + Send + 'static) {
        let of = of.to_owned();
        self.proxy.lie(move |real, path| {
            (path.starts_with(&of) && !path.contains("archive"))
                .then(|| stated(real, path, &change))
        });
    }

    /// What is stated, and the archive that fits to it.
    fn replace(&self, of: &str, archive: Vec<u8>, integrity: Option<String>) {
        let of = of.to_owned();
        self.proxy.lie(move |real, path| {
            if !path.starts_with(&of) {
                None
            } else if path.ends_with("/archive") {
                Some(Reply::Bytes(archive.clone()))
            } else {
                Some(stated(real, path, &|document| {
                    document["content_hash"] = json!(Digest::of(&archive).to_string());
                    document["size_bytes"] = json!(archive.len());
                    if let Some(integrity) = &integrity {
                        document["integrity"] = json!(integrity);
                    }
                }))
            }
        });
    }
}

/// A document with something else in it.
fn stated(real: &Upstream, path: &str, change: &dyn Fn(&mut Value)) -> Reply {
    let mut document: Value = serde_json::from_str(&real.text(path)).unwrap();
    change(&mut document);
    Reply::Json(document.to_string())
}

fn flipped(mut bytes: Vec<u8>) -> Vec<u8> {
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    bytes
}

#[test]
fn what_a_registry_sends_or_states_is_found_by_the_right_check() {
    let Some(scene) = Scene::open() else { return };
    for (of, name) in KINDS {
        let install = ["install", name, "--yes"];
        scene.send(of, |bytes| Reply::Bytes(flipped(bytes)));
        assert_eq!(scene.refused(&install, 1), "install-mismatch transport", "{name}: a byte");
        scene.proxy.lie(move |_, path| {
            path.ends_with("1.1.0/archive").then(|| Reply::Of(path.replace("1.1.0", "1.0.0")))
        });
        assert_eq!(
            scene.refused(&install, 1),
            "install-mismatch transport",
            "{name}: an older archive"
        );
        scene.send(of, |bytes| Reply::Bytes([bytes, vec![0; 512]].concat()));
        assert_eq!(
            scene.refused(&install, 1),
            "install-mismatch transport",
            "{name}: bytes behind"
        );
        scene.send(of, |_| Reply::Endless);
        assert_eq!(scene.refused(&install, 1), "install-mismatch transport", "{name}: endless");
        scene.send(of, Reply::Half);
        assert_eq!(scene.refused(&install, 2), "registry-unreachable", "{name}: half");
        for (member, check) in [("content_hash", "transport"), ("integrity", "content")] {
            let other = json!(Digest::of(b"other").to_string());
            scene.state(of, move |document| document[member] = other.clone());
            assert_eq!(
                scene.refused(&install, 1),
                format!("install-mismatch {check}"),
                "{name}: {member}"
            );
        }
        // With hashes that fit, the version inside gives it away.
        let older = scene.market.stated(&format!("{of}/1.0.0"));
        let archive =
            Upstream::of(&scene.market.registry.url).bytes(&format!("{of}/1.0.0/archive"));
        scene.replace(of, archive, Some(text(&older["integrity"]).to_owned()));
        assert_eq!(
            scene.refused(&install, 1),
            "install-mismatch content",
            "{name}: another version"
        );
        scene.send(of, |_| Reply::NotFound);
        assert_eq!(scene.refused(&install, 2), "registry-not-found", "{name}: nothing");
    }
    for (member, name) in [("api_surface", "jira"), ("surface", "jira")] {
        let other = json!(Digest::of(b"other").to_string());
        scene.state("/v0/source-servers/jira", move |document| document[member] = other.clone());
        assert_eq!(
            scene.refused(&["install", name, "--yes"], 1),
            "install-mismatch surface",
            "{member}"
        );
    }
    // All of that was the registry's doing.
    scene.user.facet(&["install", "demo", "jira", "--yes"]).exits(0);
    scene.user.facet(&["verify"]).exits(0);
}

#[test]
fn the_name_of_another_facet_or_server_inside_is_found() {
    let Some(scene) = Scene::open() else { return };
    scene.market.skill("evil", "1.1.0", "plan", "# Evil\n");
    scene.market.servers("evil", &["1.1.0"]);
    for ((of, name), evil) in
        KINDS.iter().zip(["/v0/facets/evil/1.1.0", "/v0/source-servers/evil/1.1.0"])
    {
        let document = scene.market.stated(evil);
        let archive = Upstream::of(&scene.market.registry.url).bytes(&format!("{evil}/archive"));
        scene.replace(of, archive, Some(text(&document["integrity"]).to_owned()));
        assert_eq!(
            scene.refused(&["install", name, "--yes"], 1),
            "install-mismatch content",
            "{name}"
        );
    }
}

/// A header of an archive of servers (spec 4.2).
fn header(path: &str, size: usize, kind: u8) -> Vec<u8> {
    let mut header = vec![0; 512];
    let mut put = |at: usize, bytes: &[u8]| header[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, path.as_bytes());
    put(100, b"0000644");
    put(108, b"0000000");
    put(116, b"0000000");
    put(124, format!("{size:011o}").as_bytes());
    put(136, b"00000000000");
    put(148, b"        ");
    put(156, &[kind]);
    put(257, b"ustar\x0000");
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    header
}

/// An archive with one more file; it and its integrity.
fn archive_with(path: &str, content: &[u8], kind: u8) -> (Vec<u8>, String) {
    let manifest = b"name: jira\nversion: 1.1.0\nruntime: bun\nentry: index.ts\n";
    let mut files: Vec<(&str, &[u8], u8)> =
        vec![("index.ts", b"x", b'0'), ("server.yaml", manifest, b'0'), (path, content, kind)];
    files.sort_by_key(|(path, ..)| path.as_bytes());
    let mut tar = Vec::new();
    for (path, content, kind) in files {
        tar.extend(header(path, content.len(), kind));
        tar.extend(content);
        tar.extend(vec![0; content.len().next_multiple_of(512) - content.len()]);
    }
    tar.extend([0; 1024]);
    let integrity = Digest::of(&tar).to_string();
    let mut gzip = Command::new("gzip");
    gzip.args(["-n", "-9", "-c"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = gzip.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let writing = std::thread::spawn(move || input.write_all(&tar).unwrap());
    let output = child.wait_with_output().unwrap();
    writing.join().unwrap();
    (output.stdout, integrity)
}

#[test]
fn attack_paths_links_and_bombs_are_refused_by_the_rule_that_they_break() {
    let Some(scene) = Scene::open() else { return };
    let of = "/v0/source-servers/jira";
    let refused = |path: &str, content: &[u8], kind: u8| {
        let (archive, integrity) = archive_with(path, content, kind);
        scene.replace(of, archive, Some(integrity));
        scene.refused(&["install", "jira", "--yes"], 1)
    };
    for path in [
        "../evil.ts",
        "/evil.ts",
        "a/../../evil.ts",
        "C:evil.ts",
        "a\\evil.ts",
        "nul.ts",
        "INDEX.ts",
        "index.ts",
    ] {
        let code = refused(path, b"x", b'0');
        assert!(code.starts_with("archive-"), "{path}: {code}");
    }
    for kind in [b'1', b'2', b'3', b'6'] {
        let code = refused("evil", b"", kind);
        assert!(code.starts_with("archive-"), "{kind}: {code}");
    }
    assert_eq!(refused("zeros", &vec![0; 66 << 20], b'0'), "archive-ratio");
    // A harmless one gets further: what it declares is not what the registry saw.
    let (archive, integrity) = archive_with("more.ts", b"x", b'0');
    scene.replace(of, archive, Some(integrity));
    let last =
        scene.user.changes_nothing(|user| user.facet(&["--json", "install", "jira", "--yes"]));
    assert!(last.exit != 0 && !last.out.contains("\"archive-"), "{last:?}");
}

#[test]
fn a_blob_that_changed_on_the_registry_is_never_installed() {
    let Some(scene) = Scene::open() else { return };
    let data = scene.market.registry.data().join("blobs");
    for (of, name) in KINDS {
        let hash = scene.market.stated(&format!("{of}/1.1.0"))["content_hash"].clone();
        let hex = text(&hash).strip_prefix("sha256:").unwrap().to_owned();
        let is_it = |(path, entry): &(String, Entry)| {
            *entry != Entry::Folder && path.replace('/', "").contains(&hex)
        };
        let found: Vec<String> =
            tree(&data, "").into_iter().filter(is_it).map(|(path, _)| path).collect();
        assert_eq!(found.len(), 1, "{name}: {found:?}");
        flip(&data.join(found[0].trim_start_matches('/')));
    }
    // What it has in memory was verified: another process has nothing there.
    let copy = |to: &std::path::Path| {
        let copied =
            Command::new("cp").arg("-a").arg(scene.market.registry.data()).arg(to).status();
        assert!(copied.unwrap().success());
    };
    let fresh = registry::Registry::start_prepared(copy).unwrap();
    for (_, name) in KINDS {
        let url = fresh.url.clone();
        scene.proxy.lie(move |_, path| Some(Reply::From(url.clone(), path.to_owned())));
        // The registry finds it itself, and does not send it.
        assert_eq!(scene.refused(&["install", name, "--yes"], 2), "registry-busy", "{name}");
    }
}

#[test]
fn a_registry_that_goes_back_or_moves_a_version_is_refused() {
    let Some(scene) = Scene::open() else { return };
    let other = Market::open().unwrap();
    other.server("jira", "1.1.0", &format!("{}// other\n", other.template()));
    other.skill("demo", "1.1.0", "plan", "# Another two\n");
    scene.user.facet(&["install", "demo", "jira", "--yes"]).exits(0);
    let files = ["facets.json", "facets.lock", ".facets/surfaces/jira.json"];
    let locked = files.map(|name| (name, scene.user.read(name)));
    // Another project of the same user.
    fs::remove_dir_all(scene.user.project()).unwrap();
    scene.user.write("facets.json", "{ \"clients\": [\"codex\"] }\n");
    for (of, name) in KINDS {
        let install = ["install", name, "--yes"];
        let hides = move |real: &Upstream, path: &str| {
            let is_open =
                path.starts_with(of) && !path.contains("1.1.0") && !path.contains("archive");
            is_open.then(|| Reply::Json(real.text(&format!("{of}/1.0.0"))))
        };
        scene.proxy.lie(hides);
        assert_eq!(scene.refused(&install, 1), "rollback", "{name}");
        scene.proxy.lie(move |real, path| {
            if path.contains("1.1.0") { Some(Reply::NotFound) } else { hides(real, path) }
        });
        assert_eq!(scene.refused(&install, 1), "rollback", "{name}: also if it is deleted");
        let moved = other.registry.url.clone();
        scene.proxy.lie(move |_, path| {
            let real = Upstream::of(&moved);
            path.starts_with(of).then(|| Reply::Bytes(real.bytes(path)))
        });
        assert_eq!(scene.refused(&install, 1), "content-changed", "{name}");
    }
    // What was seen and is taken back is no rollback.
    scene.market.yank("facet", "demo", "1.1.0");
    scene.market.yank("server", "jira", "1.1.0");
    scene.user.facet(&["install", "demo", "jira", "--yes"]).exits(0);
    let lock = scene.user.lock();
    assert_eq!(
        (&lock["facets"]["demo"]["version"], &lock["servers"]["jira"]["version"]),
        (&json!("1.0.0"), &json!("1.0.0"))
    );
    // Who has seen nothing yet is protected by the lock.
    let clone = User::with_own_store(&scene.proxy.url);
    for (name, text) in &locked {
        clone.write(name, text);
    }
    let moved = other.registry.url.clone();
    scene.proxy.lie(move |_, path| {
        path.contains("demo").then(|| Reply::Bytes(Upstream::of(&moved).bytes(path)))
    });
    clone.changes_nothing(|clone| {
        assert_eq!(clone.refusal(&["install", "--frozen"], 1), "install-mismatch lockfile");
    });
}

#[test]
fn one_byte_of_the_store_is_found_and_fetched_again() {
    let Some(scene) = Scene::open() else { return };
    let user = &scene.user;
    user.facet(&["install", "demo", "jira", "--yes"]).exits(0);
    let lock = user.lock();
    let (facet, server) = (&lock["facets"]["demo"], &lock["servers"]["jira"]);
    // The store, where nothing can be fetched anew. What was changed is removed from it.
    let archive = stored(&user.cache, "files", &facet["content_hash"]).join("content");
    flip(&archive);
    let found = user.json(&["verify", "demo"], 1).to_string();
    assert!(found.contains("\"check\":\"content\""), "{found}");
    flip_or_restore(user, &archive);
    fs::remove_file(user.file(".claude/skills/plan/SKILL.md")).unwrap();
    let refused =
        user.changes_nothing(|user| user.refusal(&["install", "--frozen", "--offline"], 2));
    assert!(["store-tampered", "offline"].contains(&refused.as_str()), "{refused}");
    user.facet(&["install", "--frozen"]).exits(0);
    for (kind, digest, inside) in
        [("files", "content_hash", "content"), ("servers", "integrity", "tree/index.ts")]
    {
        flip(&stored(&user.cache, kind, &server[digest]).join(inside));
        let refused = code_of(&error_in(&user.facet(&["--json", "run", "jira"]))).to_owned();
        assert_eq!(refused, "store-tampered", "{inside}");
        user.facet(&["install", "--frozen"]).exits(0);
        assert_eq!(
            greeting(&mut user.command(&["run", "jira"])).as_deref(),
            Some("Hello, Ada!"),
            "{inside}"
        );
    }
}

#[test]
fn one_byte_of_lock_surface_file_or_installed_file_is_found() {
    let Some(scene) = Scene::open() else { return };
    let user = &scene.user;
    user.facet(&["install", "demo", "jira", "--yes"]).exits(0);
    let lock = user.lock();
    let (facet, server) = (&lock["facets"]["demo"], &lock["servers"]["jira"]);
    let (text_of_lock, surface) =
        (user.read("facets.lock"), user.read(".facets/surfaces/jira.json"));
    for (of, member) in [
        (facet, "integrity"),
        (facet, "content_hash"),
        (server, "integrity"),
        (server, "content_hash"),
    ] {
        let other = text_of_lock.replace(text(&of[member]), &Digest::of(b"other").to_string());
        user.write("facets.lock", &other);
        user.changes_nothing(|user| {
            if of == facet {
                let refusal = user.refusal(&["install", "--frozen"], 1);
                assert_eq!(refusal, "install-mismatch lockfile", "{member}");
            }
            assert_ne!(user.facet(&["install", "--frozen"]).exit, 0, "{member}");
            // The archive of another content hash is not stored here: only an install can ask for it.
            let is_archive_known = of == server || member == "integrity";
            assert!(!is_archive_known || user.facet(&["verify"]).exit != 0, "{member}");
        });
    }
    user.write("facets.lock", &text_of_lock);
    flip_at(&user.file(".facets/surfaces/jira.json"), surface.find("Greets").unwrap());
    user.changes_nothing(|user| {
        for words in [&["install", "--frozen"][..], &["install"], &["upgrade", "--yes"]] {
            assert_eq!(user.refusal(words, 1), "install-mismatch surface", "{words:?}");
        }
        user.facet(&["verify"]).exits(1);
        assert_ne!(user.facet(&["run", "jira"]).exit, 0);
    });
    user.write(".facets/surfaces/jira.json", &surface);
    user.facet(&["verify"]).exits(0);
    user.write(".claude/skills/plan/SKILL.md", "mine\n");
    let found = user.json(&["verify"], 1);
    assert!(found.to_string().contains("\"check\":\"file\""), "{found:#}");
    user.facet(&["install"]).exits(0);
    assert_eq!(user.read(".claude/skills/plan/SKILL.md"), "mine\n");
}

/// Changes a stored file once more, if a command has not removed it.
fn flip_or_restore(user: &User, archive: &std::path::Path) {
    if !archive.exists() {
        user.facet(&["install", "--frozen"]).exits(0);
    }
    if archive.exists() {
        flip(archive);
    }
}
