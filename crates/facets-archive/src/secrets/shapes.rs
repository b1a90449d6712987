//! What tokens of well-known services look like: how they begin, which characters follow, and how many.

use Alphabet::{Alphanumeric, Base32, Dotted, Hex, Word};

/// The characters of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Alphabet {
    /// Letters and digits.
    Alphanumeric,
    /// Those, `_` and `-`.
    Word,
    /// Those, and the dot between the parts of a token.
    Dotted,
    /// Digits of base 16.
    Hex,
    /// Digits of base 32: capital letters, and `2` to `7`.
    Base32,
}

impl Alphabet {
    pub(super) fn has(self, byte: u8) -> bool {
        match self {
            Self::Alphanumeric => byte.is_ascii_alphanumeric(),
            Self::Word => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Self::Dotted => Self::Word.has(byte) || byte == b'.',
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Base32 => byte.is_ascii_uppercase() || matches!(byte, b'2'..=b'7'),
        }
    }
}

/// How a token begins, what follows, and whose it is.
#[derive(Debug)]
pub(super) struct TokenShape {
    pub(super) start: &'static str,
    pub(super) alphabet: Alphabet,
    /// How many characters follow: at least, and at most.
    pub(super) lengths: (usize, usize),
    pub(super) reason: &'static str,
}

/// No token is longer.
const LONG: usize = 512;

const fn exactly(
    start: &'static str,
    alphabet: Alphabet,
    length: usize,
    reason: &'static str,
) -> TokenShape {
    TokenShape { start, alphabet, lengths: (length, length), reason }
}

const fn at_least(
    start: &'static str,
    alphabet: Alphabet,
    length: usize,
    reason: &'static str,
) -> TokenShape {
    TokenShape { start, alphabet, lengths: (length, LONG), reason }
}

const ANTHROPIC: &str = "a key of Anthropic in its content";
const ATLASSIAN: &str = "a token of Atlassian in its content";
const AWS: &str = "an access key of AWS in its content";
const GITHUB: &str = "a token of GitHub in its content";
const GITLAB: &str = "a token of GitLab in its content";
const GOOGLE: &str = "a key of Google in its content";
const GRAFANA: &str = "a token of Grafana in its content";
const NPM: &str = "a token of npm in its content";
const OPENAI: &str = "a key of OpenAI in its content";
const PYPI: &str = "a token of PyPI in its content";
const SENTRY: &str = "a token of Sentry in its content";
const SHOPIFY: &str = "a token of Shopify in its content";
const SLACK: &str = "a token of Slack in its content";
const STRIPE: &str = "a key of Stripe in its content";
const SUPABASE: &str = "a key of Supabase in its content";
const VAULT: &str = "a token of Vault in its content";

/// By their beginnings.
pub(super) const SHAPES: &[TokenShape] = &[
    at_least("AGE-SECRET-KEY-1", Alphanumeric, 58, "a private key of age in its content"),
    exactly("AIza", Word, 35, GOOGLE),
    exactly("GOCSPX-", Word, 28, GOOGLE),
    exactly("AKIA", Base32, 16, AWS),
    at_least("ATATT3", Word, 100, ATLASSIAN),
    at_least("ATCTT3", Word, 100, ATLASSIAN),
    at_least("PMAK-", Word, 59, "a key of Postman in its content"),
    exactly("SG.", Dotted, 66, "a key of SendGrid in its content"),
    exactly("dapi", Hex, 32, "a token of Databricks in its content"),
    at_least("dckr_pat_", Word, 27, "a token of Docker in its content"),
    exactly("dop_v1_", Hex, 64, "a token of DigitalOcean in its content"),
    at_least("figd_", Word, 40, "a token of Figma in its content"),
    at_least("ghp_", Alphanumeric, 36, GITHUB),
    at_least("gho_", Alphanumeric, 36, GITHUB),
    at_least("ghu_", Alphanumeric, 36, GITHUB),
    at_least("ghs_", Alphanumeric, 36, GITHUB),
    at_least("ghr_", Alphanumeric, 36, GITHUB),
    at_least("github_pat_", Word, 60, GITHUB),
    at_least("glpat-", Dotted, 20, GITLAB),
    at_least("gldt-", Word, 20, GITLAB),
    at_least("glrt-", Dotted, 20, GITLAB),
    at_least("glptt-", Hex, 40, GITLAB),
    at_least("glc_eyJ", Alphanumeric, 40, GRAFANA),
    at_least("glsa_", Word, 41, GRAFANA),
    exactly("gsk_", Alphanumeric, 52, "a key of Groq in its content"),
    exactly("hf_", Alphanumeric, 34, "a token of Hugging Face in its content"),
    at_least("hvs.", Word, 90, VAULT),
    at_least("hvb.", Word, 90, VAULT),
    exactly("lin_api_", Alphanumeric, 40, "a key of Linear in its content"),
    at_least("npm_", Alphanumeric, 36, NPM),
    at_least("ntn_", Alphanumeric, 43, "a token of Notion in its content"),
    exactly("pplx-", Alphanumeric, 48, "a key of Perplexity in its content"),
    at_least("pypi-AgE", Word, 50, PYPI),
    exactly("r8_", Alphanumeric, 37, "a token of Replicate in its content"),
    exactly("rubygems_", Hex, 48, "a key of RubyGems in its content"),
    exactly("sbp_", Hex, 40, SUPABASE),
    at_least("sb_secret_", Word, 30, SUPABASE),
    exactly("shpat_", Hex, 32, SHOPIFY),
    exactly("shpss_", Hex, 32, SHOPIFY),
    at_least("sk-ant-", Word, 40, ANTHROPIC),
    at_least("sk-admin-", Word, 40, OPENAI),
    at_least("sk-proj-", Word, 40, OPENAI),
    at_least("sk-svcacct-", Word, 40, OPENAI),
    exactly("sk-or-v1-", Hex, 64, "a key of OpenRouter in its content"),
    exactly("sk-", Alphanumeric, 48, OPENAI),
    exactly("sk-", Hex, 32, "an API key in its content"),
    at_least("sk_live_", Alphanumeric, 24, STRIPE),
    at_least("rk_live_", Alphanumeric, 24, STRIPE),
    exactly("sntryu_", Hex, 64, SENTRY),
    at_least("sntrys_eyJ", Word, 80, SENTRY),
    at_least("tvly-", Word, 32, "a key of Tavily in its content"),
    at_least("whsec_", Alphanumeric, 32, "the secret of a webhook in its content"),
    at_least("xai-", Alphanumeric, 80, "a key of xAI in its content"),
    at_least("xapp-", Word, 60, SLACK),
    at_least("xoxa-", Word, 30, SLACK),
    at_least("xoxb-", Word, 30, SLACK),
    at_least("xoxc-", Word, 30, SLACK),
    at_least("xoxe-", Word, 30, SLACK),
    at_least("xoxo-", Word, 30, SLACK),
    at_least("xoxp-", Word, 30, SLACK),
    at_least("xoxr-", Word, 30, SLACK),
    at_least("xoxs-", Word, 30, SLACK),
];
