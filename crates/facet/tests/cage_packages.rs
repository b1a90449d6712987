//! Which files are opened to a server because they are its own, and that they are shown.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[allow(dead_code, reason = "each test uses a part of it")]
mod caged;

use std::os::unix::fs::{PermissionsExt as _, symlink};

use caged::{Place, data, is_root, runtime, users};
use facets_testkit::{component, put_program, repository_root, skip};
use serde_json::{Value, json};

/// A server that needs a part of its package, and answers which of these files it can read.
fn server() -> String {
    let imports = "import \"./lib/part.mjs\";\n";
    let script = data("probe.mjs").replace(
        "JSON.stringify(await probe(params.arguments))",
        "JSON.stringify(params.arguments.files.map((file) => attempt(() => fs.readFileSync(file))))",
    );
    imports.to_owned() + &script
}

/// Adds the server at this path, and confines its files.
fn confined(place: &Place, runtime: &str, script: &str) {
    let script = place.path(script);
    place.ran(&["add", "s", "--yes", "--", runtime, script.to_str().unwrap()]);
    place.ran(&["grant", "s", "filesystem=none", "--yes"]);
}

#[track_caller]
fn reads(place: &Place, files: &[(&str, bool)]) {
    let paths: Vec<_> = files.iter().map(|(file, _)| place.path(file)).collect();
    let seen = place.called("s", &[], "probe", &json!({ "files": paths }));
    let expected: Vec<&str> =
        files.iter().map(|(_, open)| if *open { "reached" } else { "closed" }).collect();
    assert_eq!(seen, json!(expected), "{} {files:?}", place.user);
}

/// The paths that facet says it opens to read, and what of them stays closed, from this place on.
fn shown(place: &Place) -> Vec<(String, Vec<String>)> {
    let report: Value =
        serde_json::from_str(&place.ran(&["--format", "json", "grant", "s"])).unwrap();
    let top = std::fs::canonicalize(place.path("")).unwrap();
    let inner = |path: &Value| {
        let path = path.as_str().unwrap();
        path.strip_prefix(top.to_str().unwrap()).unwrap_or(path).trim_start_matches('/').to_owned()
    };
    let read = report["opened"]["read"].as_array().unwrap().iter();
    read.map(|one| {
        (inner(&one["path"]), one["without"].as_array().unwrap().iter().map(inner).collect())
    })
    .filter(|(path, _): &(String, _)| !path.starts_with("etc/") && !path.starts_with("runtime"))
    .collect()
}

fn for_each_runtime(check: impl Fn(&Place, &str)) {
    for user in users() {
        for name in ["node", "bun"] {
            let Some(found) = runtime(name) else { continue };
            let place = Place::new(user);
            let copy = place.path("runtime/bin").join(name);
            std::fs::create_dir_all(copy.parent().unwrap()).unwrap();
            put_program(&found, &copy);
            place.put("outside/.ssh/id_rsa", "secret");
            place.put("outside/diary.txt", "secret");
            check(&place, copy.to_str().unwrap());
        }
    }
}

/// A home directory is no package, whatever lies in it and whatever that names.
#[test]
fn a_manifest_in_the_home_directory_opens_nothing() {
    for_each_runtime(|place, runtime| {
        place.put("outside/package.json", r#"{"main":"tools/server.mjs"}"#);
        place.put("outside/tools/server.mjs", &server().replace("import \"./lib/part.mjs\";", ""));
        confined(place, runtime, "outside/tools/server.mjs");
        reads(
            place,
            &[
                ("outside/.ssh/id_rsa", false),
                ("outside/diary.txt", false),
                ("outside/package.json", false),
                ("outside/tools/server.mjs", true),
            ],
        );
        assert_eq!(shown(place), [("outside/tools/server.mjs".to_owned(), vec![])]);
    });
}

#[test]
fn a_package_of_the_project_is_read_without_its_secrets() {
    for_each_runtime(|place, runtime| {
        place.put("work/package.json", "{}");
        place.put("work/server.mjs", &server());
        place.put("work/lib/part.mjs", "");
        place.put("work/lib/readme.txt", "");
        place.put("work/lib/token.mjs", "");
        for secret in [".env", ".npmrc", ".git/config", "lib/server.pem", "lib/.aws/credentials"] {
            place.put(&format!("work/{secret}"), "secret");
        }
        for secret in ["token.txt", "serviceAccountKey.json", "prod.env.local", "secrets.bak/x"] {
            place.put(&format!("work/{secret}"), "secret");
        }
        confined(place, runtime, "work/server.mjs");
        reads(
            place,
            &[
                ("work/package.json", true),
                ("work/lib/readme.txt", true),
                ("work/lib/token.mjs", true),
                ("work/token.txt", false),
                ("work/serviceAccountKey.json", false),
                ("work/prod.env.local", false),
                ("work/secrets.bak/x", false),
                ("work/.env", false),
                ("work/.npmrc", false),
                ("work/.git/config", false),
                ("work/lib/server.pem", false),
                ("work/lib/.aws/credentials", false),
                ("outside/diary.txt", false),
            ],
        );
        let package = shown(place).into_iter().find(|(path, _)| path == "work").unwrap();
        for secret in [".env", ".npmrc", ".git", "lib/.aws", "lib/server.pem"] {
            let secret = format!("work/{secret}");
            assert!(package.1.contains(&secret), "{secret} {package:?}");
        }
        let text = place.ran(&["grant", "s"]);
        assert!(text.contains("its own package") && text.contains("(without "), "{text}");
        // What is wanted all the same is granted in so many words.
        place.ran(&["grant", "s", "filesystem=ro:.env", "--yes"]);
        reads(place, &[("work/.env", true), ("work/.npmrc", false)]);
    });
}

/// Elsewhere a package has to say that the program is its own.
#[test]
fn a_package_elsewhere_is_opened_if_it_names_the_program() {
    for_each_runtime(|place, runtime| {
        place.put("outside/app/package.json", r#"{"scripts":{"start":"node server.mjs"}}"#);
        place.put("outside/app/server.mjs", &server());
        place.put("outside/app/lib/part.mjs", "");
        confined(place, runtime, "outside/app/server.mjs");
        reads(place, &[("outside/app/package.json", true), ("outside/diary.txt", false)]);
        place.put("outside/app/package.json", "{}");
        let shown = shown(place);
        assert_eq!(shown, [("outside/app/server.mjs".to_owned(), vec![])], "no longer named");
    });
}

/// Servers as npm and pip install them start with what is opened to them, and nothing else.
#[test]
fn installed_servers_start_with_files_closed() {
    if !is_root() {
        return skip("the place is given to root");
    }
    let servers = repository_root().join("target/tools/servers");
    let npm = |name: &str| {
        servers.join(format!("npm/node_modules/@modelcontextprotocol/{name}/dist/index.js"))
    };
    let mut commands = vec![vec![servers.join("venv/bin/mcp-server-time")]];
    for runtime in [component("node"), component("bun")].into_iter().flatten() {
        commands.push(vec![runtime.clone(), npm("server-memory")]);
        commands.push(vec![runtime, npm("server-everything")]);
    }
    let place = Place::new("root");
    for (number, command) in commands.iter().enumerate() {
        if let Some(missing) = command.iter().find(|file| !file.is_file()) {
            return skip(&format!("{} is not installed", missing.display()));
        }
        let name = format!("s{number}");
        let words: Vec<&str> = command.iter().map(|word| word.to_str().unwrap()).collect();
        place.ran(&[&["add", &name, "--yes", "--"], &words[..]].concat());
        place.ran(&["grant", &name, "filesystem=none", "network=none", "--yes"]);
        place.ran(&["check", &name]);
    }
}

/// A program in the `bin` of a project that answers which of these files it can read.
const PROGRAM: &str = r#"#!/usr/bin/python3
import json, sys

def attempt(path):
    try:
        open(path).close()
        return "reached"
    except OSError:
        return "closed"

for line in sys.stdin:
    request = json.loads(line)
    method, asked = request["method"], request.get("params", {}).get("arguments", {})
    if "id" not in request:
        continue
    if method == "initialize":
        result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                  "serverInfo": {"name": "s", "version": "1"}}
    elif method == "tools/list":
        result = {"tools": [{"name": "probe", "inputSchema": {"type": "object"}}]}
    else:
        text = json.dumps([attempt(path) for path in asked["files"]])
        result = {"content": [{"type": "text", "text": text}]}
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
"#;

/// A project in the home directory of a user, whose program has files closed.
fn with_program(program: &str, arrange: impl Fn(&Place), files: &[(&str, bool)]) {
    for user in users() {
        let place = Place::new(user);
        place.put("outside/.ssh/id_rsa", "secret");
        place.put("outside/proj/bin/server", program);
        arrange(&place);
        for made in ["outside/proj/bin/server", "outside/proj/t"] {
            let mode = std::fs::Permissions::from_mode(0o755);
            let _ = std::fs::set_permissions(place.path(made), mode);
        }
        let server = place.path("outside/proj/bin/server");
        place.ran(&["add", "s", "--yes", "--", server.to_str().unwrap()]);
        place.ran(&["grant", "s", "filesystem=none", "--yes"]);
        reads(&place, files);
    }
}

#[test]
fn a_link_beside_the_program_opens_nothing_elsewhere() {
    for (part, target) in [
        ("lib", ".."),
        ("lib64", ".."),
        ("libexec", "../.ssh"),
        ("pyvenv.cfg", "../.ssh/id_rsa"),
        ("lib", "../../outside/proj/../.ssh"),
    ] {
        let arrange = |place: &Place| {
            symlink(target, place.path("outside/proj").join(part)).unwrap();
        };
        with_program(PROGRAM, arrange, &[("outside/.ssh/id_rsa", false)]);
    }
    // Nor more of the project than is said.
    for target in [".", "data"] {
        let arrange = |place: &Place| {
            place.put("outside/proj/data/diary.txt", "secret");
            symlink(target, place.path("outside/proj/lib")).unwrap();
        };
        with_program(PROGRAM, arrange, &[("outside/proj/data/diary.txt", false)]);
    }
    // As in a virtual environment.
    let arrange = |place: &Place| {
        place.put("outside/proj/lib/part.py", "");
        symlink("lib", place.path("outside/proj/lib64")).unwrap();
    };
    with_program(PROGRAM, arrange, &[("outside/proj/lib64/part.py", true)]);
}

/// Neither does a project that lies behind a link to the home directory.
#[test]
fn a_program_behind_a_link_opens_nothing_beside_it() {
    for user in users() {
        let place = Place::new(user);
        place.put("outside/bin/server", PROGRAM);
        place.put("outside/lib/diary.txt", "secret");
        symlink("../outside", place.path("work/x")).unwrap();
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(place.path("outside/bin/server"), mode).unwrap();
        place.ran(&["add", "s", "--yes", "--", "./x/bin/server"]);
        place.ran(&["grant", "s", "filesystem=none", "--yes"]);
        reads(&place, &[("outside/lib/diary.txt", false), ("outside/bin/server", true)]);
    }
}

#[test]
fn a_file_that_is_no_interpreter_is_not_opened_as_one() {
    let line = "#!/usr/bin/env -S -u ../outside/proj/t /usr/bin/python3\n";
    let program = PROGRAM.replace("#!/usr/bin/python3\n", line);
    let arrange = |place: &Place| {
        let secret = place.path("outside/.ssh/id_rsa");
        place.put("outside/proj/t", &format!("#!{}\n", secret.display()));
    };
    with_program(&program, arrange, &[("outside/.ssh/id_rsa", false)]);
}

#[test]
fn libraries_beside_the_program_are_read_without_secrets() {
    let secrets = ["lib/.env", "lib/prod.env", "lib/key.pem.bak", "libexec/credentials/x"];
    let arrange = |place: &Place| {
        for file in secrets.into_iter().chain(["lib/part.py", "lib/site-packages/x/ca.pem"]) {
            place.put(&format!("outside/proj/{file}"), "secret");
        }
    };
    let secrets = secrets.map(|file| format!("outside/proj/{file}"));
    let mut files: Vec<(&str, bool)> = secrets.iter().map(|file| (&**file, false)).collect();
    files.push(("outside/proj/lib/part.py", true));
    files.push(("outside/proj/lib/site-packages/x/ca.pem", true));
    with_program(PROGRAM, arrange, &files);
}

/// What was decided lies there, also about other servers.
#[test]
fn an_argument_in_what_facet_keeps_opens_nothing() {
    for user in users() {
        let place = Place::new(user);
        place.add_runner("other", &[]);
        let kept = std::fs::read_dir(place.path("home/ledger")).unwrap().flatten().next().unwrap();
        let kept = std::fs::read_dir(kept.path()).unwrap().flatten().map(|entry| entry.path());
        let record = kept.into_iter().find(|path| path.extension().is_some()).unwrap();
        place.add_runner("s", &[record.to_str().unwrap()]);
        place.grant("s", &["filesystem=none", "network=none"]);
        assert_eq!(place.opened("s"), ["work/runs.py"], "{user}");
        let read = place.told("s", &format!("out = open('{}').read()", record.display()));
        assert!(read.as_str().unwrap().starts_with("PermissionError"), "{user} {read}");
    }
}
