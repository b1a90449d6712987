//! What a confined session does and leaves, as root and as another user.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[allow(dead_code, reason = "each test uses a part of it")]
mod caged;

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use caged::{Place, answered, is_root, users};
use facets_testkit::{Client, skip};
use serde_json::{Value, json};

const CLOSED: [&str; 2] = ["filesystem=none", "network=none"];

fn runner(user: &'static str, settings: &[&str]) -> Place {
    let place = Place::new(user);
    place.add_runner("s", &[]);
    place.grant("s", settings);
    place
}

fn tell(client: &mut Client, text: &str) -> Value {
    answered(client, "run", &json!({ "text": text }))
}

/// Comes back when these processes are gone.
#[track_caller]
fn expect_gone(pids: &Value, what: &str) {
    let start = Instant::now();
    for pid in pids.as_array().unwrap() {
        let process = format!("/proc/{pid}");
        while Path::new(&process).exists() {
            assert!(start.elapsed() < Duration::from_secs(20), "{what}: {pid} of {pids}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// A process whose first thread has ended, with a child.
const WITHOUT_FIRST_THREAD: &str = "
import signal, threading, time
reader, writer = os.pipe()
child = os.fork()
if child == 0:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    def go_on():
        below = os.fork()
        if below == 0:
            time.sleep(120)
            os._exit(0)
        while open('/proc/self/stat').read().rsplit(') ', 1)[1][0] != 'Z':
            time.sleep(0.001)
        os.write(writer, str(below).encode())
        time.sleep(120)
        os._exit(0)
    threading.Thread(target=go_on).start()
    end_first_thread()
out = [child, int(os.read(reader, 16)), parent_of(os.getppid())]
";

#[test]
fn a_process_whose_first_thread_has_ended_does_not_outlive_its_session() {
    for user in users() {
        let place = runner(user, &CLOSED);
        for ending in ["close", "stop", "kill"] {
            let mut client = place.session("s");
            let mut pids = tell(&mut client, WITHOUT_FIRST_THREAD);
            let facet = pids.as_array_mut().unwrap().pop().unwrap();
            match ending {
                "close" => client.close(),
                "stop" => drop(place.ran(&["stop", "s"])),
                _ => {
                    let killed = Command::new("kill").args(["-KILL", &facet.to_string()]).status();
                    assert!(killed.unwrap().success());
                }
            }
            client.wait();
            expect_gone(&pids, &format!("{user} {ending}"));
        }
    }
}

/// Nor does the server itself.
#[test]
fn a_server_whose_first_thread_has_ended_does_not_outlive_its_session() {
    for user in users() {
        let place = runner(user, &[CLOSED[0], CLOSED[1], "subprocess=no"]);
        let mut client = place.session("s");
        let pid = tell(&mut client, "out = os.getpid()");
        let text = "
import signal, threading, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
threading.Thread(target=lambda: (time.sleep(120), os._exit(0))).start()
end_first_thread()
";
        client.send(&json!({ "jsonrpc": "2.0", "id": 9, "method": "tools/call",
            "params": { "name": "run", "arguments": { "text": text } } }));
        let stat = format!("/proc/{pid}/stat");
        while !std::fs::read_to_string(&stat).unwrap().contains(") Z ") {
            std::thread::sleep(Duration::from_millis(1));
        }
        place.ran(&["stop", "s"]);
        client.wait();
        expect_gone(&json!([pid]), user);
    }
}

#[test]
fn the_directory_of_the_start_can_be_written_by_relative_paths_if_it_is_granted() {
    for user in users() {
        let place = runner(user, &["filesystem=.", "network=none"]);
        let text = "open('made', 'w').close(); os.mkdir('folder'); out = os.listdir('folder')";
        assert_eq!(place.told("s", text), json!([]), "{user}");
        assert!(place.path("work/made").exists() && place.path("work/folder").exists(), "{user}");
        // Also below what is granted.
        let around = format!("filesystem={}", place.path("work").display());
        place.grant("s", &[&around]);
        assert_eq!(place.told("s", "open('again', 'w').close()"), Value::Null, "{user}");
        assert!(place.path("work/again").exists(), "{user}");
        // And nothing else.
        place.grant("s", &["filesystem=folder"]);
        let refused = place.told("s", "open('more', 'w')");
        assert!(refused.as_str().unwrap().contains("Error"), "{user} {refused}");
    }
}

#[test]
fn scratch_is_removed_however_deep_it_is() {
    for user in users() {
        let place = runner(user, &CLOSED);
        let scratch = place.told(
            "s",
            "out = os.environ['TMPDIR']
os.chdir(out)
for _ in range(2100):
    os.mkdir('d')
    os.chdir('d')
os.mkdir('locked')
os.chmod('locked', 0)",
        );
        let start = Instant::now();
        while Path::new(scratch.as_str().unwrap()).parent().unwrap().exists() {
            assert!(start.elapsed() < Duration::from_mins(1), "{user} {scratch}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

#[test]
fn whoever_can_only_read_a_project_does_not_lock_its_user_out() {
    for user in users() {
        let place = runner(user, &["filesystem=ro:.", "network=none"]);
        place.put("work/.facets/busy", "");
        let mut client = place.session("s");
        let text = "
import builtins, fcntl
builtins.kept = []
for folder, _, files in os.walk('.'):
    for name in files:
        builtins.kept.append(open(f'{folder}/{name}'))
        fcntl.flock(builtins.kept[-1], fcntl.LOCK_EX | fcntl.LOCK_NB)
out = len(builtins.kept) > 3
";
        assert_eq!(tell(&mut client, text), true, "{user}");
        place.ran(&["list"]);
        place.ran(&["check", "s"]);
        place.grant("s", &["subprocess=no"]);
    }
}

/// No command line holds that many paths.
#[test]
fn a_package_of_many_files_beside_a_hidden_one_starts() {
    if !is_root() {
        return skip("the place is given to root");
    }
    let place = Place::new("root");
    place.put("work/pyproject.toml", "");
    let name = "a-folder-with-a-rather-long-name-of-a-dataset-that-somebody-downloaded";
    let folder = place.path("work/images").join(name).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(".DS_Store"), "").unwrap();
    for number in 0..15_000 {
        std::fs::write(folder.join(format!("image-{number:06}.jpeg")), "").unwrap();
    }
    place.add_runner("s", &[]);
    place.grant("s", &CLOSED);
    let read = |name: &str| {
        place
            .told("s", &format!("out = open({:?}).read()", folder.join(name).display().to_string()))
    };
    assert_eq!(read("image-014999.jpeg"), "");
    assert!(read(".DS_Store").as_str().unwrap().starts_with("PermissionError"));
}
