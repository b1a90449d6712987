//! What earlier versions of facet wrote is read as they meant it, and would be written the same.

use std::fs;

use crate::support::{VERSIONS, Written};
use facets_lock::{Extent, LockedEntry};
use facets_model::Origin;
use facets_project::{
    Approval, Approvals, Change, ClientRecords, LOCK, MANIFEST, Project, Runs, SurfaceOnDisk,
    declared_origin,
};

#[test]
fn every_lock_entry_is_read_and_written_again_byte_for_byte() {
    for version in VERSIONS {
        let written = Written::by(version, "settled");
        let lock = written.lock();
        assert_eq!(lock.servers().keys().collect::<Vec<_>>(), ["adopted", "far", "greeter"]);
        for (name, entry) in lock.servers() {
            let LockedEntry::Server(server) = entry else { panic!("{name}: {entry:?}") };
            assert_eq!(lock.with_server(name, server).unwrap().text(), lock.text(), "{name}");
        }
        let greeter = lock.server("greeter").unwrap();
        assert_eq!(greeter.grants.network, Extent::None);
        assert_eq!(greeter.signer, None);
        let Origin::Address(far) = &lock.server("far").unwrap().origin else { panic!("a command") };
        assert_eq!(far.headers["X-Key"], "KEY");
    }
}

#[test]
fn manifest_lock_and_surface_files_belong_together() {
    for version in VERSIONS {
        let written = Written::by(version, "settled");
        let project = Project::at(&written.project(), written.user()).unwrap();
        let state = project.read(&|_| true).unwrap();
        let manifest = state.manifest.as_ref().unwrap();
        for name in ["adopted", "far", "greeter"] {
            let server = state.lock.server(name).unwrap();
            assert!(server.origin.is_declared_as(declared_origin(manifest, name).unwrap()));
            let SurfaceOnDisk::Whole(surface, digest) = &state.surfaces[name] else {
                panic!("{name}: {:?}", state.surfaces[name])
            };
            let hashes = surface.hashes();
            assert_eq!(server.first_difference(surface.era, &hashes, *digest), None, "{name}");
        }
    }
}

#[test]
fn the_ledger_still_approves_what_was_approved() {
    for version in VERSIONS {
        let written = Written::by(version, "settled");
        let ledger = Approvals::in_directory(&written.user()).unwrap();
        let lock = written.lock();
        for name in ["adopted", "far", "greeter"] {
            let approval = Approval::of(lock.server(name).unwrap(), &written.place);
            assert!(ledger.contains(&approval).unwrap(), "{name}");
        }
        let elsewhere = std::path::Path::new("/elsewhere");
        let approves = |name: &str| {
            let approval = Approval::of(lock.server(name).unwrap(), elsewhere);
            ledger.contains(&approval).unwrap()
        };
        assert!(!approves("greeter"), "a command is approved where it runs");
        assert!(approves("far"), "an address is the same everywhere");
    }
}

#[test]
fn an_approval_is_written_under_the_same_name_with_the_same_bytes() {
    for version in VERSIONS {
        let written = Written::by(version, "settled");
        let again = tempfile::tempdir().unwrap();
        let user = facets_project::UserDirectory::at(again.path().join("home"));
        let ledger = Approvals::in_directory(&user).unwrap();
        for name in ["adopted", "far", "greeter"] {
            let lock = written.lock();
            ledger.add(&Approval::of(lock.server(name).unwrap(), &written.place)).unwrap();
        }
        let files = |folder: std::path::PathBuf| {
            let files = fs::read_dir(folder.join("approvals")).unwrap().map(|entry| {
                let path = entry.unwrap().path();
                (path.file_name().unwrap().to_owned(), fs::read(&path).unwrap())
            });
            files.collect::<std::collections::BTreeMap<_, _>>()
        };
        assert_eq!(files(again.path().join("home")), files(written.folder.path().join("home")));
    }
}

#[test]
fn client_records_are_read_and_written_again_byte_for_byte() {
    for version in VERSIONS {
        let written = Written::by(version, "settled");
        let records = ClientRecords::in_directory(&written.user()).unwrap();
        let all = records.all();
        let [(path, undos)] = all.as_slice() else { panic!("{all:?}") };
        assert_eq!(*path, written.place.join(".mcp.json"));
        assert_eq!(records.of(path).unwrap(), *undos);
        let folder = written.folder.path().join("home/clients");
        let file = fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
        let before = fs::read(&file).unwrap();
        records.set(path, undos).unwrap();
        assert_eq!(fs::read(&file).unwrap(), before);
    }
}

#[test]
fn records_of_sessions_that_ended_are_listed() {
    for version in VERSIONS {
        let written = Written::by(version, "settled");
        let runs = Runs::in_directory(&written.user()).unwrap();
        let all = runs.all();
        let [(record, false)] = all.as_slice() else { panic!("{all:?}") };
        assert_eq!((record.name.as_str(), record.launch.as_str()), ("greeter", "sh server.sh"));
        assert_eq!(record.project, written.place.display().to_string());
        assert_eq!(runs.log(record.pid), b"");
    }
}

/// The mark names the place where the journal was begun, so that it means nothing elsewhere.
#[test]
fn a_journal_that_was_begun_elsewhere_is_not_completed() {
    for version in VERSIONS {
        let written = Written::by(version, "interrupted");
        let project = Project::at(&written.project(), written.user()).unwrap();
        let before = fs::read(written.project().join(MANIFEST)).unwrap();
        let refused = project.read(&|_| false).unwrap_err();
        assert!(refused.to_string().contains("this user did not begin here"), "{refused}");
        let refused = project.change::<facets_project::ProjectError>(|_| Ok(Change::default()));
        assert!(refused.is_err());
        assert_eq!(fs::read(written.project().join(MANIFEST)).unwrap(), before);
        assert!(!fs::read_to_string(written.project().join(LOCK)).unwrap().contains("\"far\""));
    }
}
