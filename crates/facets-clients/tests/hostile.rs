//! Texts that nobody would write.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod generate;

use facets_clients::{
    Client, ClientError, Guarded, MAX_BYTES, MAX_ENTRIES, MAX_MEMBERS, Undo, guard, insert, parse,
    undo,
};
use facets_failure::Describe as _;
use facets_testkit::Random;
use generate::{file, file_of};
use proptest::prelude::*;

fn wanted() -> Guarded {
    let headers = ["X-Key-0", "X-Key-1", "X-Key-2"];
    let headers = headers.map(|name| (name.to_owned(), name.replace('-', "_"))).to_vec();
    Guarded {
        program: "facet".to_owned(),
        args: vec!["run".to_owned()],
        headers,
        variables: Vec::new(),
    }
}

/// Does everything that can be done with a text; what is done must be undone.
fn use_all(client: Client, text: &str) {
    let file = file_of(client);
    if let Ok((after, record)) = insert(&file, Some(text), "new", &wanted()) {
        assert_eq!(undo(&after, &record).as_deref(), Ok(text));
    }
    for entry in parse(&file, text).unwrap_or_default() {
        if let Ok((after, record)) = guard(client, text, &entry.place, &wanted()) {
            assert_eq!(undo(&after, &record).as_deref(), Ok(text));
            let _ = undo(text, &record);
        }
    }
}

/// Bytes replaced, doubled, and cut out, at places where characters begin.
fn damaged(random: &mut Random, text: &str) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    for _ in 0..=random.below(3) {
        let at = random.below(characters.len().max(1));
        let odd = [
            '"', '\'', '{', '}', '[', ']', ',', ':', '=', '.', '#', '/', '*', '\\', '\n', '\r',
            '\0', 'é',
        ];
        match random.below(4) {
            0 if at < characters.len() => drop(characters.remove(at)),
            1 if at < characters.len() => characters[at] = random.pick(&odd),
            2 => characters.insert(at.min(characters.len()), random.pick(&odd)),
            _ => characters.truncate(at),
        }
    }
    characters.into_iter().collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_files_are_refused_or_restored(seed: u64) {
        let mut random = Random::seeded(seed);
        for client in Client::ALL {
            let (text, _) = file(&mut random, *client);
            use_all(*client, &damaged(&mut random, &text));
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[\\PC\\n\\r\\t]{0,40}", words in prop::collection::vec(0..18_usize, 0..30)) {
        let tokens = ["{", "}", "[", "]", ",", ":", "=", ".", "\"", "'", "\"\"\"", "'''", "#", "//", "/*", "*/", "\n", "mcp_servers"];
        let tokens: String = words.iter().map(|word| tokens[*word]).collect();
        for client in Client::ALL {
            use_all(*client, &text);
            use_all(*client, &tokens);
            use_all(*client, &format!("{{\"{}\": {{\"a\": {tokens}}}}}", client.container()));
        }
        let _ = Undo::from_text(&text);
    }

    #[test]
    fn any_record_is_read_or_refused(seed: u64) {
        let mut random = Random::seeded(seed);
        let client = random.pick(Client::ALL);
        let (text, _) = file(&mut random, client);
        let inserted = insert(&file_of(client), Some(&text), "new", &wanted());
        let Ok((after, record)) = inserted else { return Ok(()) };
        if let Ok(record) = Undo::from_text(&damaged(&mut random, &record.to_text())) {
            let _ = undo(&after, &record);
            let _ = undo(&text, &record);
        }
    }
}

#[test]
fn records_say_what_is_wrong_with_them() {
    let cases = [
        ("{", "the text ends where a member name or '}' is expected at line 1, column 2"),
        ("[]", "the record is not an object"),
        ("{\"version\": 2}", "version is not 1"),
        ("{\"version\": 1}", "it has not just one change"),
        (
            "{\"version\": 1, \"rewritten\": {}, \"client\": \"codex\", \"place\": []}",
            "rewritten is not a list",
        ),
        ("{\"version\": 1, \"rewritten\": [], \"place\": []}", "client is not a text"),
        ("{\"version\": 1, \"rewritten\": [], \"client\": \"codex\"}", "place is missing"),
        (
            "{\"version\": 1, \"rewritten\": [{\"written\": [-1]}], \"client\": \"codex\", \"place\": []}",
            "a number counts nothing",
        ),
        (
            "{\"version\": 1, \"inserted\": {\"existed\": 0.5, \"value\": \"\"}, \"client\": \"codex\", \"place\": []}",
            "a number counts nothing",
        ),
    ];
    for (text, problem) in cases {
        let error = Undo::from_text(text).unwrap_err();
        assert_eq!(error, ClientError::Record { problem: problem.to_owned() }, "{text}");
    }
    let unknown = "{\"version\": 1, \"rewritten\": [], \"client\": \"vim\", \"place\": []}";
    assert!(matches!(Undo::from_text(unknown), Err(ClientError::UnknownClient { .. })));
}

#[test]
fn codes_are_listed_once() {
    let mut codes = ClientError::CODES.to_vec();
    codes.dedup();
    assert_eq!(codes, ClientError::CODES);
    let error = parse(&file_of(Client::Codex), "=").unwrap_err();
    assert!(codes.contains(&error.code()));
}

#[test]
fn files_have_limits() {
    for client in Client::ALL {
        let file = file_of(*client);
        let large = " ".repeat(MAX_BYTES + 1);
        let error = parse(&file, &large).unwrap_err();
        assert_eq!(error, ClientError::TooLarge { size: MAX_BYTES + 1, limit: MAX_BYTES });
        let deep = match client {
            Client::Codex => format!("x = {}", "[".repeat(100_000)),
            _ => format!("{{\"x\": {}", "[".repeat(100_000)),
        };
        assert!(matches!(parse(&file, &deep), Err(ClientError::Syntax { .. })), "{client:?}");
    }
    let many = |count: usize| {
        let all: Vec<String> =
            (0..count).map(|index| format!("\"s{index}\": {{\"command\": \"c\"}}")).collect();
        format!("{{\"mcpServers\": {{{}}}}}", all.join(","))
    };
    let file = file_of(Client::Cursor);
    assert_eq!(parse(&file, &many(MAX_ENTRIES)).map(|all| all.len()), Ok(MAX_ENTRIES));
    let too_many = ClientError::TooMany { what: "servers", limit: MAX_ENTRIES };
    assert_eq!(parse(&file, &many(MAX_ENTRIES + 1)), Err(too_many));
    let members: Vec<String> = (0..=MAX_MEMBERS).map(|index| format!("\"v{index}\": 1")).collect();
    let text = format!("{{\"mcpServers\": {{\"a\": {{{}}}}}}}", members.join(","));
    assert!(matches!(parse(&file, &text), Err(ClientError::TooMany { .. })));
    let comments = format!("{{\"mcpServers\": {{\"a\": {{{}}}}}}}", "/**/".repeat(MAX_MEMBERS + 1));
    assert!(matches!(parse(&file, &comments), Err(ClientError::TooMany { .. })));
    let lines: String = (0..=MAX_MEMBERS).map(|index| format!("v{index} = 1\n")).collect();
    let text = format!("[mcp_servers.a]\n{lines}");
    assert!(matches!(parse(&file_of(Client::Codex), &text), Err(ClientError::TooMany { .. })));
}

#[test]
fn large_files_are_read_soon() {
    let noise: String =
        (0..200_000).map(|index| format!("\"k{index}\": [{index}, {{}}],\n")).collect();
    let text = format!("{{{noise}\"mcpServers\": {{\"a\": {{\"command\": \"c\"}}}}}}");
    assert_eq!(parse(&file_of(Client::ClaudeCode), &text).unwrap().len(), 1);
}
