//! Phrases that give orders to a model, in English. How they are written is told in `matcher`.

use crate::phrase::Phrase;

const IGNORE: &str = "marker-ignore-instructions";
const MODEL: &str = "marker-to-the-model";
const OBEY: &str = "marker-obey-output";
const CONCEAL: &str = "marker-conceal";
const CONSENT: &str = "marker-skip-consent";
const FIRST: &str = "marker-call-first";
const SECRET: &str = "marker-secret";
const TALK: &str = "marker-conversation";
const BLOB: &str = "marker-encoded-blob";
const EMAIL: &str = "marker-email";
const ROLE: &str = "marker-role";

/// The phrases, each with its rule.
pub(crate) const PHRASES: &[Phrase] = &[
    // Other instructions are to be forgotten, or come second.
    (IGNORE, "!whether|to {ignore} ~3 {earlier} ~3 {orders}|{limits}"),
    (IGNORE, "!whether|to {ignore} {earlier} {orders}|{limits}"),
    (IGNORE, "!whether|to {ignore} {every} {earlier} {orders}|{limits}"),
    (IGNORE, "!whether|to {ignore} ~2 {every} ~3 {orders}"),
    (
        IGNORE,
        "{ignore} ~3 everything|anything|whatever|what|all ~5 told|said|instructed|learned|taught|above|before",
    ),
    (
        IGNORE,
        "!{describing} {no} ~1 follow|obey|apply|honor|honour|heed|respect|trust ~3 {earlier}|other|any ~3 {orders}|rules|policies",
    ),
    (IGNORE, "stop ~1 following|obeying ~3 {orders}|rules|policies"),
    (
        IGNORE,
        "instruction|instructions|rules|message|description|notice|text|directive|paragraph ~3 override|overrides|supersede|supersedes|replaces ~4 {orders}|rules|policies",
    ),
    (
        IGNORE,
        "take|takes|taking|has|have|having ~1 precedence|priority over ~4 {orders}|rules|user|users|everything|policies|else",
    ),
    (IGNORE, "precedence|priority|preference over ~1 other|all|any ~1 {tools}|sources|servers"),
    (IGNORE, "your ~1 new|updated ~1 {orders}|objective|role|mission"),
    (
        IGNORE,
        "your ~1 real|actual|true|only ~1 {orders}|task|goal|objective|role|purpose|mission|job",
    ),
    (
        IGNORE,
        "highest|top|utmost|absolute|maximum ~1 priority ~1 directive|instruction|instructions|order|command|notice",
    ),
    (IGNORE, "{ignore} ~1 the_above|the_foregoing|everything_above|all_above|what_came_before"),
    (IGNORE, "{ignore} ~2 what|anything ~2 user|users ~1 says|said|wants|asks|asked"),
    (
        IGNORE,
        "override|overrides|supersede|supersedes ~2 anything|everything|whatever|all ~4 user|users|asked|said|told",
    ),
    (IGNORE, "!{describing} {no} ~1 obey|listen_to ~1 user|users|operator|owner"),
    (
        IGNORE,
        "users|operators ~1 instructions|wishes|orders ~2 wrong|void|secondary|irrelevant|invalid",
    ),
    (IGNORE, "follow|obey these|this ~1 instead"),
    (
        IGNORE,
        "!at|to|the|near|from|by|until end_of ~2 description|instructions|prompt|context|documentation",
    ),
    (
        IGNORE,
        "safety|content ~1 policy|policies|guidelines|filters|rules ~3 not ~1 apply|count|matter",
    ),
    (
        IGNORE,
        "instructions|rules|guidelines|prompt ~3 no_longer ~2 apply|applies|valid|count|relevant|matter",
    ),
    (
        IGNORE,
        "earlier|previous|prior instructions|guidance|rules|prompts ~4 void|obsolete|outdated|cancelled|canceled|revoked|superseded|lifted",
    ),
    // The text speaks to the model as a model.
    (
        MODEL,
        "new|updated|additional|special|secret|hidden|following instructions ~1 for ~2 {model}",
    ),
    (
        MODEL,
        "attention|note|message|notice|important ~2 to|for ~2 {model} !providers|provider|name|names|calls|training|id|weights|version",
    ),
    (MODEL, "you_are_now a|an|the|acting|operating|free|allowed|permitted|unrestricted|required"),
    (MODEL, "from_now_on ~2 you|always|never|whenever|respond|reply|answer|obey"),
    (
        MODEL,
        "pretend_to_be|pretend_you|pretend_that_you|act_as_if_you|behave_as_if_you|roleplay_as",
    ),
    (MODEL, "jailbreak|jailbroken|god_mode|do_anything_now|unrestricted_mode|override_mode"),
    (MODEL, "attention|dear|hey|hello ~1 ai|assistant|llm|claude|chatgpt|gpt|gemini|copilot"),
    (
        MODEL,
        "as_an_ai|as_an_llm|as_a_language_model|if_you_are_an_ai|if_you_are_an_llm|if_you_are_a_language_model",
    ),
    (
        MODEL,
        "assistant|ai|llm|chatbot must|shall|has_to|have_to ~1 {give}|{fetch}|{call}|first|always|never|ignore|obey|comply",
    ),
    // What a tool returns is to be obeyed.
    (
        OBEY,
        "follow|execute|obey|carry_out|run|perform|apply|heed ~1 any|all|every|whatever ~2 instructions|instruction|commands|orders|directives ~4 in|inside|of|from|within|by ~2 output|result|results|response|responses|reply|answer|content|page|data|it",
    ),
    (OBEY, "treat|regard|take|consider|handle ~6 as ~2 instructions|commands|orders|directives"),
    (OBEY, "trust ~4 without ~1 checking|verifying|question|verification"),
    (
        OBEY,
        "do_whatever|do_what|do_as|do_exactly_what ~2 output|result|response|reply|tool|server ~1 says|tells|asks|demands",
    ),
    // The user is not to learn of something.
    (CONCEAL, "!{describing} {no} {tell} {user}|the_user|the_users"),
    (CONCEAL, "!{describing} {no} ~2 {tell} ~4 {user}"),
    (
        CONCEAL,
        "you_will_not|you_wont|you_may_not|you_cannot|you_are_not_to|is_not_to|must_not_be|ought_not_to ~2 {tell}|told|informed|mentioned|revealed ~4 {user}",
    ),
    (
        CONCEAL,
        "!{describing} {no} ~1 mention|mentioning|reveal|disclose|acknowledge|discuss|admit|surface|expose ~1 this|it|that|these|anything|any_of_this|having",
    ),
    (
        CONCEAL,
        "avoid|refrain_from|instead_of|no_need_to|no_reason_to|not_necessary_to|unnecessary_to|rather_than|not_to|needless_to|skip|no_point_in ~2 {tell}|bother|bothering|trouble ~4 {user}|this|it",
    ),
    (
        CONCEAL,
        "without ~2 telling|asking|informing|mentioning|consulting|alerting|involving ~3 {user}|it|this",
    ),
    (CONCEAL, "without ~1 users|user ~1 knowledge|awareness|noticing|knowing"),
    (CONCEAL, "silently|secretly|covertly|discreetly|quietly|surreptitiously|stealthily ~1 {act}"),
    (
        CONCEAL,
        "send|forward|upload|copy|include|append|transmit|collect|attach|pass|call|invoke ~5 silently|secretly|covertly|discreetly|quietly|unnoticed|in_secret",
    ),
    (
        CONCEAL,
        "keep|keeping ~2 this|it|these|that|them|call|step ~3 secret|hidden|quiet|confidential|to_yourself|to_itself|from_the_user|out_of_sight|invisible",
    ),
    (
        CONCEAL,
        "keep|leave ~3 user|users ~2 unaware|uninformed|out_of_the_loop|in_the_dark|out_of_this|out_of_it",
    ),
    (CONCEAL, "hide|hiding|conceal|concealing|withhold ~1 this|it|these|that|its ~4 from"),
    (
        CONCEAL,
        "this|it|step|call|action|parameter|instruction ~4 hidden|concealed|invisible|secret|kept from|to ~2 {user}",
    ),
    (
        CONCEAL,
        "user|users|human ~1 must|should ~1 {no} ~2 know|learn|notice|aware|find|told|informed|suspect",
    ),
    (
        CONCEAL,
        "user|users|human ~1 must|should|need ~1 {no} ~2 see|hear|shown|know ~1 this|it|that|these|about|of",
    ),
    (
        CONCEAL,
        "user|users|human ~1 must|should|shall|has_to ~1 remain|stay|be_kept|be_left ~1 unaware|uninformed|ignorant|in_the_dark",
    ),
    (
        CONCEAL,
        "make_sure|ensure|so_that|see_to_it ~2 nobody|no_one ~2 notices|knows|sees|learns|hears|finds",
    ),
    (
        CONCEAL,
        "no ~1 reason|need|reasons for ~2 {user} to ~2 know|informed|told|see|hear|learn|notice|aware",
    ),
    (
        CONCEAL,
        "omit|avoid|skip|leave_out|drop|exclude|remove|without ~2 reference|references|mention|mentions ~2 this|it|tool|step|call|its",
    ),
    (CONCEAL, "say|mention|reveal|disclose nothing"),
    (CONCEAL, "make|making no mention"),
    (CONCEAL, "under_no_circumstances|in_no_case|by_no_means|on_no_account ~4 {tell}"),
    (CONCEAL, "{no} ~1 let_on|give_away"),
    (CONCEAL, "user|users|operator|human ~1 not_to_be informed|told|notified|aware|shown|asked"),
    (
        CONCEAL,
        "act|behave|answer|respond|continue|proceed as_though|as_if ~1 you|this|it|nothing ~3 {no}|nothing|happened|did_not",
    ),
    (
        CONCEAL,
        "user|users|human ~2 not|never ~1 need|have|needs to ~2 know|see|hear|learn|told ~1 this|it|that|these|about|of",
    ),
    (
        CONCEAL,
        "not_need_to|neednt|need_not|never|without_letting ~1 let ~2 user|users|human ~1 know|see|notice|find",
    ),
    (CONCEAL, "{no} ~1 let ~2 user|users|human|anyone ~1 know|see|notice|find|realize|realise"),
    (
        CONCEAL,
        "leave|omit|exclude|drop|strip|keep|remove ~6 out_of|from ~1 your ~2 answer|reply|response|summary|message|explanation|output",
    ),
    (
        CONCEAL,
        "{no} ~2 appear|show_up|be_mentioned|surface ~3 your|the|any ~2 answer|reply|summary|explanation|visible",
    ),
    (
        CONCEAL,
        "between_you_and_me|our_little_secret|between_us_only|behind_the_users_back|as_if_nothing_happened|as_if_it_never_happened|nobody_needs_to_know|no_one_needs_to_know|no_one_should_know|nobody_should_know",
    ),
    // Nobody is to be asked.
    (
        CONSENT,
        "!{describing} {no}|without|no_need_to|refrain_from|avoid ~1 ask|asking|wait|waiting|seek|seeking|request|requesting ~4 user|users|human|their|them ~5 confirmation|approval|permission|consent|confirm|approve|agree",
    ),
    (
        CONSENT,
        "{call}|proceed|continue|go_ahead|act|do_so|do_this|do_it|apply ~4 without ~1 asking|confirmation|permission|approval|consent|confirming|hesitation",
    ),
    (
        CONSENT,
        "!if|when|once|until|unless|whether|after|that|only user|users|owner|administrator|admin ~2 already ~2 approved|agreed|consented|authorized|authorised|confirmed|accepted|granted",
    ),
    (
        CONSENT,
        "no|without ~1 user|human ~1 confirmation|approval|consent|permission|oversight|review ~2 needed|required|necessary|is",
    ),
    (
        CONSENT,
        "auto|automatically|always ~1 approve|accept|allow|confirm ~2 all|any|every ~3 tool|tools|calls|request|requests|permissions|confirmations|prompts",
    ),
    (CONSENT, "skip|bypass|suppress|dismiss ~3 users ~2 confirmation|approval|permission|consent"),
    (
        CONSENT,
        "!{describing} no_need_to|need_not|{no} ~1 ask|seek|wait ~1 for ~2 permission|approval|consent|authorization",
    ),
    (CONSENT, "dont_ask|do_not_ask|never_ask just|simply"),
    // One tool is to come before, or instead of, the others.
    (
        FIRST,
        "you_must|always|must|you_need_to|you_have_to|you_should|make_sure_to|be_sure_to|you_are_required_to|you_ought_to|mandatory_to|remember_to ~1 {call} ~6 !the|a|an|its|your|their|each|on|at|from first|before",
    ),
    (
        FIRST,
        "before|prior_to ~2 {calling}|other|any|every ~1 any|other|another|all|every|each ~2 {tools}",
    ),
    (FIRST, "before ~2 any|other|every|each|all ~1 other|single {tools}"),
    (
        FIRST,
        "before ~1 answering|replying|responding|answer|reply|respond|anything_else|doing_anything ~6 {call} ~1 this|it|the ~1 {tools}",
    ),
    (
        FIRST,
        "{call} ~1 this|it ~3 before|prior_to ~3 any|every|each|all|other|anything ~3 {tools}|action|actions|task|tasks|step|steps|answer|answers|response|reply|question|questions|request|message|else",
    ),
    (
        FIRST,
        "this_tool|this_function|it must|should|has_to|needs_to|shall ~1 be ~1 called|used|invoked|run|executed|consulted ~4 !the|a|its|your first|before_any|before_every|before_all|before_other|always|on_every|for_every|at_every",
    ),
    (
        FIRST,
        "always|must|only ~1 prefer|choose|pick|select|use|call this ~1 {tools} ~2 over|instead_of|rather_than",
    ),
    (
        FIRST,
        "!{describing} {no} ~1 use|call|invoke|run|trust|consult ~1 other|another|any_other|any_of_the_other|alternative|competing ~2 {tools}|server|servers",
    ),
    (FIRST, "other {tools} ~3 {no} ~1 use|call|trust|invoke"),
    (
        FIRST,
        "only_this_tool|only_this_server|no_other_tool|no_other_server ~1 may|must|should|can|is|shall",
    ),
    (FIRST, "refuse|reject|decline all_others|other_tools|any_other|all_other"),
    (
        FIRST,
        "!{describing} {no} ~1 verify|check|confirm|question|compare ~4 with|using|through ~1 other|another ~1 {tools}|sources|servers",
    ),
    (
        FIRST,
        "whenever|every_time|each_time|when|after|while ~2 any|another|other|every|all ~2 {tools} ~3 called|used|invoked|run|runs|finishes|returns|available",
    ),
    (
        FIRST,
        "{call} this|it|this_tool|this_function at|on|in|for|before|after|with ~3 every|each ~1 conversation|chat|turn|reply|answer|interaction|question|request|response",
    ),
    (
        FIRST,
        "at_the_start|at_the_beginning|on_every_turn|in_every_turn|at_the_end ~2 every|each|any ~1 conversation|chat|turn|reply|answer|message ~4 {call}",
    ),
    (
        FIRST,
        "other|all_other|remaining {tools} ~3 will|would|may fail|break|stop|crash|misbehave ~3 unless|until|without",
    ),
    // Secrets are asked for.
    (
        SECRET,
        "!{no}|avoid|without|whether|cannot|is|are|was|were|be {give}|{fetch} ~5 {whose} ~3 {secret} !{about}",
    ),
    (SECRET, "!{no}|avoid|without|whether|cannot {give} ~3 {secrets} !{about}"),
    (
        SECRET,
        "contain|put|place|include|paste|hold|set_to ~3 value|values|content|contents of ~5 {secret}|secret_access_key",
    ),
    (SECRET, "what_is|whats ~1 your|the_users|their ~2 {secret} !{about}"),
    // What was said elsewhere is asked for.
    (
        TALK,
        "!{no}|avoid|without|whether|cannot {give}|{fetch}|summarize|summarise|dump|repeat ~5 full|entire|whole|complete|verbatim|exact|all_of_the|our|your|current ~2 {history} !thread|threads|id|ids|object|objects|between|room|rooms|channel",
    ),
    (
        TALK,
        "!{no}|avoid|without|whether|cannot {give}|summarize|summarise|save ~6 {talk}|session|exchange|messages|everything ~2 so_far|to_date|until_now|up_to_now|up_to_this_point|thus_far|up_to_here",
    ),
    (
        TALK,
        "!{no}|avoid|without|whether|cannot|returns|gets {give} ~5 summary|recap|transcript|log|copy ~2 this|our|the_current|the_whole|the_full|the_entire|your ~1 {talk}|session",
    ),
    (
        TALK,
        "summary|recap|transcript|copy|history ~3 {talk} so_far|up_to_now|until_now|thus_far|up_to_this_point",
    ),
    (
        TALK,
        "{give}|{fetch}|reveal|print|output|repeat|expose|leak|display|echo|state|tell|show ~3 your|the_full|the_entire|whole|full|entire|its ~1 system_prompt|system_message|initial_prompt|initial_instructions|hidden_prompt|internal_instructions|developer_message|system_instructions",
    ),
    (
        TALK,
        "{give} ~3 everything|anything|all ~2 user ~2 said|says|wrote|typed|asked|told|mentioned|shared",
    ),
    (
        TALK,
        "everything|all|anything|whatever ~4 said|discussed|written|typed ~3 in ~1 this|the|our ~1 conversation|chat|session",
    ),
    (
        TALK,
        "what|everything|anything ~1 user ~2 told|said|asked|shared|wrote ~1 you|so_far|earlier",
    ),
    (
        TALK,
        "include|attach|append|pass|paste|put|provide|quote|embed|add ~1 last|previous|recent|latest|all ~2 messages|prompts ~1 of|from|by ~1 user|users",
    ),
    (
        TALK,
        "{give}|state|output|repeat|print|recite ~1 your ~2 instructions|prompt|rules|guidelines ~2 verbatim|word_for_word|literally|in_full|completely",
    ),
    (TALK, "{give}|log|record|output|repeat ~4 complete|full|entire|whole|exact ~1 prompt ~1 you"),
    (TALK, "output|print|repeat|write|copy|recite|echo ~2 everything|words ~1 above"),
    (TALK, "encode|encoding ~2 {talk}"),
    (
        TALK,
        "{give} ~3 users ~2 messages|prompts|previous_messages|earlier_messages|words ~3 verbatim|word_for_word|unchanged|literally",
    ),
    (
        TALK,
        "paste|put|place|insert|embed|pass|include|quote ~2 full|entire|whole|complete|raw|exact|verbatim ~1 contents|content|text ~1 of",
    ),
    (TALK, "paste|pasting ~2 contents|content ~1 of !clipboard"),
    (
        TALK,
        "contents|content|text ~8 as|in|into ~3 sidenote|sidenotes|side_note|side_channel|telemetry",
    ),
    (
        TALK,
        "send|forward|upload|post|bcc|cc|relay|mirror ~2 copy|copies|duplicate ~2 of ~1 every|all|each|any|this|the_users|everything",
    ),
    (TALK, "bcc|cc ~2 every|all|each|any"),
    (
        TALK,
        "!to|can|will|may|optionally|whether|not also|additionally|furthermore ~1 send|forward|copy|upload|email|transmit|post ~5 to",
    ),
    // Something encoded is to be carried out.
    (BLOB, "decode|decoding|decrypt|unpack ~6 follow|execute|run|obey|carry_out|act_on"),
    // An address spelt out.
    (EMAIL, "at ~2 dot com|net|org|io|ru|cn|de|co|me|dev|app|xyz|info"),
    // A message in the form that programs send it in.
    (ROLE, "role system content|message|text"),
];
