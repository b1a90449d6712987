//! What words are worth, and why.
//!
//! A word stands for its English forms too; with `=` before it, for itself alone. A blank
//! separates words.

use super::level::Risk;

/// What a reason is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Group {
    /// It runs what it is given.
    Execution,
    /// It takes away what was there.
    Destruction,
    /// It moves money.
    Money,
    /// It changes something.
    Change,
    /// It reaches other people or machines.
    Outward,
    /// It gives out or takes secrets.
    Secrets,
    /// It makes another word heavier, and means nothing alone.
    Weight,
}

impl Group {
    /// Whether the words mean the same after a verb of reading: a shell is a shell.
    pub(super) fn is_plain(self) -> bool {
        matches!(self, Self::Execution | Self::Secrets)
    }
}

/// A word of a name, or the first word of a sentence.
pub(super) struct Term {
    pub(super) words: &'static str,
    /// With one of these beside it, it means something else.
    pub(super) unless: &'static str,
    pub(super) group: Group,
    pub(super) in_name: Option<Risk>,
    pub(super) in_text: Option<Risk>,
    pub(super) why: &'static str,
}

/// Two words near each other, the left one first.
pub(super) struct WordPair {
    pub(super) left: &'static str,
    pub(super) right: &'static str,
    pub(super) group: Group,
    pub(super) risk: Risk,
    pub(super) why: &'static str,
}

/// The last word of a parameter's name.
pub(super) struct Parameter {
    pub(super) names: &'static str,
    pub(super) group: Group,
    pub(super) risk: Risk,
    /// Whether it counts also where it is a choice or a number.
    pub(super) is_switch: bool,
    pub(super) why: &'static str,
}

/// How many words may lie between the two of a pair, and one more.
pub(super) const NEAR: usize = 4;

/// What turns a statement round.
pub(super) const NEGATING: &str = "=not =never =without =no =cannot =can't =doesn't =don't =won't";

/// Verbs after which a name only speaks of things.
pub(super) const READING: &str = "get list read show search find describe view count check fetch retrieve inspect \
     lookup query browse preview validate compare explain estimate is has filter parse summarize analyze \
     watch monitor download export diff log status calculate compute convert";

/// Verbs that say nothing where the name has no other word: what is added may be numbers.
pub(super) const EMPTY_ALONE: &str = "=add =set =put =close";

/// Switches that make a destructive tool worse.
pub(super) const WEIGHTY: &str =
    "=force =recursive =recursively =all =permanent =permanently =purge =cascade";

const HIGH: Option<Risk> = Some(Risk::High);
const MEDIUM: Option<Risk> = Some(Risk::Medium);

/// One row: words, unless, group, in a name, in a text, why.
const fn term(
    words: &'static str,
    unless: &'static str,
    group: Group,
    levels: (Option<Risk>, Option<Risk>),
    why: &'static str,
) -> Term {
    Term { words, unless, group, in_name: levels.0, in_text: levels.1, why }
}

/// Single words.
pub(super) const TERMS: &[Term] = &[
    // Whoever says exec or shell means a program of the machine.
    term(
        "=exec =shell =bash =zsh =powershell =pwsh =cmd =sudo =subprocess =popen",
        "",
        Group::Execution,
        (HIGH, HIGH),
        "it starts programs",
    ),
    term(
        "=eval evaluate",
        "=expression =model =metrics =quality =accuracy =rag =answer =answers =prompt =risk =score",
        Group::Execution,
        (HIGH, MEDIUM),
        "it runs code that it is given",
    ),
    term("spawn", "", Group::Execution, (HIGH, MEDIUM), "it starts programs"),
    // Much is executed or run that is no program: a search, a report, a test.
    term("execute run launch", "", Group::Execution, (MEDIUM, None), "it runs something"),
    term(
        "=command =commands =script =scripts =terminal =repl =code",
        "=review =search =status =qr =zip =postal =country =error =snippets =airport",
        Group::Execution,
        (MEDIUM, None),
        "it has to do with commands or code",
    ),
    term(
        "install uninstall",
        "",
        Group::Execution,
        (MEDIUM, MEDIUM),
        "it brings in or takes away programs",
    ),
    // What is deleted one by one can often be brought back; what is wiped cannot.
    term(
        "delete remove =rm =unlink =del",
        "=duplicates =whitespace =background =noise =stopwords =accents =punctuation =markdown =html",
        Group::Destruction,
        (MEDIUM, MEDIUM),
        "it takes something away",
    ),
    term(
        "wipe erase destroy nuke obliterate",
        "",
        Group::Destruction,
        (HIGH, HIGH),
        "it destroys what cannot be brought back",
    ),
    term("purge prune revoke", "", Group::Destruction, (MEDIUM, MEDIUM), "it takes something away"),
    term(
        "kill terminate shutdown reboot restart stop",
        "=words =trace =screencast =recording",
        Group::Destruction,
        (MEDIUM, MEDIUM),
        "it ends something that runs",
    ),
    term("overwrite", "", Group::Destruction, (MEDIUM, MEDIUM), "it replaces what was there"),
    term("reset rollback revert", "", Group::Destruction, (MEDIUM, MEDIUM), "it undoes something"),
    // Money does not come back.
    term(
        "=pay pays paying =refund =payout =withdraw withdrawal =purchase =buy =donate =tip",
        "",
        Group::Money,
        (HIGH, HIGH),
        "it moves money",
    ),
    term(
        "=charge =invest =bet =wager =reimburse",
        "=station =level =battery",
        Group::Money,
        (HIGH, None),
        "it moves money",
    ),
    term(
        "=transfer =transfers",
        "=learning =encoding =rate =protocol",
        Group::Money,
        (MEDIUM, MEDIUM),
        "it hands something over",
    ),
    // Changes that their owner would notice, and could mend.
    term(
        "write create update edit modify insert append rename move upload save patch upsert overwrite archive restore merge commit checkout stage assign replace approve reject enable disable lock unlock",
        "=sum =hash =uuid =random",
        Group::Change,
        (MEDIUM, MEDIUM),
        "it changes something",
    ),
    term(
        "=add =adds",
        "=numbers =number =integers =two =sum =days =vectors =matrices =fractions",
        Group::Change,
        (MEDIUM, MEDIUM),
        "it changes something",
    ),
    term(
        "=set =put =sets =puts =toggle =import =sync =cancel =close",
        "=theory =union =page =window =dialog",
        Group::Change,
        (MEDIUM, None),
        "it changes something",
    ),
    term("click submit", "", Group::Change, (MEDIUM, MEDIUM), "it acts for the user"),
    // What has left cannot be called back.
    term(
        "send =email =publish publishes =tweet notify =share =invite =reply =forward =broadcast =deploy =push pushes =post =dispatch",
        "=code =requests =button",
        Group::Outward,
        (MEDIUM, MEDIUM),
        "it reaches others",
    ),
    term("grant", "", Group::Secrets, (MEDIUM, MEDIUM), "it gives rights"),
    term(
        "=secret =secrets =password =passwords =credential =credentials =passphrase =env =environ",
        "=policy =strength =generator",
        Group::Secrets,
        (MEDIUM, None),
        "it has to do with secrets",
    ),
];

/// Pairs of words.
pub(super) const PAIRS: &[WordPair] = &[
    WordPair {
        left: "run execute evaluate launch spawn start invoke",
        right: "=command =commands =shell =bash =script =scripts =javascript =python =subprocess =subprocesses =program =programs =binary =binaries =executable =terminal",
        group: Group::Execution,
        risk: Risk::High,
        why: "it runs what it is given",
    },
    WordPair {
        left: "run execute evaluate",
        right: "=code =snippet =expression",
        group: Group::Execution,
        risk: Risk::High,
        why: "it runs what it is given",
    },
    WordPair {
        left: "arbitrary system remote shell",
        right: "=command =commands =code =execution",
        group: Group::Execution,
        risk: Risk::High,
        why: "it runs what it is given",
    },
    WordPair {
        left: "delete drop remove wipe truncate purge erase",
        right: "=database =databases =table =tables =account =accounts =repository =repositories =bucket =buckets =disk =volume =volumes =cluster =clusters =everything =backup =backups =tenant =schema",
        group: Group::Destruction,
        risk: Risk::High,
        why: "it destroys what cannot be brought back",
    },
    WordPair {
        left: "format partition",
        right: "=disk =drive =partition =volume",
        group: Group::Destruction,
        risk: Risk::High,
        why: "it destroys what cannot be brought back",
    },
    WordPair {
        left: "transfer send move withdraw pay wire deposit spend charge swap stake bridge release",
        right: "=money =funds =payment =payments =crypto =cryptocurrency =bitcoin =btc =eth =usdc =dollars =euros =coins =wallet =cash =salary",
        group: Group::Money,
        risk: Risk::High,
        why: "it moves money",
    },
    WordPair {
        left: "create make submit process initiate place capture issue execute confirm authorize",
        right: "=payment =payments =transfer =payout =refund =order =orders =trade =trades =charge =charges =purchase =transaction",
        group: Group::Money,
        risk: Risk::High,
        why: "it moves money",
    },
    WordPair {
        left: "buy sell trade",
        right: "=stock =stocks =shares =crypto =tokens =securities =bonds =options =assets",
        group: Group::Money,
        risk: Risk::High,
        why: "it moves money",
    },
    WordPair {
        left: "return read dump list print show get",
        right: "=environment",
        group: Group::Secrets,
        risk: Risk::Medium,
        why: "secrets are kept there",
    },
    WordPair {
        left: "return retrieve get read reveal show fetch export decrypt",
        right: "=password =passwords =secret =secrets =credentials",
        group: Group::Secrets,
        risk: Risk::Medium,
        why: "it gives out secrets",
    },
];

/// Parameters.
pub(super) const PARAMETERS: &[Parameter] = &[
    Parameter {
        names: "=command =commands =cmd =shell =script =code =javascript =program =executable",
        group: Group::Execution,
        risk: Risk::Medium,
        is_switch: false,
        why: "it takes something to run",
    },
    Parameter {
        names: "=sudo =privileged =elevated",
        group: Group::Execution,
        risk: Risk::High,
        is_switch: true,
        why: "it asks for all rights",
    },
    Parameter {
        names: "=sql =statement =mutation",
        group: Group::Change,
        risk: Risk::Medium,
        is_switch: false,
        why: "a statement may change data",
    },
    Parameter {
        names: "=password =passphrase =secret =credentials =apikey",
        group: Group::Secrets,
        risk: Risk::Medium,
        is_switch: false,
        why: "it takes a secret",
    },
    Parameter {
        names: "=url =urls =webhook =endpoint =recipient =recipients =bcc",
        group: Group::Outward,
        risk: Risk::Medium,
        is_switch: false,
        why: "it reaches an address that it is given",
    },
];
