//! Examples in the help of commands: one for every option that decides over safety.

/// Help that shows what would be its end, such as a table of settings, before the options.
pub(super) const FIRST: &str = "\
{before-help}{about-with-newline}
{usage-heading} {usage}{after-help}

{all-args}";

pub(super) const BUILD: &str = "\
Examples:
  facet build my-server   writes my-server-0.1.0.server.tar.gz, and lists what is in it
  facet build --check     would a build refuse the manifest or a file? Writes nothing
  facet build --allow-secret test/key.pem
                          packs a file that looks like a secret: everyone who gets the archive can
                          read it
  facet build --force     replaces an archive of the same version with other content

Exit codes: 0 built, 1 the manifest or a file is refused, 2 could not build.";

pub(super) const PUBLISH: &str = "\
Examples:
  facet publish my-server --dry-run
                          shows files, hashes and tools, and uploads nothing
  facet publish my-server --registry https://registry.example.com
                          builds it, starts it as the registry will, asks, uploads it, and compares
                          the hashes of the registry with its own
  facet publish my-facet-1.0.0.facet --yes
                          publishes an archive without a question: for scripts

Exit codes: 0 published, or published before; 1 the manifest, a file or the archive is refused
before anything is sent, the facet is private, or a hash differs; 2 the server failed to start, or
the registry refuses it or cannot be reached.";

pub(super) const YANK: &str = "\
A yanked version can still be fetched by everyone who has pinned it. It is no longer chosen as the
latest version.

Examples:
  facet yank my-server 1.0.0 --reason 'loses data on restart; use 1.0.1'
  facet yank my-server 1.0.0 --undo";

pub(super) const LOGIN: &str = "\
The token is stored in ~/.facet/credentials (or $FACET_DIR), readable by you alone, and sent to this
registry and to no other. In CI, set FACET_TOKEN and FACET_REGISTRY_URL instead.

Examples:
  facet login --registry https://registry.example.com
                          asks for the token; it is not shown while you type
  facet login --token-stdin < token.txt
  facet login --token-file token.txt";

pub(super) const INSPECT: &str = "\
Examples:
  facet inspect -- npx -y @modelcontextprotocol/server-memory
  facet inspect https://mcp.example.com/ --header Authorization=MY_TOKEN
  facet inspect surface.json
  facet inspect --sandbox network,filesystem --allow-read ./data -- node server.js
                          no network; of your files only the current directory and ./data
  facet inspect --yes -- node server.js
                          starts the command without asking: for scripts";

pub(super) const ADD: &str = "\
Examples:
  facet add memory -- npx -y @modelcontextprotocol/server-memory
  facet add docs https://mcp.example.com/ --header Authorization=MY_TOKEN
  facet add mine ./my-server
                          builds the directory, stores it, and pins its bytes
  facet add tickets jira@1.4.0
                          the server jira of a registry, under a name of your own
  facet add tickets --env API_TOKEN -- uvx tickets-mcp
                          the server gets the variable; facet does not store its value
  facet add memory --replace -- node memory/server.js
                          another server under a pinned name: shows what changed, then asks
  facet add memory --yes -- node server.js
                          accepts findings up to moderate: for scripts that trust the server
  facet add memory --accept critical -- node server.js
                          accepts critical findings, too: only if you have read them";

pub(super) const INSTALL: &str = "\
Without a name, facet install fetches what is in facets.lock, verifies every byte and writes the
files. It asks before it starts a server, and never overwrites a file that you made or edited.

Examples:
  facet install team-tools
                          the latest version: shows its texts, then asks
  facet install jira@1.4.0 --kind server
  facet install           in a fresh clone: everything, as it is locked
  facet install --frozen --trust-lock
                          in CI with a reviewed lock: asks nothing, starts no server, and fails
                          if facets.json and facets.lock do not agree
  facet install --dry-run shows what would be done
  facet install team-tools --client codex --connect codex
                          writes texts for Codex, which then launches the servers through facet
  facet install team-tools --user
                          your own folders, for every project; facet --directory ~/.facet/user list
  facet install team-tools --accept-mcp --yes
                          also starts the commands that the facet declares, to inspect them
  facet install --accept critical
                          accepts critical findings, too: only if you have read them
  facet install --registry https://registry.example.com --accept-registry
                          a registry other than the one in the lock

Exit codes: 0 installed; 1 refused, nothing was changed (findings, a hash that differs, a lock that
is out of date, a file of yours in the way); 2 could not install.";

pub(super) const UPGRADE: &str = "\
Examples:
  facet upgrade           newer versions of everything: shows what changed, then asks
  facet upgrade team-tools --latest
                          also a version that facets.json excludes
  facet upgrade --dry-run shows what would change
  facet upgrade jira --accept critical
                          accepts critical changes, too: only if you have read them

Exit codes: 0 upgraded, or nothing to upgrade; 1 refused; 2 could not upgrade.";

pub(super) const OUTDATED: &str = "\
Examples:
  facet outdated          newer versions of everything
  facet outdated team-tools --registry https://registry.example.com

Exit codes: 0 all were looked up, also if there are newer versions; 2 some could not be.";

pub(super) const ADOPT: &str = "\
Clients: claude-code, claude-desktop, codex, opencode, cursor, vscode, gemini.

Examples:
  facet adopt --dry-run   shows what would be pinned and rewritten, and changes nothing
  facet adopt cursor      only the servers of Cursor
  facet adopt --user      your own files instead of those of this project
  facet adopt --yes       accepts findings up to moderate without a question
  facet adopt --accept critical
                          accepts critical findings, too: only if you have read them
To undo: facet disconnect --here";

pub(super) const CONNECT: &str = "\
Examples:
  facet connect cursor codex
  facet connect cursor --yes
                          rewrites the file without showing the difference first
To undo: facet disconnect cursor --here";

pub(super) const DISCONNECT: &str = "\
Examples:
  facet disconnect        restores every client file that facet has changed, in all projects
  facet disconnect --here only the client files of this project
  facet disconnect cursor --server files
                          only the entry of Cursor that starts files of this project
  facet disconnect cursor --yes
                          without showing the difference first";

pub(super) const CHECK: &str = "\
Examples:
  facet check
  facet check memory --fail-on critical
                          exit code 1 only for critical changes
  facet check --trust-lock
                          in CI: starts what the reviewed lock contains, without approvals on
                          this machine

Exit codes: 0 as approved, 1 changed, 2 could not check (a server that does not start, or that is
not approved on this machine).";

pub(super) const APPROVE: &str = "\
Examples:
  facet approve memory    shows what changed, then asks
  facet approve memory --accept moderate
                          accepts changes up to moderate, and no others
  facet approve --all     in a moved clone or a worktree: one question for all servers
  facet approve memory --trust-lock --accept moderate
                          in CI: compares with the lock, without approvals on this machine";

pub(super) const APPROVALS: &str = "\
Examples:
  facet approvals         lists your approvals in this project
  facet approvals list --all
                          lists those of all projects
  facet approvals revoke memory";

pub(super) const VERIFY: &str = "\
Examples:
  facet verify            are lock, surface files and installed files intact?
  facet verify --against origin/main
                          what does this branch change in the lock: commands, grants, servers
  facet verify --against origin/main --fail-on critical
  facet verify --file server.json
                          are the published packages the ones that its author hashed?

Exit codes: 0 intact, 1 changed, 2 could not check (with --file: nothing is wrong, but a file
could not be fetched).";

pub(super) const DIFF: &str = "\
Each is the name of a pinned server, NAME@REV for the pin at a revision of git,
a surface file, or a file with contracts (also of MCP Fusion).
Exit code 1 if something is at or above --fail-on.

Examples:
  facet diff memory@main memory
  facet diff before.json after.json --fail-on critical";

pub(super) const RUN: &str = "\
Standard input and output belong to the client. Exit code 1 if --on-drift stop ended the session,
2 if nothing was started, otherwise the exit code of the server.

Examples:
  facet run memory        what changed is withheld, the rest works
  facet run memory --on-drift stop
                          the first change ends the session
  facet run memory --on-drift warn
                          delivers everything and only reports changes: no protection
  facet run memory --sandbox off
                          starts it without confinement, whatever was granted
  facet run memory --trust-lock
                          starts what the lock contains, without your approval on this machine
  facet run memory --http 127.0.0.1:8931
                          every program on this machine can then call the server";

pub(super) const GRANT: &str = "\
Settings (several values are separated by commas):
  network=none            no network
  network=all             no limit
  network=HOST:PORT       only this host: a public name, an address, or localhost
  network=private:HOST:PORT
                          only this host, whose name leads into a private network
  filesystem=none         no files of yours; it can read system files and its own package,
                          and has a private home directory
  filesystem=all          no limit
  filesystem=PATH         as none, and read and write this path
  filesystem=ro:PATH      as none, and read this path
  subprocess=yes|no       may it start other programs?
  sampling=yes|no         may it send requests to the model?
  elicitation=yes|no      may it ask you questions?
  arguments=any           calls are passed on with any arguments
  arguments=pinned        calls are checked against the approved input schema of the tool

Examples:
  facet grant files       shows what it may do
  facet grant files network=none filesystem=ro:./docs
  facet grant tickets network=api.example.com:443 subprocess=no
  facet grant files filesystem=all --yes
                          grants more than before without a question";

pub(super) const SHOW: &str = "\
Examples:
  facet show memory       long texts are shortened
  facet show memory -v    long texts in full";

pub(super) const REMOVE: &str = "\
Examples:
  facet remove memory     asks before it restores client entries that start it
  facet remove team-tools removes the files of a facet, except those that you edited
  facet remove memory tickets --yes
                          also restores the client entries, without a question
  facet data memory --clear
                          removes the data of the server, which facet remove keeps";

pub(super) const PS: &str = "\
Examples:
  facet ps
  facet stop memory       ends the sessions of a server in this project";

pub(super) const LOGS: &str = "\
Examples:
  facet logs memory       what it wrote, and what was withheld, in its last session
  facet logs memory -f    prints new lines until the session ends";

pub(super) const SCAN: &str = "\
Examples:
  facet scan node_modules/@example/files
                          files, network, programs, cryptography, code made at run time
  facet scan server.ts    one file";

pub(super) const DOCTOR: &str = "\
Examples:
  facet doctor
  facet doctor --directory ~/.facet/user
                          the project of the servers that were adopted with --user

Exit codes: 0 nothing is broken, 1 something is.";

pub(super) const CACHE: &str = "\
Examples:
  facet cache             lists the entries of the store
  facet cache verify      hashes all of them, and removes those that were modified
  facet cache prune --max-size 500M
                          removes the least recently used ones until 500 MiB are left

Exit codes of verify: 0 all are intact, 1 some were modified, 2 some could not be read.";

pub(super) const RUNTIME: &str = "\
Examples:
  facet runtime           lists the runtimes, and which are installed
  facet runtime install   fetches them before a server needs them
  facet runtime remove bun

A runtime is fetched from the npm registry of your configuration when a server first needs it, and
compared with the hashes that are part of facet.";

pub(super) const DATA: &str = "\
Examples:
  facet data              lists the data of confined servers and its size
  facet data memory --clear
  facet data memory --clear --yes
                          removes it without a question";
