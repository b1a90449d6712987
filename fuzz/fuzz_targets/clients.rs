//! A file of a client: reading it ends, and whatever is guarded or inserted can be undone to the
//! byte, and knows no secret.

#![no_main]

use facets_clients::{Client, Guarded, Places, Undo, guard, insert, parse, undo};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((first, rest)) = data.split_first() else { return };
    let Ok(text) = std::str::from_utf8(rest) else { return };
    let client = Client::ALL[usize::from(*first) % Client::ALL.len()];
    let folder = || "/p".into();
    let places = Places {
        home: folder(),
        config_home: folder(),
        codex_home: folder(),
        app_support: folder(),
        project: folder(),
    };
    let mut guarded = Guarded {
        program: "facet".to_owned(),
        args: vec!["run".to_owned(), "s".to_owned()],
        headers: Vec::new(),
        variables: Vec::new(),
    };
    for file in client.files(&places) {
        let Ok(entries) = parse(&file, text) else { continue };
        for entry in &entries {
            let renamed = entry.env.iter().map(|(name, _)| (name.clone(), format!("FACET_ENV_{name}")));
            guarded.variables = renamed.collect();
            if let Ok((changed, record)) = guard(client, text, &entry.place, &guarded) {
                let record = Undo::from_text(&record.to_text()).expect("what was written is read");
                assert_eq!(undo(&changed, &record).as_deref(), Ok(text));
            }
        }
        if let Ok((changed, record)) = insert(&file, Some(text), "facet-fuzz", &guarded) {
            assert_eq!(undo(&changed, &record).as_deref(), Ok(text));
        }
    }
});
