//! What a server puts in the place of its files does not open others to it, the next time it is started.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[allow(dead_code, reason = "each test uses a part of it")]
mod caged;

use std::os::unix::fs::{PermissionsExt as _, symlink};

use caged::{Place, data, users};
use serde_json::Value;

const NO_NETWORK: &str = "network=none";

/// A user with a key, and a project whose folder `data` a server can write.
fn place(user: &'static str) -> Place {
    let place = Place::new(user);
    place.put("outside/.ssh/id_rsa", "secret");
    place.put("work/data/conf.json", "{}");
    std::fs::create_dir(place.path("work/lib")).unwrap();
    place.give_to_user();
    place
}

/// Text that reads a file.
fn reading(place: &Place, name: &str) -> String {
    format!("out = open({}).read()", place.text(name))
}

/// Text that puts a link to a file in the place of another.
fn swapping(place: &Place, name: &str, target: &str) -> String {
    let (name, target) = (place.text(name), place.text(target));
    format!("os.unlink({name}); os.symlink({target}, {name}); out = 'swapped'")
}

#[track_caller]
fn is_closed(answer: &Value) {
    assert!(answer.as_str().unwrap().starts_with("PermissionError"), "{answer}");
}

#[test]
fn an_argument_that_leads_through_what_a_server_can_write_opens_nothing() {
    for user in users() {
        let place = place(user);
        symlink("data/conf.json", place.path("work/conf.json")).unwrap();
        symlink("data", place.path("work/link")).unwrap();
        for (name, argument) in [
            ("plain", "data/conf.json"),
            ("dots", "lib/../data/conf.json"),
            ("link", "conf.json"),
            ("folder", "link/conf.json"),
        ] {
            place.add_runner(name, &[argument]);
            place.grant(name, &["filesystem=data", NO_NETWORK]);
            let swap = swapping(&place, "work/data/conf.json", "outside/.ssh/id_rsa");
            assert_eq!(place.told(name, &swap), "swapped", "{user} {name}");
            assert_eq!(place.opened(name), ["work/runs.py"], "{user} {name}");
            is_closed(&place.told(name, &reading(&place, "outside/.ssh/id_rsa")));
            std::fs::remove_file(place.path("work/data/conf.json")).unwrap();
            place.put("work/data/conf.json", "{}");
        }
        // What it cannot write is opened as ever, also behind a link.
        place.put("work/lib/settings.json", "{}");
        symlink("lib/settings.json", place.path("work/settings.json")).unwrap();
        place.add_runner("other", &["settings.json"]);
        place.grant("other", &["filesystem=data", NO_NETWORK]);
        assert_eq!(place.told("other", &reading(&place, "work/settings.json")), "{}", "{user}");
    }
}

/// It survives sessions, so what lies there is the server's own choice.
#[test]
fn an_argument_in_the_private_home_opens_nothing_elsewhere() {
    for user in users() {
        let place = place(user);
        place.add_runner("s", &[]);
        place.grant("s", &["filesystem=none", NO_NETWORK]);
        let home = place.told("s", "out = os.environ['HOME']");
        let settings = format!("{}/settings", home.as_str().unwrap());
        place
            .told("s", &format!("os.symlink({}, '{settings}')", place.text("outside/.ssh/id_rsa")));
        place.ran(&["remove", "s"]);
        place.add_runner("s", &[&settings]);
        place.grant("s", &["filesystem=none", NO_NETWORK]);
        assert_eq!(place.opened("s"), ["work/runs.py"], "{user}");
        is_closed(&place.told("s", &reading(&place, "outside/.ssh/id_rsa")));
    }
}

#[test]
fn a_program_that_rewrites_its_first_line_opens_no_other_installation() {
    for user in users() {
        let place = place(user);
        place.put("work/data/server", &format!("#!/usr/bin/python3\n{}", data("runs.py")));
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(place.path("work/data/server"), mode).unwrap();
        place.put("outside/proj/lib/diary.txt", "secret");
        std::fs::create_dir(place.path("outside/proj/bin")).unwrap();
        symlink("/usr/bin/python3", place.path("outside/proj/bin/python3")).unwrap();
        std::fs::create_dir(place.path("work/tools")).unwrap();
        symlink("../data/server", place.path("work/tools/server")).unwrap();
        place.give_to_user();
        for (name, program) in [("plain", "./data/server"), ("link", "./tools/server")] {
            place.ran(&["add", name, "--yes", "--", program]);
            place.grant(name, &["filesystem=data", NO_NETWORK]);
            let rewrite = format!(
                "rest = open('data/server').read().split('\\n', 1)[1]\n\
                 open('data/server', 'w').write('#!{}\\n' + rest); out = 'rewritten'",
                place.path("outside/proj/bin/python3").display()
            );
            assert_eq!(place.told(name, &rewrite), "rewritten", "{user} {name}");
            assert_eq!(place.opened(name), Vec::<String>::new(), "{user} {name}");
            is_closed(&place.told(name, &reading(&place, "outside/proj/lib/diary.txt")));
        }
    }
}

#[test]
fn a_file_of_certificates_is_opened_where_it_lies_if_the_server_cannot_replace_it() {
    let certificate = "-----BEGIN CERTIFICATE-----\n";
    for user in users() {
        let mut place = place(user);
        let bundle = format!("{certificate}{}\n-----BEGIN PRIVATE KEY-----\n", "A".repeat(70_000));
        place.put("outside/bundle.pem", &bundle);
        place.put("outside/real.pem", certificate);
        place.put("work/data/ca.pem", certificate);
        symlink("real.pem", place.path("outside/link.pem")).unwrap();
        place.add_runner("s", &[]);
        let with = |variable: &str, file: &str| {
            vec!["env".to_owned(), format!("{variable}={}", place.path(file).display())]
        };
        let (in_data, behind_link, with_key) = (
            with("SSL_CERT_FILE", "work/data/ca.pem"),
            with("SSL_CERT_FILE", "outside/link.pem"),
            with("SSL_CERT_FILE", "outside/bundle.pem"),
        );
        place.around = in_data;
        place.grant("s", &["filesystem=data", "network=127.0.0.1:9"]);
        let swap = swapping(&place, "work/data/ca.pem", "outside/real.pem");
        assert_eq!(place.told("s", &swap), "swapped", "{user}");
        assert_eq!(place.opened("s"), ["work/runs.py"], "{user}");
        is_closed(&place.told("s", &reading(&place, "outside/real.pem")));
        place.around = with_key;
        assert_eq!(place.opened("s"), ["work/runs.py"], "{user}");
        place.around = behind_link;
        assert_eq!(place.opened("s"), ["outside/real.pem", "work/runs.py"], "{user}");
        assert_eq!(place.told("s", &reading(&place, "outside/real.pem")), certificate, "{user}");
    }
}
