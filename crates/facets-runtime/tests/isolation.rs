//! Code that lies beside a server, and that bun would run. Each is shown to run without the arguments of
//! `bun_command`, and not to run with them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use facets_runtime::{
    bun_command, bun_command_with_tsconfig, is_variable_of_bun, read_surroundings,
};
use facets_testkit::component;

const GENUINE: &str = "GENUINE!";
const REPLACED: &str = "REPLACED";

/// A home with a tree of a server in it, and a project to start it from.
struct Place {
    folder: tempfile::TempDir,
    bun: PathBuf,
}

impl Place {
    fn new() -> Option<Self> {
        let bun = component("bun")?;
        let place = Self { folder: tempfile::tempdir().unwrap(), bun };
        fs::create_dir_all(place.tree()).unwrap();
        fs::create_dir_all(place.project()).unwrap();
        place
            .write("store/tree/index.js", "import './lib.js'; console.log(process.env.SAID ?? '')");
        place.write("store/tree/lib.js", &format!("console.log('{GENUINE}')"));
        place.write("evil.js", &format!("console.log('{REPLACED}'); export const x = 1"));
        Some(place)
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn tree(&self) -> PathBuf {
        self.path("store/tree")
    }

    fn project(&self) -> PathBuf {
        self.path("project")
    }

    fn write(&self, path: &str, text: &str) {
        fs::write(self.path(path), text).unwrap();
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.bun);
        command.env_clear().env("HOME", self.folder.path()).current_dir(self.project());
        command
    }

    /// As a user would start it, but that nothing is downloaded.
    fn plain(&self, file: &str, variables: &[(&str, &OsStr)]) -> String {
        let mut command = self.command();
        command.arg("--no-install").arg(self.tree().join(file)).envs(variables.iter().copied());
        said(&mut command)
    }

    /// As facet does.
    fn isolated(&self, file: &str, variables: &[(&str, &OsStr)]) -> String {
        let bun = bun_command(&self.tree().join(file), Path::new("/dev/null"));
        let mut command = self.command();
        let passed = variables.iter().filter(|(name, _)| !is_variable_of_bun(name));
        command.args(bun.arguments).envs(bun.variables).envs(passed.copied());
        said(&mut command)
    }
}

fn said(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    String::from_utf8_lossy(&text).into_owned()
}

#[test]
fn a_cached_transpilation_is_run_by_bun_alone_and_not_through_facet() {
    let Some(place) = Place::new() else { return };
    // Small files are not cached.
    let filler: String =
        (0..1500).map(|n| format!("export const filler{n} = '{n:060}';\n")).collect();
    let source = |word: &str| format!("{filler}console.log('{word}');\n");
    place.write("store/tree/large.js", &source(GENUINE));
    place.write("store/tree/other.js", &source(REPLACED));
    let cached = |file: &str| -> (PathBuf, Vec<u8>) {
        let folder = place.path("cache").join(file);
        fs::create_dir_all(&folder).unwrap();
        let variables = [("BUN_RUNTIME_TRANSPILER_CACHE_PATH", folder.as_os_str())];
        place.plain(file, &variables);
        let entry = fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
        (entry.clone(), fs::read(&entry).unwrap())
    };
    let ((genuine, _), (other, mut planted)) = (cached("large.js"), cached("other.js"));
    // The name of an entry is the hash of its source, which stands in its head as well.
    let [from, to] = [&other, &genuine].map(|path| hash_of(path));
    let at = planted.windows(8).position(|window| window == from).unwrap();
    planted[at..at + 8].copy_from_slice(&to);
    let folder = place.path("planted");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join(genuine.file_name().unwrap()), planted).unwrap();
    let variables = [("BUN_RUNTIME_TRANSPILER_CACHE_PATH", folder.as_os_str())];
    assert_eq!(place.plain("large.js", &variables).trim(), REPLACED);
    assert_eq!(place.isolated("large.js", &variables).trim(), GENUINE);
}

/// The bytes that the name of a cache entry spells.
fn hash_of(entry: &Path) -> Vec<u8> {
    facets_testkit::from_hex(&entry.file_stem().unwrap().to_string_lossy())
}

#[test]
fn files_of_the_working_directory_do_not_decide_what_runs() {
    let Some(place) = Place::new() else { return };
    place.write("project/evil.js", &format!("console.log('{REPLACED}')"));
    let all = "{\"compilerOptions\": {\"paths\": {\"*\": [\"./evil.js\"]}}}";
    for (file, content) in [
        (".env", format!("SAID={REPLACED}")),
        (".env.local", format!("SAID={REPLACED}")),
        ("bunfig.toml", "preload = ['./evil.js']".to_owned()),
        ("tsconfig.json", all.to_owned()),
        ("jsconfig.json", all.to_owned()),
    ] {
        let path = format!("project/{file}");
        place.write(&path, &content);
        let plain = place.plain("index.js", &[]);
        assert!(plain.contains(REPLACED), "{file} has no effect: {plain}");
        let isolated = place.isolated("index.js", &[]);
        assert_eq!(isolated.trim(), GENUINE, "{file}");
        fs::remove_file(place.path(&path)).unwrap();
    }
}

#[test]
fn variables_do_not_decide_what_runs() {
    let Some(place) = Place::new() else { return };
    fs::create_dir_all(place.path("packages/dep")).unwrap();
    place.write("packages/dep/index.js", &format!("console.log('{REPLACED}')"));
    place.write(
        "store/tree/dep.js",
        &format!("console.log('{GENUINE}'); import('dep').catch(() => 0)"),
    );
    let evil = place.path("evil.js");
    let preload = format!("--preload={}", evil.display());
    let packages = place.path("packages");
    for (name, value) in [
        ("BUN_OPTIONS", OsStr::new(&preload)),
        ("BUN_INSPECT_PRELOAD", evil.as_os_str()),
        ("NODE_PATH", packages.as_os_str()),
    ] {
        let plain = place.plain("dep.js", &[(name, value)]);
        assert!(plain.contains(REPLACED), "{name} has no effect: {plain}");
        assert_eq!(place.isolated("dep.js", &[(name, value)]).trim(), GENUINE, "{name}");
    }
    // bun ignores it today, and programs that a server starts do not.
    let options = OsStr::new("--require=./evil.js");
    assert_eq!(place.isolated("dep.js", &[("NODE_OPTIONS", options)]).trim(), GENUINE);
}

#[test]
fn an_import_that_is_not_in_the_tree_is_not_downloaded() {
    let Some(place) = Place::new() else { return };
    place.write("store/tree/missing.js", "import 'facet-no-such-package-anywhere'");
    let isolated = place.isolated("missing.js", &[]);
    assert!(isolated.contains("Cannot find package"), "{isolated}");
}

#[test]
fn the_tsconfig_of_the_tree_itself_is_used_if_it_is_named() {
    let Some(place) = Place::new() else { return };
    let tsconfig = place.path("store/tree/tsconfig.json");
    place.write(
        "store/tree/tsconfig.json",
        "{\"compilerOptions\": {\"paths\": {\"own\": [\"./lib.js\"]}}}",
    );
    place.write("store/tree/typed.ts", "import 'own'");
    let everything = "{\"compilerOptions\": {\"paths\": {\"*\": [\"../evil.js\"]}}}";
    place.write("project/tsconfig.json", everything);
    let entry = place.tree().join("typed.ts");
    let bun = bun_command_with_tsconfig(&entry, Path::new("/dev/null"), &tsconfig);
    let mut command = place.command();
    assert_eq!(said(command.args(bun.arguments).envs(bun.variables)).trim(), GENUINE);
}

/// No option of bun keeps these out: the caller has to.
#[test]
fn packages_above_the_tree_are_found_before_bun_finds_them() {
    let Some(place) = Place::new() else { return };
    fs::create_dir_all(place.path("node_modules/dep")).unwrap();
    place.write("node_modules/dep/index.js", &format!("console.log('{REPLACED}')"));
    place.write("store/tree/dep.js", "import 'dep'");
    assert_eq!(place.isolated("dep.js", &[]).trim(), REPLACED);
    let top = place.folder.path().canonicalize().unwrap();
    assert!(read_surroundings(&place.tree()).contains(&top.join("node_modules")));
    fs::remove_dir_all(place.path("node_modules")).unwrap();
    place.write("package.json", "{\"name\": \"dep\", \"exports\": \"./evil.js\"}");
    assert_eq!(place.isolated("dep.js", &[]).trim(), REPLACED);
    assert!(read_surroundings(&place.tree()).contains(&top.join("package.json")));
}
