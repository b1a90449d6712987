//! Publishing on a real registry: logging in, facets, servers, conflicts, and taking back.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod registry;
#[allow(dead_code, reason = "each test uses a part of it")]
mod trusted;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use facets_testkit::{repository_root, skip};
use registry::Registry;
use serde_json::{Value, json};
use trusted::{FACET, Ran, Trusted};

/// The cache of the tests with servers from source: the runtime is fetched once.
static CACHE: LazyLock<PathBuf> =
    LazyLock::new(|| repository_root().join("target/tools/source-mode-cache"));

/// An author with a registry.
struct Author {
    trusted: Trusted,
    registry: Registry,
}

impl Author {
    fn new() -> Option<Self> {
        let registry = Registry::start()?;
        fs::create_dir_all(&*CACHE).unwrap();
        let trusted = Trusted::new();
        trusted.write("token.txt", &format!("{}\n", registry.token("author")));
        Some(Self { trusted, registry })
    }

    /// The same, after a login.
    fn logged_in() -> Option<Self> {
        let author = Self::new()?;
        author.facet(&["login", "--token-file", "token.txt"]).exits(0);
        Some(author)
    }

    fn set_up(&self, command: &mut Command) {
        command.env("FACET_REGISTRY_URL", &self.registry.url).env("XDG_CACHE_HOME", &*CACHE);
        command.env_remove("FACET_TOKEN");
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = self.trusted.command(words);
        self.set_up(&mut command);
        command
    }

    fn facet(&self, words: &[&str]) -> Ran {
        Ran::of(&self.command(words).output().unwrap())
    }

    fn json(&self, words: &[&str], exit: i32) -> Value {
        let words: Vec<&str> = ["--format", "json"].iter().chain(words).copied().collect();
        self.facet(&words).exits(exit).json()
    }

    /// The code of an error.
    fn code(&self, words: &[&str]) -> String {
        self.json(words, 2)["error"]["code"].as_str().unwrap().to_owned()
    }

    fn credentials(&self) -> PathBuf {
        self.trusted.home().join("credentials")
    }

    /// Runs a line of the documentation, which has to end well.
    fn type_line(&self, line: &str) {
        let folder = Path::new(FACET).parent().unwrap().to_owned();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path =
            std::env::join_paths(std::iter::once(folder).chain(std::env::split_paths(&path)));
        let mut command = Command::new("sh");
        command.args(["-c", line]).current_dir(self.trusted.project()).stdin(Stdio::null());
        command.env("PATH", path.unwrap()).env("FACET_DIR", self.trusted.home());
        self.set_up(&mut command);
        let ran = Ran::of(&command.output().unwrap());
        assert_eq!(ran.exit, 0, "{line}: {ran:?}\n{}", self.registry.log());
    }

    /// A new server; none, and a visible skip, where the runtime that starts it cannot be fetched.
    fn server(&self, name: &str) -> Option<()> {
        self.facet(&["init", "server", name]).exits(0);
        let shown = self.facet(&["publish", name, "--dry-run", "--yes"]);
        if shown.exit != 0 && shown.talk.contains("fetch") {
            skip("the registry that has the runtime cannot be reached");
            return None;
        }
        assert_eq!(shown.exit, 0, "{shown:?}");
        Some(())
    }
}

#[test]
fn a_large_archive_with_a_wrong_token_is_refused_in_the_words_of_the_registry() {
    let Some(author) = Author::new() else { return };
    fs::create_dir_all(author.trusted.project().join("large/skills/plan")).unwrap();
    author.trusted.write(
        "large/facet.json",
        r#"{"name":"large","version":"1.0.0","skills":{"plan":{"description":"d","files":["notes.md"]}}}"#,
    );
    author.trusted.write("large/skills/plan/SKILL.md", "Plan.\n");
    author.trusted.write("large/skills/plan/notes.md", &"words\n".repeat(700_000));
    let mut command = author.command(&["--format", "json", "publish", "large", "--yes"]);
    let refused = Ran::of(&command.env("FACET_TOKEN", "fct_pub_wrong").output().unwrap());
    let refused = refused.exits(2).json();
    assert_eq!(refused["error"]["code"], "registry-unauthorized", "{refused:#}");
    assert!(refused.to_string().contains("E_UNAUTHORIZED"), "{refused:#}");
}

#[test]
fn a_login_is_checked_stored_for_this_user_alone_and_forgotten() {
    let Some(author) = Author::new() else { return };
    assert_eq!(author.code(&["whoami"]), "registry-not-logged-in");
    author.trusted.write("wrong.txt", "fct_pub_wrong\n");
    let wrong = ["login", "--token-file", "wrong.txt"];
    let refused = author.json(&wrong, 2);
    assert_eq!(refused["error"]["code"], "registry-unauthorized");
    assert!(!refused.to_string().contains("facet login"), "{refused:#}");
    assert!(!author.credentials().exists());
    let login = author.json(&["login", "--token-file", "token.txt"], 0);
    assert_eq!(
        (&login["username"], &login["registry"]),
        (&json!("author"), &json!(author.registry.url))
    );
    assert_eq!(login["scopes"], json!(["publish:*"]));
    let mode = fs::metadata(author.credentials()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let token = author.trusted.read("token.txt");
    let stored = fs::read_to_string(author.credentials()).unwrap();
    let expected = format!("[default]\nregistry={}\ntoken={token}", author.registry.url);
    assert_eq!(stored, expected);
    let known = author.json(&["whoami"], 0);
    assert_eq!((&known["username"], &known["token"]), (&json!("author"), &json!("file")));
    assert_eq!(author.json(&["logout"], 0)["removed"], true);
    assert!(!fs::read_to_string(author.credentials()).unwrap().contains(token.trim()));
    assert_eq!(author.json(&["logout"], 0)["removed"], false);
    assert_eq!(author.code(&["whoami"]), "registry-not-logged-in");
}

#[test]
fn a_token_comes_from_standard_input_or_the_environment_and_is_never_printed() {
    let Some(author) = Author::new() else { return };
    let token = author.trusted.read("token.txt");
    let mut login = author.command(&["login", "--token-stdin", "--verbose"]);
    let ran = Ran::of(
        &login.stdin(fs::File::open(author.trusted.file("token.txt")).unwrap()).output().unwrap(),
    );
    assert_eq!(ran.exit, 0, "{ran:?}");
    assert!(!format!("{ran:?}").contains(token.trim()));
    author.facet(&["logout"]).exits(0);
    let with_token = |words: &[&str], registry: Option<&str>| {
        let mut command = author.command(words);
        command.env("FACET_TOKEN", token.trim());
        match registry {
            Some(url) => command.env("FACET_REGISTRY_URL", url),
            None => command.env_remove("FACET_REGISTRY_URL"),
        };
        Ran::of(&command.output().unwrap())
    };
    let url = author.registry.url.as_str();
    let known = with_token(&["--json", "whoami"], Some(url)).exits(0).json();
    assert_eq!((&known["token"], &known["file"]), (&json!("environment"), &Value::Null));
    with_token(&["whoami", "--registry", url], None).exits(0);
    // It is for the registry of the environment, and not for this one.
    let other = with_token(&["whoami", "--registry", url], Some("https://registry.example.com"));
    assert!(other.exits(2).talk.contains("registry-not-logged-in"));
}

#[test]
fn an_archive_that_is_refused_and_a_private_facet_are_negative_verdicts() {
    let trusted = Trusted::new();
    let code = |target: &str| {
        let mut command = trusted.command(&["--json", "publish", target, "--dry-run"]);
        let ran = Ran::of(&command.env_remove("FACET_REGISTRY_URL").output().unwrap());
        ran.exits(1).json()["error"]["code"].as_str().unwrap().to_owned()
    };
    trusted.write("garbage.facet", "no archive");
    assert!(code("garbage.facet").starts_with("archive-"));
    trusted.facet(&["init", "facet", "mine"]).exits(0);
    let manifest = trusted.read("mine/facet.json");
    let private = manifest.replacen('{', "{\n  \"private\": true,", 1);
    trusted.write("mine/facet.json", &private);
    assert_eq!(code("mine"), "publish-private");
    // No archive at all is none that was judged.
    trusted.facet(&["publish", "absent.facet", "--dry-run"]).exits(2);
}

#[test]
fn a_facet_is_published_once_and_never_changes() {
    let Some(author) = Author::logged_in() else { return };
    author.facet(&["init", "facet", "my-facet"]).exits(0);
    // Without a terminal and without a yes, nothing is uploaded.
    assert_eq!(author.code(&["publish", "my-facet"]), "not-approved");
    let built = author.json(&["build", "my-facet"], 0);
    let published = author.json(&["publish", "my-facet", "--yes"], 0);
    assert_eq!(published["status"], "published", "{published:#}");
    for member in ["name", "version", "content_hash", "integrity", "size", "files"] {
        assert_eq!(published[member], built[member], "{member}");
    }
    assert_eq!(published["url"], format!("{}/v0/facets/my-facet/0.1.0", author.registry.url));
    assert_eq!(published["differences"], json!([]));
    let again = author.json(&["publish", "my-facet-0.1.0.facet", "--yes"], 0);
    assert_eq!(again["status"], "unchanged");
    author.trusted.write("my-facet/skills/hello/SKILL.md", "Say something else.\n");
    let other = author.json(&["publish", "my-facet", "--yes"], 2);
    assert_eq!(other["error"]["code"], "registry-version-exists");
    let integrity = built["integrity"].as_str().unwrap();
    assert!(other["error"]["expected"].as_str().unwrap().contains(integrity), "{other:#}");
    let shown = author.json(&["publish", "my-facet", "--dry-run"], 0);
    let own = shown["integrity"].as_str().unwrap();
    assert!(other["error"]["actual"].as_str().unwrap().contains(own), "{other:#}");
    let manifest = author.trusted.read("my-facet/facet.json");
    author.trusted.write("my-facet/facet.json", &manifest.replace("0.1.0", "0.2.0"));
    let raised = author.facet(&["publish", "my-facet", "--yes"]).exits(0);
    assert!(raised.out.contains("published: facet my-facet 0.2.0 on "), "{raised:?}");
    assert!(raised.out.contains("the registry computed the same integrity, content_hash"));
}

#[test]
fn a_version_is_taken_back_by_its_owner_and_by_no_other() {
    let Some(author) = Author::logged_in() else { return };
    author.facet(&["init", "facet", "my-facet"]).exits(0);
    author.facet(&["publish", "my-facet", "--yes"]).exits(0);
    let yanked = author.json(&["yank", "my-facet", "0.1.0", "--reason", "it is broken"], 0);
    assert_eq!(
        (&yanked["kind"], &yanked["yanked"]["reason"]),
        (&json!("facet"), &json!("it is broken"))
    );
    let again = author.json(&["publish", "my-facet", "--yes"], 0);
    assert_eq!(
        (&again["status"], &again["yanked"]["reason"]),
        (&json!("unchanged"), &json!("it is broken"))
    );
    let undone = author.json(&["yank", "my-facet", "0.1.0", "--undo", "--kind", "facet"], 0);
    assert_eq!(undone["yanked"], Value::Null);
    for words in [
        &["yank", "my-facet", "9.9.9", "--reason", "x"][..],
        &["yank", "my-facet", "0.1.0", "--reason", "x", "--kind", "server"],
        &["yank", "unknown", "0.1.0", "--reason", "x"],
    ] {
        assert_eq!(author.code(words), "registry-not-found", "{words:?}");
    }
    author.trusted.write("token.txt", &author.registry.token("another"));
    author.facet(&["login", "--token-file", "token.txt"]).exits(0);
    let foreign = ["yank", "my-facet", "0.1.0", "--reason", "x"];
    assert_eq!(author.code(&foreign), "registry-forbidden");
}

#[test]
fn every_hash_of_a_server_is_the_same_here_and_there() {
    let Some(author) = Author::logged_in() else { return };
    let Some(()) = author.server("greeter") else { return };
    let built = author.json(&["build", "greeter"], 0);
    let added = author.json(&["add", "mine", "--yes", "./greeter"], 0);
    let published = author.json(&["publish", "greeter", "--yes"], 0);
    assert_eq!((&published["kind"], &published["status"]), (&json!("server"), &json!("published")));
    for member in ["content_hash", "integrity"] {
        assert_eq!(published[member], built[member], "{member}");
    }
    for member in ["api_surface", "surface", "behavior"] {
        assert_eq!(published[member], added[member], "{member}");
    }
    assert_eq!(published["differences"], json!([]), "{published:#}");
    let again = author.facet(&["publish", "greeter-0.1.0.server.tar.gz", "--yes"]).exits(0);
    assert!(again.out.contains("already published: server greeter 0.1.0"), "{again:?}");
    assert!(again.out.contains("tools         greet"), "{again:?}");
    let text = author.trusted.read("greeter/index.ts");
    author.trusted.write("greeter/index.ts", &format!("{text}// more\n"));
    assert_eq!(author.code(&["publish", "greeter", "--yes"]), "registry-version-exists");
}

#[test]
fn a_server_that_does_not_start_is_not_uploaded() {
    let Some(author) = Author::logged_in() else { return };
    let Some(()) = author.server("broken") else { return };
    author.trusted.write("broken/index.ts", "throw new Error(\"no key\");\n");
    let ran = author.facet(&["publish", "broken", "--yes"]).exits(2);
    assert!(ran.talk.contains("no key"), "{ran:?}");
    let yank = ["yank", "broken", "0.1.0", "--reason", "x"];
    assert_eq!(author.code(&yank), "registry-not-found");
}

#[test]
fn the_commands_of_the_documentation_work() {
    let Some(author) = Author::new() else { return };
    let Some(()) = author.server("warm-up") else { return };
    let page = fs::read_to_string(repository_root().join("docs/publishing-facets.md")).unwrap();
    let (_, behind) = page.split_once("<!-- publish: begin -->\n```sh\n").unwrap();
    let (block, _) = behind.split_once("```\n<!-- publish: end -->\n").unwrap();
    assert!(block.lines().count() >= 6, "{block}");
    for line in block.lines() {
        author.type_line(line);
    }
}
