//! A granted name that leads into a private network, seen from inside real servers.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[allow(dead_code, reason = "each test uses a part of it")]
mod caged;

use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use caged::{Place, data, runtime, users};
use serde_json::{Value, json};

/// A web server on loopback that answers everybody.
fn listen() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream
                .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        }
    });
    port
}

/// A machine whose resolver maps a foreign name to this machine.
fn place(user: &'static str) -> Place {
    let mut place = Place::new(user);
    let hosts = place.path("hosts");
    std::fs::write(&hosts, "127.0.0.1 localhost rebound.example\n").unwrap();
    let bound = format!("mount --bind {} /etc/hosts && exec \"$@\"", hosts.display());
    place.around = ["unshare", "--mount", "sh", "-c", &bound, "sh"].map(str::to_owned).into();
    place.put("work/probe.py", &data("probe.py"));
    let python = runtime("python3").unwrap();
    place.ran(&["add", "s", "--yes", "--", python.to_str().unwrap(), "probe.py"]);
    place
}

fn reaches(place: &Place, port: u16, asked: &str) -> bool {
    let asked = json!({
        "tcp": port,
        "udp": port,
        "unix": place.path("socket"),
        "datagram": place.path("socket"),
        "secret": place.path("hosts"),
        "directory": place.path("outside"),
        "granted": format!("http://{asked}:{port}/"),
        "denied": "http://127.0.0.1:1/",
    });
    place.called("s", &[], "probe", &asked)["granted"] == "reached"
}

#[test]
fn a_name_that_leads_into_a_private_network_needs_a_grant_that_says_so() {
    let port = listen();
    for user in users() {
        let place = place(user);
        let grant = |host: &str| place.ran(&["grant", "s", &format!("network={host}"), "--yes"]);
        let text = grant(&format!("rebound.example:{port}"));
        let warning = format!("rebound.example:{port} resolves to 127.0.0.1");
        assert!(text.contains(&warning) && text.contains("private:rebound.example"), "{text}");
        assert!(!reaches(&place, port, "rebound.example"), "{user}");
        assert!(!reaches(&place, port, "127.0.0.1"), "{user}");
        // To permit it is more than before.
        let private = format!("network=private:rebound.example:{port}");
        assert_eq!(place.facet(&["grant", "s", &private]).output().unwrap().status.code(), Some(2));
        let text = grant(&format!("private:rebound.example:{port}"));
        assert!(!text.contains("warning"), "{text}");
        assert!(reaches(&place, port, "rebound.example"), "{user}");
        assert!(reaches(&place, port, "REBOUND.example."), "{user}");
        assert!(!reaches(&place, port, "127.0.0.1"), "{user}");
    }
}

#[test]
fn an_address_is_one_host_in_every_way_of_writing_it() {
    if users().is_empty() {
        return;
    }
    let (port, place) = (listen(), place("root"));
    let report = place.ran(&[
        "--format",
        "json",
        "grant",
        "s",
        &format!("network=127.0.0.1:{port}"),
        "--yes",
    ]);
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!((&report["private"], &report["opened"]), (&json!([]), &Value::Null));
    for written in ["127.0.0.1", "127.1", "0x7f.1", "2130706433", "[::ffff:127.0.0.1]"] {
        assert!(reaches(&place, port, written), "{written}");
    }
    assert!(!reaches(&place, port, "localhost"));
    assert!(!reaches(&place, port, "rebound.example"));
}

/// A machine that has this public address, with a web server, and whose resolver knows it.
fn place_with_public_address(user: &'static str, port: u16) -> Place {
    let mut place = Place::new(user);
    let hosts = place.path("hosts");
    std::fs::write(
        &hosts,
        "127.0.0.1 localhost\n93.184.216.34 mine.example\n2600:1::5 routed.example\n",
    )
    .unwrap();
    let machine = format!(
        "mount --bind {} /etc/hosts && ip link set lo up && ip addr add 93.184.216.33/24 dev lo && \
         ip addr add 93.184.216.34/24 dev lo && ip -6 route add local 2600:1::/64 dev lo || exit 1
         python3 -m http.server --bind :: --directory /usr/bin {port} >/dev/null 2>&1 &
         for _ in $(seq 100); do
           python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", {port}))' \
             2>/dev/null && break; sleep 0.1
         done; \"$@\"",
        hosts.display()
    );
    let words = ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"];
    place.around = words.iter().chain(&["sh", "-c", &machine, "sh"]).map(|&w| w.into()).collect();
    place.put("work/probe.py", &data("probe.py"));
    let python = runtime("python3").unwrap();
    place.ran(&["add", "s", "--yes", "--", python.to_str().unwrap(), "probe.py"]);
    place
}

/// Also at its public addresses, the first and others: services trust who comes from there.
#[test]
fn a_name_that_leads_to_this_machine_needs_a_grant_that_says_so() {
    let port = 8099;
    for user in users() {
        let place = place_with_public_address(user, port);
        let grant =
            |host: &str| place.ran(&["grant", "s", &format!("network={host}:{port}"), "--yes"]);
        let text = grant("mine.example");
        assert!(text.contains(&format!("mine.example:{port} resolves to 93.184.216.34")), "{text}");
        assert!(!reaches(&place, port, "mine.example"), "{user}");
        // Nor at one that no interface has, and that is routed to this machine all the same.
        let text = grant("routed.example");
        assert!(text.contains(&format!("routed.example:{port} resolves to 2600:1::5")), "{text}");
        assert!(!reaches(&place, port, "routed.example"), "{user}");
        for (granted, asked) in [
            ("private:mine.example", "mine.example"),
            ("private:routed.example", "routed.example"),
            ("93.184.216.34", "93.184.216.34"),
        ] {
            let text = grant(granted);
            assert!(!text.contains("warning"), "{text}");
            assert!(reaches(&place, port, asked), "{user} {granted}");
        }
    }
}
