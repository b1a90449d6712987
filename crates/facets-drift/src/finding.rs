//! What can be found, and how bad each of it is by itself (spec 7.1, 7.2).

use facets_schema::SchemaChange;

/// Does it widen what a tool may do, or is told to do?
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Good to know.
    Info,
    /// Nothing to worry about.
    Safe,
    /// Somebody should read it.
    Moderate,
    /// Nobody should run it unread.
    Critical,
}

impl Severity {
    /// From the least to the worst.
    pub const ALL: [Self; 4] = [Self::Info, Self::Safe, Self::Moderate, Self::Critical];

    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Safe => "safe",
            Self::Moderate => "moderate",
            Self::Critical => "critical",
        }
    }
}

/// Does it break callers?
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Compat {
    /// Only how it looks.
    Cosmetic,
    /// No caller notices.
    Safe,
    /// A caller may notice.
    Risky,
    /// A caller breaks.
    Breaking,
}

impl Compat {
    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cosmetic => "cosmetic",
            Self::Safe => "safe",
            Self::Risky => "risky",
            Self::Breaking => "breaking",
        }
    }
}

/// Declares the types with their names and what they are about.
macro_rules! finding_types {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// What was found.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum FindingType { $($(#[$doc])* $variant,)* }

        impl FindingType {
            /// All of them, in the order of spec 7.2.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The name in reports, and for `facet explain`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }
    };
}

finding_types! {
    /// A tool that was not there.
    ToolAdded = "tool_added",
    /// A tool that is gone.
    ToolRemoved = "tool_removed",
    /// A tool under another name.
    ToolRenamed = "tool_renamed",
    /// A tool whose declaration is another.
    ToolChanged = "tool_changed",
    /// A tool that can do more, or less, by its words.
    RiskLevelChanged = "risk_level_changed",
    /// A prompt that was not there.
    PromptAdded = "prompt_added",
    /// A resource that was not there.
    ResourceAdded = "resource_added",
    /// A resource template that was not there.
    TemplateAdded = "template_added",
    /// A prompt that is gone.
    PromptRemoved = "prompt_removed",
    /// A resource that is gone.
    ResourceRemoved = "resource_removed",
    /// A resource template that is gone.
    TemplateRemoved = "template_removed",
    /// A prompt whose declaration is another.
    PromptChanged = "prompt_changed",
    /// A resource whose declaration is another.
    ResourceChanged = "resource_changed",
    /// A resource template whose declaration is another.
    TemplateChanged = "template_changed",
    /// A name that is taken for another, or is not what it looks like.
    NameConfusable = "name_confusable",
    /// The instructions of the server.
    InstructionsChanged = "instructions_changed",
    /// Rules for the model.
    RulesChanged = "rules_changed",
    /// A limit that is wider, or gone.
    GuardrailLoosened = "guardrail_loosened",
    /// A limit that is narrower, or new.
    GuardrailTightened = "guardrail_tightened",
    /// A check before a call that is gone.
    MiddlewareRemoved = "middleware_removed",
    /// A check before a call that is new.
    MiddlewareAdded = "middleware_added",
    /// The code can reach more.
    EntitlementGained = "entitlement_gained",
    /// The code can reach less.
    EntitlementLost = "entitlement_lost",
    /// The answers may be longer, or shorter.
    EconomicsChanged = "economics_changed",
    /// What the server says it can do.
    CapabilitiesChanged = "capabilities_changed",
    /// The server calls itself otherwise.
    ServerRenamed = "server_renamed",
    /// Resources that differ from one list to the next.
    BecameVolatile = "became_volatile",
    /// Lists that differ from one asking to the next.
    SurfaceVaries = "surface_varies",
    /// Declarations that depend on the machine.
    ProfileVaries = "profile_varies",
    /// Something else would be started, or called.
    LaunchChanged = "launch_changed",
    /// The server may do more.
    GrantWidened = "grant_widened",
    /// The same version with other bytes.
    ContentChanged = "content_changed",
    /// Another runtime, or other bytes of the same one.
    RuntimeChanged = "runtime_changed",
    /// Another package of those that a server depends on, or other bytes of the same one.
    ClosureChanged = "closure_changed",
    /// A tag that means another image.
    ImageDigestChanged = "image_digest_changed",
    /// Another version.
    VersionChanged = "version_changed",
    /// A signature that was there is not.
    SignatureMissing = "signature_missing",
    /// Somebody else has signed.
    SignerChanged = "signer_changed",
    /// A skill, agent or command, or a file of one, that was not there.
    AssetAdded = "asset_added",
    /// A skill, agent or command, or a file of one, with another text.
    AssetChanged = "asset_changed",
    /// A skill, agent or command, or a file of one, that is gone.
    AssetRemoved = "asset_removed",
}

/// What a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SubjectKind {
    /// The server as a whole.
    Server,
    /// A tool.
    Tool,
    /// A prompt.
    Prompt,
    /// A resource.
    Resource,
    /// A resource template.
    Template,
    /// A facet as a whole.
    Facet,
    /// A skill, or a file of one.
    Skill,
    /// An agent.
    Agent,
    /// A command for people to type.
    Command,
}

impl SubjectKind {
    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Tool => "tool",
            Self::Prompt => "prompt",
            Self::Resource => "resource",
            Self::Template => "template",
            Self::Facet => "facet",
            Self::Skill => "skill",
            Self::Agent => "agent",
            Self::Command => "command",
        }
    }
}

/// Why a finding is worse than its type says.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Evidence {
    /// The rule, for `facet explain`.
    pub rule: &'static str,
    /// The words that it hit.
    pub words: String,
}

impl Evidence {
    /// The words for somebody to read: a letter that looks like another is written as `\u{…}`,
    /// because nobody tells the two apart by looking.
    #[must_use]
    pub fn readable_words(&self) -> String {
        match self.rule {
            "marker-confusable" => facets_markers::spelled_out(&self.words),
            _ => self.words.clone(),
        }
    }
}

/// One thing that changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What.
    pub kind: FindingType,
    /// About what kind of thing.
    pub subject_kind: SubjectKind,
    /// Its name; empty for the server.
    pub subject: String,
    /// Which member of it; empty for the whole.
    pub member: String,
    /// The first axis.
    pub severity: Severity,
    /// The second axis.
    pub compat: Compat,
    /// What it was.
    pub before: Option<String>,
    /// What it is.
    pub after: Option<String>,
    /// What that means, for people.
    pub sentence: String,
    /// Why it is worse than its type says.
    pub evidence: Vec<Evidence>,
    /// What is proven about a schema.
    pub schema: Option<Box<SchemaChange>>,
}

impl Finding {
    /// A finding about something by its name.
    #[must_use]
    pub fn new(
        kind: FindingType,
        (subject_kind, subject): (SubjectKind, &str),
        (severity, compat): (Severity, Compat),
        sentence: impl Into<String>,
    ) -> Self {
        Self {
            kind,
            subject_kind,
            subject: subject.to_owned(),
            member: String::new(),
            severity,
            compat,
            before: None,
            after: None,
            sentence: sentence.into(),
            evidence: Vec::new(),
            schema: None,
        }
    }

    /// About a member, with what it was and is.
    #[must_use]
    pub fn of_member(
        mut self,
        member: impl Into<String>,
        before: Option<String>,
        after: Option<String>,
    ) -> Self {
        self.member = member.into();
        (self.before, self.after) = (before, after);
        self
    }

    /// spec 7.2: a marker that is new makes its finding critical
    #[must_use]
    pub fn with_evidence(mut self, evidence: Vec<Evidence>) -> Self {
        if !evidence.is_empty() {
            self.severity = Severity::Critical;
            self.compat = self.compat.max(Compat::Risky);
        }
        self.evidence.extend(evidence);
        self
    }
}

/// The worst first; what is equally bad by subject, so that a report reads like a list.
pub fn sort_findings(findings: &mut [Finding]) {
    findings.sort_by(|a, b| {
        let bad = (b.severity, b.compat).cmp(&(a.severity, a.compat));
        bad.then_with(|| (a.subject_kind, &a.subject).cmp(&(b.subject_kind, &b.subject)))
            .then_with(|| (a.kind, &a.member).cmp(&(b.kind, &b.member)))
    });
}
