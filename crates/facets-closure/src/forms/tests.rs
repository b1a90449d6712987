use super::*;

/// The form of a command line that is typed with blanks; `|` stands for a blank inside of a word.
fn form(line: &str) -> CommandForm {
    let words: Vec<String> = line.split(' ').map(|word| word.replace('|', " ")).collect();
    command_form(&words, &[])
}

/// `PACKAGE +WITH… :PROGRAM ^PYTHON ARGS…`
fn shown(line: &str) -> String {
    match form(line) {
        CommandForm::Package(command) => {
            let mut words = vec![command.package.to_string()];
            words.extend(command.with.iter().map(|package| format!("+{package}")));
            words.extend(command.program.map(|program| format!(":{program}")));
            words.extend(command.python.map(|python| format!("^{python}")));
            words.extend(command.args);
            words.join(" ")
        }
        CommandForm::NotLockable(reason) => format!("no: {reason}"),
        CommandForm::Other => "other".to_owned(),
    }
}

#[test]
fn packages_of_npm_are_recognised_in_every_form() {
    for (line, expected) in [
        ("npx -y @s/server /data", "npm:@s/server /data"),
        ("npx @s/server@1.2.3", "npm:@s/server@1.2.3"),
        ("npx --yes server@latest --flag x", "npm:server@latest --flag x"),
        ("/usr/local/bin/npx -y server", "npm:server"),
        ("C:\\Program|Files\\nodejs\\npx.cmd -y server", "npm:server"),
        ("npx -y server -- --port 1", "npm:server --port 1"),
        ("npx -y -p @s/a -p b@2 -- tool x", "npm:@s/a +npm:b@2 :tool x"),
        ("npx --package=@s/a tool", "npm:@s/a :tool"),
        ("npm exec -y -- server x", "npm:server x"),
        ("npm exec --package=a -- tool x", "npm:a :tool x"),
        ("npm --yes exec server", "npm:server"),
        ("cmd /c npx -y server x", "npm:server x"),
        ("cmd /d /s /c npx|-y|server|x", "npm:server x"),
        ("cmd.exe /C \"npx|-y|server\"", "npm:server"),
        ("npx|-y|server", "npm:server"),
        ("sh -c exec|npx|-y|server", "npm:server"),
        ("/usr/bin/env npx -y server", "npm:server"),
        ("bunx --bun server@1 x", "npm:server@1 x"),
        ("bun x server", "npm:server"),
        ("pnpm dlx server", "npm:server"),
        ("pnpm --package=a dlx tool", "npm:a :tool"),
        ("pnpx server", "npm:server"),
        ("yarn dlx -q -p a tool x", "npm:a :tool x"),
        ("npx mcp-remote https://host/mcp", "npm:mcp-remote https://host/mcp"),
        ("deno run -A npm:@s/server@1/tool x", "npm:@s/server@1 :tool x"),
        ("deno run --allow-net npm:server", "npm:server"),
    ] {
        assert_eq!(shown(line), expected, "{line}");
    }
}

#[test]
fn packages_of_pypi_are_recognised_in_every_form() {
    for (line, expected) in [
        ("uvx mcp-server-time --local-timezone UTC", "pypi:mcp-server-time --local-timezone UTC"),
        ("uvx server@latest", "pypi:server"),
        ("uvx server@1.2", "pypi:server==1.2"),
        ("uvx server==1.2", "pypi:server==1.2"),
        ("uvx server[extra]", "pypi:server[extra]"),
        ("uvx --from server[cli]>=1 tool x", "pypi:server[cli]>=1 :tool x"),
        ("uvx --with mcp<2 --python 3.12 server", "pypi:server +pypi:mcp<2 ^3.12"),
        ("uv tool run --from server tool", "pypi:server :tool"),
        ("pipx run --no-cache server x", "pypi:server x"),
        ("pipx run --spec server==1 tool", "pypi:server==1 :tool"),
    ] {
        assert_eq!(shown(line), expected, "{line}");
    }
}

#[test]
fn what_cannot_be_locked_has_a_reason() {
    for line in [
        "npx -c echo|hi",
        "npx --registry https://host server",
        "npx --unknown server",
        "npx github:o/r",
        "npx o/r",
        "npx git+https://host/r.git",
        "npx https://host/a.tgz",
        "npx ./server",
        "npx -y server@git+https://host/a",
        "sh -c cd|/x|&&|npx|-y|server",
        "bash -lc npx|-y|server|>|log",
        "env A=1 npx server",
        "deno run jsr:@s/server",
        "deno run https://host/x.ts",
        "uvx --from git+https://host/r tool",
        "uvx --index-url https://host server",
        "uvx --python /usr/bin/python3 server",
        "uvx ./server",
        "uv run --with x python f.py",
        "uv --directory d run server",
        "pipx run --pip-args=x server",
    ] {
        assert!(matches!(form(line), CommandForm::NotLockable(_)), "{line}: {}", shown(line));
    }
    let words = ["npx", "server"].map(str::to_owned);
    for variable in ["NPM_CONFIG_REGISTRY", "npm_config_registry", "NODE_OPTIONS", "UV_INDEX_URL"] {
        let form = command_form(&words, &[variable.to_owned()]);
        assert!(matches!(form, CommandForm::NotLockable(_)), "{variable}");
    }
    let harmless = ["API_KEY".to_owned()];
    assert!(matches!(command_form(&words, &harmless), CommandForm::Package(_)));
}

#[test]
fn other_commands_are_left_alone() {
    for line in [
        "node server.js",
        "python -m server",
        ".venv/bin/server",
        "docker run -i --rm image",
        "npm start",
        "npm run exec",
        "bun run server.ts",
        "yarn start",
        "deno run main.ts",
        "sh start.sh",
        "sh -c ./start.sh",
        "cmd /k npx server",
        "npx",
        "uvx",
        "my|program",
    ] {
        assert_eq!(form(line), CommandForm::Other, "{line}: {}", shown(line));
    }
}
