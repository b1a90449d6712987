//! What a word is that was typed where several things can stand.

/// Commands that start servers, and that nobody means a name of a registry by.
const COMMANDS: [&str; 20] = [
    "bash", "bun", "bunx", "cargo", "deno", "docker", "dotnet", "go", "java", "node", "npm", "npx",
    "pipx", "pnpm", "podman", "python", "python3", "uv", "uvx", "yarn",
];

/// Whether a word is a command that starts servers.
pub(crate) fn is_command(word: &str) -> bool {
    COMMANDS.contains(&word)
}

/// Whether a word is a host with a port, or this machine, and perhaps a path.
pub(crate) fn is_host(word: &str) -> bool {
    let (name, port) = host_and_port(word);
    let has_port = !name.is_empty() && !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit());
    has_port || name == "localhost"
}

/// The parts of a word before and after its colon, without a path.
pub(crate) fn host_and_port(word: &str) -> (&str, &str) {
    let host = word.split('/').next().unwrap_or_default();
    host.rsplit_once(':').unwrap_or((host, ""))
}
