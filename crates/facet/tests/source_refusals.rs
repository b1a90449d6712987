//! Directories that give no server as their author means it: refused by `build` and `add`, with the reason.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[allow(dead_code, reason = "each test uses a part of it")]
mod trusted;

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use trusted::{Ran, Trusted};

/// A project with a server at `./server`, and a cache outside of it.
struct Project {
    trusted: Trusted,
}

impl Project {
    fn new(files: &[(&str, &str)]) -> Self {
        let project = Self { trusted: Trusted::new() };
        fs::create_dir(project.trusted.file("server")).unwrap();
        project.write("server.yaml", "name: demo\nversion: 1.2.3\nruntime: bun\nentry: index.ts\n");
        project.write("index.ts", "console.log('demo')\n");
        for (file, text) in files {
            project.write(file, text);
        }
        project
    }

    fn write(&self, file: &str, text: &str) {
        self.trusted.write(&format!("server/{file}"), text);
    }

    fn append(&self, file: &str, text: &str) {
        let before = self.trusted.read(&format!("server/{file}"));
        self.write(file, &format!("{before}{text}"));
    }

    fn run_with(&self, caches: PathBuf, words: &[&str]) -> Ran {
        let words = [&["--format", "json"], words].concat();
        let mut command = self.trusted.command(&words);
        Ran::of(&command.env("XDG_CACHE_HOME", caches).output().unwrap())
    }

    fn run(&self, words: &[&str]) -> Ran {
        self.run_with(self.trusted.folder.path().join("caches"), words)
    }

    fn has_archive(&self) -> bool {
        let files = fs::read_dir(self.trusted.project()).unwrap();
        let mut names = files.map(|file| file.unwrap().file_name());
        names.any(|name| name.to_string_lossy().ends_with(".tar.gz"))
    }
}

/// The error of a command that could not do what it should.
fn error_of(ran: &Ran) -> Value {
    let line = ran.talk.lines().find(|line| line.starts_with('{'));
    let text = line.unwrap_or(&ran.out);
    serde_json::from_str::<Value>(text).unwrap_or_else(|_| panic!("{ran:?}"))["error"].clone()
}

const ADD: [&str; 4] = ["add", "mine", "--yes", "./server"];

#[test]
fn variables_that_no_server_gets_are_refused_with_line_and_reason() {
    let project = Project::new(&[]);
    let listed = ["LD_PRELOAD", "TOKEN", "NODE_OPTIONS", "FACET_DIR"];
    let listed: Vec<String> = listed.iter().map(|name| format!("  - name: {name}\n")).collect();
    project.append("server.yaml", &format!("env:\n{}", listed.concat()));
    for words in [&["build", "server"][..], &["build", "--check", "server"]] {
        let refused = project.run(words).exits(1).json();
        let found: Vec<(&Value, &Value, &Value)> = refused["problems"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| (&one["code"], &one["line"], &one["member"]))
            .collect();
        let code = json!("env-not-delivered");
        assert_eq!(
            found,
            [
                (&code, &json!(6), &json!("env[0].name")),
                (&code, &json!(8), &json!("env[2].name")),
                (&code, &json!(9), &json!("env[3].name")),
            ],
            "{refused:#}"
        );
        let text = refused.to_string();
        assert!(text.contains("decides which code the runtime runs"), "{text}");
        assert!(text.contains("one of facet's own"), "{text}");
    }
    assert!(!project.has_archive());
    let added = project.run(&ADD).exits(2);
    let error = error_of(&added);
    assert_eq!(error["code"], "artifact-source-invalid", "{added:?}");
    assert_eq!(error["problems"][0]["code"], "env-not-delivered", "{added:?}");
    assert!(!project.trusted.file("facets.lock").exists());
}

#[test]
fn what_is_no_server_is_said_about_what_was_typed() {
    let project = Project::new(&[]);
    project.run(&["build", "server"]).exits(0);
    fs::create_dir(project.trusted.file("empty")).unwrap();
    project.trusted.facet(&["init", "facet", "words"]).exits(0);
    project.trusted.facet(&["build", "words"]).exits(0);
    project.trusted.write("text.tar.gz", "no archive");
    let archive = fs::read(project.trusted.file("demo-1.2.3.server.tar.gz")).unwrap();
    fs::write(project.trusted.file("cut.server.tar.gz"), &archive[..100]).unwrap();
    for (typed, code, said) in [
        ("./empty", "artifact-not-a-server", "facet init server"),
        ("./words", "artifact-not-a-server", "the directory of a facet"),
        ("words-0.1.0.facet", "artifact-not-a-server", "not compressed with gzip"),
        ("text.tar.gz", "artifact-not-a-server", "not compressed with gzip"),
        ("cut.server.tar.gz", "archive-truncated", "cannot use"),
        ("./nowhere", "artifact-source-missing", "does not exist"),
    ] {
        let refused = project.run(&["add", "mine", "--yes", typed]).exits(2);
        let error = error_of(&refused);
        assert_eq!(error["code"], code, "{typed}: {refused:?}");
        let text = error.to_string();
        let name = typed.trim_start_matches("./");
        assert!(text.contains(said) && text.contains(name), "{typed}: {text}");
        let folder = project.trusted.project();
        assert!(!text.contains(folder.to_str().unwrap()), "{typed}: {text}");
    }
    // All mistakes of a directory at once, each with its file.
    project.write("server.yaml", "name: demo\nruntime: node\nentry: gone.ts\n");
    let error = error_of(&project.run(&ADD).exits(2));
    let problems = error["problems"].as_array().unwrap();
    assert!(problems.len() >= 2, "{error:#}");
    assert!(problems[0].to_string().contains("server/server.yaml"), "{error:#}");
    assert!(!project.trusted.file("facets.lock").exists());
}

#[test]
fn a_runtime_that_cannot_be_fetched_is_named() {
    let project = Project::new(&[]);
    for words in [&["runtime", "install"][..], &ADD] {
        let words = [&["--format", "json"], words].concat();
        let mut command = project.trusted.command(&words);
        command.env("XDG_CACHE_HOME", project.trusted.folder.path().join("caches"));
        command.env("npm_config_registry", "http://127.0.0.1:9/");
        let refused = Ran::of(&command.output().unwrap()).exits(2);
        let error = error_of(&refused);
        assert_eq!(error["code"], "fetch-unreachable", "{refused:?}");
        assert!(error["message"].as_str().unwrap().starts_with("cannot fetch bun "), "{error:#}");
    }
}

#[test]
fn unpacking_below_a_directory_that_does_not_exist_names_it() {
    let project = Project::new(&[]);
    project.run(&["build", "server"]).exits(0);
    let words = ["unpack", "demo-1.2.3.server.tar.gz", "--into", "no/such/place"];
    let error = error_of(&project.run(&words).exits(2));
    assert_eq!(error["code"], "not-a-directory", "{error:#}");
    assert!(error["message"].as_str().unwrap().contains("no/such is"), "{error:#}");
}

const PACKAGE: &str = r#"{ "dependencies": { "is-odd": "3.0.1" } }"#;

#[test]
fn a_server_is_never_built_without_the_packages_that_a_pattern_leaves_out() {
    for ignore in [".facetignore", ".gitignore"] {
        for (pattern, file) in [
            ("package.json", "package.json"),
            ("*.json", "package.json"),
            ("*\n!index.ts", "package.json"),
            ("bun.lock", "bun.lock"),
            ("*.lock", "bun.lock"),
        ] {
            let files = [("package.json", PACKAGE), ("bun.lock", "{}"), (ignore, pattern)];
            let project = Project::new(&files);
            for words in [&["build", "server"][..], &ADD] {
                let refused = project.run(words).exits(2);
                let error = error_of(&refused);
                assert_eq!(error["code"], "build-left-out", "{pattern}: {refused:?}");
                let text = error.to_string();
                let line = format!("line 1 of {ignore} leaves it out");
                assert!(text.contains(file) && text.contains(&line), "{text}");
            }
            assert!(!project.has_archive());
        }
    }
}

#[test]
fn a_package_json_without_dependencies_may_be_left_out() {
    let files = [("package.json", r#"{ "type": "module" }"#), (".facetignore", "package.json\n")];
    let project = Project::new(&files);
    let built = project.run(&["build", "server"]).exits(0).json();
    assert_eq!(built["left_out"][0]["path"], "package.json", "{built:#}");
}

#[test]
fn an_entry_that_a_pattern_leaves_out_is_named_and_a_manifest_cannot_be() {
    let project = Project::new(&[(".facetignore", "# mine\n*.ts\n")]);
    let refused = project.run(&["build", "server"]).exits(2);
    let error = error_of(&refused);
    assert_eq!(error["code"], "archive-no-entry", "{refused:?}");
    assert!(error.to_string().contains("line 2 of .facetignore"), "{error}");
    let project = Project::new(&[(".facetignore", "server.yaml\n*.yaml\n")]);
    let built = project.run(&["build", "server"]).exits(0).json();
    let paths: Vec<&Value> =
        built["files"].as_array().unwrap().iter().map(|file| &file["path"]).collect();
    assert!(paths.contains(&&json!("server.yaml")), "{built:#}");
}

#[test]
fn a_store_inside_the_project_is_refused_also_by_the_first_add() {
    let project = Project::new(&[]);
    let inside = project.trusted.file("caches");
    let refused = project.run_with(inside.clone(), &ADD).exits(2);
    let error = error_of(&refused);
    assert_eq!(error["code"], "store-untrusted", "{refused:?}");
    assert!(error.to_string().contains("inside the directory of the project"), "{error}");
    assert!(!inside.exists(), "nothing is stored");
    assert!(!project.trusted.file("facets.lock").exists());
}

#[test]
fn tokens_of_services_are_refused_by_name_and_placeholders_are_not() {
    let token = "sk-ant-api03-Tq8Zf3Lm1Xc7Vb5Nn2Kd9Rw4Ys6Hg0Jp_aQ-eU3iO7tAA";
    let project = Project::new(&[("README.md", "Set API_KEY=sk-ant-... or ghp_xxxxxxxx\n")]);
    project.run(&["build", "server", "--output", "one.tar.gz"]).exits(0);
    project.write("config.ts", &format!("export const key = \"{token}\";\n"));
    let refused = project.run(&["build", "server"]).exits(1).json();
    let problem = &refused["problems"][0];
    assert_eq!(problem["code"], "archive-secret", "{refused:#}");
    let text = problem.to_string();
    assert!(text.contains("config.ts") && text.contains("Anthropic"), "{text}");
    assert!(!refused.to_string().contains(token), "the token is not shown");
    let allowed = ["build", "server", "--allow-secret", "config.ts", "--output", "two.tar.gz"];
    project.run(&allowed).exits(0);
}
