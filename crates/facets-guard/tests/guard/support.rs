//! A guard with something pinned, and short ways to speak to it.

use core::time::Duration;

use facets_guard::{Guard, OnDrift, Outbox, Pins, Rules};
use facets_surface::{Also, Definition, Era, Kind, Listing, ServerIdentity, Source, Surface};

pub(crate) const TOOL: &str =
    r#"{"name":"echo","description":"Says it again.","inputSchema":{"type":"object"}}"#;
pub(crate) const TEMPLATE: &str = r#"{"uriTemplate":"file:///project/{+path}","name":"files"}"#;

/// Long lines come in pieces, as pipes deliver them.
pub(crate) const PIECE: usize = 48 << 10;

fn listing(kind: Kind, items: &[&str]) -> Listing {
    let items = items.iter().map(|item| Definition::parse(kind, item).unwrap());
    Listing::new(items.collect()).unwrap()
}

pub(crate) fn surface() -> Surface {
    Surface {
        era: Era::Initialize,
        protocol: String::new(),
        server: ServerIdentity::default(),
        capabilities: "{}".to_owned(),
        instructions: Some("Be kind.".to_owned()),
        tools: Some(listing(Kind::Tool, &[TOOL])),
        prompts: Some(listing(Kind::Prompt, &[r#"{"name":"greet"}"#])),
        resources: Some(listing(Kind::Resource, &[r#"{"uri":"file:///a","name":"a"}"#])),
        resources_volatile: false,
        resource_templates: Some(listing(Kind::ResourceTemplate, &[TEMPLATE])),
        source: Source::default(),
        also: Also::default(),
    }
}

pub(crate) fn rules() -> Rules {
    Rules {
        server: "s".to_owned(),
        directory: None,
        on_drift: OnDrift::Block,
        sampling: true,
        elicitation: true,
        arguments: None,
        nonce: "facet-test".to_owned(),
        records_all: true,
        first_answer: Duration::ZERO,
    }
}

/// A guard, and everything that came out of it.
pub(crate) struct Session {
    pub(crate) guard: Guard,
    pub(crate) out: Outbox,
    pub(crate) now: Duration,
}

impl Session {
    pub(crate) fn new(rules: Rules) -> Self {
        let guard = Guard::new(Pins::of([&surface()]), rules);
        Self { guard, out: Outbox::default(), now: Duration::ZERO }
    }

    /// What reaches the server and the client of a line that the client sends.
    pub(crate) fn client(&mut self, line: &str) -> (String, String) {
        for piece in format!("{line}\n").as_bytes().chunks(PIECE) {
            self.guard.from_client(piece, self.now, &mut self.out);
        }
        self.taken()
    }

    /// The same for a line of the server.
    pub(crate) fn server(&mut self, line: &str) -> (String, String) {
        for piece in format!("{line}\n").as_bytes().chunks(PIECE) {
            self.guard.from_server(piece, self.now, &mut self.out);
        }
        self.taken()
    }

    pub(crate) fn taken(&mut self) -> (String, String) {
        let text = |bytes: &mut Vec<u8>| String::from_utf8(core::mem::take(bytes)).unwrap();
        (text(&mut self.out.to_server), text(&mut self.out.to_client))
    }

    /// Has the server list its tools, to the client.
    pub(crate) fn list(&mut self, items: &str) -> String {
        self.client(r#"{"id":"list","method":"tools/list"}"#);
        self.server(&format!(r#"{{"id":"list","result":{{"tools":[{items}]}}}}"#)).1
    }
}
