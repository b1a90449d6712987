//! Which arguments look like secrets, and which do not. None of them is one.

use facets_clients::{looks_like_secret, secret_arguments};

#[test]
fn finds_secrets() {
    let found = [
        "--api-key=sk-abc",
        "--api-key=abcd1234",
        "--apiKey=abcd1234",
        "--token=0123456789",
        "--password=hunter2",
        "-password=hunter2",
        "--client-secret=correct-horse",
        "GITHUB_PERSONAL_ACCESS_TOKEN=ghp_x9",
        "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "Authorization: Bearer abcdef",
        "X-Api-Key: 12345678",
        "Bearer 0a1b2c3d4e5f",
        "Basic YWRhOmVuZ2luZQ==",
        "sk-proj-a1B2c3D4e5F6g7H8i9J0",
        "sk-ant-api03-a1B2c3D4e5F6g7H8-AA",
        "sk_live_51HxyzABCDEF012345",
        "rk_test_51HxyzABCDEF012345",
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        "gho_16C7e42F292c6912E7710c838347Ae178B4a",
        "github_pat_11ABCDEFG0abcdefghijkl_mnopqrstuv",
        "glpat-abcdEFGH1234ijklMNOP",
        "xoxb-123456789012-abcdefABCDEF",
        "xapp-1-A0123456789-0123456789",
        "AKIAIOSFODNN7EXAMPLE",
        "ASIAIOSFODNN7EXAMPLE",
        "AIzaSyA1234567890abcdefghijklmnopqrstuv",
        "hf_abcdefghijklmnopqrstuvwxyzABCD",
        "npm_abcdefghijklmnopqrstuvwxyz0123456789",
        "SG.abcdefghijklmnop.qrstuvwxyz0123456789",
        "dop_v1_0123456789abcdef0123456789abcdef0123456789abcdef",
        "tvly-abcdefghij0123456789",
        "ntn_1234567890abcdefghijKLMNOP",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N",
        "https://ada:hunter2@example.com/mcp",
        "postgresql://app:s3cr3t@db.internal:5432/app",
        "mongodb+srv://root:pa55@cluster0.example.net/?retryWrites=true",
        "https://example.com/mcp?api_key=abcd1234",
        "https://example.com/mcp?region=eu&token=abcd1234",
        "https://ghp_abcdefghijklmnop0123@github.com/ada/engine",
        "https://maps.example.com/mcp?key=abcd1234efgh",
        "https://actions.example.com/api/mcp/s/ODk3NTk2YzctM2Q0Zi00YzE5/mcp",
        "https://mcp.example.com/3f9d1c0a5b7e42d8913c6f0e5a7b4f30/mcp",
        "https://mcp.example.com/3f2504e0-4f89-11d3-9a0c-0305e82c3301",
        "https://mcp.example.com/token/abcdefgh12345678/mcp",
        "a8f5f167f44f4964e6c998dee827110c",
        "Zx9kQ2mLw7RtYp4VbN8sHd3F",
        "0b79bab50daca910b000d4f1a2b675d604257e42",
        "dGhpcyBpcyBub3QgYSBzZWNyZXQ5OTkgYXQgYWxs0Q==",
        "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----",
    ];
    for text in found {
        assert!(looks_like_secret(text), "{text}");
    }
    assert!(found.len() >= 30);
}

#[test]
fn leaves_everything_else() {
    let harmless = [
        "",
        "-y",
        "--verbose",
        "--token",
        "--api-key",
        "--max-tokens=4096",
        "--token-limit=100000",
        "--no-password=true",
        "--token=${GITHUB_TOKEN}",
        "--token=$GITHUB_TOKEN",
        "--api-key={env:API_KEY}",
        "--api-key=<your key>",
        "--api-key=YOUR_API_KEY",
        "--token-file=/run/secrets/token",
        "--token=/run/secrets/token",
        "--private-key=./keys/id_ed25519.pem",
        "--password=true",
        "GITHUB_PERSONAL_ACCESS_TOKEN",
        "GITHUB_TOKEN=${input:github_token}",
        "Authorization: Bearer ${TOKEN}",
        "Accept: application/json",
        "LOG_LEVEL=debug",
        "npx",
        "@modelcontextprotocol/server-filesystem",
        "@modelcontextprotocol/server-filesystem@2025.8.21",
        "@scope/very-long-package-name-with-many-words@1.2.3-beta.4",
        "mcp-server-git==2025.9.25",
        "git+https://github.com/ada/engine@0b79bab50daca910b000d4f1a2b675d604257e42",
        "github:ada/engine#0b79bab50daca910b000d4f1a2b675d604257e42",
        "ghcr.io/ada/engine@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
        "left-pad@1.3.0#sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg",
        "/home/ada/projects/engine/.facets/cache/0b79bab50daca910b000d4f1a2b675d604257e42",
        "./dist/server-8f14e45fceea167a5a36dedd4bea2543.js",
        "C:\\Users\\ada\\AppData\\Roaming\\npm\\node_modules\\server\\dist\\index.js",
        "~/notes/2024-2025/ideas",
        "8f14e45fceea167a5a36dedd4bea2543.json",
        "https://mcp.example.com/v1/sse",
        "https://mcp.example.com/mcp?region=eu-west-1&mode=full",
        "https://ada@example.com/mcp",
        "https://github.com/ada/engine/archive/0b79bab50daca910b000d4f1a2b675d604257e42",
        "https://example.com/token/refresh",
        "https://example.com/models/claude-3-5-sonnet-20241022/chat",
        "postgresql://localhost:5432/app",
        "postgresql://app:${PGPASSWORD}@localhost/app",
        "http://127.0.0.1:8080",
        "claude-3-5-sonnet-20241022",
        "gpt-4o-mini-2024-07-18",
        "text-embedding-3-large",
        "us-central1-aiplatform.googleapis.com",
        "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
        "2024-11-05T12:34:56.789Z",
        "internationalization",
        "MyVeryLongServerNameWithManyWordsInside",
        "modelcontextprotocolserverfilesystem",
        "sk-learn-pipeline-runner",
        "hf_hub_download_all_the_things",
        "--config=config/production.yaml",
        "--header",
        "8080",
        "12345678901234567890123456789012",
        "--commit=0b79bab50daca910b000d4f1a2b675d604257e42",
        "--integrity=sha256-n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=",
        "key=value",
        "a=b=c",
        "xxxxxxxxxxxxxxxxxxxxxxxx",
    ];
    for text in harmless {
        assert!(!looks_like_secret(text), "{text}");
    }
    assert!(harmless.len() >= 40);
}

#[test]
fn options_say_what_their_values_are() {
    let cases: &[(&[&str], &[usize])] = &[
        (&["-y", "server", "--token", "abcd"], &[3]),
        (&["--api-key", "3f2504e0-4f89-11d3-9a0c-0305e82c3301", "--port", "80"], &[1]),
        (&["--token", "--verbose"], &[]),
        (&["--token", "${TOKEN}"], &[]),
        (&["--token"], &[]),
        (&["--private-key", "./key.pem"], &[]),
        (&["--commit", "0b79bab50daca910b000d4f1a2b675d604257e42"], &[]),
        (&["--id", "0b79bab50daca910b000d4f1a2b675d604257e42"], &[1]),
        (&["run", "-i", "--rm", "-e", "GITHUB_TOKEN", "ghcr.io/github/github-mcp-server"], &[]),
        (&["run", "-e", "GITHUB_TOKEN=ghp_abcdefgh", "image"], &[2]),
        (
            &["mcp-remote", "https://a.example.com", "--header", "Authorization: Bearer abcdef12"],
            &[3],
        ),
        (&["--password", "hunter2", "sk-proj-a1B2c3D4e5F6g7H8i9J0"], &[1, 2]),
        (&["--username", "ada", "--directory", "/srv/data"], &[]),
        (&["--auth", "oauth2", "--cookie", "sid=a1b2c3d4e5f6"], &[3]),
        (&["--auth", "k3yk3yk3yk3y"], &[1]),
        (&["-u", "1000:1000", "-u", "node:node", "-u", "admin:hunter22"], &[5]),
        (&["--keyFile", "a.pem", "--accessToken", "abcdefgh"], &[3]),
        (&[], &[]),
    ];
    for (args, places) in cases {
        let owned: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
        assert_eq!(secret_arguments(&owned), *places, "{args:?}");
    }
}

/// What a review found in locks: each of them is a secret in its place.
#[test]
fn secrets_in_other_clothes_are_found() {
    let found = |args: &[&str]| {
        let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
        !secret_arguments(&args).is_empty()
    };
    for args in [
        &["--header", "Authorization:Bearer abcdef123456"][..],
        &["--header", "X-Auth:abcdef123456"],
        &["-e", "DB_PASS=hunter22"],
        &["host=h password=hunter22"],
        &[r#"{"apiKey":"abcdef123456"}"#],
        &["--password", "hunter.two"],
        &["--password=$ecret-word"],
        &["--token=/aB3xyz0123456789"],
    ] {
        assert!(found(args), "{args:?}");
    }
    for args in [
        &["--password", "${DB_PASSWORD}"][..],
        &["--token=$GITHUB_TOKEN"],
        &["--token-file", "/run/secrets/token"],
        &["--password", "/run/secrets/password"],
        &["-p", "8080"],
        &["--header", "Accept:application/json"],
        &["postgres://localhost:5432/db?sslmode=disable"],
    ] {
        assert!(!found(args), "{args:?}");
    }
}
