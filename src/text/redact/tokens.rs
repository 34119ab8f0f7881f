//! The formats of tokens that programs hand out: a literal, and the characters behind it.
//!
//! Each has a literal of at least four bytes that hardly occurs elsewhere, because a wrong match changes what
//! a command has printed.

/// A format.
#[derive(Debug)]
pub(super) struct Token {
    pub(super) name: &'static str,
    pub(super) literal: &'static str,
    pub(super) characters: Characters,
    /// The fewest and the most characters behind the literal. A longer stretch of them is something else.
    pub(super) min: usize,
    pub(super) max: usize,
}

/// The characters of a format.
#[derive(Clone, Copy, Debug)]
pub(super) enum Characters {
    AlphaNumeric,
    Hex,
    /// Capitals and digits.
    Capitals,
    /// Letters, digits and `_`.
    Word,
    /// Letters, digits and `-`.
    Dashed,
    /// Letters, digits, `_` and `-`.
    Url,
    /// The symbols of [`Self::Url`], and the dots between parts.
    Dotted,
    /// Letters, digits, `+`, `/` and `=`, also of the alphabet for addresses.
    Base64,
}

impl Characters {
    pub(super) const fn has(self, byte: u8) -> bool {
        match self {
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Capitals => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            _ if byte.is_ascii_alphanumeric() => true,
            Self::AlphaNumeric => false,
            Self::Word => byte == b'_',
            Self::Dashed => byte == b'-',
            Self::Url => matches!(byte, b'_' | b'-'),
            Self::Dotted => matches!(byte, b'_' | b'-' | b'.'),
            Self::Base64 => matches!(byte, b'+' | b'/' | b'=' | b'_' | b'-'),
        }
    }
}

const fn token(
    name: &'static str,
    literal: &'static str,
    characters: Characters,
    [min, max]: [usize; 2],
) -> Token {
    Token { name, literal, characters, min, max }
}

/// The built-in formats, by vendor.
pub(super) const TOKENS: &[Token] = &[
    token("github-token", "ghp_", Characters::AlphaNumeric, [36, 255]),
    token("github-token", "gho_", Characters::AlphaNumeric, [36, 255]),
    token("github-token", "ghu_", Characters::AlphaNumeric, [36, 255]),
    token("github-token", "ghs_", Characters::Url, [36, 520]),
    token("github-token", "ghr_", Characters::AlphaNumeric, [36, 255]),
    token("github-token", "github_pat_", Characters::Word, [40, 255]),
    token("gitlab-token", "glpat-", Characters::Dotted, [20, 320]),
    token("gitlab-token", "gldt-", Characters::Url, [20, 64]),
    token("gitlab-token", "glrt-", Characters::Dotted, [20, 320]),
    token("gitlab-token", "glptt-", Characters::Hex, [40, 40]),
    token("gitlab-token", "glcbt-", Characters::Url, [20, 64]),
    token("npm-token", "npm_", Characters::AlphaNumeric, [36, 36]),
    token("pypi-token", "pypi-AgE", Characters::Url, [50, 1000]),
    token("rubygems-key", "rubygems_", Characters::Hex, [48, 48]),
    token("docker-token", "dckr_pat_", Characters::Url, [27, 64]),
    token("aws-access-key", "AKIA", Characters::Capitals, [16, 16]),
    token("aws-access-key", "ASIA", Characters::Capitals, [16, 16]),
    token("google-api-key", "AIza", Characters::Url, [35, 35]),
    token("google-oauth-token", "ya29.", Characters::Dotted, [30, 1000]),
    token("google-client-secret", "GOCSPX-", Characters::Url, [28, 28]),
    token("slack-token", "xoxb-", Characters::Dashed, [20, 255]),
    token("slack-token", "xoxp-", Characters::Dashed, [20, 255]),
    token("slack-token", "xoxa-", Characters::Dashed, [20, 255]),
    token("slack-token", "xoxs-", Characters::Dashed, [20, 255]),
    token("slack-token", "xapp-", Characters::Dashed, [20, 255]),
    token("stripe-key", "sk_live_", Characters::AlphaNumeric, [16, 255]),
    token("stripe-key", "rk_live_", Characters::AlphaNumeric, [16, 255]),
    token("stripe-key", "sk_test_", Characters::AlphaNumeric, [16, 255]),
    token("stripe-webhook-secret", "whsec_", Characters::Base64, [32, 128]),
    token("anthropic-key", "sk-ant-", Characters::Url, [40, 255]),
    token("openai-key", "sk-proj-", Characters::Url, [40, 255]),
    token("openai-key", "sk-svcacct-", Characters::Url, [40, 255]),
    token("openai-key", "sk-admin-", Characters::Url, [40, 255]),
    token("openrouter-key", "sk-or-v1-", Characters::Hex, [64, 64]),
    token("groq-key", "gsk_", Characters::AlphaNumeric, [40, 64]),
    token("xai-key", "xai-", Characters::AlphaNumeric, [64, 96]),
    token("perplexity-key", "pplx-", Characters::AlphaNumeric, [40, 64]),
    token("digitalocean-token", "dop_v1_", Characters::Hex, [64, 64]),
    token("digitalocean-token", "doo_v1_", Characters::Hex, [64, 64]),
    token("shopify-token", "shpat_", Characters::Hex, [32, 32]),
    token("shopify-secret", "shpss_", Characters::Hex, [32, 32]),
    token("linear-key", "lin_api_", Characters::AlphaNumeric, [40, 40]),
    token("notion-token", "ntn_", Characters::AlphaNumeric, [40, 64]),
    token("vault-token", "hvs.", Characters::Url, [24, 300]),
    token("sentry-token", "sntrys_", Characters::Base64, [64, 400]),
    token("grafana-token", "glsa_", Characters::Word, [40, 64]),
    token("supabase-token", "sbp_", Characters::Hex, [40, 40]),
    token("square-token", "sq0atp-", Characters::Url, [22, 22]),
    token("figma-token", "figd_", Characters::Url, [40, 64]),
    token("age-key", "AGE-SECRET-KEY-1", Characters::Capitals, [58, 58]),
    token("json-web-token", "eyJhbGciOi", Characters::Dotted, [60, 4000]),
];
