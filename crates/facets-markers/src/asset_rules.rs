//! The table of rules about what an asset makes a client do (spec 7.10).

use crate::executed::EXECUTED;
use crate::marker::{Rule, RuleScope};

/// Rules for texts of skills, agents and commands alone: they are not about what a model is told, but about what its
/// client does.
pub const ASSET_RULES: &[Rule] = &[
    Rule {
        code: EXECUTED,
        scope: RuleScope::Assets,
        looks_for: "commands that a client runs when the text is used",
        hits: &[
            "See !`git diff HEAD` here.",
            "```!\ngit status\n```",
            "For example:\n\n```md\n!`id`\n```",
        ],
        passes: &[
            "Run `git diff HEAD` first!",
            "Write !important behind it.",
            "```sh\n! test -e x\n```",
        ],
    },
    Rule {
        code: "marker-hooks",
        scope: RuleScope::Assets,
        looks_for: "commands that a client runs at events, in a front matter",
        hits: &[
            "---\nhooks: {Stop: [{hooks: [{type: command, command: ./x.sh}]}]}\n---\nGo.",
            "---\n\"hooks\":\n  PreToolUse:\n    - matcher: Bash\n---\nGo.",
        ],
        passes: &["---\ncolor: blue\n---\nSet up `hooks:` yourself.", "---\nhooks: {}\n---\nGo."],
    },
    Rule {
        code: "marker-own-servers",
        scope: RuleScope::Assets,
        looks_for: "MCP servers that a client starts, in a front matter",
        hits: &["---\nmcpServers: {files: {command: npx}}\n---\nGo."],
        passes: &["---\nmodel: sonnet\n---\nGo.", "---\nmcpServers: {}\n---\nGo."],
    },
    Rule {
        code: "marker-broad-permission",
        scope: RuleScope::Assets,
        looks_for: "permission in a front matter to run any command, or to do anything, without a question",
        hits: &[
            "---\nallowed-tools: Bash(*)\n---\nGo.",
            "---\nallowed-tools: [Read, Bash]\n---\nGo.",
            "---\nallowed-tools: Bash(python3:*)\n---\nGo.",
            "---\npermissionMode: bypassPermissions\n---\nGo.",
            "---\npermission: {bash: allow}\n---\nGo.",
            "---\ntools: {bash: true}\n---\nGo.",
        ],
        passes: &[
            "---\nallowed-tools: Read, Grep, Glob\n---\nGo.",
            "---\ntools: Bash, Edit\n---\nAn agent that has these tools only.",
            "---\npermission: {bash: ask, edit: deny}\n---\nGo.",
        ],
    },
    Rule {
        code: "marker-tool-permission",
        scope: RuleScope::Assets,
        looks_for: "permission in a front matter to use certain tools without a question",
        hits: &[
            "---\nallowed-tools: Bash(git status:*)\n---\nGo.",
            "---\nallowed-tools: Read, Write\n---\nGo.",
            "---\npermission: {bash: {\"git *\": allow}}\n---\nGo.",
            "---\npermissionMode: acceptEdits\n---\nGo.",
        ],
        passes: &["---\nallowed-tools: Read\n---\nGo.", "---\npermissionMode: plan\n---\nGo."],
    },
];
