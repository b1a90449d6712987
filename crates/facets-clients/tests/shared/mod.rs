//! What the tests of files share.

use facets_clients::{Client, ClientFile, Guarded, Places};

/// One of the files of a client.
pub(crate) fn file_of(client: Client, index: usize) -> ClientFile {
    let places = Places {
        home: "/home/ada".into(),
        config_home: "/home/ada/.config".into(),
        codex_home: "/home/ada/.codex".into(),
        app_support: "/home/ada/.config".into(),
        project: "/src/engine".into(),
    };
    client.files(&places).swap_remove(index)
}

/// `facet run NAME`
pub(crate) fn run(name: &str) -> Guarded {
    let args = vec!["run".to_owned(), name.to_owned()];
    Guarded { program: "facet".to_owned(), args, headers: Vec::new(), variables: Vec::new() }
}
