//! Sessions are entered, found, asked and struck off.

use std::io::{BufRead as _, BufReader, Write as _};

use facets_project::{RunRecord, Runs, UserDirectory};

fn record(pid: u32, started: u64) -> RunRecord {
    RunRecord {
        name: "greeter".to_owned(),
        project: "/project".to_owned(),
        pid,
        started,
        launch: "sh server.sh".to_owned(),
    }
}

#[test]
fn a_session_runs_until_its_entry_is_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let runs = Runs::in_directory(&UserDirectory::at(folder.path().join("home"))).unwrap();
    let entry = runs.enter(&record(41, 7)).unwrap();
    assert_eq!(runs.all(), [(record(41, 7), true)]);
    let listener = entry.listener.try_clone().unwrap();
    let answering = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut word = String::new();
        BufReader::new(&stream).read_line(&mut word).unwrap();
        stream.write_all(format!("heard {word}").as_bytes()).unwrap();
    });
    assert_eq!(runs.ask(41, "status").unwrap(), "heard status\n");
    answering.join().unwrap();
    let socket = folder.path().join("home/runs/41.sock");
    assert!(socket.exists());
    drop(entry);
    assert!(!socket.exists());
    assert_eq!(runs.all(), [(record(41, 7), false)]);
    assert!(runs.ask(41, "status").is_err());
}

#[test]
fn a_log_begins_anew_before_it_grows_without_end() {
    let folder = tempfile::tempdir().unwrap();
    let runs = Runs::in_directory(&UserDirectory::at(folder.path().join("home"))).unwrap();
    let entry = runs.enter(&record(42, 1)).unwrap();
    let mut log = entry.log().unwrap();
    let line = [b'x'; 1023].iter().copied().chain([b'\n']).collect::<Vec<u8>>();
    for _ in 0..5000 {
        log.append(&line);
    }
    log.append(b"the end\n");
    let kept = runs.log(42);
    assert!(kept.ends_with(b"the end\n"));
    assert!((1 << 20..3 << 20).contains(&kept.len()), "{}", kept.len());
}

#[test]
fn only_the_newest_sessions_that_ended_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let runs = Runs::in_directory(&UserDirectory::at(folder.path().join("home"))).unwrap();
    for pid in 100..130 {
        drop(runs.enter(&record(pid, u64::from(pid))).unwrap());
    }
    let _running = runs.enter(&record(200, 0)).unwrap();
    let all = runs.all();
    let ended: Vec<u32> = all.iter().filter(|(_, runs)| !runs).map(|(one, _)| one.pid).collect();
    assert_eq!(ended.len(), 20);
    assert_eq!((ended[0], ended[19]), (129, 110));
    assert!(all.iter().any(|(one, runs)| one.pid == 200 && *runs), "one that runs stays");
}

#[test]
fn of_sessions_that_began_within_a_second_the_later_one_comes_first() {
    let folder = tempfile::tempdir().unwrap();
    let runs = Runs::in_directory(&UserDirectory::at(folder.path().join("home"))).unwrap();
    let written = |pid: u32, millis: u64| {
        drop(runs.enter(&record(pid, 7)).unwrap());
        let path = folder.path().join(format!("home/runs/{pid}.json"));
        let file = std::fs::File::options().write(true).open(path).unwrap();
        let at = std::time::UNIX_EPOCH + std::time::Duration::from_millis(millis);
        file.set_modified(at).unwrap();
    };
    // Numbers of processes begin anew at some point.
    for (pid, millis) in [(60, 7_100), (50, 7_300), (70, 7_200)] {
        written(pid, millis);
    }
    drop(runs.enter(&record(40, 8)).unwrap());
    let order: Vec<u32> = runs.all().iter().map(|(one, _)| one.pid).collect();
    assert_eq!(order, [40, 50, 70, 60]);
}

#[test]
fn a_log_of_just_its_size_goes_on_and_what_comes_next_begins_a_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let runs = Runs::in_directory(&UserDirectory::at(folder.path().join("home"))).unwrap();
    let mut log = runs.enter(&record(43, 1)).unwrap().log().unwrap();
    let older = folder.path().join("home/runs/43.log.1");
    log.append(&vec![b'x'; 1 << 20]);
    log.append(b"y");
    assert!(!older.exists());
    log.append(b"z");
    assert_eq!(std::fs::metadata(&older).unwrap().len(), (1 << 20) + 1);
    assert!(runs.log(43).ends_with(b"xyz"));
}

#[test]
fn seconds_are_counted_from_1970_on() {
    let clock = || std::time::UNIX_EPOCH.elapsed().unwrap().as_secs();
    let before = clock();
    let now = facets_project::seconds_now();
    assert!((before..=clock()).contains(&now), "{now}");
}
