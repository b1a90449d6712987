//! What the commands about clients and sessions print.

use std::fs;
use std::process::Stdio;
use std::time::Duration;

use facets_testkit::{Client, workspace_binary};

use super::{Output, Ran, Seen, Trusted};

/// An entry for each thing that can become of one.
const ENTRIES: &str = r#"{
  "mcpServers": {
    "files": { "command": "SERVER", "args": ["FILE"], "env": { "API_TOKEN": "x" } },
    "gone": { "command": "no-such-program-anywhere" },
    "off": { "command": "nothing", "disabled": true }
  }
}"#;

const OF_THE_USER: &str =
    r#"{ "mcpServers": { "files": { "command": "SERVER", "args": ["FILE"] } } }"#;

const WEAK: &str =
    r#"{ "mcpServers": { "files": { "command": "facet", "args": ["run", "files"] } } }"#;

const OTHERS: &str = r#"{ "mcpServers": { "files": { "command": "something-else" } } }"#;

const NO_CLIENTS: &str = "
error 2 : adopt nobody | connect cursor --yes
adopt 0 adopt: --dry-run | --yes
disconnect 0 disconnect --yes";

const ADOPT: &str = "
adopt 0 adopt --dry-run
error 2 adopt
adopt 2 adopt: --yes | claude-code --yes";

const DISCONNECT: &str = "
error 2 disconnect
disconnect 0 disconnect --yes: cursor | claude-code";

const CONNECT: &str = "
connect 0 connect --yes: claude-code cursor | cursor
connect 2 connect --yes gemini vscode
disconnect 0 disconnect --yes";

const REMOVE: &str = "
add 0 add gone SERVER
connect 0 connect --yes cursor
remove 0 remove gone
disconnect 0 disconnect --yes
add 0 add gone SERVER
connect 0 connect --yes cursor
remove 0 remove gone --yes
disconnect 0 disconnect --yes";

const USER: &str = "
adopt 0 adopt --user --yes
disconnect 0 disconnect --yes
connect 0 connect --user --yes claude-code claude-desktop codex opencode cursor vscode gemini
disconnect 0 disconnect --yes";

const GRANTS: &str = "
declare
add 0 add s SERVER
grant 0 grant s: | network=none filesystem=none subprocess=no
error 2 grant s sampling=all network=all
grant 0 grant s --yes: network=a.example:443 filesystem=ro:. | network=none
approvals-list 0 approvals list: | --all
data 0 data: | s | --all
error 2 : data nobody | data --clear | approvals revoke nobody
data 0 data --clear --yes s
grant 0 grant s --yes network=all filesystem=all subprocess=yes
approvals-revoke 0 approvals revoke s
approve 2 approve --all --yes
approve 0 approve s --yes
approvals-revoke 0 approvals revoke --all
approve 0 approve s --yes";

pub(crate) fn outputs() -> Vec<Output> {
    let mut seen = Seen { trusted: Trusted::new(), outputs: Vec::new() };
    seen.clients();
    seen.run(GRANTS);
    seen.sessions();
    seen.not_started();
    seen.outputs
}

impl Seen {
    fn clients(&mut self) {
        self.run(NO_CLIENTS);
        self.run("declare");
        self.client("project/.mcp.json", WEAK);
        self.run("adopt 0 adopt --dry-run");
        self.client("project/.mcp.json", ENTRIES);
        self.run(ADOPT);
        let adopted = self.trusted.read(".mcp.json");
        self.trusted.write(".mcp.json", &adopted.replace("\"run\"", "\"run\", \"--quiet\""));
        self.run("disconnect 2 disconnect --yes");
        self.trusted.write(".mcp.json", &adopted);
        self.run(DISCONNECT);
        self.client("project/.gemini/settings.json", OTHERS);
        self.run(CONNECT);
        self.run(REMOVE);
        self.client("user/.config/Claude/claude_desktop_config.json", OF_THE_USER);
        self.run(USER);
    }

    /// Writes a file of a client.
    fn client(&self, path: &str, text: &str) {
        let path = self.trusted.folder.path().join(path);
        let server = workspace_binary("listed-server").display().to_string();
        let declared = self.trusted.declarations().display().to_string();
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text.replace("SERVER", &server).replace("FILE", &declared)).unwrap();
    }

    fn sessions(&mut self) {
        self.run("ps 0 ps\nerror 2 : logs s | stop s\nchange");
        let mut first = self.session();
        self.withheld(&mut first);
        self.run("ps 0 ps\nlogs 0 logs s");
        let mut second = self.session();
        self.run("stop 0 stop s\nlogs 0 logs s");
        let mut third = self.session();
        // One whose door is not where it was does not answer.
        let door = self.trusted.home().join(format!("runs/{}.sock", third.id()));
        let elsewhere = door.with_extension("elsewhere");
        fs::rename(&door, &elsewhere).unwrap();
        self.run("ps 0 ps");
        assert!(self.last()["sessions"][0]["status"].is_null(), "{:#}", self.last());
        fs::rename(&elsewhere, &door).unwrap();
        self.run("stop 0 stop s");
        for client in [&mut first, &mut second, &mut third] {
            assert_eq!(client.wait(), Some(0));
        }
        let stops = self.outputs.iter().filter(|output| output.schema == "stop");
        let counts = stops.map(|output| output.document["ended"].as_array().unwrap().len());
        assert_eq!(counts.collect::<Vec<_>>(), [2, 1]);
    }

    fn session(&self) -> Client {
        let mut command = self.trusted.command(&["run", "s"]);
        let mut client = Client::start(&mut command, Stdio::null());
        client.initialize("assistant", &serde_json::json!({}));
        client
    }

    /// A session tells others a moment later how it stands.
    fn withheld(&self, client: &mut Client) {
        for _ in 0..100 {
            client.tools();
            let ps = self.ran(&["ps"]).json();
            let withheld = ps["sessions"][0]["status"]["withheld"].to_string();
            let log = self.ran(&["logs", "s"]).json()["log"].to_string();
            if withheld.contains("read_file") && log.contains("read_file") {
                return;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        panic!("nothing is withheld: {:?}", self.ran(&["ps"]));
    }

    /// What keeps a server from its client is said on standard error.
    fn not_started(&mut self) {
        let Ran { exit, out, talk } = self.ran(&["run", "nobody"]);
        assert_eq!(out, "");
        self.keep("error", 2, &["run", "nobody"], &Ran { exit, out: talk, talk: out });
    }
}
