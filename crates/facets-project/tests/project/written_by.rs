//! What earlier versions of facet wrote is read as they meant it, and would be written the same.

use std::fs;

use crate::support::{VERSIONS, Written};
use facets_lock::{Extent, LockedEntry};
use facets_model::Origin;
use facets_project::{
    Change, ClientRecords, LOCK, MANIFEST, Project, Runs, SurfaceOnDisk, declared_origin,
};

#[test]
fn every_lock_entry_is_read_and_written_again_byte_for_byte() {
    for version in VERSIONS {
        let written = Written::by(version, "settled");
        let lock = written.lock();
        assert_eq!(lock.servers().keys().collect::<Vec<_>>(), ["adopted", "far", "greeter"]);
        for (name, entry) in lock.servers() {
            let LockedEntry::Server(server) = entry else { panic!("{name}: {entry:?}") };
            // The version alone is that of the facet that writes.
            let text = lock.text().replace("\"serversVersion\": 1", "\"serversVersion\": 2");
            assert_eq!(lock.with_server(name, server).unwrap().text(), text, "{name}");
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
fn older_approvals_are_written_anew_when_a_project_is_first_seen() {
    {
        let written = Written::by("2f02447", "settled");
        let project = Project::at(&written.project(), written.user()).unwrap();
        // The fixture was written elsewhere: only what is the same everywhere counts here.
        let lock = project.read(&|_| false).unwrap().lock;
        let ledger = project.ledger().unwrap();
        assert!(
            ledger.approval("greeter", lock.server("greeter").unwrap(), None).unwrap().is_none()
        );
        let far = lock.server("far").unwrap();
        assert!(ledger.approval("far", far, None).unwrap().is_some());
        assert_eq!(ledger.grants("far").unwrap().as_ref(), Some(&far.grants));
        // Never again, and under no other name.
        assert!(ledger.approval("twin", far, None).unwrap().is_none());
        ledger.end("far").unwrap();
        project.read(&|_| false).unwrap();
        assert!(ledger.approval("far", far, None).unwrap().is_none());
    }
}

#[test]
fn the_ledger_is_read_as_it_was_written() {
    let written = Written::by("ff83894", "settled");
    let ledger = facets_project::Ledger::of(&written.place, &written.user()).unwrap();
    let lock = written.lock();
    for name in ["adopted", "far", "greeter"] {
        let server = lock.server(name).unwrap();
        assert!(ledger.approval(name, server, None).unwrap().is_some(), "{name}");
        assert_eq!(ledger.grants(name).unwrap().as_ref(), Some(&server.grants), "{name}");
        assert!(ledger.approval("other", server, None).unwrap().is_none());
    }
    assert_eq!(ledger.records().len(), 3);
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
    {
        let written = Written::by("2f02447", "interrupted");
        let project = Project::at(&written.project(), written.user()).unwrap();
        let before = fs::read(written.project().join(MANIFEST)).unwrap();
        let refused = project.read(&|_| false).unwrap_err();
        assert!(refused.to_string().contains("you did not start in this project"), "{refused}");
        let refused = project.change::<facets_project::ProjectError>(|_| Ok(Change::default()));
        assert!(refused.is_err());
        assert_eq!(fs::read(written.project().join(MANIFEST)).unwrap(), before);
        assert!(!fs::read_to_string(written.project().join(LOCK)).unwrap().contains("\"far\""));
    }
}
